# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs become modules."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import os
import tempfile
import warnings
import zipfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

import numpy as np

from . import _structures as c
from ._arrays import borrow
from ._artifact import load_memory
from ._explanation import Explanation, read_explanation
from ._library import STATUS_FUNCTIONS, Handle, Library, compiler_mode, encode, library_path
from ._module import Module
from .errors import CompileWarning, Diagnostic, InvalidArgumentError, UnsupportedError

#: QCC_COMPILE_EXPLAIN
_EXPLAIN = 2
#: QCC_COMPILE_ISOLATED
_ISOLATED = 4
#: QCC_COMPILE_CUBIN
_CUBIN = 8
_SEVERITIES = {0: "error", 1: "warning", 2: "remark", 3: "note"}

_FUNCTIONS: Dict[str, Any] = {
    **STATUS_FUNCTIONS,
    "qccCompileText": (ctypes.c_void_p, [
        ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(c.CompileOptions), ctypes.POINTER(ctypes.c_void_p)]),
    "qccCompileFile": (ctypes.c_void_p, [
        ctypes.c_char_p, ctypes.POINTER(c.CompileOptions), ctypes.POINTER(ctypes.c_void_p)]),
    "qccGetProcessors": (ctypes.c_char_p, []),
    "qccArtifactGetData": (ctypes.c_void_p, [ctypes.c_void_p]),
    "qccArtifactGetSize": (ctypes.c_size_t, [ctypes.c_void_p]),
    "qccArtifactGetExplanation": (ctypes.c_char_p, [ctypes.c_void_p]),
    "qccArtifactWriteFile": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
    "qccArtifactDestroy": (None, [ctypes.c_void_p]),
}


class _ModelProto(Protocol):
    """A model of the package onnx."""

    def SerializeToString(self) -> bytes: ...


class _Exported(Protocol):
    """What jax.export.export made."""

    def mlir_module(self) -> str: ...


class _ExportedProgram(Protocol):
    """What torch.export.export made."""

    @property
    def graph_module(self) -> Any: ...


Bytes = Union[str, bytes, "os.PathLike[str]"]
Source = Union[Bytes, _ModelProto, _Exported, _ExportedProgram]
Weights = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@functools.lru_cache(maxsize=None)
def _library() -> Library:
    path = library_path("libqcc.so.1")
    if not path.exists():
        raise UnsupportedError(f"the compiler is not installed, only the runtime ({path} does not exist); "
                               "pip install qcc-compiler")
    return Library(path, _FUNCTIONS, compiler_mode())


def processors() -> Tuple[str, ...]:
    """One processor for each set of instructions that kernels for x86 are written for."""
    names: bytes = _library().functions.qccGetProcessors()
    return tuple(names.decode().split(","))


class _Artifact:
    """The bytes of an artifact, which belong to the compiler's library."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = Handle(handle, _library().functions.qccArtifactDestroy)

    def write(self, path: "str | os.PathLike[str]") -> None:
        library = _library()
        library.check(library.functions.qccArtifactWriteFile(self._handle.value, encode(path)))

    def explanation(self) -> str:
        """JSON, if it was compiled with EXPLAIN."""
        text: bytes = _library().functions.qccArtifactGetExplanation(self._handle.value)
        return text.decode()

    def read(self) -> bytes:
        functions = _library().functions
        return ctypes.string_at(functions.qccArtifactGetData(self._handle.value),
                                functions.qccArtifactGetSize(self._handle.value))

    def load(self) -> Handle:
        functions = _library().functions
        return load_memory(functions.qccArtifactGetData(self._handle.value),
                           functions.qccArtifactGetSize(self._handle.value))


def _write_arrays(path: str, arrays: Mapping[str, Any]) -> None:
    """Writes a .npz file; numpy.savez would not take every name."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in arrays.items():
            array = np.asarray(value)
            if array.dtype.hasobject:
                raise InvalidArgumentError(f"weight '{name}' has elements of type {array.dtype}; give numbers")
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


@contextlib.contextmanager
def _weights_file(weights: Optional[Weights]) -> Iterator[Optional[bytes]]:
    """Where weights are, as the compiler reads them; arrays are written to a file for as long as it compiles."""
    if weights is None or (isinstance(weights, Mapping) and not weights):
        yield None
    elif isinstance(weights, Mapping):
        with tempfile.TemporaryDirectory(prefix="qcc-weights-") as folder:
            path = os.path.join(folder, "weights.npz")
            _write_arrays(path, weights)
            yield encode(path)
    else:
        yield encode(weights)


def _to_source(source: Any) -> Bytes:
    """What the compiler reads of an object of a framework; paths, texts and bytes stay what they are."""
    if hasattr(source, "SerializeToString"):  # a ModelProto of onnx
        data: bytes = source.SerializeToString()
        return data
    package = type(source).__module__.split(".")[0]
    if package == "jax" and hasattr(source, "mlir_module"):  # jax.export.Exported
        return str(source.mlir_module())
    if package == "torch" and hasattr(source, "graph_module"):  # torch.export.ExportedProgram
        from .torch import to_onnx
        return to_onnx(source)
    is_program = isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike))
    if not is_program:
        raise InvalidArgumentError(f"the program is of type {type(source).__name__}; give a path, the bytes of a file, a text, "
                                   "an ONNX model, or an exported program of JAX or PyTorch")
    program: Bytes = source
    return program


