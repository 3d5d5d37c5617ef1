# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized networks as native code.

    import qcc

    function = qcc.compile("model.mlir").function()
    y = function(x)

`compile` needs the distribution qcc-compiler; everything else is in qcc-runtime. docs/HowTo/Python.md has more.
"""

from typing import TYPE_CHECKING, Any, List

from ._library import runtime as _runtime
from .errors import (BusyError, CancelledError, CompileWarning, CorruptArtifactError, Diagnostic, Error, InternalError,
                     InvalidArgumentError, InvalidProgramError, KernelFailedError, KilledError, NotFoundError, OutOfMemoryError,
                     SystemCallError, TimedOutError, UnsupportedError, UntrustedError)

if TYPE_CHECKING:
    from ._compile import compile, explain
    from ._diff import Diff, ResultDiff, diff
    from ._explanation import ExplainedStep, Explanation
    from ._function import Function, Profile, ProfiledStep
    from ._layers import LayerDiff, ModelDiff, diff_model
    from ._module import Module, load
    from ._process import ProcessInfo, log_to, process_info
    from ._reduce import reduce_model
    from ._runs import CancelToken, Run, ThreadPool, set_default_pool
    from ._types import Quantization, TensorType, Variant

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

#: Of the other names in __all__.
_MODULES = ("_compile", "_diff", "_explanation", "_function", "_layers", "_module", "_process", "_reduce", "_runs", "_types")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Imports the other modules when a name of theirs is used first, and with them numpy: it takes most of the time
        that `import qcc` would take."""
        if name not in __all__ and name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib
        for module in _MODULES:
            found = vars(importlib.import_module(f".{module}", __name__))
            globals().update({public: found[public] for public in __all__ if public in found})
        return globals()[name]

    def __dir__() -> List[str]:
        return sorted({*globals(), *__all__})
