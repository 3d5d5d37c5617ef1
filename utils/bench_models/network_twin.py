"""Writes a network as an ONNX twin: images in NCHW, quantize and dequantize around every op."""

import numpy

from .twin import Form, Quantized, Twin


GATE = Quantized(1 / 255, -128)


def canonical(q):
    """The same quantization with signed storage, of which the form makes what it says."""
    return Quantized(q.scale, q.zero - 128) if q.unsigned else q


def forms(net):
    """The ways to write it that differ for this network."""
    activations = {op.activation for op in net.ops}
    curved = bool(activations - {"none", "relu", "relu6"})
    sums = any(op.kind == "add" for op in net.ops)
    unsigned = [Form(drop_relu=d, direct_sums=s, bytes=b)
                for d in (True, False) if d or activations & {"relu", "relu6"}
                for s in (False, True) if sums or not s
                for b in (False, True) if curved or not b]
    return unsigned + [Form(unsigned=False, bytes=b) for b in (False, True) if curved or not b]


class NetworkTwin(Twin):
    """The twin of a network; the values of its ops are QuantizedValues."""

    def __init__(self, net, form):
        super().__init__(form)
        # What only a sum reads may come to it without being quantized.
        self.readers = {}
        for op in net.ops:
            for value in op.inputs:
                self.readers.setdefault(value, []).append(op)
        height, width, channels = net.input.shape
        x = self.input("x", (1, channels, height, width))
        self.values = {net.input: self.quantize(x, canonical(net.input.q))}
        self.real = {}  # what was left without quantization
        for op in net.ops:
            getattr(self, "_" + op.kind)(op)
        self._results(net)

    # Values

    def _read(self, value):
        return self.real.get(value) or self.dequantize(self.values[value])

    def _finish(self, op, y):
        """Activation and quantization of a real result."""
        y = self._activate(op, y)
        readers = self.readers.get(op.output, [])
        if self.form.direct_sums and op.weights and [r.kind for r in readers] == ["add"]:
            # Only one operand: a library fuses the sum into the op before it.
            (reader,) = readers
            if not any(value in self.real for value in reader.inputs):
                self.real[op.output] = y
                return
        self.values[op.output] = self.quantize(y, canonical(op.output.q))

    def _scalar(self, number):
        return self.constant(numpy.float32(number))

    def _activate(self, op, y):
        q = canonical(op.output.q)
        clips = self.form.drop_relu and q.zero == -128
        if op.activation == "relu":
            return y if clips else self.op("Relu", y)
        if op.activation == "relu6":
            if clips and 254.5 * q.scale <= 6:
                return y
            return self.op("Clip", y, self._scalar(0), self._scalar(6))
        if op.activation == "none":
            return y
        if self.form.bytes:
            y = self._byte(y, canonical(op.before))
        if op.activation == "hard_swish" and not self.form.bytes:
            return self.op("HardSwish", y)
        if op.activation in ("hard_sigmoid", "hard_swish"):
            gate = self.op("HardSigmoid", y, alpha=1 / 6, beta=0.5)
        else:
            gate = self.op("Sigmoid", y)
        if op.activation in ("hard_sigmoid", "sigmoid"):
            return gate
        return self.op("Mul", y, self._byte(gate, GATE) if self.form.bytes else gate)

    def _byte(self, y, q):
        return self.dequantize(self.quantize(y, q))

    # Contractions

    def _parameters(self, op, integers, axis):
        """The weights, whose output channels are along `axis`, and the bias, in real numbers."""
        (x,) = op.inputs
        scales = op.weights.scales
        w = self.per_channel(integers, scales, numpy.int8, axis)
        b = self.per_channel(op.weights.bias, numpy.float32(x.q.scale) * scales, numpy.int32, 0)
        return self._read(x), w, b

    def _conv(self, op):
        a = op.attributes
        operands = self._parameters(op, op.weights.integers.transpose(0, 3, 1, 2), 0)
        self._finish(op, self.op("Conv", *operands, kernel_shape=[a["kernel"]] * 2,
                                 strides=[a["stride"]] * 2, pads=[a["padding"]] * 4,
                                 group=a["groups"]))

    def _conv_transpose(self, op):
        factor = op.attributes["factor"]
        operands = self._parameters(op, op.weights.integers.transpose(3, 0, 1, 2), 1)
        self._finish(op, self.op("ConvTranspose", *operands, kernel_shape=[factor] * 2,
                                 strides=[factor] * 2))

    def _dense(self, op):
        (x,) = op.inputs
        row = self.move("Reshape", self.values[x], self._shape(1, x.shape[2]))
        _, w, b = self._parameters(op, op.weights.integers, 0)
        self.real[op.output] = self.op("Gemm", self.dequantize(row), w, b, transB=1)

    # Others

    def _shape(self, *sizes):
        return self.constant(numpy.array(sizes, numpy.int64))

    def _add(self, op):
        self._finish(op, self.op("Add", *map(self._read, op.inputs)))

    def _mul(self, op):
        self._finish(op, self.op("Mul", *map(self._read, op.inputs)))

    def _global_pool(self, op):
        self._finish(op, self.op("GlobalAveragePool", self._read(op.inputs[0])))

    def _max_pool(self, op):
        a = op.attributes
        self._finish(op, self.op("MaxPool", self._read(op.inputs[0]),
                                 kernel_shape=[a["kernel"]] * 2, strides=[a["stride"]] * 2,
                                 pads=[a["padding"]] * 4))

    def _upsample(self, op):
        scales = numpy.float32([1, 1, op.attributes["factor"], op.attributes["factor"]])
        self._finish(op, self.op("Resize", self._read(op.inputs[0]), "", self.constant(scales),
                                 mode="nearest", coordinate_transformation_mode="asymmetric",
                                 nearest_mode="floor"))

    def _slice(self, op):
        first, channels = op.attributes["first"], op.attributes["channels"]
        self._finish(op, self.op("Slice", self._read(op.inputs[0]), self._shape(first),
                                 self._shape(first + channels), self._shape(1)))

    def _concat(self, op):
        self._finish(op, self.op("Concat", *map(self._read, op.inputs), axis=1))

    def _results(self, net):
        last = net.ops[-1]
        if last.kind == "dense":
            self.output(self.real[last.output], (1, last.output.shape[2]))
            return
        rows = [self.op("Reshape", self._read(value), self._shape(1, value.shape[2], -1))
                for value in net.results]
        result = self.op("Concat", *rows, axis=2) if len(rows) > 1 else rows[0]
        places = sum(value.shape[0] * value.shape[1] for value in net.results)
        self.output(result, (1, net.results[0].shape[2], places))
