# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values a quantized graph rounds to integers: what qcc needs of QuantizeLinear and DequantizeLinear.

qcc multiplies in integers where both operands of a contraction are dequantized values (rule N3 of docs/Numerics.md). It
computes everything else in float32, as part of the kernel that makes the operand. So rounding pays off before a
contraction and for values that are stored, and only costs accuracy anywhere else.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

import numpy as np

from .._packages import need
from ._graph import CONTRACTIONS, constants_of, layers_of, readers_of, remove_unused

#: Ops whose operands are stored, in integers if they are dequantized values. A sum of values of two layers is one, too.
_STORED = {*CONTRACTIONS, "Concat", "Resize", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "ReduceMean",
           "QuantizeLinear"}
#: Ops that choose or move elements, so that a dequantized value stays one.
_MOVES = {"Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Slice", "Expand", "Pad", "Split",
          "MaxPool"}


def _producers(model: Any) -> Dict[str, Any]:
    return {name: node for node in model.graph.node for name in node.output if name}


def _dequantize_of(name: str, producers: Dict[str, Any]) -> Optional[Any]:
    """The node that dequantizes a value, directly or before ops that move or choose elements; None if there is none."""
    node = producers.get(name)
    while node is not None and node.op_type in _MOVES:
        node = producers.get(node.input[0])
    return node if node is not None and node.op_type == "DequantizeLinear" else None


def quantized_layers(model: Any) -> List[str]:
    """The names of the contractions that integers multiply."""
    producers = _producers(model)
    return [node.name for node in layers_of(model)
            if all(_dequantize_of(name, producers) is not None for name in node.input[:2])]


def round_concatenations(model: Any) -> int:
    """Rounds the result of a Concat whose operands are dequantized with one scale; returns how many there are.

    The values are multiples of the scale, so they stay what they are. NNCF does not round them again, but qcc sees the
    result of a Concat as a float.
    """
    onnx, producers, readers = need("onnx"), _producers(model), readers_of(model)
    constants = constants_of(model)
    nodes, added = [], 0
    for node in model.graph.node:
        nodes.append(node)
        operands = [_dequantize_of(name, producers) for name in node.input] if node.op_type == "Concat" else []
        rounded = [operand for operand in operands if operand is not None]
        is_rounded_again = all(reader.op_type == "QuantizeLinear" for reader in readers.get(node.output[0], []))
        if not operands or len(rounded) < len(operands) or is_rounded_again or not _have_one_scale(rounded, constants):
            continue
        value, scale = node.output[0], list(rounded[0].input[1:])
        names = [f"{value}.quantized", f"{value}.dequantized"]
        for reader in readers.get(value, []):
            _replace(reader, value, names[1])
        nodes.append(onnx.helper.make_node("QuantizeLinear", [value, *scale], [names[0]], names[0]))
        nodes.append(onnx.helper.make_node("DequantizeLinear", [names[0], *scale], [names[1]], names[1]))
        added += 1
    if added:
        copies = [type(node).FromString(node.SerializeToString()) for node in nodes]
        del model.graph.node[:]
        model.graph.node.extend(copies)
    return added


def _have_one_scale(nodes: List[Any], constants: Dict[str, Any]) -> bool:
    """Whether DequantizeLinear nodes have equal scales and zero points, which are constants."""
    helper = need("onnx.numpy_helper")
    if any(name not in constants for node in nodes for name in node.input[1:]):
        return False
    values = [[helper.to_array(constants[name]) for name in node.input[1:]] for node in nodes]
    return all(len(value) == len(values[0]) and all(
        one.dtype == other.dtype and one.size == other.size == 1 and one.item() == other.item()
        for one, other in zip(value, values[0])) for value in values)


def share_zero_points(model: Any) -> int:
    """Gives the channels of an activation one zero point, where each has its own; returns the number of activations.

    NNCF chooses a range for each channel of the operand of a depthwise convolution. Kernels of bytes take a scale for each
    channel, but one zero point. The scales grow until each channel still has its range.
    """
    helper, constants, readers = need("onnx.numpy_helper"), constants_of(model), readers_of(model)
    changed = 0
    for node in model.graph.node:
        pair = [node, *readers.get(node.output[0], [])]
        if node.op_type != "QuantizeLinear" or any(other.op_type != "DequantizeLinear" for other in pair[1:]):
            continue
        if any(len(other.input) < 3 or name not in constants for other in pair for name in other.input[1:]):
            continue
        (scales, zeros), *others = [[helper.to_array(constants[name]) for name in other.input[1:]] for other in pair]
        if len(np.unique(zeros)) < 2 or any(not np.array_equal(one, other) for values in others
                                            for one, other in zip(values, (scales, zeros))):
            continue
        names = [f"{node.output[0]}.scales", f"{node.output[0]}.zero_points"]
        model.graph.initializer.extend(helper.from_array(array, name) for name, array in zip(
            names, _with_one_zero_point(scales, zeros)))
        for other in pair:
            del other.input[1:]
            other.input.extend(names)
        changed += 1
    remove_unused(model)
    return changed


