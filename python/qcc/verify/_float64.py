# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model in float64, without rounding activations to integers, or with it.

The reference by which qcc verify and utils/onnx-models.py measure engines. Floats are float64, in constants, inputs
and results of Cast. Quantized weights are the values that they stand for.

The bound is on the distance to the model *without rounding*: QuantizeLinear scales and clips, DynamicQuantizeLinear
leaves its input as it is, with a scale of 1. Every engine is as far from that as the quantization is coarse, by chance
a little more or less, and what an engine does wrong adds to it. The model with rounding is a step function: an engine
that computes a value 1e-7 to the other side of a tie gets another integer, and all other values of a tensor get other
integers, too, where that value is the maximum by which they are scaled. Results that are equally right are then some
percent apart, or 1e-7 if no value is near a tie: which engine is closer is chance, input by input. But since most
inputs at small sizes have no such value, that distance shows errors that are less than those of quantization, and is
computed as well (`rounded`).

The ops are those of onnx.reference, but for those here: ops that it computes in float32 or element by element, and
those of quantization.

utils/onnx_models/exact.py loads this file by itself, without the libraries of qcc, so it imports no module of the package.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16}


class Unknown(RuntimeError):
    """What this reference does not compute."""


def widen(array: Any) -> Any:
    return array.astype(numpy.float64) if array.dtype.kind not in "iub" else array


def widen_nodes(nodes: Any) -> None:
    """Constants and casts in float64, in place; also in branches."""
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                widen_graph(attribute.g)
            elif attribute.HasField("t") and attribute.t.data_type in FLOATS:
                attribute.t.CopyFrom(numpy_helper.from_array(widen(numpy_helper.to_array(attribute.t))))
            elif attribute.name == "to" and node.op_type == "Cast" and attribute.i in FLOATS:
                attribute.i = TensorProto.DOUBLE
        for attribute in list(node.attribute) if node.op_type == "Constant" else []:
            if attribute.name in ("value_float", "value_floats"):
                given = attribute.f if attribute.name == "value_float" else list(attribute.floats)
                value = numpy.asarray(given, numpy.float64)
                node.attribute.remove(attribute)
                node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(value)))
        if node.op_type == "ConstantOfShape" and not node.attribute:
            node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(numpy.zeros(1))))


def widen_graph(graph: Any) -> None:
    for tensor in graph.initializer:
        if tensor.data_type in FLOATS:
            tensor.CopyFrom(numpy_helper.from_array(widen(numpy_helper.to_array(tensor)), tensor.name))
    widen_nodes(graph.node)


def spread(parameter: Any, rank: Any, axis: Any) -> Any:
    """A scale or zero point of an axis, to be combined with a tensor of a rank."""
    parameter = numpy.asarray(parameter)
    if parameter.size == 1:
        return parameter.reshape(())
    if parameter.ndim != 1:
        raise Unknown("quantization in blocks")
    shape = [1] * rank
    shape[axis] = parameter.size
    return parameter.reshape(shape)


class DequantizeLinear(OpRun):
    def _run(self, x: Any, scale: Any, zero: Any = None, axis: Any = 1, **_: Any) -> Any:
        zero = 0.0 if zero is None else spread(zero, x.ndim, axis).astype(numpy.float64)
        return ((x.astype(numpy.float64) - zero) * spread(scale, x.ndim, axis),)


def without_zero(x: Any, zero: Any, axis: Any) -> Any:
    x = x.astype(numpy.float64)
    return x if zero is None else x - spread(zero, x.ndim, axis).astype(numpy.float64)


