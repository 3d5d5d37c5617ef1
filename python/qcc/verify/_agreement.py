# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which settings of an engine change the bits of its results, and how far results are from float64."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

import numpy as np

from .._diff import compare
from .._layers import reason_of
from ..errors import InvalidArgumentError
from ._engines import CannotRun, Engine, Run, Setting
from ._rows import Results, Rows, Sample, axis_of, row_of, with_rows

#: Axes besides those of settings: how one setting is run.
REPETITION, BATCH, NEIGHBOURS = "repetition", "batch", "neighbours"
#: Relative difference of two evaluations in float64 above which the model itself computes rows from other rows.
_FLOAT64_ERROR = 1e-9


def _bits(array: Any) -> bytes:
    """The bytes of an array. Payload and sign of NaNs are no part of a result (rule N7)."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return np.ascontiguousarray(array).tobytes()


def digest(results: Results) -> str:
    """A hash of names, types, shapes and bits."""
    found = hashlib.sha256()
    for name, array in results.items():
        found.update(f"{name} {array.dtype} {array.shape} ".encode())
        found.update(_bits(array))
    return found.hexdigest()


@dataclasses.dataclass(frozen=True)
class Axis:
    """How results change if nothing but one thing changes."""

    name: str
    pairs: int  #: of runs that are compared
    different: int  #: of these
    largest: float  #: absolute difference of two elements
    relative: float  #: L2 norm of the difference over that of the result
    example: str  #: a pair that differs, or ""


@dataclasses.dataclass(frozen=True)
class Ran:
    """A setting, and the result of the whole batch."""

    setting: Setting
    digest: str
    distances: Mapping[str, Mapping[str, float]]  #: from float64, by reference and output


@dataclasses.dataclass(frozen=True)
class Failure:
    setting: Setting
    reason: str


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What is known of an engine."""

    name: str
    ran: Tuple[Ran, ...]
    failures: Tuple[Failure, ...]
    results: int  #: how many different results the same rows have, over all runs
    axes: Tuple[Axis, ...]

    @property
    def agrees(self) -> bool:
        return not any(axis.different for axis in self.axes)

    def distance(self, reference: str) -> Optional[Tuple[float, float]]:
        """The least and the greatest distance of a result, each of its farthest output."""
        farthest = [max(ran.distances[reference].values(), default=0.0) for ran in self.ran if reference in ran.distances]
        return (min(farthest), max(farthest)) if farthest else None


class References:
    """A model in float64, as it is and, if it rounds activations, with that rounding."""

    def __init__(self, model: Any, sample: Sample) -> None:
        self.results: Dict[str, Results] = {}
        self.reason = ""  #: why there are no results
        self._run: Optional[Callable[[Sample], Results]] = None
        try:
            from ._float64 import Exact, rounds

            evaluations = {"exact": Exact(model)}
            if rounds(model.graph):
                evaluations["rounded"] = Exact(model, rounded=True)
            names = [value.name for value in model.graph.output]
            for name, exact in evaluations.items():
                self.results[name] = dict(zip(names, map(np.asarray, exact.run(sample))))
                self._run = lambda sample, exact=exact: dict(zip(names, map(np.asarray, exact.run(sample))))
        except MemoryError:
            raise
        except Exception as error:  # The package onnx lacks an op, or a version of it.
            self.results, self._run, self.reason = {}, None, reason_of(error)

    def mixes(self, rows: Rows, sample: Sample) -> bool:
        """Whether the model itself computes rows of results from other rows; False if float64 does not tell."""
        if self._run is None:
            return False
        try:
            together, parts, axes = _run_alone(self._run, sample, rows)
            joined = with_rows(together, axes, rows.count, parts)
            return any(compare(joined[name], together[name], name).relative > _FLOAT64_ERROR for name in axes)
        except MemoryError:
            raise
        except Exception:  # The package onnx may lack a case that other sizes reach.
            return False

    def distances(self, results: Results) -> Dict[str, Dict[str, float]]:
        """By reference and output; none if a reference has other shapes, which `reason` tells."""
        try:
            return {name: distances(results, expected) for name, expected in self.results.items()}
        except InvalidArgumentError as error:
            self.results, self.reason = {}, str(error)
            return {}


def distances(results: Results, expected: Results) -> Dict[str, float]:
    """Of each output: the L2 norm of the difference over that of the expected values; of integers the share that differs."""
    found = {}
    for name, reference in expected.items():
        actual = results[name]
        difference = compare(actual.astype(np.float64), reference.astype(np.float64), name)
        share = difference.different / difference.elements if difference.elements else 0.0
        found[name] = difference.relative if reference.dtype.kind == "f" else share
    return found


def _run_alone(run: Run, sample: Sample, rows: Rows) -> Tuple[Results, Dict[int, Results], Dict[str, int]]:
    """The results of a batch, those of each row alone, and which dimensions of results count rows."""
    together = run(sample)
    parts = {row: run(rows.take(sample, [row])) for row in range(rows.count)}
    found = {name: axis_of(together[name], parts[0][name], rows.count) for name in together}
    return together, parts, {name: axis for name, axis in found.items() if axis is not None}


