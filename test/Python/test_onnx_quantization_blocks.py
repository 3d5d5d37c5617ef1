"""QuantizeLinear and DequantizeLinear with scales for blocks along an axis, and constants of 2 bits, against numpy."""

import json
import re
import subprocess

import numpy as np
import pytest
from onnx import TensorProto, helper

import onnx_peer
import oracle
import program
from onnx_model import Model

F32 = np.float32
KINDS = {np.int8: "i8", np.uint8: "u8"}


def repeated(parameter, axis, size, length):
    """One for each element along `axis`."""
    return np.take(np.repeat(parameter, size, axis), np.arange(length), axis)


def parameters(rng, shape, axis, size, kind):
    sizes = [-(-n // size) if d == axis else n for d, n in enumerate(shape)]
    info = np.iinfo(kind)
    return rng.uniform(0.01, 0.1, sizes).astype(F32), rng.integers(info.min, info.max, sizes, endpoint=True).astype(kind)


CASES = [  # shape, axis, size of blocks
    ((6, 64), 1, 32), ((64, 5), 0, 16), ((6, 70), -1, 32), ((4, 10, 3), 1, 4), ((4, 10, 3), 0, 3), ((5, 7), 1, 7), ((5, 7), 1, 9),
    ((2, 12), 1, 1), ((13,), 0, 5),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("with_zero", [False, True])
def test_quantize(case, kind, with_zero, tmp_path, compiler):
    shape, axis, size = case
    rng = np.random.default_rng(CASES.index(case))
    x = rng.normal(0, 3, shape).astype(F32)
    s, z = parameters(rng, shape, axis % len(shape), size, kind)
    z = z if with_zero else np.zeros_like(z)
    graph = Model(opset=21)
    names = [graph.input("x", x, ["rows", *shape[1:]] if axis % len(shape) else None)]
    if axis % len(shape):
        # A size that is not known: parameters of each row are an input, too.
        names += [graph.input("s", s, ["rows", *s.shape[1:]]), graph.input("z", z, ["rows", *z.shape[1:]])]
    else:
        names += [graph.constant("s", s), graph.constant("z", z)]
    q = graph.node("QuantizeLinear", names, axis=axis, block_size=size)
    y, q = graph.run(tmp_path, [graph.node("DequantizeLinear", [q, *names[1:]], axis=axis, block_size=size), q])
    scale, zero = (repeated(a, axis, size, shape[axis]) for a in (s, z))
    expected = oracle.quantize(x, scale, zero, KINDS[kind])
    program.assert_same_bits(q, expected)
    program.assert_same_bits(y, oracle.dequantize(expected, scale, zero))
    arrays = [x, s, z] if axis % len(shape) else [x]
    onnx_peer.check(tmp_path, arrays, [y], 0)


def pack(values, bits):
    per_byte = 8 // bits
    flat = values.ravel().astype(np.int64) & (2**bits - 1)
    flat = np.append(flat, np.zeros(-flat.size % per_byte, np.int64)).reshape(-1, per_byte)
    return (flat << (np.arange(per_byte) * bits)).sum(axis=1).astype(np.uint8)


@pytest.mark.parametrize("kind, bits, least", [(TensorProto.INT4, 4, -8), (TensorProto.UINT4, 4, 0), (TensorProto.INT2, 2, -2),
                                               (TensorProto.UINT2, 2, 0)])
@pytest.mark.parametrize("case", [((6, 64), 1, 32), ((70, 5), 0, 16)], ids=str)
@pytest.mark.parametrize("raw", [False, True])
def test_constants_of_few_bits(kind, bits, least, case, raw, tmp_path, compiler):
    """A weight in blocks, multiplied by floats: the chain of dequantized values."""
    shape, axis, size = case
    rng = np.random.default_rng(bits)
    w = rng.integers(least, least + 2**bits, shape)
    s, z = parameters(rng, shape, axis, size, np.int8)
    z = z % 2**bits + least
    graph = Model(opset=25)

    def constant(name, values):
        data = pack(values, bits)
        graph.constants.append(helper.make_tensor(name, kind, values.shape, data.tobytes(), raw=True) if raw else
                               TensorProto(name=name, data_type=kind, dims=values.shape, int32_data=data.tolist()))
        return name

    names = [constant("w", w), graph.constant("s", s), constant("z", z)]
    real = graph.node("DequantizeLinear", names, axis=axis, block_size=size)
    x = rng.normal(0, 1, (3, shape[0])).astype(F32)
    y, real = graph.run(tmp_path, [graph.node("MatMul", [graph.input("x", x), real]), real])
    expected = (w - repeated(z, axis, size, shape[axis])).astype(F32) * repeated(s, axis, size, shape[axis])
    program.assert_same_bits(real, expected)
    program.assert_same_bits(y, oracle.fma_chain(x, expected))


@pytest.mark.parametrize("change, message", [
    ({"block_size": -1}, "has blocks of -1 elements; give a positive block_size"),
    ({"s": np.ones((4, 3), F32)}, "has scales that are not one for each block of 4 elements; correct their shape"),
    ({"s": np.ones(3, F32)}, "has scales that are not one for each block of 4 elements; correct their shape"),
    ({"z": np.ones((4, 4), np.int8)}, "has zero points that are not one for each block of 4 elements; correct their shape"),
    ({"s": np.zeros((4, 2), F32)}, "which is not positive, finite and normal"),
    ({"sizes": [4, "columns"]}, "quantizes blocks along axis 1, whose size is not known; give it (--dim, --shape)"),
    ({"z": np.ones((4, 2), np.int16)}, "quantizes to int16 in blocks, which is not supported; use int8 or uint8"),
])
def test_refusals(change, message, tmp_path, compiler):
    graph = Model(opset=21)
    names = [graph.input("x", np.ones((4, 8), F32), change.get("sizes")), graph.constant("s", change.get("s", np.ones((4, 2), F32))),
             graph.constant("z", change.get("z", np.ones((4, 2), np.int8)))]
    with pytest.raises(AssertionError, match=re.escape(message)):
        graph.run(tmp_path, [graph.node("QuantizeLinear", names, block_size=change.get("block_size", 4))])


@pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT2])
def test_inputs_of_few_bits(kind, tmp_path, compiler):
    graph = Model(opset=25)
    name = TensorProto.DataType.Name(kind).lower()
    graph.inputs.append(helper.make_tensor_value_info("q", kind, [4, 8]))
    y = graph.node("DequantizeLinear", ["q", graph.constant("s", F32(1))])
    with pytest.raises(AssertionError, match=f"input 'q' has elements of {name}, .*; "):
        graph.run(tmp_path, [y])


class Product:
    """x [.., k] of int8 in rows or blocks, and a weight [n, k] in blocks of `size`, both results of DequantizeLinear."""

    def __init__(self, rng, rows, k, n, size, x_size, kind, with_zero):
        self.x = rng.integers(-128, 128, (*rows, k)).astype(np.int8)
        self.w = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, (n, k), endpoint=True).astype(kind)
        self.size, self.x_size = size, x_size
        self.sx, self.zx = parameters(rng, self.x.shape, len(rows), x_size, np.int8)
        self.sw, self.zw = parameters(rng, self.w.shape, 1, size, kind)
        if not with_zero:
            self.zx, self.zw = np.zeros_like(self.zx), np.zeros_like(self.zw)

    def write(self, graph, weight_rows):
        """Names of the two real values; the weight has the shape [n, k] or [k, n]."""
        sizes = ["rows", *self.x.shape[1:]]
        names = [graph.input("x", self.x, sizes), graph.input("sx", self.sx, ["rows", *self.sx.shape[1:]]),
                 graph.input("zx", self.zx, ["rows", *self.zx.shape[1:]])]
        return graph.node("DequantizeLinear", names, axis=-1, block_size=self.x_size), self.write_weight(graph, weight_rows)

    def write_weight(self, graph, weight_rows):
        turn = (lambda a: a) if weight_rows else np.transpose
        names = [graph.constant(name, np.ascontiguousarray(turn(a))) for name, a in (("w", self.w), ("sw", self.sw), ("zw", self.zw))]
        return graph.node("DequantizeLinear", names, axis=1 if weight_rows else 0, block_size=self.size)

    def expected(self, bias=None):
        return oracle.grouped_linear(self.x, self.zx, self.sx, self.w, self.zw, self.sw, bias)


