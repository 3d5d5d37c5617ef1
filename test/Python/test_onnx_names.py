"""Results of ONNX models have the names of the model's outputs, wherever they are shown."""

import re
import subprocess

import numpy as np
import onnx
import onnx.parser

import program

TEXT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 3] x) => (float[N, 3] scores, float[N, 3] boxes, float[N, 3] copy, float[N, 3] same) {
  [softmax_node] scores = Softmax(x)
  [relu_node] boxes = Relu(x)
  [identity] copy = Identity(x)
  [other] same = Identity(boxes)
}"""
NAMES = ["scores", "boxes", "copy", "same"]


def write(folder):
    path = folder / "model.onnx"
    path.write_bytes(onnx.parser.parse_model(TEXT).SerializeToString())
    return path


def qcc(*arguments):
    return subprocess.run([str(program.qcc()), *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def test_the_list_and_the_artifact(tmp_path, compiler):
    model, artifact, text = write(tmp_path), tmp_path / "model.so", tmp_path / "model.mlir"
    qcc("compile", model, "-o", artifact)
    qcc("compile", model, "--emit=import", "-o", text)
    for path in (model, artifact, text):
        found = qcc("run", path, "--list")
        assert re.findall(r"result \d '(\w+)'", found) == NAMES, found


def test_python(tmp_path, compiler):
    from package import qcc as package
    function = package.compile(write(tmp_path)).function()
    assert [result.name for result in function.results] == NAMES
    x = np.float32([[1, -2, 3]])
    scores, boxes, copy, same = function(x)
    program.assert_same_bits(copy, x)
    program.assert_same_bits(same, boxes)


def test_an_output_that_is_listed_twice(tmp_path, compiler):
    made = onnx.parser.parse_model(TEXT)
    del made.graph.output[2:]
    made.graph.output.add().CopyFrom(made.graph.output[0])
    path = tmp_path / "twice.onnx"
    path.write_bytes(made.SerializeToString())
    text = qcc("compile", path, "--emit=import", "-o", "-")
    assert text.count('{qcc.name = "scores"}') == 2 and text.count('{qcc.name = "boxes"}') == 1


def test_the_name_of_a_result_is_a_string(tmp_path, compiler):
    path = tmp_path / "bad.mlir"
    path.write_text("func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {qcc.name = 3}) { return %x : tensor<4xf32> }")
    done = subprocess.run([str(program.qcc()), "compile", str(path), "-o", "-"], capture_output=True, text=True)
    assert done.returncode == 3 and "qcc.name of result 0 is 3" in done.stderr and "must be a string" in done.stderr
