# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a model, and the rows of a batch.

A row is the part of the inputs and results at one index of the dimension that counts the batch.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._layers import random_inputs
from ..errors import InvalidArgumentError

#: Arrays by the names of inputs.
Sample = Dict[str, Any]
#: Arrays by the names of outputs.
Results = Dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Rows:
    """The rows of a sample."""

    dim: str  #: the name of the dimension that counts them
    axes: Mapping[str, int]  #: where an input has this dimension; inputs without it belong to all rows
    count: int

    def take(self, sample: Sample, rows: Sequence[int]) -> Sample:
        """A sample with these rows, in this order."""
        return {name: np.take(array, rows, self.axes[name]) if name in self.axes else array
                for name, array in sample.items()}

    def others(self) -> List[int]:
        """A batch in which rows with even numbers are at other positions and have other neighbours: copies of row 0."""
        return [row if row % 2 == 0 else 0 for row in reversed(range(self.count))]

    def position_in_others(self, row: int) -> int:
        return self.count - 1 - row


def axis_of(together: Any, alone: Any, count: int) -> Optional[int]:
    """The dimension of a result that counts rows, by its shapes for `count` rows and for one; None if there is none."""
    if together.ndim != alone.ndim:
        return None
    grown = [axis for axis in range(alone.ndim) if together.shape[axis] != alone.shape[axis]]
    if len(grown) != 1 or together.shape[grown[0]] != count * alone.shape[grown[0]]:
        return None
    return grown[0]


def row_of(results: Results, axes: Mapping[str, int], count: int, row: int) -> Results:
    """What the results of a batch have for one row."""
    return {name: np.split(results[name], count, axis)[row] for name, axis in axes.items()}


def with_rows(results: Results, axes: Mapping[str, int], count: int, parts: Mapping[int, Results]) -> Results:
    """The results of a batch with other rows in place of some."""
    changed = dict(results)
    for name, axis in axes.items():
        chunks = np.split(results[name], count, axis)
        for row, part in parts.items():
            chunks[row] = part[name]
        changed[name] = np.concatenate(chunks, axis)
    return changed


def batch_dim(arguments: Sequence[Any], wanted: Optional[str]) -> Tuple[Optional[str], str]:
    """The name of the dimension that counts rows; None, and the reason, if there are no rows to compare.

    Args:
        arguments: of the compiled function.
        wanted: the name that the caller gives; None: the name of the first dimension of an input, if it is dynamic.

    Raises:
        InvalidArgumentError: no input has a dimension of the name that is given.
    """
    names = {size for argument in arguments for size in argument.shape if isinstance(size, str)}
    if wanted is not None and wanted not in names:
        raise InvalidArgumentError(f"no input has a dynamic dimension '{wanted}' (--batch); "
                                   f"they have {', '.join(sorted(names)) or 'none'}")
    leading = (argument.shape[0] for argument in arguments if argument.shape and isinstance(argument.shape[0], str))
    dim = wanted if wanted is not None else next(leading, None)
    if dim is None:
        return None, "no input has a dynamic first dimension; --batch=NAME=N names another one"
    if any(argument.shape.count(dim) > 1 for argument in arguments):
        return None, f"an input has the dimension '{dim}' twice"
    return dim, ""


def make_sample(function: Any, given: Mapping[str, Any], seed: int, sizes: Mapping[str, int]) -> Sample:
    """Inputs of a function: the given arrays, and random ones for the others.

    Args:
        function: a compiled function.
        given: arrays by the names of inputs.
        seed: of the random arrays.
        sizes: of dynamic dimensions of random arrays; dimensions that given arrays have too are as in these.

    Raises:
        InvalidArgumentError: an array does not fit, or a dimension has no size.
    """
    arguments = {argument.name: argument for argument in function.arguments}
    known = dict(sizes)
    for name, array in given.items():
        if name not in arguments:
            raise InvalidArgumentError(f"the model has no input '{name}'; it has {', '.join(arguments)}")
        expected = arguments[name]
        if array.dtype != np.dtype(expected.dtype) or array.ndim != len(expected.shape):
            raise InvalidArgumentError(f"the array of the input '{name}' is {array.dtype}{list(array.shape)}; the model "
                                       f"takes {expected.dtype}{list(expected.shape)}")
        for size, actual in zip(expected.shape, array.shape):
            if isinstance(size, str):
                known[size] = actual
    if len(given) < len(arguments):
        random = dict(zip(arguments, random_inputs(function, seed, known)))
    else:
        random = {}
    return {name: np.asarray(given.get(name, random.get(name)), order="C") for name in arguments}


def find_rows(function: Any, dim: str, sample: Sample) -> Rows:
    """The rows of a sample along a dimension that an input has."""
    axes = {argument.name: argument.shape.index(dim) for argument in function.arguments if dim in argument.shape}
    return Rows(dim, axes, min(sample[name].shape[axis] for name, axis in axes.items()))
