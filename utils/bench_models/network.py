"""A convolution network in the making: one description, of which programs and twins are written.

A network is built from its first op to its last, and computes itself in real numbers while
that happens, on a random image. Random weights get what training gives them through batch
norms: each channel of a convolution has its own mean and variance. What the values reach
decides how they are quantized, so that they fill their ranges and do not leave them.

Images are [H, W, C], without the number of images, which is 1.
"""

import dataclasses

import numpy

from . import real
from .twin import Quantized


@dataclasses.dataclass(eq=False)
class Value:
    """A result of an op. `array` is its value for the random image, while the network is built."""

    name: str
    array: numpy.ndarray
    shape: tuple
    ties: list  # values of the same quantization, this one among them
    q: Quantized = None


@dataclasses.dataclass(eq=False)
class Op:
    """One op of a network.

    kind: conv, conv_transpose, dense, add, mul, max_pool, global_pool, upsample, concat, slice
    weights: of a contraction, its Weights
    activation: a name of real.ACTIVATIONS; it comes after the op and before its quantization
    before: how the operand of the activation is quantized, where a form quantizes it
    attributes: what the kind needs besides
    """

    kind: str
    inputs: list
    output: Value
    activation: str = "none"
    before: Quantized = None
    weights: "Weights" = None
    attributes: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Weights:
    """int8 weights [F, KH, KW, C / groups] or [F, C], a scale and an i32 bias for each of F."""

    integers: numpy.ndarray
    scales: numpy.ndarray
    real_bias: numpy.ndarray
    bias: numpy.ndarray = None


class Network:
    """Builds a network; every method returns a Value.

    width: what all numbers of channels are multiplied by, except those of the input and of
        the results.
    depth: what all numbers of equal blocks are multiplied by.
    signed: activations are int8 rather than uint8.
    """

    def __init__(self, name, size, width=1.0, depth=1.0, signed=False, seed=7):
        self.name, self.width, self.depth, self.signed = name, width, depth, signed
        self.random = numpy.random.default_rng(seed)
        self.ops = []
        self.values = []
        self.image = self.random.uniform(-2, 2, (size, size, 3)).astype(numpy.float32)
        self.input = self._value("x", self.image)
        self.results = []

    def channels(self, number):
        return max(4, int(number * self.width))

    def blocks(self, number):
        return max(1, int(number * self.depth))

    def _value(self, name, array, ties=()):
        value = Value(name, array, array.shape, [])
        for other in ties:
            value.ties += [tie for tie in other.ties if tie not in value.ties]
        value.ties.append(value)
        for tie in value.ties:
            tie.ties = value.ties
        self.values.append(value)
        return value

    def _op(self, kind, inputs, array, ties=(), **fields):
        output = self._value(f"{kind}_{len(self.ops)}", array, ties)
        self.ops.append(Op(kind, list(inputs), output, **fields))
        return output

    # Contractions

    def _normalized(self, w, contract):
        """(real weights, bias, result) of a contraction followed by a batch norm."""
        y = contract(w)
        # The statistics of a channel say nothing of a few pixels.
        axes = (0, 1) if y.shape[0] * y.shape[1] >= 64 else (0, 1, 2)
        filters = y.shape[-1]
        gain = self.random.uniform(0.6, 1.4, filters) / (y.std(axis=axes) + 1e-6)
        bias = self.random.uniform(-0.4, 0.4, filters) - y.mean(axis=axes) * gain
        gain, bias = gain.astype(numpy.float32), bias.astype(numpy.float32)
        return w * gain.reshape((-1,) + (1,) * (w.ndim - 1)), bias, y * gain + bias

    def _contraction(self, kind, x, shape, activation, contract, **attributes):
        w = self.random.normal(size=shape).astype(numpy.float32)
        w, bias, y = self._normalized(w, contract)
        scales = numpy.abs(w).reshape(len(w), -1).max(axis=1) / numpy.float32(127)
        integers = numpy.rint(w / scales.reshape((-1,) + (1,) * (w.ndim - 1)))
        weights = Weights(integers.astype(numpy.int8), scales, bias)
        return self._op(kind, [x], real.ACTIVATIONS[activation](y), activation=activation,
                        before=self._quantized(y), weights=weights, attributes=attributes)

    def conv(self, x, filters, kernel=1, stride=1, groups=1, activation="relu"):
        """A convolution, padded so that stride 1 keeps the size, with a folded batch norm."""
        padding = kernel // 2
        shape = (filters, kernel, kernel, x.shape[2] // groups)
        return self._contraction(
            "conv", x, shape, activation,
            lambda w: real.conv(x.array, w, stride, padding, groups),
            kernel=kernel, stride=stride, padding=padding, groups=groups)

    def depthwise(self, x, kernel, stride=1, activation="relu"):
        return self.conv(x, x.shape[2], kernel, stride, x.shape[2], activation)

    def conv_transpose(self, x, filters, factor, activation="none"):
        """A transposed convolution whose windows do not overlap."""
        return self._contraction(
            "conv_transpose", x, (filters, factor, factor, x.shape[2]), activation,
            lambda w: real.conv_transpose(x.array, w), factor=factor)

    def dense(self, x, features):
        """A linear layer on an image of one pixel, with a real result [1, features]."""
        assert x.shape[:2] == (1, 1)
        return self._contraction("dense", x, (features, x.shape[2]), "none",
                                 lambda w: x.array @ w.T)

    # Elementwise

    def add(self, a, b, activation="none"):
        y = real.ACTIVATIONS[activation](a.array + b.array)
        return self._op("add", [a, b], y, activation=activation)

    def mul(self, a, b):
        """`b` may have a single pixel."""
        return self._op("mul", [a, b], a.array * b.array)

    # Ops that keep the quantization

    def max_pool(self, x, kernel, stride, padding):
        y = real.max_pool(x.array, kernel, stride, padding)
        return self._op("max_pool", [x], y, [x],
                        attributes=dict(kernel=kernel, stride=stride, padding=padding))

    def upsample(self, x, factor=2):
        y = x.array.repeat(factor, axis=0).repeat(factor, axis=1)
        return self._op("upsample", [x], y, [x], attributes=dict(factor=factor))

    def concat(self, *inputs):
        y = numpy.concatenate([x.array for x in inputs], axis=2)
        return self._op("concat", inputs, y, inputs)

    def slice(self, x, first, channels):
        y = x.array[:, :, first:first + channels]
        return self._op("slice", [x], y, [x], attributes=dict(first=first, channels=channels))

    # Others

    def global_pool(self, x):
        y = x.array.mean(axis=(0, 1), keepdims=True, dtype=numpy.float32)
        return self._op("global_pool", [x], y)

    def finish(self, *results):
        """Chooses quantizations. The results are one of `dense`, or images, which are made real
        and concatenated place by place, [1, places, C]."""
        self.results = list(results)
        for value in self.values:
            value.q = value.q or self._quantized(*(tie.array for tie in value.ties))
            for tie in value.ties:
                tie.q = value.q
        for op in self.ops:
            if op.weights:
                scales = numpy.float32(op.inputs[0].q.scale) * op.weights.scales
                op.weights.bias = numpy.rint(op.weights.real_bias / scales).astype(numpy.int32)
        for value in self.values:
            value.array = None
        return self

    def _quantized(self, *arrays):
        low = min(0.0, *(float(array.min()) for array in arrays))
        high = max(0.0, *(float(array.max()) for array in arrays))
        scale = float(numpy.float32((high - low) / 255))
        zero = round(-low / scale) - (128 if self.signed else 0)
        return Quantized(scale, zero, unsigned=not self.signed)
