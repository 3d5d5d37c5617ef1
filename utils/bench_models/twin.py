"""An ONNX model in the making: nodes and constants, independent of the onnx package.

Quantization is written as ONNX has it: QuantizeLinear and DequantizeLinear around the
operands of contractions, constants of 8 bits with one scale for each output channel, and
biases in int32 with the product of both scales. That is the form which ONNX Runtime's own
quantizer writes; with biases in float it computes in float.
"""

import dataclasses

import numpy

OPSET = 20
IR_VERSION = 9


@dataclasses.dataclass(frozen=True)
class Form:
    """A choice among equivalent ways to write a model.

    unsigned: activations are uint8; int8 ones of the program move up by 128. Otherwise
        they are int8.
    drop_relu: a relu before a quantization whose lowest value is 0 is left to it.
    signed_rhs: second operands of products of two activations stay int8.
    fused_ops: Gelu as one op rather than as five.
    direct_sums: one operand of a sum is not quantized where nothing else reads it, so that the
        sum can be a part of the contraction before it.
    bytes: operands of activations are quantized, and so are the sigmoids in these.
    """

    unsigned: bool = True
    drop_relu: bool = True
    signed_rhs: bool = False
    fused_ops: bool = True
    direct_sums: bool = False
    bytes: bool = False

    def describe(self):
        words = ["u8" if self.unsigned else "s8"]
        words += ["no relu"] if self.drop_relu else ["relu"]
        words += ["s8 rhs"] if self.signed_rhs else []
        words += ["fused"] if self.fused_ops else ["unfused"]
        words += ["direct sums"] if self.direct_sums else []
        words += ["bytes"] if self.bytes else []
        return ", ".join(words)


@dataclasses.dataclass
class Node:
    op: str
    inputs: list
    output: str
    attributes: dict


class Twin:
    """Builds a graph; every method returns the name of a value."""

    def __init__(self, form):
        self.form = form
        self.inputs = {}  # name -> shape, all f32
        self.outputs = {}
        self.constants = {}
        self.nodes = []

    def input(self, name, shape):
        self.inputs[name] = tuple(shape)
        return name

    def output(self, value, shape):
        self.outputs[value] = tuple(shape)

    def constant(self, array, name="c"):
        name = f"{name}_{len(self.constants)}"
        self.constants[name] = numpy.asarray(array)
        return name

    def op(self, op, *inputs, **attributes):
        output = f"v{len(self.nodes)}_{op}"
        self.nodes.append(Node(op, list(inputs), output, attributes))
        return output

    # Quantization. `q` is a Quantized of the program.

    def _params(self, q, signed=False):
        """The program's scale and zero point in this form."""
        if q.unsigned or not self.form.unsigned or signed:
            zero = numpy.uint8(q.zero) if q.unsigned else numpy.int8(q.zero)
        else:
            zero = numpy.uint8(q.zero + 128)
        return self.constant(numpy.float32(q.scale), "scale"), self.constant(zero, "zero")

    def quantize(self, value, q, signed=False):
        return QuantizedValue(
            self.op("QuantizeLinear", value, *self._params(q, signed)), q, signed)

    def dequantize(self, value):
        return self.op("DequantizeLinear", value.name, *self._params(value.q, value.signed))

    def relu(self, value, following):
        """A relu; `following` is the Quantized that comes after it."""
        if self.form.drop_relu and following.unsigned and following.zero == 0:
            return value
        return self.op("Relu", value)

    def per_channel(self, integers, scales, kind, axis):
        """A constant with one scale for each channel along `axis`, dequantized."""
        return self.op("DequantizeLinear", self.constant(integers, "integers"),
                       self.constant(scales, "scale"),
                       self.constant(numpy.zeros(len(scales), kind), "zero"), axis=axis)

    def linear(self, value, weight, scales, bias):
        """Gemm of a QuantizedValue and int8 weights [N, K], with an f32 bias."""
        scales = numpy.broadcast_to(numpy.float32(scales), (weight.shape[0],)).copy()
        bias_scales = numpy.float32(value.q.scale) * scales
        integers = numpy.rint(bias / bias_scales).astype(numpy.int32)
        w = self.per_channel(weight, scales, numpy.int8, 0)
        b = self.per_channel(integers, bias_scales, numpy.int32, 0)
        return self.op("Gemm", self.dequantize(value), w, b, transB=1)

    def move(self, op, value, *inputs, **attributes):
        """An op that moves elements, on the quantized value itself."""
        return QuantizedValue(self.op(op, value.name, *inputs, **attributes), value.q,
                              value.signed)

    def to_onnx(self):
        """The bytes of an ONNX model."""
        import onnx
        from onnx import helper, numpy_helper

        def info(values):
            return [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
                    for name, shape in values.items()]

        nodes = [helper.make_node(n.op, n.inputs, [n.output], **n.attributes)
                 for n in self.nodes]
        constants = [numpy_helper.from_array(a, name) for name, a in self.constants.items()]
        graph = helper.make_graph(nodes, "twin", info(self.inputs), info(self.outputs),
                                  constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model.SerializeToString()


@dataclasses.dataclass(frozen=True)
class Quantized:
    """real = scale * (stored - zero), stored in 8 bits."""

    scale: float
    zero: int = 0
    unsigned: bool = False


@dataclasses.dataclass(frozen=True)
class QuantizedValue:
    name: str
    q: Quantized
    signed: bool
