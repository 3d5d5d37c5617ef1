"""Random quantized ONNX models of many ops, with the results that every exact engine must give.

Scales are powers of two, and all values are multiples of a power of two that fit in the 24 bits of a float: no operation
rounds, so that neither the order of sums nor what is fused changes a bit, and float64 gives the expected results. What a
compiler may do to quantized networks and what it may not (move, merge and drop conversions, fold constants, choose
layouts) is what this tests; rounding is tested op by op in fuzz_onnx.py.
"""

import dataclasses

import numpy as np

from fuzz_onnx import BYTES, chance, integers, saturate, windows
from onnx_model import Model

F32, I64 = np.float32, np.int64
CHANNELS = (1, 2, 3, 4, 7, 8, 16, 17, 24, 32)


@dataclasses.dataclass
class Value:
    """A tensor of the graph. Floats are held in float64 and are multiples of 2**step; bytes have a scale of 2**step."""
    name: str
    array: np.ndarray
    step: int
    zero: int = 0

    @property
    def is_real(self):
        return self.array.dtype == np.float64

    @property
    def shape(self):
        return self.array.shape

    @property
    def rank(self):
        return self.array.ndim


def fits(array, step):
    """Whether multiples of 2**step are floats, with room for a sum of two."""
    return np.abs(array).max(initial=0) < 2.0 ** (step + 23)


def is_power(n):
    return n > 0 and n & (n - 1) == 0


class Graph:
    def __init__(self, random):
        self.random = random
        self.model = Model(int(random.choice([13, 17, 20, 21])))
        self.dynamic = chance(random, 0.3)
        self.values = []
        self.names = 0

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def constant(self, array):
        self.names += 1
        return self.model.constant(f"c{self.names}", array)

    def keep(self, value):
        self.values.append(value)
        return value

    def node(self, op, inputs, array, step, zero=0, **attributes):
        """The value of a new node, or None if it is not exact in floats."""
        if array.size == 0 or array.size > 40000 or (array.dtype == np.float64 and not fits(array, step)):
            return None
        names = [value.name if isinstance(value, Value) else value for value in inputs]
        return self.keep(Value(self.model.node(op, names, **attributes), array, step, zero))

    def input(self):
        shape = self.pick((self.integer(1, 2), self.pick(*CHANNELS), self.integer(4, 10), self.integer(4, 10)),
                          (self.integer(1, 3), self.pick(*CHANNELS), self.integer(5, 17)),
                          (self.integer(1, 9), self.integer(1, 70)))
        if self.dynamic and self.values:
            shape = (self.values[0].shape[0], *shape[1:])
        name, step = f"x{len(self.model.inputs)}", self.integer(-8, 0)
        kind = self.pick(F32, F32, np.int8, np.uint8)
        given = ("n", *shape[1:]) if self.dynamic else shape
        if kind == F32:
            array = self.random.integers(-200, 201, shape) * 2.0 ** step
            self.model.input(name, array.astype(F32), given)
            return self.keep(Value(name, array.astype(np.float64), step))
        array = integers(self.random, kind, shape)
        self.model.input(name, array, given)
        return self.keep(Value(name, array, step, int(integers(self.random, kind, ()))))

    def some(self, real=None):
        """A value, mostly one of the last."""
        choices = [v for v in self.values if real is None or v.is_real == real]
        if not choices:
            return None
        return choices[-1] if chance(self.random, 0.75) else choices[self.integer(0, len(choices) - 1)]

    def real(self):
        value = self.some()
        return value if value.is_real else dequantize(self, value)

    def first_free(self):
        """The first axis whose size the ops may change."""
        return 1 if self.dynamic else 0

    def axis(self, value):
        low = self.first_free()
        return self.integer(low, value.rank - 1) if value.rank > low else None


# Conversions.

