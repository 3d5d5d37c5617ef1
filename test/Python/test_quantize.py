"""python -m qcc quantize: engines, the graphs that they give, the report and the command line."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import program
from package import qcc
from quantizing import LAYERS, SAMPLES, Network, integer_model, run_ort, samples, save

pytest.importorskip("onnxruntime")

from qcc import _packages  # noqa: E402
from qcc.quantize import _command, _data, _engines, _graph, _measure, _placement, _prices, _search  # noqa: E402


@pytest.fixture(params=["ort", "nncf"])
def engine(request):
    if request.param == "nncf":
        pytest.importorskip("nncf", reason="the package nncf is not installed")
    return request.param


def quantized_by(engine, model, excluded=()):
    data = _data.Data("the test's data", _graph.inputs_of(model), lambda: iter([{"x": x} for x in samples()]), 8)
    return _engines.quantize(model, data, engine, excluded)


@pytest.fixture
def prepared(tmp_path):
    return _graph.prepare(str(save(Network().model, tmp_path / "prepared.onnx")))


def test_every_layer_multiplies_integers(engine, prepared):
    """Weights are int8 with a scale for each channel, biases and outputs are floats."""
    model = quantized_by(engine, prepared)
    assert _placement.quantized_layers(model) == LAYERS
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    producers = {name: node for node in model.graph.node for name in node.output}
    for node in _graph.layers_of(model):
        weight = producers[node.input[1]]
        assert constants[weight.input[0]].dtype == np.int8
        assert constants[weight.input[1]].shape == (10 if node.op_type == "Gemm" else 16,)
        assert constants[node.input[2]].dtype == np.float32
    assert producers["y"].op_type == "Softmax" and producers[producers["y"].input[0]].op_type == "Gemm"
    assert producers["r1"].op_type == "Relu" and producers["r1"].input[0] == "c1"
    expected, actual = run_ort(prepared, samples()[0]), run_ort(model, samples()[0])
    assert 0 < np.abs(expected - actual).max() < 0.02


def branches():
    """Convolutions after MaxPool, after Concat of two others, and after a Split."""
    random, tensors = np.random.default_rng(0), []

    def weight(*shape):
        array = random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        tensors.append(numpy_helper.from_array(array.astype(np.float32), f"w{len(tensors)}"))
        return tensors[-1].name

    def node(op, inputs, outputs, **attributes):
        return onnx.helper.make_node(op, inputs, outputs, outputs[0], **attributes)

    nodes = [node("Conv", ["x", weight(8, 3, 3, 3)], ["a"], pads=[1] * 4), node("Relu", ["a"], ["ar"]),
             node("MaxPool", ["ar"], ["am"], kernel_shape=[2, 2], strides=[2, 2]),
             node("Conv", ["am", weight(8, 8, 3, 3)], ["b"], pads=[1] * 4), node("Relu", ["b"], ["br"]),
             node("Concat", ["am", "br"], ["joined"], axis=1),
             node("Conv", ["joined", weight(8, 16, 3, 3)], ["c"], pads=[1] * 4),
             node("Split", ["c"], ["left", "right"], axis=1), node("Conv", ["left", weight(4, 4, 1, 1)], ["y"]),
             node("Conv", ["right", weight(4, 4, 1, 1)], ["z"])]
    floats = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes, "g", [onnx.helper.make_tensor_value_info("x", floats, [1, 3, 12, 12])],
        [onnx.helper.make_tensor_value_info(name, floats, [1, 4, 6, 6]) for name in "yz"], tensors)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


def test_ops_between_layers(engine, tmp_path):
    """qcc multiplies integers in each layer, whatever is between them."""
    from qcc.quantize._measure import products_of
    prepared = _graph.prepare(str(save(branches(), tmp_path / "model.onnx")))
    model = quantized_by(engine, prepared)
    layers = ["a", "b", "c", "y", "z"]
    assert _placement.quantized_layers(model) == layers
    shapes = {"x": (1, 3, 12, 12)}
    products = products_of(model, qcc.explain(model.SerializeToString(), shapes=shapes))
    assert sorted(products) == layers and not any(of_layer.is_float for of_layer in products.values())
    of_floats = products_of(prepared, qcc.explain(prepared.SerializeToString(), shapes=shapes))
    assert all(of_layer.is_float for of_layer in of_floats.values())


def attention():
    """Scores of rows of x with one another, in the shape of a transformer."""
    random, names = np.random.default_rng(0), ["wq", "wk", "wv"]
    tensors = [numpy_helper.from_array(random.standard_normal((16, 16)).astype(np.float32) / 4, name) for name in names]
    model = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 8, 16] x, float[16, 16] wq, float[16, 16] wk, float[16, 16] wv) => (float[1, 8, 16] y) {
  q = MatMul(x, wq)
  k = MatMul(x, wk)
  v = MatMul(x, wv)
  t = Transpose <perm = [0, 2, 1]> (k)
  scores = MatMul(q, t)
  weights = Softmax <axis = -1> (scores)
  y = MatMul(weights, v)
}""")
    model.graph.initializer.extend(tensors)
    del model.graph.input[1:]
    return model


