"""Programs of StableHLO with results that numpy computes from the text of the specification, op by op.

A case is a text, its arguments and its results. Nothing here asks JAX: what the specification leaves open is what docs/Numerics.md
says.
"""

import itertools

import numpy as np

from stablehlo_quantized import quantized

NAMES = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
         "bool": "i1", "float16": "f16", "float32": "f32", "float64": "f64"}
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
SIGNED = ("int8", "int16", "int32", "int64")
FLOATS = ("float16", "float32")


def typed(array):
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{NAMES[str(array.dtype)]}>"


def program(body, args, results):
    """A module whose function has %0, %1, ... as arguments and what `body` calls %r0, %r1, ... as results."""
    heads = ", ".join(f"%arg{i}: {typed(a)}" for i, a in enumerate(args))
    types = ", ".join(map(typed, results))
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    return f"module {{\n func.func public @main({heads}) -> ({types}) {{\n{body}\n  return {names} : {types}\n }}\n}}\n"


def numbers(r, shape, dtype, extreme=False):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return r.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if extreme else (max(info.min, -20), 20)
        x = r.integers(low, high, shape, dtype, endpoint=True)
        return np.where(r.random(shape) < 0.2, r.choice(np.array([info.min, info.max, 0, 1], dtype), shape), x) if extreme else x
    x = r.normal(0, 3, shape)
    if extreme:
        x = np.where(r.random(shape) < 0.4, r.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5], shape), x)
    return x.astype(dtype)


# Elementwise.

def safe(function):
    def call(*args):
        with np.errstate(all="ignore"):
            return function(*args)
    return call


def wrapped_divide(x, y):
    wide_x, wide_y = x.astype(object), y.astype(object)
    return np.array([(-1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)) & (2 ** (8 * x.itemsize) - 1)
                     for a, b in zip(wide_x.flat, wide_y.flat)], object).astype(np.uint64).astype(x.dtype).reshape(x.shape)


def wrapped_remainder(x, y):
    return np.array([a if b == 0 else (abs(a) % abs(b)) * (1 if a >= 0 else -1)
                     for a, b in zip(x.astype(object).flat, y.astype(object).flat)], object).astype(x.dtype).reshape(x.shape)


def shift(x, n, kind):
    width = 8 * x.itemsize
    bits = [int(v) & (2 ** width - 1) for v in x.astype(object).flat]
    signs = [int(v) for v in x.astype(object).flat]
    counts = [int(v) & (2 ** width - 1) for v in n.astype(object).flat]
    if kind == "left":
        out = [(b << c) % 2 ** width if c < width else 0 for b, c in zip(bits, counts)]
    elif kind == "logical":
        out = [b >> c if c < width else 0 for b, c in zip(bits, counts)]
    else:
        top = 2 ** (width - 1)
        out = [((v + top) % 2 ** width - top) >> min(c, width - 1) for v, c in zip(signs, counts)]
    return np.array([v % 2 ** width for v in out], np.uint64).astype(x.dtype).reshape(x.shape)


UNARY = {
    "abs": (SIGNED + FLOATS + ("float64",), np.abs), "negate": (INTS + FLOATS, np.negative),
    "not": (INTS + ("bool",), np.invert), "floor": (FLOATS, np.floor), "ceil": (FLOATS, np.ceil),
    "round_nearest_even": (FLOATS, np.rint), "sqrt": (FLOATS + ("float64",), np.sqrt),
    "round_nearest_afz": (FLOATS, lambda x: np.where(np.isfinite(x), np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x), x)),
    "sign": (INTS + FLOATS, np.sign), "is_finite": (FLOATS, np.isfinite),
    "popcnt": (INTS, lambda x: np.array([bin(int(v) & (2 ** (8 * x.itemsize) - 1)).count("1") for v in x.flat]).reshape(x.shape)),
    "count_leading_zeros": (INTS, lambda x: np.array(
        [8 * x.itemsize - (int(v) & (2 ** (8 * x.itemsize) - 1)).bit_length() for v in x.flat]).reshape(x.shape)),
}
BINARY = {
    "add": (INTS + FLOATS, np.add), "subtract": (INTS + FLOATS, np.subtract), "multiply": (INTS + FLOATS, np.multiply),
    "maximum": (INTS + FLOATS, np.maximum), "minimum": (INTS + FLOATS, np.minimum),
    "and": (INTS + ("bool",), np.bitwise_and), "or": (INTS + ("bool",), np.bitwise_or), "xor": (INTS + ("bool",), np.bitwise_xor),
    "divide": (INTS, wrapped_divide), "remainder": (INTS, wrapped_remainder),
    "shift_left": (INTS, lambda x, n: shift(x, n, "left")), "shift_right_logical": (INTS, lambda x, n: shift(x, n, "logical")),
    "shift_right_arithmetic": (INTS, lambda x, n: shift(x, n, "arithmetic")),
}
DIRECTIONS = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}


