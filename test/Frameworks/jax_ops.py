"""Programs of one or a few ops of JAX, drawn over types, shapes and parameters."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

FLOATS = ("float32", "float16", "bfloat16")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
GENERATORS = []


def generates(f):
    GENERATORS.append(f)
    return f


class Draw:
    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        self.args = []

    def chance(self, p):
        return bool(self.r.random() < p)

    def int(self, low, high):
        return int(self.r.integers(low, high + 1))

    def pick(self, *xs):
        return xs[self.int(0, len(xs) - 1)]

    def shape(self, least=0, most=4, largest=6):
        return tuple(self.int(1, largest) for _ in range(self.int(least, most)))

    def array(self, shape, dtype, low=None, high=None, spread=2.0):
        dtype = jnp.dtype(dtype)
        if dtype == jnp.bool_:
            x = self.r.random(shape) < 0.5
        elif dtype.kind in "iu":
            info = np.iinfo(dtype)
            wide = self.chance(0.3)
            low = max(info.min, -100) if low is None and not wide else (info.min if low is None else low)
            high = min(info.max, 100) if high is None and not wide else (info.max if high is None else high)
            x = self.r.integers(low, high, shape, dtype=dtype, endpoint=True)
        else:
            x = self.r.normal(0, spread, shape)
            if low is not None:
                x = np.clip(x, low, high)
        return jnp.asarray(x, dtype)

    def arg(self, *a, **k):
        self.args.append(self.array(*a, **k))
        return self.args[-1]

    def dtype(self, *kinds):
        return self.pick(*[t for k in kinds for t in {"f": FLOATS, "i": INTS, "b": ("bool",)}[k]])

    def broadcast(self, shape):
        own = tuple(1 if self.chance(0.2) else n for n in shape)
        return own[self.int(0, len(own)):] if self.chance(0.25) else own


UNARY_FLOAT = dict(exp=jnp.exp, log=lambda x: jnp.log(jnp.abs(x)), tanh=jnp.tanh, sin=jnp.sin, cos=jnp.cos, tan=jnp.tan,
                   sqrt=lambda x: jnp.sqrt(jnp.abs(x)), rsqrt=lambda x: lax.rsqrt(jnp.abs(x) + 1e-2), logistic=jax.nn.sigmoid,
                   floor=jnp.floor, ceil=jnp.ceil, round=jnp.round, afz=lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
                   expm1=jnp.expm1, log1p=lambda x: jnp.log1p(jnp.abs(x)), erf=lax.erf, isfinite=jnp.isfinite, cbrt=jnp.cbrt,
                   sign=jnp.sign, abs=jnp.abs, neg=jnp.negative, isnan=jnp.isnan, asin=lambda x: jnp.arcsin(jnp.clip(x, -1, 1)),
                   acos=lambda x: jnp.arccos(jnp.clip(x, -1, 1)), atan=jnp.arctan, sinh=jnp.sinh, cosh=jnp.cosh,
                   asinh=jnp.arcsinh, acosh=lambda x: jnp.arccosh(1 + jnp.abs(x)), atanh=lambda x: jnp.arctanh(jnp.clip(x, -.9, .9)),
                   gelu=jax.nn.gelu, silu=jax.nn.silu, relu6=jax.nn.relu6, softplus=jax.nn.softplus, erfinv=lambda x: lax.erf_inv(jnp.clip(x, -.99, .99)),
                   elu=jax.nn.elu, square=jnp.square, log2=lambda x: jnp.log2(jnp.abs(x) + 1e-3), erfc=lax.erfc)


@generates
def unary_float(d):
    name = d.pick(*UNARY_FLOAT)
    d.arg(d.shape(), d.dtype("f"))
    return UNARY_FLOAT[name], f"unary {name}"


@generates
def unary_int(d):
    f = d.pick(jnp.abs, jnp.negative, jnp.sign, jnp.invert, lax.population_count, lax.clz, jnp.square)
    t = d.dtype("i")
    d.arg(d.shape(), t)
    return f, f"unary int {getattr(f, '__name__', f)} {t}"


@generates
def binary(d):
    ops = {"add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply, "max": jnp.maximum, "min": jnp.minimum, "lt": jnp.less,
           "le": jnp.less_equal, "gt": jnp.greater, "ge": jnp.greater_equal, "eq": jnp.equal, "ne": jnp.not_equal}
    name = d.pick(*ops)
    t = d.dtype("f", "i")
    s = d.shape()
    d.arg(d.broadcast(s), t)
    d.arg(d.broadcast(s), t)
    return ops[name], f"binary {name} {t}"


@generates
def division(d):
    ops = {"div": lax.div, "rem": lax.rem, "floordiv": jnp.floor_divide, "mod": jnp.mod}
    name = d.pick(*ops)
    t = d.dtype("i")
    s = d.shape()
    d.arg(s, t)
    d.arg(s, t)
    return ops[name], f"{name} {t}"


@generates
def float_division(d):
    ops = {"div": lax.div, "rem": lax.rem, "atan2": lax.atan2, "pow": lambda x, y: lax.pow(jnp.abs(x), y), "mod": jnp.mod}
    name = d.pick(*ops)
    t = d.dtype("f")
    s = d.shape()
    d.arg(s, t)
    d.arg(s, t)
    return ops[name], f"{name} {t}"


@generates
def bits(d):
    ops = {"and": jnp.bitwise_and, "or": jnp.bitwise_or, "xor": jnp.bitwise_xor, "shl": lax.shift_left,
           "shra": lax.shift_right_arithmetic, "shrl": lax.shift_right_logical}
    name = d.pick(*ops)
    t = d.dtype("i")
    s = d.shape()
    d.arg(s, t)
    if name.startswith("sh"):
        d.arg(s, t, low=0, high=40)
    else:
        d.arg(s, t)
    return ops[name], f"{name} {t}"


@generates
def convert(d):
    a, b = d.dtype("f", "i", "b"), d.dtype("f", "i", "b")
    d.arg(d.shape(), a, **({"low": -100, "high": 100} if a in FLOATS else {}))
    if a in FLOATS and b.startswith("u"):
        return (lambda x: jnp.abs(x).astype(b)), f"convert {a} {b}"
    return (lambda x: x.astype(b)), f"convert {a} {b}"


@generates
def power_int(d):
    t = d.dtype("i")
    s = d.shape()
    d.arg(s, t)
    n = d.int(0, 4)
    return (lambda x: lax.integer_pow(x, n)), f"integer_pow {t}"


@generates
def where(d):
    t = d.dtype("f", "i")
    s = d.shape()
    d.arg(d.broadcast(s), "bool")
    d.arg(d.broadcast(s), t)
    d.arg(d.broadcast(s), t)
    return jnp.where, f"where {t}"


@generates
def clamp(d):
    t = d.dtype("f", "i")
    s = d.shape(1)
    d.arg(s, t)
    lo, hi = (-20, 30) if not t.startswith("u") else (5, 30)
    return (lambda x: lax.clamp(jnp.asarray(lo, t), x, jnp.asarray(hi, t))), f"clamp {t}"


@generates
def movement(d):
    t = d.dtype("f", "i", "b")
    s = d.shape(1, 4)
    d.arg(s, t)
    kind = d.pick("transpose", "reverse", "slice", "reshape", "broadcast", "pad", "concat", "tile", "repeat", "roll", "stack")
    axis = d.int(0, len(s) - 1)
    if kind == "transpose":
        p = tuple(d.r.permutation(len(s)))
        return (lambda x: jnp.transpose(x, p)), f"transpose {t}"
    if kind == "reverse":
        return (lambda x: jnp.flip(x, axis)), f"reverse {t}"
    if kind == "slice":
        lo = [d.int(0, n - 1) for n in s]
        hi = [d.int(a + 1, n) for a, n in zip(lo, s)]
        st = [d.int(1, 3) for _ in s]
        return (lambda x: lax.slice(x, lo, hi, st)), f"slice {t}"
    if kind == "reshape":
        return (lambda x: x.reshape(-1)), f"reshape {t}"
    if kind == "broadcast":
        return (lambda x: jnp.broadcast_to(x, (3,) + s)), f"broadcast {t}"
    if kind == "pad":
        cfg = [(d.int(-1, 3) if n > 2 else d.int(0, 3), d.int(-1, 3) if n > 2 else d.int(0, 3), d.int(0, 2)) for n in s]
        v = d.array((), t)
        return (lambda x: lax.pad(x, v, cfg)), f"pad {t} {cfg}"
    if kind == "concat":
        return (lambda x: jnp.concatenate([x, x[::-1], x], axis)), f"concat {t}"
    if kind == "tile":
        return (lambda x: jnp.tile(x, 2)), f"tile {t}"
    if kind == "repeat":
        return (lambda x: jnp.repeat(x, 2, axis)), f"repeat {t}"
    if kind == "roll":
        return (lambda x: jnp.roll(x, 2, axis)), f"roll {t}"
    return (lambda x: jnp.stack([x, x], axis)), f"stack {t}"


@generates
def reductions(d):
    t = d.dtype("f", "i")
    s = d.shape(1, 4, 9)
    d.arg(s, t)
    axes = tuple(i for i in range(len(s)) if d.chance(0.5)) or (0,)
    name = d.pick("sum", "max", "min", "prod", "mean", "var", "argmax", "argmin", "any", "all", "cumsum", "cumprod", "cummax", "logsumexp",
                  "softmax")
    f = {"sum": lambda x: jnp.sum(x, axes), "max": lambda x: jnp.max(x, axes), "min": lambda x: jnp.min(x, axes),
         "prod": lambda x: jnp.prod(x, axes), "mean": lambda x: jnp.mean(x, axes), "var": lambda x: jnp.var(x, axes),
         "argmax": lambda x: jnp.argmax(x, axes[0]), "argmin": lambda x: jnp.argmin(x, axes[0]),
         "any": lambda x: jnp.any(x > 0, axes), "all": lambda x: jnp.all(x > 0, axes),
         "cumsum": lambda x: jnp.cumsum(x, axes[0]), "cumprod": lambda x: jnp.cumprod(x, axes[0]),
         "cummax": lambda x: lax.cummax(x, axes[0]), "logsumexp": lambda x: jax.nn.logsumexp(x.astype(jnp.float32), axes),
         "softmax": lambda x: jax.nn.softmax(x.astype(jnp.float32), axes)}[name]
    return f, f"reduce {name} {t} {s} {axes}"


@generates
def windows(d):
    t = d.dtype("f", "i")
    s = (d.int(1, 2), d.int(3, 9), d.int(3, 9), d.int(1, 4))
    d.arg(s, t)
    win, st = (1, d.int(1, 3), d.int(1, 3), 1), (1, d.int(1, 3), d.int(1, 3), 1)
    pad = d.pick("SAME", "VALID")
    base, dil = (1, d.pick(1, 1, 2), 1, 1), (1, d.pick(1, 1, 2), 1, 1)
    if pad == "SAME":
        base = dil = (1, 1, 1, 1)
    kind = d.pick("max", "min", "add")
    dt = jnp.dtype(t)
    lo = -jnp.inf if dt.kind not in "iu" else np.iinfo(dt).min
    hi = jnp.inf if dt.kind not in "iu" else np.iinfo(dt).max
    init, op = {"max": (lo, lax.max), "min": (hi, lax.min), "add": (0, lax.add)}[kind]
    return (lambda x: lax.reduce_window(x, np.asarray(init, dt) if dt.kind in "iu" else jnp.asarray(init, dt), op, win, st, pad, base, dil)), f"window {kind} {t} {s} {win} {st} {pad} {base} {dil}"


@generates
def dot(d):
    t = d.pick("int8", "int8", "uint8", "int16", "int32", "float32", "float32", "float16", "bfloat16")
    out = {"int8": d.pick("int32", "int32", "float32", "int8"), "uint8": d.pick("int32", "uint32", "float32")}.get(t, t)
    if t in ("bfloat16", "float16") and d.chance(0.5):
        out = "float32"
    nb = d.int(0, 2)
    b = tuple(d.int(1, 3) for _ in range(nb))
    k = tuple(d.int(1, 17) for _ in range(d.int(1, 2)))
    m, n = d.shape(0, 2, 9), d.shape(0, 2, 9)
    xs, ys = list(b + m + k), list(b + n + k)
    px, py = d.r.permutation(len(xs)), d.r.permutation(len(ys))
    x = d.arg([xs[i] for i in px], t, spread=1.0)
    y = d.arg([ys[i] for i in py], t, spread=1.0)
    ix, iy = {int(v): i for i, v in enumerate(px)}, {int(v): i for i, v in enumerate(py)}
    dn = ((tuple(ix[nb + len(m) + i] for i in range(len(k))), tuple(iy[nb + len(n) + i] for i in range(len(k)))),
          (tuple(ix[i] for i in range(nb)), tuple(iy[i] for i in range(nb))))
    return (lambda x, y: lax.dot_general(x, y, dn, preferred_element_type=out)), f"dot {t} {out} {x.shape} {y.shape} {dn}"


@generates
def conv(d):
    t = d.pick("int8", "int8", "float32", "float32", "bfloat16", "int16")
    out = {"int8": d.pick("int32", "int32", "float32", "int8"), "int16": "int32"}.get(t, t)
    rank = d.int(1, 3)
    fg, bg = 1, 1
    kind = d.pick("plain", "plain", "feature", "depthwise", "batch")
    n, c, o = d.int(1, 3), d.int(1, 5), d.int(1, 5)
    if kind == "feature":
        fg = d.int(2, 3)
        cin, o = c * fg, o * fg
    elif kind == "depthwise":
        fg = c
        cin, o = c, c * d.pick(1, 1, 2)
        c = 1
    else:
        cin = c
    if kind == "batch":
        bg = d.int(2, 3)
        n, o = n * bg, o * bg
    kernel = [d.int(1, 3) for _ in range(rank)]
    spatial = [d.int(4, 9) for _ in range(rank)]
    st = [d.int(1, 2) for _ in range(rank)]
    ld = [d.pick(1, 1, 1, 2) for _ in range(rank)]
    rd = [d.pick(1, 1, 2) for _ in range(rank)]
    pads = [(d.int(-1, 2), d.int(-1, 2)) for _ in range(rank)]
    letters = "XYZ"[:rank]
    ls = "".join(d.r.permutation(list("NC" + letters)))
    rs = "".join(d.r.permutation(list("OI" + letters)))
    os_ = "".join(d.r.permutation(list("NC" + letters)))
    sizes = dict(N=n, C=cin, **dict(zip(letters, spatial)))
    wsizes = dict(O=o, I=c, **dict(zip(letters, kernel)))
    d.arg([sizes[letter] for letter in ls], t, spread=1.0)
    d.arg([wsizes[letter] for letter in rs], t, spread=1.0)
    f = lambda x, w: lax.conv_general_dilated(x, w, st, pads, ld, rd, (ls, rs, os_), fg, bg, preferred_element_type=out)
    return f, f"conv {t} {out} {kind} {ls} {rs} {os_} {sizes} {wsizes} st{st} pad{pads} ld{ld} rd{rd} fg{fg} bg{bg}"


@generates
def indexing(d):
    t = d.dtype("f", "i")
    s = d.shape(1, 3, 7)
    d.arg(s, t)
    axis = d.int(0, len(s) - 1)
    i = d.arg(d.shape(0, 2), d.pick("int32", "int32", "uint8", "int64"), low=0, high=s[axis] - 1)
    kind = d.pick("take", "getitem", "add", "set", "max", "take_along", "dynamic_slice", "dynamic_update", "oob", "mul")
    if kind == "take":
        return (lambda x, i: jnp.take(x, i, axis)), f"take {t}"
    if kind == "getitem":
        return (lambda x, i: x[(slice(None),) * axis + (i,)]), f"getitem {t}"
    if kind in ("add", "set", "max", "mul"):
        v = d.array((), t)
        return (lambda x, i: getattr(x.at[(slice(None),) * axis + (i,)], kind)(v)), f"scatter {kind} {t} {s} {i.shape} {axis}"
    if kind == "take_along":
        d.args[1] = d.array(s, "int32", low=0, high=s[axis] - 1)
        return (lambda x, i: jnp.take_along_axis(x, i, axis)), f"take_along {t}"
    if kind == "oob":
        d.args[1] = d.array((4,), "int32", low=-9, high=12)
        mode = d.pick("clip", "fill", "wrap")
        return (lambda x, i: jnp.take(x, i, axis, mode=mode)), f"take {mode} {t}"
    sizes = [d.int(1, n) for n in s]
    d.args[1:] = [d.array((), "int32", low=-3, high=8) for _ in s]
    if kind == "dynamic_slice":
        return (lambda x, *i: lax.dynamic_slice(x, i, sizes)), f"dynamic_slice {t}"
    u = d.array(sizes, t)
    return (lambda x, *i: lax.dynamic_update_slice(x, u, i)), f"dynamic_update_slice {t}"


@generates
def sorting(d):
    t = d.dtype("f", "i")
    s = d.shape(1, 3, 9)
    d.arg(s, t)
    axis = d.int(0, len(s) - 1)
    kind = d.pick("sort", "argsort", "top_k", "two", "unique_sorted", "median")
    if kind == "sort":
        return (lambda x: jnp.sort(x, axis)), f"sort {t}"
    if kind == "argsort":
        return (lambda x: jnp.argsort(x, axis, descending=d.seed % 2 == 0)), f"argsort {t}"
    if kind == "top_k" and not t.startswith("u"):
        return (lambda x: lax.top_k(x, d.k)), f"top_k {t}"
    if kind == "median":
        return (lambda x: jnp.median(x.astype(jnp.float32), axis)), f"median {t}"
    return (lambda x: lax.sort((x, x + x), dimension=axis, num_keys=1)), f"sort two {t}"


@generates
def control(d):
    t = d.pick("float32", "int32")
    s = d.shape(0, 2)
    d.arg(s, t)
    kind = d.pick("fori", "scan", "cond", "switch", "while", "map", "swap")
    k = d.int(0, 5)
    if kind == "fori":
        return (lambda x: lax.fori_loop(0, k, lambda i, c: c * 2 + jnp.asarray(i, t), x)), f"fori {t}"
    if kind == "swap":
        return (lambda x: lax.fori_loop(0, k, lambda i, c: (c[1], c[0] + 1, c[0]), (x, x * 2, x * 3))), f"swap {t}"
    if kind == "scan":
        d.arg((4,) + s, t)
        return (lambda x, xs: lax.scan(lambda c, v: (c + v, c * v), x, xs)), f"scan {t}"
    if kind == "cond":
        d.arg((), "bool")
        return (lambda x, p: lax.cond(p, lambda y: y + 1, lambda y: y * 3, x)), f"cond {t}"
    if kind == "switch":
        d.arg((), "int32", low=-2, high=4)
        return (lambda x, i: lax.switch(i, [lambda y: y, lambda y: y + 1, lambda y: y * 2], x)), f"switch {t}"
    if kind == "while":
        return (lambda x: lax.while_loop(lambda c: jnp.sum(c[0]) < 100, lambda c: (c[0] + 7, c[1] + 1), (jnp.abs(x), 0))), f"while {t}"
    return (lambda x: lax.map(lambda v: v * v + 1, jnp.stack([x, x + 1]))), f"map {t}"


def draw(seed):
    d = Draw(seed)
    d.seed, d.k = seed, 1
    f, what = GENERATORS[seed % len(GENERATORS)](d)
    return f, d.args, what
