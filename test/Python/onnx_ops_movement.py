"""Generators of ops that move elements and that decide of shapes; see onnx_draw.py."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from onnx_draw import F16, F32, F64, I64, generates
from onnx_ops_elementwise import axis_of


def any_array(d, shape=None, i=0):
    shape = d.shape() if shape is None else shape
    return d.array(shape, d.kind(i))


@generates("Identity")
def identity(d):
    d.input(any_array(d, d.shape(0)))


@generates("Reshape")
def reshape(d):
    shape = list(d.shape(0))
    count = int(np.prod(shape))
    new = [count] if count else []
    while new and len(new) < 4 and d.chance(0.6):
        factors = [f for f in range(1, new[-1] + 1) if new[-1] % f == 0]
        f = d.pick(*factors)
        new[-1:] = [f, new[-1] // f]
    if new and d.chance(0.4):
        new[d.integer(0, len(new) - 1)] = -1
    for i in range(min(len(new), len(shape))):
        if new[i] == shape[i] and d.chance(0.5):
            new[i] = 0
    d.fixed(any_array(d, tuple(shape)))
    d.constant(np.array(new or [1], I64))
    if 0 not in new:
        d.set(allowzero=d.integer(0, 1))
    else:
        d.set(allowzero=0)


@generates("Flatten")
def flatten(d):
    x = any_array(d, d.shape(1))
    d.input(x)
    d.set(axis=d.integer(-x.ndim, x.ndim))


@generates("Squeeze")
def squeeze(d):
    shape = [1 if d.chance(0.4) else n for n in d.shape()]
    axes = [a - len(shape) if d.chance(0.4) else a for a, n in enumerate(shape) if n == 1 and d.chance(0.7)]
    d.fixed(any_array(d, tuple(shape)))
    if d.has("axes"):
        if axes:
            d.set(axes=axes)
    elif axes:
        d.maybe(np.array(axes, I64), 0.8, 1)


@generates("Unsqueeze")
def unsqueeze(d):
    x = any_array(d, d.shape(0, 3))
    more = d.integer(1, 2)
    axes = [int(a) for a in d.random.choice(x.ndim + more, more, replace=False)]
    axes = [a - x.ndim - more if d.chance(0.4) else a for a in axes]
    d.input(x)
    if d.has("axes"):
        d.set(axes=axes)
    else:
        d.constant(np.array(axes, I64))


@generates("Transpose")
def transpose(d):
    x = any_array(d)
    d.input(x)
    d.set(perm=[int(i) for i in d.random.permutation(x.ndim)])


@generates("Expand")
def expand(d):
    shape = tuple(1 if d.chance(0.5) else n for n in d.shape())
    to = [d.integer(1, 4) if n == 1 else d.pick(1, n) for n in shape]
    d.fixed(any_array(d, shape))
    d.constant(np.array(([d.integer(1, 3)] if d.chance(0.3) else []) + to, I64))


@generates("Tile")
def tile(d):
    x = any_array(d, d.shape(1, 3))
    d.input(x)
    d.constant(d.random.integers(1, 4, x.ndim).astype(I64))


@generates("Concat")
def concat(d):
    shape, kind = list(d.shape()), d.kind()
    axis = d.integer(0, len(shape) - 1)
    for _ in range(d.integer(1, 4)):
        shape[axis] = d.integer(1, 5)
        d.fixed(d.array(tuple(shape), kind))
    d.set(axis=axis - len(shape) if d.chance(0.4) else axis)


@generates("Split")
def split(d):
    shape = list(d.shape())
    axis, parts = d.integer(0, len(shape) - 1), d.integer(1, 4)
    sizes = [d.integer(1, 4) for _ in range(parts)]
    # Without sizes the parts are equal, the last one may be smaller.
    count = d.has("num_outputs")
    even = d.chance(0.4)
    if even:
        sizes = [sizes[0]] * parts
        if count and sizes[0] > 1 and d.chance(0.5):
            sizes[-1] -= 1
    shape[axis] = sum(sizes)
    if count and even and -(-shape[axis] // parts) != sizes[0]:
        sizes = [sizes[0]] * parts
        shape[axis] = sum(sizes)
    d.fixed(any_array(d, tuple(shape)))
    named = axis - len(shape) if d.chance(0.4) else axis
    if axis == 0 and d.chance(0.4):
        pass
    else:
        d.set(1, axis=named)
    if d.has("split"):
        if not even or d.chance(0.5):
            d.set(1, split=sizes)
    elif not even or (not count and d.chance(0.5)):
        d.constant(np.array(sizes, I64))
    elif count:
        d.set(1, num_outputs=parts)
    d.outputs = parts


@generates("Slice")
def slice_(d):
    shape = d.shape()
    d.input(any_array(d, shape))
    axes = [a for a in range(len(shape)) if d.chance(0.7)] or [0]
    starts, ends, steps = [], [], []
    for a in axes:
        n, step = shape[a], d.pick(1, 1, 1, 2, -1, -2, 3)
        starts.append(d.pick(d.integer(-n - 2, n + 2), 0, n - 1, -1))
        last = -2**63 if step < 0 else 2**63 - 1
        ends.append(d.pick(d.integer(-n - 2, n + 2), last, last // 2**32))
        steps.append(step)
    kind = d.pick(np.int32, I64)
    info = np.iinfo(kind)
    array = lambda values: np.clip(np.array(values, dtype=object), info.min, info.max).astype(kind)  # noqa: E731
    d.constant(array(starts))
    d.constant(array(ends))
    default = axes == list(range(len(axes))) and d.chance(0.3)
    if default:
        d.omit()
    else:
        d.constant(array([a - len(shape) if d.chance(0.4) else a for a in axes]))
    if all(s == 1 for s in steps) and d.chance(0.5):
        d.omit()
    else:
        d.constant(array(steps))


@generates("Pad")
def pad(d):
    shape, kind = d.shape(), d.kind(0, F32, F64, F16, np.int8, np.uint8, np.int32, I64)
    mode = d.pick("constant", "reflect", "edge", "wrap") if d.since >= 19 else d.pick("constant", "reflect", "edge")
    given = d.set(mode=mode)
    mode = mode if given else "constant"
    most = [3 if mode in ("constant", "edge") else n - 1 if mode == "reflect" else n for n in shape]
    axes = [a for a in range(len(shape)) if d.chance(0.7)] if d.since >= 18 and d.chance(0.4) else None
    of = range(len(shape)) if axes is None else axes
    sides = [[d.integer(0, min(most[a], 4)) for a in of] for _ in range(2)]
    if mode == "constant" and d.chance(0.3):
        sides = [[-1 if shape[a] > 3 and d.chance(0.5) else n for a, n in zip(of, side)] for side in sides]
    d.input(d.array(shape, kind))
    d.constant(np.array(sides[0] + sides[1], I64))
    if mode == "constant":
        d.maybe(d.array((), kind), 0.6, 1)
    else:
        d.omit()
    if axes is not None:
        d.constant(np.array([a - len(shape) if d.chance(0.4) else a for a in axes], I64))


@generates("com.microsoft::Pad")
def ms_pad(d):
    """The amounts may be a row in two dimensions."""
    shape, kind, mode = d.shape(), d.kind(0, F32, F16), d.pick("constant", "reflect", "edge")
    if not d.set(mode=mode):
        mode = "constant"
    most = [n - 1 if mode == "reflect" else 4 for n in shape]
    sides = [d.integer(0, min(n, 4)) for n in most * 2]
    d.input(d.array(shape, kind))
    d.constant(np.array([sides] if d.chance(0.3) else sides, I64))
    if mode == "constant":
        d.maybe(d.array(d.pick((), (1,)), kind), 0.6, 1)
    else:
        d.omit()


@generates("com.microsoft::ExpandDims")
def expand_dims(d):
    x = any_array(d, d.shape(0))
    d.input(x)
    d.constant(np.array(d.integer(-x.ndim - 1, x.ndim), np.int32))


@generates("CenterCropPad")
def center_crop_pad(d):
    shape = d.shape()
    axes = list(range(len(shape)))
    if d.chance(0.6):
        axes = [a for a in axes if d.chance(0.6)] or [0]
        d.attributes["axes"] = [a - len(shape) if d.chance(0.4) else a for a in axes]
    d.input(any_array(d, shape))
    d.constant(d.random.integers(1, 9, len(axes)).astype(d.pick(np.int32, I64)))


@generates("Gather")
def gather(d):
    shape = d.shape()
    axis = axis_of(d, len(shape))
    d.input(any_array(d, shape))
    n = shape[axis]
    d.input(d.random.integers(-n, n, d.shape(0, 2)).astype(d.pick(np.int32, I64)), 0.5)


@generates("GatherElements")
def gather_elements(d):
    shape = d.shape()
    axis = axis_of(d, len(shape))
    d.fixed(any_array(d, shape))
    n, at = shape[axis], list(shape)
    at[axis] = d.integer(1, 5)
    d.fixed(d.random.integers(-n, n, at).astype(d.pick(np.int32, I64)), 0.5)


@generates("GatherND", "com.microsoft::GatherND")
def gather_nd(d):
    shape = d.shape(2, 4)
    batch = 0
    if d.has("batch_dims") and d.set(batch_dims=d.integer(0, len(shape) - 1)):
        batch = d.attributes["batch_dims"]
    width = d.integer(1, len(shape) - batch)
    prefix = (*shape[:batch], *d.shape(0 if batch else 1, 2))
    at = [d.random.integers(-shape[batch + i], shape[batch + i], prefix) for i in range(width)]
    d.fixed(any_array(d, shape))
    d.fixed(np.stack(at, -1).astype(I64), 0.5)


def set_reduction(d):
    choices = ["none", "add", "mul"] + (["max", "min"] if d.since >= 18 else [])
    d.set(reduction=d.pick(*choices))


@generates("ScatterElements")
def scatter_elements(d):
    shape, kind = d.shape(), d.kind(0, F32, F64, np.int32, I64)
    axis = axis_of(d, len(shape))
    set_reduction(d)
    d.fixed(d.array(shape, kind))
    at = [d.integer(1, n) for n in shape]
    n = shape[axis]
    if d.get("reduction", "none") == "none":
        # Places that are written twice have no defined order.
        order = np.argsort(d.random.random((*at[:axis % len(shape)], n, *at[axis % len(shape) + 1:])), axis)
        places = np.take(order, range(at[axis]), axis)
    else:
        places = d.random.integers(-n, n, at)
    d.fixed(places.astype(d.pick(np.int32, I64)), 0.5)
    d.fixed(d.array(places.shape, kind))


@generates("TensorScatter")
def tensor_scatter(d):
    shape, kind = d.shape(3, 4), d.kind(0, F32, F64, np.int32, I64, np.uint8)
    axis = d.integer(1, len(shape) - 1)
    if axis != len(shape) - 2:
        d.set(axis=d.pick(axis, axis - len(shape)), part=1)
    d.set(mode=d.pick("linear", "circular"))
    rows = d.integer(1, shape[axis])
    d.input(d.array(shape, kind))
    d.fixed(d.array((*shape[:axis], rows, *shape[axis + 1:]), kind))
    if d.chance(0.8):
        most = shape[axis] - (rows if d.get("mode", "linear") == "linear" else 1)
        d.input(d.random.integers(0, most + 1, shape[0]).astype(I64))


@generates("ScatterND")
def scatter_nd(d):
    shape, kind = d.shape(1, 3), d.kind(0, F32, F64, np.int32, I64)
    set_reduction(d)
    width = d.integer(1, len(shape))
    outer = int(np.prod(shape[:width]))
    count = d.integer(1, outer)
    flat = d.random.permutation(outer)[:count] if d.get("reduction", "none") == "none" else d.random.integers(0, outer, count)
    d.fixed(d.array(shape, kind))
    d.fixed(np.stack(np.unravel_index(flat, shape[:width]), -1).astype(I64), 0.5)
    d.fixed(d.array((count, *shape[width:]), kind))


@generates("Shape")
def shape_(d):
    x = any_array(d, d.shape(0))
    d.input(x, 0)
    d.set(start=d.integer(-x.ndim - 1, x.ndim), end=d.integer(-x.ndim - 1, x.ndim + 1))


@generates("Size")
def size(d):
    d.input(any_array(d, d.shape(0)), 0)


@generates("Constant")
def constant(d):
    """The node has no input; one attribute says its value."""
    forms = {"value": numpy_helper.from_array(d.array(d.shape(0), d.pick(F32, np.int32, I64, np.uint8, np.int8, F64, F16)), "v"),
             "value_float": d.real(-2, 2), "value_floats": [d.real(-2, 2) for _ in range(d.integer(1, 4))],
             "value_int": d.integer(-9, 9), "value_ints": [d.integer(-9, 9) for _ in range(d.integer(1, 4))],
             "value_string": "text", "value_strings": ["a", "b"],
             "sparse_value": helper.make_sparse_tensor(helper.make_tensor("s", onnx.TensorProto.FLOAT, [2], [1.0, 2.0]),
                                                       helper.make_tensor("i", onnx.TensorProto.INT64, [2], [1, 3]), [5])}
    name = d.pick(*[name for name in forms if d.has(name)])
    d.attributes[name] = forms[name]


@generates("ConstantOfShape")
def constant_of_shape(d):
    d.constant(np.array(d.shape(), I64))
    d.set(value=numpy_helper.from_array(d.array((1,), d.pick(F32, np.int32, I64, np.uint8, np.bool_)), "v"))


@generates("DepthToSpace")
def depth_to_space(d):
    b = d.integer(1, 3)
    d.input(any_array(d, (d.integer(1, 2), b * b * d.integer(1, 3), *d.shape(2, 2))))
    d.set(blocksize=b, mode=d.pick("DCR", "CRD"))


@generates("SpaceToDepth")
def space_to_depth(d):
    b = d.integer(1, 3)
    d.fixed(any_array(d, (d.integer(1, 2), d.integer(1, 3), b * d.integer(1, 3), b * d.integer(1, 3))))
    d.set(blocksize=b, mode=d.pick("DCR", "CRD"))


@generates("Trilu", "com.microsoft::Trilu")
def trilu(d):
    d.input(any_array(d, d.shape(2)))
    d.set(upper=d.integer(0, 1))
    d.maybe(np.asarray(d.integer(-3, 3), I64), 0.6, 1)


@generates("TopK")
def top_k(d):
    shape, kind = d.shape(), d.kind(0, F32, F64, np.int32, I64)
    axis = axis_of(d, len(shape), -1)
    d.fixed(d.array(shape, kind))
    d.constant(np.array([d.integer(1, shape[axis])], I64))
    d.set(largest=d.integer(0, 1))
    # Without an order of the results there is nothing to compare.
    d.set(sorted=1)
    d.outputs = 2


@generates("OneHot")
def one_hot(d):
    shape, depth = d.shape(1, 3), d.integer(1, 6)
    d.input(d.random.integers(-depth - 2, depth + 2, shape).astype(d.pick(np.int32, I64)))
    d.constant(np.asarray(depth, I64))
    d.constant(d.array((2,), d.pick(F32, np.int32, I64)))
    d.set(axis=d.integer(-len(shape) - 1, len(shape)))


@generates("If")
def branch(d):
    """Both branches read nothing but constants of their own."""
    shape, kind = d.shape(), d.pick(F32, I64)
    d.input(np.asarray(d.chance(0.5)), 0.3)
    for name in ("then_branch", "else_branch"):
        value = helper.make_node("Constant", [], [name], value=numpy_helper.from_array(d.array(shape, kind), "v"))
        d.attributes[name] = helper.make_graph([value], name, [], [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)])
