# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of options that several commands take: what reads one raises argparse.ArgumentTypeError."""

from __future__ import annotations

import argparse
import math
import os
from typing import Iterable, Optional, Tuple

from ._artifact import is_same_file


class UsageError(Exception):
    """Options that are right on their own do not go together."""


def pair(text: str, separator: str, form: str) -> Tuple[str, str]:
    """The parts before and after the last `separator`, neither of which may be empty; `form` says so in messages."""
    name, found, value = text.rpartition(separator)
    if not found or not name or not value:
        raise argparse.ArgumentTypeError(f"'{text}' must be {form}")
    return name, value


def count(text: str, most: int = 2**31 - 1) -> int:
    """A whole number from 1 on."""
    if not text.isdigit() or not 0 < int(text) <= most:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 1 to {most}")
    return int(text)


def dimension(text: str) -> Tuple[str, int]:
    """The name and size of NAME=N. A size is 1 or more: commands run models on arrays that have elements."""
    name, size = pair(text, "=", "NAME=N")
    try:
        return name, count(size)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"'{text}' must be NAME=N; {error}") from None


def tolerance(text: str) -> float:
    """A finite number that is not negative."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number that is not negative")
    return number


def check_outputs(reads: Iterable[str], writes: Iterable[Optional[str]]) -> None:
    """Checks where a command writes, before the work. None and "-" are no files.

    Raises:
        UsageError: an output is a file that the command reads, or another output.
        OSError: the folder of an output does not exist.
    """
    files = [path for path in writes if path and path != "-"]
    for path in files:
        for read in reads:
            if is_same_file(read, path):
                raise UsageError(f"'{path}' would overwrite '{read}', which is read; name another file")
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise OSError(f"the folder of '{path}' does not exist; create it")
    if len({os.path.abspath(path) for path in files}) < len(files):
        raise UsageError("two outputs have the same name; name another file")
