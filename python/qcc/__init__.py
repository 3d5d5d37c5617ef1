# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized networks as native code.

    import qcc

    function = qcc.compile("model.mlir").function()
    y = function(x)

`compile` needs the distribution qcc-compiler; everything else is in qcc-runtime. docs/HowTo/Python.md has more.
"""

from ._compile import compile, explain
from ._diff import Diff, ResultDiff, diff
from ._explanation import ExplainedStep, Explanation
from ._function import Function, Profile, ProfiledStep
from ._layers import LayerDiff, ModelDiff, diff_model
from ._library import runtime as _runtime
from ._module import Module, load
from ._process import ProcessInfo, log_to, process_info
from ._reduce import reduce_model
from ._runs import CancelToken, Run, ThreadPool, set_default_pool
from ._types import Quantization, TensorType, Variant
from .errors import (BusyError, CancelledError, CompileWarning, CorruptArtifactError, Diagnostic, Error, InternalError,
                     InvalidArgumentError, InvalidProgramError, KernelFailedError, KilledError, NotFoundError, OutOfMemoryError,
                     SystemCallError, TimedOutError, UnsupportedError, UntrustedError)

__version__: str = _runtime.functions.qccGetVersion().decode()
#: The commit of the sources of the runtime's library, with "+" where they had changes; "" where it is not known.
__revision__: str = _runtime.functions.qccGetRevision().decode()

__all__ = [
    "BusyError", "CancelToken", "CancelledError", "CompileWarning", "CorruptArtifactError", "Diagnostic", "Diff",
    "Error", "ExplainedStep", "Explanation", "Function", "InternalError", "InvalidArgumentError",
    "InvalidProgramError", "KernelFailedError", "KilledError", "LayerDiff", "ModelDiff", "Module", "NotFoundError",
    "OutOfMemoryError", "ProcessInfo", "Profile", "ProfiledStep", "Quantization", "ResultDiff", "Run", "SystemCallError",
    "TensorType", "ThreadPool", "TimedOutError", "UnsupportedError", "UntrustedError", "Variant", "compile", "diff",
    "diff_model", "explain", "load", "log_to", "process_info", "reduce_model", "set_default_pool",
]
