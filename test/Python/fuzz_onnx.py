"""Random ONNX models of one op on integers, with the results that docs/Numerics.md defines, computed by numpy.

`draw(seed)` gives one of them. The op, ranks, axes, zero points, windows, ties and special values are drawn by chance.
"""

import dataclasses

import numpy as np

from onnx_model import Model
from oracle import fma

F32 = np.float32
BYTES = (np.int8, np.uint8)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38], F32)
#: The types that a Cast is tried with.
CASTS = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11}


@dataclasses.dataclass
class Case:
    model: Model
    outputs: list
    expected: list
    #: Whether ONNX Runtime defines the op in the same way, and its inputs are such as it defines.
    has_peer: bool = True


def integers(random, kind, shape):
    """Integers over the whole range, its ends more often."""
    info = np.iinfo(kind)
    values = random.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    ends = random.choice(np.array([info.min, info.max, 0], kind), shape)
    return np.where(random.random(shape) < 0.2, ends, values).astype(kind)


def saturate(v, zero, kind):
    """rint(v) + zero, saturated; NaN gives zero (N5)."""
    info = np.iinfo(kind)
    rounded = np.rint(v.astype(np.float64))
    moved = np.where(np.isnan(rounded), 0, rounded) + np.asarray(zero, np.float64)
    return np.clip(moved, info.min, info.max).astype(kind)


def scales(random, shape=()):
    """Powers of two, which make ties, and others."""
    exact = 2.0 ** random.integers(-9, 4, shape)
    return np.where(random.random(shape) < 0.4, exact, random.uniform(0.001, 1, shape)).astype(F32)


def shape_of(random, least=1, most=4):
    return tuple(int(size) for size in random.integers(1, 7, random.integers(least, most + 1)))


def chance(random, part):
    return bool(random.random() < part)


def parameters(random, model, shape, kind):
    """The axis of scales and zero points, or None, both as arrays and as they broadcast, and their names."""
    axis = int(random.integers(-len(shape), len(shape))) if chance(random, 0.6) else None
    size = (shape[axis],) if axis is not None else (1,) if chance(random, 0.2) and len(shape) == 1 and shape[0] == 1 else ()
    s, z = scales(random, size), integers(random, kind, size) if kind != np.int32 else np.zeros(size, kind)
    wide = [1] * len(shape)
    wide[0 if axis is None else axis] = -1
    as_inputs = chance(random, 0.3)
    names = [model.value("s", s, as_inputs)]
    if kind != np.uint8 or chance(random, 0.7):
        names.append(model.value("z", z, as_inputs and chance(random, 0.5) and kind != np.int32))
    else:
        z = np.zeros_like(z)
    return axis, s.reshape(wide), z.reshape(wide), names


def axis_attribute(axis, shape, opset):
    return {} if axis is None or axis == 1 or opset < 13 else {"axis": axis}


def quantize_linear(random):
    model = Model(int(random.choice([13, 19, 21, 23])))
    shape, kind = shape_of(random), random.choice(BYTES)
    axis, s, z, names = parameters(random, model, shape, kind)
    # Ties, halves between two integers, and others.
    x = random.integers(-700, 700, shape).astype(F32) / F32(2) * s
    x = np.where(random.random(shape) < 0.5, x, random.normal(0, 150, shape).astype(F32) * s).astype(F32)
    special = chance(random, 0.5)
    if special:
        x = np.where(random.random(shape) < 0.3, random.choice(SPECIAL, shape), x).astype(F32)
    y = model.node("QuantizeLinear", [model.input("x", x), *names], **axis_attribute(axis, shape, model.opset))
    return Case(model, [y], [saturate((x / s).astype(F32), z, kind)], not special)


def dequantize_linear(random):
    model = Model(int(random.choice([13, 19, 21, 23])))
    shape, kind = shape_of(random), random.choice([*BYTES, np.int32])
    axis, s, z, names = parameters(random, model, shape, kind)
    x = integers(random, kind, shape)
    y = model.node("DequantizeLinear", [model.input("x", x), *names], **axis_attribute(axis, shape, model.opset))
    return Case(model, [y], [((x.astype(np.int64) - z).astype(F32) * s).astype(F32)])


def quantize_dynamically(x):
    least, most = np.minimum(F32(0), x.min()), np.maximum(F32(0), x.max())
    s = F32(F32(most - least) / F32(255))
    s = F32(1) if s == 0 else s
    z = saturate(np.asarray(F32(0) - F32(least / s)), 0, np.uint8)
    return saturate((x / s).astype(F32), z, np.uint8), s, z


