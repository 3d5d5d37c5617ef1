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

import collections.abc
import functools
import pathlib
import re
import warnings
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

import jax
import jax.export
import numpy as np

from ._arrays import SIGNED
from ._compile import compile as _compile
from ._function import Function
from .errors import InvalidArgumentError

try:  # Parts of jaxlib that cost less per call than what jax makes of them.
    from jaxlib._jax import ArrayImpl as _ArrayImpl
    from jaxlib._jax import buffer_to_dlpack_managed_tensor as _export_memory
    from jaxlib._jax import dlpack_managed_tensor_to_buffer as _import_memory
except ImportError:  # This version has other ones.
    _ArrayImpl = _export_memory = _import_memory = None

__all__ = ["Program", "compile", "jit", "load_exported"]

#: The first version whose lowered programs say what their results are.
_OLDEST = (0, 4, 30)

if tuple(int(part) for part in re.findall(r"\d+", jax.__version__)[:3]) < _OLDEST:
    raise ImportError(f"qcc.jax needs jax {'.'.join(map(str, _OLDEST))} or later, but this is jax {jax.__version__}; "
                      "pip install --upgrade jax")

try:  # Places of ops are in the caller's files, not here.
    from jax._src.source_info_util import register_exclusion as _exclude

    _exclude(__file__)
except ImportError:  # This version has no such function: some ops have places here.
    pass

Target = Union[str, Sequence[str]]

_BF16 = np.dtype(jax.numpy.bfloat16)


def _is_key(dtype: Any) -> bool:
    """Whether elements are random keys, such as those of `jax.random.key`."""
    return not isinstance(dtype, np.dtype) and bool(jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key))


def _key_impl(dtype: Any) -> Any:
    """The algorithm of random keys of a type."""
    found: List[Any] = []

    def find(key: Any) -> Any:
        found.append(jax.random.key_impl(key))
        return jax.random.key_data(key)

    jax.eval_shape(find, jax.ShapeDtypeStruct((), dtype))
    return found[0]


def _given_type(leaf: Any) -> Any:
    """The element type of a value, before JAX makes it one of its types."""
    return leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype


def _canonical(dtype: Any) -> Any:
    """The type that JAX computes with where it is given another: f32 for f64, unless 64 bits are enabled."""
    return dtype if _is_key(dtype) else np.dtype(jax.dtypes.canonicalize_dtype(dtype))


def _number_as(leaf: Any, dtype: "np.dtype[Any]") -> Any:
    """A number of Python, as the entry takes it: the entry converts all but unsigned ones."""
    if dtype not in SIGNED or type(leaf) is not int:
        return leaf
    if not 0 <= leaf <= np.iinfo(dtype).max:
        raise InvalidArgumentError(f"an argument is {leaf}, which {dtype} does not hold")
    return np.array(leaf, dtype).view(SIGNED[dtype])


