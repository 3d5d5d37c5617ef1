# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which layers go back to float32 so that a model keeps its accuracy: those that lose most for the time they save."""

from __future__ import annotations

import dataclasses
import math
import numbers
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..errors import InvalidArgumentError
from ._data import load_script
from ._measure import Compiled, Times

#: Less is noise of the clock.
_LEAST_MICROSECONDS = 0.01


@dataclasses.dataclass(frozen=True)
class Drop:
    """The accuracy that a model may lose."""

    amount: float
    relative: bool  #: to the accuracy of the float model

    def allowed(self, accuracy: float) -> float:
        return self.amount * abs(accuracy) if self.relative else self.amount


def parse_drop(text: str) -> Drop:
    """`0.5%` of the float model's accuracy, or a difference such as `0.005`; raises ValueError."""
    relative = text.endswith("%")
    amount = float(text[:-1]) / 100 if relative else float(text)
    if not 0 <= amount < math.inf:
        raise ValueError(text)
    return Drop(amount, relative)


@dataclasses.dataclass(frozen=True)
class Choice:
    """Some layers in float32, the others quantized: what to expect of the model."""

    layer: str  #: the last one that went back to float32; "" where all are quantized
    floats: int
    error: float  #: relative, of the outputs: the errors of single layers, as if they were independent
    microseconds: float
    on_front: bool = False


def rank(errors: Mapping[str, float], times: Optional[Times]) -> List[str]:
    """Layers in the order in which they go back to float32: by error per microsecond that quantizing saves."""
    def cost(layer: str) -> Tuple[float, float]:
        saved = times.saved(layer) if times is not None else None
        return errors[layer] / max(_LEAST_MICROSECONDS, 1.0 if saved is None else saved), errors[layer]

    return sorted(errors, key=cost, reverse=True)


def choices(ranked: Sequence[str], errors: Mapping[str, float], times: Times) -> List[Choice]:
    """From all layers quantized to none, one layer after the other; marks those that no other is better than."""
    error, time = math.fsum(value ** 2 for value in errors.values()), times.after
    found = [Choice("", 0, math.sqrt(error), time)]
    for count, layer in enumerate(ranked, 1):
        error = math.fsum(errors[name] ** 2 for name in ranked[count:])
        time += times.saved(layer) or 0.0
        found.append(Choice(layer, count, math.sqrt(error), time))
    return [dataclasses.replace(choice, on_front=not any(_is_better(other, choice) for other in found))
            for choice in found]


def _is_better(one: Choice, other: Choice) -> bool:
    no_worse = one.error <= other.error and one.microseconds <= other.microseconds
    return no_worse and (one.error, one.microseconds) != (other.error, other.microseconds)


class Evaluation:
    """A script whose function evaluate(run) returns the accuracy of a model; more is better."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._evaluate = load_script(path, "evaluate", "takes a function that runs the model and returns its accuracy")

    def __call__(self, model: Any) -> float:
        """The accuracy of a model, as qcc runs it.

        Raises:
            InvalidArgumentError: the script fails, or returns no number.
        """
        functions: Dict[Tuple[Tuple[str, Tuple[int, ...]], ...], Compiled] = {}

        def run(sample: Mapping[str, Any]) -> Dict[str, Any]:
            shapes = {name: tuple(array.shape) for name, array in sample.items()}
            key = tuple(sorted(shapes.items()))
            if key not in functions:
                functions[key] = Compiled(model, shapes)
            return functions[key](sample)

        try:
            accuracy = self._evaluate(run)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise InvalidArgumentError(f"evaluate() of '{self._path}' fails ({reason})") from error
        if not isinstance(accuracy, numbers.Real) and not hasattr(accuracy, "__float__"):
            raise InvalidArgumentError(f"evaluate() of '{self._path}' returns {accuracy!r}, which is no number")
        value = float(accuracy)
        if not math.isfinite(value):
            raise InvalidArgumentError(f"evaluate() of '{self._path}' returns {value}, which is no accuracy")
        return value


@dataclasses.dataclass(frozen=True)
class Trial:
    """What was tried."""

    floats: Tuple[str, ...]  #: layers in float32
    accuracy: float
    accepted: bool


@dataclasses.dataclass(frozen=True)
class Found:
    """The result of a search."""

    before: float  #: accuracy of the float model
    least: float  #: the accuracy that is asked for
    trials: Tuple[Trial, ...]
    floats: Tuple[str, ...]  #: layers that went back to float32
    accuracy: float
    accepted: bool  #: False: even with all layers in float32 the accuracy is less


#: Layers that may be quantized again after the search, each of which needs an evaluation.
_MOST_REFINED = 16


def search(before: float, drop: Drop, ranked: Sequence[str], accuracy_with: Callable[[Sequence[str]], float]) -> Found:
    """Finds few layers whose return to float32 keeps the accuracy.

    Layers go back in the order of `ranked`. Bisection finds how many of them must. Then each one, the last first, is
    quantized again if the accuracy allows.

    Args:
        before: the accuracy of the float model.
        drop: what may be lost.
        ranked: layers, by what they lose for the time that they save.
        accuracy_with: evaluates the model with these layers in float32.
    """
    least = before - drop.allowed(before)
    trials: List[Trial] = []

    def try_with(floats: Sequence[str]) -> bool:
        accuracy = accuracy_with(floats)
        trials.append(Trial(tuple(floats), accuracy, accuracy >= least))
        return trials[-1].accepted

    def found(trial: Trial) -> Found:
        return Found(before, least, tuple(trials), trial.floats, trial.accuracy, trial.accepted)

    if try_with(()) or not ranked:
        return found(trials[-1])
    low, high = 0, len(ranked)  # The number of layers that does not suffice, and one that does.
    if not try_with(ranked):
        return found(trials[-1])
    best = trials[-1]
    while high - low > 1:
        middle = (low + high) // 2
        if try_with(ranked[:middle]):
            high, best = middle, trials[-1]
        else:
            low = middle
    # The last one was needed: without it, the accuracy was too low.
    for layer in list(reversed(best.floats[:-1]))[:_MOST_REFINED]:
        if try_with([other for other in best.floats if other != layer]):
            best = trials[-1]
    return found(best)
