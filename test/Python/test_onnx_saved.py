"""Ops of models that ONNX Runtime saves after all of its optimizations: images in blocks of channels, or with the
channels last. The same model in ONNX's order gives the same bits."""

import numpy as np
import onnx
import pytest

import program
from onnx_model import Model
from test_onnx_composed import constant, run, uniform

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

F32 = np.float32
RNG = np.random.default_rng(11)
BLOCKED = "com.microsoft.nchwc::"


def blocked(weight, block, inner=1):
    """[O, I, H, W] as [O / block, I / inner, H, W, inner, block], in the shape [O, I, H, W], with zeros up to whole blocks."""
    filters, depth, *window = weight.shape
    wide = np.zeros((-filters % block + filters, -depth % inner + depth, *window), F32)
    wide[:filters, :depth] = weight
    parts = wide.reshape(wide.shape[0] // block, block, wide.shape[1] // inner, inner, *window)
    return np.ascontiguousarray(parts.transpose(0, 2, 4, 5, 3, 1)).reshape(wide.shape)


def padded(bias, block):
    return np.pad(bias, (0, -len(bias) % block))


class Network:
    """Convolutions and what ONNX Runtime keeps in blocks, in both forms."""

    def __init__(self, block=None, entry=None):
        self.block, self.model, self.entry = block, Model(17), entry
        self.random = np.random.default_rng(4)

    def conv(self, x, filters, depth, window=3, groups=1, extra=None, activation="", **attributes):
        name = f"{len(self.model.nodes)}"
        weight = self.random.normal(0, 0.2, (filters, depth, window, window)).astype(F32)
        bias = self.random.normal(0, 0.2, filters).astype(F32)
        attributes |= {"group": groups, "pads": [window // 2] * 4}
        if self.block is None:
            y = self.model.node("Conv", [x, self.model.constant("w" + name, weight), self.model.constant("b" + name, bias)],
                                **attributes)
            y = self.model.node("Add", [y, extra]) if extra else y
            return self.model.node(activation, [y]) if activation else y
        inner = 1 if groups > 1 or depth < self.block else self.block
        weight = self.model.constant("w" + name, blocked(weight, self.block, inner))
        bias = self.model.constant("b" + name, padded(bias, self.block))
        if activation:
            attributes["activation"] = activation
        return self.model.node(BLOCKED + "Conv", [x, weight, bias, *([extra] if extra else [])], **attributes)

    def op(self, op, x, **attributes):
        """An op that is one of the blocked domain there."""
        return self.model.node(op if self.block is None else BLOCKED + op, [x], **attributes)

    def into(self, x, **attributes):
        return x if self.block is None else self.model.node(BLOCKED + "ReorderInput", [x], **attributes)

    def out(self, x, channels, **attributes):
        if self.block is None:
            return x
        return self.model.node(BLOCKED + "ReorderOutput", [x], channels=channels, **attributes)

    def run(self, folder, outputs):
        data = self.model.model(outputs)
        if self.entry:
            data.metadata_props.add(key="nchwc_block_size", value=self.entry)
        path = folder / "model.onnx"
        path.write_bytes(data.SerializeToString())
        return program.run_file(path, folder, self.model.arrays, len(outputs))


def whole_network(network):
    """Every op of the domain, and ops that compute element by element between them."""
    image = np.random.default_rng(6).normal(0, 1, (2, 3, 12, 10)).astype(F32)
    x = network.model.input("x", image)
    y = network.conv(x, 20, 3, activation="Relu")
    shown = network.out(y, 20)
    a = network.conv(network.into(shown), 32, 20)
    b = network.model.node("Sigmoid", [a])
    c = network.conv(b, 32, 1, groups=32, extra=a, activation="Relu")
    pooled = network.op("MaxPool", c, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    mean = network.op("AveragePool", c, kernel_shape=[2, 2], strides=[2, 2])
    joined = network.model.node("Concat", [pooled, mean], axis=1)
    if network.block is None:
        scales = network.model.constant("scales", np.array([1, 1, 2, 2], F32))
        up = network.model.node("Resize", [joined, "", scales], mode="nearest", nearest_mode="floor",
                                coordinate_transformation_mode="asymmetric")
    else:
        up = network.op("Upsample", joined, scales=[1, 1, 2, 2], mode="nearest", coordinate_transformation_mode="asymmetric")
    last = network.conv(up, 30, 64, window=1)
    return [shown, network.out(last, 30), network.out(network.op("GlobalAveragePool", last), 30),
            network.out(network.op("GlobalMaxPool", last), 30)]


@pytest.mark.parametrize("block", [8, 16])
def test_images_in_blocks(block, tmp_path, compiler):
    plain, saved = Network(), Network(block)
    expected = plain.run(tmp_path, whole_network(plain))
    for actual, wanted in zip(saved.run(tmp_path, whole_network(saved)), expected):
        program.assert_same_bits(actual, wanted)


@pytest.mark.parametrize("last", [0, 1])
def test_reorderings_with_the_channels_last(last, tmp_path, compiler):
    image = uniform(1, 20, 5, 6)
    model = Model()
    x = model.input("x", image.transpose(0, 2, 3, 1).copy() if last else image)
    inside = model.node(BLOCKED + "ReorderInput", [x], channels_last=last)
    weight = model.constant("w", blocked(np.eye(20, dtype=F32).reshape(20, 20, 1, 1), 8, 8))
    y = model.node(BLOCKED + "ReorderOutput", [model.node(BLOCKED + "Conv", [inside, weight])], channels=20,
                   channels_last=1 - last)
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, image if last else image.transpose(0, 2, 3, 1))


def ambiguous(network):
    x = network.model.input("x", uniform(1, 16, 4, 4))
    return [network.out(network.conv(network.into(x), 32, 16), 32)]


def test_poolings_need_no_size_of_a_block(tmp_path, compiler):
    """ONNX Runtime puts images into blocks for them only if they fill all blocks."""
    results = []
    for network in (Network(), Network(8)):
        x = network.into(network.model.input("x", np.linspace(-1, 1, 24 * 36, dtype=F32).reshape(1, 24, 6, 6)))
        parts = [network.op("MaxPool", x, kernel_shape=[2, 2]), network.op("AveragePool", x, kernel_shape=[2, 2])]
        results.append(network.run(tmp_path, [network.out(part, 24) for part in parts]))
    for actual, expected in zip(*results):
        program.assert_same_bits(actual, expected)


@pytest.mark.parametrize("block", [8, 16])
def test_metadata_say_the_size_of_a_block(block, tmp_path, compiler):
    plain, saved = Network(), Network(block, entry=str(block))
    (y,), (expected,) = (ambiguous(network) for network in (saved, plain))
    saved.model.arrays = plain.model.arrays
    program.assert_same_bits(saved.run(tmp_path, [y])[0], plain.run(tmp_path, [expected])[0])


@pytest.mark.parametrize("block, entry, build, message", [
    (8, None, ambiguous, "has blocks of 8 or of 16 channels, and the model does not say which"),
    (8, "32", ambiguous, "the metadata entry 'nchwc_block_size' is '32', which is no size of blocks"),
    (8, "16", whole_network, "the metadata entry 'nchwc_block_size' is '16', which is no size of blocks"),
    (4, None, whole_network, "in blocks of channels that are neither of 8 nor of 16 channels")])
def test_sizes_of_blocks_that_do_not_fit(block, entry, build, message, tmp_path, compiler):
    network = Network(block, entry)
    with pytest.raises(AssertionError, match=message):
        network.run(tmp_path, build(network))


@pytest.mark.parametrize("op, attributes, message", [
    ("Flatten", {}, "reads an image in blocks of channels"),
    ("Concat", {"axis": 2}, "reads an image in blocks of channels"),
    ("GlobalAveragePool", {}, "reads an image in blocks of channels"),
    ("Relu", {}, "the output .* is an image in blocks of channels; add a ReorderOutput"),
    (BLOCKED + "ReorderInput", {}, "takes an image in four dimensions, not in blocks"),
    (BLOCKED + "ReorderOutput", {"channels": 0}, "has the attribute channels = 0"),
    (BLOCKED + "Upsample", {"scales": [1, 2, 1, 1]}, "has scales other than")])
def test_what_images_in_blocks_are_not_for(op, attributes, message, tmp_path, compiler):
    network = Network(8)
    x = network.model.input("x", uniform(1, 3, 4, 4))
    y = network.model.node(op, [network.conv(x, 24, 3)], **attributes)
    with pytest.raises(AssertionError, match=message):
        network.run(tmp_path, [y])


@pytest.mark.parametrize("op, attributes", [
    ("MaxPool", {"kernel_shape": [2, 2]}), ("ReorderOutput", {"channels": 3}), ("Upsample", {"scales": [1, 1, 2, 2]})])
def test_images_that_are_not_in_blocks(op, attributes, tmp_path, compiler):
    with pytest.raises(AssertionError, match="takes an image in four dimensions, in blocks of channels"):
        run(tmp_path, BLOCKED + op, [uniform(1, 8, 4, 4)], **attributes)


# Channels last.

def stored(kind, *shape):
    info = np.iinfo(kind)
    return RNG.integers(info.min, info.max + 1, shape).astype(kind)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("last", [0, 1])
def test_convolutions_of_integers(kind, spatial, last, tmp_path, compiler):
    x, w, bias = stored(kind, 2, 4, *[7, 6, 5][:spatial]), stored(np.int8, 6, 2, *[3] * spatial), stored(np.int8, 6).astype(np.int32)
    rest = [constant(v) for v in (F32(0.02), kind(7), w, RNG.uniform(0.01, 0.1, 6).astype(F32), np.zeros(6, np.int8), F32(0.9),
                                  kind(5), bias)]
    attributes = {"group": 2, "strides": [2] * spatial, "pads": [1] * (2 * spatial)}
    (expected,) = run(tmp_path, "QLinearConv", [x, *rest], **attributes)
    image = np.ascontiguousarray(np.moveaxis(x, 1, -1)) if last else x
    (y,) = run(tmp_path, "com.microsoft::QLinearConv", [image, *rest], channels_last=last, **attributes)
    program.assert_same_bits(np.moveaxis(y, -1, 1) if last else y, expected)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_max_pools_of_integers(kind, tmp_path, compiler):
    x = stored(kind, 2, 9, 8, 5)
    attributes = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1], "dilations": [1, 2]}
    (y,) = run(tmp_path, "com.microsoft::NhwcMaxPool", [x], **attributes)
    (expected,) = run(tmp_path, "MaxPool", [np.ascontiguousarray(x.transpose(0, 3, 1, 2))], **attributes)
    program.assert_same_bits(y, np.ascontiguousarray(expected.transpose(0, 2, 3, 1)))


@pytest.mark.skipif(onnxruntime is None, reason="needs onnxruntime")
def test_a_model_that_onnx_runtime_saves(tmp_path, compiler):
    network = Network()
    data = network.model.model(whole_network(network)).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "saved.onnx")
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    expected = session.run(None, {"x": network.model.arrays[0]})
    saved = onnx.load(tmp_path / "saved.onnx")
    # The processor's architecture decides whether there are blocks.
    if any(node.domain == BLOCKED[:-2] for node in saved.graph.node):
        actual = program.run_file(tmp_path / "saved.onnx", tmp_path, network.model.arrays, len(expected))
        for a, e in zip(actual, expected):
            np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5)


