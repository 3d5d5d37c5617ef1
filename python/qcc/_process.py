# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the runtime does in this process, for whoever operates it."""

from __future__ import annotations

import atexit
import dataclasses
import logging
from typing import Any, Optional

from . import _structures as c
from ._library import runtime


@dataclasses.dataclass(frozen=True)
class ProcessInfo:
    """What the runtime has done in this process, for all modules, functions and threads.

    Counts of what has happened only grow. Each is read by itself: a run that ends meanwhile may be in one and not yet
    in another.
    """

    runs: int  #: that have ended, in whatever way
    failed_runs: int  #: of these, in another way than success and the next three
    busy_runs: int  #: BusyError
    cancelled_runs: int  #: CancelledError
    timed_out_runs: int  #: TimedOutError
    loads: int  #: of artifacts, those that failed included
    failed_loads: int
    load_nanoseconds: int  #: that all loads took
    device_loads: int  #: modules whose code and weights went to a GPU
    device_load_nanoseconds: int  #: that this took, with the driver's compilation of kernels
    modules: int  #: that are loaded now
    contexts: int  #: what functions have for their calls, now
    runs_under_way: int  #: that were asked for and have not ended
    runs_waiting: int  #: of these, those that wait for the threads of a pool: the depth of its queue


def process_info() -> ProcessInfo:
    """Counters of this process. Any thread may call it."""
    info = c.ProcessInfo()
    runtime.check(runtime.functions.qccGetProcessInfo(info))
    return ProcessInfo(**{field.name: getattr(info, field.name) for field in dataclasses.fields(ProcessInfo)})


#: qccLogLevel by the levels of logging.
_LEVELS = ((logging.ERROR, 0), (logging.WARNING, 1), (logging.INFO, 2), (logging.DEBUG, 3))

#: The functions that the library was given; calls of them may be under way for as long as the process.
_functions: "list[Any]" = []


def _set_handler(handler: Optional[c.LogHandler]) -> None:
    runtime.check(runtime.functions.qccSetLogHandler(handler))


def log_to(logger: Optional[logging.Logger], level: int = logging.WARNING) -> None:
    """Hands what the runtime tells to a logger, in place of the one before.

    Any thread may call this. The logger is called by the thread that something happens in.

    Args:
        logger: the logger; None is nobody.
        level: of the least important records, a level of `logging`: ERROR is failed loads and runs, WARNING runs that
            were busy or timed out, INFO loads and threads, DEBUG each run.
    """
    if logger is None:
        _set_handler(None)
        return
    target = logger

    def handle(context: Any, record: Any) -> None:
        told = record.contents
        target.log(_LEVELS[told.level][0], "%s", (told.message or b"").decode(errors="replace"))

    handler = c.LogHandler()
    handler.handle = c.LogFunction(handle)
    # At least as many records as the logger is to have.
    handler.level = next((ours for theirs, ours in _LEVELS if theirs <= level), 3)
    _functions.append(handler.handle)
    if len(_functions) == 1:
        # Threads of the library may outlive the interpreter.
        atexit.register(_set_handler, None)
    _set_handler(handler)
