# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison of ONNX models with other implementations of ONNX, layer by layer."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._compile import compile
from ._diff import ResultDiff, compare
from ._packages import need
from ._table import table
from .errors import InvalidArgumentError, UnsupportedError

Evaluate = Callable[[bytes, Mapping[str, Any]], List[Any]]


@dataclasses.dataclass(frozen=True)
class LayerDiff:
    """How one value of a model differs between two implementations."""

    value: str  #: its name in the model
    node: str  #: the node that computes it, or the name of the value where the node has none
    op: str  #: such as "Conv"
    result: Optional[ResultDiff]  #: None where the two give tensors of different types or shapes
    note: str  #: why there is no comparison, or ""


@dataclasses.dataclass(frozen=True)
class ModelDiff:
    """How the values of a model differ between two implementations, in the order of its nodes; its text is a table."""

    against: str
    layers: Tuple[LayerDiff, ...]

    @property
    def equal(self) -> bool:
        """Whether no element of any value differs."""
        return all(layer.result is not None and layer.result.different == 0 for layer in self.layers)

    def first(self, tolerance: float = 0.0) -> Optional[LayerDiff]:
        """The first value whose L2 error is more than `tolerance` of its norm, or that cannot be compared."""
        for layer in self.layers:
            if layer.result is None or (layer.result.different and layer.result.relative > tolerance):
                return layer
        return None

    def __str__(self) -> str:
        rows: List[Tuple[str, ...]] = [("node", "op", "value", "elements", "different", "largest", "relative L2")]
        for layer in self.layers:
            numbers: Tuple[str, ...] = ("", "", layer.note, "")
            if layer.result is not None:
                numbers = (str(layer.result.elements), str(layer.result.different), f"{layer.result.largest:.6g}",
                           f"{layer.result.relative:.3g}")
            rows.append((layer.node, layer.op, layer.value, *numbers))
        return table(rows)


def _run_onnxruntime(model: bytes, inputs: Mapping[str, Any]) -> List[Any]:
    """Without optimizations, so that each node computes what ONNX says."""
    ort = need("onnxruntime")
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3

    def run() -> List[Any]:
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return list(session.run(None, dict(inputs)))

    return _run_peer(f"onnxruntime {ort.__version__}", run, "compare with --against=onnx (against='onnx')")


def _run_reference(model: bytes, inputs: Mapping[str, Any]) -> List[Any]:
    reference, onnx = need("onnx.reference"), need("onnx")

    def run() -> List[Any]:
        return list(reference.ReferenceEvaluator(model).run(None, dict(inputs)))

    return _run_peer(f"the package onnx {onnx.__version__}", run,
                     "compare with --against=onnxruntime (against='onnxruntime'), or give the model another operator set by "
                     "onnx.version_converter.convert_version")


def _run_peer(name: str, run: Callable[[], List[Any]], remedy: str) -> List[Any]:
    """Another implementation fails with exceptions of any kind where it lacks an op or a version of it."""
    try:
        return run()
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{name} cannot run the model: {reason_of(error)}; {remedy}") from error


def reason_of(error: Exception) -> str:
    """The text of an exception of another package, in one line."""
    return (" ".join(str(error).split()) or type(error).__name__).rstrip(".")


#: What models can be compared with.
PEERS: Dict[str, Evaluate] = {"onnxruntime": _run_onnxruntime, "onnx": _run_reference}


def load_model(source: Union[str, bytes, "os.PathLike[str]"]) -> Any:
    """An onnx.ModelProto; raises InvalidArgumentError where the file holds none."""
    onnx = need("onnx")
    damaged = need("google.protobuf.message").DecodeError
    name = "the source"
    # Of data in other files that is not there, or not where the model says.
    missing = onnx.checker.ValidationError
    try:
        if isinstance(source, (bytes, bytearray, memoryview)):
            return onnx.load_model_from_string(bytes(source))
        name = f"'{os.fspath(source)}'"
        return onnx.load(os.fspath(source))
    except (damaged, missing, ValueError) as error:
        raise InvalidArgumentError(f"{name} is no ONNX model, or it is damaged ({error})") from None


