# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison of results."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, List, Tuple

import numpy as np

from ._table import table
from .errors import InvalidArgumentError


@dataclasses.dataclass(frozen=True)
class ResultDiff:
    """How one result of two functions differs. NaNs equal each other; -0.0 equals 0.0."""

    elements: int
    different: int  #: elements that are not equal
    largest: float  #: the largest absolute difference; inf where only one is finite, or only one is NaN
    relative: float  #: the L2 norm of the difference over that of the expected result


@dataclasses.dataclass(frozen=True)
class Diff:
    """How the results of two functions differ; its text is a table."""

    results: Tuple[ResultDiff, ...]

    @property
    def equal(self) -> bool:
        """Whether no element differs."""
        return all(result.different == 0 for result in self.results)

    def __str__(self) -> str:
        rows: List[Tuple[str, ...]] = [("result", "elements", "different", "largest", "relative L2")]
        for index, result in enumerate(self.results):
            rows.append((str(index), str(result.elements), str(result.different), f"{result.largest:.6g}",
                         f"{result.relative:.3g}"))
        return table(rows)


def _as_sequence(results: Any) -> "List[np.ndarray[Any, Any]]":
    several = results if isinstance(results, (list, tuple)) else (results,)
    return [np.asarray(result) for result in several]


def compare(actual: "np.ndarray[Any, Any]", expected: "np.ndarray[Any, Any]", name: Any) -> ResultDiff:
    """One result of two functions, which messages call `name`."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise InvalidArgumentError(f"result {name} is {actual.dtype}{list(actual.shape)} of one function and "
                                   f"{expected.dtype}{list(expected.shape)} of the other; they cannot be compared")
    equal = actual == expected
    if actual.dtype.kind == "f":
        equal |= np.isnan(actual) & np.isnan(expected)
    different = int(actual.size - np.count_nonzero(equal))
    if not different:
        return ResultDiff(actual.size, 0, 0.0, 0.0)
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.where(equal, 0.0, np.abs(a - e))
        distance[np.isnan(distance)] = np.inf
        norm = float(np.sqrt(np.sum(np.square(e))))
        error = float(np.sqrt(np.sum(np.square(distance))))
    relative = error / norm if norm > 0 and np.isfinite(norm) else np.inf
    return ResultDiff(actual.size, different, float(np.max(distance)), float(relative))


def diff(function: Callable[..., Any], expected: Callable[..., Any], *arrays: Any) -> Diff:
    """Calls two functions with the same arrays and compares their results.

    Args:
        function: a `Function`, or anything that takes the arrays and gives an array or a sequence of them.
        expected: the same; relative errors are relative to its results.
        arrays: what both are called with.

    Raises:
        InvalidArgumentError: numbers, shapes or element types of the results differ.
    """
    ours, theirs = _as_sequence(function(*arrays)), _as_sequence(expected(*arrays))
    if len(ours) != len(theirs):
        raise InvalidArgumentError(f"one function has {len(ours)} results and the other has {len(theirs)}; "
                                   "they cannot be compared")
    return Diff(tuple(compare(a, e, index) for index, (a, e) in enumerate(zip(ours, theirs))))
