# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of reports in JSON."""

from __future__ import annotations

import math
from typing import Optional


def finite(number: Optional[float]) -> Optional[float]:
    """The number, or None if JSON has no such number: infinities and NaNs."""
    return number if number is not None and math.isfinite(number) else None
