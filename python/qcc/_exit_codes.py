# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exit codes of qcc (tools/common/ExitCodes.h), with which python -m qcc ends too."""

from __future__ import annotations

from .errors import CorruptArtifactError, InvalidArgumentError, InvalidProgramError, NotFoundError, UntrustedError

SUCCESS, DIFFERS, USAGE, REJECTED, FAILED = range(5)

#: A file is missing, damaged or not accepted, or it lacks what the command line names.
_REJECTIONS = (InvalidArgumentError, NotFoundError, CorruptArtifactError, InvalidProgramError, UntrustedError, FileNotFoundError)


def code_of(error: Exception) -> int:
    """The exit code of a command that fails after its command line was accepted."""
    return REJECTED if isinstance(error, _REJECTIONS) else FAILED
