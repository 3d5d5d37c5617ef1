"""docs/Numerics.md in numpy: an oracle that shares nothing with qcc.

Labels N1 ... N12 are those of the document. Everything is binary32 in the order written
there; arrays are float32, int8, uint8 or int32.
"""

import math
from fractions import Fraction

import numpy as np

f32 = np.float32
# NaNs and infinities are data here.
np.seterr(all="ignore")
RANGES = {"i8": (-128, 127), "u8": (0, 255)}
STORAGE = {"i8": np.int8, "u8": np.uint8}


def fma(a, b, c):
    """Binary32 fused multiply-add, rounded once.

    The product of two binary32 numbers is exact in binary64. Their sum with c is not, so it
    is rounded to odd there, which makes the second rounding, to binary32, harmless.
    """
    a, b, c = np.broadcast_arrays(f32(a), f32(b), f32(c))
    product = a.astype(np.float64) * b.astype(np.float64)
    addend = c.astype(np.float64)
    total = product + addend
    # The exact error of the sum (Knuth's TwoSum).
    part = total - product
    error = (product - (total - part)) + (addend - part)
    even = (total.view(np.int64) & 1) == 0
    adjust = np.isfinite(total) & np.isfinite(error) & (error != 0) & even
    towards = np.where(error > 0, np.inf, -np.inf)
    return np.where(adjust, np.nextafter(total, towards), total).astype(f32)


def saturate(v, zero_point, storage):
    """saturate(rint(v) + z): a NaN gives z (N5, N6)."""
    low, high = RANGES[storage]
    zero_point = np.asarray(zero_point, np.int64)
    rounded = np.clip(np.rint(v).astype(np.float64), low - zero_point, high - zero_point)
    steps = np.where(np.isnan(v), 0, rounded).astype(np.int64)
    return (steps + zero_point).astype(STORAGE[storage])


def quantize(x, scale, zero_point, storage, before_rounding=False):
    """N5."""
    quotient = x.astype(f32) / f32(scale)
    if not before_rounding:
        return saturate(quotient, zero_point, storage)
    low, high = RANGES[storage]
    shifted = quotient + f32(zero_point)
    clipped = np.clip(np.rint(shifted).astype(np.float64), low, high)
    return np.where(np.isnan(shifted), zero_point, clipped).astype(STORAGE[storage])


def centred(q, zero_point):
    return q.astype(np.int64) - np.asarray(zero_point, np.int64)


def dequantize(q, scale, zero_point=0):
    """N6."""
    return centred(q, zero_point).astype(f32) * f32(scale)


def requantize(q, scale, zero_point, out_scale, out_zero_point, storage):
    """N6."""
    v = centred(q, zero_point).astype(f32) * (f32(scale) / f32(out_scale))
    return saturate(v, out_zero_point, storage)


def add(a, sa, za, b, sb, zb, sy, zy, storage):
    """N6."""
    right = centred(b, zb).astype(f32) * (f32(sb) / f32(sy))
    return saturate(fma(centred(a, za).astype(f32), f32(sa) / f32(sy), right), zy, storage)


def mul(a, sa, za, b, sb, zb, sy, zy, storage):
    """N6."""
    product = (centred(a, za) * centred(b, zb)).astype(f32)
    return saturate(product * ((f32(sa) * f32(sb)) / f32(sy)), zy, storage)


def clamp(q, scale, zero_point, low, high, storage):
    """N6: bounds quantized by N5."""
    if low is not None:
        q = np.maximum(q, quantize(f32(low), scale, zero_point, storage))
    if high is not None:
        q = np.minimum(q, quantize(f32(high), scale, zero_point, storage))
    return q


def lookup(q, table):
    return table[q.astype(np.int64) + (128 if q.dtype == np.int8 else 0)]


def places(size, kernel, stride=1, dilation=1, before=0, after=0):
    """The places inside of a dimension of each window along it."""
    count = (size + before + after - dilation * (kernel - 1) - 1) // stride + 1
    starts = np.arange(count) * stride - before
    windows = [start + np.arange(kernel) * dilation for start in starts]
    return [window[(window >= 0) & (window < size)] for window in windows]


def windows(x, rows, columns, combine):
    """combine(elements of a window [N, h, w, C]) -> [N, C], for each window of an image."""
    result = [[combine(x[:, row][:, :, column]) for column in columns] for row in rows]
    return np.moveaxis(np.array(result), 2, 0)


def max_pool2d(q, rows, columns):
    """N6, of the places of windows along H and W."""
    return windows(q, rows, columns, lambda part: part.max(axis=(1, 2)))