def test_attention(engine, tmp_path):
    """The products of a layer of a transformer; the distance is that of 8 bits."""
    prepared = _graph.prepare(str(save(attention(), tmp_path / "model.onnx")))
    assert _engines.has_attention(prepared) and not _engines.has_attention(Network().model)
    random = np.random.default_rng(1)
    rows = [random.standard_normal((1, 8, 16)).astype(np.float32) for _ in range(8)]
    data = _data.Data("rows", _graph.inputs_of(prepared), lambda: iter([{"x": x} for x in rows]), 8)
    model = _engines.quantize(prepared, data, engine)
    assert {"q", "k", "v", "scores"} <= set(_placement.quantized_layers(model))
    expected, actual = run_ort(prepared, rows[0]), run_ort(model, rows[0])
    assert 0 < np.linalg.norm(expected - actual) < 0.05 * np.linalg.norm(expected)


def test_values_that_inner_graphs_read(engine, tmp_path):
    """A branch reads the value of a layer, which is an output as well."""
    from qcc.quantize._measure import Compiled
    model = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 4] x, bool c) => (float[2, 4] m, float[2, 4] y)
<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7},
 float[4, 4] w2 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}> {
  m = MatMul(x, w)
  b = If (c) <
    then_branch = t () => (float[2, 4] p) { p = Relu(m) },
    else_branch = e () => (float[2, 4] n) { n = Neg(m) }>
  y = MatMul(b, w2)
}""")
    prepared = _graph.prepare(str(save(model, tmp_path / "model.onnx")))
    x, yes = np.random.default_rng(1).standard_normal((2, 4)).astype(np.float32), np.array(True)
    data = _data.Data("x", _graph.inputs_of(prepared), lambda: iter([{"x": x, "c": yes}]), 1)
    quantized = _engines.quantize(prepared, data, engine)
    layers = _placement.quantized_layers(quantized)
    for changed in (quantized, _placement.with_float_layers(quantized, prepared, layers)):
        results = Compiled(changed)({"x": x, "c": yes})
        assert list(results) == ["m", "y"] and np.abs(results["m"] - x @ w_of(prepared)).max() < 0.5


def w_of(model):
    return numpy_helper.to_array(next(tensor for tensor in model.graph.initializer if tensor.name == "w"))


def normalized():
    """A layer whose activation and norm are spelled out, as converters write them, before another layer."""
    random = np.random.default_rng(0)
    model = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 16] x, float[16, 16] w, float[16, 8] v) => (float[4, 8] y)
<float cubic = {0.044715}, float half = {0.5}, float one = {1}, float part = {0.0625}, float least = {0.00001},
 int64[1] last = {1}, int64[2] column = {4, 1}, int64[2] whole = {4, 16}> {
  h = MatMul(x, w)
  square = Mul(h, h)
  cube = Mul(h, square)
  small = Mul(cube, cubic)
  inner = Add(h, small)
  t = Tanh(inner)
  t1 = Add(t, one)
  t2 = Mul(t1, half)
  a = Mul(h, t2)
  sum = ReduceSum(a, last)
  mean = Mul(sum, part)
  means = Reshape(mean, column)
  spread = Expand(means, whole)
  centered = Sub(a, spread)
  squares = Mul(centered, centered)
  total = ReduceSum(squares, last)
  variance = Mul(total, part)
  lifted = Add(variance, least)
  root = Sqrt(lifted)
  norm = Div(centered, root)
  r = Add(norm, x)
  y = MatMul(r, v)
}""")
    for name, shape in (("w", (16, 16)), ("v", (16, 8))):
        model.graph.initializer.append(numpy_helper.from_array(random.standard_normal(shape).astype(np.float32) / 2, name))
    del model.graph.input[1:]
    return model


