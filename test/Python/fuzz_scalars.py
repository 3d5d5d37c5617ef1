"""Ops of arith and math on arrays, by docs/Numerics.md, for fuzz_graph.py.

A bf16 is kept as the f32 of its value; the other types are those of numpy.
"""

import numpy as np

import float_library
import oracle

f32 = np.float32
DTYPES = {
    "i1": np.bool_, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "index": np.int64, "f16": np.float16, "bf16": np.float32,
    "f32": np.float32, "f64": np.float64,
}


class Unknown(Exception):
    """Not a thing that this interpreter knows."""


def is_float(element):
    return element[0] in "bf"


def bits_of(element):
    return {"i1": 1, "i8": 8, "ui8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}[element]


def round_to(values, element):
    """Binary32 values rounded once to a type."""
    if element == "bf16":
        return oracle.to_bf16(values)
    return values.astype(DTYPES[element])


def wrap(values, element):
    """Integers of any width cut off to an element type."""
    if element == "i1":
        return (values & 1).astype(np.bool_)
    if values.dtype == object:
        bits = bits_of(element)
        low = np.asarray(values & ((1 << bits) - 1), object)
        return low.astype(f"u{bits // 8}").view(DTYPES[element])
    return values.astype(DTYPES[element])


def unsigned(values):
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return values.view(f"u{values.dtype.itemsize}")


def signed(values):
    """i1 is -1 or 0 as a signed integer."""
    return -values.astype(np.int8) if values.dtype == np.bool_ else values


def shift(name, a, b, element):
    width = bits_of(element)
    amount = unsigned(b).astype(np.uint64)
    small = np.minimum(amount, width - 1).astype(np.int64)
    if name == "shrsi":
        return wrap(signed(a).astype(np.int64) >> small, element)
    bits = unsigned(a).astype(np.uint64)
    moved = bits << small.astype(np.uint64) if name == "shli" else bits >> small.astype(np.uint64)
    return wrap(np.where(amount >= width, 0, moved).astype(np.uint64), element)


def whole(values, is_unsigned):
    """Integers of Python, which have no width."""
    return np.asarray(unsigned(values) if is_unsigned else values).astype(object)


DIVISIONS = {"divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui"}


def divide(name, a, b, element):
    """N8: what is divided by zero gives 0, INT_MIN / -1 wraps."""
    a, b = np.broadcast_arrays(a, b)
    a, b = whole(a, name.endswith("ui")), whole(b, name.endswith("ui"))
    is_zero = b == 0
    divisor = np.where(is_zero, 1, b)
    floor = a // divisor
    ceiling = -(-a // divisor)
    truncated = np.where((a < 0) != (divisor < 0), ceiling, floor)
    result = {"div": truncated, "floordiv": floor, "ceildiv": ceiling,
              "rem": a - truncated * divisor}[name[:-2]]
    return wrap(np.asarray(np.where(is_zero, 0, result), object), element)


def extended(name, a, b, element):
    """The two results of an op of twice the width."""
    is_unsigned = name != "mulsi_extended"
    a, b = whole(a, is_unsigned), whole(b, is_unsigned)
    both = np.asarray(a + b if name == "addui_extended" else a * b, object)
    high = np.asarray(both >> bits_of(element), object)
    return wrap(both, element), wrap(high, "i1" if name == "addui_extended" else element)


def compare(predicate, a, b):
    if predicate[0] == "u" and a.dtype.kind != "f":
        a, b = unsigned(a), unsigned(b)
    if a.dtype.kind == "f":
        ordered = ~(np.isnan(a) | np.isnan(b))
        if predicate in ("ord", "uno"):
            return ordered if predicate == "ord" else ~ordered
        relation = {"eq": a == b, "ne": a != b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b}
        result = relation[predicate[1:]]
        return result & ordered if predicate[0] == "o" else result | ~ordered
    a, b = (signed(a), signed(b)) if predicate[0] == "s" else (a, b)
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[
        predicate[-2:]
    ]


def to_integer(x, element, is_signed):
    """Saturates; NaN gives 0 (N8)."""
    bits = bits_of(element)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    number = np.trunc(x.astype(np.float64))
    number = np.where(np.isnan(number), 0, number)
    if bits < 64:
        return wrap(np.clip(number, low, high).astype(np.int64), element)
    # `high` is no float.
    inside = np.clip(number, low, high) < float(high)
    exact = np.frompyfunc(int, 1, 1)(np.where(inside & (number > low), number, 0))
    exact = np.where(number <= low, low, np.where(inside, exact, high))
    return wrap(np.asarray(exact, object), element)


INTEGER_OPS = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
}
EXTREMES = {"maxsi": np.maximum, "minsi": np.minimum, "maxui": np.maximum, "minui": np.minimum}
FLOAT_OPS = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
FLOAT_EXTREMES = {"maximumf", "minimumf", "maxnumf", "minnumf"}


def float_extreme(name, a, b):
    """-0 < +0; of a NaN the NaN, or the other operand (N7)."""
    sign = np.signbit(b if name.startswith("max") else a)
    better = a > b if name.startswith("max") else a < b
    result = np.where(sign & (a == b), a, np.where(better, a, b))
    if name.endswith("numf"):
        return np.where(np.isnan(a), b, np.where(np.isnan(b), a, result))
    return np.where(np.isnan(a), a, np.where(np.isnan(b), b, result))


def binary(name, a, b, element):
    if name in INTEGER_OPS:
        if element == "i1" and name[-1] == "i" and name in ("addi", "subi", "muli"):
            name = "andi" if name == "muli" else "xori"
        return wrap(INTEGER_OPS[name](a, b), element)
    if name in EXTREMES:
        view = unsigned if name.endswith("ui") else signed
        return wrap(EXTREMES[name](view(a), view(b)), element)
    if name in ("shli", "shrsi", "shrui"):
        return shift(name, a, b, element)
    if name in DIVISIONS:
        return divide(name, a, b, element)
    if name in FLOAT_EXTREMES:
        return float_extreme(name, a, b)
    if name == "copysign":
        return np.copysign(a, b)
    if name in FLOAT_OPS and element == "f64":
        return FLOAT_OPS[name](a, b)
    if name in FLOAT_OPS and is_float(element):
        # One operation in binary32, rounded once (N4).
        return round_to(FLOAT_OPS[name](a.astype(f32), b.astype(f32)), element)
    raise Unknown(name)


def half_away(x):
    """math.round"""
    down = np.trunc(x)
    away = down + np.copysign(np.where(np.abs(x - down) >= 0.5, 1, 0).astype(x.dtype), x)
    return np.where(np.isfinite(x), np.copysign(away, x), x)


EXACT = {"negf": np.negative, "absf": np.abs, "floor": np.floor, "ceil": np.ceil,
         "trunc": np.trunc, "roundeven": np.rint, "sqrt": np.sqrt, "round": half_away}
FUNCTIONS = {"exp", "tanh", "erf", "rsqrt", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh",
             "acosh", "atanh", "expm1", "log1p"}


def count_bits(name, a, element):
    width = bits_of(element)
    bits = [(unsigned(a).astype(np.uint64) >> np.uint64(i)) & np.uint64(1) for i in range(width)]
    if name == "ctpop":
        return wrap(sum(bit.astype(np.int64) for bit in bits), element)
    count = np.zeros(np.shape(a), np.int64)
    still = np.ones(np.shape(a), np.bool_)
    for bit in reversed(bits) if name == "ctlz" else bits:
        still = still & (bit == 0)
        count = count + still
    return wrap(count, element)


def unary_float(name, a, element):
    if element == "f64":
        if name not in EXACT:
            raise Unknown(name)
        return EXACT[name](a)
    if name in EXACT:
        return round_to(EXACT[name](a.astype(f32)), element)
    flat = np.ascontiguousarray(a, f32).reshape(-1)
    return round_to(float_library.apply(name, flat).reshape(np.shape(a)), element)


def to_float(a, element):
    """From integers, f16 and bf16 by way of f32 (N8)."""
    return a.astype(np.float64) if element == "f64" else round_to(a.astype(f32), element)


def bitcast(a, element):
    if element == "bf16":
        return (unsigned(a).astype(np.uint32) << 16).view(f32)
    return a.view(DTYPES[element])


def scalar_op(name, attribute, operands, element):
    """An op of arith or math on arrays."""
    name = name.split(".")[1]
    a = operands[0]
    if name in ("cmpi", "cmpf"):
        return compare(attribute, *operands)
    if name == "select":
        return np.where(*operands)
    if name in ("extsi", "index_cast"):
        return wrap(signed(a).astype(np.int64), element)
    if name in ("extui", "index_castui"):
        return wrap(unsigned(a).astype(np.uint64), element)
    if name == "trunci":
        return wrap(a, element)
    if name in ("sitofp", "uitofp"):
        return to_float((signed if name == "sitofp" else unsigned)(a), element)
    if name in ("fptosi", "fptoui"):
        return to_integer(a, element, name == "fptosi")
    if name in ("extf", "truncf"):
        if a.dtype == np.float64 and element == "bf16":
            raise Unknown("f64 to bf16")
        return round_to(a, element) if element == "bf16" else a.astype(DTYPES[element])
    if name == "bitcast":
        return bitcast(a, element)
    if name == "absi":
        return wrap(np.where(signed(a) < 0, -signed(a), signed(a)), element)
    if name in ("ctlz", "cttz", "ctpop"):
        return count_bits(name, a, element)
    if name in EXACT or name in FUNCTIONS:
        return unary_float(name, a, element)
    if name == "fma" and element != "f64":
        return round_to(oracle.fma(*(x.astype(f32) for x in operands)), element)
    if len(operands) == 2:
        return binary(name, *operands, element)
    raise Unknown(name)


def reduce_flat(name, e, initial, element):
    """N8: the last axis of e in 32 strided lanes, then a tree, then the initial value."""
    neutral = {"addf": -0.0, "mulf": 1.0, "maximumf": -np.inf, "minimumf": np.inf}.get(name, np.nan)
    lanes = np.full(e.shape[:-1] + (32,), neutral, e.dtype)
    for start in range(0, e.shape[-1], 32):
        part = e[..., start : start + 32]
        lanes[..., : part.shape[-1]] = binary(name, lanes[..., : part.shape[-1]], part, element)
    for step in (16, 8, 4, 2, 1):
        lanes[..., :step] = binary(name, lanes[..., :step], lanes[..., step : 2 * step], element)
    return binary(name, initial, lanes[..., 0], element)


def softmax(x, axis, element):
    """linalg.softmax (N8)."""
    x = np.moveaxis(x, axis, -1)
    outer = x.shape[:-1]
    highest = reduce_flat("maximumf", x, np.full(outer, -np.inf, x.dtype), element)
    e = unary_float("exp", binary("subf", x, highest[..., None], element), element)
    total = reduce_flat("addf", e, np.zeros(outer, x.dtype), element)
    return np.moveaxis(binary("divf", e, total[..., None], element), -1, axis).copy()
