"""Interprets what `qcc-fuzz --emit` writes, by docs/Numerics.md, in numpy.

A value that needs what this interpreter does not know is unknown, and so is what follows
from it.
"""

import json
import re

import numpy as np

import oracle
from fuzz_linalg import Nest, carry_out
from fuzz_scalars import (
    DTYPES, FUNCTIONS, EXACT, Unknown, binary, extended, is_float, round_to, scalar_op, softmax,
    unary_float,
)

f32 = np.float32


class Real:
    """A dequantized value: (q - z) and s, each of the value's shape, and the dimensions along
    which the parameters vary."""

    def __init__(self, steps, scale, varies):
        self.steps, self.scale, self.varies = steps, scale, varies


class Interpreter:
    def __init__(self, folder):
        self.folder = folder
        self.graph = json.loads((folder / "graph.json").read_text())
        self.types = self.graph["types"]
        self.values, self.reals, self.zeros = {}, {}, set()
        self.inputs = 0
        self.known_ops = set()

    def run(self):
        self.nodes(self.graph["nodes"])
        return [self.values.get(value) for value in self.graph["results"]]

    def expected(self, index):
        """What the reference gave for a result."""
        element = self.element(self.graph["results"][index])
        return self.load(f"result{index}.npy", element)

    def nodes(self, nodes):
        for node in nodes:
            for value in node["results"]:  # of the trip of a loop before
                self.values.pop(value, None)
                self.reals.pop(value, None)
                self.zeros.discard(value)
            try:
                self.node(node)
            except Unknown:
                pass
            except KeyError as missing:  # a value that is unknown
                if not isinstance(missing.args[0], int):
                    raise

    def load(self, name, element):
        array = np.load(self.folder / name)
        if element == "bf16":
            return (array.view(np.uint16).astype(np.uint32) << 16).view(f32)
        return array.astype(np.bool_) if element == "i1" else array

    def node(self, node):
        kind = node["kind"]
        if kind == "argument":
            name = f"input{self.inputs}.npy"
            self.inputs += 1
            self.values[node["results"][0]] = self.load(name, self.element(node["results"][0]))
        elif kind == "constant":
            value = node["results"][0]
            array = self.load(f"constant{value}.npy", self.element(value))
            self.values[value] = array
            is_zero = not array.tobytes().strip(b"\0")
            if node["splat"] and is_float(self.element(value)) and is_zero:
                self.zeros.add(value)
        elif kind == "op":
            self.op(node)
        else:
            getattr(self, "run_" + kind)(node)
            self.known_ops.add(f"scf.{kind}")

    def op(self, node):
        result = node["results"][0]
        name = node["op"].replace(".", "_")
        if node["op"].split(".")[0] in ("arith", "math"):
            self.tensor_op(node)
        elif node["maps"] and node["op"].startswith("linalg."):
            self.values[result] = self.linalg_generic(node)
        else:
            method = getattr(self, name, None)
            if method is None:
                raise Unknown(name)
            self.values[result] = method(node)
        self.known_ops.add(node["op"])
        self.known_ops.update(op["op"] for op in node["body"]["ops"])

    # Regions.

    def pass_on(self, sources, targets):
        self.values.update(zip(targets, [self.values[source] for source in sources]))

    def run_call(self, node):
        # What is handed to a function or returned by one is a plain value in there (N3).
        (region,) = node["regions"]
        outside = self.reals, self.zeros
        self.reals, self.zeros = {}, set()
        self.nodes(region["nodes"])
        self.reals, self.zeros = outside
        for source, target in zip(region["yields"], node["results"]):
            if source in self.values:
                self.pass_on([source], [target])

    def run_loop(self, node):
        (region,) = node["regions"]
        carried = node["operands"]
        for _ in range(node["trips"]):
            self.pass_on(carried, region["parameters"])
            self.nodes(region["nodes"])
            carried = region["yields"]
        self.pass_on(carried, node["results"])

    def run_while(self, node):
        before, after = node["regions"]
        carried = node["operands"]
        while True:
            self.pass_on(carried, before["parameters"])
            self.nodes(before["nodes"])
            condition, *passed = before["yields"]
            if not self.values[condition]:
                break
            self.pass_on(passed, after["parameters"])
            self.nodes(after["nodes"])
            carried = after["yields"]
        self.pass_on(passed, node["results"])

    def run_if(self, node):
        region = node["regions"][0 if self.operand(node, 0) else 1]
        self.nodes(region["nodes"])
        self.pass_on(region["yields"], node["results"])

    # What is needed of a node.

    def element(self, value):
        return self.types[value]["element"]

    def operand(self, node, index):
        return self.values[node["operands"][index]]

    def shape(self, node):
        return tuple(self.types[node["results"][0]]["shape"])

    def shape_of(self, node, index):
        return self.types[node["operands"][index]]["shape"]

    def list_after(self, node, marker):
        """The numbers of `marker[1, 2]`."""
        found = re.search(re.escape(marker) + r"\[([^\]]*)\]", node["text"])
        return [int(n) for n in found.group(1).split(",") if n.strip()]

    def parameters(self, node, index, role="", result=False):
        """Scale, zero point, both of the rank of the tensor, storage, what they vary along."""
        value = node["results" if result else "operands"][index]
        type = self.types[value]
        rank = len(type["shape"])
        storage = {"i8": "i8", "ui8": "u8", "i32": "i32"}[type["element"]]

        def along(array, axis):
            array = np.asarray(array)
            if axis < 0:
                return array.reshape((1,) * rank)
            return array.reshape([-1 if i == axis else 1 for i in range(rank)])

        if "scales" in type:
            axis = type["axis"]
            # Along a static dimension of size 1 a scale does not vary (N3).
            varies = {axis} if axis >= 0 and type["shape"][axis] != 1 else set()
            return along(f32(type["scales"]), axis), along(type["zero_points"], axis), storage, varies
        axis_found = re.search(r"axis = (\d+)", node["text"])
        default = 0 if role == "weight_" else rank - 1
        channel = int(axis_found.group(1)) if axis_found else default
        varies = set()

        def operand(kind):
            found = re.search(rf" {role}{kind}\(\$(\d+)", node["text"])
            if not found:
                return None
            at = node["operands"][int(found.group(1))]
            array, shape = self.values[at], self.types[at]["shape"]
            if len(shape) == 1 and shape != [1]:
                varies.add(channel)
                return along(array, channel)
            # One for each channel, of which there is one, is one for the tensor.
            if len(shape) == rank and rank > 1:
                varies.update(range(rank - 1))
                return np.repeat(array, type["shape"][-1] // shape[-1], axis=-1) if shape[-1] > 1 else array
            return along(array, -1)

        scale, zero = operand("scale"), operand("zero_point")
        zero = np.zeros((1,) * rank, np.int64) if zero is None else zero.astype(np.int64)
        return scale, zero, storage, varies

    # qnn

    def qnn_quantize(self, node):
        x = self.operand(node, 0)
        scale, zero, storage, _ = self.parameters(node, 0, result=True)
        before = "zero_point_before_rounding" in node["text"]
        return oracle.quantize(x, scale, zero, storage, before)

    def qnn_dequantize(self, node):
        q = self.operand(node, 0)
        scale, zero, storage, varies = self.parameters(node, 0)
        result = oracle.dequantize(q, scale, zero)
        if storage != "i32":
            shape = q.shape
            self.reals[node["results"][0]] = Real(
                np.broadcast_to(oracle.centred(q, zero), shape), np.broadcast_to(scale, shape), varies
            )
        return round_to(result, self.element(node["results"][0]))

    def quant_scast(self, node):
        return self.operand(node, 0)

    def qnn_requantize(self, node):
        scale, zero, _, _ = self.parameters(node, 0, "input_")
        to, to_zero, storage, _ = self.parameters(node, 0, "output_", result=True)
        return oracle.requantize(self.operand(node, 0), scale, zero, to, to_zero, storage)

    def pointwise(self, node, function):
        sa, za, _, _ = self.parameters(node, 0, "lhs_")
        sb, zb, _, _ = self.parameters(node, 1, "rhs_")
        sy, zy, storage, _ = self.parameters(node, 0, "output_", result=True)
        a, b = self.operand(node, 0), self.operand(node, 1)
        return function(a, sa, za, b, sb, zb, sy, zy, storage)

    def qnn_add(self, node):
        return self.pointwise(node, oracle.add)

    def qnn_mul(self, node):
        return self.pointwise(node, oracle.mul)

    def numbers(self, node, name, default):
        """The numbers of `name = array<i64: 1, 2>`."""
        found = re.search(rf"\b{name} = array<i64: ([^>]*)>", node["text"])
        return [int(n) for n in found.group(1).split(",")] if found else default

    def choice(self, node, name):
        found = re.search(rf'\b{name} = "(\w+)"', node["text"])
        return found.group(1) if found else None

    def windows(self, node, x):
        """The places of windows along H and W."""
        kernel = self.numbers(node, "window", x.shape[1:3])
        strides = self.numbers(node, "strides", [1, 1])
        dilations = self.numbers(node, "dilations", [1, 1])
        padding = self.numbers(node, "padding", [0, 0, 0, 0])
        return [
            oracle.places(x.shape[1 + d], kernel[d], strides[d], dilations[d], *padding[2 * d : 2 * d + 2])
            for d in range(2)
        ]

    def qnn_max_pool2d(self, node):
        x = self.operand(node, 0)
        return oracle.max_pool2d(x, *self.windows(node, x))

    def real_or_quantized(self, node, function):
        """function(scale and zero point of the input, those and the storage of a quantized
        result), which gives a real result where there are none."""
        scale, zero, _, _ = self.parameters(node, 0, "input_")
        element = self.element(node["results"][0])
        if is_float(element):
            return round_to(function(scale, zero, None), element)
        to, to_zero, storage, _ = self.parameters(node, 0, "output_", result=True)
        return function(scale, zero, (to, to_zero, storage))

    def qnn_avg_pool2d(self, node):
        x = self.operand(node, 0)
        rows, columns = self.windows(node, x)
        count = None
        if "count_include_pad" in node["text"]:
            count = np.prod(self.numbers(node, "window", None))
        return self.real_or_quantized(
            node, lambda s, z, out: oracle.avg_pool2d(x, s, z, rows, columns, count, out)
        )

    def qnn_resize(self, node):
        x = self.operand(node, 0)
        height, width = self.shape(node)[1:3]
        transformation = self.choice(node, "coordinate_transformation")
        if self.choice(node, "mode") == "nearest":
            rounding = self.choice(node, "rounding")
            return oracle.resize_nearest(x, height, width, transformation, rounding)
        return self.real_or_quantized(
            node, lambda s, z, out: oracle.resize_linear(x, s, z, height, width, transformation, out)
        )

    def bound(self, node, name):
        found = re.search(rf"\b{name} = (\S+) : f32", node["text"])
        return f32(found.group(1)) if found else None

    def qnn_clamp(self, node):
        scale, zero, storage, _ = self.parameters(node, 0)
        low, high = self.bound(node, "min"), self.bound(node, "max")
        return oracle.clamp(self.operand(node, 0), scale, zero, low, high, storage)

    def qnn_lookup(self, node):
        return oracle.lookup(self.operand(node, 0), self.operand(node, 1))

    def layer_result(self, node, acc, scale, bias):
        """acc, i32 with its bias, and the product of the scales to the result's type."""
        low, high = self.bound(node, "clamp_min"), self.bound(node, "clamp_max")
        type = self.types[node["results"][0]]
        if type["element"] == "i32" and "scales" not in type:
            return acc
        if type["element"] in ("i8", "ui8"):
            sy, zy, storage, _ = self.parameters(node, 0, "output_", result=True)
            bad = [b for b in (low, high) if b is not None and np.isnan(b / sy).any()]
            if bad:
                raise Unknown("bounds that are no numbers")
            return oracle.quantized_result(acc, scale, sy, zy, storage, bias, low, high)
        return round_to(oracle.real_result(acc, scale, bias, low, high), type["element"])

    def bias_of(self, node, acc):
        found = re.search(r" bias\(\$(\d+)", node["text"])
        if not found:
            return acc, None
        bias = self.operand(node, int(found.group(1)))
        if bias.dtype == f32:
            return acc, bias
        return oracle.wrap(acc.astype(np.int64) + bias), None

    def operand_steps(self, node, index, role):
        """(q - z) and the scale of an operand of a layer; a real one must be dequantized."""
        value = node["operands"][index]
        if self.types[value]["element"] == "f32":
            if value not in self.reals:
                raise Unknown("a literal layer")
            real = self.reals[value]
            return real.steps, real.scale, real.varies
        scale, zero, _, varies = self.parameters(node, index, role)
        q = self.values[value]
        steps = np.broadcast_to(oracle.centred(q, zero), q.shape)
        return steps, f32(1) if scale is None else np.broadcast_to(scale, q.shape), varies

    def layer(self, node, roles, transposed):
        x, sx, x_varies = self.operand_steps(node, 0, roles[0])
        w, sw, w_varies = self.operand_steps(node, 1, roles[1])
        if transposed:
            w, w_varies = np.swapaxes(w, -1, -2), {
                {w.ndim - 1: w.ndim - 2, w.ndim - 2: w.ndim - 1}.get(i, i) for i in w_varies
            }
            sw = np.swapaxes(sw, -1, -2) if np.ndim(sw) else sw
        if x.ndim - 1 in x_varies or w.ndim - 2 in w_varies:
            raise Unknown("scales that vary along the reduction")
        if not x.shape[-1]:
            raise Unknown("nothing to reduce")
        acc = oracle.wrap(np.matmul(x.astype(np.float64), w.astype(np.float64)).astype(np.int64))
        acc, bias = self.bias_of(node, acc)
        # One scale for each row and each column.
        rows = sx[..., :1] if np.ndim(sx) else sx
        columns = sw[..., :1, :] if np.ndim(sw) else sw
        return self.layer_result(node, acc, f32(rows) * f32(columns), bias)

    def group_size(self, node):
        """The elements of K that share parameters of a linear layer; 0 if parameters do not vary along K."""
        for role, index in (("input", 0), ("weight", 1)):
            tensor = self.shape_of(node, index)
            for at in re.findall(rf" {role}_(?:scale|zero_point)\(\$(\d+)", node["text"]):
                shape = self.shape_of(node, int(at))
                # One for each row of the input is none of a group.
                if len(shape) == len(tensor) > 1 and (role == "weight" or shape[-1] > 1):
                    return tensor[-1] // shape[-1]
        return 0

    def qnn_linear(self, node):
        size = self.group_size(node)
        if not size:
            return self.layer(node, ("input_", "weight_"), True)
        x, sx, _ = self.operand_steps(node, 0, "input_")
        w, sw, _ = self.operand_steps(node, 1, "weight_")
        none = np.zeros((1, 1), np.int64)
        _, bias = self.bias_of(node, None)
        low, high = self.bound(node, "clamp_min"), self.bound(node, "clamp_max")
        v = oracle.grouped_linear(x, none, sx[..., ::size], w, none, sw[..., ::size], bias, low, high)
        return round_to(v, self.types[node["results"][0]]["element"])

    def qnn_matmul(self, node):
        return self.layer(node, ("lhs_", "rhs_"), "transpose_rhs" in node["text"])

    def convolution(self, node, function, names):
        """A convolution of qnn, whose attributes `names` have these defaults."""
        numbers = {}
        for name, default in names.items():
            found = re.search(rf"\b{name} = array<i64: ([^>]*)>", node["text"])
            numbers[name] = tuple(map(int, found.group(1).split(","))) if found else default
        groups = re.search(r"\bgroups = (\d+)", node["text"])
        sx, zx, _, _ = self.parameters(node, 0, "input_")
        sw, zw, _, _ = self.parameters(node, 1, "weight_")
        x, w = self.operand(node, 0), self.operand(node, 1)
        acc = function(x, zx, w, zw, groups=int(groups.group(1)) if groups else 1, **numbers)
        acc, bias = self.bias_of(node, acc)
        scale = f32(1)
        if sx is not None and sw is not None:
            scale = f32(sx).reshape(-1) * f32(sw).reshape(-1)
        return self.layer_result(node, acc, scale, bias)

    def qnn_conv2d(self, node):
        names = {"strides": (1, 1), "dilations": (1, 1), "padding": (0, 0, 0, 0)}
        return self.convolution(node, oracle.convolve, names)

    def qnn_conv_transpose2d(self, node):
        names = {"strides": (1, 1), "dilations": (1, 1), "padding": (0, 0, 0, 0)}
        names["output_padding"] = (0, 0)
        return self.convolution(node, oracle.convolve_transposed, names)

    # Movement: the same for a value, its steps and its scales.

    def moved(self, node, function, axes, fill=None):
        value, result = node["operands"][0], node["results"][0]
        if value in self.reals and fill in (None, 0):
            real = self.reals[value]
            varies = {to for axis in real.varies for to in axes(axis)}
            self.reals[result] = Real(function(real.steps, 0), function(real.scale, 1), varies)
        return function(self.values[value], fill)

    def linalg_transpose(self, node):
        order = self.list_after(node, "permutation = ")
        return self.moved(node, lambda x, _: np.transpose(x, order), lambda a: [order.index(a)])

    def linalg_broadcast(self, node):
        added, shape = self.list_after(node, "dimensions = "), self.shape(node)
        kept = [i for i in range(len(shape)) if i not in added]
        return self.moved(
            node,
            lambda x, _: np.broadcast_to(np.expand_dims(x, added), shape).copy(),
            lambda a: [kept[a]],
        )

    def tensor_cast(self, node):
        return self.moved(node, lambda x, _: x, lambda a: [a])

    def index_of(self, node, text, highest):
        """A number, or data of the run, which is clamped (N11)."""
        if text[0] != "$":
            return int(text)
        return int(np.clip(int(self.operand(node, int(text[1:]))), 0, max(highest, 0)))

    def slices(self, node, marker, shape):
        text = node["text"][node["text"].index(marker) :]
        parts = [part.split(",") for part in re.findall(r"\[([^\]]*)\]", text)[:3]]
        offsets, sizes, strides = ([n.strip() for n in part if n.strip()] for part in parts)
        found = []
        for offset, size, stride, dim in zip(offsets, map(int, sizes), map(int, strides), shape):
            first = self.index_of(node, offset, dim - ((size - 1) * stride + 1))
            found.append(slice(first, first + (size - 1) * stride + 1 if size else first, stride))
        return tuple(found)

    def tensor_extract_slice(self, node):
        part = self.slices(node, "$0[", self.operand(node, 0).shape)
        return self.moved(node, lambda x, _: x[part].copy(), lambda a: [a])

    def tensor_insert_slice(self, node):
        result = self.operand(node, 1).copy()
        result[self.slices(node, "$1[", result.shape)] = self.operand(node, 0)
        return result

    def tensor_insert(self, node):
        result = np.array(self.operand(node, 1))
        places = [
            int(np.clip(int(self.values[i]), 0, size - 1))
            for i, size in zip(node["operands"][2:], result.shape)
        ]
        result[tuple(places)] = self.operand(node, 0)
        return result

    def tensor_empty(self, node):
        return np.zeros(self.shape(node), DTYPES[self.element(node["results"][0])])

    def tensor_dim(self, node):
        shape = self.types[node["operands"][0]]["shape"]
        return np.int64(shape[int(np.clip(int(self.operand(node, 1)), 0, len(shape) - 1))])

    def tensor_rank(self, node):
        return np.int64(len(self.types[node["operands"][0]]["shape"]))

    def tensor_pad(self, node):
        low, high = self.list_after(node, "low"), self.list_after(node, "high")
        widths = list(zip(low, high))
        value = self.operand(node, 1)
        fill = 0 if not value.tobytes().strip(b"\0") else value
        result = self.moved(
            node, lambda x, v: np.pad(x, widths, constant_values=v), lambda a: [a], fill
        )
        # Where it does not vary, the scale is that of the others; of new channels it is 1.
        real = self.reals.get(node["results"][0])
        for axis, (before, after) in enumerate(widths):
            size = 0 if real is None else real.scale.shape[axis]
            if before + after < size and axis not in real.varies:
                inside = np.take(real.scale, [before], axis)
                real.scale = np.broadcast_to(inside, real.scale.shape)
        return result

    def tensor_concat(self, node):
        axis = int(re.search(r"dim\((\d+)\)", node["text"]).group(1))
        return np.concatenate([self.operand(node, 0), self.operand(node, 1)], axis)

    def groups(self, node):
        text = re.search(r"\[(\[.*?\])\] ", node["text"]).group(1)
        return [[int(n) for n in g.split(",")] for g in re.findall(r"\[([^\]]*)\]", text)]

    def tensor_expand_shape(self, node):
        groups, shape = self.groups(node), self.shape(node)
        return self.moved(node, lambda x, _: x.reshape(shape), lambda a: groups[a])

    def tensor_collapse_shape(self, node):
        groups, shape = self.groups(node), self.shape(node)
        return self.moved(
            node,
            lambda x, _: x.reshape(shape),
            lambda a: [i for i, group in enumerate(groups) if a in group],
        )

    def tensor_splat(self, node):
        return np.full(self.shape(node), self.operand(node, 0))

    def tensor_from_elements(self, node):
        return np.stack([self.operand(node, 0)] * 2)

    def tensor_extract(self, node):
        return self.operand(node, 0)[tuple(int(self.values[i]) for i in node["operands"][1:])]

    # linalg

    def linalg_fill(self, node):
        if node["operands"][0] in self.zeros:
            self.zeros.add(node["results"][0])
        return np.full(self.shape(node), self.operand(node, 0))

    def tensor_op(self, node):
        words = node["text"].split()
        attribute = words[1].rstrip(",") if "cmp" in node["op"] else ""
        operands = [self.values[value] for value in node["operands"]]
        element = self.element(node["results"][0])
        name = node["op"].split(".")[1]
        if name.endswith("_extended"):
            results = extended(name, *operands, element)
        else:
            results = [scalar_op(node["op"], attribute, operands, element)]
        self.values.update(zip(node["results"], results))

    def named(self, node):
        """A named op whose body the program does not say."""
        element = self.element(node["results"][0])
        names = {"add": "add", "sub": "sub", "mul": "mul", "max": "maxs", "min": "mins", "div": "div"}
        name = node["op"].split(".")[1]
        x = self.operand(node, 0)
        if name in ("square", "reciprocal"):
            one = np.ones(x.shape, x.dtype)
            return binary("mulf", x, x, element) if name == "square" else binary("divf", one, x, element)
        name = {"abs": "absf"}.get(name, name)
        if name in FUNCTIONS or name in EXACT:
            return unary_float(name, x, element)
        name = names[name]
        if is_float(element):
            name = {"maxs": "maximum", "mins": "minimum"}.get(name, name) + "f"
        else:
            name += "i"
        return binary(name, x, self.operand(node, 1), element)

    linalg_add = linalg_sub = linalg_mul = linalg_max = linalg_min = linalg_div = named
    linalg_exp = linalg_abs = linalg_ceil = linalg_floor = linalg_negf = linalg_round = named
    linalg_sqrt = linalg_rsqrt = linalg_tanh = linalg_erf = linalg_log = named
    linalg_reciprocal = linalg_square = named

    def linalg_softmax(self, node):
        axis = int(re.search(r"dimension\((\d+)\)", node["text"]).group(1))
        return softmax(self.operand(node, 0), axis, self.element(node["results"][0]))

    @staticmethod
    def loops(count):
        return ", ".join(f"d{i}" for i in range(count))

    def linalg_map(self, node):
        rank = len(self.shape(node))
        count = len(node["body"]["arguments"]) - 1
        return self.linalg_generic(
            dict(node, maps=[self.loops(rank)] * (count + 1), iterators=["parallel"] * rank)
        )

    def linalg_reduce(self, node):
        reduced = self.list_after(node, "dimensions = ")
        rank = len(self.shape(node)) + len(reduced)
        kept = ", ".join(f"d{i}" for i in range(rank) if i not in reduced)
        kinds = ["reduction" if i in reduced else "parallel" for i in range(rank)]
        return self.linalg_generic(dict(node, maps=[self.loops(rank), kept], iterators=kinds))

    def linalg_generic(self, node):
        count = len(node["maps"]) - 1
        inputs = [self.operand(node, i) for i in range(count)]
        nest = Nest(node["maps"], node["iterators"], [x.shape for x in inputs] + [self.shape(node)])
        if len(node["operands"]) > count:
            initial = self.operand(node, count)
        else:  # a tensor.empty
            initial = np.zeros(self.shape(node), DTYPES[self.element(node["results"][0])])
        sources = node["operands"][:count]
        body = node["body"]
        if node["op"] == "linalg.generic" and body["yields"] == [0] and not body["ops"] and count == 1:
            self.generic_movement(node, nest)
        return carry_out(
            nest, body, inputs, initial,
            [self.reals.get(value) for value in sources],
            [self.types[value]["dynamic"] for value in sources],
            len(node["operands"]) > count and node["operands"][count] in self.zeros,
        )

    def generic_movement(self, node, nest):
        value = node["operands"][0]
        if value not in self.reals or nest.reduced:
            return
        real = self.reals[value]
        varies = {
            nest.result().index(next(iter(nest.maps[0][axis])))
            for axis in real.varies
            if nest.maps[0][axis]
        }
        steps, scale = (nest.scatter(nest.spread(x, 0)) for x in (real.steps, real.scale))
        self.reals[node["results"][0]] = Real(steps, scale, varies)

    def linalg_matmul(self, node):
        """Without maps: the one of integers by their sign, and of real values."""
        element = self.element(node["operands"][0])
        if element == "f32":
            body = [("arith.mulf", [0, 1], "f32"), ("arith.addf", [2, 3], "f32")]
            kinds = ["f32"] * 3
        else:
            kinds = [element, self.element(node["operands"][1]), "i32"]
            body = [("arith.extsi", [0], "i32"), ("arith.extsi", [1], "i32"),
                    ("arith.muli", [3, 4], "i32"), ("arith.addi", [2, 5], "i32")]
        ops = [{"op": o, "attribute": "", "operands": x, "type": t} for o, x, t in body]
        return self.linalg_generic(dict(
            node,
            maps=["d0, d2", "d1, d2" if "(n, k)" in node["text"] else "d2, d1", "d0, d1"],
            iterators=["parallel", "parallel", "reduction"],
            body={"arguments": kinds, "ops": ops, "yields": [2 + len(body)]},
        ))
