# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch, which torch.onnx writes as ONNX models.

    import qcc.torch

    model = torch.compile(model, backend="qcc")
    function = qcc.torch.compile(torch.export.export(model, (x,)))

It needs the packages torch, of version 2.5 or later, and onnxscript. Programs are for inference: their results have no gradients, and the weights
are those that a model had when it was compiled.
"""

from __future__ import annotations

import copy
import io
import re
from typing import Any, Callable, List, Sequence, Union

import torch

#: The first version whose torch.onnx.export takes exported programs.
_OLDEST = (2, 5)

if tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2]) < _OLDEST:
    raise ImportError(f"qcc.torch needs torch {_OLDEST[0]}.{_OLDEST[1]} or later, but this is torch {torch.__version__}; "
                      "pip install --upgrade torch")

from torch.utils import _pytree as pytree  # noqa: E402

from ._compile import compile as _compile
from ._function import Function

__all__ = ["backend", "compile"]


def _to_function(program: Any, target: Union[str, Sequence[str]]) -> Function:
    """The function of an exported program, through an ONNX model in memory."""
    model = torch.onnx.export(program, (), dynamo=True, verbose=False)
    file = io.BytesIO()
    model.save(file)
    return _compile(file.getvalue(), target=target, name="the exported program").function()


def _call(function: Function, tensors: Sequence[Any]) -> List[Any]:
    """Runs a function on tensors, which are read in place if they are compact, into new tensors."""
    arrays = [tensor.detach().contiguous() if isinstance(tensor, torch.Tensor) else tensor for tensor in tensors]
    results = function(*arrays)
    return [torch.from_dlpack(result) for result in (results if isinstance(results, tuple) else (results,))]


def compile(program: Any, *, target: Union[str, Sequence[str]] = "native") -> Callable[..., Any]:
    """Compiles an exported program.

    Args:
        program: what `torch.export.export` made, also after `torchao` or `torch.ao.quantization` quantized it (PT2E).
        target: the processor, as for `qcc.compile`.

    Returns:
        A function that takes the arguments of the program and gives its results, tensors in the structure of the
        program.

    Raises:
        What `qcc.compile` and `torch.onnx.export` raise.
    """
    function = _to_function(program, target)

    def run(*args: Any, **kwargs: Any) -> Any:
        leaves = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        return pytree.tree_unflatten(_call(function, leaves), program.call_spec.out_spec)

    return run


def _is_of_module(source: Any) -> bool:
    """Whether a value is a parameter or a buffer, by where torch.compile found it."""
    while source is not None:
        if "ParamBuffer" in type(source).__name__ or "NNModule" in type(source).__name__:
            return True
        source = getattr(source, "base", None)
    return False


def _constant_inputs(graph: Any) -> "dict[int, Any]":
    """Parameters and buffers that torch.compile hands over as inputs, by position: they are weights."""
    constants = {}
    for index, node in enumerate(graph.graph.find_nodes(op="placeholder")):
        example = getattr(node.meta.get("grapharg"), "example", None)
        if example is not None and _is_of_module(getattr(node, "_dynamo_source", None)):
            constants[index] = example
    return constants


def _freeze(graph: Any, constants: "dict[int, Any]") -> Any:
    """A copy of a graph whose inputs at some positions are constants."""
    frozen = torch.fx.GraphModule(graph, copy.deepcopy(graph.graph))
    for index, node in enumerate(frozen.graph.find_nodes(op="placeholder")):
        if index not in constants:
            continue
        name = f"qcc_constant_{index}"
        frozen.register_buffer(name, constants[index].detach())
        with frozen.graph.inserting_before(node):
            node.replace_all_uses_with(frozen.graph.get_attr(name))
        frozen.graph.erase_node(node)
    frozen.recompile()
    return frozen


def backend(graph: Any, example_inputs: Sequence[Any], *, target: Union[str, Sequence[str]] = "native") -> Any:
    """What `torch.compile(model, backend="qcc")` calls with each graph that it has captured."""
    constants = _constant_inputs(graph)
    inputs = tuple(example for index, example in enumerate(example_inputs) if index not in constants)
    with torch.no_grad():
        function = _to_function(torch.export.export(_freeze(graph, constants), inputs, strict=False), target)

    def run(*tensors: Any) -> Any:
        return tuple(_call(function, [tensor for index, tensor in enumerate(tensors) if index not in constants]))

    return run


if "qcc" not in torch._dynamo.list_backends(exclude_tags=()):
    torch._dynamo.register_backend(compiler_fn=backend, name="qcc")
