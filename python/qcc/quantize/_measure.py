# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a quantized model is from the float model, and how fast qcc runs the two."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._compile import compile, explain
from .._explanation import Explanation
from .._packages import need
from ..errors import Error, InvalidArgumentError, UnsupportedError
from ._data import Data, Sample
from ._graph import float_values, layers_of, show_values
from ._placement import quantized_layers, with_float_layers
from ._prices import expected_times


@dataclasses.dataclass
class Distance:
    """Sums of squares over all samples."""

    signal: float = 0.0
    noise: float = 0.0

    def add(self, expected: Any, actual: Any) -> None:
        a, b = np.asarray(expected, np.float64), np.asarray(actual, np.float64)
        self.signal += float(np.square(a).sum())
        self.noise += float(np.square(a - b).sum())

    @property
    def relative(self) -> float:
        """The norm of the error over the norm of the expected value."""
        if not self.noise:
            return 0.0
        return math.sqrt(self.noise / self.signal) if self.signal else math.inf

    @property
    def decibels(self) -> float:
        """The ratio of signal to noise; infinite if nothing differs."""
        return -20 * math.log10(self.relative) if self.relative else math.inf


class Runner:
    """Runs a model by ONNX Runtime without its optimizations, so that each node computes what ONNX says."""

    def __init__(self, model: Any) -> None:
        ort = need("onnxruntime")
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise UnsupportedError(f"ONNX Runtime cannot run the model: {' '.join(str(error).split())}") from error
        self.names: List[str] = [value.name for value in self._session.get_outputs()]

    def __call__(self, sample: Sample) -> Dict[str, Any]:
        try:
            return dict(zip(self.names, self._session.run(None, sample)))
        except Exception as error:
            raise InvalidArgumentError(f"ONNX Runtime cannot run a sample: {' '.join(str(error).split())}") from error


def compare_values(reference: Any, quantized: Any, data: Data) -> Dict[str, Distance]:
    """The distance of each value that both models compute, by its name."""
    in_both = set(float_values(quantized))
    names = [name for name in float_values(reference) if name in in_both]
    expected_of, actual_of = Runner(show_values(reference, names)), Runner(show_values(quantized, names))
    distances: Dict[str, Distance] = {}
    for sample in data:
        expected, actual = expected_of(sample), actual_of(sample)
        for name in names:
            value = expected[name]
            if value is not None and getattr(value, "dtype", np.dtype(bool)).kind == "f":
                distances.setdefault(name, Distance()).add(value, actual[name])
    return distances


def sensitivities(reference: Any, quantized: Any, data: Data) -> Dict[str, float]:
    """How far the outputs are from the float model's if one layer alone is quantized: the relative error by layer."""
    layers, run = quantized_layers(quantized), Runner(reference)
    expected = [(sample, run(sample)) for sample in data]
    found = {}
    for layer in layers:
        run = Runner(with_float_layers(quantized, reference, [other for other in layers if other != layer]))
        found[layer] = distance_of(expected, run).relative
    return found


def distance_of(expected: Sequence[Tuple[Sample, Mapping[str, Any]]], run: Any) -> Distance:
    """The distance of all outputs together; each output counts by its own norm."""
    by_output: Dict[str, Distance] = {}
    for sample, outputs in expected:
        actual = run(sample)
        for name, value in outputs.items():
            if value.dtype.kind == "f":
                by_output.setdefault(name, Distance()).add(value, actual[name])
    total = Distance()
    for distance in by_output.values():
        total.signal += 1.0
        total.noise += distance.relative ** 2
    return total