PRODUCTS = [  # rows of x, k, n, blocks of the weight and of x
    ((5,), 64, 7, 16, 64), ((1, 6), 64, 7, 16, 64), ((4,), 64, 16, 64, 64), ((3,), 48, 4, 48, 16), ((2, 3), 96, 5, 32, 32),
]


@pytest.mark.parametrize("kind, with_zero", [(np.int8, False), (np.int8, True), (np.uint8, True)])
@pytest.mark.parametrize("form, case", [(form, case) for form in ("MatMul", "Gemm", "MatMul of a Transpose") for case in PRODUCTS
                                        if form != "Gemm" or len(case[0]) == 1], ids=str)
def test_products(form, case, kind, with_zero, target, tmp_path):
    """N3 per group of K, from the bias."""
    rows, k, n, size, x_size = case
    rng = np.random.default_rng(k + n)
    product, graph = Product(rng, rows, k, n, size, x_size, kind, with_zero), Model(opset=21)
    bias = rng.normal(0, 1, n).astype(F32) if form == "Gemm" else None
    x, w = product.write(graph, weight_rows=form != "MatMul")
    if form == "Gemm":
        y = graph.node("Gemm", [x, w, graph.constant("bias", bias)], transB=1)
    else:
        y = graph.node("MatMul", [x, graph.node("Transpose", [w]) if form != "MatMul" else w])
    (got,) = graph.run(tmp_path, [y], target)
    program.assert_same_bits(got, product.expected(bias))