def dynamic_quantize_linear(random):
    model, shape = Model(), shape_of(random)
    low, high = sorted(random.normal(0, 10, 2))
    x = random.choice([random.uniform(low, high, shape), np.full(shape, low), np.zeros(shape),
                       np.rint(random.uniform(-255, 255, shape)) / 2]).astype(F32)
    names = model.node("DynamicQuantizeLinear", [model.input("x", x)], outputs=3)
    return Case(model, names, list(quantize_dynamically(x)))


#: The size of an operand of a product.
SIZES = (1, 2, 3, 5, 8, 17, 33, 64, 70)


def products(random, most_batch=2):
    """Operands of bytes, as MatMul takes them."""
    m, k, n = (int(random.choice(SIZES)) for _ in range(3))
    batch = tuple(int(size) for size in random.integers(1, 4, random.integers(0, most_batch + 1)))
    left = tuple(1 if chance(random, 0.2) else size for size in batch)
    right = batch if chance(random, 0.5) else ()
    right = tuple(1 if chance(random, 0.2) else size for size in right)
    kinds = random.choice(BYTES, 2)
    return integers(random, kinds[0], (*left, m, k)), integers(random, kinds[1], (*right, k, n)), kinds


def multiply(a, za, b, zb):
    """In integers of 64 bits; they wrap at 32."""
    return np.matmul(a.astype(np.int64) - np.asarray(za, np.int64), b.astype(np.int64) - np.asarray(zb, np.int64))


def zero_points(random, model, a, b, kinds):
    """Zero points of both operands, that of the second perhaps by column, and their names."""
    za = integers(random, kinds[0], ())
    zb = integers(random, kinds[1], (b.shape[-1],) if b.ndim == 2 and chance(random, 0.4) else ())
    as_inputs = chance(random, 0.3)
    return za, zb, model.value("za", za, as_inputs), model.value("zb", zb, as_inputs)


def matmul_integer(random):
    model = Model()
    a, b, kinds = products(random)
    names = [model.input("a", a), model.value("b", b, chance(random, 0.3))]
    za, zb = np.zeros((), kinds[0]), np.zeros((), kinds[1])
    if chance(random, 0.8):
        za, zb, *zeros = zero_points(random, model, a, b, kinds)
        names += zeros
    y = model.node("MatMulInteger", names)
    return Case(model, [y], [multiply(a, za, b, zb).astype(np.int32)], kinds[0] == np.uint8)


def output_parameters(random, model, typical):
    """A scale by which results are spread over the range, and a zero point."""
    kind = random.choice(BYTES)
    s, z = F32(scales(random) * F32(typical)), integers(random, kind, ())
    return kind, s, z, [model.constant("sy", s), model.constant("zy", z)]


def qlinear_matmul(random):
    model = Model(int(random.choice([13, 21])))
    a, b, kinds = products(random)
    za, zb, *zeros = zero_points(random, model, a, b, kinds)
    sa, sb = scales(random), scales(random, zb.shape)
    kind, sy, zy, results = output_parameters(random, model, np.sqrt(a.shape[-1]))
    names = [model.input("a", a), model.constant("sa", sa), zeros[0],
             model.value("b", b, chance(random, 0.3)), model.constant("sb", sb), zeros[1], *results]
    m = ((sa * sb).astype(F32) / sy).astype(F32)
    expected = saturate((multiply(a, za, b, zb).astype(np.int32).astype(F32) * m).astype(F32), zy, kind)
    return Case(model, [model.node("QLinearMatMul", names)], [expected])


def pads_of(random, kernel, dilations):
    extents = [d * (k - 1) + 1 for d, k in zip(dilations, kernel)]
    return [int(random.integers(0, extent)) for extent in extents + extents]


def windows(x, kernel, strides, dilations, pads, value):
    """The windows of images [N, C, ...]: [N, C, places..., window...]."""
    rank = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])], constant_values=value)
    extents = tuple(d * (k - 1) + 1 for d, k in zip(dilations, kernel))
    views = np.lib.stride_tricks.sliding_window_view(x, extents, tuple(range(2, 2 + rank)))
    places = tuple(slice(None, None, stride) for stride in strides)
    inside = tuple(slice(None, None, dilation) for dilation in dilations)
    return views[(slice(None), slice(None), *places, *inside)]


