# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the cost model of qcc expects of layers, and which rounding pays by it."""

from __future__ import annotations

import math
from typing import Any, Dict, Mapping, Sequence, Set

from .._compile import explain
from .._explanation import Explanation
from ._graph import sort_nodes
from ._placement import remove_needless, roundings_in_kernels, round_concatenations, share_zero_points

#: A rounding that only costs accuracy stays if the expected time of its layer falls to this share.
_LEAST_GAIN = 0.75


def expected_times(explanation: Explanation) -> Dict[str, float]:
    """The microseconds that the cost model expects of each layer; a layer with a step of unknown time is left out."""
    layers: Dict[str, float] = {}
    for step in explanation.steps:
        seconds = math.nan if step.expected_seconds is None else step.expected_seconds
        layers[step.layer] = layers.get(step.layer, 0.0) + seconds * 1e6
    return {layer: time for layer, time in layers.items() if not math.isnan(time)}


def place_rounding(model: Any, shapes: Mapping[str, Sequence[int]]) -> Any:
    """A copy of a quantized model that rounds where qcc gains by it.

    Rounding between the ops of a kernel costs accuracy. It pays only before an activation that is slow to compute: a kernel
    looks up the activation of a byte in a table. The cost model prices both forms of each layer.
    """
    candidates = roundings_in_kernels(model)
    lean = _placed(model, set())
    if not candidates:
        return lean
    slow, fast = (expected_times(explain(form.SerializeToString(), shapes=shapes))
                  for form in (lean, _placed(model, set(candidates))))
    kept = {value for value, layer in candidates.items()
            if fast.get(layer, math.inf) <= _LEAST_GAIN * slow.get(layer, 0.0)}
    return _placed(model, kept) if kept else lean


def _placed(model: Any, kept: Set[str]) -> Any:
    copy = type(model)()
    copy.CopyFrom(model)
    remove_needless(copy, kept)
    share_zero_points(copy)
    round_concatenations(copy)
    sort_nodes(copy)
    return copy
