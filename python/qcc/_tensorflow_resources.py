# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resources that functions of TensorFlow use: variables, lookup tables and others.

TensorFlow's bridge to XLA ends the process where a function has a lookup table, so tables are refused before.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Sequence, Tuple

from .errors import UnsupportedError

#: What reads a variable and leaves it as it is.
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp")
#: What hands a resource on.
_COPIES = ("Identity", "IdentityN")
#: Of ops that call functions: how many inputs come before those of the function.
_CALLS = {"PartitionedCall": 0, "StatefulPartitionedCall": 0, "While": 0, "StatelessWhile": 0,
          "If": 1, "StatelessIf": 1, "Case": 1, "StatelessCase": 1}


def _called(node: Any) -> Iterator[str]:
    """The names of the functions that an op calls."""
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func.name
        yield from (function.name for function in value.list.func)


class _Walk:
    """Follows resources into the functions that a graph calls."""

    def __init__(self, library: Mapping[str, Any], variables: Mapping[str, str]) -> None:
        self._library = library
        self._variables = variables  #: the names of variables, by the resources of the graph
        self._seen: "set[Tuple[str, Tuple[Tuple[str, str], ...]]]" = set()

    def check(self, nodes: Sequence[Any], resources: Dict[str, str]) -> None:
        """Refuses what uses a resource otherwise than to read a variable; `resources` are names of values of `nodes`."""
        # The nodes of a function have no order, but chains of copies are rare and short.
        for node in nodes:
            used = [resources.get(name.split(":")[0]) for name in node.input if not name.startswith("^")]
            if not any(used):
                continue
            if node.op in _COPIES:
                resources[node.name] = next(filter(None, used))
            elif node.op in _CALLS:
                for name in _called(node):
                    self._check_call(name, used[_CALLS[node.op]:])
            elif node.op not in _READS:
                self._refuse(node, next(filter(None, used)))

    def _check_call(self, name: str, used: "Sequence[str | None]") -> None:
        function = self._library.get(name)
        if function is None:
            return
        resources = {argument.name: resource for argument, resource in zip(function.signature.input_arg, used) if resource}
        key = name, tuple(sorted(resources.items()))
        if key not in self._seen:  # Functions may call themselves.
            self._seen.add(key)
            self.check(function.node_def, resources)

    def _refuse(self, node: Any, resource: str) -> None:
        variable = self._variables.get(resource)
        if variable is not None:
            raise UnsupportedError(f"the function changes the variable '{variable}' (op '{node.op}'), but a program has no "
                                   "state; return the new value as a result, and assign it outside of the function")
        kind = "a lookup table" if node.op.startswith("LookupTable") else "a resource that is not a variable"
        raise UnsupportedError(f"the function uses {kind} (op '{node.op}', node '{node.name}'), which XLA does not have; "
                               "compute this op before the program, and pass its result as an argument")


def check_resources(concrete: Any) -> None:
    """Refuses a traced function that uses resources otherwise than to read variables.

    Raises:
        UnsupportedError: names the variable that the function changes, or the op that uses another resource.
    """
    variables, resources = {}, {}
    of_handle = {id(variable.handle): variable.name.split(":")[0] for variable in concrete.graph.variables}
    for outer, inner in zip(concrete.graph.external_captures, concrete.graph.internal_captures):
        if outer.dtype.name not in ("resource", "variant"):
            continue
        resources[inner.op.name] = inner.op.name
        if id(outer) in of_handle:
            variables[inner.op.name] = of_handle[id(outer)]
    if resources:
        graph = concrete.graph.as_graph_def()
        library = {function.signature.name: function for function in graph.library.function}
        _Walk(library, variables).check(graph.node, resources)
