"""Quantized types of StableHLO, for stablehlo_cases.py: the specification's quantize and dequantize in numpy, on float32.

An op on quantized values is the op on real ones between them (dequantize_op_quantize), so each case computes real numbers.
"""

import numpy as np

f32 = np.float32
LIMITS = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767), "i32": (-2**31, 2**31 - 1)}
STORED = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32}


class Quant:
    """A quantized type: of all elements, or of the indices of an axis."""

    def __init__(self, storage, scales, zeros=0, axis=None, limits=None, expressed="f32"):
        self.storage, self.axis, self.limits, self.expressed = storage, axis, limits or LIMITS[storage], expressed
        self.scales = np.atleast_1d(np.array(scales, f32))
        self.zeros = np.broadcast_to(np.array(zeros, np.int64), self.scales.shape)
        bounds = f"<{limits[0]}:{limits[1]}>" if limits else ""
        each = [f"{float(s)!r}" + (f":{z}" if z else "") for s, z in zip(self.scales, self.zeros)]
        each = [e if "." in e or "e" not in e else e.replace("e", ".0e") for e in each]
        where = "" if axis is None else f":{axis}"
        self.text = f"!quant.uniform<{storage}{bounds}:{expressed}{where}, {each[0] if axis is None else '{' + ', '.join(each) + '}'}>"

    def at(self, axis):
        """The type with its parameters along another axis."""
        return Quant(self.storage, self.scales, self.zeros, axis, None if self.limits == LIMITS[self.storage] else self.limits, self.expressed)

    def along(self, values, rank):
        return values.reshape([-1 if d == self.axis else 1 for d in range(rank)]) if rank else values[0]

    def type(self, shape):
        return f"tensor<{''.join(f'{n}x' for n in shape)}{self.text}>"

    def quantize(self, x):
        with np.errstate(all="ignore"):
            y = np.rint((x.astype(f32) / self.along(self.scales, x.ndim)).astype(f32)).astype(np.float64)
        y = np.where(np.isnan(y), 0, np.clip(y, -2.0**62, 2.0**62)) + self.along(self.zeros, x.ndim)
        return np.clip(y, *self.limits).astype(STORED[self.storage])

    def dequantize(self, q):
        return (q.astype(np.int64) - self.along(self.zeros, q.ndim)).astype(f32) * self.along(self.scales, q.ndim)

    def stored(self, r, shape):
        low, high = (max(n, -30000) if n < 0 else min(n, 30000) for n in self.limits)
        return r.integers(low, high, shape, endpoint=True).astype(STORED[self.storage])


def types(r):
    yield Quant("i8", 0.05, 3)
    yield Quant("u8", 0.02, 128)
    yield Quant("i16", 0.003, 0)
    yield Quant("i16", 0.003, -70)
    yield Quant("i32", 1e-4, 0)
    yield Quant("i32", 1e-4, 12)
    yield Quant("i8", 0.05, 0, limits=(-127, 127))
    yield Quant("u8", 0.05, 7, limits=(2, 200))
    yield Quant("i32", 0.5, 0, limits=(-1000, 1000))
    for storage, zeros in (("i8", (-3, 0, 100)), ("u8", (1, 128, 255)), ("i16", (5, 0, -5)), ("i32", 0)):
        yield Quant(storage, r.uniform(0.01, 0.1, 3), zeros, axis=1)


