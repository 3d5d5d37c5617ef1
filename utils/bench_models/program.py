"""Writes a network as a program of qnn ops: images in NHWC, weights in OHWI."""

import numpy

BODIES = {
    "sigmoid": """  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %one : f32
  %r = arith.divf %one, %d : f32
""",
    "silu": """  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %one : f32
  %r = arith.divf %a, %d : f32
""",
    "hard_sigmoid": """  %m = arith.mulf %a, %sixth : f32
  %h = arith.addf %m, %half : f32
  %p = arith.maximumf %h, %zero : f32
  %r = arith.minimumf %p, %one : f32
""",
    "hard_swish": """  %m = arith.mulf %a, %sixth : f32
  %h = arith.addf %m, %half : f32
  %p = arith.maximumf %h, %zero : f32
  %g = arith.minimumf %p, %one : f32
  %r = arith.mulf %a, %g : f32
""",
}
CLAMPS = {"none": (None, None), "relu": (0.0, None), "relu6": (0.0, 6.0)}
CONSTANTS = {"zero": 0.0, "half": 0.5, "one": 1.0, "sixth": 1 / 6}


def number(value):
    """As MLIR writes an f32; what is not finite by its bits."""
    if not numpy.isfinite(value):
        return f"0x{numpy.float32(value).view(numpy.uint32):08X}"
    return f"{numpy.float32(value):.9e}"


def array(*numbers):
    return f"array<i64: {', '.join(map(str, numbers))}>"


