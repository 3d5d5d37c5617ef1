# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX, which jax.jit lowers to StableHLO.

    import qcc.jax

    function = qcc.jax.compile(model, params, x, weights=(0,))
    y = function(x)

    @qcc.jax.jit
    def layer(x, w): ...

It needs jax, of version 0.4.30 or later. Programs are for inference on one device: results have no gradients.
"""

from __future__ import annotations

import functools
import pathlib
import re
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import jax
import jax.export
import numpy as np

from ._arrays import SIGNED
from ._compile import compile as _compile
from ._function import Function
from .errors import InvalidArgumentError

__all__ = ["Program", "compile", "jit", "load_exported"]

#: The first version whose lowered programs say what their results are.
_OLDEST = (0, 4, 30)

if tuple(int(part) for part in re.findall(r"\d+", jax.__version__)[:3]) < _OLDEST:
    raise ImportError(f"qcc.jax needs jax {'.'.join(map(str, _OLDEST))} or later, but this is jax {jax.__version__}; "
                      "pip install --upgrade jax")

Target = Union[str, Sequence[str]]

_BF16 = np.dtype(jax.numpy.bfloat16)


def _to_entry(leaf: Any) -> Any:
    """An argument as the entry takes it."""
    if not hasattr(leaf, "__dlpack__") or isinstance(leaf, np.ndarray):
        leaf = np.asarray(leaf)
    return np.asarray(leaf).view(SIGNED[leaf.dtype]) if leaf.dtype in SIGNED else leaf


def _to_array(dtype: "np.dtype[Any]", result: Any) -> Any:
    """A result that the entry gives in signed integers."""
    return jax.numpy.asarray(np.asarray(result).view(dtype))


class Program:
    """A compiled program, which is called as the function that it was made of, without the arguments that are weights.

    Results are arrays of JAX in the structure of the function's results. `function` is the entry on flat arguments, which gives
    arrays of numpy and costs less per call.
    """

    def __init__(self, function: Function, in_tree: Any, out_tree: Any, types: Sequence[Any]) -> None:
        self.function = function  #: the entry, on flat arguments
        self._in_tree, self._out_tree = in_tree, out_tree
        self._results = [functools.partial(_to_array, np.dtype(dtype)) if dtype in SIGNED
                         else jax.numpy.asarray if dtype == _BF16  # which numpy does not export
                         else jax.numpy.from_dlpack for dtype in types]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        if tree != self._in_tree:
            raise InvalidArgumentError(f"the arguments have the structure {tree} but the program was compiled for "
                                       f"{self._in_tree}; pass the same structure, or compile once more")
        results = self.function(*map(_to_entry, leaves))
        results = results if isinstance(results, tuple) else (results,)
        return jax.tree_util.tree_unflatten(self._out_tree, [
            to_array(result) for result, to_array in zip(results, self._results)])


def _text(module: Any) -> str:
    """A module in the generic form, with the places of its ops in the program."""
    return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


def _is_symbolic(leaves: Sequence[Any]) -> bool:
    return any(not isinstance(size, int) for leaf in leaves for size in getattr(leaf, "shape", ()))


def compile(fn: Callable[..., Any], *args: Any, weights: Sequence[int] = (), target: Target = "native",
            threads: int = 0, **kwargs: Any) -> Program:
    """Compiles a function for arguments of the types and shapes of `args`.

    Args:
        fn: a function of arrays, as `jax.jit` takes it.
        args, kwargs: arrays, structures of arrays, or `jax.ShapeDtypeStruct`s, also with symbolic sizes
            (`jax.export.symbolic_shape`).
        weights: positions of arguments whose values become constants of the program, which may be packed and folded. The
            compiled program does not take these arguments.
        target: the processor, as for `qcc.compile`.
        threads: how many threads a call uses; 0 is one for each core.

    Raises:
        What `qcc.compile` raises; InvalidProgramError names the op and the line of the function.
    """
    constants = {index: args[index] for index in weights}
    arguments = tuple(arg for index, arg in enumerate(args) if index not in constants)

    def program(*rest: Any, **named: Any) -> Any:
        given = iter(rest)
        return fn(*(constants[index] if index in constants else next(given) for index in range(len(args))), **named)

    leaves, in_tree = jax.tree_util.tree_flatten((arguments, kwargs))
    name = getattr(fn, "__name__", "the function")
    jitted = jax.jit(program, keep_unused=True)
    if _is_symbolic(leaves):
        return load_exported(jax.export.export(jitted, platforms=["cpu"])(*arguments, **kwargs), target=target,
                             threads=threads)
    lowered = jitted.lower(*arguments, **kwargs)
    results, out_tree = jax.tree_util.tree_flatten(lowered.out_info)
    module = _compile(_text(lowered.compiler_ir("stablehlo")).encode(), target=target, name=name)
    return Program(module.function(threads=threads), in_tree, out_tree, [result.dtype for result in results])


def jit(fn: Optional[Callable[..., Any]] = None, *, weights: Sequence[int] = (), target: Target = "native",
        threads: int = 0) -> Any:
    """A function that is compiled once for each set of shapes and types of its arguments, and for each set of weights.

    Args:
        fn: the function; without it, `jit` gives a decorator.
        weights, target, threads: as in `compile`. Weights are the same if they are the same objects.
    """
    if fn is None:
        return functools.partial(jit, weights=weights, target=target, threads=threads)
    programs: "dict[Any, Tuple[Program, Any]]" = {}

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        rest = tuple(arg for index, arg in enumerate(args) if index not in weights)
        leaves, tree = jax.tree_util.tree_flatten((rest, kwargs))
        kept: List[Any] = jax.tree_util.tree_leaves([args[index] for index in weights])
        key = (tree, tuple((np.shape(leaf), jax.dtypes.result_type(leaf)) for leaf in leaves), tuple(map(id, kept)))
        if key not in programs:
            # The weights are kept: another object cannot get the identity of one.
            programs[key] = compile(fn, *args, weights=weights, target=target, threads=threads, **kwargs), kept
        return programs[key][0](*rest, **kwargs)

    return call


def load_exported(source: Any, *, target: Target = "native", threads: int = 0) -> Program:
    """Compiles what `jax.export` made.

    Args:
        source: a `jax.export.Exported`, the bytes of its `serialize()`, or the path of a file of them.
        target, threads: as in `compile`.
    """
    if isinstance(source, (str, pathlib.Path)):
        source = pathlib.Path(source).read_bytes()
    if isinstance(source, (bytes, bytearray)):
        source = jax.export.deserialize(bytearray(source))
    if len(getattr(source, "in_avals", ())) != source.in_tree.num_leaves:
        raise InvalidArgumentError("the exported program has arguments that are not in its structure; export it once more")
    module = _compile(source.mlir_module().encode(), target=target, name=source.fun_name)
    return Program(module.function(threads=threads), source.in_tree, source.out_tree,
                   [result.dtype for result in source.out_avals])