def test_values_of_one_layer_are_not_rounded(engine, tmp_path):
    """Activations and norms are computed in floats; the operands of layers, and of a sum of two layers, are rounded."""
    prepared = _graph.prepare(str(save(normalized(), tmp_path / "model.onnx")))
    random = np.random.default_rng(1)
    rows = [random.standard_normal((4, 16)).astype(np.float32) for _ in range(8)]
    data = _data.Data("rows", _graph.inputs_of(prepared), lambda: iter([{"x": x} for x in rows]), 8)
    model = _engines.quantize(prepared, data, engine)
    assert _placement.quantized_layers(model) == ["h", "y"]
    rounded = {node.input[0] for node in model.graph.node if node.op_type == "QuantizeLinear"}
    assert {"x", "r"} <= rounded <= {"x", "r", "norm"}
    expected, actual = run_ort(prepared, rows[0]), run_ort(model, rows[0])
    assert 0 < np.linalg.norm(expected - actual) < 0.1 * np.linalg.norm(expected)


def test_weights_of_seven_bits(engine, prepared):
    """Their products cannot saturate sums of two."""
    data = _data.Data("the test's data", _graph.inputs_of(prepared), lambda: iter([{"x": x} for x in samples()]), 8)
    model = _engines.quantize(prepared, data, engine, weight_bits=7)
    weights = [array for tensor in model.graph.initializer
               if (array := numpy_helper.to_array(tensor)).dtype == np.int8 and array.size > 100]
    assert len(weights) == 3 and all(40 < np.abs(array.astype(int)).max() <= 64 for array in weights)


def test_bits_that_suit_the_processor(files, monkeypatch, capsys):
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    assert _engines.weight_bits_of() == (8 if {"avx512_vnni", "avx_vnni"} & set(flags) else 7)
    bits_of = {"x86-64-v3": 7, "skylake-avx512": 7, "cascadelake": 8, "alderlake": 8, "sapphirerapids": 8}
    assert {target: _engines.weight_bits_of(target) for target in bits_of} == bits_of
    for bits, given in ((7, []), (8, []), (7, ["--weight-bits=7"]), (8, ["--weight-bits=8"])):
        other = 15 - bits if given else bits
        monkeypatch.setattr(_command, "weight_bits_of", lambda bits=other: bits)
        assert call(files, *given) == 0
        assert (", with weights of 7 bits" in capsys.readouterr().out) == (bits == 7)


def test_excluded_nodes(engine, prepared):
    model = quantized_by(engine, prepared, ["conv_c2"])
    assert _placement.quantized_layers(model) == ["conv_c1", "gemm_fc"]


def test_choosing_nodes(prepared):
    assert _engines.choose_nodes(prepared, ["conv_*"], []) == ["conv_c1", "conv_c2"]
    assert _engines.choose_nodes(prepared, ["gemm_fc"], ["Conv"]) == LAYERS
    with pytest.raises(qcc.InvalidArgumentError, match="no node has a name like 'fc'"):
        _engines.choose_nodes(prepared, ["fc"], [])
    with pytest.raises(qcc.InvalidArgumentError, match=r"no node of the op 'MatMul' .*; it has Add, Conv,"):
        _engines.choose_nodes(prepared, [], ["MatMul"])