# Ops of com.microsoft that ONNX Runtime makes of others.

def fused(name):
    """(model, its result, the op that it is to become, with this attribute)."""
    model = Model(17)
    x = model.input("x", np.random.default_rng(2).standard_normal((5, 2, 3, 4) if name.startswith("batch") else (4, 8)).astype(F32))
    if name.startswith("batch"):
        # The rows of x stand before the batch.
        moved = model.node("Transpose", [x], perm=[1, 2, 3, 0] if name == "batch and columns" else [1, 2, 0, 3])
        right = (2, 3, *((5, 6) if name == "batch and columns" else (4, 6)))
        return model, model.node("MatMul", [moved, model.constant("w", uniform(*right))]), "FusedMatMul", "transBatchA"
    y = model.node("Gemm", [x, model.constant("w", uniform(8, 5))])
    return model, model.node(name, [y]), "FusedGemm", "activation"


@pytest.mark.skipif(onnxruntime is None, reason="needs onnxruntime")
@pytest.mark.parametrize("name", ["batch", "batch and columns", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "Selu", "Sigmoid", "Softplus",
                                  "Softsign", "Tanh", "ThresholdedRelu"])
def test_what_onnx_runtime_fuses(name, tmp_path, compiler):
    """A model that it saves at its level EXTENDED has the bits of the model before that."""
    model, y, op, attribute = fused(name)
    (expected,) = model.run(tmp_path, [y])
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(tmp_path / "saved.onnx")
    options.log_severity_level = 4
    onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), options, providers=["CPUExecutionProvider"])
    (node,) = onnx.load(tmp_path / "saved.onnx").graph.node
    assert node.op_type == op and attribute in {a.name for a in node.attribute}
    (actual,) = program.run_file(tmp_path / "saved.onnx", tmp_path, model.arrays, 1)
    program.assert_same_bits(actual, expected)
