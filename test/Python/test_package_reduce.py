"""The smallest part of a model for which a test succeeds, from Python and from a command line."""

import os
import subprocess
import sys

import onnx.parser
import pytest

from package import qcc

MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 4] x) => (float[batch, 2] y) <float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
  c = Constant<value = float {2.0}>()
  t = Mul(x, c)
  a = Abs(t)
  m = MatMul(a, w)
  e = Exp(m)
  s = Softmax(e)
  y = Relu(s)
}"""


@pytest.fixture
def model():
    return onnx.parser.parse_model(MODEL)


def ops(model):
    return [node.op_type for node in model.graph.node]


def is_compiled(model):
    onnx.checker.check_model(model, full_check=True)
    qcc.compile(model.SerializeToString())
    return True


@pytest.mark.parametrize("wanted, expected, inputs, outputs", [
    ({"MatMul"}, ["MatMul"], ["a"], ["m"]),
    ({"Mul"}, ["Constant", "Mul"], ["x"], ["t"]),
    ({"Abs", "Exp"}, ["Abs", "Exp"], ["t", "m"], ["a", "e"]),
    ({"Relu"}, ["Relu"], ["s"], ["y"]),
])
def test_only_what_is_wanted_is_left(model, wanted, expected, inputs, outputs):
    tested = []

    def is_wanted(part):
        tested.append(ops(part))
        return is_compiled(part) and wanted <= set(ops(part))

    part = qcc.reduce_model(model, is_wanted)
    assert ops(part) == expected
    assert [info.name for info in part.graph.input] == inputs
    assert [info.name for info in part.graph.output] == outputs
    assert [tensor.name for tensor in part.graph.initializer] == (["w"] if "MatMul" in expected else [])
    assert len(tested) < 40 and is_compiled(part)
    assert ops(model)[0] == "Constant" and len(ops(model)) == 7  # The model itself stays.


def test_a_test_that_fails_is_refused(model):
    with pytest.raises(qcc.InvalidArgumentError, match="the whole model does not do what is looked for"):
        qcc.reduce_model(model, lambda part: False)


def test_command(model, tmp_path):
    path, part = tmp_path / "model.onnx", tmp_path / "part.onnx"
    path.write_bytes(model.SerializeToString())
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))

    def run(test, source=path):
        return subprocess.run([sys.executable, "-m", "qcc", "reduce", source, "-o", part, "--test", test],
                              env=environment, capture_output=True, text=True)

    done = run('grep -q Softmax "$1"')
    assert done.returncode == 0 and done.stdout.startswith("1 of 7 nodes, after "), done.stdout + done.stderr
    assert ops(onnx.load(part)) == ["Softmax"]
    done = run("exit 1")
    assert done.returncode == 3 and "correct the test" in done.stderr
    (tmp_path / "text.onnx").write_text("no model")
    done = run("true", tmp_path / "text.onnx")
    assert done.returncode == 3 and "is no ONNX model" in done.stderr and "Traceback" not in done.stderr
