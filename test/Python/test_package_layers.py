"""Models beside another implementation of ONNX, layer by layer, from Python and from a command line."""

import json
import os
import subprocess
import sys

import numpy as np
import onnx.parser
import pytest

import program
from package import qcc

MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 4] x) => (float[batch, 2] y) <float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
  [twice] t = Add(x, x)
  [product] m = MatMul(t, w)
  y = Relu(m)
}"""
X = np.array([[1, -2, 3, 0.5], [0, 0, -1, 4], [2, 2, 2, 2]], np.float32)


@pytest.fixture
def model():
    return onnx.parser.parse_model(MODEL)


def test_every_value_is_compared(model):
    report = qcc.diff_model(model.SerializeToString(), [X], against="onnx", layers=True)
    assert [(layer.node, layer.op, layer.value) for layer in report.layers] == [
        ("twice", "Add", "t"), ("product", "MatMul", "m"), ("y", "Relu", "y")]
    assert [layer.result.elements for layer in report.layers] == [12, 6, 6]
    assert report.equal and report.first() is None
    assert "product  MatMul  m" in str(report)


def test_results_alone(model):
    report = qcc.diff_model(model.SerializeToString(), {"x": X}, against="onnx")
    assert [layer.value for layer in report.layers] == ["y"] and report.equal


def test_the_first_difference_is_named(model, monkeypatch):
    """Another implementation that adds 1 to one element of the product."""
    def wrong(data, inputs):
        results = qcc._layers._run_reference(data, inputs)
        results[1] = results[1].copy()
        results[1][0, 1] += 1
        return results

    names = [output.name for output in model.graph.output] + ["t", "m"]
    assert names.index("t") == 1
    monkeypatch.setitem(qcc._layers.PEERS, "wrong", wrong)
    report = qcc.diff_model(model.SerializeToString(), [X], against="wrong", layers=True)
    assert not report.equal
    first = report.first()
    assert (first.node, first.value, first.result.different, first.result.largest) == ("twice", "t", 1, 1.0)
    assert report.first(tolerance=10.0) is None


def test_what_is_wrong_is_said(model, tmp_path):
    data = model.SerializeToString()
    with pytest.raises(qcc.InvalidArgumentError, match="'tensorrt'; use one of onnx, onnxruntime"):
        qcc.diff_model(data, [X], against="tensorrt")
    with pytest.raises(qcc.InvalidArgumentError, match=r"dimension 'batch' of argument 0 'x' has no size.*--dim=batch=N"):
        qcc.diff_model(data, against="onnx")
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(qcc.InvalidProgramError, match=r"m\.onnx: error: no input has a dimension 'bach'"):
        qcc.diff_model(tmp_path / "m.onnx", against="onnx", dims={"bach": 1})
    with pytest.raises(qcc.InvalidArgumentError, match="the model has the inputs x, but z is given"):
        qcc.diff_model(data, {"x": X, "z": X}, against="onnx")


COMMANDS = {"python": [sys.executable, "-m", "qcc"], "driver": [str(program.qcc())]}


@pytest.fixture(params=COMMANDS)
def run(request):
    """Runs the package as a command, by itself and from the driver."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), QCC_PYTHON=sys.executable)

    def run_command(*arguments):
        return subprocess.run([*COMMANDS[request.param], *map(str, arguments)], env=environment, capture_output=True,
                              text=True)

    return run_command


