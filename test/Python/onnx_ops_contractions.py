"""Generators of convolutions, poolings, products, recurrences and attention; see onnx_draw.py."""

import numpy as np

from onnx_draw import F16, F32, F64, I64, generates

FLOATS = (F32, F64, F16)
BYTES = (np.int8, np.uint8)


def draw_window(d, rank, most=4):
    """Sets the attributes of a window but for its size; gives the size and the least image that it fits."""
    kernel = [d.integer(1, most) for _ in range(rank)]
    strides = [d.integer(1, 3) for _ in kernel] if d.set(strides=None) else [1] * rank
    dilations = [d.integer(1, 2) for _ in kernel] if d.set(dilations=None) else [1] * rank
    extents = [(k - 1) * w + 1 for k, w in zip(kernel, dilations)]
    for name, values in (("strides", strides), ("dilations", dilations)):
        if name in d.attributes:
            d.attributes[name] = values
    mode = d.pick("NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    # ONNX Runtime takes no dilations with SAME.
    if mode.startswith("SAME") and any(w > 1 for w in dilations):
        mode = "VALID"
    if not d.set(auto_pad=mode):
        mode = "NOTSET"
    if mode.startswith("SAME") and any(s - e > 1 for s, e in zip(strides, extents)):
        d.no_peer = "windows shorter than strides with SAME: ONNX Runtime may pad by a negative amount"
    if mode == "NOTSET":
        d.set(pads=[d.integer(0, k - 1) for k in kernel * 2])
    return kernel, extents


@generates("Conv")
def conv(d):
    kind, rank, group = d.kind(0, *FLOATS), d.pick(1, 2, 2, 3), d.pick(1, 1, 2, 3)
    kernel, extents = draw_window(d, rank)
    c, m = d.integer(1, 4), group * d.integer(1, 4)
    if not d.set(group=group):
        group = 1
    d.input(d.array((d.integer(1, 2), c * group, *(e + d.integer(0, 5) for e in extents)), kind))
    if not d.constants:
        fix_channels(d)
    d.fixed(d.array((m, c, *kernel), kind), 0.7)
    d.maybe(d.array((m,), kind), constant=0.7, fixed=True)
    d.set(kernel_shape=kernel)


def fix_channels(d):
    """The channels of the image that is input 0 are known."""
    dim = d.infos[0].type.tensor_type.shape.dim[1]
    n = d.feed["x0"].shape[1]
    dim.Clear()
    dim.dim_value = n


@generates("ConvTranspose")
def conv_transpose(d):
    kind, rank, group = d.kind(0, *FLOATS), d.pick(1, 2, 2, 3), d.pick(1, 1, 2, 3)
    kernel, extents = draw_window(d, rank)
    if not d.set(group=group):
        group = 1
    sizes = [d.integer(1, 6) for _ in kernel]
    strides, dilations = d.get("strides", [1] * rank), d.get("dilations", [1] * rank)
    more = [d.integer(0, max(s, w) - 1) for s, w in zip(strides, dilations)]
    if not d.set(0.3, output_padding=more):
        more = [0] * rank
    full = [(n - 1) * s + e + o for n, s, e, o in zip(sizes, strides, extents, more)]
    with_shape = "pads" not in d.attributes and d.set(0.4, output_shape=[
        max(1, f - d.integer(0, e)) for f, e in zip(full, extents)])
    if d.get("auto_pad", "").startswith("SAME") and not with_shape and any(
            e + o < s for e, o, s in zip(extents, more, strides)):
        d.no_peer = "windows shorter than strides with SAME: ONNX Runtime gives a smaller result"
    c, m = group * d.integer(1, 3), d.integer(1, 4)
    x = d.array((d.integer(1, 2), c, *sizes), kind)
    if with_shape:
        d.fixed(x)
    else:
        d.input(x)
        if not d.constants:
            fix_channels(d)
    pads = d.get("pads", [0] * 2 * rank)
    if any(f - a - b < 1 for f, a, b in zip(full, pads, pads[rank:])):
        del d.attributes["pads"]
    d.fixed(d.array((c, m, *kernel), kind), 0.7)
    d.maybe(d.array((m * group,), kind), constant=0.7, fixed=True)
    d.set(kernel_shape=kernel)


def parameter(d, kind, size=None):
    """A zero point."""
    return d.array(() if size is None else size, kind)


def draw_integer_convolution(d, i, j):
    """(image, weight, zero point) of a convolution of bytes; ONNX Runtime takes weights of int8 for an image of int8."""
    kernel, extents = draw_window(d, 2 if d.chance(0.7) else d.pick(1, 3))
    group = d.pick(1, 1, 2)
    if not d.set(group=group):
        group = 1
    c, m = d.integer(1, 4), group * d.integer(1, 4)
    x_kind = d.kind(i, *BYTES)
    w_kind = np.int8 if x_kind == np.int8 else d.kind(j, *BYTES)
    x = d.array((d.integer(1, 2), c * group, *(e + d.integer(0, 5) for e in extents)), x_kind)
    d.set(kernel_shape=kernel)
    return x, d.weight((m, c, *kernel), w_kind), parameter(d, x_kind)


@generates("ConvInteger")
def conv_integer(d):
    x, w, zero = draw_integer_convolution(d, 0, 1)
    if x.dtype == np.int8:
        x, zero = x.view(np.uint8), zero.view(np.uint8)
    d.fixed(x)
    d.fixed(w, 0.7)
    if d.maybe(zero, constant=0.7):
        d.maybe(parameter(d, w.dtype), constant=1)


def scale(d, size=()):
    return np.asarray(d.random.uniform(0.005, 0.1, size), F32)


def one(d, array):
    """A number as a scalar or in one dimension."""
    return np.reshape(array, (1,)) if d.chance(0.3) else array


@generates("QLinearConv", "com.microsoft::QLinearConv")
def qlinear_conv(d):
    x, w, zero = draw_integer_convolution(d, 0, 3)
    if d.set(channels_last=d.integer(0, 1)) and d.attributes["channels_last"]:
        x = np.moveaxis(x, 1, -1)
    by_filter = (w.shape[0],) if d.chance(0.5) else None
    d.fixed(x)
    d.constant(one(d, scale(d)))
    d.constant(one(d, zero))
    d.fixed(w, 0.7)
    d.constant(scale(d, by_filter or ()))
    d.constant(np.zeros(by_filter or (), w.dtype) if w.dtype == np.int8 else parameter(d, w.dtype, by_filter)
               if by_filter is None else np.full(by_filter, 128, w.dtype))
    d.constant(one(d, np.asarray(scale(d) * F32(20), F32)))
    d.constant(one(d, parameter(d, x.dtype)))
    d.maybe(d.random.integers(-3000, 3000, w.shape[0]).astype(np.int32), constant=1)


@generates("MaxPool")
def max_pool(d):
    kernel, extents = draw_window(d, d.pick(1, 2, 2, 3))
    kind = d.kind(0, F32, F64, F16, *BYTES)
    d.input(d.array((d.integer(1, 2), d.integer(1, 4), *(e + d.integer(0, 5) for e in extents)), kind))
    d.set(kernel_shape=kernel, ceil_mode=d.integer(0, 1), storage_order=d.integer(0, 1))


@generates("AveragePool")
def average_pool(d):
    kernel, extents = draw_window(d, d.pick(1, 2, 2, 3))
    d.input(d.array((d.integer(1, 2), d.integer(1, 4), *(e + d.integer(0, 5) for e in extents)), d.kind(0, F32, F16)))
    d.set(kernel_shape=kernel, ceil_mode=d.integer(0, 1), count_include_pad=d.integer(0, 1))


@generates("LpPool")
def lp_pool(d):
    kernel, extents = draw_window(d, d.pick(1, 2, 2, 3))
    d.input(d.array((d.integer(1, 2), d.integer(1, 4), *(e + d.integer(0, 5) for e in extents)), d.kind(0, F32, F16)))
    d.set(kernel_shape=kernel, ceil_mode=d.integer(0, 1), p=d.integer(1, 4))


@generates("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(d):
    d.input(d.array((d.integer(1, 2), d.integer(1, 4), *d.shape(1, 3)), d.kind(0, *FLOATS)))
    d.set(p=d.integer(1, 4))


# Products.

def operands(d, kinds):
    m, k, n = (d.integer(1, 20) for _ in range(3))
    batch = d.shape(0, 2, 3)
    left, right = [1 if d.chance(0.2) else b for b in batch], [1 if d.chance(0.2) else b for b in batch]
    right = right if d.chance(0.6) else []
    a, b = d.array((*left, m, k), kinds[0]), d.weight((*right, k, n), kinds[1])
    if not left and d.chance(0.15):
        a = a[0]
    elif not right and d.chance(0.1):
        b = b[:, 0]
    return a, b


@generates("MatMul")
def matmul(d):
    kind = d.kind(0, *FLOATS)
    a, b = operands(d, (kind, kind))
    d.fixed(a)
    d.fixed(b, 0.5)


@generates("Gemm")
def gemm(d):
    kind = d.kind(0, *FLOATS)
    m, k, n = (d.integer(1, 20) for _ in range(3))
    d.set(transA=d.integer(0, 1), transB=d.integer(0, 1), alpha=d.real(-2, 2), beta=d.real(-2, 2))
    d.fixed(d.array((k, m) if d.get("transA", 0) else (m, k), kind))
    d.fixed(d.array((n, k) if d.get("transB", 0) else (k, n), kind), 0.5)
    d.maybe(d.array(d.pick((n,), (1, n), (m, n), (m, 1), (1,), ()), kind), constant=0.5, fixed=True)


@generates("MatMulInteger")
def matmul_integer(d):
    kinds = np.uint8, d.kind(1, *BYTES)
    a, b = operands(d, kinds)
    d.fixed(a)
    d.fixed(b, 0.5)
    if d.maybe(parameter(d, kinds[0]), constant=0.5):
        by_column = (b.shape[-1],) if b.ndim == 2 and d.chance(0.4) else None
        d.maybe(parameter(d, kinds[1], by_column), constant=0.8)


@generates("QLinearMatMul")
def qlinear_matmul(d):
    kind = d.kind(0, *BYTES)
    kinds = kind, np.int8 if kind == np.int8 else d.kind(3, *BYTES)
    a, b = operands(d, kinds)
    for array, own, constant in ((a, kinds[0], 0.15), (b, kinds[1], 0.5)):
        d.fixed(array, constant)
        d.constant(one(d, scale(d)))
        d.constant(one(d, parameter(d, own)))
    d.constant(one(d, np.asarray(scale(d) * F32(20), F32)))
    d.constant(one(d, parameter(d, kinds[0])))


EQUATIONS = ("ij,jk->ik", "bij,bjk->bik", "bhid,bhjd->bhij", "bhij,bhjd->bhid", "ij,kj->ik", "ij->ji", "ij->i", "i,j->ij",
             "ij,ij->ij", "bij,jk", "...ij,...jk->...ik", "ij,jk,kl->il", "ii->i", "ijk->", "bnqk,bnkc->bqnc")


@generates("Einsum")
def einsum(d):
    equation = d.pick(*EQUATIONS)
    kind, sizes = d.kind(0, *FLOATS), {}
    for term in equation.split("->")[0].split(","):
        labels = term.replace("...", "")
        d.fixed(d.array([sizes.setdefault(label, d.integer(1, 6)) for label in labels], kind))
    if "->" in equation or d.chance(0.9):
        d.attributes["equation"] = equation
    d.attributes["equation"] = equation


# Recurrences.

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


@generates("RNN", "GRU", "LSTM")
def recurrence(d):
    op, gates = d.schema.name, GATES[d.schema.name]
    direction = d.pick("forward", "reverse", "bidirectional")
    directions = 2 if d.set(direction=direction) and direction == "bidirectional" else 1
    steps, batch, size, hidden = d.integer(1, 5), d.integer(1, 4), d.integer(1, 5), d.integer(1, 5)
    d.attributes["hidden_size"] = hidden
    first = d.chance(0.15) and d.set(layout=1)
    if first:
        d.no_peer = "ONNX Runtime takes no layout but 0"
    elif d.chance(0.1):
        d.set(layout=0)
    d.fixed(d.array((batch, steps, size) if first else (steps, batch, size)))
    d.fixed(d.array((directions, gates * hidden, size), spread=0.5), 0.8)
    weight = d.fixed(d.array((directions, gates * hidden, hidden), spread=0.5), 0.8)
    d.maybe(d.array((directions, 2 * gates * hidden), spread=0.5), constant=0.8, fixed=True)
    d.maybe(d.random.integers(1, steps + 1, batch).astype(np.int32), constant=0.5, fixed=True)
    state = (batch, directions, hidden) if first else (directions, batch, hidden)
    d.maybe(d.array(state, spread=0.5), fixed=True)
    if op == "LSTM":
        d.maybe(d.array(state, spread=0.5), fixed=True)
        d.maybe(d.array((directions, 3 * hidden), spread=0.5), constant=0.8, fixed=True)
    if d.set(0.3, activations=None):
        d.attributes["activations"] = [d.pick(name, "Tanh", "Sigmoid", "Relu") for name in FUNCTIONS[op] * directions]
    if d.chance(0.1) and "activations" not in d.attributes:
        d.attributes["activations"] = ["Affine"] + (FUNCTIONS[op] * directions)[1:]
        d.attributes["activation_alpha"] = [0.5]
        d.attributes["activation_beta"] = [0.1]
    if {"Relu", "Affine"} & set(d.get("activations", ())):
        d.amplification = steps * max(1.0, float(np.abs(weight).sum(axis=2).max()))
    d.set(0.2, clip=d.real(0.5, 3))
    d.set(0.4, linear_before_reset=d.integer(0, 1), input_forget=d.integer(0, 1))
    d.outputs = 3 if op == "LSTM" else 2


# Attention.

@generates("Attention")
def attention(d):
    kind = d.kind(0, F32, F16)
    batch, kv_heads, size, v_size = d.integer(1, 2), d.integer(1, 2), 2 * d.integer(1, 4), d.integer(1, 6)
    heads, queries, keys = kv_heads * d.pick(1, 1, 2), d.integer(1, 6), d.integer(1, 7)
    flat = d.chance(0.4)
    def tensor(n, length, width):
        shape = (batch, length, n * width) if flat else (batch, n, length, width)
        d.fixed(d.array(shape, kind))
    tensor(heads, queries, size)
    tensor(kv_heads, keys, size)
    tensor(kv_heads, keys, v_size)
    if flat:
        d.attributes.update(q_num_heads=heads, kv_num_heads=kv_heads)
    past = d.integer(1, 3) if d.chance(0.25) else 0
    if d.chance(0.4):
        lengths = (queries, keys + past)
        mask = d.array(d.pick(lengths, (batch, 1, *lengths), (1, heads, *lengths)), d.pick(np.bool_, kind))
        if mask.dtype == np.bool_:
            mask[..., 0] = True
        d.fixed(mask)
    else:
        d.omit()
    if past:
        d.fixed(d.array((batch, kv_heads, past, size), kind))
        d.fixed(d.array((batch, kv_heads, past, v_size), kind))
        d.outputs = 3
    d.set(0.4, is_causal=d.integer(0, 1), scale=d.real(0.1, 1), softcap=d.real(1, 5), softmax_precision=1)
    d.set(0.15, qk_matmul_output_mode=d.integer(0, 3))
    if "qk_matmul_output_mode" in d.attributes:
        d.outputs = 4 if past else 1


@generates("RotaryEmbedding")
def rotary(d):
    kind, heads = d.kind(0, F32, F16), d.integer(1, 3)
    batch, length, size = d.integer(1, 2), d.integer(1, 5), 4 * d.integer(1, 3)
    flat = d.chance(0.4)
    d.fixed(d.array((batch, length, heads * size) if flat else (batch, heads, length, size), kind))
    if flat or d.chance(0.3):
        d.attributes["num_heads"] = heads
    width = size
    if d.chance(0.3) and "num_heads" in d.attributes:
        width = d.attributes["rotary_embedding_dim"] = size // 2
    elif d.chance(0.2):
        d.attributes["rotary_embedding_dim"] = 0
    with_places = d.chance(0.6)
    table = (9, width // 2) if with_places else (batch, length, width // 2)
    d.fixed(d.array(table, kind, 0.7), 0.6)
    d.fixed(d.array(table, kind, 0.7), 0.6)
    if with_places:
        d.fixed(d.random.integers(0, 9, (batch, length)).astype(I64))
    d.set(interleaved=d.integer(0, 1))