def test_layers_go_back_to_float(engine, prepared):
    """Without any layer that multiplies integers, the model is the float model, bit for bit."""
    model, x = quantized_by(engine, prepared), samples()[0]
    some = _placement.with_float_layers(model, prepared, ["conv_c1"])
    assert _placement.quantized_layers(some) == ["conv_c2", "gemm_fc"]
    none = _placement.with_float_layers(model, prepared, LAYERS)
    assert _placement.quantized_layers(model) == LAYERS  # Models are copied.
    assert not [node for node in none.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")]
    assert np.array_equal(run_ort(prepared, x), run_ort(none, x))
    onnx.checker.check_model(some)
    onnx.checker.check_model(none)


def test_preparation(tmp_path):
    """Nodes without names, constants as nodes, BatchNormalization, and an old operator set."""
    network = Network(names=False, normalize=True, constants=True).model
    network.opset_import[0].version = 11
    model = _graph.prepare(str(save(network, tmp_path / "model.onnx")))
    ops = [node.op_type for node in model.graph.node]
    assert "BatchNormalization" not in ops and "Constant" not in ops
    assert model.opset_import[0].version == 13
    assert [node.name for node in _graph.layers_of(model)] == ["c1", "c2", "fc"]
    x = samples()[0]
    assert np.abs(run_ort(network, x) - run_ort(model, x)).max() < 1e-6


def test_copies_of_constants_become_constants(tmp_path):
    model = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 4] x) => (float[2, 2] y) <int32[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
  f = Cast <to = 1> (w)
  g = Identity(f)
  y = MatMul(x, g)
}""")
    prepared = _graph.prepare(str(save(model, tmp_path / "model.onnx")))
    assert [node.op_type for node in prepared.graph.node] == ["MatMul"]
    assert numpy_helper.to_array(prepared.graph.initializer[0]).dtype == np.float32


def test_models_that_are_refused(tmp_path):
    with pytest.raises(qcc.InvalidArgumentError, match=r"quantized already: it has the node 'q' \(QuantizeLinear\)"):
        _graph.prepare(str(save(integer_model(), tmp_path / "q.onnx")))
    relu = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) { y = Relu(x) }""")
    with pytest.raises(qcc.InvalidArgumentError, match="there is nothing to quantize"):
        _graph.prepare(str(save(relu, tmp_path / "relu.onnx")))


@pytest.mark.parametrize("text, accuracy, allowed", [("0.5%", 0.8, 0.004), ("0.5%", -0.8, 0.004), ("0.01", 0.8, 0.01)])
def test_drop(text, accuracy, allowed):
    assert _search.parse_drop(text).allowed(accuracy) == pytest.approx(allowed)


@pytest.mark.parametrize("text", ["x", "-1%", "%", "nan", "inf"])
def test_wrong_drop(text):
    with pytest.raises(ValueError):
        _search.parse_drop(text)


def search(losses, drop, ranked):
    """Layers lose accuracy independently of one another."""
    return _search.search(1.0, _search.parse_drop(drop), ranked,
                          lambda floats: 1.0 - sum(loss for layer, loss in losses.items() if layer not in floats))


def test_search():
    losses = {"a": 0.001, "b": 0.1, "c": 0.2, "d": 0.001}
    found = search(losses, "1%", ["a", "c", "b", "d"])
    assert found.floats == ("c", "b") and found.accepted and found.accuracy == pytest.approx(0.998)
    assert not found.trials[0].floats and len(found.trials[1].floats) == 4
    assert search(losses, "50%", list(losses)).floats == ()
    assert len(search(losses, "0%", list(losses)).floats) == 4
    assert not _search.search(1.0, _search.parse_drop("1%"), ["a"], lambda floats: 0.5).accepted
    assert not _search.search(1.0, _search.parse_drop("1%"), [], lambda floats: 0.5).accepted


def test_rank_and_front():
    errors = {"a": 0.1, "b": 0.1, "c": 0.1, "d": 0.2}
    times = _measure.Times(100.0, 50.0, {"a": 30, "b": 3, "c": 1}, {"a": 10, "b": 1, "c": 2})
    ranked = _search.rank(errors, times)
    assert ranked == ["c", "d", "b", "a"]  # c saves no time, b less than a, and d is not known to.
    choices = _search.choices(ranked, errors, times)
    assert [choice.microseconds for choice in choices] == [50, 49, 49, 51, 71]
    assert choices[-1].error == 0 and choices[0].error == pytest.approx(0.07 ** 0.5)
    assert [choice.on_front for choice in choices] == [False, False, True, True, True]


