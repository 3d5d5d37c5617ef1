# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m qcc: the commands of the package."""

from __future__ import annotations

import sys
from typing import List, Optional

from ._exit_codes import FAILED
from .errors import Error


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs a command; returns its exit code. All commands need numpy and the libraries of qcc."""
    try:
        from . import _commands
    except ModuleNotFoundError as error:
        message = f"python -m qcc needs the package {error.name}; run pip install {error.name}"
    except Error as error:
        message = str(error)
    else:
        return _commands.main(arguments)
    print(f"qcc: error: {message}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
