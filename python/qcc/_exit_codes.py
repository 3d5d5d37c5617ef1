# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exit codes of qcc (tools/common/ExitCodes.h), with which python -m qcc ends too."""

from __future__ import annotations

import signal
import sys
from typing import Callable

from .errors import (CorruptArtifactError, Error, InvalidArgumentError, InvalidProgramError, NotFoundError,
                     UntrustedError)
from ._options import UsageError

SUCCESS, DIFFERS, USAGE, REJECTED, FAILED = range(5)

#: A file is missing, damaged or not accepted, or it lacks what the command line names.
_REJECTIONS = (InvalidArgumentError, NotFoundError, CorruptArtifactError, InvalidProgramError, UntrustedError, FileNotFoundError)


def code_of(error: Exception) -> int:
    """The exit code of a command that fails after its command line was accepted."""
    return REJECTED if isinstance(error, _REJECTIONS) else FAILED


def run_on_model(command: str, model: str, run: Callable[[], int]) -> int:
    """Runs a command on an ONNX model, and prints why it fails; returns its exit code."""
    try:
        code = run()
        sys.stdout.flush()
        return code
    except UsageError as error:
        code, message = USAGE, str(error)
    except (Error, OSError) as error:
        code, message = code_of(error), str(error)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as error:
        # Of the packages onnx and numpy, on models that they do not take.
        code, reason = REJECTED, " ".join(str(error).split())
        message = f"{command} failed on '{model}' ({type(error).__name__}: {reason}); check the model by " \
                  "onnx.checker.check_model"
    print(f"qcc: error: {message}", file=sys.stderr)
    return code
