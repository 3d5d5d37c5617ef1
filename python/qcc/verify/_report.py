# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What qcc verify tells, as a table and as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Tuple

from .._json import finite
from .._table import table
from ._agreement import Axis, Verdict, describe
from ._rows import Rows, Sample

#: The heads of columns, by the name of the reference.
_REFERENCES = {"exact": "to float64", "rounded": "to float64, rounded"}


@dataclasses.dataclass(frozen=True)
class Report:
    """All that is known of a model and its engines; its text is a table with a line for each difference."""

    model: str
    sample: Sample
    seed: Optional[int]  #: of random inputs; None if all are given
    rows: Optional[Rows]
    no_rows: str  #: why rows of a batch are not compared, or ""
    no_float64: str  #: why there is no float64, or ""
    verdicts: Tuple[Verdict, ...]  #: that of qcc first

    def __str__(self) -> str:
        references = [name for name in _REFERENCES if any(verdict.distance(name) for verdict in self.verdicts)]
        rows: List[Tuple[str, ...]] = [("engine", "settings", "results", "differs by", "largest", "relative L2",
                                        *(_REFERENCES[name] for name in references))]
        for verdict in self.verdicts:
            differing = [axis for axis in verdict.axes if axis.different]
            rows.append((
                verdict.name, str(len(verdict.ran)), str(verdict.results) if verdict.ran else "",
                (", ".join(axis.name for axis in differing) or "nothing") if verdict.ran else "does not run",
                _number(max((axis.largest for axis in differing), default=0.0)),
                _number(max((axis.relative for axis in differing), default=0.0)),
                *(_range(verdict.distance(name)) for name in references)))
        return "\n".join([self._inputs(), table(rows), *self._notes()])

    def _inputs(self) -> str:
        arrays = "; ".join(f"{name} {array.dtype} {'x'.join(map(str, array.shape)) or 'scalar'}"
                           for name, array in self.sample.items())
        origin = "" if self.seed is None else f", random of seed {self.seed}"
        batch = "" if self.rows is None else f"; {self.rows.count} rows of '{self.rows.dim}'"
        return f"{self.model}: {arrays}{origin}{batch}"

    def _notes(self) -> List[str]:
        notes = []
        for verdict in self.verdicts:
            notes += [f"{verdict.name} differs by {axis.name} in {axis.different} of {axis.pairs} pairs, first "
                      f"{axis.example}; the largest difference is {_number(axis.largest)}"
                      for axis in verdict.axes if axis.different]
            for reason in dict.fromkeys(failure.reason for failure in verdict.failures):
                failed = [failure for failure in verdict.failures if failure.reason == reason]
                notes.append(f"{verdict.name} does not run the model with {len(failed)} settings, first "
                             f"{describe(failed[0].setting)}: {reason}")
        if self.no_rows:
            notes.append(f"no rows of a batch are compared: {self.no_rows}")
        if self.no_float64:
            notes.append(f"no distance to float64: {self.no_float64}")
        return notes

    def to_json(self) -> Dict[str, Any]:
        """Numbers that are infinite are null."""
        return {
            "model": self.model,
            "inputs": {name: {"dtype": str(array.dtype), "shape": list(array.shape)}
                       for name, array in self.sample.items()},
            "seed": self.seed,
            "batch": None if self.rows is None else {"dimension": self.rows.dim, "rows": self.rows.count},
            "no_batch": self.no_rows, "no_float64": self.no_float64,
            "agrees": self.verdicts[0].agrees,
            "engines": [_engine(verdict) for verdict in self.verdicts],
        }


def _engine(verdict: Verdict) -> Dict[str, Any]:
    return {
        "name": verdict.name, "results": verdict.results, "agrees": verdict.agrees,
        "axes": [_axis(axis) for axis in verdict.axes],
        "settings": [{**ran.setting, "sha256": ran.digest,
                      "distances": {reference: {name: finite(value) for name, value in outputs.items()}
                                    for reference, outputs in ran.distances.items()}} for ran in verdict.ran],
        "failures": [{**failure.setting, "reason": failure.reason} for failure in verdict.failures],
    }


def _axis(axis: Axis) -> Dict[str, Any]:
    return {"name": axis.name, "pairs": axis.pairs, "different": axis.different, "largest": finite(axis.largest),
            "relative": finite(axis.relative), "example": axis.example}


def _number(value: float) -> str:
    return f"{value:.2g}"


def _range(distance: Optional[Tuple[float, float]]) -> str:
    if distance is None:
        return ""
    least, greatest = map(_number, distance)
    return least if least == greatest else f"{least} .. {greatest}"