class Compiled:
    """A model that qcc compiled."""

    def __init__(self, model: Any, shapes: Optional[Mapping[str, Sequence[int]]] = None,
                 dims: Optional[Mapping[str, int]] = None) -> None:
        function = compile(model.SerializeToString(), shapes=shapes, dims=dims).function(threads=1)
        self._function = function
        self._explain: Callable[[], Explanation] = lambda: explain(model.SerializeToString(), shapes=shapes, dims=dims)
        self._outputs = [value.name for value in model.graph.output]

    def __call__(self, sample: Mapping[str, Any]) -> Dict[str, Any]:
        results = self._function(*self._arrays(sample))
        return dict(zip(self._outputs, results if isinstance(results, tuple) else (results,)))

    @functools.cached_property
    def explanation(self) -> Explanation:
        """What the compiler says of the program."""
        return self._explain()

    def _arrays(self, sample: Mapping[str, Any]) -> List[Any]:
        return [np.asarray(sample[argument.name], order="C") for argument in self._function.arguments]

    def times(self, sample: Mapping[str, Any], runs: int) -> Tuple[float, Dict[str, float]]:
        """Microseconds of a run, and of each layer in it."""
        profile = self._function.profile(*self._arrays(sample), runs=runs)
        layers: Dict[str, float] = {}
        for step in profile.steps:
            layers[step.layer] = layers.get(step.layer, 0.0) + step.nanoseconds / 1e3
        return profile.nanoseconds / 1e3, layers


@dataclasses.dataclass(frozen=True)
class Times:
    """Microseconds of two models on one thread: measured ones, and those that qcc's cost model expects of layers."""

    before: float
    after: float
    layers_before: Mapping[str, float]
    layers_after: Mapping[str, float]
    expected_before: Mapping[str, float] = dataclasses.field(default_factory=dict)
    expected_after: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def is_expected(self, layer: str) -> bool:
        """Whether the cost model prices a layer of both models."""
        return layer in self.expected_before and layer in self.expected_after

    def saved(self, layer: str) -> Optional[float]:
        """What quantizing a layer saves, by the cost model. Without an expected time, by measured times; None if one of the
        programs has no step of this name."""
        if self.is_expected(layer):
            return self.expected_before[layer] - self.expected_after[layer]
        if layer not in self.layers_before or layer not in self.layers_after:
            return None
        return self.layers_before[layer] - self.layers_after[layer]


_ROUNDS, _RUNS = 3, 5


def measure_times(reference: Compiled, quantized: Compiled, sample: Sample, is_priced: bool) -> Times:
    """Runs the two in turn, and takes the fastest round of each: others were disturbed.

    Args:
        reference: the float model.
        quantized: the quantized model.
        sample: what they are run on.
        is_priced: whether the cost model is asked for the times of layers, too.
    """
    best = [math.inf, math.inf]
    layers: List[Dict[str, float]] = [{}, {}]
    for _ in range(_ROUNDS):
        for index, function in enumerate((reference, quantized)):
            total, of_layers = function.times(sample, _RUNS)
            best[index] = min(best[index], total)
            for name, time in of_layers.items():
                layers[index][name] = min(layers[index].get(name, math.inf), time)
    expected = [expected_times(of_model.explanation) if is_priced else {} for of_model in (reference, quantized)]
    return Times(best[0], best[1], *layers, *expected)


@dataclasses.dataclass(frozen=True)
class Products:
    """What qcc multiplies in a layer."""

    is_float: bool
    is_generic: bool  #: whether generic loops compute the layer, and no kernel
    reason: str  #: why no kernel computes it, or ""


def products_of(model: Any, explanation: Explanation) -> Dict[str, Products]:
    """What qcc multiplies in each contraction, by the name of its node. If one of several steps multiplies floats, the
    layer does."""
    names = {node.name for node in layers_of(model)}
    found: Dict[str, Products] = {}
    for step in explanation.steps:
        is_integer, is_float = step.work == "integer contraction", step.work == "float contraction"
        if step.layer in names and (is_integer or is_float) and not (step.layer in found and is_integer):
            found[step.layer] = Products(is_float, "generic-contraction" in step.unwanted, step.refused)
    return found


def unwanted_steps(explanation: Explanation, kinds: Sequence[str]) -> List[str]:
    """The steps that are of one of these kinds, each with its layer and the first such kind."""
    found = []
    for step in explanation.steps:
        kind = next((kind for kind in kinds if kind in step.unwanted), None)
        if kind is not None:
            found.append(f"{step.name}{f' ({step.layer})' if step.layer else ''} is {kind}")
    return found


def compile_checked(model: Any, shapes: Mapping[str, Sequence[int]], what: str) -> Compiled:
    """Compiles a model; what qcc raises says which model it is."""
    try:
        return Compiled(model, shapes)
    except Error as error:
        error.args = (f"qcc does not compile {what}: {error}",)
        raise