class _Exported:
    """An array of JAX that exports its memory without the checks of `jax.Array.__dlpack__`, which the entry has anyway."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options) if options else _export_memory(self._array, stream=None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)


class _Argument:
    """The type of an argument: what the program takes, and what the caller gave where it was compiled."""

    def __init__(self, given: Any, dtype: Any) -> None:
        self.given, self.dtype = given, dtype
        self.is_key = _is_key(dtype)
        self._is_plain = not self.is_key and dtype not in SIGNED
        self.entry_dtype = dtype if self._is_plain else SIGNED.get(dtype)  #: None: of keys

    def takes_memory_of(self, leaf: Any) -> bool:
        """Whether a result may go on in the memory of a donated value."""
        return (isinstance(leaf, jax.Array) and self.entry_dtype is not None and leaf.dtype == self.dtype and leaf.size > 0
                and [device.platform for device in leaf.devices()] == ["cpu"])

    def to_entry(self, leaf: Any) -> Any:
        """A value as the entry takes it."""
        if type(leaf) is _ArrayImpl and self._is_plain:
            return _Exported(leaf)
        if type(leaf) in (bool, int, float) and not self.is_key:
            return _number_as(leaf, self.dtype)
        if self.is_key or (isinstance(leaf, jax.Array) and _is_key(leaf.dtype)):
            leaf = self._key_data(leaf)
        if not hasattr(leaf, "__dlpack__") or isinstance(leaf, np.ndarray):
            leaf = np.asarray(leaf)
            if leaf.dtype != self.dtype and leaf.dtype == self.given:
                leaf = leaf.astype(self.dtype)
            if not leaf.flags.c_contiguous:
                leaf = np.ascontiguousarray(leaf)
        return np.asarray(leaf).view(SIGNED[leaf.dtype]) if leaf.dtype in SIGNED else leaf

    def _key_data(self, leaf: Any) -> Any:
        dtype = _given_type(leaf)
        if dtype != self.dtype:
            raise InvalidArgumentError(f"an argument has elements of type {dtype}, but the program wants {self.dtype}; "
                                       "make keys by jax.random.key, and their data by jax.random.key_data")
        return jax.random.key_data(leaf)


@functools.lru_cache(maxsize=None)
def _importer() -> Callable[[Any], Any]:
    """What makes an array of JAX of one of numpy, without a copy where the memory is aligned."""
    device = jax.devices("cpu")[0]

    def convert(result: Any) -> Any:
        return _import_memory(result.__dlpack__(), device, None, None, 1)

    try:
        probe = convert(np.arange(4, dtype=np.int32))
        works = isinstance(probe, jax.Array) and np.array_equal(probe, np.arange(4))
    except Exception:  # The function is not public: another version may take other arguments.
        works = False
    return convert if works else jax.numpy.from_dlpack


def _from_signed(dtype: "np.dtype[Any]", convert: Callable[[Any], Any], result: Any) -> Any:
    """A result that the entry gives in signed integers."""
    return convert(np.asarray(result).view(dtype))


def _to_keys(impl: Any, result: Any) -> Any:
    """A result of random keys, of which the entry gives the data."""
    return jax.random.wrap_key_data(_from_signed(np.dtype(np.uint32), jax.numpy.asarray, result), impl=impl)


def _result_maker(dtype: Any) -> Callable[[Any], Any]:
    """What makes an array of JAX of a result of the entry."""
    if _is_key(dtype):
        return functools.partial(_to_keys, _key_impl(dtype))
    # Elements of 64 bits are narrowed where JAX has no such ones; numpy does not export bfloat16.
    convert = (jax.numpy.asarray if dtype == _BF16 else
               jax.numpy.from_dlpack if np.dtype(dtype).itemsize == 8 else _importer())
    return functools.partial(_from_signed, np.dtype(dtype), convert) if dtype in SIGNED else convert


@functools.lru_cache(maxsize=None)
def _taker() -> Callable[[Any], Any]:
    """What takes the memory of an array over into a new one: nobody has the old one any more, nor is any work on it left."""
    return jax.jit(lambda array: array, donate_argnums=0)  # type: ignore[no-any-return,unused-ignore]


class _Memory:
    """The bytes of an array of JAX that nobody else has, for results. The array must live as long as what is made of this."""

    def __init__(self, array: Any) -> None:
        self.__array_interface__ = {"version": 3, "data": (array.unsafe_buffer_pointer(), False), "shape": (array.nbytes,),
                                    "typestr": "|u1"}


class Program:
    """A compiled program, which is called as the function that it was made of, without the arguments that are weights.

    Arguments are converted as `jax.jit` converts them: those that were of 64 bits where the program was compiled, numbers of
    Python, arrays of numpy with strides. Results are arrays of JAX in the structure of the function's results. `function` is
    the entry on flat arguments, which gives arrays of numpy and costs less per call.
    """

    def __init__(self, function: Function, in_tree: Any, out_tree: Any, arguments: Sequence[_Argument],
                 results: Sequence[Any], kept: Optional[Sequence[int]] = None, donated: Sequence[int] = ()) -> None:
        self.function = function  #: the entry, on flat arguments
        #: Where results lie that continue a donated argument: the positions of both.
        self._donations = {index: result.in_place_argument for index, result in enumerate(function.results)
                           if result.in_place_argument is not None and result.in_place_argument in donated}
        for argument in sorted(set(donated) - set(self._donations.values())):
            warnings.warn(f"argument {argument} of {function} is donated, but no result continues it; it keeps its memory",
                          stacklevel=4)
        self._in_tree, self._out_tree = in_tree, out_tree
        self._arguments = arguments if kept is None else [arguments[index] for index in kept]
        self._kept = kept  # the positions of arguments that the entry takes; None: it takes all
        self._results = [_result_maker(dtype) for dtype in results]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        if tree != self._in_tree:
            raise InvalidArgumentError(f"the arguments have the structure {tree} but the program was compiled for "
                                       f"{self._in_tree}; pass the same structure, or compile once more")
        return self._run(leaves)

    def _run(self, leaves: Sequence[Any]) -> Any:
        """The results for the leaves of arguments of the program's structure."""
        if self._kept is not None:
            leaves = [leaves[index] for index in self._kept]
        taken: "dict[int, Any]" = {}
        out: Optional[List[Any]] = None
        if self._donations:
            leaves = list(leaves)
            taken, out = self._take(leaves)
        results = self.function(*[argument.to_entry(leaf) for argument, leaf in zip(self._arguments, leaves)], out=out)
        results = results if isinstance(results, tuple) else (results,)
        return jax.tree_util.tree_unflatten(self._out_tree, [
            taken[index] if index in taken else to_array(result)
            for index, (result, to_array) in enumerate(zip(results, self._results))])

    def _check_before_taking(self, leaves: Sequence[Any]) -> None:
        """Refuses what a call would refuse, and donations that it cannot take, while all arrays are still there."""
        identities = list(map(id, leaves))
        for index in self._donations.values():
            if isinstance(leaves[index], jax.Array) and leaves[index].is_deleted():
                raise InvalidArgumentError(f"argument {index} is deleted, since an earlier call took its memory; pass the "
                                           "result of that call")
            if identities.count(id(leaves[index])) > 1 and self._arguments[index].takes_memory_of(leaves[index]):
                raise InvalidArgumentError(f"argument {index} is donated, but another argument is the same array; pass a copy")
        for index, (leaf, argument) in enumerate(zip(leaves, self.function.arguments)):
            shape = np.shape(leaf) if not isinstance(leaf, jax.Array) else leaf.shape
            if len(shape) != len(argument.shape) and not self._arguments[index].is_key or any(
                    isinstance(want, int) and want >= 0 and size != want for size, want in zip(shape, argument.shape)):
                raise InvalidArgumentError(f"argument {index} has the shape {tuple(shape)}, but the program takes "
                                           f"{tuple(argument.shape)}")

    def _take(self, leaves: List[Any]) -> "Tuple[dict[int, Any], List[Any]]":
        """Takes donated arrays over, in `leaves`, too: by the results that go on in them, and memory for all results."""
        self._check_before_taking(leaves)
        taken: "dict[int, Any]" = {}
        out: List[Any] = [None] * len(self.function.results)
        for result, index in self._donations.items():
            leaf, argument = leaves[index], self._arguments[index]
            # Other values are copied to JAX before they are donated; results of their own cost as much.
            if argument.takes_memory_of(leaf):
                leaves[index] = taken[result] = _taker()(leaf).block_until_ready()
                out[result] = np.asarray(_Memory(taken[result])).view(argument.entry_dtype).reshape(leaf.shape)
        return taken, out


