# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a quantization as a page of HTML, which needs no other file."""

from __future__ import annotations

from .._pages import page_of
from ._report import Report


def page(report: Report) -> str:
    """The page."""
    return page_of("quantize.js", report.to_json())