def elementwise(r):
    for name, (types, function) in UNARY.items():
        for dtype in types:
            x = numbers(r, (3, 7), dtype, extreme=True)
            y = safe(function)(x)
            y = y.astype(bool if name == "is_finite" else dtype)
            pretty = f"  %r0 = stablehlo.{name} %arg0 : ({typed(x)}) -> {typed(y)}"
            yield f"{name} {dtype}", program(pretty, [x], [y]), [x], [y]
    for name, (types, function) in BINARY.items():
        for dtype in types:
            x, y = numbers(r, (4, 5), dtype, extreme=True), numbers(r, (4, 5), dtype, extreme=True)
            if name.startswith("shift"):
                y = np.where(r.random((4, 5)) < 0.7, np.abs(r.integers(0, 8 * x.itemsize + 3, (4, 5))), y).astype(dtype)
            z = safe(function)(x, y).astype(dtype)
            yield f"{name} {dtype}", program(f"  %r0 = stablehlo.{name} %arg0, %arg1 : {typed(x)}", [x, y], [z]), [x, y], [z]
    for dtype, direction in itertools.product(INTS + FLOATS + ("bool",), DIRECTIONS):
        x, y = numbers(r, (30,), dtype, extreme=True), numbers(r, (30,), dtype, extreme=True)
        kind = "FLOAT" if dtype in FLOATS else "SIGNED" if dtype in SIGNED else "UNSIGNED"
        z = DIRECTIONS[direction](x, y)
        body = f"  %r0 = stablehlo.compare {direction}, %arg0, %arg1, {kind} : ({typed(x)}, {typed(y)}) -> {typed(z)}"
        yield f"compare {direction} {dtype}", program(body, [x, y], [z]), [x, y], [z]
    for direction in DIRECTIONS:
        x, y = numbers(r, (60,), "float32", extreme=True), numbers(r, (60,), "float32", extreme=True)
        key = [np.where(v.view(np.int32) < 0, v.view(np.int32) ^ 0x7fffffff, v.view(np.int32)) for v in (x, y)]
        z = DIRECTIONS[direction](*key)
        body = f"  %r0 = stablehlo.compare {direction}, %arg0, %arg1, TOTALORDER : ({typed(x)}, {typed(y)}) -> {typed(z)}"
        yield f"compare {direction} total order", program(body, [x, y], [z]), [x, y], [z]
    for dtype in INTS + FLOATS:
        x, lo, hi = numbers(r, (3, 4), dtype), np.array(3, dtype), np.array(9, dtype)
        z = np.minimum(np.maximum(x, lo), hi)
        body = f"  %r0 = stablehlo.clamp %arg0, %arg1, %arg2 : ({typed(lo)}, {typed(x)}, {typed(hi)}) -> {typed(z)}"
        yield f"clamp {dtype}", program(body, [lo, x, hi], [z]), [lo, x, hi], [z]
        p, y = numbers(r, (3, 4), "bool"), numbers(r, (3, 4), dtype)
        z = np.where(p, x, y)
        body = f"  %r0 = stablehlo.select %arg0, %arg1, %arg2 : {typed(p)}, {typed(x)}"
        yield f"select {dtype}", program(body, [p, x, y], [z]), [p, x, y], [z]


def saturated(x, dtype):
    info = np.iinfo(dtype)
    return np.array([0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v)
                     for v in x.astype(np.float64).flat], dtype).reshape(x.shape)


