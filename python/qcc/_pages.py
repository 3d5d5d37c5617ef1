# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of HTML that load no other file, made of the files in the folder pages; tools/qcc/Page.cpp makes them too."""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any, Dict

from ._json import finite
from ._layers import LayerDiff, ModelDiff

_FILES = pathlib.Path(__file__).parent / "pages"


def _read(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")


def page_of(script: str, data: Dict[str, Any]) -> str:
    """The page whose script `script` draws `data`."""
    # JSON that no HTML parser takes for the end of its element.
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    before, _, rest = _read("page.html").partition("%STYLE%")
    between, _, rest = rest.partition("%DATA%")
    until_script, _, end = rest.partition("%SCRIPT%")
    return before + _read("page.css") + between + text + until_script + _read("page.js") + _read(script) + end


def _value(layer: LayerDiff, tolerance: float) -> Dict[str, Any]:
    """A value as `qcc diff --json` has it. JSON has no infinite numbers: they are null."""
    value: Dict[str, Any] = {"name": layer.value, "node": layer.node, "op": layer.op, "comparable": layer.result is not None}
    if layer.result is None:
        return {**value, "obstacle": layer.note}
    relative = layer.result.relative
    return {**value, "elements": layer.result.elements, "differing": layer.result.different,
            "largest_error": finite(layer.result.largest), "relative_error": finite(relative),
            "differs": layer.result.different > 0 and relative > tolerance,
            "signal_to_noise_db": -20 * math.log10(relative) if 0 < relative < math.inf else None}


def diff_page(report: ModelDiff, model: str, tolerance: float) -> str:
    """The page of a comparison of `model`: the error of each value as a plot and as a table."""
    first = report.first(tolerance)
    return page_of("diff.js", {
        "a": f"{model} in {report.against}", "b": f"{model} compiled by qcc", "matched_by": "value", "tolerance": tolerance,
        "values": [_value(layer, tolerance) for layer in report.layers], "first_difference": first.value if first else None})
