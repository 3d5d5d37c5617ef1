# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries as DLPack's tensors, without copies.

`borrow` gives the address of a DLTensor and the object that keeps it alive. Whoever exports DLPack is asked for a
capsule, which is read and not consumed: when it is dropped after the call, its producer takes the tensor back.
"""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._structures import DataType, DLTensor
from .errors import InvalidArgumentError, UnsupportedError

PLAIN = b"dltensor"
_VERSIONED = b"dltensor_versioned"
#: DLManagedTensorVersioned: version, manager_ctx, deleter, flags, then the tensor.
_FLAGS_OFFSET = 24
_TENSOR_OFFSET = 32
_READ_ONLY = 1

get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = ctypes.c_void_p
get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]

#: Of DLDataTypeCode, for each kind of numpy's types.
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_NAMES = {0: "int{}", 1: "uint{}", 2: "float{}", 4: "bfloat{}", 6: "bool"}

#: Of DLDeviceType: kDLCUDA and kDLCUDAManaged.
_ON_GPU = (2, 13)

Borrowed = Tuple[int, Any]


def dtype_name(dtype: DataType) -> str:
    """Such as "float32"; the names are numpy's where numpy has the type."""
    return _NAMES.get(dtype.code, "type" + str(dtype.code) + "x{}").format(dtype.bits)


#: What unsigned integers of more than 8 bits are passed as, by the type of numpy: entries have signed ones.
SIGNED = {np.dtype(f"uint{bits}"): np.dtype(f"int{bits}") for bits in (16, 32, 64)}


def _code(dtype: "np.dtype[Any]") -> Optional[int]:
    """The DLDataTypeCode of a type of numpy, or of bfloat16 of the package ml_dtypes; None of others."""
    return 4 if dtype.kind == "V" and dtype.name == "bfloat16" else _CODES.get(dtype.kind)


def numpy_type(name: str) -> "Optional[np.dtype[Any]]":
    """The type of numpy that has this name, or None: numpy has bfloat16 where ml_dtypes is imported, as JAX does."""
    try:
        dtype = np.dtype(name)
    except TypeError:
        return None
    return dtype if _code(dtype) is not None else None