def _text(module: Any) -> str:
    """A module in the generic form, with the places of its ops in the program."""
    return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


def _positions(given: Any, count: int, option: str) -> "frozenset[int]":
    """The positions, from 0, that an option names among `count` arguments."""
    if isinstance(given, (str, bytes)) or not isinstance(given, (collections.abc.Sequence, collections.abc.Set)):
        raise InvalidArgumentError(f"{option} is {given!r}, but it must be a sequence of positions of arguments; give a tuple, "
                                   "such as (0,)")
    positions = list(given)
    for position in positions:
        if isinstance(position, bool) or not isinstance(position, (int, np.integer)):
            raise InvalidArgumentError(f"{option} has {position!r}, which is not the position of an argument; give integers")
        if not -count <= position < count:
            raise InvalidArgumentError(f"{option} has position {position}, but there are {count} positional arguments; give "
                                       f"positions from {-count} to {count - 1}" if count else
                                       f"{option} has position {position}, but there are no positional arguments; pass "
                                       "these arguments by position")
    return frozenset(int(position) % count for position in positions)


def _donated_leaves(arguments: Sequence[Any], positions: Iterable[int]) -> List[int]:
    """The leaves of arguments, numbered through all of them, that belong to the arguments at `positions`."""
    counts = [len(jax.tree_util.tree_leaves(argument)) for argument in arguments]
    return [leaf for position in positions
            for leaf in range(sum(counts[:position]), sum(counts[:position + 1]))]


def _is_symbolic(leaves: Sequence[Any]) -> bool:
    return any(not isinstance(size, int) for leaf in leaves for size in getattr(leaf, "shape", ()))