class _Differences:
    """How different results of an engine differ, each pair measured once."""

    def __init__(self) -> None:
        self.results: Dict[str, Results] = {}
        self._known: Dict[Tuple[str, str], Tuple[float, float]] = {}

    def note(self, results: Results) -> str:
        key = digest(results)
        self.results.setdefault(key, results)
        return key

    def measure(self, first: str, second: str) -> Tuple[float, float]:
        """The largest difference and the relative one."""
        if first == second:
            return 0.0, 0.0
        key = (first, second)
        if key not in self._known:
            try:
                found = [compare(array, self.results[first][name], name)
                         for name, array in self.results[second].items()]
                self._known[key] = (max(one.largest for one in found), max(one.relative for one in found))
            except InvalidArgumentError:  # Shapes or types differ.
                self._known[key] = (float("inf"), float("inf"))
        return self._known[key]

    def axis(self, name: str, pairs: Iterable[Tuple[str, str, str]]) -> Axis:
        """Of (first, second, what they are)."""
        every = list(pairs)
        different = [pair for pair in every if pair[0] != pair[1]]
        sizes = [self.measure(first, second) for first, second, _ in different]
        return Axis(name, len(every), len(different), max((size[0] for size in sizes), default=0.0),
                    max((size[1] for size in sizes), default=0.0), different[0][2] if different else "")


def describe(setting: Setting, without: str = "") -> str:
    return ", ".join(f"{axis} {value}" for axis, value in setting.items() if axis != without)


def _pairs_along(axis: str, ran: List[Ran]) -> Iterable[Tuple[str, str, str]]:
    """Pairs of settings that differ in one axis alone."""
    for first, second in itertools.combinations(ran, 2):
        others = [name for name in first.setting if name != axis]
        if all(first.setting[name] == second.setting[name] for name in others):
            rest = describe(first.setting, axis)
            yield first.digest, second.digest, (f"{first.setting[axis]} and {second.setting[axis]}"
                                                + (f" with {rest}" if rest else ""))


class Observed:
    """What runs of an engine gave."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._differences = _Differences()
        self._ran: List[Ran] = []
        self._failures: List[Failure] = []
        #: Of each way to run a setting: the result of the sample, that of the way, and the setting.
        self._ways: Dict[str, List[Tuple[str, str, str]]] = {REPETITION: [], BATCH: [], NEIGHBOURS: []}

    def add(self, setting: Setting, results: Dict[str, Results], references: References) -> None:
        together = self._differences.note(results[""])
        for way, other in results.items():
            if way:
                self._ways[way].append((together, self._differences.note(other), f"with {describe(setting)}"))
        known = next((ran.distances for ran in self._ran if ran.digest == together), None)
        self._ran.append(Ran(setting, together, references.distances(results[""]) if known is None else known))

    def fail(self, setting: Setting, reason: str) -> None:
        self._failures.append(Failure(setting, reason))

    @property
    def depends_on_rows(self) -> bool:
        """Whether a row has other results alone, or with other neighbours."""
        return any(first != second for way in (BATCH, NEIGHBOURS) for first, second, _ in self._ways[way])

    def verdict(self, compares_rows: bool = True) -> Verdict:
        """What follows; without `compares_rows`, of runs of the whole sample alone."""
        ways = self._ways if compares_rows else {REPETITION: self._ways[REPETITION]}
        axes = [self._differences.axis(name, _pairs_along(name, self._ran))
                for name in (self._ran[0].setting if self._ran else ())]
        axes += [self._differences.axis(way, pairs) for way, pairs in ways.items()]
        results = {ran.digest for ran in self._ran}.union(second for pairs in ways.values() for _, second, _ in pairs)
        return Verdict(self._name, tuple(self._ran), tuple(self._failures), len(results),
                       tuple(axis for axis in axes if axis.pairs))


def observe(engine: Engine, sample: Sample, rows: Optional[Rows], references: References) -> Observed:
    """Runs an engine with all its settings.

    Args:
        engine: what to run.
        sample: the inputs.
        rows: of these; None: they are no batch, or have one row.
        references: what to measure distances to.
    """
    observed = Observed(engine.name)
    for setting in engine.settings:
        try:
            observed.add(setting, _run_in_all_ways(engine.load(setting), sample, rows), references)
        except CannotRun as error:
            observed.fail(setting, str(error))
    return observed


def _run_in_all_ways(run: Run, sample: Sample, rows: Optional[Rows]) -> Dict[str, Results]:
    """The results of the sample under "", and those of other ways to compute the same rows."""
    if rows is None:
        return {"": run(sample), REPETITION: run(sample)}
    together, parts, axes = _run_alone(run, sample, rows)
    found = {"": together, REPETITION: run(sample)}
    if axes:
        found[BATCH] = with_rows(together, axes, rows.count, parts)
        order = rows.others()
        others = run(rows.take(sample, order))
        kept = {row: row_of(others, axes, rows.count, rows.position_in_others(row)) for row in range(0, rows.count, 2)}
        found[NEIGHBOURS] = with_rows(together, axes, rows.count, kept)
    return found
