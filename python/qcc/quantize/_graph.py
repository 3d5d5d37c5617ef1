# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ONNX: their inputs, their layers, and what engines need to be done to them first."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Set, Tuple

import numpy as np

from .._layers import load_model
from .._packages import need
from ..errors import InvalidArgumentError
from ._data import Input

#: Ops whose products qcc computes in integers, if both operands are dequantized values.
CONTRACTIONS = ("Conv", "ConvTranspose", "Gemm", "MatMul")

_QUANTIZED = ("QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger",
              "DynamicQuantizeLinear")
#: DequantizeLinear has one scale for each channel from this operator set on.
_OPERATOR_SET = 13


def inputs_of(model: Any) -> Tuple[Input, ...]:
    """The inputs that a caller gives: constants of the same name are none."""
    onnx = need("onnx")
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = []
    for value in model.graph.input:
        if value.name in constants:
            continue
        if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
            raise InvalidArgumentError(f"the input '{value.name}' has no shape, or is no tensor; qcc quantize needs "
                                       "its rank")
        shape = tuple(dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else dim.dim_param
                      for dim in value.type.tensor_type.shape.dim)
        inputs.append(Input(value.name, onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type), shape))
    return tuple(inputs)


def operator_set(model: Any) -> int:
    return max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=0)


def layers_of(model: Any) -> List[Any]:
    """The nodes that may be quantized to gain time."""
    return [node for node in model.graph.node if node.op_type in CONTRACTIONS and node.domain in ("", "ai.onnx")]


def prepare(path: str) -> Any:
    """Reads a float model, and writes it as both engines understand it: operator set 13 or later, constants as
    initializers, a name for each node, and BatchNormalization as part of the convolution before it.

    Raises:
        InvalidArgumentError: the file has no float model.
    """
    onnx, model = need("onnx"), load_model(path)
    for node in model.graph.node:
        if node.op_type in _QUANTIZED:
            raise InvalidArgumentError(f"'{path}' is quantized already: it has the node "
                                       f"'{node.name or node.output[0]}' ({node.op_type}); give the float model")
    if not layers_of(model):
        raise InvalidArgumentError(f"'{path}' has no {', '.join(CONTRACTIONS)}; there is nothing to quantize")
    if operator_set(model) < _OPERATOR_SET:
        model = onnx.version_converter.convert_version(model, _OPERATOR_SET)
    _make_initializers(model)
    _fold_copies(model)
    _name_nodes(model)
    fold_batch_normalization(model)
    return model


def _make_initializers(model: Any) -> None:
    """Constants of nodes become initializers, in which engines look for weights."""
    kept, outputs = [], _outputs(model)
    for node in model.graph.node:
        value = {attribute.name: attribute for attribute in node.attribute}.get("value")
        if node.op_type == "Constant" and value is not None and node.output[0] not in outputs:
            tensor = model.graph.initializer.add()
            tensor.CopyFrom(value.t)
            tensor.name = node.output[0]
        else:
            kept.append(node)
    del model.graph.node[:]
    model.graph.node.extend(kept)


def _fold_copies(model: Any) -> None:
    """Casts and copies of constants become constants: NNCF does not take them as weights."""
    onnx, constants, outputs = need("onnx"), constants_of(model), _outputs(model)
    for node in list(model.graph.node):
        is_copy = node.op_type in ("Cast", "Identity")
        if is_copy and node.input[0] in constants and node.output[0] not in outputs:
            array = onnx.numpy_helper.to_array(constants[node.input[0]])
            if node.op_type == "Cast":
                to = next(attribute.i for attribute in node.attribute if attribute.name == "to")
                array = array.astype(onnx.helper.tensor_dtype_to_np_dtype(to))
            tensor = model.graph.initializer.add()
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, node.output[0]))
            constants[node.output[0]] = tensor
            model.graph.node.remove(node)


def _outputs(model: Any) -> Set[str]:
    return {value.name for value in model.graph.output}


def _name_nodes(model: Any) -> None:
    """A node without a name gets the name of its value, as in qcc; no two nodes have the same name."""
    seen: Set[str] = set()
    for index, node in enumerate(model.graph.node):
        name = node.name or next((output for output in node.output if output), f"node{index}")
        while name in seen:
            name += "_"
        node.name = name
        seen.add(name)


def constants_of(model: Any) -> Dict[str, Any]:
    """Initializers by name."""
    return {tensor.name: tensor for tensor in model.graph.initializer}


def readers_of(model: Any) -> Dict[str, List[Any]]:
    """The nodes that read each value, also in the graphs that they hold."""
    readers: Dict[str, List[Any]] = {}
    for node in model.graph.node:
        for name in _reads(node):
            readers.setdefault(name, []).append(node)
    return readers