def test_expected_times_go_before_measured_ones():
    times = _measure.Times(100.0, 50.0, {"a": 30, "b": 3}, {"a": 10, "b": 1}, {"a": 5.0, "c": 1.0}, {"a": 3.0, "b": 1.0})
    assert [times.saved(name) for name in "abc"] == [2.0, 2, None]
    assert [times.is_expected(name) for name in "abc"] == [True, False, False]


def test_expected_times_of_layers(files):
    """A layer has the time of all of its steps, or none."""
    explanation = qcc.explain(str(files / "model.onnx"), shapes={"x": (1, 3, 12, 12)})
    steps = [step for step in explanation.steps if step.layer == "conv_c1"]
    times = _prices.expected_times(explanation)
    assert times["conv_c1"] == pytest.approx(sum(step.expected_seconds for step in steps) * 1e6) and "gemm_fc" in times
    unknown = dataclasses.replace(steps[0], expected_seconds=None)
    times = _prices.expected_times(dataclasses.replace(explanation, steps=(*explanation.steps, unknown)))
    assert "conv_c1" not in times and "gemm_fc" in times


@pytest.fixture
def files(tmp_path):
    save(Network().model, tmp_path / "model.onnx")
    (tmp_path / "data.py").write_text(SAMPLES)
    return tmp_path


def call(files, *arguments, engine="ort"):
    return _command.main([str(files / "model.onnx"), f"--data={files / 'data.py'}", f"--engine={engine}", "-o",
                          str(files / "q.onnx"), *arguments])