def _with_one_zero_point(scales: Any, zeros: Any) -> Tuple[Any, Any]:
    """Scales and zero points of the same ranges: the zero points are equal, and make the steps grow least."""
    limits = np.iinfo(zeros.dtype)
    steps_below, steps_above = zeros.astype(np.int64) - limits.min, limits.max - zeros.astype(np.int64)
    shared = np.arange(limits.min, limits.max + 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        # A side without steps needs a range of nothing: 0 / 0.
        growth = np.fmax(steps_below / (shared - limits.min), steps_above / (limits.max - shared))
    best = int(np.square(growth).sum(axis=1).argmin())
    return (scales * growth[best]).astype(scales.dtype), np.full_like(zeros, shared[best, 0])


class _Stores:
    """Which ops read a value that is stored, so that integers pay off."""

    def __init__(self, model: Any) -> None:
        self._producers, self._readers, self._constants = _producers(model), readers_of(model), constants_of(model)
        self._layers: Dict[str, FrozenSet[str]] = {}

    def reads(self, node: Any) -> bool:
        """Whether an op reads stored operands, or moves elements that such an op reads later."""
        if node.op_type in _STORED or self._is_sum_of_layers(node):
            return True
        return node.op_type in _MOVES and any(
            self.reads(reader) for name in node.output for reader in self._readers.get(name, []))

    def _is_sum_of_layers(self, node: Any) -> bool:
        """Whether a kernel adds the value of another layer to its own. A sum of values of one layer, as in x + x^3, is
        computed in the kernel of the layer, where rounding saves nothing."""
        return node.op_type == "Add" and self._joins_layers(node)

    def is_gate(self, value: str, rounded: str) -> bool:
        """Whether a value is a product of two layers, as in squeeze and excitation, whose rounded form goes to one sum. No
        kernel computes such a product. The step of the sum does, and stores only the sum."""
        node, readers = self._producers[value], self._readers.get(rounded, [])
        while len(readers) == 1 and readers[0].op_type in _MOVES:
            readers = self._readers.get(readers[0].output[0], [])
        is_summed = len(readers) == 1 and readers[0].op_type == "Add"
        return is_summed and node.op_type == "Mul" and self._joins_layers(node)

    def _joins_layers(self, node: Any) -> bool:
        """Whether an op of two operands reads values of different layers."""
        first, second = (self.layers_of(name) for name in node.input)
        return bool(first) and bool(second) and first != second

    def layers_of(self, name: str) -> FrozenSet[str]:
        """The contractions and inputs of the model that a value depends on: the last ones on each way to it."""
        pending = [name]
        while pending:  # Without recursion, as networks are deep.
            value = pending[-1]
            node = self._producers.get(value)
            operands = [] if node is None or node.op_type in CONTRACTIONS else [text for text in node.input if text]
            missing = [operand for operand in operands if operand not in self._layers]
            if missing:
                pending += missing
                continue
            if operands:
                self._layers[value] = frozenset().union(*(self._layers[operand] for operand in operands))
            else:
                self._layers[value] = frozenset([] if value in self._constants else [value])
            pending.pop()
        return self._layers[name]


def _rounded_pairs(model: Any, producers: Dict[str, Any]) -> List[Tuple[Any, Any]]:
    """The nodes that round a computed value: QuantizeLinear and DequantizeLinear."""
    found = []
    for node in model.graph.node:
        quantize = _quantize_of(node, producers) if node.op_type == "DequantizeLinear" else None
        if quantize is not None and quantize.input[0] in producers:
            found.append((quantize, node))
    return found


def roundings_in_kernels(model: Any) -> Dict[str, str]:
    """The values of one contraction that elementwise ops of its kernel read rounded, each with the name of the layer."""
    producers, readers, stores = _producers(model), readers_of(model), _Stores(model)
    found = {}
    for quantize, dequantize in _rounded_pairs(model, producers):
        layers = stores.layers_of(quantize.input[0])
        layer = producers.get(next(iter(layers))) if len(layers) == 1 else None
        if layer is not None and not all(stores.reads(reader) for reader in readers.get(dequantize.output[0], [])):
            found[quantize.input[0]] = layer.name
    return found


def remove_needless(model: Any, kept: AbstractSet[str] = frozenset()) -> int:
    """Lets elementwise ops and outputs of the model read the floats that would be rounded; returns how many do.

    Args:
        model: a quantized model, which changes.
        kept: values that stay rounded.
    """
    removed = 0
    producers, readers, outputs = _producers(model), readers_of(model), {value.name for value in model.graph.output}
    stores = _Stores(model)
    for quantize, dequantize in _rounded_pairs(model, producers):
        value = quantize.input[0]
        if value in kept:
            continue
        is_gate = stores.is_gate(value, dequantize.output[0])
        for reader in readers.get(dequantize.output[0], []):
            if is_gate or not stores.reads(reader):
                _replace(reader, dequantize.output[0], value)
                removed += 1
        is_output = dequantize.output[0] in outputs and value not in outputs
        if is_output and _is_given_out(model, value, dequantize, readers):
            removed += 1
            producers, readers = _producers(model), readers_of(model)
    remove_unused(model)
    return removed


def remove_useless(model: Any) -> int:
    """Removes rounding that no product of integers follows: between layers that are in float32; returns how much."""
    removed = 0
    readers, producers, outputs = readers_of(model), _producers(model), {value.name for value in model.graph.output}
    useful = set(quantized_layers(model))
    found = [node for node in model.graph.node if node.op_type == "DequantizeLinear" and _quantize_of(node, producers)
             and not _reaches(node, useful, readers)]
    for node in found:  # In the order of the graph: a value may be rounded twice.
        value, name = producers[node.input[0]].input[0], node.output[0]
        if name not in outputs:
            for reader in readers.get(name, []):
                _replace(reader, name, value)
        elif value not in producers or value in outputs or not _is_given_out(model, value, node, readers):
            continue
        else:
            readers, producers = readers_of(model), _producers(model)
        removed += 1
    remove_unused(model)
    return removed


def _replace(node: Any, old: str, new: str) -> None:
    for index, name in enumerate(node.input):
        if name == old:
            node.input[index] = new


def _quantize_of(dequantize: Any, producers: Dict[str, Any]) -> Optional[Any]:
    node = producers.get(dequantize.input[0])
    return node if node is not None and node.op_type == "QuantizeLinear" else None


def _reaches(node: Any, useful: Set[str], readers: Dict[str, List[Any]]) -> bool:
    """Whether a value goes to one of these layers before any other contraction."""
    pending: List[Any] = [node]
    seen: Set[str] = set()
    while pending:
        for name in pending.pop().output:
            for reader in readers.get(name, []):
                if reader.name in useful:
                    return True
                if reader.op_type not in CONTRACTIONS and reader.output[0] not in seen:
                    seen.add(reader.output[0])
                    pending.append(reader)
    return False


def _is_given_out(model: Any, value: str, dequantize: Any, readers: Dict[str, List[Any]]) -> bool:
    """Makes a value the output of the model that its rounded form was, unless inner graphs read one of the two."""
    output = dequantize.output[0]
    if any(name not in reader.input for name in (value, output) for reader in readers.get(name, [])):
        return False
    producer = next(node for node in model.graph.node if value in node.output)
    rounded = f"{output}.dequantized"
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            if name == output:
                node.input[index] = rounded
            elif name == value:
                node.input[index] = output
    dequantize.output[0] = rounded
    producer.output[list(producer.output).index(value)] = output
    return True


def with_float_layers(quantized: Any, reference: Any, names: Iterable[str]) -> Any:
    """A copy of a quantized model in which some layers are what they are in the float model.

    Args:
        quantized: the result of an engine.
        reference: the float model that the engine was given.
        names: of nodes that both have.
    """
    copy = type(quantized)()
    copy.CopyFrom(quantized)
    wanted, constants = set(names), constants_of(reference)
    originals = {node.name: node for node in reference.graph.node}
    producers = _producers(copy)
    added: Set[str] = set()
    for node in copy.graph.node:
        original = originals.get(node.name) if node.name in wanted else None
        if original is None:
            continue
        for index, name in enumerate(original.input):
            if name in constants:
                node.input[index] = f"{name}.float"
                if name not in added:
                    tensor = copy.graph.initializer.add()
                    tensor.CopyFrom(constants[name])
                    tensor.name = f"{name}.float"
                    added.add(name)
            else:
                node.input[index] = _before_rounding(node.input[index], producers)
    remove_unused(copy)
    remove_useless(copy)
    return copy


def _before_rounding(name: str, producers: Dict[str, Any]) -> str:
    dequantize = producers.get(name)
    if dequantize is None or dequantize.op_type != "DequantizeLinear":
        return name
    quantize = _quantize_of(dequantize, producers)
    return name if quantize is None else str(quantize.input[0])


def constant_sums(model: Any) -> List[str]:
    """Sums with a constant, which a kernel adds in float32."""
    constants = constants_of(model)
    return [node.name for node in model.graph.node
            if node.op_type == "Add" and any(name in constants for name in node.input)]


def check(model: Any) -> None:
    """Raises what the package onnx raises if the graph is not valid."""
    need("onnx.checker").check_model(model)