def fold_batch_normalization(model: Any) -> int:
    """Scales windows of convolutions by the BatchNormalization that follows; returns the number of those folded."""
    helper = need("onnx.numpy_helper")
    constants, readers, outputs = constants_of(model), readers_of(model), _outputs(model)
    producers = {name: node for node in model.graph.node for name in node.output}
    removed = []
    for node in model.graph.node:
        conv = producers.get(node.input[0]) if node.op_type == "BatchNormalization" else None
        is_folded = (
            conv is not None and conv.op_type == "Conv" and conv.output[0] not in outputs
            and len(readers[conv.output[0]]) == 1 and len([name for name in node.output if name]) == 1
            and all(name in constants for name in [*conv.input[1:], *node.input[1:]])
            and not any(attribute.name == "training_mode" and attribute.i for attribute in node.attribute))
        if not is_folded or conv is None:
            continue
        scale, shift, mean, variance = (helper.to_array(constants[name]).astype(np.float64) for name in node.input[1:5])
        epsilon = next((attribute.f for attribute in node.attribute if attribute.name == "epsilon"), 1e-5)
        weight = helper.to_array(constants[conv.input[1]])
        bias = helper.to_array(constants[conv.input[2]]).astype(np.float64) if len(conv.input) > 2 else 0.0
        factor = scale / np.sqrt(variance + epsilon)
        scaled = (weight * factor.reshape(-1, *[1] * (weight.ndim - 1))).astype(weight.dtype)
        moved = ((bias - mean) * factor + shift).astype(weight.dtype)
        names = [f"{node.output[0]}.weight", f"{node.output[0]}.bias"]
        model.graph.initializer.extend(helper.from_array(array, name) for array, name in zip((scaled, moved), names))
        del conv.input[1:]
        conv.input.extend(names)
        conv.output[0] = node.output[0]
        removed.append(node)
    for node in removed:
        model.graph.node.remove(node)
    remove_unused(model)
    return len(removed)


def remove_unused(model: Any) -> None:
    """Removes nodes and initializers that no output depends on."""
    while True:
        read = set(_outputs(model))
        for node in model.graph.node:
            read.update(_reads(node))
        dead = [node for node in model.graph.node if not any(name in read for name in node.output)]
        if not dead:
            break
        for node in dead:
            model.graph.node.remove(node)
    unread = [tensor for tensor in model.graph.initializer if tensor.name not in read]
    for tensor in unread:
        model.graph.initializer.remove(tensor)
    kept_inputs = [value for value in model.graph.input if value.name not in {tensor.name for tensor in unread}]
    del model.graph.input[:]
    model.graph.input.extend(kept_inputs)


def _reads(node: Any) -> Iterable[str]:
    """What a node reads, also in the graphs that it holds."""
    yield from node.input
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                yield from _reads(inner)
            yield from (value.name for value in graph.output)


def sort_nodes(model: Any) -> None:
    """Puts nodes behind those whose values they read. ONNX Runtime's quantizer forgets what inner graphs read."""
    producers = {name: index for index, node in enumerate(model.graph.node) for name in node.output if name}
    nodes = [type(node).FromString(node.SerializeToString()) for node in model.graph.node]
    waits = [{producers[name] for name in _reads(node) if name in producers} - {index}
             for index, node in enumerate(nodes)]
    if all(before < index for index, others in enumerate(waits) for before in others):
        return
    done: Set[int] = set()
    order: List[int] = []
    pending = list(range(len(nodes)))
    while pending:
        ready = [index for index in pending if waits[index] <= done]
        if not ready:
            return  # A cycle, of which the checker tells.
        order += ready
        done.update(ready)
        pending = [index for index in pending if index not in done]
    del model.graph.node[:]
    model.graph.node.extend(nodes[index] for index in order)


def show_values(model: Any, names: Iterable[str]) -> Any:
    """A copy of the model that also has these values as outputs."""
    copy = type(model)()
    copy.CopyFrom(model)
    shown = _outputs(copy)
    for name in names:
        if name not in shown:
            copy.graph.output.add().name = name
            shown.add(name)
    return copy


def float_values(model: Any) -> List[str]:
    """Values that nodes compute and that may be floats, in the order of the nodes."""
    integer = {"Shape", "Size", "ArgMax", "ArgMin", "NonZero", "QuantizeLinear"}
    return [name for node in model.graph.node if node.op_type not in integer for name in node.output if name]


def set_metadata(model: Any, entries: Mapping[str, str]) -> None:
    for key, value in entries.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