class MatMulInteger(OpRun):
    def _run(self, a: Any, b: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
        return (without_zero(a, a_zero, a.ndim - 2) @ without_zero(b, b_zero, b.ndim - 1),)


def pads_of(auto_pad: Any, pads: Any, sizes: Any, reach: Any, strides: Any) -> Any:
    """(before, after) of each dimension."""
    if auto_pad in (None, "", "NOTSET"):
        half = len(reach)
        return list(zip(pads[:half], pads[half:])) if pads else [(0, 0)] * half
    if auto_pad == "VALID":
        return [(0, 0)] * len(reach)
    result = []
    for size, window, stride in zip(sizes, reach, strides):
        both = max((-(-size // stride) - 1) * stride + window - size, 0)
        few, many = both // 2, both - both // 2
        result.append((few, many) if auto_pad == "SAME_UPPER" else (many, few))
    return result


def places(x: Any, kernel: Any, strides: Any, dilations: Any, sizes: Any) -> Any:
    """(place in the window, what it meets in the padded image) of each place."""
    for at in numpy.ndindex(*kernel):
        begins = [a * d for a, d in zip(at, dilations)]
        yield at, x[(..., *(slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(begins, sizes, strides)))]


def windows(x: Any, kernel: Any, strides: Any, dilations: Any, pads: Any, auto_pad: Any, fill: Any = 0.0) -> Any:
    rank = len(kernel)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    sides = pads_of(auto_pad, pads, x.shape[2:], reach, strides)
    x = numpy.pad(x, [(0, 0), (0, 0), *sides], constant_values=fill)
    sizes = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, strides)]
    return sizes, places(x, kernel, strides, dilations, sizes)


def convolve(x: Any, w: Any, b: Any, auto_pad: Any = None, dilations: Any = None, group: Any = None,
             kernel_shape: Any = None, pads: Any = None, strides: Any = None) -> Any:
    group = group or 1
    sizes, all_places = windows(x, w.shape[2:], strides, dilations, pads, auto_pad)
    weights = w.reshape(group, w.shape[0] // group, *w.shape[1:])
    y: Any = 0.0
    for at, part in all_places:
        part = part.reshape(x.shape[0], group, w.shape[1], -1)
        y = y + weights[(..., *at)] @ part
    y = y.reshape(x.shape[0], w.shape[0], *sizes)
    return y if b is None else y + b.reshape(-1, *[1] * len(sizes))


class Conv(OpRun):
    def _run(self, x: Any, w: Any, b: Any = None, **attributes: Any) -> Any:
        return (convolve(x, w, b, **attributes),)


class ConvInteger(OpRun):
    def _run(self, x: Any, w: Any, x_zero: Any = None, w_zero: Any = None, **attributes: Any) -> Any:
        return (convolve(without_zero(x, x_zero, 1), without_zero(w, w_zero, 0), None, **attributes),)


class ConvTranspose(OpRun):
    def _run(self, x: Any, w: Any, b: Any = None, auto_pad: Any = None, dilations: Any = None, group: Any = None,
             kernel_shape: Any = None, output_padding: Any = None, output_shape: Any = None, pads: Any = None, strides:
             Any = None) -> Any:
        rank = x.ndim - 2
        if auto_pad not in (None, "", "NOTSET") or output_shape:
            raise Unknown("ConvTranspose with a given size")
        strides, dilations, more = strides or [1] * rank, dilations or [1] * rank, output_padding or [0] * rank
        pads, group, kernel = pads or [0] * 2 * rank, group or 1, w.shape[2:]
        full = [(n - 1) * s + (k - 1) * d + 1 + o
                for n, s, k, d, o in zip(x.shape[2:], strides, kernel, dilations, more)]
        y: Any = numpy.zeros((x.shape[0], w.shape[1] * group, *full))
        weights = w.reshape(group, w.shape[0] // group, *w.shape[1:])
        rows = x.reshape(x.shape[0], group, w.shape[0] // group, -1)
        for at, part in places(y, kernel, strides, dilations, x.shape[2:]):
            part += (weights[(..., *at)].transpose(0, 2, 1) @ rows).reshape(part.shape)
        y = y[(..., *(slice(pads[i], full[i] - pads[rank + i]) for i in range(rank)))]
        return (y if b is None else y + b.reshape(-1, *[1] * rank),)


class MaxPool(OpRun):
    def _run(self, x: Any, auto_pad: Any = None, ceil_mode: Any = None, dilations: Any = None, kernel_shape: Any = None,
             pads: Any = None, storage_order: Any = None, strides: Any = None) -> Any:
        if ceil_mode:
            raise Unknown("MaxPool with ceil_mode")
        _, all_places = windows(x, kernel_shape, strides, dilations, pads, auto_pad, -numpy.inf)
        return (numpy.maximum.reduce([part for _, part in all_places]),)


class BatchNormalization(OpRun):
    """As at inference, in all operator sets."""

    def _run(self, x: Any, scale: Any, bias: Any, mean: Any, variance: Any, epsilon: Any = None, **_: Any) -> Any:
        scale, bias, mean, variance = (spread(p, x.ndim, 1) for p in (scale, bias, mean, variance))
        return ((x - mean) / numpy.sqrt(variance + epsilon) * scale + bias,)


class LRN(OpRun):
    def _run(self, x: Any, alpha: Any = None, beta: Any = None, bias: Any = None, size: Any = None) -> Any:
        sides = [(0, 0), ((size - 1) // 2, size // 2)] + [(0, 0)] * (x.ndim - 2)
        squares = numpy.pad(x * x, sides)
        total = sum(squares[:, i:i + x.shape[1]] for i in range(size))
        return (x / (bias + total * (float(alpha) / size)) ** float(beta),)


class GlobalMaxPool(OpRun):
    def _run(self, x: Any) -> Any:
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


class Resize(OpRun):
    """By rows of weights for each dimension."""

    def _run(self, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None, mode: Any = None,
             coordinate_transformation_mode: Any = None, nearest_mode: Any = None, antialias: Any = None, axes: Any =
             None, keep_aspect_ratio_policy: Any = None, cubic_coeff_a: Any = None, exclude_outside: Any = None, **_:
             Any) -> Any:
        if mode not in ("nearest", "linear", "cubic", None) or axes or antialias or (keep_aspect_ratio_policy or "stretch") != "stretch":
            raise Unknown(f"Resize in mode {mode} with these attributes")
        for axis, n in enumerate(x.shape):
            given = scales[axis] if scales is not None and len(scales) else sizes[axis] / n
            to = int(numpy.float32(n) * numpy.float32(given)) if scales is not None and len(scales) else int(sizes[axis])
            if to != n or given != 1:
                at = self.coordinates(coordinate_transformation_mode or "half_pixel", numpy.arange(to), n, to, given)
                if mode == "cubic":
                    x = self.take_cubic(x, axis, at, -0.75 if cubic_coeff_a is None else cubic_coeff_a, exclude_outside)
                else:
                    x = self.take(x, axis, at, mode or "nearest", nearest_mode or "round_prefer_floor")
        return (x,)

    @staticmethod
    def coordinates(mode: Any, at: Any, n: Any, to: Any, scale: Any) -> Any:
        if mode == "asymmetric":
            return at / scale
        if mode == "align_corners":
            return at * (n - 1) / (to - 1) if to > 1 else at * 0.0
        if mode == "half_pixel" or (mode == "pytorch_half_pixel" and to > 1):
            return (at + 0.5) / scale - 0.5
        if mode == "pytorch_half_pixel":
            return at * 0.0
        raise Unknown(f"Resize with {mode}")

    @staticmethod
    def take(x: Any, axis: Any, at: Any, mode: Any, nearest: Any) -> Any:
        last = x.shape[axis] - 1
        if mode == "nearest":
            roundings: Any = {"floor": numpy.floor, "ceil": numpy.ceil, "round_prefer_floor": lambda v: numpy.ceil(v - 0.5),
                              "round_prefer_ceil": lambda v: numpy.floor(v + 0.5)}
            return numpy.take(x, numpy.clip(roundings[nearest](at), 0, last).astype(int), axis)
        at = numpy.clip(at, 0, last)
        low = numpy.floor(at).astype(int)
        part = (at - low).reshape(-1, *[1] * (x.ndim - axis - 1))
        return numpy.take(x, low, axis) * (1 - part) + numpy.take(x, numpy.minimum(low + 1, last), axis) * part

    @staticmethod
    def take_cubic(x: Any, axis: Any, at: Any, a: Any, excludes: Any) -> Any:
        """The cubic convolution of Keys, of the four elements around each place."""
        last, first = x.shape[axis] - 1, numpy.floor(at)
        elements = first + numpy.arange(-1, 3)[:, None]
        d = numpy.abs(at - elements)
        weights = numpy.where(d <= 1, (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1, a * (d ** 3 - 5 * d ** 2 + 8 * d - 4))
        if excludes:
            weights = weights * ((elements >= 0) & (elements <= last))
            weights = weights / weights.sum(axis=0)
        shape = [4, -1] + [1] * (x.ndim - axis - 1)
        parts = [numpy.take(x, row, axis) for row in numpy.clip(elements, 0, last).astype(int)]
        return sum(part * weight for part, weight in zip(parts, weights.reshape(shape)))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + numpy.exp(-x))


def lstm_step(of_state: Any) -> Any:
    """`of_state` gives what is multiplied of a state: itself, or what is left of it when it is quantized."""
    def step(x: Any, state: Any, r: Any, bias: Any) -> Any:
        h, c = state
        i, o, f, g = numpy.split(x + of_state(h) @ r + bias, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
        return sigmoid(o) * numpy.tanh(c), c
    return step


def gru_step(linear_before_reset: Any) -> Any:
    def step(x: Any, state: Any, r: Any, bias: Any) -> Any:
        (h,), n = state, state[0].shape[-1]
        wb, rb = bias
        z, reset = (sigmoid(part) for part in numpy.split((x + wb)[..., :2 * n] + h @ r[:, :2 * n] + rb[:2 * n], 2, -1))
        own = reset * (h @ r[:, 2 * n:] + rb[2 * n:]) if linear_before_reset else (reset * h) @ r[:, 2 * n:] + rb[2 * n:]
        return ((1 - z) * numpy.tanh((x + wb)[..., 2 * n:] + own) + z * h,)
    return step


def recur(x: Any, w: Any, r: Any, bias: Any, states: Any, direction: Any, step: Any) -> Any:
    """Y and the last states. w and r are [directions, inner, gates]; `bias` gives that of a direction."""
    results, last = [], []
    for d in range(w.shape[0]):
        backward = direction == "reverse" or d == 1
        state, rows = tuple(s[d] for s in states), []
        for row in (x[::-1] if backward else x) @ w[d]:
            state = step(row, state, r[d], bias(d))
            rows.append(state[0])
        results.append(numpy.stack(rows[::-1] if backward else rows))
        last.append(state)
    return (numpy.stack(results, 1), *(numpy.stack(each) for each in zip(*last)))


def lstm(x: Any, w: Any, r: Any, b: Any, lengths: Any, h: Any, c: Any, peepholes: Any, direction: Any, outputs: Any,
         of_state: Any = lambda h: h) -> Any:
    if lengths is not None or peepholes is not None:
        raise Unknown("LSTM with lengths or peepholes")
    shape = (w.shape[0], x.shape[1], r.shape[1])
    states = [numpy.zeros(shape) if s is None else s for s in (h, c)]
    bias = numpy.zeros((w.shape[0], w.shape[2])) if b is None else b[:, :w.shape[2]] + b[:, w.shape[2]:]
    return recur(x, w, r, lambda d: bias[d], states, direction or "forward", lstm_step(of_state))[:outputs]


class LSTM(OpRun):
    def _run(self, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None, c: Any = None, peepholes:
             Any = None, direction: Any = None, activations: Any = None, layout: Any = None, clip: Any = None,
             input_forget: Any = None, hidden_size: Any = None, **_: Any) -> Any:
        if activations or layout or clip or input_forget:
            raise Unknown("LSTM with activations, a layout, a clip or an input_forget")
        return lstm(x, w.transpose(0, 2, 1), r.transpose(0, 2, 1), b, lengths, h, c, peepholes, direction,
                    len(self.onnx_node.output))


class GRU(OpRun):
    def _run(self, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None, direction: Any = None,
             linear_before_reset: Any = None, activations: Any = None, layout: Any = None, clip: Any = None,
             hidden_size: Any = None, **_: Any) -> Any:
        if activations or layout or clip or lengths is not None:
            raise Unknown("GRU with activations, a layout, a clip or lengths")
        gates = w.shape[1]
        b = numpy.zeros((w.shape[0], 2 * gates)) if b is None else b
        h = numpy.zeros((w.shape[0], x.shape[1], r.shape[2])) if h is None else h
        return recur(x, w.transpose(0, 2, 1), r.transpose(0, 2, 1), lambda d: (b[d, :gates], b[d, gates:]), [h],
                     direction or "forward", gru_step(linear_before_reset))[:len(self.onnx_node.output)]


class Erf(OpRun):
    def _run(self, x: Any) -> Any:
        return (numpy.fromiter(map(math.erf, x.ravel()), numpy.float64, x.size).reshape(x.shape),)


def quantized(x: Any) -> Any:
    """(integers, scale, zero point) as DynamicQuantizeLinear has them."""
    low, high = min(x.min(initial=0), 0.0), max(x.max(initial=0), 0.0)
    scale = (high - low) / 255 or 1.0
    zero = numpy.clip(numpy.rint(-low / scale), 0, 255)
    return numpy.clip(numpy.rint(x / scale) + zero, 0, 255), numpy.float64(scale), numpy.float64(zero)


def real_weight(weight: Any, scale: Any, zero: Any) -> Any:
    """Of DynamicQuantizeLSTM; scales are those of directions, or of directions and gates."""
    scale, zero = (numpy.asarray(p, numpy.float64).reshape(weight.shape[0], 1, -1) for p in (scale, zero))
    return (weight.astype(numpy.float64) - zero) * scale


def quantizing_ops(rounded: Any) -> Any:
    class QuantizeLinear(OpRun):
        def _run(self, x: Any, scale: Any, zero: Any = None, axis: Any = 1, output_dtype: Any = None, **_: Any) -> Any:
            zero = numpy.zeros((), helper.tensor_dtype_to_np_dtype(output_dtype or 2)) if zero is None else zero
            y = x / spread(scale, x.ndim, axis)
            y = (numpy.rint(y) if rounded else y) + spread(zero, x.ndim, axis).astype(numpy.float64)
            limits = numpy.iinfo(zero.dtype)
            return (numpy.clip(y, limits.min, limits.max),)

    class DynamicQuantizeLinear(OpRun):
        def _run(self, x: Any) -> Any:
            return quantized(x) if rounded else (x, numpy.float64(1), numpy.float64(0))

    class DynamicQuantizeLSTM(OpRun):
        op_domain = "com.microsoft"

        def _run(self, x: Any, w: Any, r: Any, b: Any, lengths: Any, h: Any, c: Any, peepholes: Any, w_scale: Any,
                 w_zero: Any, r_scale: Any, r_zero: Any, direction: Any = None, hidden_size: Any = None,
                 **others: Any) -> Any:
            if any(others.values()):
                raise Unknown(f"DynamicQuantizeLSTM with {', '.join(others)}")

            def coarse(x: Any) -> Any:
                y, scale, zero = quantized(x)
                return (y - zero) * scale if rounded else x
            w, r = real_weight(w, w_scale, w_zero), real_weight(r, r_scale, r_zero)
            return lstm(coarse(x), w, r, b, lengths, h, c, peepholes, direction, len(self.onnx_node.output), coarse)

    return [QuantizeLinear, DynamicQuantizeLinear, DynamicQuantizeLSTM]


OPS = [DequantizeLinear, MatMulInteger, Conv, ConvInteger, ConvTranspose, MaxPool, BatchNormalization, LRN, GlobalMaxPool,
       Resize, LSTM, GRU, Erf]


def rounds(graph: Any) -> bool:
    """Whether activations are quantized."""
    return any("Quantize" in node.op_type and node.op_type != "DequantizeLinear" or
               any(rounds(attribute.g) for attribute in node.attribute if attribute.HasField("g")) for node in graph.node)


class Exact:
    """A model, to be computed in float64: of a file, or a ModelProto, which stays as it is."""

    def __init__(self, source: Any, rounded: bool = False) -> None:
        if isinstance(source, onnx.ModelProto):
            model = onnx.ModelProto()
            model.CopyFrom(source)
        else:
            model = onnx.load(source)
        widen_graph(model.graph)
        for function in model.functions:
            widen_nodes(function.node)
        self.evaluator = ReferenceEvaluator(model, new_ops=OPS + quantizing_ops(rounded))

    def run(self, arrays: Any) -> Any:
        with numpy.errstate(all="ignore"):
            return self.evaluator.run(None, {name: widen(array) for name, array in arrays.items()})