def test_command(model, run, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    done = run("diff", path, "--against=onnx", "--layers", "--dim=batch=3")
    assert done.returncode == 0 and "no difference in 3 values" in done.stdout, done.stdout + done.stderr
    np.save(tmp_path / "x.npy", X)
    done = run("diff", path, "--against=onnx", f"--input=x:{tmp_path / 'x.npy'}")
    assert done.returncode == 0 and "no difference in 1 values" in done.stdout, done.stdout + done.stderr
    done = run("diff", path, "--against=onnx")
    assert done.returncode == 3 and "qcc: error: dimension 'batch'" in done.stderr
    done = run("diff", path, "--against=onnx", "--dim=batch=1", f"--html={path}")
    assert done.returncode == 2 and "would overwrite" in done.stderr and path.read_bytes() == model.SerializeToString()
    done = run("diff", tmp_path / "none.onnx", "--against=onnx")
    assert done.returncode == 3 and "none.onnx" in done.stderr and "Traceback" not in done.stderr


def test_page(model, run, tmp_path):
    """The page has every value, loads nothing, and is printed in place of the text where its name is -."""
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    done = run("diff", path, "--against=onnx", "--layers", "--dim=batch=3", f"--html={tmp_path / 'page.html'}")
    assert done.returncode == 0 and "no difference in 3 values" in done.stdout, done.stdout + done.stderr
    page = (tmp_path / "page.html").read_text()
    text = page.partition('id="data">')[2].partition("</script>")[0]
    values = json.loads(text)["values"]
    assert [value["comparable"] for value in values] == [True] * 3 and {"relative_error", "largest_error"} <= set(values[0])
    assert "src=" not in page and "https://" not in page and "%" + "SCRIPT%" not in page
    done = run("diff", path, "--against=onnx", "--layers", "--dim=batch=3", "--html=-")
    assert done.returncode == 0 and done.stdout == page, done.stderr
    done = run("diff", path, "--against=onnx", "--dim=batch=3", f"--html={tmp_path / 'none' / 'page.html'}")
    assert done.returncode == 4 and "does not exist; create it" in done.stderr and done.stdout == "", done.stderr


#: The reference of the package onnx has DequantizeLinear of other operator sets alone.
QUANTIZED = """
<ir_version: 8, opset_import: ["" : 17]>
g (int8[2, 3] x) => (float[2, 3] y) <float s = {0.5}, int8 z = {1}> { y = DequantizeLinear(x, s, z) }"""


def test_what_the_peer_cannot_run(run, tmp_path):
    """It works or is refused; where it is refused, the reason and a way out are told."""
    path = tmp_path / "quantized.onnx"
    path.write_bytes(onnx.parser.parse_model(QUANTIZED).SerializeToString())
    done = run("diff", path, "--against=onnx")
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.returncode == 4 and "qcc: error: the package onnx " in done.stderr, done.stderr
        assert "cannot run the model: No implementation for operator 'DequantizeLinear'" in done.stderr
        assert "--against=onnxruntime" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_peer_that_fails(model, monkeypatch):
    """Whatever it raises is an error of qcc."""
    import onnx.reference
    monkeypatch.setattr(onnx.reference, "ReferenceEvaluator", lambda data: {}["no such op"])
    with pytest.raises(qcc.UnsupportedError, match=r"the package onnx .* cannot run the model: 'no such op'; compare with"):
        qcc.diff_model(model.SerializeToString(), [X], against="onnx")


def test_files_that_are_damaged(model, run, tmp_path):
    """An input, a model, and a model whose data is elsewhere."""
    path, text = tmp_path / "model.onnx", tmp_path / "text.npy"
    path.write_bytes(model.SerializeToString())
    text.write_text("no array")
    several = tmp_path / "several.npz"
    np.savez(several, x=X)
    (tmp_path / "several.npy").write_bytes(several.read_bytes())
    external = onnx.parser.parse_model(MODEL)
    tensor = external.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="none.bin")
    (tmp_path / "external.onnx").write_bytes(external.SerializeToString())
    (tmp_path / "damaged.onnx").write_bytes(b"\x08\x08\xff")
    for arguments, message in (([path, f"--input=x:{text}"], "text.npy' is no .npy file"),
                               ([path, f"--input=x:{tmp_path / 'several.npy'}"], "holds several arrays"),
                               ([path, f"--input=x:{tmp_path / 'none.npy'}"], "none.npy"),
                               ([tmp_path / "external.onnx", "--dim=batch=1"], "none.bin"),
                               ([tmp_path / "damaged.onnx", "--dim=batch=1"], "is no ONNX model, or it is damaged")):
        done = run("diff", *arguments, "--against=onnx")
        assert done.returncode == 3 and "qcc: error: " in done.stderr and message in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


def test_example(tmp_path):
    """A model of torch in five lines."""
    models = program.ROOT / "test" / "Frontend" / "ONNX" / "Inputs"
    (tmp_path / "model.onnx").write_bytes((models / "torch-float" / "model.onnx").read_bytes())
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, program.ROOT / "examples" / "python" / "onnx_model.py"], cwd=tmp_path,
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("(2, 8)\n"), done.stdout + done.stderr
