"""Interprets what `qcc-fuzz --emit` writes, by docs/Numerics.md, in numpy.

Integers, quantized ops, contractions of dequantized values (N2, N3, N6), movement and the
exact float ops. A value that needs anything else is unknown, and so is what follows from it.
"""

import json
import re

import numpy as np

import oracle

f32 = np.float32
DTYPES = {
    "i1": np.bool_, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "index": np.int64, "f16": np.float16, "f32": np.float32,
}


class Unknown(Exception):
    """Not a thing that this interpreter knows."""


class Real:
    """A dequantized value: (q - z) and s, each of the value's shape, and the dimensions along
    which the parameters vary."""

    def __init__(self, steps, scale, varies):
        self.steps, self.scale, self.varies = steps, scale, varies


def bits_of(element):
    return {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}[element]


def wrap(values, element):
    """Integers of any width cut off to an element type."""
    if element == "i1":
        return (values & 1).astype(np.bool_)
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
    if bits > 32:
        raise Unknown("integers of 64 bits from floats")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    whole = np.trunc(x.astype(np.float64))
    return wrap(np.where(np.isnan(whole), 0, np.clip(whole, low, high)).astype(np.int64), element)


INTEGER_OPS = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
}
EXTREMES = {"maxsi": np.maximum, "minsi": np.minimum, "maxui": np.maximum, "minui": np.minimum}
FLOAT_OPS = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}


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
    if name in FLOAT_OPS and element in ("f32", "f16"):
        # One operation in binary32, rounded once (N4).
        return FLOAT_OPS[name](a.astype(f32), b.astype(f32)).astype(DTYPES[element])
    if name in ("maximumf", "minimumf") and element in ("f32", "f16"):
        function = oracle.maximumf if name == "maximumf" else oracle.minimumf
        return function(a.astype(f32), b.astype(f32)).astype(DTYPES[element])
    raise Unknown(name)


def scalar_op(name, attribute, operands, element):
    """An op of arith or math on arrays."""
    name = name.split(".")[1]
    a = operands[0]
    if name in ("cmpi", "cmpf"):
        return compare(attribute, *operands)
    if name == "select":
        return np.where(*operands)
    if element == "bf16" or any(x is None for x in operands):
        raise Unknown("bf16")
    if name == "extsi":
        return wrap(signed(a).astype(np.int64), element)
    if name == "extui":
        return wrap(unsigned(a).astype(np.uint64), element)
    if name in ("trunci", "index_cast"):
        return wrap(a, element)
    if name in ("sitofp", "uitofp"):
        view = signed if name == "sitofp" else unsigned
        return view(a).astype(f32).astype(DTYPES[element])
    if name in ("fptosi", "fptoui"):
        return to_integer(a, element, name == "fptosi")
    if name in ("extf", "truncf") and element in ("f16", "f32"):
        return a.astype(DTYPES[element])
    if name == "absi":
        return wrap(np.where(signed(a) < 0, -signed(a), signed(a)), element)
    exact = {"negf": np.negative, "absf": np.abs, "floor": np.floor, "ceil": np.ceil,
             "trunc": np.trunc, "roundeven": np.rint, "sqrt": np.sqrt}
    if name in exact and element in ("f32", "f16"):
        return exact[name](a.astype(f32)).astype(DTYPES[element])
    if len(operands) == 2:
        return binary(name, *operands, element)
    raise Unknown(name)


