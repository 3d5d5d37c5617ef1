# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a quantization as a page of HTML, which needs no other file."""

from __future__ import annotations

import html
import math
from typing import List, Optional, Sequence

from ._report import Layer, Report, count_of, decibels, number, relative, saved
from ._search import Choice

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .25em .6em; text-align: left; border-bottom: 1px solid #ddd; }
th { position: sticky; top: 0; background: #fff; } .n { text-align: right; }
.float32 td { background: #fff6e0; }
.warning { background: #b00020; color: #fff; padding: .6em 1em; font-weight: bold; }
.bar { display: inline-block; height: .7em; background: #4a7fb5; vertical-align: middle; }
svg text { font: 12px system-ui, sans-serif; fill: #555; }
"""

_HEADS = ("layer", "op", "products", "relative L2", "signal/noise", "alone", "before µs", "after µs", "saved µs", "")


def _cell(text: str, is_number: bool = False) -> str:
    return f"<td{' class=n' if is_number else ''}>{html.escape(text)}</td>"


def _row(layer: Layer, largest: float) -> str:
    error = relative(layer.distance)
    share = min(1.0, error / largest) if error is not None and largest and math.isfinite(error) else 0.0
    generic = f"generic loops: {layer.generic}" if layer.generic else ""
    reasons = "; ".join(reason for reason in (layer.reason, generic) if reason)
    name = f"{layer.name} ({reasons})" if reasons else layer.name
    cells = [_cell(name), _cell(layer.op), _cell(layer.precision)]
    cells += [_cell(text, True) for text in (
        number(error, ".3g"), decibels(layer.distance), number(layer.alone, ".3g"), number(layer.before, ".1f"),
        number(layer.after, ".1f"), number(saved(layer), ".1f"))]
    cells.append(f'<td><span class=bar style="width:{100 * share:.0f}px"></span></td>')
    return f"<tr class='{html.escape(layer.precision)}'>{''.join(cells)}</tr>"


def _table(layers: Sequence[Layer]) -> str:
    errors = [relative(layer.distance) or 0.0 for layer in layers]
    largest = max((error for error in errors if math.isfinite(error)), default=0.0)
    heads = "".join(f"<th{' class=n' if index > 2 else ''}>{head}</th>" for index, head in enumerate(_HEADS))
    return f"<table><tr>{heads}</tr>{''.join(_row(layer, largest) for layer in layers)}</table>"


_WIDTH, _HEIGHT, _MARGIN = 760, 320, 60


def _position(value: float, values: Sequence[float], size: int) -> float:
    low, high = min(values), max(values)
    return _MARGIN + (size - 2 * _MARGIN) * ((value - low) / (high - low) if high > low else 0.5)


def _plot(choices: Sequence[Choice]) -> str:
    """Error over time; the choices that no other is better than are joined."""
    times, errors = [choice.microseconds for choice in choices], [choice.error for choice in choices]

    def at(choice: Choice) -> str:
        x, y = _position(choice.microseconds, times, _WIDTH), _HEIGHT - _position(choice.error, errors, _HEIGHT)
        return f"{x:.1f},{y:.1f}"

    parts: List[str] = []
    front = sorted((choice for choice in choices if choice.on_front), key=lambda choice: choice.microseconds)
    parts.append(f'<polyline fill="none" stroke="#4a7fb5" points="{" ".join(map(at, front))}"/>')
    for choice in choices:
        x, y = at(choice).split(",")
        last = f", last {choice.layer}" if choice.layer else ""
        values = f"{choice.microseconds:.1f} µs, error {choice.error:.3g}"
        title = f"{count_of(choice.floats, 'layer')} in float32{last}: {values}"
        fill = "#4a7fb5" if choice.on_front else "#ccc"
        parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{fill}"><title>{html.escape(title)}</title></circle>')
    bottom, right = _HEIGHT - _MARGIN // 3, _WIDTH - _MARGIN
    parts.append(f'<text x="{_MARGIN}" y="{bottom}">{min(times):.1f} µs</text>')
    parts.append(f'<text x="{right}" y="{bottom}" text-anchor="end">{max(times):.1f} µs</text>')
    parts.append(f'<text x="4" y="{_HEIGHT - _MARGIN}">{min(errors):.2g}</text>')
    parts.append(f'<text x="4" y="{_MARGIN}">{max(errors):.2g}</text>')
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{"".join(parts)}</svg>'


def page(report: Report) -> str:
    """The page."""
    title = html.escape(f"{report.model} quantized by {report.engine}")
    warning: Optional[str] = ("<p class=warning>Calibrated on random data: the accuracy of this model is worthless.</p>"
                              if report.random else "")
    summary = "".join(f"<li>{html.escape(line.strip())}</li>" for line in report.summary())
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8>",
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>{warning}",
        f"<p>Calibrated on {html.escape(report.data)}, {count_of(report.samples, 'sample')}.</p><ul>{summary}</ul>",
        "<h2>Layers that may multiply int8</h2>",
        "<p><i>Relative L2</i> and <i>signal/noise</i> compare the value of the layer in both models, after all "
        "layers before it. <i>Alone</i> is the relative error of the outputs if only this layer is quantized.</p>",
        _table(report.contractions)]
    if len(report.choices) > 1:
        parts.append("<h2>Error and time</h2><p>Each point has one more layer in float32 than the one before it, in "
                     "the order of error per microsecond saved. Points on the line are on the Pareto front. Errors "
                     "are added as if they were independent.</p>" + _plot(report.choices))
    parts.append(f"<h2>All nodes</h2>{_table(report.layers)}</body></html>\n")
    return "\n".join(parts)
