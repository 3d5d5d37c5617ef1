"""The reference of utils/onnx-models.py: against compiled networks of floats, and quantized ops by themselves."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import program
from onnx_model import Model

sys.path.insert(0, str(program.ROOT / "utils"))
from onnx_models import tables  # noqa: E402
from onnx_models.exact import Exact, rounds  # noqa: E402
from onnx_models.networks import NETWORKS, SIZES  # noqa: E402
from onnx_models.real import REAL  # noqa: E402

SCRIPT = program.ROOT / "utils" / "onnx-models.py"
RANDOM = np.random.default_rng(3)


def inputs_of(model):
    for info in model.graph.input:
        kind = info.type.tensor_type
        shape = [dim.dim_value or SIZES.get(dim.dim_param, (3,))[0] for dim in kind.shape.dim]
        if kind.elem_type == onnx.TensorProto.FLOAT:
            yield info.name, RANDOM.standard_normal(shape).astype(np.float32)
        else:
            yield info.name, np.minimum(RANDOM.integers(0, 100, shape), 1 if "mask" in info.name else 99)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, tmp_path, compiler):
    """What is compiled is as near as float32 is."""
    model = NETWORKS[name]()
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    arrays = dict(inputs_of(model))
    results = program.run_file(path, tmp_path, arrays.values(), len(model.graph.output))
    assert not rounds(model.graph)
    for actual, expected in zip(results, Exact(path).run(arrays)):
        assert actual.shape == expected.shape
        assert np.asarray(expected).dtype == (np.float64 if actual.dtype == np.float32 else actual.dtype)
        np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def save(tmp_path, model, output):
    path = tmp_path / "model.onnx"
    path.write_bytes(model.model([output]).SerializeToString())
    return path


def test_dynamic_quantization(tmp_path):
    """Without rounding a product of floats, with it one of integers."""
    x, w = RANDOM.standard_normal((4, 8)).astype(np.float32), RANDOM.integers(-127, 128, (8, 3)).astype(np.int8)
    model = Model()
    y, scale, zero = model.node("DynamicQuantizeLinear", [model.input("x", x)], 3)
    product = model.node("Cast", [model.node("MatMulInteger", [y, model.constant("w", w), zero])], to=1)
    path = save(tmp_path, model, model.node("Mul", [product, scale]))
    (exact,), (rounded,) = (Exact(path, rounded=rounded).run({"x": x}) for rounded in (False, True))
    x, w = x.astype(np.float64), w.astype(np.float64)
    np.testing.assert_allclose(exact, x @ w, rtol=1e-14)
    step = (x.max() - x.min()) / 255
    zero = np.rint(-x.min() / step)
    np.testing.assert_allclose(rounded, (np.rint(x / step) + zero - zero) @ w * step, rtol=1e-12)
    assert 1e-4 < np.abs(rounded - exact).max() < 8 * 127 * step


def test_static_quantization_clips(tmp_path):
    x = np.array([-9, -0.3, 0.26, 99], np.float32)
    model = Model()
    scale, zero = model.constant("s", np.float32(0.5)), model.constant("z", np.uint8(3))
    q = model.node("QuantizeLinear", [model.input("x", x), scale, zero])
    path = save(tmp_path, model, model.node("DequantizeLinear", [q, scale, zero]))
    assert rounds(onnx.load(path).graph)
    np.testing.assert_allclose(Exact(path).run({"x": x})[0], [-1.5, -0.3, 0.26, 99], rtol=1e-6)
    np.testing.assert_array_equal(Exact(path, rounded=True).run({"x": x})[0], [-1.5, -0.5, 0.5, 99])


@pytest.mark.parametrize("per_gate", [False, True])
def test_quantized_recurrence(per_gate, tmp_path):
    """An LSTM of quantized weights is the LSTM of what they stand for; its state is rounded where activations are."""
    hidden, x = 5, RANDOM.standard_normal((6, 2, 4)).astype(np.float32)
    bytes_ = [RANDOM.integers(0, 256, (1, rows, 4 * hidden)).astype(np.uint8) for rows in (4, hidden)]
    scales = [RANDOM.uniform(0.001, 0.004, (1, 4 * hidden) if per_gate else (1,)).astype(np.float32) for _ in bytes_]
    zeros = [np.full(scale.shape, 120, np.uint8) for scale in scales]
    b = RANDOM.standard_normal((1, 8 * hidden)).astype(np.float32)
    results = []
    for quantized in (True, False):
        model = Model()
        weights = bytes_ if quantized else [
            ((w.astype(np.float64) - 120) * s.reshape(1, 1, -1)).transpose(0, 2, 1) for w, s in zip(bytes_, scales)]
        operands = [model.input("x", x), *(model.constant(f"w{i}", w) for i, w in enumerate(weights)), model.constant("b", b)]
        if quantized:
            operands += [""] * 4 + [model.constant(f"{kind}{i}", array[i]) for i in (0, 1)
                                    for kind, array in (("s", scales), ("z", zeros))]
        y = model.node("com.microsoft::DynamicQuantizeLSTM" if quantized else "LSTM", operands, hidden_size=hidden)
        path = save(tmp_path, model, y)
        results += [Exact(path, rounded=rounded).run({"x": x})[0] for rounded in (False, True)]
    exact, rounded, plain, plain_again = results
    np.testing.assert_allclose(exact, plain, rtol=1e-12)
    np.testing.assert_array_equal(plain, plain_again)
    assert 1e-5 < np.abs(rounded - exact).max() < 0.05


def test_constants_and_casts_are_widened(tmp_path):
    x = np.array([1, 2], np.float16)
    model = Model()
    third = model.node("Constant", [], value_float=1 / 3)
    filled = model.node("ConstantOfShape", [model.constant("n", np.array([2]))],
                        value=numpy_helper.from_array(np.float32([0.1])))
    y = model.node("Add", [model.node("Mul", [model.node("Cast", [model.input("x", x)], to=1), third]), filled])
    (y,) = Exact(save(tmp_path, model, y)).run({"x": x})
    assert y.dtype == np.float64
    np.testing.assert_allclose(y, np.array([1, 2]) * np.float64(np.float32(1 / 3)) + np.float64(np.float32(0.1)), rtol=1e-15)


@pytest.mark.parametrize("excludes", [0, 1])
@pytest.mark.parametrize("coordinates", ["half_pixel", "align_corners"])
def test_cubic_interpolation(coordinates, excludes, tmp_path):
    """As ONNX's reference, whose scales are float32."""
    x = RANDOM.standard_normal((1, 2, 5, 4)).astype(np.float32)
    model = Model(19)
    names = [model.input("x", x), "", "", model.constant("sizes", np.array([1, 2, 11, 3]))]
    y = model.node("Resize", names, mode="cubic", coordinate_transformation_mode=coordinates, exclude_outside=excludes)
    path = save(tmp_path, model, y)
    (right,) = ReferenceEvaluator(onnx.load(path)).run(None, {"x": x})
    np.testing.assert_allclose(Exact(path).run({"x": x})[0], right, rtol=0, atol=1e-5)


