"""Decoders of the model builder of ONNX Runtime GenAI in float64: products of the numbers that weights stand for."""

import numpy as np
import onnx
from onnx import numpy_helper


def unpacked(codes, bits, count):
    """The unsigned integers that bytes have, lowest bits first."""
    shifts = np.arange(0, 8, bits)
    each = (codes[..., None] >> shifts) & (2**bits - 1)
    return each.reshape(*codes.shape[:-1], -1)[..., :count].astype(np.float64)


def matmul_nbits(attributes, x, codes, scales, zero_points=None):
    k, n, bits, block = (attributes[name] for name in ("K", "N", "bits", "block_size"))
    blocks = -(-k // block)
    q = unpacked(codes.reshape(n, blocks, -1), bits, block)
    zero = 2.0 ** (bits - 1)
    if zero_points is not None:
        zero = unpacked(zero_points.reshape(n, -1), bits, blocks)[..., None]
    weight = ((q - zero) * scales.reshape(n, blocks, 1)).reshape(n, -1)[:, :k]
    return x @ weight.T


def normalized(attributes, x, scale):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + attributes.get("epsilon", 1e-5)) * scale


def rotated(x, positions, cosines, sines):
    """[batch, heads, rows, size]"""
    half = cosines.shape[1]
    a, b, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
    c, s = cosines[positions], sines[positions]
    return np.concatenate([c * a - s * b, s * a + c * b, rest], -1)


def attention(attributes, query, key, value, past_key, past_value, last, total, cosines, sines, *more):
    """One batch; tokens follow those of the caches."""
    heads, groups = attributes["num_heads"], attributes["kv_num_heads"]
    assert not any(x is not None for x in more) and len(query) == 1 and attributes.get("local_window_size", -1) <= 0
    if key is None:
        size = query.shape[-1] // (heads + 2 * groups)
        query, key, value = np.split(query, [heads * size, (heads + groups) * size], axis=-1)
    q, k, v = (x.reshape(1, x.shape[1], n, -1).swapaxes(1, 2) for x, n in ((query, heads), (key, groups), (value, groups)))
    positions = past_key.shape[2] + np.arange(q.shape[2])
    q, k = (rotated(x, positions, cosines, sines) for x in (q, k))
    k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    wide = [np.repeat(x, heads // groups, axis=1) for x in (k, v)]
    scores = q @ wide[0].swapaxes(2, 3) * (attributes.get("scale") or q.shape[-1] ** -0.5)
    scores = np.where(np.arange(k.shape[2]) <= positions[:, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    y = weights / weights.sum(-1, keepdims=True) @ wide[1]
    return y.swapaxes(1, 2).reshape(1, q.shape[2], -1), k, v


def skip_normalized(attributes, x, skip, scale):
    total = x + skip
    return normalized(attributes, total, scale), None, None, total


def split(attributes, x, sizes):
    return tuple(np.split(x, np.cumsum(sizes.astype(int))[:-1], axis=attributes.get("axis", 0)))


OPS = {
    "Add": lambda a, x, y: x + y,
    "Cast": lambda a, x: x,
    "Constant": lambda a: numpy_helper.to_array(a["value"]),
    "Gather": lambda a, x, i: np.take(x, i.astype(np.int64), a.get("axis", 0)),
    "GroupQueryAttention": attention,
    "Identity": lambda a, x: x,
    "MatMul": lambda a, x, w: x @ w,
    "MatMulNBits": matmul_nbits,
    "Mul": lambda a, x, y: x * y,
    "ReduceSum": lambda a, x, axes: x.sum(tuple(axes), keepdims=bool(a.get("keepdims", 1))),
    "Reshape": lambda a, x, shape: x.reshape([n or x.shape[i] for i, n in enumerate(shape.astype(int))]),
    "Shape": lambda a, x: np.array(x.shape),
    "Sigmoid": lambda a, x: 1 / (1 + np.exp(-x)),
    "SimplifiedLayerNormalization": normalized,
    "SkipSimplifiedLayerNormalization": skip_normalized,
    "Split": split,
    "Sub": lambda a, x, y: x - y,
}


def run(model, arrays):
    """The results of a model, for arrays by the names of its inputs."""
    def widen(array):
        return array.astype(np.float64) if np.issubdtype(array.dtype, np.floating) else array

    values = {tensor.name: widen(numpy_helper.to_array(tensor)) for tensor in model.graph.initializer}
    values.update({name: widen(np.asarray(array)) for name, array in arrays.items()}, **{"": None})
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        results = OPS[node.op_type](attributes, *(values[name] for name in node.input))
        for name, result in zip(node.output, results if isinstance(results, tuple) else (results,)):
            values[name] = result
    return [values[result.name] for result in model.graph.output]
