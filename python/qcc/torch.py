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
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

import torch

#: The first version whose torch.onnx.export takes exported programs.
_OLDEST = (2, 5)

if tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2]) < _OLDEST:
    raise ImportError(f"qcc.torch needs torch {_OLDEST[0]}.{_OLDEST[1]} or later, but this is torch {torch.__version__}; "
                      "pip install --upgrade torch")

from torch.utils import _pytree as pytree  # noqa: E402

from ._compile import compile as _compile
from ._function import Function
from ._runs import ThreadPool
from ._torch_layers import load_quantized
from ._torch_ops import operator_set, translations
from .errors import Error, InvalidArgumentError, UnsupportedError

__all__ = ["backend", "compile", "load_quantized"]


def _refusal(error: BaseException) -> Error:
    """The reason at the root of an error of torch.onnx, whose message is advice for developers of PyTorch."""
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    if isinstance(root, Error):
        return type(root)(str(root))
    reason = re.sub(r"\x1b\[\d+m", "", str(root)).strip().splitlines() or [type(root).__name__]
    return UnsupportedError(f"torch.onnx does not write this program: {reason[0]}; compute that op outside of the program "
                            "(torch.compiler.disable), or put ops in its place that torch.onnx knows")


def to_onnx(program: Any) -> bytes:
    """An exported program as an ONNX model."""
    try:
        model = torch.onnx.export(program, (), dynamo=True, verbose=False, custom_translation_table=translations(),
                                  opset_version=operator_set(program))
    except torch.onnx.errors.OnnxExporterError as error:
        raise _refusal(error) from error
    file = io.BytesIO()
    model.save(file)
    return file.getvalue()


def _to_function(program: Any, target: Union[str, Sequence[str]], threads: int = 0,
                 pool: Optional[ThreadPool] = None) -> Function:
    module = _compile(to_onnx(program), target=target, name="the exported program")
    function = module.function(threads=threads, pool=pool)
    # Nobody saves or pickles it: callers get a closure.
    function.module.drop_artifact()
    return function


def _call(function: Function, tensors: Sequence[Any]) -> List[Any]:
    """Runs a function on tensors, which are read in place if they are compact, into new tensors."""
    arrays = [tensor.detach().contiguous() if isinstance(tensor, torch.Tensor) else tensor for tensor in tensors]
    results = function(*arrays)
    return [torch.from_dlpack(result) for result in (results if isinstance(results, tuple) else (results,))]


def compile(program: Any, *, target: Union[str, Sequence[str]] = "native", threads: int = 0,
            pool: Optional[ThreadPool] = None) -> Callable[..., Any]:
    """Compiles an exported program.

    Args:
        program: what `torch.export.export` made, also after `torchao` or `torch.ao.quantization` quantized it (PT2E).
        target: the processor, as for `qcc.compile`.
        threads, pool: how many threads a call uses, and whose they are, as for `qcc.Module.function`.

    Returns:
        A function that takes the arguments of the program and gives its results, tensors in the structure of the
        program.

    Raises:
        UnsupportedError: torch.onnx does not know an op of the program.
        What `qcc.compile` raises.
    """
    function = _to_function(program, target, threads, pool)

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


