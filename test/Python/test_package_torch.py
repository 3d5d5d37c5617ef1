"""The Python package with tensors of torch. Runs where torch is installed: pip install torch."""

import runpy

import pytest

import program
from package import DOUBLE_ROWS, qcc

torch = pytest.importorskip("torch")


def test_example(capsys):
    runpy.run_path(str(program.ROOT / "examples" / "python" / "torch_tensors.py"), run_name="__main__")
    assert "refused: argument 0 of 'double' cannot be read by DLPack" in capsys.readouterr().out


def test_slices():
    function = qcc.compile(DOUBLE_ROWS).function(threads=1)
    x = torch.arange(30.0).reshape(10, 3)
    assert torch.equal(torch.from_dlpack(function(x[2:5])), 2 * x[2:5])
    with pytest.raises(qcc.InvalidArgumentError, match="strides"):
        function(x.T[:3].T[:, :2])


def test_results_take_turns():
    """A tensor of torch becomes a result, then an argument."""
    function = qcc.compile(DOUBLE_ROWS).function(threads=1)
    x, y = torch.ones(4, 3), torch.empty(4, 3)
    for _ in range(5):
        function(x, out=y)
        x, y = y, x
    assert torch.equal(x, torch.full((4, 3), 32.0))