def _is_text(source: Bytes) -> bool:
    """A text has a line break or a brace, which every program has and no sensible path."""
    return isinstance(source, str) and ("\n" in source or "{" in source)


def _call(source: Source, options: c.CompileOptions, handle: Any) -> Optional[int]:
    functions = _library().functions
    program = _to_source(source)
    if _is_text(program):
        program = str(program).encode()
    if isinstance(program, (bytes, bytearray, memoryview)):
        data = bytes(program)
        status: Optional[int] = functions.qccCompileText(data, len(data), options, handle)
    else:
        status = functions.qccCompileFile(encode(program), options, handle)
    return status


def _report(diagnostics: Sequence[Diagnostic], on_diagnostic: Optional[Callable[[Diagnostic], None]]) -> None:
    for diagnostic in diagnostics:
        if on_diagnostic is not None:
            on_diagnostic(diagnostic)
        elif diagnostic.severity == "warning":
            warnings.warn(str(diagnostic), CompileWarning, stacklevel=4)


def _structures(kind: Any, values: Optional[Mapping[str, Any]]) -> Any:
    """An array of structures with names."""
    array = (kind * len(values or {}))()
    for item, name in zip(array, values or {}):
        item.size = ctypes.sizeof(kind)
        item.name = encode(name)
    return array


def _size(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{what} is {value!r}, which is no whole number") from None


def _borrow_constant(name: str, value: Any) -> Any:
    try:
        of_numpy = isinstance(value, (bool, int, float, list, tuple, np.ndarray))
        return borrow(np.asarray(value, order="C") if of_numpy else value, "")
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"the value of the input '{name}' {error}") from None


class _ModelOptions:
    """How a model is read, in memory that the compiler reads during the call."""

    def __init__(self, dims: Optional[Mapping[str, int]] = None, shapes: Optional[Mapping[str, Sequence[int]]] = None,
                 constants: Optional[Mapping[str, Any]] = None, rounding: Optional[str] = None) -> None:
        self._rounding = None if rounding is None else encode(rounding)
        self._dims = _structures(c.NamedSize, dims)
        for item, (name, size) in zip(self._dims, (dims or {}).items()):
            item.value = _size(size, f"the size of '{name}'")
        self._shapes = _structures(c.NamedShape, shapes)
        for item, (name, shape) in zip(self._shapes, (shapes or {}).items()):
            item.rank = len(shape)
            item.dims = (ctypes.c_int64 * len(shape))(*(_size(size, f"a size of '{name}'") for size in shape))
        self._borrowed = [_borrow_constant(name, value) for name, value in (constants or {}).items()]
        self._constants = _structures(c.WeightTensor, constants)
        for item, (address, _) in zip(self._constants, self._borrowed):
            item.tensor = address

    def put(self, options: c.CompileOptions) -> None:
        options.dims, options.num_dims = self._dims, len(self._dims)
        options.shapes, options.num_shapes = self._shapes, len(self._shapes)
        options.constants, options.num_constants = self._constants, len(self._constants)
        options.tflite_rounding = self._rounding


class _Limits:
    """Where and how long the compiler runs, and how much memory it takes."""

    def __init__(self, isolated: "bool | str | os.PathLike[str]" = False, timeout: Optional[float] = None,
                 memory_limit: Optional[int] = None, threads: Optional[int] = None) -> None:
        self._flags = _ISOLATED if isolated else 0
        self._program = None if isinstance(isolated, bool) else encode(isolated)
        if timeout is not None and not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout!r}; give a number of seconds above 0, or None")
        self._nanoseconds = min(int(timeout * 1e9) + 1, 2**63 - 1) if timeout is not None and timeout < 9e9 else 0
        self._bytes = 0 if memory_limit is None else _size(memory_limit, "memory_limit")
        if memory_limit is not None and not 0 < self._bytes < 2**63:
            raise InvalidArgumentError(f"memory_limit is {memory_limit!r}; give a number of bytes above 0, or None")
        self._threads = 0 if threads is None else _size(threads, "threads")
        if threads is not None and not 0 < self._threads < 2**31:
            raise InvalidArgumentError(f"threads is {threads!r}; give a number of threads above 0, or None")

    def put(self, options: c.CompileOptions) -> None:
        options.flags |= self._flags
        options.isolated_compiler = self._program
        options.timeout_nanoseconds, options.memory_limit_bytes = self._nanoseconds, self._bytes
        options.threads = self._threads