def quantize(g, x=None):
    x = x or g.some(real=True)
    if x is None:
        return None
    kind, most = g.pick(*BYTES), np.abs(x.array).max(initial=0)
    # Most of the range, or a part that saturates.
    step = int(np.ceil(np.log2(most / 128))) if most else 0
    step = max(step + g.pick(-1, 0, 0, 0, 1, 1), x.step - 3)
    channels = g.axis(x) if chance(g.random, 0.1) and g.first_free() == 0 else None
    zero = int(integers(g.random, kind, ())) if chance(g.random, 0.6) else g.pick(0, 128 if kind == np.uint8 else 0)
    if channels is not None:
        return quantize_channels(g, x, kind, step, channels)
    array = saturate(x.array * 2.0 ** -step, zero, kind)
    names = [x, g.constant(F32(2.0 ** step)), g.constant(kind(zero))]
    return g.node("QuantizeLinear", names if zero or kind != np.uint8 or chance(g.random, 0.5) else names[:2], array, step, zero)


def quantize_channels(g, x, kind, step, axis):
    """Quantized and dequantized with a scale for each place on an axis."""
    n = x.shape[axis]
    steps, zeros = g.random.integers(step - 1, step + 3, n), integers(g.random, kind, n)
    wide = [1] * x.rank
    wide[axis] = n
    scale, zero = (2.0 ** steps).reshape(wide), zeros.reshape(wide).astype(np.float64)
    parameters = [g.constant((2.0 ** steps).astype(F32)), g.constant(zeros)]
    array = saturate(x.array / scale, zero, kind)
    names = [x.name, *parameters]
    name = g.model.node("QuantizeLinear", names, axis=axis)
    name = g.model.node("DequantizeLinear", [name, *parameters], axis=axis - x.rank if chance(g.random, 0.3) else axis)
    array = (array - zero) * scale
    return g.keep(Value(name, array, int(steps.min()))) if fits(array, int(steps.min())) else None


def dequantize(g, x=None):
    x = x or g.some(real=False)
    if x is None:
        return None
    names = [x, g.constant(F32(2.0 ** x.step))]
    if x.zero or chance(g.random, 0.5):
        names.append(g.constant(x.array.dtype.type(x.zero)))
    return g.node("DequantizeLinear", names, (x.array.astype(np.float64) - x.zero) * 2.0 ** x.step, x.step)


def requantize(g, x=None):
    q = quantize(g, x)
    return q if q is None or q.is_real else dequantize(g, q)


def through_integers(g):
    x = g.real()
    if x is None or np.abs(x.array).max() >= 2 ** 23:
        return None
    name = g.model.node("Cast", [x.name], to=g.pick(6, 7))
    return g.node("Cast", [name], np.trunc(x.array), max(x.step, 0), to=1)


def through_half(g):
    x = g.real()
    if x is None or np.abs(x.array).max() >= min(2.0 ** (x.step + 11), 60000) or x.step < -14:
        return None
    return g.node("Cast", [g.model.node("Cast", [x.name], to=10)], x.array, x.step, to=1)


# Contractions.

@dataclasses.dataclass
class Weights:
    """Bytes with scales by channels of `axis`, or one."""
    stored: np.ndarray
    zero: int
    steps: np.ndarray
    axis: int
    by_channel: bool

    @property
    def scales(self):
        return (2.0 ** self.steps if self.by_channel else 2.0 ** self.steps[0]).astype(F32)

    @property
    def zeros(self):
        return (np.full(self.steps.size, self.zero) if self.by_channel else np.asarray(self.zero)).astype(self.stored.dtype)

    @property
    def step(self):
        return int(self.steps.min())

    def real(self):
        wide = [1] * self.stored.ndim
        wide[self.axis] = -1
        return (self.stored.astype(np.float64) - self.zero) * (2.0 ** self.steps).reshape(wide)


def draw_weights(g, shape, axis, depth):
    most = g.pick(3, 20, 127)
    while most > 1 and most * depth > 2 ** 15:
        most //= 2
    kind = g.pick(np.int8, np.int8, np.uint8)
    zero = 0 if kind == np.int8 and chance(g.random, 0.8) else g.integer(0, 100)
    stored = np.clip(g.random.integers(-most, most + 1, shape) + zero, *((-128, 127) if kind == np.int8 else (0, 255)))
    by_channel = chance(g.random, 0.6)
    steps = g.random.integers(-9, -4, shape[axis]) if by_channel else np.full(shape[axis], g.integer(-9, -5))
    return Weights(stored.astype(kind), zero, steps, axis, by_channel)