def show_values(model: Any) -> None:
    """Makes a result of each value that a node computes."""
    shown = {output.name for output in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in shown and node.op_type != "Constant":
                model.graph.output.add().name = name
                shown.add(name)


def _in_order(model: Any) -> List[Tuple[str, str, str]]:
    """Node, op and value of each result, in the order of the nodes."""
    computed = {name: (node.name or name, node.op_type, name) for node in model.graph.node for name in node.output}
    position = {name: index for index, name in enumerate(computed)}
    names = [output.name for output in model.graph.output]
    names.sort(key=lambda name: position.get(name, -1))
    return [computed.get(name, (name, "", name)) for name in names]


def random_inputs(function: Any, seed: int = 0, dims: Optional[Mapping[str, int]] = None) -> List[Any]:
    """An array for each argument of a function: floats in [0, 1), integers that are 0 or 1.

    Raises:
        InvalidArgumentError: a dimension has no size; `dims` gives those that have a name.
    """
    random = np.random.default_rng(seed)
    arrays = []
    for index, argument in enumerate(function.arguments):
        shape = []
        for size in argument.shape:
            known = (dims or {}).get(size) if isinstance(size, str) else size
            if known is None:
                raise InvalidArgumentError(f"dimension {size!r} of argument {index} '{argument.name}' has no size; "
                                           f"give it as dims={{{size!r}: N}}, or as --dim={size}=N")
            shape.append(known)
        dtype = np.dtype(argument.dtype)
        arrays.append(random.random(shape).astype(dtype) if dtype.kind == "f"
                      else random.integers(0, 2, shape).astype(dtype))
    return arrays


def diff_model(source: Union[str, bytes, "os.PathLike[str]"], inputs: Union[Sequence[Any], Mapping[str, Any], None] = None,
               *, against: str = "onnxruntime", layers: bool = False, target: str = "native",
               dims: Optional[Mapping[str, int]] = None) -> ModelDiff:
    """Runs an ONNX model here and elsewhere, with the same inputs, and compares the results.

    Args:
        source: the path of a model, or its bytes.
        inputs: arrays in the order of the model's inputs, or by their names; None: random ones.
        against: "onnxruntime", without its optimizations, or "onnx", the reference implementation of the package onnx.
        layers: compare every value that a node computes, not only the results of the model. Values are results of the
            compiled program then, which changes what is fused but not what is computed.
        target: the processor, as for `compile`.
        dims: sizes of dimensions that the model has names for; random inputs have these, others need not be given.

    Raises:
        What `compile` raises.
        UnsupportedError: a package is missing, or cannot run the model.
        InvalidArgumentError: `against` is not known, or an input does not fit.
    """
    if against not in PEERS:
        raise InvalidArgumentError(f"there is no comparison with {against!r}; use one of {', '.join(sorted(PEERS))}")
    model = load_model(source)
    if layers:
        show_values(model)
    data: bytes = model.SerializeToString()
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    function = compile(data, target=target, name=name, dims=dims).function()
    names = [argument.name for argument in function.arguments]
    if inputs is None:
        inputs = random_inputs(function, dims=dims)
    if isinstance(inputs, Mapping) and set(inputs) != set(names):
        raise InvalidArgumentError(f"the model has the inputs {', '.join(names)}, but {', '.join(set(inputs) ^ set(names))} "
                                   f"is {'given' if set(inputs) - set(names) else 'missing'}")
    arrays = [inputs[name] for name in names] if isinstance(inputs, Mapping) else list(inputs)
    results = function(*arrays)
    ours = dict(zip((output.name for output in model.graph.output), results if isinstance(results, tuple) else (results,)))
    theirs = dict(zip(ours, PEERS[against](data, dict(zip(names, arrays)))))
    found = []
    for node, op, value in _in_order(model):
        try:
            found.append(LayerDiff(value, node, op, compare(ours[value], np.asarray(theirs[value]), value), ""))
        except InvalidArgumentError as error:
            found.append(LayerDiff(value, node, op, None, str(error)))
    return ModelDiff(against, tuple(found))