def test_products_of_weights_of_4_bits_are_kernels(tmp_path, compiler):
    """One integer contraction of the target, which keeps 4 bits of each weight."""
    rng = np.random.default_rng(0)
    k, n = 256, 512
    product, graph = Product(rng, (3,), k, n, 32, k, np.int8, False), Model(opset=21)
    product.w = rng.integers(-8, 8, (n, k)).astype(np.int8)
    x, w = product.write(graph, weight_rows=True)
    (got,) = graph.run(tmp_path, [graph.node("Gemm", [x, w], transB=1)])
    program.assert_same_bits(got, product.expected())
    done = subprocess.run([compiler, "explain", str(tmp_path / "model.onnx"), "--json"], capture_output=True, text=True, check=True)
    explained = json.loads(done.stdout)
    (step,) = [step for step in explained["kernels"] if "contraction" in step["work"]]
    assert step["work"] == "integer contraction" and step["atom"]
    assert explained["artifact_bytes"] < k * n // 2 + 4 * n * k // 32 + 64 * 1024


@pytest.mark.parametrize("shape, axis", [((5, 64), 0), ((1, 5, 64), 1), ((5, 1, 64), 0)], ids=str)
def test_products_of_scales_along_an_axis(shape, axis, tmp_path, compiler):
    """One scale for each row of the input, without blocks."""
    rng = np.random.default_rng(2)
    product, graph = Product(rng, shape[:-1], 64, 7, 16, 64, np.int8, True), Model(opset=21)
    names = [graph.input("q", product.x), graph.constant("s", product.sx.ravel()), graph.constant("z", product.zx.ravel())]
    y = graph.node("MatMul", [graph.node("DequantizeLinear", names, axis=axis), product.write_weight(graph, weight_rows=False)])
    (got,) = graph.run(tmp_path, [y])
    program.assert_same_bits(got, product.expected())


@pytest.mark.parametrize("change", ["alpha", "C of rows", "blocks that differ", "input of floats", "input of int32"])
def test_other_products_are_literal(change, tmp_path, compiler):
    """N8 on the dequantized values."""
    rng = np.random.default_rng(1)
    product, graph = Product(rng, (3,), 48, 5, 16, 24 if change == "blocks that differ" else 48, np.int8, True), Model(opset=21)
    x, w = product.write(graph, weight_rows=True)
    left = oracle.dequantize(product.x, repeated(product.sx, 1, product.x_size, 48), repeated(product.zx, 1, product.x_size, 48))
    right = oracle.dequantize(product.w, repeated(product.sw, 1, 16, 48), repeated(product.zw, 1, 16, 48)).T
    names, attributes, start = [x, w], {}, F32(0)
    if change == "alpha":
        attributes["alpha"] = 0.5
    elif change == "C of rows":
        start = rng.normal(0, 1, (3, 1)).astype(F32)
        names.append(graph.constant("c", start))
    elif change == "input of floats":
        left = rng.normal(0, 1, (3, 48)).astype(F32)
        names[0] = graph.input("floats", left)
    elif change == "input of int32":
        wide = rng.integers(-1000, 1000, (3, 48), dtype=np.int32)
        left = wide.astype(F32) * F32(0.25)
        names[0] = graph.node("DequantizeLinear", [graph.input("wide", wide), graph.constant("quarter", F32(0.25))])
    (got,) = graph.run(tmp_path, [graph.node("Gemm", names, transB=1, **attributes)])
    expected = oracle.fma_chain(left, np.ascontiguousarray(right), start)
    program.assert_same_bits(got, F32(0.5) * expected if change == "alpha" else expected)
