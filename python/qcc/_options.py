# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of options that several commands take. Each function raises argparse.ArgumentTypeError."""

from __future__ import annotations

import argparse
from typing import Tuple


def pair(text: str, separator: str, form: str) -> Tuple[str, str]:
    """The parts before and after the last `separator`, neither of which may be empty; `form` says so in messages."""
    name, found, value = text.rpartition(separator)
    if not found or not name or not value:
        raise argparse.ArgumentTypeError(f"'{text}' must be {form}")
    return name, value


def dimension(text: str) -> Tuple[str, int]:
    """The name and size of NAME=N."""
    name, value = pair(text, "=", "NAME=N")
    if not value.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' must be NAME=N")
    return name, int(value)