def _compile(source: Source, target: Union[str, Sequence[str]], weights: Optional[Weights], tuning: Any,
             name: Optional[str], model: _ModelOptions, limits: _Limits,
             on_diagnostic: Optional[Callable[[Diagnostic], None]], flags: int = 0) -> _Artifact:
    diagnostics: List[Diagnostic] = []

    def handle_diagnostic(_: Any, pointer: Any) -> None:
        info = pointer.contents
        diagnostics.append(Diagnostic(_SEVERITIES[info.severity], info.file.decode(errors="replace"), info.line,
                                      info.column, info.message.decode(errors="replace")))

    options = c.CompileOptions()
    options.target = encode(target if isinstance(target, str) else ",".join(target))
    options.tuning = encode(tuning) if tuning is not None else None
    options.name = encode(name) if name is not None else None
    options.flags = flags
    model.put(options)
    limits.put(options)
    options.handle_diagnostic = c.DiagnosticHandler(handle_diagnostic)
    handle = ctypes.c_void_p()
    with _weights_file(weights) as options.weights:
        status = _call(source, options, ctypes.byref(handle))
    _report(diagnostics, on_diagnostic)
    _library().check(status, diagnostics)
    return _Artifact(handle)


def compile(source: Source, *, target: Union[str, Sequence[str]] = "native", weights: Optional[Weights] = None,
            tuning: "str | os.PathLike[str] | None" = None, name: Optional[str] = None,
            dims: Optional[Mapping[str, int]] = None, shapes: Optional[Mapping[str, Sequence[int]]] = None,
            constants: Optional[Mapping[str, Any]] = None,
            on_diagnostic: Optional[Callable[[Diagnostic], None]] = None,
            isolated: "bool | str | os.PathLike[str]" = False, timeout: Optional[float] = None,
            memory_limit: Optional[int] = None, cubin: bool = False, threads: Optional[int] = None,
            rounding: Optional[str] = None) -> Module:
    """Compiles a program.

    Args:
        source: what to compile: a path, the bytes of a file, or the text of a program. A `str` with a line break or a
            brace is a text, any other a path; the contents of a file say what it is, not its name. An object of a
            framework is a program as well: a `ModelProto` of onnx, and what `jax.export.export` and
            `torch.export.export` made. Its arguments are flat; `qcc.jax` and `qcc.torch` keep its structures.
        target: the processor, or several, each of which becomes a variant of the code: "native" is this host, other
            names are LLVM's ("cascadelake", "x86-64-v3").
        weights: values of constants that the program names and does not have: a .npz or .safetensors file,
            "random:SEED", or arrays by name.
        tuning: a file of `qcc tune`, whose measurements come before the compiler's estimates.
        name: what diagnostics call a program that is not a file.
        dims: sizes of dimensions that an ONNX model has names for, such as {"batch": 1}: the program is compiled for
            these and takes no others. Dimensions that are not named here take every size.
        shapes: all sizes of inputs of an ONNX or TFLite model, such as {"image": (1, 3, 224, 224)}, in the same way.
        constants: values of inputs of an ONNX model, which are no arguments of the program then: arrays, or tensors of
            a library that has DLPack, of the inputs' types. A number is all elements of an input.
        on_diagnostic: called with each thing that the compiler says. None: warnings become Python's, errors are in the
            exception.
        isolated: whether the compiler runs in a process of its own, so that nothing that happens there harms this one:
            a crash, a lack of memory, a hang. A path is that of the program qcc-isolated-compiler, which is otherwise
            looked for beside the library. It costs some 60 ms.
        timeout: the most seconds that the compilation may take.
        memory_limit: the most bytes that this process may grow by while it compiles, or the process of its own.
        cubin: whether kernels for NVIDIA chips are there as machine code as well, which ptxas of the CUDA toolkit makes.
        threads: how many threads generate code. The code does not depend on it. None: one for each CPU.
        rounding: of a TFLite model: "reference" for the bits of TFLite's reference kernels, which None stands for, or
            "xnnpack" for those of XNNPACK.

    Raises:
        InvalidProgramError: the compiler rejects the program; `diagnostics` says where and why.
        NotFoundError: there is no such file.
        InvalidArgumentError: an option is wrong.
        UnsupportedError: the compiler is not installed, or ptxas is not there.
        TimedOutError, OutOfMemoryError: a limit is reached.
        InternalError, KilledError: the compiler crashed, or the process of its own was killed.
    """
    return Module(_compile(source, target, weights, tuning, name, _ModelOptions(dims, shapes, constants, rounding),
                           _Limits(isolated, timeout, memory_limit, threads), on_diagnostic, _CUBIN if cubin else 0))


def explain(source: Source, *, target: str = "native", weights: Optional[Weights] = None,
            tuning: "str | os.PathLike[str] | None" = None, name: Optional[str] = None,
            dims: Optional[Mapping[str, int]] = None, shapes: Optional[Mapping[str, Sequence[int]]] = None,
            constants: Optional[Mapping[str, Any]] = None, rounding: Optional[str] = None) -> Explanation:
    """Compiles a program and tells what became of it: what each step computes, how, and why not faster.

    Args:
        source, weights, tuning, name, dims, shapes, constants, rounding: as in `compile`.
        target: one processor.

    Raises:
        What `compile` raises.
    """
    artifact = _compile(source, target, weights, tuning, name, _ModelOptions(dims, shapes, constants, rounding),
                        _Limits(), None, _EXPLAIN)
    return read_explanation(artifact.explanation())
