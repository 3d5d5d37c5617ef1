# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions take and give, and what artifacts have code for."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional, Protocol, Tuple, Union

import numpy as np


class SupportsDLPack(Protocol):
    """A tensor of a library that has DLPack, such as torch and jax."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


#: What a call takes for an argument.
Tensor = Union[bool, int, float, "np.ndarray[Any, Any]", "np.number[Any]", "np.bool_", SupportsDLPack]

#: What a call returns without `out`: an array for one result, a tuple of arrays for several. The program decides which.
#: So checkers of types offer the members of an array, and also accept what is done with a tuple, such as `a, b = ...`.
Results = Union["np.ndarray[Any, Any]", Any]


@dataclasses.dataclass(frozen=True)
class Quantization:
    """How stored integers stand for real numbers: scale * (stored - zero point)."""

    axis: Optional[int]  #: of the channels; None: one scale for the whole tensor
    scales: "np.ndarray[Any, np.dtype[np.float32]]"
    zero_points: "np.ndarray[Any, np.dtype[np.int32]]"


@dataclasses.dataclass(frozen=True)
class TensorType:
    """What a function takes or gives at one place."""

    name: str  #: "" where it has none
    dtype: str  #: such as "float32" or "int8"
    #: Sizes. A name ("batch", or "d0" where the program has none) is any size, and equal names are equal sizes.
    shape: Tuple[Union[int, str], ...]
    quantization: Optional[Quantization]  #: None where the tensor is not quantized
    in_place_argument: Optional[int]  #: of a result: the argument that it may share memory with
    dim_names: Tuple[str, ...] = ()  #: such as "batch"; "" where a dimension has none

    def __str__(self) -> str:
        sizes = ", ".join(str(size) for size in self.shape)
        return f"{self.name + ': ' if self.name else ''}{self.dtype}[{sizes}]"


@dataclasses.dataclass(frozen=True)
class Variant:
    """The code of an artifact for one kind of processor."""

    target: str  #: such as "cascadelake"
    features: Tuple[str, ...]  #: of the processor, which the code needs
    refusal: str  #: why this host cannot run it; "" if it can
    chosen: bool  #: whether it is the one that was loaded