def conversions(r):
    for a, b in itertools.product(INTS + FLOATS + ("bool",), repeat=2):
        x = numbers(r, (5, 6), a, extreme=True)
        if a == b:
            continue
        if b == "bool":
            y = x != 0
        elif a in FLOATS and b in INTS:
            y = saturated(x, b)
        else:
            y = safe(lambda v, b=b: (v.astype(np.float32) if b == "float16" else v).astype(b))(x)
        yield f"convert {a} {b}", program(f"  %r0 = stablehlo.convert %arg0 : ({typed(x)}) -> {typed(y)}", [x], [y]), [x], [y]
    for a, b in (("int32", "float32"), ("float32", "int32"), ("float16", "int16"), ("uint32", "float32"), ("int8", "uint8"), ("int32", "int8"),
                 ("int8", "int32"), ("float32", "uint8"), ("uint16", "float32"), ("int64", "float16"), ("float32", "int64")):
        before, after = np.dtype(a).itemsize, np.dtype(b).itemsize
        x = numbers(r, (3, after // before) if after > before else (3, 5), a)
        y = x.view(b)
        y = y.reshape(3, 5, before // after) if after < before else y.reshape(3) if after > before else y
        yield f"bitcast {a} {b}", program(f"  %r0 = stablehlo.bitcast_convert %arg0 : ({typed(x)}) -> {typed(y)}", [x], [y]), [x], [y]


# Movement.

def movement(r):
    for dtype in ("int8", "float32", "bool", "uint16"):
        x = numbers(r, (2, 3, 4), dtype)
        for order in itertools.permutations(range(3)):
            y = np.ascontiguousarray(x.transpose(order))
            body = f"  %r0 = stablehlo.transpose %arg0, dims = {list(order)} : ({typed(x)}) -> {typed(y)}"
            yield f"transpose {order} {dtype}", program(body, [x], [y]), [x], [y]
        for shape in ((24,), (6, 4), (2, 12), (4, 3, 2), (1, 24, 1)):
            y = x.reshape(shape)
            yield f"reshape {shape}", program(f"  %r0 = stablehlo.reshape %arg0 : ({typed(x)}) -> {typed(y)}", [x], [y]), [x], [y]
        for axes in ((0,), (1, 2), (0, 1, 2)):
            y = np.ascontiguousarray(np.flip(x, axes))
            yield f"reverse {axes}", program(f"  %r0 = stablehlo.reverse %arg0, dims = {list(axes)} : {typed(x)}", [x], [y]), [x], [y]
        y = np.ascontiguousarray(x[0:2:1, 1:3:1, 0:4:3])
        yield "slice", program(f"  %r0 = stablehlo.slice %arg0 [0:2, 1:3, 0:4:3] : ({typed(x)}) -> {typed(y)}", [x], [y]), [x], [y]
        for axis in range(3):
            z = np.concatenate([x, x[::-1], x], axis)
            body = (f"  %0 = stablehlo.reverse %arg0, dims = [0] : {typed(x)}\n  %r0 = stablehlo.concatenate %arg0, %0, %arg0, "
                    f"dim = {axis} : ({typed(x)}, {typed(x)}, {typed(x)}) -> {typed(z)}")
            yield f"concatenate {axis}", program(body, [x], [z]), [x], [z]
        small = numbers(r, (3, 1), dtype)
        y = np.broadcast_to(small.reshape(1, 3, 1), (2, 3, 5)).copy()
        body = f"  %r0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : ({typed(small)}) -> {typed(y)}"
        yield "broadcast_in_dim", program(body, [small], [y]), [small], [y]
        value = numbers(r, (), dtype)
        for low, high, inner in (((1, 0, 2), (0, 3, 1), (0, 0, 0)), ((-1, 1, 0), (0, -1, 2), (0, 1, 2)), ((0, -2, -1), (2, 2, 0), (3, 2, 1))):
            wide = np.full([n + (n - 1) * g for n, g in zip(x.shape, inner)], value, x.dtype)
            wide[tuple(slice(None, None, g + 1) for g in inner)] = x
            cut = wide[tuple(slice(max(-a, 0), n - max(-b, 0)) for a, b, n in zip(low, high, wide.shape))]
            y = np.pad(cut, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)], constant_values=value)
            body = (f"  %r0 = stablehlo.pad %arg0, %arg1, low = {list(low)}, high = {list(high)}, interior = {list(inner)} : "
                    f"({typed(x)}, {typed(value)}) -> {typed(y)}")
            yield f"pad {low} {high} {inner}", program(body, [x, value], [y]), [x, value], [y]
    for dtype, dim in itertools.product(("int32", "uint8", "float32", "int64"), range(2)):
        y = np.broadcast_to(np.arange(5 if dim else 3, dtype=dtype).reshape((1, 5) if dim else (3, 1)), (3, 5)).copy()
        yield f"iota {dtype}", program(f"  %r0 = stablehlo.iota dim = {dim} : {typed(y)}", [], [y]), [], [y]


# Indices.

def remainders(r):
    """Of floats of any size: the exact remainder, which has the sign of the dividend."""
    for dtype, bits in (("float16", "uint16"), ("float32", "uint32"), ("float64", "uint64")):
        x, y = (r.integers(0, np.iinfo(bits).max, 500, bits, endpoint=True).view(dtype) for _ in range(2))
        x[:4], y[:4] = (1e4, -0.0, np.inf, 3), (7, 2, 3, np.inf)
        with np.errstate(all="ignore"):
            z = np.fmod(x, y)
        body = f"  %r0 = stablehlo.remainder %arg0, %arg1 : {typed(x)}"
        yield f"remainder {dtype}", program(body, [x, y], [z]), [x, y], [z]


def indexing(r):
    x, huge = numbers(r, (9,), "int32"), np.array(2**63 + 5, "uint64")
    body = f"  %r0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2] : ({typed(x)}, tensor<ui64>) -> tensor<2xi32>"
    yield "dynamic_slice at 2^63", program(body, [x, huge], [x[7:]]), [x, huge], [x[7:]]
    body = (f"  %n = stablehlo.constant dense<9> : tensor<i32>\n"
            f"  %r0 = stablehlo.set_dimension_size %arg0, %n, dim = 0 : ({typed(x)}, tensor<i32>) -> {typed(x)}")
    yield "set_dimension_size", program(body, [x], [x]), [x], [x]
    for dtype in ("int8", "float32", "int64"):
        x = numbers(r, (5, 6), dtype)
        for _ in range(4):
            starts = [np.array(v, np.int32) for v in r.integers(-4, 9, 2)]
            at = [int(np.clip(s, 0, n - k)) for s, n, k in zip(starts, x.shape, (2, 3))]
            y = np.ascontiguousarray(x[at[0]:at[0] + 2, at[1]:at[1] + 3])
            body = f"  %r0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [2, 3] : ({typed(x)}, tensor<i32>, tensor<i32>) -> {typed(y)}"
            yield "dynamic_slice", program(body, [x, *starts], [y]), [x, *starts], [y]
            u = numbers(r, (2, 3), dtype)
            z = x.copy()
            z[at[0]:at[0] + 2, at[1]:at[1] + 3] = u
            body = (f"  %r0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : ({typed(x)}, {typed(u)}, tensor<i32>, "
                    f"tensor<i32>) -> {typed(z)}")
            yield "dynamic_update_slice", program(body, [x, u, *starts], [z]), [x, u, *starts], [z]
        # Rows by index, clamped; the vector of an index is dimension 1.
        i = r.integers(-3, 8, (4, 1)).astype(np.int32)
        y = x[np.clip(i[:, 0], 0, 4)]
        body = ('  %r0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
                f'start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}}> : ({typed(x)}, {typed(i)}) -> {typed(y)}')
        yield "gather rows", program(body, [x, i], [y]), [x, i], [y]
        # Windows of 2 x 2 whose starts are swapped pairs of indices.
        i = r.integers(-2, 7, (3, 2)).astype(np.int64)
        y = np.stack([x[np.clip(b, 0, 3):np.clip(b, 0, 3) + 2, np.clip(a, 0, 4):np.clip(a, 0, 4) + 2] for a, b in i])
        body = ('  %r0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], '
                f'start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>}}> : ({typed(x)}, {typed(i)}) -> {typed(y)}')
        yield "gather windows", program(body, [x, i], [y]), [x, i], [y]
        # Batches: row b of the result takes element i[b, k] of row b.
        i = r.integers(0, 6, (5, 3)).astype(np.int32)
        y = np.take_along_axis(x, i.astype(np.int64), 1)
        body = ('  %r0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], '
                'operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, '
                f'slice_sizes = array<i64: 1, 1>}}> : ({typed(x)}, {typed(i)}) -> {typed(y)}')
        yield "gather batches", program(body, [x, i], [y]), [x, i], [y]
        # Scatter of rows: indices outside are left out, later updates see earlier ones.
        for op, combine in (("add", np.add), ("multiply", np.multiply), ("maximum", np.maximum)):
            i = r.integers(-2, 7, (4, 1)).astype(np.int32)
            u = numbers(r, (4, 6), dtype)
            z = x.copy()
            for row, update in zip(i[:, 0], u):
                if 0 <= row < 5:
                    z[row] = combine(z[row], update)
            scalar = f"tensor<{NAMES[dtype]}>"
            body = ('  %r0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], '
                    'inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n'
                    f'  ^bb0(%a: {scalar}, %b: {scalar}):\n    %s = stablehlo.{op} %a, %b : {scalar}\n    stablehlo.return %s : {scalar}\n'
                    f'  }}) : ({typed(x)}, {typed(i)}, {typed(u)}) -> {typed(z)}')
            yield f"scatter {op}", program(body, [x, i, u], [z]), [x, i, u], [z]


# Contractions.

def dots(r):
    for dtype, out in (("int8", "int32"), ("int8", "int8"), ("int8", "float32"), ("uint8", "int32"), ("int16", "int32"), ("int32", "int32"),
                       ("float32", "float32"), ("float16", "float32")):
        for _ in range(6):
            b, m, k, n = (int(v) for v in r.integers(1, 9, 4))
            xs, ys = {"b": b, "m": m, "k": k}, {"b": b, "n": n, "k": k}
            px, py = r.permutation(list("bmk")), r.permutation(list("bnk"))
            x, y = numbers(r, [xs[c] for c in px], dtype, dtype != "int32" and dtype in INTS), numbers(r, [ys[c] for c in py], dtype)
            wide = np.float64 if out.startswith("f") else np.int64
            z = np.einsum(f"{''.join(px)},{''.join(py)}->bmn", x.astype(wide), y.astype(wide))
            z = z.astype(out)
            at = [list(p).index(c) for p, c in ((px, "b"), (py, "b"), (px, "k"), (py, "k"))]
            body = (f"  %r0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [{at[0]}] x [{at[1]}], contracting_dims = [{at[2]}] x [{at[3]}], "
                    f"precision = [DEFAULT, DEFAULT] : ({typed(x)}, {typed(y)}) -> {typed(z)}")
            yield f"dot_general {dtype} {out}", program(body, [x, y], [z]), [x, y], [z]


def outer_products(r):
    """Products and sums over no dimension, which a reader with more dimensions repeats."""
    for dtype in ("int8", "int32", "float32"):
        x, y, z = numbers(r, (3,), dtype), numbers(r, (4,), dtype), numbers(r, (5,), dtype)
        w = np.einsum("i,j,k->ijk", *(a.astype(np.float64 if dtype == "float32" else np.int64) for a in (x, y, z))).astype(dtype)
        middle = f"tensor<3x4x{NAMES[dtype]}>"
        body = (f"  %o = stablehlo.dot_general %arg0, %arg1, contracting_dims = [] x [] : ({typed(x)}, {typed(y)}) -> {middle}\n"
                f"  %r0 = stablehlo.dot_general %o, %arg2, contracting_dims = [] x [] : ({middle}, {typed(z)}) -> {typed(w)}")
        yield f"outer product {dtype}", program(body, [x, y, z], [w]), [x, y, z], [w]
        start, sums = np.array(0, dtype), np.repeat(x[:, None], 4, 1)
        body = (f"  %s = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [] : ({typed(x)}, {typed(start)}) -> {typed(x)}\n"
                f"  %r0 = stablehlo.broadcast_in_dim %s, dims = [0] : ({typed(x)}) -> {typed(sums)}")
        yield f"sum over nothing {dtype}", program(body, [x, start], [sums]), [x, start], [sums]
        body = (f"  %s = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [] x [] : ({typed(x)}, {typed(x)}) -> {typed(x)}\n"
                f"  %r0 = stablehlo.reduce(%s init: %arg2) applies stablehlo.add across dimensions = [0] : ({typed(x)}, {typed(start)}) -> {typed(start)}")
        total = np.array((x.astype(np.float64) ** 2).sum() if dtype == "float32" else (x.astype(np.int64) ** 2).sum()).astype(dtype)
        yield f"sum of products {dtype}", program(body, [x, x, start], [total]), [x, x, start], [total]


def convolve(x, w, strides, low, high, inner, dilation, flips, groups, batch_groups, wide):
    """x [N, C, H, W], w [O, I, H, W]; result [N, O, H, W], by the definition."""
    x, w = x.astype(wide), w.astype(wide)
    wide_x = np.zeros(x.shape[:2] + tuple(n + (n - 1) * g for n, g in zip(x.shape[2:], inner)), wide)
    wide_x[(slice(None),) * 2 + tuple(slice(None, None, g + 1) for g in inner)] = x
    cut = wide_x[(slice(None),) * 2 + tuple(slice(max(-a, 0), n - max(-b, 0)) for a, b, n in zip(low, high, wide_x.shape[2:]))]
    p = np.pad(cut, [(0, 0), (0, 0)] + [(max(a, 0), max(b, 0)) for a, b in zip(low, high)])
    w = np.flip(w, [2 + d for d in range(2) if flips[d]])
    extents = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation)]
    sizes = [max((n - e) // s + 1, 0) for n, e, s in zip(p.shape[2:], extents, strides)]
    count = groups * batch_groups
    batch, features, outputs = p.shape[0] // batch_groups, p.shape[1] // groups, w.shape[0] // count
    z = np.zeros((batch, w.shape[0], *sizes), wide)
    for g in range(count):
        part = p[g * batch:(g + 1) * batch] if batch_groups > 1 else p[:, g * features:(g + 1) * features]
        for i, j in np.ndindex(*w.shape[2:]):
            view = part[:, :, i * dilation[0]:, j * dilation[1]:][:, :, ::strides[0], ::strides[1]][:, :, :sizes[0], :sizes[1]]
            z[:, g * outputs:(g + 1) * outputs] += np.einsum("nchw,oc->nohw", view, w[g * outputs:(g + 1) * outputs, :, i, j])
    return z


def convolutions(r):
    for dtype, out in (("int8", "int32"), ("int8", "float32"), ("uint8", "int32"), ("int16", "int32"), ("float32", "float32"), ("int8", "int8")):
        for _ in range(10):
            kind = r.choice(["plain", "feature", "depthwise", "batch"])
            n, c, o = (int(v) for v in r.integers(1, 4, 3))
            groups, batch_groups, inner_c = 1, 1, c
            if kind == "feature":
                groups, c, o = 2, 2 * c, 2 * o
            elif kind == "depthwise":
                groups, inner_c, o = c, 1, c * int(r.integers(1, 3))
            elif kind == "batch":
                batch_groups, n, o = 2, 2 * n, 2 * o
            size, kernel = [int(v) for v in r.integers(4, 8, 2)], [int(v) for v in r.integers(1, 4, 2)]
            strides, dilation, inner = ([int(v) for v in r.integers(1, 3, 2)] for _ in range(3))
            low, high = ([int(v) for v in r.integers(-1, 3, 2)] for _ in range(2))
            flips = [bool(v) for v in r.integers(0, 2, 2)]
            x, w = numbers(r, (n, c, *size), dtype), numbers(r, (o, inner_c, *kernel), dtype)
            z = convolve(x, w, strides, low, high, [g - 1 for g in inner], dilation, flips, groups, batch_groups,
                         np.float64 if out.startswith("f") else np.int64).astype(out)
            orders = [[str(v) for v in r.permutation(list(letters))] for letters in ("bf01", "oi01", "bf01")]
            arrays = [np.ascontiguousarray(a.transpose([letters.index(c) for c in order]))
                      for a, letters, order in zip((x, w, z), ("bf01", "oi01", "bf01"), orders)]
            dims = "{}x{}->{}".format(*(f"[{', '.join(order)}]" for order in orders))
            body = (f"  %r0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = {dims}, window = {{stride = {strides}, "
                    f"pad = [[{low[0]}, {high[0]}], [{low[1]}, {high[1]}]], lhs_dilate = {inner}, rhs_dilate = {dilation}, "
                    f"reverse = [{str(flips[0]).lower()}, {str(flips[1]).lower()}]}} {{batch_group_count = {batch_groups} : i64, "
                    f"feature_group_count = {groups} : i64}} : ({typed(arrays[0])}, {typed(arrays[1])}) -> {typed(arrays[2])}")
            yield f"convolution {dtype} {out} {kind} {dims}", program(body, arrays[:2], arrays[2:]), arrays[:2], arrays[2:]


# Reductions, sorting, control.

def reductions(r):
    for dtype in INTS + FLOATS:
        x = numbers(r, (3, 4, 5), dtype)
        for (op, function), axes in itertools.product({"add": np.sum, "maximum": np.max, "minimum": np.min}.items(), ((0,), (1, 2), (0, 1, 2))):
            start = np.array(0 if op == "add" else 2, dtype)
            y = function(x.astype(np.float64) if dtype in FLOATS else x.astype(np.int64), axes).astype(dtype)
            y = np.asarray({"add": y, "maximum": np.maximum(y, start), "minimum": np.minimum(y, start)}[op])
            body = (f"  %r0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.{op} across dimensions = {list(axes)} : "
                    f"({typed(x)}, {typed(start)}) -> {typed(y)}")
            yield f"reduce {op} {dtype} {axes}", program(body, [x, start], [y]), [x, start], [y]
    for dtype in ("int32", "float32", "int8"):
        x = numbers(r, (6, 7), dtype)
        for size, stride, base, dilation, pads in (((2, 3), (1, 2), (1, 1), (1, 1), ((0, 1), (1, 1))), ((3, 1), (2, 1), (2, 1), (1, 1), ((1, 0), (0, 0))),
                                                   ((2, 2), (1, 1), (1, 2), (2, 2), ((0, 2), (-1, 2))), ((6, 1), (1, 1), (1, 1), (1, 1), ((5, 0), (0, 0)))):
            wide = np.zeros([n + (n - 1) * (g - 1) for n, g in zip(x.shape, base)], dtype)
            wide[::base[0], ::base[1]] = x
            cut = wide[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pads, wide.shape))]
            p = np.pad(cut, [(max(a, 0), max(b, 0)) for a, b in pads])
            sizes = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(p.shape, size, dilation, stride)]
            y = np.zeros(sizes, dtype)
            for i, j in np.ndindex(*size):
                y = y + p[i * dilation[0]:, j * dilation[1]:][::stride[0], ::stride[1]][:sizes[0], :sizes[1]]
            y, zero, scalar = y.astype(dtype), np.array(0, dtype), f"tensor<{NAMES[dtype]}>"
            body = ('  %r0 = "stablehlo.reduce_window"(%arg0, %arg1) <{'
                    f'base_dilations = array<i64: {base[0]}, {base[1]}>, padding = dense<[[{pads[0][0]}, {pads[0][1]}], [{pads[1][0]}, {pads[1][1]}]]> : tensor<2x2xi64>, '
                    f'window_dilations = array<i64: {dilation[0]}, {dilation[1]}>, window_dimensions = array<i64: {size[0]}, {size[1]}>, '
                    f'window_strides = array<i64: {stride[0]}, {stride[1]}>}}> ({{\n  ^bb0(%a: {scalar}, %b: {scalar}):\n'
                    f'    %s = stablehlo.add %a, %b : {scalar}\n    stablehlo.return %s : {scalar}\n  }}) : ({typed(x)}, {typed(zero)}) -> {typed(y)}')
            yield f"reduce_window {dtype} {size}", program(body, [x, zero], [y]), [x, zero], [y]
    # The greatest element and its place, the first of equal ones.
    x = numbers(r, (4, 9), "int32")
    y, z = x.max(1), x.argmax(1).astype(np.int32)
    body = ("  %i = stablehlo.iota dim = 1 : tensor<4x9xi32>\n  %least = stablehlo.constant dense<-2147483648> : tensor<i32>\n"
            "  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %r:2 = stablehlo.reduce(%arg0 init: %least), (%i init: %zero) across "
            "dimensions = [1] : (tensor<4x9xi32>, tensor<4x9xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)\n"
            "   reducer(%a: tensor<i32>, %b: tensor<i32>) (%c: tensor<i32>, %d: tensor<i32>) {\n"
            "    %more = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "    %v = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i32>\n    %w = stablehlo.select %more, %c, %d : tensor<i1>, tensor<i32>\n"
            "    stablehlo.return %v, %w : tensor<i32>, tensor<i32>\n  }")
    text = program(body, [x], [y, z]).replace("%r0, %r1", "%r#0, %r#1")
    yield "reduce of two", text, [x], [y, z]