class Convolution:
    """A convolution drawn by chance."""

    def __init__(self, random):
        rank = int(random.choice([1, 2, 2, 2, 3]))
        self.group = int(random.choice([1, 1, 2, 3]))
        depth = int(random.integers(1, 6))
        self.filters = self.group * int(random.integers(1, 5))
        self.kernel, self.strides, self.dilations = (
            [int(size) for size in random.integers(1, most, rank)] for most in (4, 3, 3))
        self.pads = pads_of(random, self.kernel, self.dilations) if chance(random, 0.7) else [0] * (2 * rank)
        self.x_kind, self.w_kind = random.choice(BYTES, 2)
        sizes = [int(size) for size in random.integers(6, 10, rank)]
        self.x = integers(random, self.x_kind, (int(random.integers(1, 3)), depth * self.group, *sizes))
        self.w = integers(random, self.w_kind, (self.filters, depth, *self.kernel))
        self.zx = integers(random, self.x_kind, ())
        self.wide = (-1, *[1] * rank)  # Of values by filter, beside places.

    def attributes(self):
        return dict(strides=self.strides, dilations=self.dilations, pads=self.pads, group=self.group)

    def sums(self, zw):
        """In integers of 64 bits."""
        x = self.x.astype(np.int64) - np.int64(self.zx)
        w = self.w.astype(np.int64) - np.asarray(zw, np.int64).reshape(-1, 1, *self.wide[1:])
        views = windows(x, self.kernel, self.strides, self.dilations, self.pads, 0)
        rank, of_group = len(self.kernel), self.filters // self.group
        parts = []
        for g in range(self.group):
            channels = slice(g * w.shape[1], (g + 1) * w.shape[1])
            part = np.tensordot(views[:, channels], w[g * of_group:(g + 1) * of_group],
                                ([1, *range(2 + rank, 2 + 2 * rank)], [1, *range(2, 2 + rank)]))
            parts.append(np.moveaxis(part, -1, 1))
        return np.concatenate(parts, 1)


def conv_integer(random):
    model, conv = Model(), Convolution(random)
    names = [model.input("x", conv.x), model.value("w", conv.w, chance(random, 0.3))]
    zw = np.zeros((), conv.w_kind)
    if chance(random, 0.8):
        zw = integers(random, conv.w_kind, ())
        names += [model.value("zx", conv.zx, chance(random, 0.3)), model.constant("zw", zw)]
    else:
        conv.zx = np.zeros((), conv.x_kind)
    y = model.node("ConvInteger", names, **conv.attributes())
    return Case(model, [y], [conv.sums(zw).astype(np.int32)])


def qlinear_conv(random):
    model, conv = Model(), Convolution(random)
    size = (conv.filters,) if chance(random, 0.5) else ()
    zw = integers(random, conv.w_kind, size) if chance(random, 0.6) else np.zeros(size, conv.w_kind)
    sx, sw = scales(random), scales(random, size)
    kind, sy, zy, results = output_parameters(random, model, np.sqrt(conv.w[0].size))
    names = [model.input("x", conv.x), model.constant("sx", sx), model.value("zx", conv.zx, chance(random, 0.2)),
             model.value("w", conv.w, chance(random, 0.3)), model.constant("sw", sw), model.constant("zw", zw), *results]
    acc = conv.sums(zw)
    if chance(random, 0.5):
        bias = random.integers(-50000, 50000, conv.filters, dtype=np.int32)
        names.append(model.constant("bias", bias))
        acc = acc + bias.reshape(conv.wide)
    m = ((sx * sw).astype(F32) / sy).astype(F32)
    m = m.reshape(conv.wide) if size else m
    expected = saturate((acc.astype(np.int32).astype(F32) * m).astype(F32), zy, kind)
    return Case(model, [model.node("QLinearConv", names, **conv.attributes())], [expected])


def max_pool(random):
    model, kind, rank = Model(), random.choice(BYTES), int(random.choice([1, 2, 2, 3]))
    x = integers(random, kind, (2, int(random.integers(1, 20)), *random.integers(6, 10, rank)))
    kernel, strides, dilations = ([int(size) for size in random.integers(1, most, rank)] for most in (4, 3, 3))
    # ONNX takes pads that are less than the window.
    pads = [int(random.integers(0, k)) for k in kernel + kernel]
    y = model.node("MaxPool", [model.input("x", x)], kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads)
    views = windows(x, kernel, strides, dilations, pads, np.iinfo(kind).min)
    return Case(model, [y], [views.max(tuple(range(2 + rank, 2 + 2 * rank)))])


def operands(random, model, kind, count=2, not_these=()):
    """Arrays that broadcast, some of them constants; those after the first have no element that is one of `not_these`."""
    shape = shape_of(random)
    arrays = []
    for i in range(count):
        own = tuple(1 if chance(random, 0.2) else size for size in shape) if i else shape
        own = own[int(random.integers(0, len(own) + 1)):] if i and chance(random, 0.2) else own
        array = integers(random, kind, own)
        arrays.append(np.where(np.isin(array, not_these), kind(3), array) if i else array)
    return arrays, [model.value(f"x{i}", array, i == 0 or chance(random, 0.5)) for i, array in enumerate(arrays)]


