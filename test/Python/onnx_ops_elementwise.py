"""Generators of ops of elements, of reductions and of normalizations; see onnx_draw.py."""

import numpy as np
from onnx import TensorProto, helper

from onnx_draw import F16, F32, F64, I64, generates

FLOATS = (F32, F64, F16)
#: Ops of one element, and the least and greatest number that they are drawn with.
UNARY = {"Abs": None, "Neg": None, "Sign": None, "Floor": None, "Ceil": None, "Round": None, "Relu": None, "Sqrt": (-1, 9),
         "Exp": (-9, 9), "Log": (-1, 9), "Erf": (-4, 4), "Sigmoid": (-9, 9), "Tanh": (-5, 5), "Sin": (-40, 40),
         "Cos": (-40, 40), "Tan": (-40, 40), "Asin": (-1.2, 1.2), "Acos": (-1.2, 1.2), "Atan": (-9, 9), "Sinh": (-9, 9),
         "Cosh": (-9, 9), "Asinh": (-9, 9), "Acosh": (0.5, 9), "Atanh": (-1.1, 1.1), "Softplus": (-20, 20),
         "Softsign": None, "Mish": (-9, 9), "Reciprocal": None, "HardSwish": (-5, 5), "IsNaN": None, "Not": None,
         "BitwiseNot": None}
#: Whose results ONNX leaves open, or rounds otherwise, for infinities, NaN and zeros of a sign.
WITHOUT_SPECIALS = {"Sign", "HardSwish", "Mish"}


@generates(*UNARY)
def unary(d):
    kind, shape, bounds = d.kind(), d.shape(0), UNARY[d.schema.name]
    x = d.array(shape, kind, special=d.chance(0.3) and d.schema.name not in WITHOUT_SPECIALS)
    if bounds and np.dtype(kind).kind == "f":
        x = np.where(np.isfinite(x) & (np.abs(x) < 100), d.random.uniform(*bounds, shape), x).astype(kind)
    d.input(x)
    if d.schema.name == "HardSwish" and kind == F64:
        d.no_peer = "ONNX Runtime takes 1/6 rounded to float32"


@generates("Celu", "Elu", "LeakyRelu", "Selu", "Swish", "ThresholdedRelu", "HardSigmoid", "Gelu")
def activation(d):
    d.input(d.array(d.shape(), d.kind(0, *FLOATS)))
    d.set(alpha=d.real(0.1, 2), beta=d.real(0.1, 1), gamma=d.real(0.5, 2), approximate=d.pick("none", "tanh"))


@generates("IsInf")
def is_infinite(d):
    d.input(d.array(d.shape(), d.kind(0, *FLOATS), special=True))
    d.set(detect_positive=d.integer(0, 1), detect_negative=d.integer(0, 1))


def pair(d, kind, special=False, no_zero=False):
    shape = d.shape(0)
    x, y = d.array(shape, kind, special=special), d.array(d.broadcast(shape), kind, special=special)
    if no_zero:
        y = np.where(np.isin(y, (0, -1)) & (np.dtype(kind).kind in "iu"), kind(3), y)
    if d.chance(0.3):
        x, y = (y, x) if not no_zero else (x, y)
    return d.input(x), d.input(y)


@generates("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
           "BitwiseAnd", "BitwiseOr", "BitwiseXor")
def binary(d):
    # A quotient by 0 and one of the least number by -1 have no meaning.
    pair(d, d.kind(), d.chance(0.2) and d.schema.name != "Div", d.schema.name == "Div")


@generates("BitShift")
def shift(d):
    d.set(direction=d.pick("LEFT", "RIGHT"))
    shape = d.shape()
    d.input(d.array(shape, np.uint8))
    d.input(d.random.integers(0, 10, d.broadcast(shape)).astype(np.uint8))


@generates("Mod")
def modulo(d):
    kind = d.kind()
    is_real = np.dtype(kind).kind == "f"
    d.set(fmod=1 if is_real and d.chance(0.9) else d.integer(0, 1), part=1 if is_real else 0.6)
    pair(d, kind, no_zero=True)