def avg_pool2d(q, scale, zero_point, rows, columns, count=None, out=None):
    """N6, of the places of windows along H and W. `count` is the size of a window where
    what is padded counts, `out` scale, zero point and storage of a quantized result."""
    acc = windows(centred(q, zero_point), rows, columns, lambda part: part.sum(axis=(1, 2)))
    inside = np.array([[len(row) * len(column) for column in columns] for row in rows])
    c = f32(inside if count is None else np.full_like(inside, count))[None, :, :, None]
    factor = f32(scale) / c
    if out is None:
        return wrap(acc).astype(f32) * factor
    sy, zy, storage = out
    return saturate(wrap(acc).astype(f32) * (factor / f32(sy)), zy, storage)


def coordinate(o, n, m, transformation):
    """N6: where place o of m lies in an image of n."""
    if transformation == "asymmetric":
        return Fraction(o * n, m)
    if transformation == "half_pixel":
        return (o + Fraction(1, 2)) * Fraction(n, m) - Fraction(1, 2)
    return Fraction(o * (n - 1), m - 1) if m > 1 else Fraction(0)


ROUNDINGS = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round_prefer_floor": lambda x: math.ceil(x - Fraction(1, 2)),
    "round_prefer_ceil": lambda x: math.floor(x + Fraction(1, 2)),
}


def nearest_indices(n, m, transformation, rounding):
    places = [coordinate(o, n, m, transformation) for o in range(m)]
    return np.clip([ROUNDINGS[rounding](x) for x in places], 0, n - 1)


def to_f32(x):
    """A fraction rounded once: of the neighbours of its f64 value in f32, the nearest."""
    middle = f32(float(x))
    near = [np.nextafter(middle, f32(-np.inf)), middle, np.nextafter(middle, f32(np.inf))]
    even = lambda number: number.view(np.int32) & 1
    return min(near, key=lambda number: (abs(Fraction(float(number)) - x), even(number)))


def linear_weights(n, m, transformation):
    places = [coordinate(o, n, m, transformation) for o in range(m)]
    low = np.array([math.floor(x) for x in places])
    weights = np.array([to_f32(x - math.floor(x)) for x in places], f32)
    return np.clip(low, 0, n - 1), np.clip(low + 1, 0, n - 1), weights


def resize_nearest(q, height, width, transformation, rounding):
    """N6."""
    rows = nearest_indices(q.shape[1], height, transformation, rounding)
    columns = nearest_indices(q.shape[2], width, transformation, rounding)
    return q[:, rows][:, :, columns]


def resize_linear(q, scale, zero_point, height, width, transformation, out=None):
    """N6. `out` is scale, zero point and storage of a quantized result."""
    v = centred(q, zero_point).astype(f32)
    left, right, wx = linear_weights(q.shape[2], width, transformation)
    h = fma(v[:, :, right] - v[:, :, left], wx[:, None], v[:, :, left])
    upper, lower, wy = linear_weights(q.shape[1], height, transformation)
    t = fma(h[:, lower] - h[:, upper], wy[:, None, None], h[:, upper])
    if out is None:
        return t * f32(scale)
    sy, zy, storage = out
    return saturate(t * (f32(scale) / f32(sy)), zy, storage)


def minimumf(a, b):
    """-0 < +0; NaN if an operand is NaN (N7)."""
    smaller = np.where(np.signbit(a) & (a == b), a, np.where(a < b, a, b))
    return np.where(np.isnan(a) | np.isnan(b), f32(np.nan), smaller).astype(f32)


def maximumf(a, b):
    """-0 < +0; NaN if an operand is NaN (N7)."""
    larger = np.where(np.signbit(b) & (a == b), a, np.where(a > b, a, b))
    return np.where(np.isnan(a) | np.isnan(b), f32(np.nan), larger).astype(f32)


