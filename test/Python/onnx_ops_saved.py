"""Generators of loops, of GridSample, and of ops that ONNX Runtime writes into models; see onnx_draw.py."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onnx_draw import F32, I64, generates
from onnx_ops_contractions import BYTES, draw_window, parameter, scale

I32 = np.int32


# Loops.

def value(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def number(name, factor):
    return numpy_helper.from_array(np.asarray(factor, F32), name)


@generates("Loop")
def loop(d):
    """A state of known sizes, and a row of each iteration."""
    d.constant(np.asarray(d.integer(1, 5), I64))
    d.maybe(np.asarray(True), constant=1)
    d.fixed(d.array(d.shape(1, 3)))
    nodes = [helper.make_node("Identity", ["goes"], ["goes_after"]), helper.make_node("Mul", ["s", "half"], ["h"]),
             helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT), helper.make_node("Add", ["h", "f"], ["s_after"]),
             helper.make_node("Neg", ["s_after"], ["row"])]
    d.attributes["body"] = helper.make_graph(
        nodes, "body", [value("i", TensorProto.INT64, ()), value("goes", TensorProto.BOOL, ()), value("s")],
        [value("goes_after", TensorProto.BOOL, ()), value("s_after"), value("row")], [number("half", d.pick(0.5, 0.25))])
    d.outputs = 2


@generates("Scan")
def scan(d):
    """A state that adds rows of one input or of two."""
    shape, steps, rows = d.shape(1, 2), d.integer(1, 5), d.integer(1, 2)
    axes = [d.integer(-len(shape) - 1, len(shape)) for _ in range(rows)]
    if not d.set(scan_input_axes=axes):
        axes = [0] * rows
    d.fixed(d.array(shape))
    for axis in axes:
        place = axis % (len(shape) + 1)
        d.fixed(d.array((*shape[:place], steps, *shape[place:])))
    d.attributes["num_scan_inputs"] = rows
    d.set(0.5, scan_input_directions=[d.integer(0, 1) for _ in axes], scan_output_axes=[d.integer(-len(shape) - 1, len(shape))],
          scan_output_directions=[d.integer(0, 1)])
    nodes = [helper.make_node("Sum", ["s", *(f"x{i}" for i in range(rows))], ["s_after"]),
             helper.make_node("Mul", ["s_after", "half"], ["row"])]
    d.attributes["body"] = helper.make_graph(nodes, "body", [value("s"), *(value(f"x{i}") for i in range(rows))],
                                             [value("s_after"), value("row")], [number("half", 0.5)])
    d.outputs = 2


# Samples and places.

@generates("GridSample", "com.microsoft::GridSample")
def grid_sample(d):
    modes = ("linear", "nearest", "cubic") if d.since >= 20 else ("bilinear", "nearest", "bicubic")
    mode = d.pick(*modes)
    if not d.set(mode=mode):
        mode = modes[0]
    spatial = 3 if d.since >= 20 and "cubic" not in mode and d.chance(0.3) else 2
    d.set(padding_mode=d.pick("zeros", "border", "reflection"), align_corners=d.integer(0, 1))
    batch = d.integer(1, 2)
    d.fixed(d.array((batch, d.integer(1, 3), *(d.integer(2, 7) for _ in range(spatial)))))
    # No point at which the nearest element depends on the last bit.
    size = (batch, *(d.integer(1, 5) for _ in range(spatial)), spatial)
    d.fixed((d.random.integers(-107, 108, size) / 64.0 + 1 / 512).astype(F32))


@generates("NonZero")
def non_zero(d):
    """The number of places is known where the input is."""
    d.constant(d.array(d.shape(1, 3), d.kind(0, F32, I64, I32, np.bool_), special=True))


# Layouts with the channels last.

@generates("com.microsoft::NhwcMaxPool")
def nhwc_max_pool(d):
    kernel, extents = draw_window(d, 2)
    size = [e + d.integer(0, 5) for e in extents]
    d.fixed(d.array((d.integer(1, 2), *size, d.integer(1, 4)), d.kind(0, *BYTES)))
    d.set(kernel_shape=kernel, ceil_mode=d.integer(0, 1))


# Layers of transformers.

def draw_mask(d, batch, keys):
    """Ones and zeros of keys, of which each batch has some."""
    mask = d.random.integers(0, 2, (batch, keys)).astype(I32)
    mask[:, 0] = 1
    return mask


def draw_attention(d):
    """Sets the attributes of an attention; gives (batch, rows, heads, size of a head)."""
    batch, rows, heads, size = d.integer(1, 2), d.integer(1, 5), d.integer(1, 3), 2 * d.integer(1, 3)
    d.attributes["num_heads"] = heads
    d.set(0.3, scale=d.real(0.1, 1), unidirectional=d.integer(0, 1), mask_filter_value=-10000.0)
    d.set(0.2, do_rotary=0, past_present_share_buffer=0, rotary_embedding_dim=0)
    return batch, rows, heads, size


def draw_past(d, batch, heads, size):
    """An earlier length, perhaps 0, and its keys and values."""
    past = d.integer(1, 3) if d.chance(0.3) else 0
    return past, d.array((2, batch, heads, past, size))


@generates("com.microsoft::Attention")
def ms_attention(d):
    batch, rows, heads, size = draw_attention(d)
    inner, width = d.integer(2, 6), heads * size
    values = heads * d.integer(1, 5)
    past, earlier = draw_past(d, batch, heads, size)
    if past or not d.set(0.4, qkv_hidden_sizes=[width, width, values]):
        d.attributes.pop("qkv_hidden_sizes", None)
        values = width
    d.fixed(d.array((batch, rows, inner)))
    d.constant(d.array((inner, 2 * width + values)))
    d.maybe(d.array((2 * width + values,)), 0.8, 1)
    d.maybe(draw_mask(d, batch, rows + past), 0.5, fixed=True)
    d.fixed(earlier) if past else d.omit()
    d.maybe(d.array((1, heads, rows, rows + past)), 0.3, fixed=True)
    d.outputs = 2 if past else 1


@generates("com.microsoft::QAttention")
def q_attention(d):
    batch, rows, heads, size = draw_attention(d)
    inner, width, kind = d.integer(2, 6), heads * size, d.kind(0, np.uint8)
    past, earlier = draw_past(d, batch, heads, size)
    by_column = (3 * width,) if d.chance(0.4) else ()
    d.fixed(d.array((batch, rows, inner), kind))
    d.constant(d.weight((inner, 3 * width), np.int8))
    d.constant(d.array((3 * width,)))
    d.constant(scale(d))
    d.constant(scale(d, by_column) / F32(16))
    d.maybe(draw_mask(d, batch, rows + past), 0.5, fixed=True)
    d.constant(parameter(d, kind))
    d.constant(np.zeros(by_column, np.int8))
    d.fixed(earlier) if past else d.omit()
    d.outputs = 2 if past else 1


def draw_packed(d, heads, values):
    """Query, key and value, all of them or the last two in one input; ONNX Runtime gets each by itself on CPUs."""
    whole = d.chance(0.5)
    peer = d.fork()
    for x in values:
        peer.fixed(x, 0)
    split = [x.reshape(*x.shape[:2], heads, -1) for x in values]
    d.peer = None
    if not whole:
        d.fixed(values[0])
    d.fixed(np.stack(split if whole else split[1:], 3))
    for _ in range(2 if whole else 1):
        d.omit()
    d.peer = peer


@generates("com.microsoft::MultiHeadAttention")
def multi_head_attention(d):
    batch, rows, heads, size = draw_attention(d)
    keys = rows if d.get("unidirectional", 0) or d.chance(0.5) else d.integer(1, 6)
    packs = d.chance(0.3)
    past = d.integer(1, 3) if d.chance(0.3) and keys == rows and not packs else 0
    width, values = heads * size, heads * (size if past or packs else d.integer(1, 5))
    inputs = [d.array((batch, n, w)) for n, w in ((rows, width), (keys, width), (keys, values))]
    if packs:
        if keys != rows:
            inputs[0] = d.array((batch, keys, width))
            rows = keys
        draw_packed(d, heads, inputs)
    else:
        for x in inputs:
            d.fixed(x)
    d.maybe(d.array((2 * width + values,)), constant=1)
    d.maybe(draw_mask(d, batch, keys + past), 0.4, fixed=True)
    d.maybe(d.array((d.pick(1, batch), d.pick(1, heads), rows, keys + past)), 0.3, fixed=True)
    if past:
        d.fixed(d.array((batch, heads, past, size)))
        d.fixed(d.array((batch, heads, past, size)))
        d.outputs = 3


@generates("com.microsoft::GroupQueryAttention")
def group_query_attention(d):
    keys, batch, size, rows = d.integer(1, 2), d.integer(1, 2), 16 * d.integer(1, 2), d.integer(1, 5)
    heads = keys * d.integer(1, 3)
    past = d.integer(1, 6) if d.chance(0.5) else 0
    rows = 1 if past else rows
    total = past + rows
    d.set(num_heads=heads, kv_num_heads=keys)
    d.set(0.3, causal=d.integer(0, 1))
    d.set(0.2, scale=d.real(0.1, 1), softcap=d.real(0.5, 20), smooth_softmax=d.integer(0, 1), sliding_window_cache=0)
    d.set(0.3, local_window_size=d.integer(1, 6) if d.get("causal", 1) else -1)
    turns = d.set(0.5, do_rotary=1)
    d.set(0.3, rotary_interleaved=d.integer(0, 1))
    packed = d.chance(0.4)
    d.fixed(d.array((batch, rows, (heads + 2 * keys if packed else heads) * size), spread=0.7))
    for _ in range(2):
        d.omit() if packed else d.fixed(d.array((batch, rows, keys * size), spread=0.7))
    for _ in range(2):
        d.fixed(d.array((batch, keys, past, size), spread=0.7)) if past else d.omit()
    d.fixed(np.array([total - 1 - (d.integer(0, past) if past else 0) for _ in range(batch)], I32))
    d.constant(np.array([total], I32))
    for _ in range(2):
        d.constant(d.array((total, 8), spread=0.7)) if turns else d.omit()
    d.maybe(d.random.integers(0, total, (batch, rows)).astype(I64), 0.3 if turns else 0, fixed=True)
    d.maybe(d.array((d.pick(1, batch), d.pick(1, heads), rows, total)), 0.3, fixed=True)
    d.maybe(d.array((heads,)), 0.2, fixed=True)
    d.outputs = 4 if d.set(0.3, qk_output=d.integer(1, 2)) else 3


@generates("com.microsoft::RotaryEmbedding")
def ms_rotary(d):
    heads, batch, rows, size = d.integer(1, 3), d.integer(1, 2), d.integer(1, 5), 4 * d.integer(1, 3)
    flat, turned = d.chance(0.5), size
    if flat and d.chance(0.4):
        d.attributes["num_heads"], turned = heads, size // 2
        d.attributes["rotary_embedding_dim"] = turned
    d.fixed(d.array((batch, rows, heads * size) if flat else (batch, heads, rows, size)))
    d.fixed(np.array([d.integer(0, 4)], I64) if d.chance(0.5) else d.random.integers(0, 9, (batch, rows)).astype(I64))
    for _ in range(2):
        d.constant(d.array((9, turned // 2), spread=0.7))
    d.set(interleaved=d.integer(0, 1))
    d.set(0.2, scale=1.0, is_packed_batching=0)


@generates("com.microsoft::EmbedLayerNormalization")
def embed_layer_normalization(d):
    batch, rows, width, segments = d.integer(1, 3), d.integer(1, 6), d.integer(4, 12), d.chance(0.5)
    d.fixed(d.random.integers(0, 20, (batch, rows)).astype(I32))
    d.fixed(d.random.integers(0, 2, (batch, rows)).astype(I32)) if segments else d.omit()
    d.constant(d.array((20, width)))
    d.constant(d.array((9, width)))
    d.constant(d.array((2, width))) if segments else d.omit()
    d.constant(d.array((width,)))
    d.constant(d.array((width,)))
    d.maybe(np.sort(draw_mask(d, batch, rows))[:, ::-1], 0.4, fixed=True)
    d.maybe(d.random.integers(0, 9, (d.pick(1, batch), rows)).astype(I32), 0.4, fixed=True)
    d.set(0.5, epsilon=d.real(1e-6, 1e-2))
    d.set(0.3, mask_index_type=0)
    d.outputs = 2


@generates("com.microsoft::QEmbedLayerNormalization")
def q_embed_layer_normalization(d):
    batch, rows, width, segments = d.integer(1, 3), d.integer(1, 6), d.integer(4, 12), d.chance(0.5)
    kind = d.kind(2, *BYTES)
    d.fixed(d.random.integers(0, 20, (batch, rows)).astype(I32))
    d.fixed(d.random.integers(0, 2, (batch, rows)).astype(I32)) if segments else d.omit()
    there = [True, True, segments, True, True]
    for is_there, shape in zip(there, ((20, width), (9, width), (2, width), (width,), (width,))):
        d.constant(d.array(shape, kind)) if is_there else d.omit()
    d.maybe(np.sort(draw_mask(d, batch, rows))[:, ::-1], 0.4, fixed=True)
    for is_there in there:
        d.constant(scale(d)) if is_there else d.omit()
    for is_there in there:
        d.constant(parameter(d, kind)) if is_there else d.omit()
    d.set(0.5, epsilon=d.real(1e-6, 1e-2))
    d.outputs = 2


@generates("com.microsoft::BiasAdd", "com.microsoft::BiasSplitGelu")
def bias(d):
    """ONNX Runtime has these on GPUs only: test_onnx_contrib_attention.py has their results."""
    shape = (d.integer(1, 2), d.integer(1, 5), 2 * d.integer(1, 5))
    d.fixed(d.array(shape))
    d.fixed(d.array(shape[-1:]), 0.7)
    if d.schema.name == "BiasAdd":
        d.fixed(d.array(shape))
