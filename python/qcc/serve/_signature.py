# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function takes and gives, with a name for each tensor, and whether its requests may be batched."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._arrays import numpy_type
from .._function import Function
from .._types import TensorType
from ..errors import Error, InvalidArgumentError, UnsupportedError

Array = Any
Shape = Tuple[int, ...]

#: The datatypes of the protocol by qcc's element types.
DATATYPES = {
    "bool": "BOOL", "uint8": "UINT8", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
    "float16": "FP16", "float32": "FP32", "float64": "FP64", "bfloat16": "BF16",
}

#: The most that a dynamic dimension may be, unless the host gives another number.
MOST_OF_DIMENSION = 1 << 20


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An argument or a result."""

    name: str
    dtype: "np.dtype[Any]"
    datatype: str  #: of the protocol, such as "FP32"
    shape: Tuple[Union[int, str], ...]  #: equal names are equal sizes
    shape_text: str  #: in messages, such as "[batch, 3]", "?" is a size without a name

    @property
    def sizes(self) -> List[int]:
        """The shape as the protocol writes it: -1 is any size."""
        return [-1 if isinstance(size, str) else size for size in self.shape]


def _shape_text(of_type: TensorType) -> str:
    sizes = [str(size) if isinstance(size, int) else size if size in of_type.dim_names else "?" for size in of_type.shape]
    return f"[{', '.join(sizes)}]"


def _tensors(types: Sequence[TensorType], kind: str) -> Tuple[Tensor, ...]:
    names: Dict[str, int] = {}
    tensors = []
    for index, of_type in enumerate(types):
        name = of_type.name or f"{kind}{index}"
        if name in names:
            name = f"{name}.{index}"
        names[name] = index
        if of_type.dtype == "bfloat16":
            try:
                import ml_dtypes  # noqa: F401  numpy has bfloat16 then.
            except ImportError:
                raise UnsupportedError(f"{kind} '{name}' is bfloat16, which numpy alone does not have; "
                                       "pip install ml_dtypes") from None
        dtype = numpy_type(of_type.dtype)
        if dtype is None or of_type.dtype not in DATATYPES:
            raise UnsupportedError(f"{kind} '{name}' has elements of type {of_type.dtype}, which the protocol does not "
                                   "have; compile a program with another type")
        tensors.append(Tensor(name, dtype, DATATYPES[of_type.dtype], of_type.shape, _shape_text(of_type)))
    return tuple(tensors)


class Signature:
    """The arguments and results of a function."""

    def __init__(self, function: Function) -> None:
        self.inputs = _tensors(function.arguments, "input")
        self.outputs = _tensors(function.results, "output")
        self.input_index = {tensor.name: index for index, tensor in enumerate(self.inputs)}
        self.output_index = {tensor.name: index for index, tensor in enumerate(self.outputs)}
        self.plans: Dict[bytes, Any] = {}  #: of the protocol, by the JSON of requests
        #: Why requests are not batched by their types; "" if they may be.
        self.unbatchable = self._unbatchable()

    def _unbatchable(self) -> str:
        tensors = self.inputs + self.outputs
        if not self.inputs or not self.outputs:
            return "it has no arguments or no results"
        for tensor in tensors:
            if not tensor.shape or not isinstance(tensor.shape[0], str):
                return f"'{tensor.name}' has no dynamic leading dimension"
        batch = tensors[0].shape[0]
        for tensor in tensors:
            if tensor.shape[0] != batch:
                return f"the leading dimensions of '{tensors[0].name}' and '{tensor.name}' may differ"
            if batch in tensor.shape[1:]:
                return f"the leading dimension of '{tensor.name}' is another dimension of it, too"
        return ""

    def check_shape(self, index: int, shape: Sequence[int], sizes: Dict[str, int], most: int) -> None:
        """Compares the shape of an input with its type; `sizes` collects the sizes of names."""
        tensor = self.inputs[index]
        if len(shape) != len(tensor.shape):
            raise InvalidArgumentError(f"input '{tensor.name}' has {len(shape)} dimensions, but the model takes "
                                       f"{len(tensor.shape)}, {tensor.shape_text}; send that shape")
        for position, (size, wanted) in enumerate(zip(shape, tensor.shape)):
            if isinstance(wanted, str):
                if not 0 <= size <= most:
                    raise InvalidArgumentError(f"dimension {position} of input '{tensor.name}' is {size}, but it must "
                                               f"be from 0 to {most}; send less at once")
                if sizes.setdefault(wanted, size) != size:
                    raise InvalidArgumentError(f"dimension {position} of input '{tensor.name}' is {size}, but dimension "
                                               f"'{wanted}' of another one is {sizes[wanted]}; send equal sizes")
            elif size != wanted:
                raise InvalidArgumentError(f"dimension {position} of input '{tensor.name}' is {size}, but the model "
                                           f"takes {wanted}; send the shape {tensor.shape_text}")

    def check(self, arrays: Sequence[Array], most: int) -> None:
        """Refuses arrays that a run would refuse, so that no request harms others of its batch."""
        if len(arrays) != len(self.inputs):
            raise InvalidArgumentError(f"the model takes {len(self.inputs)} arrays, but the call has {len(arrays)}")
        sizes: Dict[str, int] = {}
        for index, (array, tensor) in enumerate(zip(arrays, self.inputs)):
            if not isinstance(array, np.ndarray) or array.dtype != tensor.dtype:
                given = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
                raise InvalidArgumentError(f"input '{tensor.name}' is {given}, but the model takes a numpy array of "
                                           f"{tensor.dtype}; convert it")
            self.check_shape(index, array.shape, sizes, most)

    def result_bytes(self, shapes: Sequence[Shape]) -> int:
        """The bytes of all results, as far as shapes of arguments decide them."""
        sizes = {name: size for tensor, shape in zip(self.inputs, shapes) for name, size in zip(tensor.shape, shape)}
        return sum(tensor.dtype.itemsize * math.prod(sizes.get(size, 1) if isinstance(size, str) else size
                                                     for size in tensor.shape) for tensor in self.outputs)


def _random(tensor: Tensor, rows: int, random: "np.random.Generator") -> Array:
    shape = [rows] + [4 if isinstance(size, str) else size for size in tensor.shape[1:]]
    if tensor.dtype.kind == "b":
        return random.integers(0, 2, shape).astype(tensor.dtype)
    if tensor.dtype.kind in "iu":
        # Small numbers are also good indices and tokens.
        most = 127 if tensor.dtype.itemsize == 1 else 3
        return random.integers(0, most, shape).astype(tensor.dtype)
    return random.standard_normal(shape).astype(tensor.dtype)


def rows_depend(function: Function, signature: Signature) -> Optional[str]:
    """Runs random rows alone and together, and says how the results differ; None if their bits are equal.

    Types do not tell a batch from a sequence, whose rows a program may mix. Such a program must not be batched.
    """
    random = np.random.default_rng(1)
    parts = [[_random(tensor, rows, random) for tensor in signature.inputs] for rows in (1, 2, 1, 3)]
    try:
        alone = [_tuple(function(*arrays)) for arrays in parts]
        together = _tuple(function(*(np.concatenate(arrays) for arrays in zip(*parts))))
    except Error as error:
        return f"a trial with random rows failed: {error}"
    for index, tensor in enumerate(signature.outputs):
        if np.concatenate([results[index] for results in alone]).tobytes() != together[index].tobytes():
            return f"the rows of '{tensor.name}' depend on the other rows of a batch"
    return None


def _tuple(results: Any) -> Tuple[Array, ...]:
    return results if isinstance(results, tuple) else (results,)


def why_unbatched(function: Function, signature: Signature, max_batch: int) -> str:
    """Why requests for a function run one by one; "" if they may be batched."""
    if max_batch <= 1:
        return "the largest batch has one row"
    return signature.unbatchable or rows_depend(function, signature) or ""


def aligned(array: Array) -> Array:
    """The array, or a copy where it is a view of a body that the function cannot read in place."""
    return array if array.flags.aligned and array.flags.c_contiguous else array.copy()