def check_page(path):
    """What node prints of the page; the page needs no other file."""
    text = path.read_text()
    assert "conv_c1" in text and "src=" not in text and "<link" not in text
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    script = program.ROOT / "test" / "Driver" / "Inputs" / "check_quantize_page.js"
    done = subprocess.run(["node", script, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_command(engine, files, capsys):
    assert call(files, f"--json={files / 'q.json'}", f"--html={files / 'q.html'}", engine=engine) == 0
    text = capsys.readouterr().out
    assert "3 of 3 contractions multiply int8" in text and "output y: relative error 0.0" in text
    report = json.loads((files / "q.json").read_text())
    assert [layer["name"] for layer in report["layers"] if layer["products"] == "int8"] == LAYERS
    assert report["engine"] == engine and report["samples"] == 8 and not report["random_data"]
    assert 0 < report["outputs"]["y"]["relative_error"] < 0.1 and len(report["choices"]) == 4
    assert all(layer["microseconds"] > 0 for layer in report["layers"] if layer["products"])
    assert check_page(files / "q.html") == f"4 points, {len(report['layers'])} nodes\n"
    source = "expected" if report["weight_bits"] == 8 else "measured"
    assert text.count(f"  {source}\n") == 3
    model = onnx.load(files / "q.onnx")
    assert {entry.key: entry.value for entry in model.metadata_props}["qcc.quantize.engine"] == engine
    function = qcc.compile(str(files / "q.onnx")).function()
    assert np.abs(function(samples()[0]) - run_ort(model, samples()[0])).max() < 0.01
    assert sorted(path.name for path in files.iterdir()) == ["data.py", "model.onnx", "q.html", "q.json", "q.onnx"]


def test_report_on_stdout(files, capsys):
    assert call(files, "--json=-", "--exclude=conv_c1", "--keep-float=Gemm") == 0
    report = json.loads(capsys.readouterr().out)
    layers = {layer["name"]: layer for layer in report["layers"] if layer["products"]}
    assert [layers[name]["products"] for name in LAYERS] == ["float32", "int8", "float32"]
    assert layers["conv_c1"]["reason"] == "--exclude or --keep-float" and layers["conv_c2"]["reason"] == ""


def test_random_data_is_loud(files, capsys):
    assert call(files, "--data=random:1:2", "--dim=batch=1", f"--html={files / 'q.html'}") == 0
    done = capsys.readouterr()
    assert "WARNING: calibration on random data of seed 1" in done.err and "CALIBRATED ON RANDOM DATA" in done.out
    assert check_page(files / "q.html").endswith(" nodes, random data\n")
    metadata = {entry.key: entry.value for entry in onnx.load(files / "q.onnx").metadata_props}
    assert metadata["qcc.quantize.data"] == "random data of seed 1"


#: The accuracy is 1, less one hundred times the distance of the results to those of the float model.
EVALUATE = """
import numpy as np
import onnxruntime

def evaluate(run):
    random = np.random.default_rng(2)
    session = onnxruntime.InferenceSession(r"{}", providers=["CPUExecutionProvider"])
    samples = [dict(x=random.standard_normal((1, 3, 12, 12)).astype(np.float32)) for _ in range(4)]
    return 1 - 100 * max(np.abs(run(x)["y"] - session.run(None, x)[0]).max() for x in samples)
"""


def test_search_by_a_script(engine, files, capsys):
    (files / "eval.py").write_text(EVALUATE.format(files / "model.onnx"))
    arguments = [f"--eval={files / 'eval.py'}", "--max-drop=0.1%", f"--json={files / 'q.json'}"]
    assert call(files, *arguments, engine=engine) == 0
    done = capsys.readouterr()
    assert "qcc: evaluation 2: " in done.err and "with 3 of 3 layers in float32" in done.err
    report = json.loads((files / "q.json").read_text())["search"]
    assert report["accepted"] and report["accuracy"] >= report["least_accuracy"]
    assert report["floats"] and not report["trials"][0]["accepted"]
    kept = [name for name in LAYERS if name not in report["floats"]]
    assert _placement.quantized_layers(onnx.load(files / "q.onnx")) == kept


def test_accuracy_that_no_choice_keeps(files, capsys):
    """A script that does not like any model after the first. What was there stays."""
    (files / "eval.py").write_text(
        "count = 0\n\ndef evaluate(run):\n    global count\n    count += 1\n    return 1 / count\n")
    (files / "q.onnx").write_text("old")
    assert call(files, f"--eval={files / 'eval.py'}", "--max-drop=1%") == 1
    assert "even with all layers in float32" in capsys.readouterr().err and (files / "q.onnx").read_text() == "old"


@pytest.mark.parametrize("text, message", [
    ("def evaluate(run): return 'good'", "returns 'good', which is no number"),
    ("def evaluate(run): return float('nan')", "returns nan, which is no accuracy"),
    ("def evaluate(run): run({'z': 1})", r"evaluate\(\) of .* fails"),
    ("x = 1", r"has no function evaluate\(\)"),
])
def test_wrong_evaluations(files, capsys, text, message):
    (files / "eval.py").write_text(text)
    assert call(files, f"--eval={files / 'eval.py'}", "--max-drop=1%") == 3
    assert re.search(message, capsys.readouterr().err) and not (files / "q.onnx").exists()


def test_wrong_command_lines(files, capsys):
    model = str(files / "model.onnx")
    for arguments, code, message in ((["-o", model], 2, "would overwrite"),
                                     ([f"--html={files / 'data.py'}"], 2, "would overwrite"),
                                     (["-o", str(files / "none" / "q.onnx")], 4, "the folder of"),
                                     ([f"--json={files / 'q.onnx'}"], 2, "two outputs have the same name"),
                                     (["--html=-"], 2, "'-' names no file")):
        assert call(files, *arguments) == code
        assert message in capsys.readouterr().err
    for arguments in (["--max-drop=1%"], ["--max-drop=x", "--eval=a.py"], ["--dim=3"], ["--dim=n=-1"], ["--dim=n=0"],
                      ["--samples=0"], ["--engine=best"], ["--fail-on=slow"], ["--fail-on=generic,"]):
        with pytest.raises(SystemExit) as ended:
            call(files, *arguments)
        assert ended.value.code == 2


def test_models_and_data_that_are_refused(files, capsys):
    """Nothing is written, nor left behind."""
    before = sorted(path.name for path in files.iterdir())
    for arguments, message in (([f"--data={files / 'none.npz'}"], "none.npz' does not exist"),
                               (["--exclude=nothing"], "no node has a name like 'nothing'")):
        assert call(files, *arguments) == 3
        assert message in capsys.readouterr().err
    assert sorted(path.name for path in files.iterdir()) == before
    network = Network().model
    network.graph.node.insert(0, onnx.helper.make_node("Unique", ["x"], ["unique"], "odd"))
    network.graph.output.add().CopyFrom(onnx.helper.make_tensor_value_info("unique", 1, ["n"]))
    save(network, files / "model.onnx")
    assert call(files) == 3
    assert "qcc does not compile the float model" in capsys.readouterr().err
    (files / "model.onnx").write_text("no model")
    assert call(files) == 3 and "is no ONNX model" in capsys.readouterr().err
    (files / "model.onnx").unlink()
    assert call(files) == 3 and "model.onnx" in capsys.readouterr().err
    assert sorted(path.name for path in files.iterdir()) == ["data.py"]


def test_steps_that_are_refused(files, capsys):
    """--fail-on demands what qcc explain --fail-on demands of the model, which is not written otherwise."""
    assert call(files, "--fail-on=float-contraction,packing", "--fail-on=generic-contraction") == 0
    (files / "q.onnx").unlink()
    capsys.readouterr()
    json_file = files / "report.json"
    assert call(files, "--fail-on=generic-contraction,float-contraction", "--exclude=gemm_fc", f"--json={json_file}") == 1
    told = capsys.readouterr()
    assert re.search(r"error: --fail-on refuses 1 step: main\.step\d+\.contract \(gemm_fc\) is float-contraction; "
                     r"\S+q\.onnx is not written", told.err)
    assert "gemm_fc (Gemm) stays in float32: --exclude or --keep-float" in told.out
    assert not (files / "q.onnx").exists()
    assert len(json.loads(json_file.read_text())["unwanted"]) == 1


def test_layers_that_generic_loops_compute(files, monkeypatch, capsys):
    """The table's summary and the page have the reason of the compiler."""
    def explain(model, **options):
        explanation = qcc.explain(model, **options)
        steps = [dataclasses.replace(step, unwanted=("generic-contraction", "generic"), refused="it is odd")
                 if step.layer == "conv_c2" else step for step in explanation.steps]
        return dataclasses.replace(explanation, steps=tuple(steps))

    monkeypatch.setattr(_measure, "explain", explain)
    assert call(files, "--fail-on=generic-contraction", f"--html={files / 'q.html'}") == 1
    told = capsys.readouterr()
    assert "\n  conv_c2 (Conv) is computed by generic loops: it is odd\n" in told.out
    assert "(conv_c2) is generic-contraction; " in told.err and "conv_c1" not in told.err
    assert '"generic": "it is odd"' in (files / "q.html").read_text()


def test_an_output_that_cannot_be_written(files, monkeypatch, capsys):
    """The disk is full: the old file stays, and no part of a new one."""
    def fail(*_):
        raise OSError(28, "No space left on device")

    (files / "q.onnx").write_text("old")
    monkeypatch.setattr(os, "replace", fail)
    assert call(files) == 4
    assert "cannot write '" in (told := capsys.readouterr().err) and "q.onnx': No space left on device" in told
    assert (files / "q.onnx").read_text() == "old" and len(list(files.iterdir())) == 3


def test_an_engine_that_fails(files, monkeypatch, capsys):
    def fail(*_):
        raise KeyError("no such op")

    monkeypatch.setitem(_engines.ENGINES, "ort", fail)
    assert call(files) == 4
    assert "ort cannot quantize the model: 'no such op'; exclude the node by --exclude, or try --engine=nncf" in \
        capsys.readouterr().err


@pytest.mark.parametrize("package, engine_name", [("nncf", "nncf"), ("onnxruntime", "ort")])
def test_packages_that_are_missing(files, monkeypatch, capsys, package, engine_name):
    monkeypatch.setitem(sys.modules, package, None)
    assert call(files, engine=engine_name) == 4
    message = capsys.readouterr().err
    assert f"needs the package {package}" in message and "pip install 'qcc-compiler[quantize]'" in message


def test_nothing_is_sent_to_anybody():
    """NNCF reports to its makers in a process of its own that no test runner has changed."""
    pytest.importorskip("nncf", reason="the package nncf is not installed")
    script = ("import sys, qcc._packages as p; p.need_nncf(); from nncf.telemetry import wrapper\n"
              "assert wrapper.telemetry is wrapper.NNCFTelemetryStub or 'Mock' in type(wrapper.telemetry).__name__\n"
              "assert not [name for name in sys.modules if name.startswith('openvino_telemetry.')]\n"
              "assert 'torch' not in sys.modules")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    environment.pop("NNCF_CI", None)
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_modules_of_users_with_names_of_onnxruntime(files):
    """ONNX Runtime imports its own modules by bare names."""
    (files / "onnx_model.py").write_text("mine = True\n")
    script = ("import sys; import onnx_model; from qcc._packages import need_ort_quantization\n"
              "need_ort_quantization()\nassert sys.modules['onnx_model'] is onnx_model and onnx_model.mine")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(files), *sys.path]))
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_module_as_a_command(files):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    command = [sys.executable, "-m", "qcc", "quantize", files / "model.onnx", f"--data={files / 'data.py'}",
               "--engine=ort", "-o", files / "q.onnx"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "3 of 3 contractions multiply int8" in done.stdout, done.stdout + done.stderr
    assert not done.stderr, done.stderr
    done = subprocess.run([sys.executable, "-m", "qcc", "--help"], env=environment, capture_output=True, text=True)
    assert "quantize an ONNX model to int8" in done.stdout


def test_driver(files, compiler):
    """qcc quantize has the options of the package, and quantizes by it."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), QCC_PYTHON=sys.executable, COLUMNS="1000")
    done = subprocess.run([compiler, "help", "quantize"], env=environment, capture_output=True, text=True)
    options = re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", done.stdout, re.MULTILINE)
    assert sorted(options) == sorted(["--help", "--version", *(
        option for action in _command.parser()._actions for option in action.option_strings
        if option.startswith("--") and option != "--help")])
    command = [compiler, "quantize", files / "model.onnx", f"--data={files / 'data.py'}", "--engine=ort", "-o", files / "q.onnx"]
    done = subprocess.run([*command, "--fail-on=float-contraction"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "3 of 3 contractions multiply int8" in done.stdout, done.stdout + done.stderr
    assert not done.stderr and (files / "q.onnx").exists()
    done = subprocess.run([*command, "--exclude=none"], env=environment, capture_output=True, text=True)
    assert done.returncode == 3 and "no node has a name like 'none'" in done.stderr


def test_output_of_libraries_goes_to_stderr(capsys):
    import logging
    with _packages.quiet():
        print("progress")
        logging.warning("advice")
        logging.error("trouble")
    done = capsys.readouterr()
    assert done.out == "" and "progress" in done.err
    assert "advice" not in done.err and "qcc: warning: trouble" in done.err


def test_commands_of_the_page(files):
    """docs/HowTo/Quantize.md, with the network of the tests."""
    pytest.importorskip("nncf", reason="the package nncf is not installed")
    page = (program.ROOT / "docs" / "HowTo" / "Quantize.md").read_text()
    commands = "\n".join(re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    commands = commands.replace("'fc*'", "'conv_*'").replace("ConvTranspose", "Gemm")
    np.savez(files / "calib.npz", x=np.concatenate(samples()))
    (files / "eval.py").write_text(EVALUATE.format(files / "model.onnx"))
    folders = [str(pathlib.Path(sys.executable).parent), str(program.build_dir().resolve() / "bin")]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    environment["PATH"] = os.pathsep.join([*folders, environment["PATH"]])
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=files, env=environment, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (files / "report.html").exists() and "no contraction multiplies int8" in done.stderr
