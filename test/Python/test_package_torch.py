"""The Python package with tensors of torch. Runs where torch is installed: pip install torch."""

import runpy

import pytest

import program
from package import DOUBLE_ROWS, qcc

torch = pytest.importorskip("torch")


class Block(torch.nn.Module):
    """Layers with parameters and buffers, and two inputs."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x, scale):
        x = torch.relu(self.norm(self.conv(x)))
        return {"logits": self.linear(x.mean((2, 3))) * scale}


@pytest.fixture
def block():
    torch.manual_seed(1)
    model = Block().eval()
    model.norm.running_mean.uniform_(-1, 1)
    return model


INPUTS = (torch.linspace(-1, 1, 2 * 3 * 6 * 6).reshape(2, 3, 6, 6), torch.tensor([1.0, 2.0, -3.0, 0.5]))


def test_example(capsys):
    runpy.run_path(str(program.ROOT / "examples" / "python" / "torch_tensors.py"), run_name="__main__")
    assert "refused: argument 0 of 'double' cannot be read by DLPack" in capsys.readouterr().out


def test_example_of_models():
    pytest.importorskip("onnxscript")
    runpy.run_path(str(program.ROOT / "examples" / "python" / "torch_model.py"), run_name="__main__")


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


def test_exported_program(block):
    pytest.importorskip("onnxscript")
    import qcc.torch

    function = qcc.torch.compile(torch.export.export(block, INPUTS))
    with torch.no_grad():
        torch.testing.assert_close(function(*INPUTS), block(*INPUTS))


def test_backend(block):
    """torch.compile finds the backend, and parameters and buffers are constants of the program."""
    pytest.importorskip("onnxscript")
    import qcc.torch

    compiled, arguments = torch.compile(block, backend="qcc"), []
    compile_program = qcc.torch._to_function

    def watch(program, target):
        function = compile_program(program, target)
        arguments.append([tuple(argument.shape) for argument in function.arguments])
        return function

    qcc.torch._to_function = watch
    try:
        with torch.no_grad():
            torch.testing.assert_close(compiled(*INPUTS), block(*INPUTS))
    finally:
        qcc.torch._to_function = compile_program
    assert arguments == [[(2, 3, 6, 6), (4,)]]