class Program:
    """The text of a network, and what its `dense_resource` constants are.

    bytes: operands of activations are quantized, so that these are functions of bytes; else
        they are computed of the real results of convolutions.
    """

    head = ("#image = affine_map<(n, h, w, c) -> (n, h, w, c)>",)
    constants = CONSTANTS

    def __init__(self, net, bytes=False):
        self.bytes = bytes
        self.weights = {}
        self.types = {}  # of quantization, and their names
        self.lines = []
        self.temporaries = 0
        self.names = {net.input: self.quantize("%x", net.input)}
        for op in net.ops:
            self.names[op.output] = getattr(self, "_" + op.kind)(op)
        result, result_type = self._results(net)
        self.text = "\n".join([
            *self.head,
            *(f"!{name} = {q}" for q, name in self.types.items()),
            f"func.func @{net.name.replace('-', '_')}"
            f"(%x: {self._real_type(net.input)}) -> {result_type} {{",
            *(f"  %{name} = arith.constant {number(value)} : f32"
              for name, value in self.constants.items()),
            *("  " + line for line in self.lines),
            f"  return {result} : {result_type}", "}", ""])

    # Types and values

    def _element(self, q):
        storage = "u8" if q.unsigned else "i8"
        text = f"!quant.uniform<{storage}:f32, {number(q.scale)}:{q.zero}>"
        return "!" + self.types.setdefault(text, f"q{len(self.types)}")

    def _shape(self, shape, element):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    def _dims(self, shape):
        return (1, *shape)

    def _type(self, value):
        return self._shape(self._dims(value.shape), self._element(value.q))

    def _real_type(self, value):
        return self._shape(self._dims(value.shape), "f32")

    def _line(self, text, name=None):
        if name is None:
            name = f"t{self.temporaries}"
            self.temporaries += 1
        self.lines.append(f"%{name} = {text}")
        return "%" + name

    def _resource(self, name, elements, element):
        self.weights[name] = elements
        kind = self._shape(elements.shape, element)
        return self._line(f"arith.constant dense_resource<{name}> : {kind}"), kind

    def quantize(self, name, value):
        return self._line(f"qnn.quantize {name} : {self._real_type(value)} -> {self._type(value)}")

    # Contractions

    def _contract(self, op, mnemonic, lists):
        """The op with its weights and activation."""
        (x,) = op.inputs
        name = op.output.name
        w, w_type = self._resource(name + "_w", op.weights.integers, "i8")
        b, b_type = self._resource(name + "_b", op.weights.bias, "i32")
        s, s_type = self._resource(name + "_s", op.weights.scales, "f32")
        attributes = [f"{key} = {array(*values)}" for key, values in lists.items()]
        if "groups" in op.attributes:
            attributes.append(f"groups = {op.attributes['groups']} : i64")
        for key, bound in zip(("clamp_min", "clamp_max"), CLAMPS.get(op.activation, ())):
            if bound is not None:
                attributes.append(f"{key} = {number(bound)} : f32")
        real = self._real_type(op.output)
        clamped = op.activation in CLAMPS
        if clamped or self.bytes:
            q = op.output.q if clamped else op.before
            result = self._shape((1, *op.output.shape), self._element(q))
        else:
            result = real
        y = self._line(
            f"qnn.{mnemonic} {self.names[x]}, {w} bias({b} : {b_type}) "
            f"weight_scale({s} : {s_type}) {{{', '.join(attributes)}}} "
            f": {self._type(x)}, {w_type} -> {result}", name if clamped else None)
        if clamped:
            return y
        if self.bytes:
            y = self._line(f"qnn.dequantize {y} : {result} -> {real}")
        return self._activate(y, op)

    def _activate(self, y, op):
        kind = self._real_type(op.output)
        empty = self._line(f"tensor.empty() : {kind}")
        body = BODIES[op.activation].replace("\n  ", "\n    ")
        y = self._line(
            "linalg.generic {indexing_maps = [#image, #image], iterator_types = "
            '["parallel", "parallel", "parallel", "parallel"]} '
            f"ins({y} : {kind}) outs({empty} : {kind}) {{\n  ^bb0(%a: f32, %out: f32):\n  {body}"
            f"    linalg.yield %r : f32\n  }} -> {kind}")
        return self._line(f"qnn.quantize {y} : {kind} -> {self._type(op.output)}", op.output.name)

    def _conv(self, op):
        a = op.attributes
        return self._contract(op, "conv2d", {"strides": [a["stride"]] * 2,
                                             "padding": [a["padding"]] * 4})

    def _conv_transpose(self, op):
        return self._contract(op, "conv_transpose2d", {"strides": [op.attributes["factor"]] * 2})

    def _dense(self, op):
        (x,) = op.inputs
        rows = self._shape((1, x.shape[2]), self._element(x.q))
        row = self._line(f"tensor.collapse_shape {self.names[x]} [[0, 1, 2], [3]] : "
                         f"{self._type(x)} into {rows}")
        w, w_type = self._resource(op.output.name + "_w", op.weights.integers, "i8")
        b, b_type = self._resource(op.output.name + "_b", op.weights.bias, "i32")
        s, s_type = self._resource(op.output.name + "_s", op.weights.scales, "f32")
        kind = self._shape((1, op.output.shape[2]), "f32")
        return self._line(f"qnn.linear {row}, {w} bias({b} : {b_type}) weight_scale({s} : "
                          f"{s_type}) : {rows}, {w_type} -> {kind}", op.output.name)

    # Others

    def _binary(self, op):
        a, b = op.inputs
        y = self._line(f"qnn.{op.kind} {self.names[a]}, {self.names[b]} : {self._type(a)}, "
                       f"{self._type(b)} -> {self._type(op.output)}")
        q = op.output.q
        if op.activation == "relu" and q.zero != (0 if q.unsigned else -128):
            y = self._line(f"qnn.clamp {y} {{min = {number(0)} : f32}} : {self._type(op.output)}")
        return y

    _add = _mul = _binary

    def _max_pool(self, op):
        a = op.attributes
        return self._unary(op, f"qnn.max_pool2d {self.names[op.inputs[0]]} {{"
                               f"window = {array(a['kernel'], a['kernel'])}, "
                               f"strides = {array(a['stride'], a['stride'])}, "
                               f"padding = {array(*[a['padding']] * 4)}}}", "->")

    def _global_pool(self, op):
        return self._unary(op, f"qnn.avg_pool2d {self.names[op.inputs[0]]}", "->")

    def _upsample(self, op):
        return self._unary(op, f"qnn.resize {self.names[op.inputs[0]]} {{mode = \"nearest\", "
                               "coordinate_transformation = \"asymmetric\", "
                               "rounding = \"floor\"}", "->")

    def _slice(self, op):
        height, width, channels = op.output.shape
        return self._unary(op, f"tensor.extract_slice {self.names[op.inputs[0]]}"
                               f"[0, 0, 0, {op.attributes['first']}] "
                               f"[1, {height}, {width}, {channels}] [1, 1, 1, 1]", "to")

    def _unary(self, op, text, arrow):
        return self._line(f"{text} : {self._type(op.inputs[0])} {arrow} {self._type(op.output)}",
                          op.output.name)

    def _concat(self, op):
        return self._concatenate(3, [(self.names[x], self._type(x)) for x in op.inputs],
                                 self._type(op.output))

    def _concatenate(self, dimension, values, result):
        names, kinds = zip(*values)
        return self._line(f"tensor.concat dim({dimension}) {', '.join(names)} : "
                          f"({', '.join(kinds)}) -> {result}")

    def _results(self, net):
        last = net.ops[-1]
        if last.kind == "dense":
            return self.names[last.output], self._shape((1, last.output.shape[2]), "f32")
        rows = []
        for value in net.results:
            height, width, channels = value.shape
            y = self._line(f"qnn.dequantize {self.names[value]} : {self._type(value)} -> "
                           f"{self._real_type(value)}")
            kind = self._shape((1, height * width, channels), "f32")
            rows.append((self._line(f"tensor.collapse_shape {y} [[0], [1, 2], [3]] : "
                                    f"{self._real_type(value)} into {kind}"), kind))
        if len(rows) == 1:
            return rows[0]
        places = sum(value.shape[0] * value.shape[1] for value in net.results)
        kind = self._shape((1, places, net.results[0].shape[2]), "f32")
        return self._concatenate(1, rows, kind), kind