def compile(fn: Callable[..., Any], *args: Any, weights: Sequence[int] = (), target: Target = "native",
            threads: int = 0, donate_argnums: Sequence[int] = (), **kwargs: Any) -> Program:
    """Compiles a function for arguments of the types and shapes of `args`.

    Args:
        fn: a function of arrays, as `jax.jit` takes it.
        args, kwargs: arrays, structures of arrays, or `jax.ShapeDtypeStruct`s, also with symbolic sizes
            (`jax.export.symbolic_shape`).
        weights: positions of arguments whose values become constants of the program, which may be packed and folded. The
            compiled program does not take these arguments. Negative positions count from the last argument.
        target: the processor, as for `qcc.compile`.
        threads: how many threads a call uses; 0 is one for each core.
        donate_argnums: positions of arguments whose arrays a call may take, as for `jax.jit`. A result that updates such an
            array, such as a cache, then lies in its memory, and nothing else is copied; the array is deleted, also by a call
            that fails because symbolic sizes break a constraint. A warning says which arrays no result updates.

    Raises:
        InvalidArgumentError: a position in `weights` or `donate_argnums` is not one of an argument, or is in both.
        What `qcc.compile` raises; InvalidProgramError names the op and the line of the function.
    """
    constants = {index: args[index] for index in _positions(weights, len(args), "weights")}
    donated = _positions(donate_argnums, len(args), "donate_argnums")
    if both := sorted(donated & set(constants)):
        raise InvalidArgumentError(f"donate_argnums has position {both[0]}, which weights has, too; leave it out of one")
    arguments = tuple(arg for index, arg in enumerate(args) if index not in constants)
    donations = _donated_leaves(arguments, [index - sum(other < index for other in constants) for index in donated])

    def program(*rest: Any, **named: Any) -> Any:
        given = iter(rest)
        return fn(*(constants[index] if index in constants else next(given) for index in range(len(args))), **named)

    leaves, in_tree = jax.tree_util.tree_flatten((arguments, kwargs))
    given = [_given_type(leaf) for leaf in leaves]
    name = getattr(fn, "__name__", "the function")
    jitted = jax.jit(program, keep_unused=True)
    if _is_symbolic(leaves):
        exported = jax.export.export(jitted, platforms=["cpu"])(*arguments, **kwargs)
        return _load(exported, given, target, threads, donations)
    lowered = jitted.lower(*arguments, **kwargs)
    results, out_tree = jax.tree_util.tree_flatten(lowered.out_info)
    module = _compile(_text(lowered.compiler_ir("stablehlo")).encode(), target=target, name=name)
    return Program(module.function(threads=threads), in_tree, out_tree,
                   [_Argument(dtype, _canonical(dtype)) for dtype in given], [result.dtype for result in results],
                   donated=donations)


def _kind(leaf: Any) -> Any:
    """What a program depends on of an argument: JAX takes the types of numbers of Python less seriously than others."""
    kind = type(leaf)
    if kind is _ArrayImpl:
        return leaf.shape, leaf.dtype, leaf.weak_type
    if kind is np.ndarray:
        return leaf.shape, leaf.dtype, False
    weak = kind in (bool, int, float, complex) or getattr(leaf, "weak_type", False)
    return np.shape(leaf), jax.dtypes.result_type(leaf), weak, _given_type(leaf)


def _config() -> Tuple[Any, ...]:
    """The options of JAX that programs depend on."""
    config = jax.config
    return config.jax_enable_x64, config.jax_threefry_partitionable, config.jax_default_prng_impl


def jit(fn: Optional[Callable[..., Any]] = None, *, weights: Sequence[int] = (), target: Target = "native",
        threads: int = 0, donate_argnums: Sequence[int] = ()) -> Any:
    """A function that is compiled once for each set of shapes and types of its arguments, and for each set of weights.

    Args:
        fn: the function; without it, `jit` gives a decorator.
        weights, target, threads, donate_argnums: as in `compile`. Weights are the same if they are the same objects in the
            same structures.
    """
    if fn is None:
        return functools.partial(jit, weights=weights, target=target, threads=threads, donate_argnums=donate_argnums)
    programs: "dict[Any, Tuple[Program, Any]]" = {}
    positions_of = functools.lru_cache(maxsize=None)(functools.partial(_positions, weights, option="weights"))
    flatten = jax.tree_util.tree_flatten

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        positions, rest, kept, structure = positions_of(len(args)), args, [], None
        if positions:
            rest = tuple([arg for index, arg in enumerate(args) if index not in positions])
            kept, structure = flatten([args[index] for index in positions])
        leaves, tree = flatten((rest, kwargs))
        key = (tree, tuple(map(_kind, leaves)), structure, tuple(map(id, kept)), _config())
        found = programs.get(key)
        if found is None:
            program = compile(fn, *args, weights=tuple(positions), target=target, threads=threads,
                              donate_argnums=donate_argnums, **kwargs)
            # The weights are kept: another object cannot get the identity of one.
            found = programs[key] = program, kept
        return found[0]._run(leaves)

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
    return _load(source, [aval.dtype for aval in source.in_avals], target, threads)


def _load(source: Any, given: Sequence[Any], target: Target, threads: int, donated: Sequence[int] = ()) -> Program:
    """Compiles an exported program, which takes `given` types of arguments too."""
    module = _compile(source.mlir_module().encode(), target=target, name=source.fun_name)
    return Program(module.function(threads=threads), source.in_tree, source.out_tree,
                   [_Argument(dtype, aval.dtype) for dtype, aval in zip(given, source.in_avals)],
                   [result.dtype for result in source.out_avals], source.module_kept_var_idx,
                   [position for position, leaf in enumerate(source.module_kept_var_idx) if leaf in donated])