def quantized(r):
    def case(what, body, args, results):
        heads = ", ".join(f"%arg{i}: {t}" for i, (_, t) in enumerate(args))
        outs = ", ".join(t for _, t in results)
        names = ", ".join(f"%r{i}" for i in range(len(results)))
        text = f"module {{\n func.func public @main({heads}) -> ({outs}) {{\n{body}\n  return {names} : {outs}\n }}\n}}\n"
        return what, text, [a for a, _ in args], [a for a, _ in results]

    def floats(*shape):
        x = r.normal(0, 3, shape)
        return np.where(r.random(shape) < 0.1, r.choice([np.inf, -np.inf, np.nan, -0.0, 1e30], shape), x).astype(f32)

    def real(shape):
        return f"tensor<{''.join(f'{n}x' for n in shape)}f32>"

    every = list(types(r))
    for t in every:
        x = floats(7, 3, 5)
        y = t.quantize(x)
        kind = t.type(x.shape)
        yield case(f"quantize {t.text}", f"  %r0 = stablehlo.uniform_quantize %arg0 : ({real(x.shape)}) -> {kind}", [(x, real(x.shape))], [(y, kind)])
        q = t.stored(r, x.shape)
        yield case(f"dequantize {t.text}", f"  %r0 = stablehlo.uniform_dequantize %arg0 : ({kind}) -> {real(x.shape)}", [(q, kind)],
                   [(t.dequantize(q), real(x.shape))])
        to = Quant("i8", 0.07, -9)
        yield case(f"requantize {t.text}", f"  %r0 = stablehlo.uniform_quantize %arg0 : ({kind}) -> {to.type(x.shape)}", [(q, kind)],
                   [(to.quantize(t.dequantize(q)), to.type(x.shape))])
    # Ops on real numbers between dequantize and quantize.
    a, b, c = Quant("i8", 0.05, 3), Quant("u8", 0.04, 100), Quant("i8", 0.11, -20)
    shape = (6, 9)
    p, q = a.stored(r, shape), b.stored(r, shape)
    for op, function in {"add": np.add, "multiply": np.multiply, "subtract": np.subtract, "maximum": np.maximum, "minimum": np.minimum}.items():
        for left, right in ((a, b), (b, a)):
            x, y = (p, q) if left is a else (q, p)
            yield case(f"{op} quantized", f'  %r0 = "stablehlo.{op}"(%arg0, %arg1) : ({left.type(shape)}, {right.type(shape)}) -> {c.type(shape)}',
                       [(x, left.type(shape)), (y, right.type(shape))],
                       [(c.quantize(function(left.dequantize(x), right.dequantize(y))), c.type(shape))])
    for op, function in {"abs": np.abs, "negate": np.negative, "floor": np.floor}.items():
        yield case(f"{op} quantized", f'  %r0 = "stablehlo.{op}"(%arg0) : ({a.type(shape)}) -> {c.type(shape)}', [(p, a.type(shape))],
                   [(c.quantize(function(a.dequantize(p))), c.type(shape))])
    less = (a.dequantize(p) < b.dequantize(q))
    yield case("compare quantized", f"  %r0 = stablehlo.compare LT, %arg0, %arg1, FLOAT : ({a.type(shape)}, {b.type(shape)}) -> tensor<6x9xi1>",
               [(p, a.type(shape)), (q, b.type(shape))], [(less, "tensor<6x9xi1>")])
    # Contractions: the sums of integers are exact, and one scale follows.
    sums = Quant("i32", 0.05 * 0.02)
    w = Quant("i8", 0.02, 0, limits=(-127, 127))
    each = Quant("i8", r.uniform(0.01, 0.03, 5), axis=1, limits=(-127, 127))
    x = a.stored(r, (4, 33))
    for weights in (w, each):
        k = weights.stored(r, (33, 5))
        total = (x.astype(np.int64) - 3) @ k.astype(np.int64)
        y = total.astype(f32) * (f32(a.scales[0]) * weights.along(weights.scales, 2))
        head = f"contracting_dims = [1] x [0] : ({a.type(x.shape)}, {weights.type(k.shape)})"
        for result in (sums, c, b):
            yield case("dot quantized", f"  %r0 = stablehlo.dot_general %arg0, %arg1, {head} -> {result.type(y.shape)}",
                       [(x, a.type(x.shape)), (k, weights.type(k.shape))], [(result.quantize(y), result.type(y.shape))])
        body = (f"  %0 = stablehlo.dot_general %arg0, %arg1, {head} -> {sums.type(y.shape)}\n"
                f"  %r0 = stablehlo.uniform_quantize %0 : ({sums.type(y.shape)}) -> {c.type(y.shape)}")
        yield case("dot and requantize", body, [(x, a.type(x.shape)), (k, weights.type(k.shape))],
                   [(c.quantize(sums.dequantize(sums.quantize(y))), c.type(y.shape))])
    # Movement keeps the integers.
    t = Quant("i8", r.uniform(0.01, 0.1, 9), 4, axis=1)
    yield case("transpose quantized", f"  %r0 = stablehlo.transpose %arg0, dims = [1, 0] : ({t.type(shape)}) -> {t.at(0).type((9, 6))}",
               [(p, t.type(shape))], [(p.T.copy(), t.at(0).type((9, 6)))])
    yield case("reshape quantized", f"  %r0 = stablehlo.reshape %arg0 : ({a.type(shape)}) -> {a.type((54,))}", [(p, a.type(shape))],
               [(p.reshape(54), a.type((54,)))])
    yield case("concatenate quantized", f"  %r0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : ({a.type(shape)}, {a.type(shape)}) -> {a.type((12, 9))}",
               [(p, a.type(shape)), (p + 1, a.type(shape))], [(np.concatenate([p, p + 1]), a.type((12, 9)))])
    start = np.array(-7, np.int8)
    body = f"  %r0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [0, 2], interior = [0, 1] : ({a.type(shape)}, {a.type(())}) -> {a.type((7, 19))}"
    padded = np.full((7, 19), -7, np.int8)
    padded[1:, 0:17:2] = p
    yield case("pad quantized", body, [(p, a.type(shape)), (start, a.type(()))], [(padded, a.type((7, 19)))])
    # A region computes on quantized scalars, and rounds at each step.
    least = np.array(-128, np.int8)
    yield case("reduce quantized", f"  %r0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : "
               f"({a.type(shape)}, {a.type(())}) -> {a.type((6,))}", [(p, a.type(shape)), (least, a.type(()))], [(p.max(1), a.type((6,)))])
    # A constant as StableHLO prints it, and a function that is called.
    k = np.arange(-5, 4, dtype=np.int8)
    body = (f"  %c = stablehlo.constant() <{{value = dense<{k.tolist()}> : tensor<9xi8>}}> : () -> {a.type((9,))}\n"
            f"  %b = stablehlo.broadcast_in_dim %c, dims = [1] : ({a.type((9,))}) -> {a.type(shape)}\n"
            f"  %r0 = call @sum(%arg0, %b) : ({a.type(shape)}, {a.type(shape)}) -> {c.type(shape)}")
    what, text, args, results = case("constant and call", body, [(p, a.type(shape))],
                                     [(c.quantize(a.dequantize(p) + a.dequantize(k)), c.type(shape))])
    callee = (f" func.func private @sum(%x: {a.type(shape)}, %y: {a.type(shape)}) -> {c.type(shape)} {{\n"
              f'  %0 = "stablehlo.add"(%x, %y) : ({a.type(shape)}, {a.type(shape)}) -> {c.type(shape)}\n  return %0 : {c.type(shape)}\n }}\n')
    yield what, text.replace("module {\n", "module {\n" + callee), args, results
    # float32 beside quantized weights.
    x = r.normal(0, 1, (4, 33)).astype(f32)
    k = w.stored(r, (33, 5))
    y = (x.astype(np.float64) @ w.dequantize(k).astype(np.float64)).astype(f32)
    yield case("hybrid dot", f"  %r0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : ({real(x.shape)}, {w.type(k.shape)}) -> {real(y.shape)}",
               [(x, real(x.shape)), (k, w.type(k.shape))], [(y, real(y.shape))])
