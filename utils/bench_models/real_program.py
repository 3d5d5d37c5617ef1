"""Writes a network as importers do: NCHW, linalg of real numbers between quantize and dequantize.

Ops of detectors and of segmentation, which move channels and pixels, are left out.
"""

import numpy

from .program import BODIES, Program, number

BODIES = BODIES | {
    "relu": "  %r = arith.maximumf %a, %zero : f32\n",
    "relu6": "  %p = arith.maximumf %a, %zero : f32\n  %r = arith.minimumf %p, %six : f32\n",
}
CONSTANTS = {"six": 6.0, "lowest": -numpy.inf}
PARALLEL = 'iterator_types = ["parallel", "parallel", "parallel", "parallel"]'


def supports(net):
    return all(getattr(RealProgram, "_" + op.kind) for op in net.ops)


class RealProgram(Program):
    """The text of a network, and what its `dense_resource` constants are."""

    head = ("#image = affine_map<(n, c, h, w) -> (n, c, h, w)>",
            "#pixel = affine_map<(n, c, h, w) -> (n, c, 0, 0)>",
            "#channels = affine_map<(n, c, h, w) -> (n, c)>")
    constants = Program.constants | CONSTANTS

    # Types and values

    def _dims(self, shape):
        height, width, channels = shape
        return (1, channels, height, width)

    def _read(self, value):
        """The real numbers of a value."""
        return self._line(f"qnn.dequantize {self.names[value]} : {self._type(value)} -> "
                          f"{self._real_type(value)}")

    def _finish(self, op, y):
        """Activation and quantization of a real result."""
        kind = self._real_type(op.output)
        if op.activation != "none":
            y = self._generic([(y, kind)], kind, ["#image"], BODIES[op.activation])
        return self.quantize(y, op.output)

    def _generic(self, operands, result, maps, body):
        names, kinds = zip(*operands)
        empty = self._line(f"tensor.empty() : {result}")
        arguments = "".join(f"%{'ab'[i]}: f32, " for i in range(len(names)))
        body = body.replace("\n  ", "\n    ")
        return self._line(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}, #image], {PARALLEL}}} "
            f"ins({', '.join(names)} : {', '.join(kinds)}) outs({empty} : {result}) {{\n"
            f"  ^bb0({arguments}%out: f32):\n  {body}    linalg.yield %r : f32\n  }} -> {result}")

    def _filled(self, value, kind):
        empty = self._line(f"tensor.empty() : {kind}")
        return self._line(f"linalg.fill ins({value} : f32) outs({empty} : {kind}) -> {kind}")

    def _padded(self, y, value, shape, padding):
        """(name, type) of a real image with padding."""
        kind = self._shape(self._dims(shape), "f32")
        if not padding:
            return y, kind
        height, width, channels = shape
        result = self._shape(
            self._dims((height + 2 * padding, width + 2 * padding, channels)), "f32")
        return self._line(
            f"tensor.pad {y} low[0, 0, {padding}, {padding}] high[0, 0, {padding}, {padding}] {{\n"
            "  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            f"    tensor.yield {value} : f32\n  }} : {kind} to {result}"), result

    # Contractions

    def _parameters(self, op, integers):
        """(real weights, type, real bias, type)"""
        name, scales = op.output.name, op.weights.scales
        w, kind = self._resource(name + "_w", integers, "i8")
        s, s_type = self._resource(name + "_s", scales, "f32")
        real = kind.replace("xi8>", "xf32>")
        w = self._line(f"qnn.dequantize {w} scale({s} : {s_type}) {{axis = 0 : i64}} : {kind} -> "
                       f"{real}")
        bias = op.weights.bias * (numpy.float32(op.inputs[0].q.scale) * scales)
        b, b_type = self._resource(name + "_r", bias.astype(numpy.float32), "f32")
        return w, real, b, b_type

    def _conv(self, op):
        (x,), a = op.inputs, op.attributes
        integers = numpy.ascontiguousarray(op.weights.integers.transpose(0, 3, 1, 2))
        depthwise = a["groups"] > 1
        w, w_type, b, b_type = self._parameters(op, integers[:, 0] if depthwise else integers)
        y, y_type = self._padded(self._read(x), "%zero", x.shape, a["padding"])
        kind = self._real_type(op.output)
        empty = self._line(f"tensor.empty() : {kind}")
        start = self._line(f"linalg.broadcast ins({b} : {b_type}) outs({empty} : {kind}) "
                           "dimensions = [0, 2, 3]")
        name = "depthwise_conv_2d_nchw_chw" if depthwise else "conv_2d_nchw_fchw"
        return self._finish(op, self._line(
            f"linalg.{name} {{dilations = dense<1> : vector<2xi64>, strides = "
            f"dense<{a['stride']}> : vector<2xi64>}} ins({y}, {w} : {y_type}, {w_type}) "
            f"outs({start} : {kind}) -> {kind}"))

    def _dense(self, op):
        (x,) = op.inputs
        w, w_type, b, b_type = self._parameters(op, op.weights.integers)
        rows = self._shape((1, x.shape[2]), "f32")
        row = self._line(f"tensor.collapse_shape {self._read(x)} [[0], [1, 2, 3]] : "
                         f"{self._real_type(x)} into {rows}")
        kind = self._shape((1, op.output.shape[2]), "f32")
        return self._line(f"qnn.linear {row}, {w} bias({b} : {b_type}) : {rows}, {w_type} -> "
                          f"{kind}")

    # Others

    def _binary(self, op, function):
        operands, maps = [], []
        for value in op.inputs:
            operands.append((self._read(value), self._real_type(value)))
            maps.append("#image" if value.shape == op.output.shape else "#pixel")
        body = f"  %r = arith.{function} %a, %b : f32\n"
        return self._finish(op, self._generic(operands, self._real_type(op.output), maps, body))

    def _add(self, op):
        return self._binary(op, "addf")

    def _mul(self, op):
        return self._binary(op, "mulf")

    def _max_pool(self, op):
        (x,), a = op.inputs, op.attributes
        y, y_type = self._padded(self._read(x), "%lowest", x.shape, a["padding"])
        kind = self._real_type(op.output)
        window = self._shape((a["kernel"], a["kernel"]), "f32")
        empty = self._line(f"tensor.empty() : {window}")
        start = self._filled("%lowest", kind)
        return self._finish(op, self._line(
            f"linalg.pooling_nchw_max {{dilations = dense<1> : vector<2xi64>, strides = "
            f"dense<{a['stride']}> : vector<2xi64>}} ins({y}, {empty} : {y_type}, {window}) "
            f"outs({start} : {kind}) -> {kind}"))

    def _global_pool(self, op):
        (x,) = op.inputs
        height, width, channels = x.shape
        sums = self._shape((1, channels), "f32")
        start = self._filled("%zero", sums)
        kind = self._real_type(x)
        total = self._line(
            "linalg.generic {indexing_maps = [#image, #channels], iterator_types = "
            f'["parallel", "parallel", "reduction", "reduction"]}} ins({self._read(x)} : {kind}) '
            f"outs({start} : {sums}) {{\n  ^bb0(%a: f32, %sum: f32):\n"
            f"    %r = arith.addf %sum, %a : f32\n    linalg.yield %r : f32\n  }} -> {sums}")
        result = self._real_type(op.output)
        image = self._line(f"tensor.expand_shape {total} [[0], [1, 2, 3]] output_shape "
                           f"[1, {channels}, 1, 1] : {sums} into {result}")
        body = (f"  %n = arith.constant {number(height * width)} : f32\n"
                "  %r = arith.divf %a, %n : f32\n")
        return self._finish(op, self._generic([(image, result)], result, ["#image"], body))

    # Left out.
    _conv_transpose = _upsample = _slice = _concat = None
