"""Generators of ops of quantization, of Resize, and of the ops of ONNX Runtime; see onnx_draw.py."""

import numpy as np

from onnx_draw import F16, F32, I64, generates
from onnx_ops_contractions import BYTES, FUNCTIONS, conv, draw_window, one, parameter, scale
from onnx_ops_elementwise import axis_of


def draw_parameters(d, shape, kind, scale_kind=F32, with_zero=True):
    """Sets the axis; gives scale and zero point, of the tensor, along the axis, or of blocks along it."""
    if d.has("block_size") and scale_kind == F32 and len(shape) > 1 and d.chance(0.25):
        axis = axis_of(d, len(shape), 1)
        d.attributes["block_size"] = d.integer(1, shape[axis] + 1)
        size = tuple(-(-n // d.attributes["block_size"]) if i == axis % len(shape) else n for i, n in enumerate(shape))
        z = d.array(size, kind) if np.dtype(kind).itemsize == 1 and with_zero else np.zeros(size, kind)
        return d.random.uniform(0.01, 0.2, size).astype(F32), z
    by_axis = d.chance(0.5) and len(shape) > 0 and (d.has("axis") or len(shape) > 1)
    axis = 1
    if by_axis and d.has("axis"):
        axis = axis_of(d, len(shape), 1)
    by_axis = by_axis and axis < len(shape)
    size = (shape[axis],) if by_axis else ()
    s = d.random.uniform(0.01, 0.2, size).astype(scale_kind)
    z = d.array(size, kind) if np.dtype(kind).itemsize == 1 and with_zero else np.zeros(size, kind)
    return (s, z) if by_axis else (one(d, s), one(d, z))


@generates("QuantizeLinear", "com.microsoft::QuantizeLinear")
def quantize_linear(d):
    kind, shape = d.kind(2, *BYTES), d.shape(1)
    x_kind = d.kind(0, F32, F16, np.int32) if d.opset < 19 or d.since < 19 else d.kind(0, F32, F16)
    scale_kind = F16 if x_kind == F16 else F32
    s, z = draw_parameters(d, shape, kind, scale_kind)
    x = d.array(shape, x_kind, 6)
    d.fixed(x)
    d.fixed(s, 0.8)
    there = d.maybe(z, 0.8 if kind == np.uint8 else 1, 0.8, fixed=True)
    d.set(0.3, saturate=d.integer(0, 1), precision=d.pick(0, 1))
    if "block_size" not in d.attributes:
        d.set(0.3, block_size=0)
    if d.has("output_dtype") and d.chance(0.4):
        d.attributes["output_dtype"] = 2 if not there or kind == np.uint8 else 3
    if x_kind == F16:
        d.no_peer = "ONNX Runtime divides in float16, and rounds the quotient"
        wide, zero = [1] * len(shape), z.astype(np.float64)
        axis = d.get("axis", 1)
        if s.size > 1:
            wide[axis] = -1
        d.expected_value = x.astype(np.float64) / s.astype(np.float64).reshape(wide) + (zero.reshape(wide) if there else 0)


@generates("DequantizeLinear", "com.microsoft::DequantizeLinear")
def dequantize_linear(d):
    kind, shape = d.kind(0, *BYTES, np.int32), d.shape(1)
    s, z = draw_parameters(d, shape, kind)
    d.fixed(d.array(shape, kind))
    d.fixed(s, 0.8)
    d.maybe(z, 0.7, 1 if kind == np.int32 else 0.8, fixed=True)
    if "block_size" not in d.attributes:
        d.set(0.3, block_size=0)
    d.set(0.3, output_dtype=1)


@generates("DynamicQuantizeLinear")
def dynamic_quantize_linear(d):
    d.fixed(d.array(d.shape(), F32, d.real(0.1, 20)))
    d.outputs = 3


COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric", "tf_crop_and_resize",
               "tf_half_pixel_for_nn")


def draw_part(d, of, resized, is_runtime):
    """A roi: dimensions that are not resized are taken as they are, and no place lies on the border of the image."""
    starts, ends = [0.0] * of, [1.0] * of
    for i in resized:
        if d.chance(0.8):
            starts[i], ends[i] = d.real(-0.3, 0.4), d.real(0.6, 1.3)
        if d.chance(0.1):
            starts[i], ends[i] = ends[i], starts[i]
    d.fixed(np.array(starts + ends, F32), 0 if is_runtime else 1)


@generates("Resize")
def resize(d):
    mode = d.pick("nearest", "linear", "cubic")
    if not d.set(mode=mode):
        mode = "nearest"
    shape = [d.integer(1, 2), d.integer(1, 3), d.integer(2, 9), d.integer(2, 9)]
    places = [c for c in COORDINATES if (c != "half_pixel_symmetric" or d.since >= 19)
              and (c != "tf_half_pixel_for_nn" or (d.since < 13 and mode == "nearest"))]
    coordinates = d.pick(*places)
    if not d.set(coordinate_transformation_mode=coordinates):
        coordinates = "half_pixel"
    crops = coordinates == "tf_crop_and_resize"
    rounding = d.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "nearest":
        d.set(nearest_mode=rounding)
    axes = [2, 3]
    if d.has("axes") and d.set(0.4, axes=axes):
        of = 2
    else:
        of, axes = 4, [0, 1, 2, 3]
    scales = [1.0, 1.0, d.pick(2, 3, 0.5, 1.5, 0.7, 2.3, 1.25), d.pick(2, 1, 0.5, 1.5, 0.6, 2.3)][-of:]
    if mode == "nearest" and not crops:
        # By other scales a place may be half an element but for what is rounded, in float32 there and in float64 here.
        scales = [s if float(s * 8).is_integer() else 0.5 for s in scales]
    sizes = [int(np.floor(F32(s) * F32(shape[a]))) for s, a in zip(scales, axes)]
    kind = d.kind(0, F32, np.uint8, np.int8)
    d.fixed(d.array(tuple(shape), kind))
    # Before opset 13 no input is optional.
    def left_out():
        d.constant(np.zeros(0, F32)) if d.since < 13 else d.omit()
    with_sizes = d.chance(0.5)
    # Where a size stays, ONNX Runtime takes no part of the image.
    resized = [i for i, a in enumerate(axes) if (sizes[i] != shape[a] if with_sizes else scales[i] != 1)]
    draw_part(d, of, resized, d.chance(0.3)) if crops else left_out()
    if with_sizes:
        left_out()
        d.constant(np.array(sizes, I64))
        if of == 2 and not crops:
            d.set(0.4, keep_aspect_ratio_policy=d.pick("stretch", "not_larger", "not_smaller"))
    else:
        d.constant(np.array(scales, F32))
    antialias = mode != "nearest" and d.set(0.3, antialias=d.integer(0, 1)) and d.attributes["antialias"]
    if mode == "cubic":
        d.set(0.4, cubic_coeff_a=d.pick(-0.5, -0.75))
    if mode == "cubic" or antialias:
        d.set(0.4, exclude_outside=d.integer(0, 1))
    if antialias and kind == np.int8:
        d.no_peer = "ONNX Runtime makes negative results 0"
    if antialias and not with_sizes and any(s != 1 and n == shape[a] for s, n, a in zip(scales, sizes, axes)):
        d.no_peer = "ONNX Runtime copies a dimension whose size does not change, whatever its scale is"
    d.is_exact = mode == "nearest"
    d.set(0.5 if crops else 0.1, extrapolation_value=d.real(-1, 1) if kind == F32 else float(d.integer(0, 100)))


# Ops of ONNX Runtime.

def stored(d, shape, kind, with_zero=None, is_weight=False):
    """A quantized tensor, its scale and perhaps its zero point; gives what it stands for, in float64."""
    q, s, z = (d.weight if is_weight else d.array)(shape, kind), scale(d), parameter(d, kind)
    d.fixed(q)
    d.constant(s)
    there = d.maybe(z, 0.85 if with_zero is None else with_zero, 1)
    return (q.astype(np.float64) - (z.astype(np.float64) if there else 0)) * np.float64(s)


def result(d, kind, value, needs_zero=False):
    """The parameters of a result that has these values."""
    most = np.abs(value).max(initial=0) or 1
    s = np.asarray(most / d.pick(127, 100, 300), F32)
    d.constant(s)
    z = parameter(d, kind)
    there = d.maybe(z, 1 if needs_zero else 0.85, 1)
    d.expected_value = value / np.float64(s) + (z.astype(np.float64) if there else 0)


@generates("com.microsoft::QLinearAdd", "com.microsoft::QLinearMul")
def qlinear_binary(d):
    kind, shape = d.kind(0, *BYTES), d.shape()
    a = stored(d, shape, kind)
    b = stored(d, tuple(1 if d.chance(0.2) else n for n in shape), kind)
    result(d, kind, a + b if d.schema.name == "QLinearAdd" else a * b)


@generates("com.microsoft::QLinearLeakyRelu", "com.microsoft::QLinearSigmoid", "com.microsoft::QLinearSoftmax")
def qlinear_unary(d):
    kind, shape, op = d.kind(0, *BYTES), d.shape(), d.schema.name
    x = stored(d, shape, kind)
    if op == "QLinearLeakyRelu":
        alpha = d.attributes["alpha"] if d.set(alpha=d.real(0.01, 0.5)) else F32(0.01)
        y = np.where(x < 0, np.float64(F32(alpha)) * x, x)
    elif op == "QLinearSigmoid":
        y = 1 / (1 + np.exp(-x))
    else:
        axis = axis_of(d, len(shape), -1)
        d.attributes["opset"] = d.pick(11, 13)
        if d.attributes["opset"] < 13:
            flat = x.reshape(int(np.prod(shape[:axis % len(shape)])), -1)
            e = np.exp(flat - flat.max(-1, keepdims=True))
            y = (e / e.sum(-1, keepdims=True)).reshape(shape)
        else:
            e = np.exp(x - x.max(axis, keepdims=True))
            y = e / e.sum(axis, keepdims=True)
    result(d, kind, y, op == "QLinearSoftmax")


@generates("com.microsoft::QLinearConcat")
def qlinear_concat(d):
    kind, shape, axis, parts, inputs = d.kind(1, *BYTES), list(d.shape()), None, [], []
    axis = d.integer(0, len(shape) - 1)
    for _ in range(d.integer(1, 3)):
        shape[axis] = d.integer(1, 4)
        q, s, z = d.array(tuple(shape), kind), scale(d), parameter(d, kind)
        inputs.append((q, s, z))
        parts.append((q.astype(np.float64) - z.astype(np.float64)) * np.float64(s))
    result(d, kind, np.concatenate(parts, axis), True)
    for q, s, z in inputs:
        d.fixed(q)
        d.constant(s)
        d.constant(z)
    d.attributes["axis"] = axis - len(shape) if d.chance(0.4) else axis


@generates("com.microsoft::QLinearWhere")
def qlinear_where(d):
    kind, shape = d.kind(1, *BYTES), d.shape()
    condition = d.fixed(d.array(shape, np.bool_))
    x, y = stored(d, shape, kind, 1), stored(d, shape, kind, 1)
    result(d, kind, np.where(condition, x, y), True)


@generates("com.microsoft::QLinearGlobalAveragePool")
def qlinear_global_pool(d):
    kind, shape = d.kind(0, *BYTES), (d.integer(1, 2), d.integer(1, 4), d.integer(1, 6), d.integer(1, 6))
    last = d.set(channels_last=d.integer(0, 1)) and d.attributes["channels_last"]
    x = stored(d, shape, kind, 1)
    result(d, kind, x.mean((1, 2) if last else (2, 3), keepdims=True), True)


@generates("com.microsoft::QLinearReduceMean")
def qlinear_mean(d):
    """ONNX Runtime has its schema alone."""
    kind, shape = d.kind(0, *BYTES), d.shape()
    axes = [a for a in range(len(shape)) if d.chance(0.6)] or [0]
    keeps = d.integer(0, 1)
    d.attributes.update(axes=[a - len(shape) if d.chance(0.4) else a for a in axes], keepdims=keeps)
    x = stored(d, shape, kind)
    result(d, kind, x.mean(tuple(axes), keepdims=bool(keeps)), kind == np.int8)


@generates("com.microsoft::QLinearAveragePool")
def qlinear_pool(d):
    kernel, extents = draw_window(d, 2)
    kind = d.kind(0, *BYTES)
    shape = (d.integer(1, 2), d.integer(1, 4), *(e + d.integer(0, 5) for e in extents))
    last = d.set(channels_last=d.integer(0, 1)) and d.attributes["channels_last"]
    stored(d, (shape[0], *shape[2:], shape[1]) if last else shape, kind)
    d.constant(scale(d))
    d.constant(parameter(d, kind))
    d.set(kernel_shape=kernel, ceil_mode=d.integer(0, 1), count_include_pad=d.integer(0, 1))
    if d.get("ceil_mode", 0) and d.get("count_include_pad", 0):
        d.no_peer = "ONNX Runtime counts what a last window has behind the padding, other than in AveragePool"


@generates("com.microsoft::QGemm")
def qgemm(d):
    m, k, n = (d.integer(1, 20) for _ in range(3))
    d.set(transA=d.integer(0, 1), transB=d.integer(0, 1), alpha=d.real(0.2, 2))
    kind = d.kind(0, *BYTES)
    a = stored(d, (k, m) if d.get("transA", 0) else (m, k), kind, 1)
    b = stored(d, (n, k) if d.get("transB", 0) else (k, n), np.int8 if kind == np.int8 else d.pick(*BYTES), 1, True)
    d.maybe(d.random.integers(-3000, 3000, n).astype(np.int32), 0.5, 1)
    a, b = (a.T if d.get("transA", 0) else a), (b.T if d.get("transB", 0) else b)
    if d.chance(0.7):
        d.constant(np.asarray(max(np.abs(a @ b).max(), 1e-3) / 100, F32))
        d.constant(parameter(d, kind))


@generates("com.microsoft::Gelu", "com.microsoft::QuickGelu", "com.microsoft::BiasGelu", "com.microsoft::FastGelu")
def fused_gelu(d):
    kind, shape = d.kind(0, F32), d.shape()
    d.input(d.array(shape, kind))
    if d.schema.name in ("BiasGelu", "FastGelu"):
        d.maybe(d.array(shape[-1:], kind), 1 if d.schema.name == "BiasGelu" else 0.5, fixed=True)
    d.set(alpha=d.real(0.5, 2))


@generates("com.microsoft::SkipLayerNormalization", "com.microsoft::SkipSimplifiedLayerNormalization")
def skip_normalization(d):
    shape, n = (d.integer(1, 3), d.integer(1, 4)), d.integer(4, 20)
    for _ in range(2):
        d.fixed(d.array((*shape, n)))
    d.fixed(d.array((n,)), 0.7)
    for _ in range(len(d.schema.inputs) - 3):
        d.maybe(d.array((n,)), constant=0.7, fixed=True)
    d.set(epsilon=d.real(1e-6, 1e-2))


@generates("com.microsoft::FusedMatMul", "com.microsoft::TransposeMatMul")
def fused_matmul(d):
    d.set(transA=d.integer(0, 1), transB=d.integer(0, 1), alpha=d.real(-2, 2))
    d.set(0.3, transBatchA=d.integer(0, 1), transBatchB=d.integer(0, 1))
    m, k, n, batch = d.integer(1, 9), d.integer(1, 9), d.integer(1, 9), d.shape(0, 2, 3)

    def shape(rows, columns, swaps, goes_behind):
        """The rows, or what takes their place, stand before the batch or behind it."""
        first, last = (columns, rows) if swaps else (rows, columns)
        return (first, *batch, last) if goes_behind else (*batch, first, last)

    d.fixed(d.array(shape(m, k, d.get("transA", 0), d.get("transBatchA", 0))))
    d.fixed(d.array(shape(k, n, d.get("transB", 0), d.get("transBatchB", 0))), 0.5)


def amplify(d, x, w):
    """Rows of `w` times elements of `x`: sums before an activation, whose magnitudes the results do not show."""
    sums = np.abs(x.astype(float)).max(initial=0) * np.abs(w.astype(float)).sum(axis=1).max(initial=0)
    d.amplification = float(np.clip(sums, 1, 1e3))


@generates("com.microsoft::FusedConv")
def fused_conv(d):
    conv(d)
    weight = d.value(1)
    amplify(d, d.value(0), weight.reshape(len(weight), -1))
    name, numbers = d.pick(("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.1]), ("HardSigmoid", [0.3, 0.4]),
                           ("Clip", [-1.0, 2.0]))
    if d.chance(0.8):
        d.attributes["activation"] = name
        if numbers:
            d.attributes["activation_params"] = numbers


@generates("com.microsoft::FusedGemm")
def fused_gemm(d):
    m, k, n = (d.integer(1, 20) for _ in range(3))
    d.set(transA=d.integer(0, 1), transB=d.integer(0, 1), alpha=d.real(-2, 2), beta=d.real(-2, 2))
    x = d.fixed(d.array((k, m) if d.get("transA", 0) else (m, k)))
    w = d.fixed(d.array((n, k) if d.get("transB", 0) else (k, n)), 0.5)
    amplify(d, abs(d.get("alpha", 1)) * x, w if d.get("transB", 0) else w.T)
    d.maybe(d.array(d.pick((n,), (m, n))), constant=0.5, fixed=True)
    name, numbers = d.pick(("Relu", {}), ("Tanh", {}), ("LeakyRelu", {"alpha": 0.1}), ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
                           ("Elu", {"alpha": 0.7}), ("Selu", {"alpha": 1.5, "gamma": 1.1}), ("Softplus", {}), ("Softsign", {}),
                           ("ThresholdedRelu", {"alpha": 0.5}), ("Sigmoid", {}))
    d.attributes["activation"] = name
    for attribute, number in numbers.items():
        d.attributes[f"activation_{attribute}"] = number


@generates("com.microsoft::MatMulIntegerToFloat", "com.microsoft::DynamicQuantizeMatMul")
def matmul_to_float(d):
    dynamic = d.schema.name == "DynamicQuantizeMatMul"
    kinds = (F32 if dynamic else np.uint8), d.pick(*BYTES)
    m, k, n = (d.integer(1, 20) for _ in range(3))
    d.fixed(d.array((m, k), kinds[0]))
    d.fixed(d.weight((k, n), kinds[1]), 0.7)
    by_column = (n,) if d.chance(0.4) else None
    if not dynamic:
        d.constant(scale(d))
    d.constant(scale(d, by_column or ()))
    if not dynamic:
        d.maybe(parameter(d, kinds[0]), constant=0.8)
    d.maybe(parameter(d, kinds[1], by_column), constant=0.8)
    d.maybe(d.array((n,)), constant=0.8, fixed=True)


@generates("com.microsoft::MatMulNBits")
def matmul_nbits(d):
    bits, size, rows, n = d.pick(2, 4, 4, 8), d.pick(16, 32, 64), d.integer(1, 6), d.integer(1, 20)
    k, kind = d.integer(1, 150), d.kind(0, F32, F16)
    blocks = -(-k // size)
    level = d.integer(0, 4)
    # Blocks that int8 has exactly, so that engines agree about the integers.
    x = d.random.integers(-127, 128, (rows, blocks, size))
    x[..., 0] = 127
    d.input((x.reshape(rows, -1)[:, :k] * 2.0 ** -6).astype(kind), 0)
    d.constant(d.array((n, blocks, size * bits // 8), np.uint8))
    d.constant(d.random.uniform(0.01, 0.1, (n, blocks)).astype(kind))
    d.maybe(d.array((n, (blocks * bits + 7) // 8), np.uint8), constant=1)
    if d.maybe(np.arange(k, dtype=np.int32) // size, 0.1, constant=1) and bits == 2:
        d.no_peer = "ONNX Runtime reads 2 bits in another order if there is a g_idx"
    d.maybe(d.array((n,), kind), constant=0.8, fixed=True)
    d.set(K=k, N=n, block_size=size, bits=bits, accuracy_level=level)
    d.attributes["bits"] = bits
    d.set(0.2, weight_prepacked=0)
    if kind == F16:
        d.no_peer = "ONNX Runtime has sums of float16"


@generates("com.microsoft::DynamicQuantizeLSTM")
def dynamic_quantize_lstm(d):
    direction = d.pick("forward", "reverse", "bidirectional")
    directions = 2 if d.set(direction=direction) and direction == "bidirectional" else 1
    steps, batch, size, hidden = d.integer(1, 5), d.integer(1, 3), d.integer(2, 5), d.integer(2, 5)
    d.attributes["hidden_size"] = hidden
    d.fixed(d.array((steps, batch, size)))
    d.constant(d.weight((directions, size, 4 * hidden), np.int8))
    d.constant(d.weight((directions, hidden, 4 * hidden), np.int8))
    d.maybe(d.array((directions, 8 * hidden), spread=0.5), constant=1)
    d.maybe(d.random.integers(1, steps + 1, batch).astype(np.int32), constant=0.5, fixed=True)
    d.maybe(d.array((directions, batch, hidden), spread=0.5), fixed=True)
    d.maybe(d.array((directions, batch, hidden), spread=0.5), fixed=True)
    d.maybe(d.array((directions, 3 * hidden), spread=0.5), constant=1)
    for _ in range(2):
        d.constant(d.random.uniform(0.001, 0.01, (directions,)).astype(F32))
        d.constant(np.zeros((directions,), np.int8))
    if d.set(0.3, activations=None):
        d.attributes["activations"] = FUNCTIONS["LSTM"] * directions
    d.set(0.2, clip=d.real(0.5, 3), input_forget=d.integer(0, 1))
    d.outputs = 3