@generates("Pow")
def power(d):
    kind, other = d.kind(0, F32, F64, F16, np.int32, I64), d.kind(1, F32, np.int32, I64) if d.opset >= 12 else None
    shape = d.shape(0)
    x = d.array(shape, kind)
    other = other or kind
    if np.dtype(kind).kind == "f":
        x = np.where(d.random.random(shape) < 0.7, np.abs(x), x).astype(kind)
    y = d.array(() if d.chance(0.5) else d.broadcast(shape), other, 1.0)
    d.input(x)
    d.input(d.random.choice(np.array([0, 1, 2, 3, 0.5, -1, -0.5]), y.shape).astype(other) if d.chance(0.6)
            else np.clip(y, -3, 3).astype(other), 0.5)


@generates("Max", "Min", "Mean", "Sum")
def variadic(d):
    kind, shape = d.kind(), d.shape(0)
    for i in range(d.integer(1, 4)):
        d.input(d.array(d.broadcast(shape) if i else shape, kind))


@generates("PRelu")
def p_relu(d):
    kind, shape = d.kind(0, *FLOATS), d.shape()
    d.input(d.array(shape, kind))
    d.input(d.array(tuple(1 if d.chance(0.3) else n for n in shape)[d.integer(0, len(shape)):], kind))


@generates("Clip")
def clip(d):
    kind = d.kind()
    d.input(d.array(d.shape(0), kind))
    low, high = np.sort(d.array((2,), kind))
    d.maybe(low, 0.7, 0.6)
    d.maybe(high, 0.7, 0.6)


@generates("Where")
def where(d):
    shape, kind = d.shape(0), d.kind(1)
    d.input(d.array(d.broadcast(shape), np.bool_))
    d.input(d.array(shape, kind))
    d.input(d.array(d.broadcast(shape), kind))


CASTS = (F32, F64, F16, np.int8, np.uint8, np.int16, np.int32, I64, np.bool_)


def castable(d, kind, to):
    """Numbers that the other type has: the others are not defined."""
    x = d.array(d.shape(0), kind, 60)
    if np.dtype(kind).kind == "f" and np.dtype(to).kind in "iu":
        info = np.iinfo(to)
        x = np.clip(x, max(info.min, -2e9), min(info.max, 2e9)).astype(kind)
    return x


def set_for_small_floats(d):
    """Attributes that say something of float8 alone."""
    d.set(0.1, saturate=d.integer(0, 1), round_mode=d.pick("up", "down", "nearest"))


@generates("Cast")
def cast(d):
    kind, to = d.kind(0, *CASTS), d.pick(*CASTS)
    d.input(castable(d, kind, to))
    d.set(to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))
    set_for_small_floats(d)


@generates("CastLike")
def cast_like(d):
    kind, to = d.kind(0, *CASTS), d.pick(*CASTS)
    d.input(castable(d, kind, to))
    d.input(d.array((2,), to))
    set_for_small_floats(d)


# Reductions.

def axis_of(d, rank, absent=0):
    """Sets the attribute `axis`; what it is, or is without it."""
    axis = d.integer(-rank, rank - 1)
    d.set(axis=axis)
    return d.get("axis", absent)


@generates("ArgMax", "ArgMin")
def arg_extreme(d):
    shape, kind = d.shape(), d.kind()
    # Equal elements are frequent.
    x = d.array(shape, kind)
    d.input(np.rint(x).astype(kind) if d.chance(0.5) else x)
    axis_of(d, len(shape))
    d.set(keepdims=d.integer(0, 1), select_last_index=d.integer(0, 1))


@generates("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
           "ReduceSum", "ReduceSumSquare")
