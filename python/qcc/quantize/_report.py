# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a quantization, as a table and as JSON."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._json import finite
from .._table import table
from ._graph import CONTRACTIONS
from ._measure import Distance, Times
from ._search import Choice, Found


@dataclasses.dataclass(frozen=True)
class Layer:
    """A node of the float model, and what became of it."""

    name: str
    op: str
    precision: str  #: of the products: "int8" or "float32"; "" of nodes that are no contractions
    reason: str  #: why a contraction is in float32
    generic: str  #: why generic loops compute a contraction; "" if a kernel does
    distance: Optional[Distance]  #: of its value; None if the models have no value in common
    alone: Optional[float]  #: relative error of the outputs if this layer alone is quantized
    before: Optional[float]  #: measured microseconds in float32
    after: Optional[float]
    saved: Optional[float]  #: microseconds that quantizing the layer saves
    is_expected: bool  #: whether `saved` is what the cost model expects; otherwise it is measured


@dataclasses.dataclass(frozen=True)
class Report:
    """All that is known of a quantization."""

    model: str
    output: str
    engine: str
    weight_bits: int
    data: str
    samples: int
    random: bool
    shapes: Mapping[str, Sequence[int]]  #: for which the times hold
    layers: Tuple[Layer, ...]
    outputs: Mapping[str, Distance]  #: by name, as qcc runs the two models
    times: Times
    bytes_before: int
    bytes_after: int
    choices: Tuple[Choice, ...]
    found: Optional[Found]  #: of --max-drop
    unwanted: Tuple[str, ...]  #: steps of the kinds of --fail-on

    @property
    def contractions(self) -> List[Layer]:
        return [layer for layer in self.layers if layer.op in CONTRACTIONS]

    def summary(self) -> List[str]:
        """Sentences about the whole model."""
        contractions = self.contractions
        floats = [layer for layer in contractions if layer.precision != "int8"]
        of_bits = "" if self.weight_bits == 8 else f", with weights of {self.weight_bits} bits"
        lines = [f"{len(contractions) - len(floats)} of {len(contractions)} contractions multiply int8{of_bits}"]
        lines += [f"  {layer.name} ({layer.op}) stays in float32: {layer.reason}" for layer in floats]
        lines += [f"  {layer.name} ({layer.op}) is computed by generic loops: {layer.generic}" for layer in contractions
                  if layer.generic]
        for name, distance in self.outputs.items():
            lines.append(f"output {name}: relative error {distance.relative:.3g}, signal/noise {decibels(distance)}")
        sizes = "; ".join(f"{name} {'x'.join(map(str, shape)) or 'scalar'}" for name, shape in self.shapes.items())
        lines.append(f"time on one thread: {self.times.before:.1f} us in float32, {self.times.after:.1f} us quantized, "
                     f"{self.times.before / self.times.after:.2f} times as fast ({sizes})")
        if self.times.after >= self.times.before:
            lines.append("  int8 saves no time on this machine; processors with VNNI gain most, and large layers")
        lines.append(f"size: {self.bytes_before / 1e6:.2f} MB, quantized {self.bytes_after / 1e6:.2f} MB")
        if self.found is not None:
            found = self.found
            lines.append(f"accuracy: {found.before:.6g} in float32, {found.accuracy:.6g} quantized, at least "
                         f"{found.least:.6g} is asked for; {count_of(len(found.floats), 'layer')} went back to "
                         f"float32 in {count_of(len(found.trials), 'evaluation')}")
        if self.random:
            lines.append("CALIBRATED ON RANDOM DATA: times hold, but the accuracy of the model is worthless")
        return lines

    def __str__(self) -> str:
        rows: List[Tuple[str, ...]] = [
            ("layer", "op", "products", "relative L2", "signal/noise", "alone", "before us", "after us", "saved us", "saved is")]
        for layer in self.contractions:
            rows.append((layer.name, layer.op, layer.precision, number(relative(layer.distance), ".3g"),
                         decibels(layer.distance), number(layer.alone, ".3g"), number(layer.before, ".1f"),
                         number(layer.after, ".1f"), number(layer.saved, ".1f"), source_of(layer)))
        return "\n".join([table(rows), "", *self.summary()])

    def to_json(self) -> Dict[str, Any]:
        """Numbers that are infinite or unknown are null."""
        found = None
        if self.found is not None:
            found = {"accuracy_float32": self.found.before, "accuracy": self.found.accuracy,
                     "least_accuracy": self.found.least, "accepted": self.found.accepted,
                     "floats": list(self.found.floats),
                     "trials": [{"floats": list(trial.floats), "accuracy": trial.accuracy, "accepted": trial.accepted}
                                for trial in self.found.trials]}
        return {
            "model": self.model, "output": self.output, "engine": self.engine,
            "weight_bits": self.weight_bits, "data": self.data,
            "samples": self.samples, "random_data": self.random,
            "shapes": {name: list(shape) for name, shape in self.shapes.items()},
            "microseconds_float32": self.times.before, "microseconds": self.times.after,
            "bytes_float32": self.bytes_before, "bytes": self.bytes_after,
            "outputs": {name: _numbers(distance) for name, distance in self.outputs.items()},
            "layers": [{"name": layer.name, "op": layer.op, "products": layer.precision, "reason": layer.reason,
                        "generic": layer.generic, **_numbers(layer.distance), "relative_error_alone": finite(layer.alone),
                        "microseconds_float32": layer.before, "microseconds": layer.after,
                        "microseconds_saved": layer.saved, "saved_is_expected": layer.is_expected} for layer in self.layers],
            "choices": [{"layer": choice.layer, "floats": choice.floats, "relative_error": finite(choice.error),
                         "microseconds": choice.microseconds, "on_front": choice.on_front} for choice in self.choices],
            "search": found, "unwanted": list(self.unwanted),
        }


def relative(distance: Optional[Distance]) -> Optional[float]:
    return None if distance is None else distance.relative


def count_of(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def decibels(distance: Optional[Distance]) -> str:
    if distance is None:
        return ""
    return "exact" if math.isinf(distance.decibels) and not distance.noise else f"{distance.decibels:.1f} dB"


def number(value: Optional[float], form: str) -> str:
    return "" if value is None else format(value, form)


def source_of(layer: Layer) -> str:
    """Where the microseconds that a layer saves are from."""
    return "" if layer.saved is None else "expected" if layer.is_expected else "measured"


def _numbers(distance: Optional[Distance]) -> Dict[str, Optional[float]]:
    return {"relative_error": finite(relative(distance)),
            "signal_to_noise_db": None if distance is None else finite(distance.decibels)}
