"""Windows of convolutions and poolings of ONNX whose padding depends on dynamic sizes.

auto_pad gives the same bits as the pads that it stands for, ceil_mode what ONNX's reference computes; each with the
size in the model and without it.
"""

import subprocess

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import onnx_peer
import program
from onnx_model import Model

F32 = np.float32
SIDES = ["SAME_UPPER", "SAME_LOWER"]
# Even and odd sizes, an element less and more than whole strides, and less than a window.
SIZES = [(6, 5), (7, 8), (1, 3)]


def random(*shape):
    return np.random.default_rng(5).standard_normal(shape).astype(F32)


def integers(kind, *shape):
    info = np.iinfo(kind)
    return np.random.default_rng(6).integers(info.min, info.max + 1, shape).astype(kind)


def model_of(op, x, dims, operands, **attributes):
    graph = Model(19)
    names = [graph.input("x", x, dims)]
    names += [graph.constant(f"c{i}", np.asarray(y)) for i, y in enumerate(operands)]
    return graph, [graph.node(op, names, **attributes)]


def run(tmp_path, op, x, dims, operands, **attributes):
    graph, names = model_of(op, x, dims, operands, **attributes)
    return graph.run(tmp_path, names)[0]


def same_pads(sizes, kernel, strides, dilations, side):
    before, after = [], []
    for n, k, s, d in zip(sizes, kernel, strides, dilations):
        total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        before.append(total // 2 if side == "SAME_UPPER" else total - total // 2)
        after.append(total - before[-1])
    return before + after


def assert_same(tmp_path, op, x, operands, kernel, side, strides, dilations=None, **attributes):
    """auto_pad of dynamic and of known sizes, against pads."""
    rank = len(kernel)
    attributes = dict(strides=strides, **attributes, **({"dilations": dilations} if dilations else {}))
    pads = same_pads(x.shape[2:], kernel, strides, dilations or [1] * rank, side)
    right = run(tmp_path, op, x, None, operands, pads=pads, **attributes)
    assert right.shape[2:] == tuple(-(-n // s) for n, s in zip(x.shape[2:], strides))
    for dims in (["n", x.shape[1], *"dhw"[-rank:]], None):
        y = run(tmp_path, op, x, dims, operands, auto_pad=side, **attributes)
        program.assert_same_bits(y, right, f"{op} {x.shape} {dims}")


@pytest.mark.parametrize("side", SIDES)
def test_same_padding_of_floats(side, tmp_path, compiler):
    weight = random(2, 1, 4, 3)
    for sizes in SIZES:
        x = random(1, 1, *sizes)
        assert_same(tmp_path, "Conv", x, [weight], [4, 3], side, [2, 3])
        assert_same(tmp_path, "MaxPool", x, [], [3, 2], side, [2, 2], kernel_shape=[3, 2])
    # Where the padding is the same for all sizes, and where there is none.
    assert_same(tmp_path, "Conv", random(1, 1, 6, 5), [weight], [4, 3], side, [1, 1])
    assert_same(tmp_path, "Conv", random(1, 1, 6, 5), [weight[:, :, :1, :1]], [1, 1], side, [2, 3])
    assert_same(tmp_path, "MaxPool", random(1, 1, 6, 5), [], [2, 2], side, [4, 3], kernel_shape=[2, 2])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("included", [0, 1])
def test_same_padding_of_averages(included, side, tmp_path, compiler):
    for sizes in SIZES:
        assert_same(tmp_path, "AveragePool", random(1, 2, *sizes), [], [3, 4], side, [2, 3], kernel_shape=[3, 4],
                    count_include_pad=included)
    assert_same(tmp_path, "AveragePool", random(2, 1, 11), [], [3], side, [2], [3], kernel_shape=[3],
                count_include_pad=included)


@pytest.mark.parametrize("included", [0, 1])
def test_averages_of_a_dynamic_size_with_pads(included, tmp_path, compiler):
    x = random(2, 1, 9, 7)
    attributes = dict(kernel_shape=[3, 3], pads=[1, 2, 0, 1], strides=[1, 2], count_include_pad=included)
    right = run(tmp_path, "AveragePool", x, None, [], **attributes)
    program.assert_same_bits(run(tmp_path, "AveragePool", x, [2, 1, "h", "w"], [], **attributes), right)
    graph, names = model_of("AveragePool", x, None, [], **attributes)
    (real,) = ReferenceEvaluator(graph.model(names)).run(None, {"x": x})
    np.testing.assert_allclose(right, real, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_same_padding_of_integers(kind, side, tmp_path, compiler):
    """What is padded is the zero point."""
    w = integers(np.int8, 4, 1, 3, 4)
    zx, zw = integers(kind, 1)[0], np.int8(3)
    for sizes in SIZES:
        x = integers(kind, 2, 2, *sizes)
        assert_same(tmp_path, "ConvInteger", x, [w, zx, zw], [3, 4], side, [2, 3], group=2)
    x = integers(kind, 1, 2, 9, 10)
    operands = [F32(0.02), zx, w, F32(0.01), zw, F32(0.7), np.int8(5), np.arange(4, dtype=np.int32)]
    assert_same(tmp_path, "QLinearConv", x, operands, [3, 4], side, [2, 3], [2, 1], group=2)
    assert_same(tmp_path, "QLinearConv", x[:, :, 0], operands[:2] + [w[:, :, 0]] + operands[3:], [4], side, [3], group=2)
    for included in (0, 1):
        assert_same(tmp_path, "com.microsoft::QLinearAveragePool", x, [F32(0.02), zx, F32(0.03), zx], [3, 2], side, [2, 3],
                    kernel_shape=[3, 2], count_include_pad=included)


@pytest.mark.parametrize("side", SIDES)
def test_same_padding_of_volumes(side, tmp_path, compiler):
    w, zx = integers(np.int8, 3, 2, 3, 2, 3), np.uint8(77)
    assert_same(tmp_path, "ConvInteger", integers(np.uint8, 2, 2, 5, 4, 6), [w, zx], [3, 2, 3], side, [2, 3, 1], [1, 2, 1])
    assert_same(tmp_path, "Conv", random(1, 2, 5, 4, 6), [random(3, 2, 3, 2, 3)], [3, 2, 3], side, [2, 3, 1])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kernel, strides, added", [((3, 4), [2, 1], [0, 0]), ((1, 2), [2, 3], [0, 0]), ((3, 3), [2, 2], [1, 0])])
def test_transposed_convolutions(kernel, strides, added, side, tmp_path, compiler):
    """As many times as many elements as the stride says, whatever their number: no size is needed."""
    x, w = random(1, 2, 4, 5), random(2, 3, *kernel)
    attributes = dict(auto_pad=side, strides=strides, output_padding=added)
    static = run(tmp_path, "ConvTranspose", x, None, [w], **attributes)
    assert static.shape == (1, 3, 4 * strides[0], 5 * strides[1])
    program.assert_same_bits(run(tmp_path, "ConvTranspose", x, ["n", 2, "h", "w"], [w], **attributes), static)
    graph, names = model_of("ConvTranspose", x, None, [w], **attributes)
    if added == [0, 0] and all(k >= s for k, s in zip(kernel, strides)):
        (real,) = ReferenceEvaluator(graph.model(names)).run(None, {"x": x})
        np.testing.assert_allclose(static, real, rtol=1e-5, atol=1e-5)


def test_groups_of_a_transposed_convolution(tmp_path, compiler):
    """Of dynamic sizes, whose image is split behind its padding."""
    x, operands = random(2, 2, 2, 5), [random(2, 2, 1, 2), random(4)]
    attributes = dict(group=2, dilations=[2, 2], output_padding=[0, 1])
    static = run(tmp_path, "ConvTranspose", x, None, operands, **attributes)
    program.assert_same_bits(run(tmp_path, "ConvTranspose", x, [2, 2, "h", "w"], operands, **attributes), static)


@pytest.mark.parametrize("mode, cut", [("SAME_UPPER", {"Conv": 1, "AveragePool": 2}), ("SAME_LOWER", {"Conv": 1, "AveragePool": 1})])
@pytest.mark.parametrize("op", ["Conv", "MaxPool", "AveragePool"])
def test_windows_much_shorter_than_strides(op, mode, cut, tmp_path, compiler):
    """Nothing is cut off; how many elements ONNX Runtime cuts off at the start depends on the op and the mode, and MaxPool fails."""
    x = np.arange(1, 11, dtype=np.float32).reshape(1, 1, 10)
    operands = [np.ones((1, 1, 1), np.float32)] if op == "Conv" else []
    graph, names = model_of(op, x, None, operands, kernel_shape=[1], strides=[5], auto_pad=mode)
    (y,) = graph.run(tmp_path, names)
    np.testing.assert_array_equal(y.ravel(), [1, 6])
    done = subprocess.run([compiler, "compile", str(tmp_path / "model.onnx"), "-o", str(tmp_path / "m.so")],
                          capture_output=True, text=True)
    assert done.returncode == 0
    assert f"warning: node '{op}_0_0' ({op}-" in done.stderr
    assert "has auto_pad, a stride of 5 and windows of 1: no element is cut off" in done.stderr
    if onnx_peer.onnxruntime:
        other = onnx_peer.run(tmp_path / "model.onnx", [x])
        assert other is None if op == "MaxPool" else other[0].ravel().tolist() == [1 + cut[op], 6 + cut[op]]


@pytest.mark.parametrize("op, included", [("MaxPool", 0), ("AveragePool", 0), ("AveragePool", 1)])
def test_ceil_mode(op, included, tmp_path, compiler):
    """A last window that is not full, one that would begin behind the image, and an image that is less than a window."""
    attributes = dict(ceil_mode=1, **({"count_include_pad": included} if op == "AveragePool" else {}))
    for size, kernel, stride, pads in ((5, 2, 2, [0, 0]), (5, 3, 2, [1, 1]), (4, 3, 2, [1, 1]), (8, 3, 4, [0, 1]),
                                       (4, 2, 3, [1, 1]), (2, 3, 2, [0, 0]), (6, 3, 3, [0, 0])):
        x = random(2, 1, size)
        case = dict(kernel_shape=[kernel], strides=[stride], pads=pads, **attributes)
        graph, names = model_of(op, x, None, [], **case)
        (real,) = ReferenceEvaluator(graph.model(names)).run(None, {"x": x})
        static = graph.run(tmp_path, names)[0]
        np.testing.assert_allclose(static, real, rtol=1e-5, atol=1e-6, err_msg=str(case))
        program.assert_same_bits(run(tmp_path, op, x, ["n", 1, "l"], [], **case), static, str(case))


def test_padding_of_more_than_a_window(tmp_path, compiler):
    x, w, zx = integers(np.uint8, 1, 2, 3, 4), integers(np.int8, 2, 2, 2, 1), np.uint8(9)
    y = run(tmp_path, "ConvInteger", x, None, [w, zx], pads=[2, 1, 3, 0])
    padded = np.pad(x.astype(np.int64) - 9, ((0, 0), (0, 0), (2, 3), (1, 0)))
    right = sum(np.einsum("nchw,fc->nfhw", padded[:, :, i:i + 7], w[:, :, i, 0].astype(np.int64)) for i in range(2))
    program.assert_same_bits(y, right.astype(np.int32))


@pytest.mark.parametrize("op, dims, operands, message, attributes", [
    ("Conv", None, [random(1, 1, 3, 3)], "has auto_pad = SAME, which is not defined; correct the attribute", dict(auto_pad="SAME")),
    ("ConvTranspose", None, [random(1, 1, 3, 3)], "has auto_pad = same, which is not defined", dict(auto_pad="same")),
    ("ConvTranspose", [1, 1, "h", 4], [random(1, 1, 3, 3)], "has output_shape for a dynamic size; give pads",
     dict(output_shape=[8, 8])),
    ("AveragePool", None, [], "has windows of 5 elements, which do not fit in an image of 4", dict(kernel_shape=[5, 1])),
    ("MaxPool", None, [], "has windows of 7 elements, which do not fit in an image of 4",
     dict(kernel_shape=[7, 1], strides=[3, 1], ceil_mode=1)),
    ("MaxPool", None, [], "has a kernel, stride or dilation of 0; it has to be from 1 to 16777216", dict(kernel_shape=[0, 1])),
    ("AveragePool", [1, 1, "h", "w"], [], "cannot run with these shapes", dict(kernel_shape=[6, 1])),
])
def test_refusals(op, dims, operands, message, attributes, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        run(tmp_path, op, random(1, 1, 4, 4), dims, operands, **attributes)