def _describe(array: "np.ndarray[Any, Any]") -> DLTensor:
    """The tensor of a numpy array that numpy itself does not export, such as one that is read-only."""
    code = _code(array.dtype)
    if code is None or not array.dtype.isnative:
        raise InvalidArgumentError(f"has elements of type {array.dtype.str}, which qcc does not have; "
                                   "convert it with astype")
    if any(stride % array.itemsize for stride in array.strides):
        raise InvalidArgumentError(f"has strides {array.strides} in bytes, which are not multiples of its elements; "
                                   "copy it with numpy.ascontiguousarray")
    rank = array.ndim
    sizes = (ctypes.c_int64 * rank)(*array.shape)
    strides = (ctypes.c_int64 * rank)(*(stride // array.itemsize for stride in array.strides))
    kind = DataType(code, 8 * array.itemsize, 1)
    return DLTensor(array.ctypes.data, 1, 0, rank, kind, sizes, strides, 0)


def _borrow_numpy(array: "np.ndarray[Any, Any]") -> Borrowed:
    """A numpy array, whatever numpy's version exports."""
    tensor = _describe(array)
    return ctypes.addressof(tensor), (tensor, array)


def _scalar(value: Any, name: str) -> "np.ndarray[Any, Any]":
    """A number of Python as an array of no dimension, if the type can hold it."""
    wanted = numpy_type(name)
    if wanted is None:
        raise InvalidArgumentError(f"is a number of Python, but the function takes {name}; give a tensor")
    kinds = {bool: "b", int: "iufV", float: "fV"}[type(value)]  # V is bfloat16
    if wanted.kind not in kinds:
        raise InvalidArgumentError(f"is {value!r}, but the function takes {name}; convert it")
    if wanted.kind in "iu" and not np.iinfo(wanted).min <= value <= np.iinfo(wanted).max:
        raise InvalidArgumentError(f"is {value!r}, which {name} does not hold")
    return np.array(value, wanted)


def is_on_gpu(value: Any) -> bool:
    """Whether a tensor of a library that has DLPack is in memory of a GPU."""
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and device()[0] in _ON_GPU


def _export_options(value: Any, stream: Optional[int]) -> Dict[str, int]:
    """What makes the library of a tensor let a stream wait for the work that it has given the GPU."""
    return {"stream": stream} if stream is not None and is_on_gpu(value) else {}


def borrow(value: Any, name: str, stream: Optional[int] = None) -> Borrowed:
    """The tensor of an argument; `name` is the element type that the function takes, `stream` what reads it on a GPU.

    Raises InvalidArgumentError, whose text goes on from "argument N ".
    """
    export = getattr(value, "__dlpack__", None)
    if export is not None:
        try:
            capsule = export(**_export_options(value, stream))
            return get_pointer(capsule, PLAIN), capsule
        except (BufferError, TypeError, ValueError, RuntimeError) as error:
            if not isinstance(value, np.ndarray):
                raise InvalidArgumentError(f"cannot be read by DLPack: {error}") from None
    if type(value) in (bool, int, float):
        value = _scalar(value, name)
    elif isinstance(value, np.generic):
        value = np.asarray(value)
    elif not isinstance(value, np.ndarray):
        raise InvalidArgumentError(f"is of type {type(value).__name__}; give a numpy array, or a tensor of a library "
                                   "that has DLPack")
    return _borrow_numpy(value)


def borrow_writable(value: Any, stream: Optional[int] = None) -> Borrowed:
    """The tensor of a result that the caller gives, and that `stream` writes on a GPU. Raises as `borrow` does."""
    if isinstance(value, np.ndarray):
        if not value.flags.writeable:
            raise InvalidArgumentError("is read-only")
        return borrow(value, "")  # numpy exports what can be written without a version.
    export = getattr(value, "__dlpack__", None)
    if export is None:
        raise InvalidArgumentError(f"is of type {type(value).__name__}; give a numpy array, or a tensor of a library "
                                   "that has DLPack")
    try:
        options = _export_options(value, stream)
        try:
            capsule = export(max_version=(1, 0), **options)
        except TypeError:  # An older library does not know the argument.
            capsule = export(**options)
    except (BufferError, ValueError, RuntimeError) as error:
        raise InvalidArgumentError(f"cannot be written by DLPack: {error}") from None
    if _is_valid(capsule, PLAIN):
        if type(value).__module__.split(".")[0] in ("jax", "jaxlib"):
            raise InvalidArgumentError("is an array of jax, which must not be written")
        return get_pointer(capsule, PLAIN), capsule
    address = get_pointer(capsule, _VERSIONED)
    if ctypes.c_uint64.from_address(address + _FLAGS_OFFSET).value & _READ_ONLY:
        raise InvalidArgumentError("is read-only")
    return address + _TENSOR_OFFSET, capsule


#: Results begin at a multiple of this many bytes, so that no vector store crosses a line of the cache.
ALIGNMENT = 64
_SMALL = 1024
#: From this size on, memory comes from the system and goes back to it, and each page costs a fault in each call.
_LARGE = 1 << 17


def _aligned(shape: Tuple[int, ...], dtype: "np.dtype[Any]") -> "np.ndarray[Any, Any]":
    return _place(np.empty(math.prod(shape) * dtype.itemsize + ALIGNMENT, np.uint8), shape, dtype)


def _place(memory: "np.ndarray[Any, Any]", shape: Tuple[int, ...], dtype: "np.dtype[Any]") -> "np.ndarray[Any, Any]":
    return np.ndarray(shape, dtype, memory, -memory.ctypes.data % ALIGNMENT)


class _Recycler:
    """Makes arrays of one size, in memory of earlier ones that nothing refers to any more."""

    KEPT = 2  # as many as a caller has who computes the next result while it reads the last
    #: The references to memory that nobody uses: the list, a variable, the argument of getrefcount.
    UNUSED = 3

    def __init__(self) -> None:
        self._memories: "List[np.ndarray[Any, Any]]" = []

    def __call__(self, shape: Tuple[int, ...], dtype: "np.dtype[Any]") -> "np.ndarray[Any, Any]":
        for memory in self._memories:
            if sys.getrefcount(memory) == self.UNUSED:
                return _place(memory, shape, dtype)
        result = _aligned(shape, dtype)
        if len(self._memories) < self.KEPT and isinstance(result.base, np.ndarray):
            self._memories.append(result.base)
        return result


#: Counts of references say nothing exact about objects that other threads use at the same time.
_counts_references = getattr(sys, "_is_gil_enabled", lambda: True)()


def allocator(size: int) -> "Callable[..., np.ndarray[Any, Any]]":
    """What makes the arrays of a result of so many bytes from its shape and type."""
    if size < _SMALL:
        return np.empty
    return _Recycler() if size >= _LARGE and _counts_references else _aligned


def result_type(name: str, position: int) -> "np.dtype[Any]":
    """The type of a result that is allocated, which numpy must have."""
    dtype = numpy_type(name)
    if dtype is None:
        raise UnsupportedError(f"result {position} is of type {name}, which numpy does not have; give its memory by "
                               "out=, such as a tensor of torch")
    return dtype


def load_array(path: str) -> Any:
    """The array of a .npy file; raises InvalidArgumentError if the file holds none."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidArgumentError(f"'{path}' is no .npy file, or it is damaged ({error})") from None
    if not isinstance(array, np.ndarray):
        raise InvalidArgumentError(f"'{path}' holds several arrays; save one by numpy.save")
    return array