def divide(a, b):
    """Towards 0, in Python's integers."""
    a, b = (np.asarray(v).astype(object) for v in (a, b))
    return np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)


def wrap(values, kind):
    bits = np.iinfo(kind).bits
    least = int(np.iinfo(kind).min)
    return np.vectorize(lambda v: (int(v) - least) % (1 << bits) + least, otypes=[kind])(values)


BINARY = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": divide,
          "Min": np.minimum, "Max": np.maximum, "BitwiseAnd": lambda a, b: a & b, "BitwiseOr": lambda a, b: a | b,
          "BitwiseXor": lambda a, b: a ^ b, "Mod": lambda a, b: a - b * np.floor_divide(a, b)}
COMPARISONS = {"Equal": np.equal, "Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal,
               "GreaterOrEqual": np.greater_equal}
UNARY = {"Abs": np.abs, "Neg": lambda a: -a, "Sign": np.sign, "Relu": lambda a: np.maximum(a, 0),
         "BitwiseNot": lambda a: ~a}
KINDS = (np.int8, np.uint8, np.int32, np.int64)


def binary(random):
    model, kind = Model(), random.choice(KINDS)
    op = str(random.choice([*BINARY, *COMPARISONS]))
    # Neither a division by 0 nor one of the least number by -1, which have no meaning, or another, elsewhere.
    (a, b), names = operands(random, model, kind, not_these=[0, -1] if op in ("Div", "Mod") else ())
    y = model.node(op, names)
    if op in COMPARISONS:
        return Case(model, [y], [COMPARISONS[op](a, b)])
    with_bits = op.startswith("Bitwise")
    expected = BINARY[op](*(np.asarray(v) if with_bits else v.astype(object) for v in (a, b)))
    return Case(model, [y], [wrap(expected, kind)])


def unary(random):
    op = str(random.choice(list(UNARY)))
    kind = random.choice(KINDS if op != "Neg" else [k for k in KINDS if k != np.uint8])
    model = Model()
    (x,), names = operands(random, model, kind, 1)
    with np.errstate(over="ignore"):
        expected = UNARY[op](x).astype(kind)
    return Case(model, [model.node(op, names)], [expected])