class Interpreter:
    def __init__(self, folder):
        self.folder = folder
        self.graph = json.loads((folder / "graph.json").read_text())
        self.types = self.graph["types"]
        self.values, self.reals, self.zeros = {}, {}, set()
        self.inputs = 0
        self.known_ops = set()

    def run(self):
        for node in self.graph["nodes"]:
            try:
                self.node(node)
            except Unknown:
                pass
            except KeyError as missing:  # a value that is unknown
                if not isinstance(missing.args[0], int):
                    raise
        return [self.values.get(value) for value in self.graph["results"]]

    def load(self, name, element):
        if element in ("bf16", "f64"):
            raise Unknown(element)
        return np.load(self.folder / name)

    def node(self, node):
        if node["kind"] == "argument":
            name = f"input{self.inputs}.npy"
            self.inputs += 1
            self.values[node["results"][0]] = self.load(name, self.element(node["results"][0]))
            return
        if node["kind"] == "constant":
            value = node["results"][0]
            array = self.load(f"constant{value}.npy", self.element(value))
            self.values[value] = array
            if node["splat"] and array.dtype == f32 and not array.tobytes().strip(b"\0"):
                self.zeros.add(value)
            return
        if node["kind"] != "op":
            raise Unknown(node["kind"])
        result = node["results"][0]
        name = node["op"].replace(".", "_")
        if node["op"].split(".")[0] in ("arith", "math"):
            self.values[result] = self.tensor_op(node)
        else:
            method = getattr(self, name, None)
            if method is None:
                raise Unknown(name)
            self.values[result] = method(node)
        self.known_ops.add(node["op"])

    # What is needed of a node.

    def element(self, value):
        return self.types[value]["element"]

    def operand(self, node, index):
        return self.values[node["operands"][index]]

    def shape(self, node):
        return tuple(self.types[node["results"][0]]["shape"])

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
            varies = {axis} if axis >= 0 else set()
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
                return array
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
        element = self.element(node["results"][0])
        if element == "bf16":
            raise Unknown(element)
        return result.astype(DTYPES[element])

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
        if type["element"] == "bf16":
            raise Unknown("bf16")
        return oracle.real_result(acc, scale, bias, low, high).astype(DTYPES[type["element"]])

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

    def qnn_linear(self, node):
        return self.layer(node, ("input_", "weight_"), True)

    def qnn_matmul(self, node):
        return self.layer(node, ("lhs_", "rhs_"), "transpose_rhs" in node["text"])

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

    def slices(self, node, marker):
        text = node["text"][node["text"].index(marker) :]
        offsets, sizes, strides = (
            [int(n) for n in part.split(",") if n.strip()] for part in re.findall(r"\[([^\]]*)\]", text)[:3]
        )
        return tuple(
            slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in zip(offsets, sizes, strides)
        )

    def tensor_extract_slice(self, node):
        part = self.slices(node, "$0[")
        return self.moved(node, lambda x, _: x[part].copy(), lambda a: [a])

    def tensor_insert_slice(self, node):
        result = self.operand(node, 1).copy()
        result[self.slices(node, "$1[")] = self.operand(node, 0)
        return result

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
        return scalar_op(node["op"], attribute, operands, self.element(node["results"][0]))

    def named(self, node):
        element = self.element(node["results"][0])
        names = {"add": "add", "sub": "sub", "mul": "mul", "max": "maxs", "min": "mins", "div": "div"}
        name = names.get(node["op"].split(".")[1])
        if name is None:
            raise Unknown(node["op"])
        if element.startswith("f"):
            name = {"maxs": "maximum", "mins": "minimum"}.get(name, name) + "f"
        else:
            name += "i"
        return binary(name, self.operand(node, 0), self.operand(node, 1), element)

    linalg_add = linalg_sub = linalg_mul = linalg_max = linalg_min = linalg_div = named

    def evaluate(self, body, arguments, shape, loops=None):
        """The yields of a body on arrays."""
        values = list(arguments)
        for op in body["ops"]:
            if op["op"] == "arith.constant":
                values.append(self.literal(op["attribute"], op["type"]))
            elif op["op"] == "linalg.index":
                values.append(loops(int(op["attribute"])))
            else:
                operands = [values[i] for i in op["operands"]]
                values.append(scalar_op(op["op"], op["attribute"], operands, op["type"]))
        dtypes = body["arguments"] + [op["type"] for op in body["ops"]]
        return [np.broadcast_to(values[i], shape).astype(DTYPES[dtypes[i]]) for i in body["yields"]]

    @staticmethod
    def literal(text, element):
        if element in ("bf16", "f64"):
            raise Unknown(element)
        if text in ("true", "false"):
            return np.bool_(text == "true")
        if element.startswith("f"):
            return np.array(int(text, 16), f"u{DTYPES[element]().itemsize}").view(DTYPES[element])
        return np.array(int(text)).astype(DTYPES[element])

    def linalg_map(self, node):
        a, b = self.operand(node, 0), self.operand(node, 1)
        return self.evaluate(node["body"], [a, b, a], a.shape)[0].copy()

    def linalg_generic(self, node):
        maps = [[m.strip() for m in text.split(",") if m.strip()] for text in node["maps"]]
        count = len(maps) - 1
        inputs = [self.operand(node, i) for i in range(count)]
        sizes = {}
        for value, dims in zip(inputs + [None], maps):
            shape = self.shape(node) if value is None else value.shape
            sizes.update((d, n) for d, n in zip(dims, shape) if d != "0")
        loops = [f"d{i}" for i in range(len(node["iterators"]))]
        space = [sizes[d] for d in loops]

        def spread(array, dims):
            """Over the iteration space."""
            kept = [i for i, d in enumerate(dims) if d != "0"]
            array = array.reshape([array.shape[i] for i in kept])
            order = sorted(range(len(kept)), key=lambda i: loops.index(dims[kept[i]]))
            array = np.transpose(array, order)
            used = {dims[i] for i in kept}
            array = array.reshape([sizes[d] if d in used else 1 for d in loops])
            return np.broadcast_to(array, space)

        if "reduction" not in node["iterators"]:
            arguments = [spread(x, dims) for x, dims in zip(inputs, maps)]
            index = lambda i: np.broadcast_to(  # noqa: E731
                np.arange(space[i]).reshape([-1 if k == i else 1 for k in range(len(space))]), space
            )
            out = np.zeros(space, DTYPES.get(node["body"]["arguments"][-1], np.float32))
            result = self.evaluate(node["body"], arguments + [out], space, index)[0]
            if node["body"]["yields"] == [0] and not node["body"]["ops"] and count == 1:
                self.generic_movement(node, spread, maps, loops)
            return np.transpose(result, [loops.index(d) for d in maps[-1]]).copy()
        return self.reduction(node, inputs, maps, loops, spread)

    def generic_movement(self, node, spread, maps, loops):
        value = node["operands"][0]
        if value not in self.reals:
            return
        real = self.reals[value]
        order = [loops.index(d) for d in maps[-1]]

        def move(x):
            return np.transpose(spread(x, maps[0]), order)

        varies = {maps[-1].index(maps[0][a]) for a in real.varies if maps[0][a] != "0"}
        self.reals[node["results"][0]] = Real(move(real.steps), move(real.scale), varies)

    def reduction(self, node, inputs, maps, loops, spread):
        """Integers in any order; real ones by N3."""
        body = node["body"]
        init = self.operand(node, len(inputs))
        if any(op["type"][0] in "fb" for op in body["ops"]):
            return self.contraction(node, maps, loops, spread, init)
        reduced = [i for i, kind in enumerate(node["iterators"]) if kind == "reduction"]
        parallel = [i for i in range(len(loops)) if i not in reduced]
        arrays = [np.transpose(spread(x, d), parallel + reduced) for x, d in zip(inputs, maps)]
        outer = arrays[0].shape[: len(parallel)]
        out_order = [loops[i] for i in parallel]
        acc = np.transpose(init, [maps[-1].index(d) for d in out_order])
        flat = [a.reshape(outer + (-1,)) if a.size else None for a in arrays]
        if flat[0] is not None:
            for k in range(flat[0].shape[-1]):
                acc = self.evaluate(body, [a[..., k] for a in flat] + [acc], outer)[0]
        return np.transpose(acc, [out_order.index(d) for d in maps[-1]]).copy()

    def contraction(self, node, maps, loops, spread, init):
        """N3."""
        names = sorted(op["op"] for op in node["body"]["ops"] if op["op"] != "arith.extf")
        if names != ["arith.addf", "arith.mulf"] or len(maps) != 3:
            raise Unknown("a float reduction")
        if self.element(node["results"][0]) != "f32":
            raise Unknown("accumulators of few bits")
        reduced = [d for d, kind in zip(loops, node["iterators"]) if kind == "reduction"]
        steps, scales = [], []
        for index in (0, 1):
            value, dims = node["operands"][index], maps[index]
            if value not in self.reals:
                raise Unknown("a literal contraction")
            real, type = self.reals[value], self.types[value]
            for axis, dim in enumerate(dims):
                if dim in reduced and (axis in real.varies or type["dynamic"][axis]):
                    raise Unknown("a literal contraction")
            steps.append(spread(real.steps, dims).astype(np.float64))
            scales.append(spread(real.scale, dims))
        if not steps[0].size:
            raise Unknown("nothing to reduce")
        axes = tuple(loops.index(d) for d in reduced)
        acc = oracle.wrap((steps[0] * steps[1]).sum(axes).astype(np.int64))
        first = tuple(0 if d in reduced else slice(None) for d in loops)
        scale = f32(scales[0][first]) * f32(scales[1][first])
        kept = [d for d in loops if d not in reduced]
        order = [kept.index(d) for d in maps[-1]]
        bias = None if node["operands"][2] in self.zeros else init
        return oracle.real_result(np.transpose(acc, order), np.transpose(scale, order), bias)

    def linalg_matmul(self, node):
        as_generic = dict(node)
        rhs = "d1, d2" if "(n, k)" in node["text"] else "d2, d1"
        as_generic["maps"] = ["d0, d2", rhs, "d0, d1"]
        as_generic["iterators"] = ["parallel", "parallel", "reduction"]
        element = self.element(node["operands"][0])
        if element == "f32":
            ops, kinds = ["arith.mulf", "arith.addf"], ["f32"] * 3
            body = [(ops[0], [0, 1], "f32"), (ops[1], [2, 3], "f32")]
        else:
            kinds = [element, self.element(node["operands"][1]), "i32"]
            body = [("arith.extsi", [0], "i32"), ("arith.extsi", [1], "i32"),
                    ("arith.muli", [3, 4], "i32"), ("arith.addi", [2, 5], "i32")]
        as_generic["body"] = {
            "arguments": kinds,
            "ops": [{"op": o, "attribute": "", "operands": x, "type": t} for o, x, t in body],
            "yields": [2 + len(body)],
        }
        return self.linalg_generic(as_generic)