def weights(g, shape, axis, depth):
    """(name, real values, step) of a constant: quantized, by channels of `axis` or not, or floats."""
    w = draw_weights(g, shape, axis, depth)
    real = w.real()
    form = g.pick("quantized", "quantized", "quantized", "floats", "both")
    if form == "floats":
        return g.constant(real.astype(F32)), real, w.step
    parameters = [g.constant(w.scales), g.constant(w.zeros)]
    attributes = {"axis": axis} if w.by_channel else {}
    name = g.constant(w.stored)
    if form == "both":
        name = g.model.node("QuantizeLinear", [g.constant(real.astype(F32)), *parameters], **attributes)
    return g.model.node("DequantizeLinear", [name, *parameters], **attributes), real, w.step


def bias_of(g, n, step):
    """(name, values) of n values, floats or dequantized integers of 32 bits; the step may be coarser or finer."""
    values = g.random.integers(-3000, 3001, n)
    if chance(g.random, 0.5):
        own = step + g.pick(0, 0, 1, -1)
        real = values * 2.0 ** own
        return g.constant(real.astype(F32)), real, own
    real = values * 2.0 ** step
    return g.model.node("DequantizeLinear", [g.constant(values.astype(np.int32)), g.constant(F32(2.0 ** step))]), real, step


def operand(g):
    """A real value, mostly one that has been quantized."""
    x = g.real()
    return requantize(g, x) if x is not None and chance(g.random, 0.7) else x


def is_exact(most, *steps):
    return np.abs(most).max(initial=0) < 2.0 ** (min(steps) + 23)


def correlate(x, w, attributes):
    """In float64."""
    kernel, group = w.shape[2:], attributes["group"]
    views = windows(x, kernel, attributes["strides"], attributes["dilations"], attributes["pads"], 0)
    rank, of_group, parts = len(kernel), w.shape[0] // group, []
    for i in range(group):
        part = np.tensordot(views[:, i * w.shape[1]:(i + 1) * w.shape[1]], w[i * of_group:(i + 1) * of_group],
                            ([1, *range(2 + rank, 2 + 2 * rank)], [1, *range(2, 2 + rank)]))
        parts.append(np.moveaxis(part, -1, 1))
    return np.concatenate(parts, 1)