def select_and_scatter(r):
    """Each element of the source goes to the element of its window that is preferred: the first of the greatest, or of the least.
    Padding is never chosen; a window of padding alone gives its element to none."""
    for dtype, (direction, sign), (shape, size, stride, pads) in itertools.product(
            ("int32", "float32", "uint8"), (("GE", 1), ("LE", -1)), (
                ((6, 7), (2, 3), (2, 2), ((0, 0), (1, 1))), ((5, 5), (3, 3), (1, 1), ((1, 1), (1, 1))),
                ((4, 6), (1, 2), (1, 2), ((0, 0), (-1, 1))), ((3, 3), (2, 2), (2, 2), ((3, 0), (2, 1))))):
        x = r.integers(0, 5, shape).astype(dtype)
        places = np.pad(np.arange(x.size).reshape(shape), [(max(a, 0), max(b, 0)) for a, b in pads], constant_values=-1)
        places = places[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pads, places.shape))]
        sizes = [(n - k) // s + 1 for n, k, s in zip(places.shape, size, stride)]
        source, start = r.integers(0, 9, sizes).astype(dtype), np.array(3, dtype)
        y = np.full(x.size, start)
        for i, j in np.ndindex(*sizes):
            window = places[i * stride[0]:, j * stride[1]:][:size[0], :size[1]].reshape(-1)
            window = window[window >= 0]
            if window.size:
                y[window[np.argmax(sign * x.reshape(-1)[window].astype(np.int64))]] += source[i, j]
        y, scalar = y.reshape(shape), f"tensor<{NAMES[dtype]}>"
        kind = "FLOAT" if dtype == "float32" else "UNSIGNED" if dtype == "uint8" else "SIGNED"
        body = ('  %r0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{'
                f'padding = dense<[[{pads[0][0]}, {pads[0][1]}], [{pads[1][0]}, {pads[1][1]}]]> : tensor<2x2xi64>, '
                f'window_dimensions = array<i64: {size[0]}, {size[1]}>, window_strides = array<i64: {stride[0]}, {stride[1]}>}}> ({{\n'
                f'  ^bb0(%a: {scalar}, %b: {scalar}):\n    %c = stablehlo.compare {direction}, %a, %b, {kind} : ({scalar}, {scalar}) -> tensor<i1>\n'
                f'    stablehlo.return %c : tensor<i1>\n  }}, {{\n  ^bb0(%a: {scalar}, %b: {scalar}):\n'
                f'    %s = stablehlo.add %a, %b : {scalar}\n    stablehlo.return %s : {scalar}\n  }}) : '
                f'({typed(x)}, {typed(source)}, {typed(start)}) -> {typed(y)}')
        yield f"select_and_scatter {dtype} {direction} {size}", program(body, [x, source, start], [y]), [x, source, start], [y]


def calls_in_regions(r):
    """A function that a region calls, with a broadcast of a scalar to a scalar, as jnp.where is written; paddings of nothing."""
    x = numbers(r, (4, 9), "int32")
    y, z, i = x.max(1), x.argmax(1).astype(np.int32), np.arange(9, dtype=np.int32)[None].repeat(4, 0)
    pick = ("  func.func private @pick(%p: tensor<i1>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {\n"
            "    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<i32>\n    return %s : tensor<i32>\n  }\n")
    body = ("  %least = stablehlo.constant dense<-2147483648> : tensor<i32>\n  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
            f"  %r:2 = stablehlo.reduce(%arg0 init: %least), (%arg1 init: %zero) across dimensions = [1] : "
            f"({typed(x)}, {typed(i)}, tensor<i32>, tensor<i32>) -> ({typed(y)}, {typed(z)})\n"
            "   reducer(%a: tensor<i32>, %b: tensor<i32>) (%c: tensor<i32>, %d: tensor<i32>) {\n"
            "    %more = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "    %v = func.call @pick(%more, %a, %b) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>\n"
            "    %w = func.call @pick(%more, %c, %d) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>\n"
            "    stablehlo.return %v, %w : tensor<i32>, tensor<i32>\n  }")
    text = program(body, [x, i], [y, z]).replace("%r0, %r1", "%r#0, %r#1").replace("module {\n", "module {\n" + pick, 1)
    yield "call in a region", text, [x, i], [y, z]
    for low, high, inner in ((1, 2, 1), (0, 0, 3)):
        empty, value = np.zeros((0, 2), np.float32), np.array(5, np.float32)
        full = np.full((low + high, 2), value)
        body = (f"  %r0 = stablehlo.pad %arg0, %arg1, low = [{low}, 0], high = [{high}, 0], interior = [{inner}, 0] : "
                f"({typed(empty)}, {typed(value)}) -> {typed(full)}")
        yield "pad nothing", program(body, [empty, value], [full]), [empty, value], [full]
    x, y = numbers(r, (3, 5), "float16"), numbers(r, (5, 4), "float16")
    z = x.astype(np.float32) @ y.astype(np.float32)
    body = ("  %r0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = "
            "<lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f32, lhs_component_count = 1, "
            f"rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : ({typed(x)}, {typed(y)}) -> {typed(z)}")
    yield "algorithm", program(body, [x, y], [z]), [x, y], [z]


def sorting(r):
    for dtype, axis, direction in itertools.product(("int32", "float32", "uint8", "int8"), (0, 1), ("LT", "GT")):
        x = numbers(r, (6, 7), dtype)
        if np.dtype(dtype).kind == "u":
            order = np.argsort(x.astype(np.int64) * (1 if direction == "LT" else -1), axis, kind="stable")
        else:
            order = np.argsort(x.astype(np.float64) * (1 if direction == "LT" else -1), axis, kind="stable")
        i = np.broadcast_to(np.arange(42, dtype=np.int32).reshape(6, 7), (6, 7)).copy()
        y, z = np.take_along_axis(x, order, axis), np.take_along_axis(i, order, axis)
        kind = "FLOAT" if dtype == "float32" else "UNSIGNED" if dtype == "uint8" else "SIGNED"
        scalar = f"tensor<{NAMES[dtype]}>"
        body = (f'  %r:2 = "stablehlo.sort"(%arg0, %arg1) <{{dimension = {axis} : i64, is_stable = true}}> ({{\n'
                f'  ^bb0(%a: {scalar}, %b: {scalar}, %c: tensor<i32>, %d: tensor<i32>):\n'
                f'    %s = stablehlo.compare {direction}, %a, %b, {kind} : ({scalar}, {scalar}) -> tensor<i1>\n'
                f'    stablehlo.return %s : tensor<i1>\n  }}) : ({typed(x)}, {typed(i)}) -> ({typed(y)}, {typed(z)})')
        yield f"sort {dtype} {direction}", program(body, [x, i], [y, z]).replace("%r0, %r1", "%r#0, %r#1"), [x, i], [y, z]
    for dtype in ("int32", "float32"):
        x = numbers(r, (3, 8), dtype)
        order = np.argsort(-x.astype(np.float64), 1, kind="stable")[:, :3]
        y, z = np.take_along_axis(x, order, 1), order.astype(np.int32)
        body = f"  %r:2 = chlo.top_k(%arg0, k = 3) : {typed(x)} -> ({typed(y)}, {typed(z)})"
        yield f"top_k {dtype}", program(body, [x], [y, z]).replace("%r0, %r1", "%r#0, %r#1"), [x], [y, z]


def control(r):
    for steps in (0, 1, 7):
        x, n = numbers(r, (5,), "int32"), np.array(steps, np.int32)
        y = x.copy()
        for i in range(steps):
            y = y * 2 + np.int32(i)
        body = (f"  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n"
                f"  %r:2 = stablehlo.while(%i = %zero, %c = %arg0) : tensor<i32>, {typed(x)} cond {{\n"
                f"    %p = stablehlo.compare LT, %i, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"
                f"  }} do {{\n    %next = stablehlo.add %i, %one : tensor<i32>\n    %d = stablehlo.add %c, %c : {typed(x)}\n"
                f"    %w = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> {typed(x)}\n    %e = stablehlo.add %d, %w : {typed(x)}\n"
                f"    stablehlo.return %next, %e : tensor<i32>, {typed(x)}\n  }}")
        yield f"while {steps}", program(body, [x, n], [y]).replace("return %r0", "return %r#1"), [x, n], [y]
    for branch in (-1, 0, 1, 2, 5):
        x, i = numbers(r, (4,), "float32"), np.array(branch, np.int32)
        y = [x, x + x, x * x][branch if 0 <= branch < 3 else 2]
        t = typed(x)
        body = (f'  %r0 = "stablehlo.case"(%arg1) ({{\n    stablehlo.return %arg0 : {t}\n  }}, {{\n    %a = stablehlo.add %arg0, %arg0 : {t}\n'
                f'    stablehlo.return %a : {t}\n  }}, {{\n    %a = stablehlo.multiply %arg0, %arg0 : {t}\n    stablehlo.return %a : {t}\n  }}) : (tensor<i32>) -> {t}')
        yield f"case {branch}", program(body, [x, i], [y]), [x, i], [y]
    for truth in (False, True):
        x, p = numbers(r, (4,), "int8"), np.array(truth)
        y, t = x + x if truth else x, typed(x)
        body = (f'  %r0 = "stablehlo.if"(%arg1) ({{\n    %a = stablehlo.add %arg0, %arg0 : {t}\n    stablehlo.return %a : {t}\n  }}, {{\n'
                f'    stablehlo.return %arg0 : {t}\n  }}) : (tensor<i1>) -> {t}')
        yield f"if {truth}", program(body, [x, p], [y]), [x, p], [y]


GROUPS = {group.__name__: group for group in (elementwise, conversions, remainders, movement, indexing, dots, outer_products, convolutions, reductions, select_and_scatter, calls_in_regions, sorting, control, quantized)}
