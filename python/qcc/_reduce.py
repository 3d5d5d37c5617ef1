# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The smallest part of an ONNX model that still does what somebody looks for."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from ._packages import need
from .errors import InvalidArgumentError


def smallest(count: int, is_wanted: Callable[[List[int]], bool]) -> List[int]:
    """Delta debugging: fewest of `count` items, none of which can be left out; `is_wanted` is true for all of them."""
    kept = list(range(count))
    size = max(1, count // 2)
    while True:
        start, removed = 0, False
        while start < len(kept):
            rest = kept[:start] + kept[start + size:]
            if rest and is_wanted(rest):
                kept, removed = rest, True
            else:
                start += size
        if size == 1 and not removed:
            return kept
        size = max(1, size // 2)


def _used_by_graphs(node: Any) -> Set[str]:
    """Values that the graphs in the attributes of a node read, from wherever."""
    names: Set[str] = set()
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                names.update(inner.input)
                names |= _used_by_graphs(inner)
    return names


class _Cutter:
    """Makes models of some of the nodes of a model."""

    def __init__(self, model: Any) -> None:
        onnx = need("onnx")
        self.model = model
        inferred = onnx.shape_inference.infer_shapes(model).graph
        self.types: Dict[str, Any] = {info.name: info
                                      for info in [*inferred.value_info, *inferred.output, *inferred.input]}
        self.constants = {tensor.name: tensor for tensor in model.graph.initializer}
        # Constants are part of what reads them.
        self.constant_nodes = {node.output[0]: node for node in model.graph.node if node.op_type == "Constant"}
        self.nodes = [node for node in model.graph.node if node.op_type != "Constant"]

    def cut(self, kept: Sequence[int]) -> Optional[Any]:
        """The model of these nodes; None where the type of a value that it needs is not known."""
        nodes = [self.nodes[index] for index in kept]
        made = {name for node in nodes for name in node.output}
        used = {name for node in nodes for name in [*node.input, *_used_by_graphs(node)] if name}
        outputs = {output.name for output in self.model.graph.output}
        results = [name for node in nodes for name in node.output if name and (name not in used or name in outputs)]
        arguments = [name for name in dict.fromkeys(name for node in nodes for name in node.input)
                     if name and name not in made | set(self.constants) | set(self.constant_nodes)]
        if any(name not in self.types for name in arguments):
            return None
        model = type(self.model)()
        model.CopyFrom(self.model)
        graph = model.graph
        for part in (graph.node, graph.initializer, graph.input, graph.output, graph.value_info):
            del part[:]
        graph.node.extend(node for name, node in self.constant_nodes.items() if name in used)
        graph.node.extend(nodes)
        graph.initializer.extend(tensor for name, tensor in self.constants.items() if name in used)
        graph.input.extend(self.types[name] for name in arguments)
        for name in results:
            if name in self.types:
                graph.output.append(self.types[name])
            else:
                graph.output.add().name = name
        return model


def reduce_model(model: Any, is_wanted: Callable[[Any], bool]) -> Any:
    """The smallest part of a model for which `is_wanted` is still true.

    Args:
        model: an `onnx.ModelProto`. Values of nodes that are left out become inputs of the part, and values that nothing
            reads any more its outputs.
        is_wanted: called with models; true where one does what is looked for, such as to make the compiler fail.

    Raises:
        InvalidArgumentError: `is_wanted` is false for the whole model.
        UnsupportedError: the package onnx is missing.
    """
    cutter = _Cutter(model)
    if not is_wanted(model):
        raise InvalidArgumentError("the whole model does not do what is looked for; correct the test")

    def is_part_wanted(kept: List[int]) -> bool:
        part = cutter.cut(kept)
        return part is not None and is_wanted(part)

    everything = list(range(len(cutter.nodes)))
    if not is_part_wanted(everything):
        return model
    return cutter.cut(smallest(len(cutter.nodes), is_part_wanted))