def draw_windows(g, x):
    """(shape of filters, attributes) of a convolution of x, or None."""
    rank, channels = x.rank - 2, x.shape[1]
    group = g.pick(1, 1, channels, *[d for d in (2, 4) if channels % d == 0])
    filters = group * g.pick(1, 1, 2, *([8, 17, 32] if group == 1 else []))
    kernel = [g.pick(1, 3, 3, 2, 5) for _ in range(rank)]
    attributes = dict(strides=[g.pick(1, 1, 2) for _ in kernel], dilations=[g.pick(1, 1, 1, 2) for _ in kernel], group=group)
    extents = [d * (k - 1) + 1 for d, k in zip(attributes["dilations"], kernel)]
    attributes["pads"] = g.pick([e // 2 for e in extents] * 2, [0] * 2 * rank, [g.integer(0, e - 1) for e in extents * 2])
    if any(n + a + b < e for n, a, b, e in zip(x.shape[2:], attributes["pads"], attributes["pads"][rank:], extents)):
        return None
    return (filters, channels // group, *kernel), attributes


def convolve(g):
    x = operand(g)
    drawn = draw_windows(g, x) if x is not None and x.rank in (3, 4) else None
    if drawn is None:
        return None
    shape, attributes = drawn
    name, w, step = weights(g, shape, 0, int(np.prod(shape[1:])))
    step += x.step
    names, b, own = [x, name], np.zeros(shape[0]), step
    if chance(g.random, 0.7):
        bias, b, own = bias_of(g, shape[0], step)
        names.append(bias)
    wide = (-1, *[1] * (x.rank - 2))
    if not is_exact(correlate(np.abs(x.array), np.abs(w), attributes) + np.abs(b).reshape(wide), step, own):
        return None
    return g.node("Conv", names, correlate(x.array, w, attributes) + b.reshape(wide), min(step, own), **attributes)


def multiply_by_weights(g):
    x = operand(g)
    if x is None or x.rank < 2:
        return None
    depth, n = x.shape[-1], g.pick(1, 3, 8, 16, 17, 33, 64)
    transposed = x.rank == 2 and chance(g.random, 0.5)
    name, w, step = weights(g, (n, depth) if transposed else (depth, n), 0 if transposed else 1, depth)
    w = w.T if transposed else w
    step += x.step
    bias, b, own = bias_of(g, n, step)
    if not is_exact(np.abs(x.array) @ np.abs(w) + np.abs(b), step, own):
        return None
    if x.rank == 2 and (transposed or chance(g.random, 0.5)):
        return g.node("Gemm", [x, name, bias], x.array @ w + b, min(step, own), transB=int(transposed))
    y = g.node("MatMul", [x, name], x.array @ w, step)
    return y and (y if chance(g.random, 0.3) else g.node("Add", g.pick([y, bias], [bias, y]), y.array + b, min(step, own)))


def multiply_activations(g):
    x = operand(g)
    if x is None or x.rank < 3:
        return None
    other = requantize(g, x) or x
    order = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    turned = g.node("Transpose", [other], other.array.transpose(order), other.step, perm=order)
    if turned is None or not is_exact(np.abs(x.array) @ np.abs(turned.array), x.step + turned.step):
        return None
    return g.node("MatMul", [x, turned], x.array @ turned.array, x.step + turned.step)


# The same, of bytes.

def bytes_of(g):
    """A value of bytes, which the ops of integers take."""
    x = g.some(real=False) if chance(g.random, 0.5) else None
    x = x or quantize(g)
    return None if x is None or x.is_real else x


def draw_product(g, x):
    """(op, attributes, weights, function of both real operands) of a product of bytes, or None."""
    if x.rank in (3, 4) and chance(g.random, 0.7):
        drawn = draw_windows(g, x)
        if drawn is None:
            return None
        shape, attributes = drawn
        w = draw_weights(g, shape, 0, int(np.prod(shape[1:])))
        return "Conv", attributes, w, lambda a, b: correlate(a, b, attributes)
    if x.rank < 2:
        return None
    depth = x.shape[-1]
    w = draw_weights(g, (depth, g.pick(1, 3, 8, 17, 33)), 1, depth)
    return "MatMul", {}, w, np.matmul


def by_result_channel(values, op, rank):
    return values.reshape(-1, *[1] * (rank - 2)) if op == "Conv" else values


def integer_product(g):
    """ConvInteger or MatMulInteger, cast and scaled, as dynamic quantization has them."""
    x = bytes_of(g)
    drawn = draw_product(g, x) if x is not None else None
    if drawn is None:
        return None
    op, attributes, w, multiply = drawn
    kind = x.array.dtype.type
    if op == "Conv":
        w = dataclasses.replace(w, by_channel=False, steps=np.full(w.steps.size, w.step))
    a, b = x.array.astype(np.float64) - x.zero, w.stored.astype(np.float64) - w.zero
    if not is_exact(multiply(np.abs(a), np.abs(b)), 0):
        return None
    y = g.model.node(f"{op}Integer", [x.name, g.constant(w.stored), g.constant(kind(x.zero)), g.constant(w.zeros)], **attributes)
    y = g.model.node("Cast", [y], to=1)
    scale = by_result_channel(2.0 ** (x.step + w.steps), op, x.rank)
    if not chance(g.random, 0.5):
        return g.node("Mul", g.pick([y, g.constant(scale.astype(F32))], [g.constant(scale.astype(F32)), y]),
                      multiply(a, b) * scale, x.step + w.step)
    factors = [g.constant(F32(2.0 ** x.step)), g.constant(by_result_channel(2.0 ** w.steps, op, x.rank).astype(F32))]
    return g.node("Mul", [y, g.model.node("Mul", factors)], multiply(a, b) * scale, x.step + w.step)


def qlinear_product(g):
    """QLinearConv or QLinearMatMul."""
    x = bytes_of(g)
    drawn = draw_product(g, x) if x is not None else None
    if drawn is None:
        return None
    op, attributes, w, multiply = drawn
    a = (x.array.astype(np.float64) - x.zero) * 2.0 ** x.step
    if not is_exact(multiply(np.abs(a), np.abs(w.real())), x.step + w.step - 1):
        return None
    y = multiply(a, w.real())
    parameters, names = [], []
    if op == "Conv" and chance(g.random, 0.6):
        bias = g.random.integers(-3000, 3001, w.steps.size).astype(np.int32)
        y = y + by_result_channel(bias * 2.0 ** (x.step + w.steps), op, x.rank)
        names.append(g.constant(bias))
    kind, most = g.pick(*BYTES), np.abs(y).max(initial=0)
    step, zero = int(np.ceil(np.log2(most / 128))) if most else 0, int(integers(g.random, kind, ()))
    parameters = [g.constant(F32(2.0 ** step)), g.constant(kind(zero))]
    left = [x.name, g.constant(F32(2.0 ** x.step)), g.constant(x.array.dtype.type(x.zero))]
    right = [g.constant(w.stored), g.constant(w.scales), g.constant(w.zeros)]
    return g.node(f"QLinear{op}", [*left, *right, *parameters, *names], saturate(y * 2.0 ** -step, zero, kind), step, zero,
                  **attributes)


# Ops by element.

UNARY = {"Relu": lambda v: np.maximum(v, 0), "Abs": np.abs, "Neg": lambda v: -v, "Floor": np.floor, "Identity": lambda v: v}


def unary(g):
    x = g.real()
    op = g.pick("Relu", "Relu", *UNARY)
    return x and g.node(op, [x], UNARY[op](x.array), max(x.step, 0) if op == "Floor" else x.step)


def clip(g):
    x = g.real()
    if x is None:
        return None
    unit = 2.0 ** x.step
    low, high = sorted(g.random.integers(-100, 101, 2) * unit)
    low, high = (0.0, high if high > 0 else unit) if chance(g.random, 0.5) else (low, high)
    bounds = [g.constant(F32(low)) if chance(g.random, 0.8) else "", g.constant(F32(high))]
    return g.node("Clip", [x, *bounds], np.clip(x.array, low if bounds[0] else None, high), x.step)


def leaky(g):
    x, shift = g.real(), g.integer(1, 4)
    if x is None:
        return None
    if x.rank > 1 and chance(g.random, 0.4):
        slopes = (2.0 ** g.random.integers(-shift, 1, x.shape[1])).reshape(-1, *[1] * (x.rank - 2))
        return g.node("PRelu", [x, g.constant(slopes.astype(F32))], np.where(x.array < 0, x.array * slopes, x.array), x.step - shift)
    return g.node("LeakyRelu", [x], np.where(x.array < 0, x.array * 2.0 ** -shift, x.array), x.step - shift, alpha=2.0 ** -shift)


def hard_sigmoid(g):
    x = g.real()
    return x and g.node("HardSigmoid", [x], np.clip(x.array * 0.25 + 0.5, 0, 1), min(x.step - 2, -1), alpha=0.25, beta=0.5)


BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}


def partner(g, x):
    """(name, array, step) of what can be combined with x: another value, or a constant that broadcasts."""
    choices = [v for v in g.values if v.is_real and v.shape == x.shape]
    if chance(g.random, 0.6) and choices:
        v = choices[g.integer(0, len(choices) - 1)]
        return v.name, v.array, v.step
    shape = [n if chance(g.random, 0.5) and i >= g.first_free() else 1 for i, n in enumerate(x.shape)]
    shape = shape[g.integer(0, len(shape)):] if chance(g.random, 0.5) else shape
    step = g.integer(-6, 0)
    stored = g.random.integers(-100, 101, shape)
    if chance(g.random, 0.3):
        name = g.constant(stored.astype(np.int8))
        return g.model.node("DequantizeLinear", [name, g.constant(F32(2.0 ** step))]), stored * 2.0 ** step, step
    return g.constant((stored * 2.0 ** step).astype(F32)), stored * 2.0 ** step, step


def binary(g):
    x = g.real()
    if x is None:
        return None
    name, array, step = partner(g, x)
    op = g.pick("Add", "Add", *BINARY)
    own, step = [x, name], x.step + step if op == "Mul" else min(x.step, step)
    operands = [x.array, array]
    if chance(g.random, 0.4):
        own, operands = own[::-1], operands[::-1]
    return g.node(op, own, BINARY[op](*operands), step)


def power_factor(g):
    x, shift = g.real(), g.integer(-4, 4)
    if x is None:
        return None
    divides = chance(g.random, 0.5)
    factor = g.constant(F32(2.0 ** (-shift if divides else shift)))
    return g.node("Div" if divides else "Mul", [x, factor], x.array * 2.0 ** shift, x.step + shift)


def where(g):
    x = g.real()
    if x is None:
        return None
    name, array, step = partner(g, x)
    bound = g.integer(-50, 50) * 2.0 ** x.step
    is_less = g.model.node("Less", [x.name, g.constant(F32(bound))])
    return g.node("Where", [is_less, x, name], np.where(x.array < bound, x.array, array), min(x.step, step))


# Windows and reductions.

def max_pool(g):
    x = g.some()
    if x.rank not in (3, 4):
        return None
    rank = x.rank - 2
    kernel, strides = [g.integer(1, 3) for _ in range(rank)], [g.integer(1, 2) for _ in range(rank)]
    pads = [g.integer(0, k - 1) if chance(g.random, 0.4) else 0 for k in kernel * 2]
    least = -np.inf if x.is_real else np.iinfo(x.array.dtype).min
    if any(n < k for n, k in zip(x.shape[2:], kernel)):
        return None
    views = windows(x.array, kernel, strides, [1] * rank, pads, least)
    return g.node("MaxPool", [x], views.max(tuple(range(x.rank, x.rank + rank))), x.step, x.zero,
                  kernel_shape=kernel, strides=strides, pads=pads)


def average_pool(g):
    x = g.real()
    if x is None or x.rank not in (3, 4):
        return None
    rank = x.rank - 2
    if chance(g.random, 0.4):
        count = int(np.prod(x.shape[2:]))
        axes = tuple(range(2, x.rank))
        return g.node("GlobalAveragePool", [x], x.array.mean(axes, keepdims=True), x.step - count.bit_length() + 1) \
            if is_power(count) else None
    kernel, strides = [g.pick(1, 2, 4) for _ in range(rank)], [g.integer(1, 2) for _ in range(rank)]
    pads = [0] * 2 * rank if chance(g.random, 0.6) else [g.integer(0, k - 1) for k in kernel * 2]
    if any(n < k for n, k in zip(x.shape[2:], kernel)):
        return None
    views = windows(x.array, kernel, strides, [1] * rank, pads, 0)
    return g.node("AveragePool", [x], views.mean(tuple(range(x.rank, x.rank + rank))),
                  x.step - int(np.prod(kernel)).bit_length() + 1, kernel_shape=kernel, strides=strides, pads=pads,
                  count_include_pad=1)


def reduce(g):
    x = g.real()
    if x is None or x.rank < 2:
        return None
    axes = [a for a in range(g.first_free(), x.rank) if chance(g.random, 0.5)] or [x.rank - 1]
    count = int(np.prod([x.shape[a] for a in axes]))
    op = g.pick("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin")
    if (op == "ReduceMean" and not is_power(count)) or not is_exact(np.abs(x.array).sum(tuple(axes)), x.step):
        return None
    function = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min}[op]
    step = x.step - (count.bit_length() - 1 if op == "ReduceMean" else 0)
    if op == "ReduceSum" or g.model.opset >= 18:
        inputs, attributes = [x, g.constant(np.array(axes, I64))], {}
    else:
        inputs, attributes = [x], {"axes": axes}
    return g.node(op, inputs, function(x.array, axis=tuple(axes), keepdims=True), step, keepdims=1, **attributes)


# Ops that move elements, of floats or bytes.

def move(g, op, inputs, x, array, **attributes):
    return g.node(op, [x, *inputs], np.ascontiguousarray(array), x.step, x.zero, **attributes)


def transpose(g):
    x = g.some()
    low = g.first_free()
    order = [*range(low), *(int(a) + low for a in g.random.permutation(x.rank - low))]
    return move(g, "Transpose", [], x, x.array.transpose(order), perm=order)


def reshape(g):
    x = g.some()
    sizes = list(x.shape[1:])
    if len(sizes) > 1 and chance(g.random, 0.6):
        at = g.integer(0, len(sizes) - 2)
        sizes[at:at + 2] = [sizes[at] * sizes[at + 1]]
    else:
        at = g.integer(0, len(sizes) - 1) if sizes else 0
        factors = [d for d in (2, 3, 4, 8) if sizes and sizes[at] % d == 0 and x.rank < 4]
        if not factors:
            return None
        d = g.pick(*factors)
        sizes[at:at + 1] = g.pick([d, sizes[at] // d], [sizes[at] // d, d])
    given = [0 if g.dynamic or chance(g.random, 0.3) else x.shape[0], *sizes]
    if chance(g.random, 0.5):
        given[g.integer(0 if g.dynamic else 1, len(given) - 1)] = -1
    return move(g, "Reshape", [g.constant(np.array(given, I64))], x, x.array.reshape(x.shape[0], *sizes))


def cut(g):
    x = g.some()
    axis = g.axis(x)
    if axis is None or x.shape[axis] < 2:
        return None
    n, step = x.shape[axis], g.pick(1, 1, 2, -1)
    begin, end = sorted(int(p) for p in g.random.choice(n + 1, 2, replace=False))
    part = [slice(None)] * x.rank
    if step < 0:
        part[axis] = slice(end - 1, begin - 1 if begin else None, step)
        begin, end = end - 1, begin - 1 if begin else -n - 1
    else:
        part[axis] = slice(begin, end, step)
    inputs = [g.constant(np.array([v], I64)) for v in (begin, end, axis - (x.rank if chance(g.random, 0.3) else 0), step)]
    return move(g, "Slice", inputs, x, x.array[tuple(part)])


def split(g):
    x = g.some()
    axis = g.axis(x)
    if axis is None or x.shape[axis] < 2:
        return None
    at = g.integer(1, x.shape[axis] - 1)
    names = g.model.node("Split", [x.name, g.constant(np.array([at, x.shape[axis] - at], I64))], 2, axis=axis)
    for name, part in zip(names, np.split(x.array, [at], axis)):
        g.keep(Value(name, np.ascontiguousarray(part), x.step, x.zero))
    return g.values[-1]


def concatenate(g):
    x = g.some()
    axis = g.axis(x)
    if axis is None:
        return None

    def joins(v):
        return (v.is_real == x.is_real and v.array.dtype == x.array.dtype and v.rank == x.rank
                and (x.is_real or (v.step, v.zero) == (x.step, x.zero))
                and all(i == axis or a == b for i, (a, b) in enumerate(zip(v.shape, x.shape))))
    choices = [v for v in g.values if joins(v)]
    parts = [x] + [choices[g.integer(0, len(choices) - 1)] for _ in range(g.integer(1, 2))]
    parts = [parts[i] for i in g.random.permutation(len(parts))]
    return g.node("Concat", parts, np.concatenate([p.array for p in parts], axis), min(p.step for p in parts), x.zero, axis=axis)


def pad(g):
    x = g.some()
    mode = g.pick("constant", "constant", "edge", "reflect")
    sides = [(0, 0) if a < g.first_free() or chance(g.random, 0.4) else
             tuple(int(v) for v in g.random.integers(0, min(3, n), 2)) for a, n in enumerate(x.shape)]
    pads = g.constant(np.array([s[0] for s in sides] + [s[1] for s in sides], I64))
    if mode != "constant":
        return move(g, "Pad", [pads], x, np.pad(x.array, sides, mode=mode), mode=mode)
    fill = x.zero if not x.is_real else g.pick(0, 5 * 2.0 ** x.step)
    value = g.constant(F32(fill) if x.is_real else x.array.dtype.type(fill))
    return move(g, "Pad", [pads, value], x, np.pad(x.array, sides, constant_values=fill))


def resize(g):
    x = g.some()
    if x.rank != 4:
        return None
    factor = g.pick(2, 2, 3)
    scales = g.constant(np.array([1, 1, factor, factor], F32))
    return move(g, "Resize", ["", scales], x, x.array.repeat(factor, 2).repeat(factor, 3), mode="nearest",
                coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def blocks(g):
    """DepthToSpace or SpaceToDepth."""
    x = g.some()
    if x.rank != 4:
        return None
    n, c, h, w = x.shape
    if c % 4 == 0:
        mode = g.pick("DCR", "CRD")
        y = (x.array.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2) if mode == "DCR" else
             x.array.reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3))
        return move(g, "DepthToSpace", [], x, y.reshape(n, c // 4, h * 2, w * 2), blocksize=2, mode=mode)
    if h % 2 or w % 2 or not x.is_real:
        return None
    y = x.array.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 3, 5, 1, 2, 4)
    return move(g, "SpaceToDepth", [], x, y.reshape(n, 4 * c, h // 2, w // 2), blocksize=2)


def gather(g):
    x = g.some()
    axis = g.axis(x)
    if axis is None:
        return None
    places = g.random.integers(-x.shape[axis], x.shape[axis], g.integer(1, 6))
    return move(g, "Gather", [g.constant(places.astype(I64))], x, np.take(x.array, places, axis), axis=axis)


def expand(g):
    x = g.some()
    ones = [a for a in range(g.first_free(), x.rank) if x.shape[a] == 1]
    if not ones or not x.is_real:
        return None
    shape = [g.integer(2, 5) if a in ones else 1 for a in range(x.rank)]
    return move(g, "Expand", [g.constant(np.array(shape, I64))], x, np.broadcast_to(x.array, np.broadcast_shapes(shape, x.shape)))


#: How often each is drawn.
OPS = ([quantize] * 6 + [dequantize] * 4 + [requantize] * 3 + [through_integers, through_half] + [convolve] * 8
       + [multiply_by_weights] * 8 + [multiply_activations] * 2 + [integer_product] * 3 + [qlinear_product] * 3 + [unary] * 4 + [clip] * 2 + [leaky] * 2 + [hard_sigmoid]
       + [binary] * 6 + [power_factor] * 2 + [where] + [max_pool] * 2 + [average_pool] * 2 + [reduce] * 2 + [transpose] * 3
       + [reshape] * 3 + [cut] * 2 + [split] * 2 + [concatenate] * 3 + [pad] * 2 + [resize] + [blocks] + [gather] + [expand])


def draw(seed):
    """(model, names of its outputs, expected arrays)."""
    g = Graph(np.random.default_rng(seed))
    for _ in range(g.pick(1, 1, 2)):
        g.input()
    count, tries = g.integer(2, 14), 0
    while count and tries < 100:
        tries += 1
        count -= OPS[g.integer(0, len(OPS) - 1)](g) is not None
    used = {name for node in g.model.nodes for name in node.input}
    made = [v for v in g.values if v.name.rpartition("_")[0]] or [dequantize(g, g.values[-1]) or unary(g)]
    ends = [v for v in made if v.name not in used][-3:] or made[-1:]
    if chance(g.random, 0.3):
        ends = list({v.name: v for v in [*ends, made[g.integer(0, len(made) - 1)]]}.values())
    expected = [v.array.astype(F32) if v.is_real else v.array for v in ends]
    return g.model, [v.name for v in ends], expected
