# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of qcc raise: one class for each code of qcc-c/Status.h."""

from __future__ import annotations

import dataclasses
from typing import Dict, Sequence, Tuple, Type

__all__ = [
    "BusyError", "CancelledError", "CompileWarning", "CorruptArtifactError", "Diagnostic", "Error",
    "InternalError", "InvalidArgumentError", "InvalidProgramError", "KernelFailedError", "KilledError",
    "NotFoundError", "OutOfMemoryError", "SystemCallError", "TimedOutError", "UnsupportedError", "UntrustedError",
]


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """What the compiler says about one place of a program."""

    severity: str  #: "error", "warning", "remark" or "note"
    file: str  #: "" where it is not known
    line: int  #: from 1; 0 where it is not known
    column: int
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.severity}: {self.message}"


class CompileWarning(UserWarning):
    """A warning of the compiler, issued where the caller of `qcc.compile` gave no `on_diagnostic`."""


class Error(RuntimeError):
    """A call of qcc failed. The text says what is wrong, why, and what to do about it."""


class InvalidArgumentError(Error, ValueError):
    """The caller handed over something wrong: a shape, an element type, an option."""


class UnsupportedError(Error):
    """This host, this version of qcc or this installation cannot do it."""


class NotFoundError(Error, LookupError):
    """There is no such file, function or tensor."""


class SystemCallError(Error):
    """The operating system refused to read or write."""


class CorruptArtifactError(Error):
    """An artifact contradicts its own format."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""


class BusyError(Error):
    """A context is in use by another thread."""


class CancelledError(Error):
    """A run was cancelled."""


class KernelFailedError(Error):
    """A step of the program reported a failure, such as shapes that it cannot run with."""


class TimedOutError(Error):
    """A run took longer than its time limit."""


class KilledError(Error):
    """A signal from outside ended the process that compiled: somebody sent it, or the kernel did for want of memory."""


class UntrustedError(Error):
    """An artifact lacks the signature that the caller asks for."""


class InternalError(Error):
    """A bug in qcc."""


class InvalidProgramError(Error):
    """The compiler rejected the program.

    `diagnostics` has all that the compiler said, in order, with places; the error's text has the errors.
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)


#: The class for each qccStatusCode.
CLASSES: Dict[int, Type[Error]] = {
    1: InvalidArgumentError,
    2: UnsupportedError,
    3: NotFoundError,
    4: SystemCallError,
    5: CorruptArtifactError,
    6: OutOfMemoryError,
    7: BusyError,
    8: CancelledError,
    9: KernelFailedError,
    10: InternalError,
    11: InvalidProgramError,
    12: TimedOutError,
    13: UntrustedError,
    14: KilledError,
}