def reduction(d):
    shape, op = d.shape(), d.schema.name
    kind = d.kind(0, F32, F64, F16, np.int32, I64, *((np.uint8, np.int8, np.bool_) if op in ("ReduceMax", "ReduceMin") else ()))
    x = d.array(shape, kind, 1.0)
    if np.dtype(kind).kind == "i":
        # ONNX Runtime multiplies in floats.
        x = np.clip(x, -9, 9) if op != "ReduceProd" else np.where(d.random.random(shape) < 0.02, x % 3, np.sign(x) | 1).astype(kind)
        if op in ("ReduceMean", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"):
            x = np.abs(x) + 1
    d.input(np.abs(x) if op == "ReduceLogSum" else x)
    axes = [a - len(shape) if d.chance(0.4) else a for a in range(len(shape)) if d.chance(0.6)]
    if d.has("axes"):
        if axes:
            d.set(axes=axes)
    else:
        d.maybe(np.array(axes, I64), 0.8, 1)
        d.set(noop_with_empty_axes=d.integer(0, 1))
    d.set(keepdims=d.integer(0, 1))


@generates("CumSum", "CumProd")
def cumulative(d):
    shape = d.shape()
    d.input(d.array(shape, d.kind(0, F32, F64, np.int32, I64), 1.0))
    d.constant(np.asarray(d.integer(-len(shape), len(shape) - 1), d.kind(1)))
    d.set(exclusive=d.integer(0, 1), reverse=d.integer(0, 1))


@generates("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def along_axis(d):
    shape = d.shape()
    d.input(d.array(shape, d.kind(0, *FLOATS)))
    axis_of(d, len(shape))
    if d.since < 13 and len(shape) == 1:
        d.set(1, axis=0)
    d.set(p=d.integer(1, 2))


@generates("LRN")
def local_response(d):
    # ONNX Runtime takes odd sizes and images of two dimensions.
    rank, size = (2, d.pick(1, 3, 5, 7)) if d.chance(0.8) else (d.integer(1, 3), d.integer(1, 9))
    d.input(d.array((d.integer(1, 2), d.integer(1, 9), *d.shape(rank, rank)), d.kind(0, *FLOATS)))
    d.set(size=size, alpha=d.real(1e-4, 1), beta=d.real(0.3, 1), bias=d.real(0.5, 2))


# Normalizations.

def channels(d, kind, n, positive=False):
    x = d.array((n,), kind)
    d.fixed(np.abs(x) + kind(0.1) if positive else x, 0.8)


@generates("BatchNormalization")
def batch_normalization(d):
    kind, n = d.kind(0, *FLOATS), d.integer(1, 9)
    d.input(d.array((d.integer(1, 3), n, *d.shape(0, 3)), kind))
    for positive in (False, False, False, True):
        channels(d, kind, n, positive)
    d.set(epsilon=d.real(1e-6, 1e-2), momentum=d.real(0.5, 0.99))
    d.set(0.1, training_mode=0)


@generates("InstanceNormalization")
def instance_normalization(d):
    kind, n = d.kind(0, *FLOATS), d.integer(1, 9)
    d.input(d.array((d.integer(1, 3), n, *d.shape(1, 3), 5), kind))
    channels(d, kind, n)
    channels(d, kind, n)
    d.set(epsilon=d.real(1e-6, 1e-2))


@generates("GroupNormalization")
def group_normalization(d):
    kind, groups = d.kind(0, *FLOATS), d.integer(1, 4)
    n = groups * d.integer(1, 4)
    d.fixed(d.array((d.integer(1, 3), n, *d.shape(1, 3), 5), kind))
    for _ in range(2):
        channels(d, kind, groups if d.since < 21 else n)
    d.set(num_groups=groups, epsilon=d.real(1e-6, 1e-2), stash_type=1)


@generates("LayerNormalization", "RMSNormalization")
def layer_normalization(d):
    kind, shape = d.kind(0, *FLOATS), (*d.shape(0, 2), d.integer(4, 20))
    d.fixed(d.array(shape, kind))
    axis = axis_of(d, len(shape), -1)
    of = shape[axis if axis < 0 else axis - len(shape):]
    d.fixed(d.array(of, kind), 0.7)
    if d.schema.name == "LayerNormalization":
        d.maybe(d.array(of, kind), constant=0.7, fixed=True)
    d.set(epsilon=d.real(1e-6, 1e-2), stash_type=TensorProto.FLOAT)


# What ONNX defines by others.

@generates("Dropout")
def dropout(d):
    kind = d.kind(0, *FLOATS)
    d.input(d.array(d.shape(), kind))
    if d.has("ratio"):
        d.set(ratio=d.real(0.1, 0.9))
    elif d.maybe(np.asarray(0.25, F32), 0.5, 1):
        d.maybe(np.asarray(False), 0.5, 1)
    d.set(seed=d.integer(0, 99))


@generates("Range", "com.microsoft::Range")
def number_range(d):
    kind = d.kind(0, F32, F64, np.int32, I64)
    start, step = d.integer(-9, 9), d.pick(-3, -1, 1, 2, 0.5, 0.25)
    step = step if np.dtype(kind).kind == "f" else int(np.sign(step) * max(abs(step), 1))
    numbers = [start, start + step * d.integer(0, 9) + (step * 0.5 if np.dtype(kind).kind == "f" else 0), step]
    if d.schema.domain and step == 1 and d.chance(0.5):
        numbers.pop()
    for number in numbers:
        d.constant(np.asarray(number, kind))
    d.set(stash_type=1)