def reduction(random):
    op, kind = str(random.choice(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"])), random.choice([np.int32, np.int64])
    model = Model()
    (x,), names = operands(random, model, kind, 1)
    axes = [a - x.ndim if chance(random, 0.5) else a for a in range(x.ndim) if chance(random, 0.6)] or [0]
    keep = int(random.integers(0, 2))
    y = model.node(op, [*names, model.constant("axes", np.array(axes, np.int64))], keepdims=keep)
    function = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod}[op]
    wide = x.astype(object) if op in ("ReduceSum", "ReduceProd") else x
    expected = function(wide, axis=tuple(axes), keepdims=bool(keep))
    wrapped = wrap(expected, kind).reshape(np.shape(expected))
    # ONNX Runtime sums and multiplies in floats.
    return Case(model, [y], [wrapped], has_peer=bool(np.all(np.abs(expected) < 2**24)))


def cast(random):
    """Of floats towards 0, saturated; NaN gives 0."""
    model, shape = Model(), shape_of(random)
    source, to = str(random.choice(["float32", *CASTS])), str(random.choice(list(CASTS)))
    has_peer = True
    if np.dtype(source).kind == "f":
        x = (random.normal(0, 1, shape) * 10.0 ** random.integers(-2, 13, shape)).astype(np.float64)
        x = np.clip(x, -60000, 60000) if source == "float16" or to == "float16" else x
        x = np.where(random.random(shape) < 0.2, random.choice(SPECIAL, shape), x).astype(source)
        has_peer = False
    elif source == "bool":
        x = random.random(shape) < 0.5
    else:
        x = integers(random, np.dtype(source).type, shape)
    kind = np.dtype(to)
    if kind.kind in "iu" and x.dtype.kind == "f":
        info = np.iinfo(kind)
        whole = np.trunc(np.where(np.isfinite(x), x, 0).astype(np.float64)).astype(object)
        whole = np.where(np.isposinf(x), info.max, np.where(np.isneginf(x), info.min, whole))
        expected = np.vectorize(lambda v: min(max(int(v), info.min), info.max), otypes=[kind])(whole)
    else:
        with np.errstate(all="ignore"):
            expected = x.astype(kind)
    return Case(model, [model.node("Cast", [model.input("x", x)], to=CASTS[to])], [expected], has_peer)


def quantized(random, model, name, shape, kind=None):
    """A tensor of bytes with its parameters: the names and the real values."""
    kind = kind or random.choice(BYTES)
    x, s, z = integers(random, kind, shape), scales(random), integers(random, kind, ())
    names = [model.value(name, x, name == "a" or chance(random, 0.5)), model.constant(f"s{name}", s),
             model.constant(f"z{name}", z)]
    return kind, names, (x.astype(np.int32) - z.astype(np.int32)).astype(F32), F32(s)


def microsoft_binary(random):
    """QLinearAdd, QLinearMul and QLinearConcat, and of one operand QLinearLeakyRelu."""
    model, op = Model(), str(random.choice(["QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearLeakyRelu"]))
    shape = shape_of(random)
    kind, a_names, da, sa = quantized(random, model, "a", shape)
    a = (da * sa).astype(F32)
    sy, zy = scales(random), integers(random, kind, ())
    results = [model.constant("sy", sy), model.constant("zy", zy)]
    attributes = {}
    if op == "QLinearLeakyRelu":
        alpha = F32(random.choice([0.01, 0.1, 0.25]))
        names, value = [*a_names, *results], np.where(a < 0, (alpha * a).astype(F32), a)
        attributes["alpha"] = float(alpha)
    elif op == "QLinearConcat":
        attributes["axis"] = int(random.integers(-len(shape), len(shape)))
        other = list(shape)
        other[attributes["axis"]] = int(random.integers(1, 5))
        _, b_names, db, sb = quantized(random, model, "b", tuple(other), kind)
        names, value = [*results, *a_names, *b_names], np.concatenate([a, (db * sb).astype(F32)], attributes["axis"])
    else:
        other = tuple(1 if chance(random, 0.3) else size for size in shape)
        _, b_names, db, sb = quantized(random, model, "b", other, kind)
        names = [*a_names, *b_names, *results]
        # N6: no division of a sum, whose exact halves would all be rounded to one side.
        quotient = (fma(da, sa / sy, (db * (sb / sy)).astype(F32)) if op == "QLinearAdd" else
                    ((da * db).astype(F32) * ((sa * sb).astype(F32) / sy)).astype(F32))
    if op not in ("QLinearAdd", "QLinearMul"):
        quotient = (value / sy).astype(F32)
    y = model.node(f"com.microsoft::{op}", names, **attributes)
    return Case(model, [y], [saturate(quotient, zy, kind)], has_peer=False)


def qgemm(random):
    model = Model()
    a, b, kinds = products(random, 0)
    za, zb, *zeros = zero_points(random, model, a, b, kinds)
    sa, sb, alpha = scales(random), scales(random, zb.shape), F32(random.choice([1, 0.5, 1.7]))
    transposed = chance(random, 0.4)
    names = [model.input("a", a), model.constant("sa", sa), zeros[0],
             model.constant("b", np.ascontiguousarray(b.T) if transposed else b), model.constant("sb", sb), zeros[1]]
    acc = multiply(a, za, b, zb)
    if chance(random, 0.5):
        c = random.integers(-5000, 5000, b.shape[1], dtype=np.int32)
        acc = acc + c
        names.append(model.constant("c", c))
    else:
        names.append("")
    value = (acc.astype(np.int32).astype(F32) * (alpha * (sa * sb).astype(F32)).astype(F32)).astype(F32)
    if chance(random, 0.6):
        kind = kinds[0]
        sy, zy = F32(scales(random) * F32(np.sqrt(a.shape[-1]))), integers(random, kind, ())
        names += [model.constant("sy", sy), model.constant("zy", zy)]
        value = saturate((value / sy).astype(F32), zy, kind)
    y = model.node("com.microsoft::QGemm", names, transB=int(transposed), alpha=float(alpha))
    return Case(model, [y], [value], has_peer=False)


#: How often each is drawn.
FAMILIES = (
    [quantize_linear] * 4 + [dequantize_linear] * 3 + [dynamic_quantize_linear] * 2 + [matmul_integer] * 3
    + [qlinear_matmul] * 4 + [conv_integer] * 4 + [qlinear_conv] * 6 + [max_pool] * 2 + [binary] * 4 + [unary] * 2
    + [reduction] * 2 + [cast] * 2 + [microsoft_binary] * 3 + [qgemm] * 2)


def draw(seed):
    """The name of an op or of a kind of ops, and a model of it."""
    family = FAMILIES[seed % len(FAMILIES)]
    with np.errstate(all="ignore"):
        return family.__name__, family(np.random.default_rng(seed))