def to_bf16(x):
    """The binary32 value of x rounded to bfloat16, half to even, denormals kept."""
    bits = x.astype(f32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    result = rounded.astype(np.uint32).view(f32)
    return np.where(np.isnan(x), f32(np.nan), result).astype(f32)


def wrap(acc):
    return (np.asarray(acc, np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def accumulate(x, zx, w, zw):
    """N2 for x [..., M, K] and w [..., K, N]: exact in binary64, whose integers reach 2**53."""
    product = np.matmul(
        centred(x, zx).astype(np.float64), centred(w, zw).astype(np.float64)
    )
    return wrap(product.astype(np.int64))


def _taps(w, zw, groups):
    """For each place (i, j) of a kernel OHWI: its matrix from channels to filters."""
    centre = centred(w, zw).astype(np.float64)
    filters, height, width, depth = w.shape
    each = filters // groups
    for i in range(height):
        for j in range(width):
            matrix = np.zeros((depth * groups, filters))
            for g in range(groups):
                part = slice(g * each, (g + 1) * each)
                matrix[g * depth : (g + 1) * depth, part] = centre[part, i, j].T
            yield i, j, matrix


def convolve(x, zx, w, zw, strides=(1, 1), dilations=(1, 1), padding=(0, 0, 0, 0), groups=1):
    """N2 for x NHWC and w OHWI, as a sum of matrix products, one for each place of the kernel."""
    top, bottom, left, right = padding
    centre = centred(x, zx).astype(np.float64)
    padded = np.pad(centre, ((0, 0), (top, bottom), (left, right), (0, 0)))
    size = [
        (length - dilation * (kernel - 1) - 1) // stride + 1
        for length, dilation, kernel, stride in zip(
            padded.shape[1:3], dilations, w.shape[1:3], strides
        )
    ]
    acc = np.zeros((x.shape[0], *size, w.shape[0]))
    for i, j, matrix in _taps(w, zw, groups):
        rows, columns = (
            slice(place * dilation, place * dilation + (count - 1) * stride + 1, stride)
            for place, dilation, count, stride in zip((i, j), dilations, size, strides)
        )
        acc += padded[:, rows, columns] @ matrix
    return wrap(acc.astype(np.int64))


def convolve_transposed(
    x, zx, w, zw, strides, dilations, padding, groups=1, output_padding=(0, 0)
):
    """N2 for x NHWC and w OHWI: each place of the kernel adds all pixels to a part of the result."""
    top, bottom, left, right = padding
    centre = centred(x, zx).astype(np.float64)
    spans = [
        (length - 1) * stride + 1 for length, stride in zip(x.shape[1:3], strides)
    ]
    size = [
        span + dilation * (kernel - 1) + extra
        for span, dilation, kernel, extra in zip(spans, dilations, w.shape[1:3], output_padding)
    ]
    acc = np.zeros((x.shape[0], *size, w.shape[0]))
    for i, j, matrix in _taps(w, zw, groups):
        rows, columns = (
            slice(place * dilation, place * dilation + span, stride)
            for place, dilation, span, stride in zip((i, j), dilations, spans, strides)
        )
        acc[:, rows, columns] += centre @ matrix
    acc = acc[:, top : size[0] - bottom, left : size[1] - right]
    return wrap(acc.astype(np.int64))


def real_result(acc, scale, bias=None, low=None, high=None):
    """N3 with float clamps (N7): acc is i32, scale is the one product sx * sw."""
    v = acc.astype(f32) * scale if bias is None else fma(acc.astype(f32), scale, bias)
    if low is not None:
        v = maximumf(v, f32(low))
    if high is not None:
        v = minimumf(v, f32(high))
    return v


def grouped_linear(x, zx, sx, w, zw, sw, bias=None, low=None, high=None):
    """N3 for x [..., K] and w [N, K] whose parameters vary along K: [..., L] and [N, L], or 1 in
    place of a dimension along which they do not vary."""
    groups = max(np.shape(p)[-1] for p in (zx, sx, zw, sw))
    size = x.shape[-1] // groups

    def part(parameter, g):
        return parameter[..., g : g + 1] if parameter.shape[-1] > 1 else parameter

    v = np.zeros(x.shape[:-1] + w.shape[:1], f32) + f32(0 if bias is None else bias)
    for g in range(groups):
        k = slice(g * size, (g + 1) * size)
        difference = centred(w[:, k], part(zw, g)).T
        acc = accumulate(x[..., k], part(zx, g), difference, 0)
        v = fma(acc.astype(f32), part(sx, g) * part(sw, g)[:, 0], v)
    return real_result(v, f32(1), None, low, high)


def quantized_result(acc, scale, sy, zy, storage, bias=None, low=None, high=None):
    """N6: scale is sx * sw; clamps keep a NaN, which then gives zy."""
    multiplier = scale / f32(sy)
    if bias is None:
        v = acc.astype(f32) * multiplier
    else:
        v = fma(acc.astype(f32), multiplier, f32(bias) / f32(sy))
    if low is not None:
        v = np.where(v < f32(low) / f32(sy), f32(low) / f32(sy), v)
    if high is not None:
        v = np.where(v > f32(high) / f32(sy), f32(high) / f32(sy), v)
    return saturate(v, zy, storage)


def fma_chain(x, w, start=0.0):
    """N8, a float contraction that is not N3: fma in k order. x [M, K], w [K, N]."""
    acc = np.full((x.shape[0], w.shape[1]), start, f32)
    for k in range(x.shape[1]):
        acc = fma(x[:, k : k + 1], w[k : k + 1, :], acc)
    return acc


def reduce_last(x, combine, neutral, initial):
    """N8, a float reduction over the last axis: 32 strided lanes, then a tree."""
    length = x.shape[-1]
    lanes = np.full(x.shape[:-1] + (32,), neutral, f32)
    for start in range(0, length, 32):
        part = x[..., start : start + 32]
        count = part.shape[-1]
        lanes[..., :count] = combine(lanes[..., :count], part)
    for step in (16, 8, 4, 2, 1):
        lanes[..., :step] = combine(lanes[..., :step], lanes[..., step : 2 * step])
    return combine(f32(initial), lanes[..., 0])


def reduce_sum(x, initial=0.0):
    return reduce_last(x, lambda a, b: f32(a) + f32(b), -0.0, initial)


def reduce_max(x, initial):
    return reduce_last(x, maximumf, -np.inf, initial)
