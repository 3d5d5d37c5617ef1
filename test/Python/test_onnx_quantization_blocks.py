"""QuantizeLinear and DequantizeLinear with scales for blocks along an axis, and constants of 2 bits, against numpy."""

import re

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