def _encoder_layer(x: Any, width: int, heads: int, qkv: Any, qkv_bias: Any, out: Any, out_bias: Any, use_gelu: bool,
                   norm_first: bool, eps: float, norm1: Any, norm1_bias: Any, norm2: Any, norm2_bias: Any, inner: Any,
                   inner_bias: Any, outer: Any, outer_bias: Any, mask: Any = None, mask_type: Any = None) -> Any:
    """What torch's fused op of a TransformerEncoderLayer computes, in ops that torch.onnx translates."""
    f = torch.nn.functional
    taken = None
    if mask is not None:
        # Of keys alone [batch, keys], otherwise with queries before them. As in the op, what is not 0 is left out.
        taken = torch.logical_not(mask.to(torch.bool))
        taken = taken[:, None, None, :] if mask_type == 1 else taken

    def attend(y: Any) -> Any:
        q, k, v = (part.unflatten(-1, (heads, width // heads)).transpose(1, 2)
                   for part in f.linear(y, qkv, qkv_bias).chunk(3, -1))
        return f.linear(f.scaled_dot_product_attention(q, k, v, taken).transpose(1, 2).flatten(2), out, out_bias)

    def feed(y: Any) -> Any:
        hidden = f.linear(y, inner, inner_bias)
        return f.linear(f.gelu(hidden) if use_gelu else f.relu(hidden), outer, outer_bias)

    def norm(y: Any, weight: Any, bias: Any) -> Any:
        return f.layer_norm(y, (width,), weight, bias, eps)

    if norm_first:
        x = x + attend(norm(x, norm1, norm1_bias))
        return x + feed(norm(x, norm2, norm2_bias))
    x = norm(x + attend(x), norm1, norm1_bias)
    return norm(x + feed(x), norm2, norm2_bias)


def _freeze(graph: Any, constants: "dict[int, Any]", examples: Sequence[Any], numbers: "dict[int, Any]") -> Any:
    """A copy of a graph that takes tensors alone: inputs are constants, numbers, or sizes of tensors otherwise."""
    frozen = torch.fx.GraphModule(graph, copy.deepcopy(graph.graph))
    nodes = frozen.graph.find_nodes(op="placeholder")
    fused = getattr(torch.ops.aten, "_transformer_encoder_layer_fwd", None)
    for node in frozen.graph.nodes:
        if node.op == "call_function" and node.target in (torch._transformer_encoder_layer_fwd, fused and fused.default):
            node.target = _encoder_layer
    for index, node in enumerate(nodes):
        if _is_item(node) and (index in constants or index in numbers):
            for item in list(node.users):
                _replace_by_number(item, _number(constants[index]) if index in constants else numbers[index])
                frozen.graph.erase_node(item)
        elif index in constants:
            name = f"qcc_constant_{index}"
            frozen.register_buffer(name, constants[index].detach())
            with frozen.graph.inserting_before(node):
                node.replace_all_uses_with(frozen.graph.get_attr(name))
        elif index in numbers:
            _replace_by_number(node, numbers[index])
        elif not isinstance(examples[index], torch.Tensor):
            place = _find_size(examples[index], examples)
            assert place is not None, "other numbers have values here"
            tensor, dimension = place
            with frozen.graph.inserting_after(nodes[-1]):
                node.replace_all_uses_with(frozen.graph.call_function(torch.ops.aten.sym_size.int, (nodes[tensor], dimension)))
        else:
            continue
        frozen.graph.erase_node(node)
    frozen.recompile()
    return frozen


def _is_item(node: Any) -> bool:
    """Whether a graph reads an input as a number: torch.compile hands over floats as tensors without dimensions."""
    return bool(node.users) and all(user.op == "call_method" and user.target == "item" for user in node.users)


def _replace_by_number(node: Any, number: Any) -> None:
    for user in list(node.users):
        user.args, user.kwargs = torch.fx.map_arg((user.args, user.kwargs), lambda arg: number if arg is node else arg)


def _number(value: Any) -> Any:
    """A number that an input is, or was when the graph was captured."""
    if isinstance(value, torch.Tensor):
        return value.item()
    return _hint(value) if isinstance(value, torch.SymInt) else value


def _find_size(number: Any, examples: Sequence[Any]) -> "Optional[Tuple[int, int]]":
    """The position of a tensor, and its dimension, whose size is a symbolic number."""
    for index, example in enumerate(examples):
        if isinstance(example, torch.Tensor):
            for dimension, size in enumerate(example.shape):
                if isinstance(size, torch.SymInt) and str(size) == str(number):
                    return index, dimension
    return None


def _hint(size: Any) -> int:
    """A size that torch.compile has seen."""
    return int(size.node.hint) if isinstance(size, torch.SymInt) else int(size)


def _to_example(tensor: Any) -> Any:
    """A tensor of known sizes, for torch.export."""
    shape = [_hint(size) for size in tensor.shape]
    return torch.zeros(shape, dtype=tensor.dtype)


def _dynamic_sizes(tensors: Sequence[Any]) -> Any:
    """What torch.export takes as dynamic_shapes."""
    return tuple({d: torch.export.Dim.AUTO for d, size in enumerate(tensor.shape) if isinstance(size, torch.SymInt)}
                 for tensor in tensors)


def _export(graph: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Function:
    """The function of a graph of tensors, for inputs whose symbolic sizes may change."""
    # The export is none of torch.compile's business: its symbols and guards are other ones.
    with torch.no_grad(), torch._guards.tracing(None):
        program = torch.export.export(graph, tuple(map(_to_example, inputs)), strict=False,
                                      dynamic_shapes=_dynamic_sizes(inputs))
        return _to_function(program, **options)


#: What `torch.compile(model, backend="qcc", options=...)` takes.
_OPTIONS = ("target", "threads", "pool")


def backend(graph: Any, example_inputs: Sequence[Any], *, options: "Optional[Mapping[str, Any]]" = None) -> Any:
    """What `torch.compile(model, backend="qcc")` calls with each graph that it has captured.

    `torch.compile(model, backend="qcc", options={"threads": 1})` sets `target`, `threads` and `pool`, as for `compile`.
    """
    chosen = {"target": "native", **(options or {})}
    for name in chosen:
        if name not in _OPTIONS:
            raise InvalidArgumentError(f"there is no option '{name}'; the options are {', '.join(map(repr, _OPTIONS))}")
    constants = _constant_inputs(graph)
    # What the graph was captured with has symbolic sizes where they may change.
    nodes = graph.graph.find_nodes(op="placeholder")
    examples = [node.meta.get("example_value", example) for node, example in zip(nodes, example_inputs)]
    given = [index for index in range(len(examples)) if index not in constants]
    taken = [index for index in given if isinstance(examples[index], torch.Tensor) and not _is_item(nodes[index])]
    # Numbers that are no sizes of tensors: a program for each value.
    numbers = [index for index in given if index not in taken and _find_size(examples[index], examples) is None]
    functions: "dict[Tuple[Any, ...], Function]" = {}

    def function_of(values: Tuple[Any, ...]) -> Function:
        if values not in functions:
            frozen = _freeze(graph, constants, examples, dict(zip(numbers, values)))
            functions[values] = _export(frozen, [examples[index] for index in taken], chosen)
        return functions[values]

    captured = [getattr(node.meta.get("grapharg"), "example", None) for node in nodes]
    function_of(tuple(_number(examples[index] if captured[index] is None else captured[index]) for index in numbers))
    outputs = next(iter(graph.graph.find_nodes(op="output"))).args[0]
    are_tensors = [isinstance(getattr(output, "meta", {}).get("example_value"), torch.Tensor) for output in outputs]

    def run(*tensors: Any) -> Any:
        function = function_of(tuple(_number(tensors[index]) for index in numbers))
        results = _call(function, [tensors[index] for index in taken])
        return tuple(result if is_tensor else result.item() for result, is_tensor in zip(results, are_tensors))

    return run


if "qcc" not in torch._dynamo.list_backends(exclude_tags=()):
    torch._dynamo.register_backend(compiler_fn=backend, name="qcc")