def test_response_normalization(tmp_path):
    """Of two channels before and two behind each; ONNX's own reference takes the number of an image for a channel."""
    x = RANDOM.standard_normal((3, 6, 2, 2)).astype(np.float32)
    model = Model()
    path = save(tmp_path, model, model.node("LRN", [model.input("x", x)], size=5, alpha=0.5, beta=0.75, bias=1.5))
    wide = x.astype(np.float64)
    total = np.stack([(wide[:, max(c - 2, 0):c + 3] ** 2).sum(axis=1) for c in range(6)], axis=1)
    np.testing.assert_allclose(Exact(path).run({"x": x})[0], wide / (1.5 + 0.1 * total) ** 0.75, rtol=1e-7)


def test_published_models_that_nobody_has_fetched(tmp_path):
    done = subprocess.run([sys.executable, str(SCRIPT), "--qcc=qcc", f"--real={tmp_path}"], capture_output=True, text=True)
    assert done.returncode == 2 and f"run utils/fetch-onnx-models.py {tmp_path}" in done.stderr


def test_the_page_of_published_models():
    """The page has each model, and says which are near only."""
    page = (program.ROOT / "docs" / "ONNXModels.md").read_text()
    for real in REAL:
        assert f"| {real.name} | {real.package} |" in page
    assert page.startswith(tables.PUBLISHED.format(seeds=32))
    figures = {("exact", "qcc"): 3e-6, ("exact", "ORT off"): 2e-6, ("exact", "ORT on"): 4e-6}
    rows = [("a", "b", "pass", [tables.Figures(0.03, "1x2", figures)]),
            ("c", "d", "refused", ["the op ai.onnx.STFT (operator set 20) is not supported, in node 'x'"])]
    text = tables.of_published(rows, 1, 1.25)
    assert "| a | b | 1x2 | near | 3.0e-06 | 2.0e-06 | 4.0e-06 | – | – | – |" in text
    assert "* c: ai.onnx.STFT\n" in text and "Of 2 models, 1 pass, 1 are refused" in text
