# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that may end early, runs that go on by themselves, and the threads of runs."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from typing import Any, Callable, Generator, List, Optional, Sequence, Tuple

from . import _structures as c
from ._library import Handle, OfProcess, runtime
from ._types import Results
from .errors import InvalidArgumentError


class CancelToken(OfProcess):
    """Ends runs that were given it: those under way within some milliseconds, later ones before they begin."""

    def __init__(self) -> None:
        handle = ctypes.c_void_p()
        runtime.check(runtime.functions.qccCancelTokenCreate(ctypes.byref(handle)))
        self._handle = Handle(handle, runtime.functions.qccCancelTokenDestroy)

    def cancel(self) -> None:
        """Any thread may call this, at any time."""
        runtime.functions.qccCancelTokenCancel(self._handle.value)

    def reset(self) -> None:
        """Lets later runs go on."""
        runtime.functions.qccCancelTokenReset(self._handle.value)

    @property
    def cancelled(self) -> bool:
        return bool(runtime.functions.qccCancelTokenIsCancelled(self._handle.value))


class ThreadPool:
    """Threads that functions share: the runs of these follow one another.

    A pool without `cpus` is pickled as its number of threads. A copy of a pool is the pool itself.
    """

    def __init__(self, threads: int = 0, *, cpus: Optional[Sequence[int]] = None) -> None:
        """
        Args:
            threads: how many, the thread that calls among them; 0 is one for each of `cpus`, or without them for each
                CPU that the process may keep busy.
            cpus: the numbers of the CPUs that the threads run on, each on one of them; None is any.

        Raises:
            InvalidArgumentError: a number is negative, or there is no such CPU.
        """
        options = c.ThreadPoolOptions()
        options.threads = threads
        if cpus is not None:
            numbers = (ctypes.c_int32 * len(cpus))(*cpus)
            options.cpus, options.num_cpus = numbers, len(cpus)
        handle = ctypes.c_void_p()
        runtime.check(runtime.functions.qccThreadPoolCreateWithOptions(options, ctypes.byref(handle)))
        self.handle = Handle(handle, runtime.functions.qccThreadPoolDestroy)
        self._asked = threads
        self._has_cpus = cpus is not None

    def __copy__(self) -> "ThreadPool":
        return self

    def __deepcopy__(self, memo: Any) -> "ThreadPool":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._has_cpus:
            raise TypeError("a ThreadPool with cpus cannot be pickled: the numbers of CPUs are those of this machine; "
                            "make the pool where it is needed")
        return ThreadPool, (self._asked,)

    @property
    def threads(self) -> int:
        """How many threads it has, the one that calls among them."""
        return int(runtime.functions.qccThreadPoolGetNumThreads(self.handle.value))


def set_default_pool(pool: Optional[ThreadPool]) -> None:
    """Makes a pool the one of the process, for functions that are made from now on without a number of threads.

    Args:
        pool: the pool; None is one thread for each CPU, as it was at first.
    """
    runtime.functions.qccThreadPoolSetDefault(pool.handle.value if pool is not None else None)


def run_options(timeout: Optional[float], cancel: Optional[CancelToken]) -> c.RunOptions:
    """What holds for one run. The token must live as long as the options."""
    options = c.RunOptions()
    if timeout is not None:
        if not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout}, but it must be positive; None is no limit")
        # Longer than this no process lives.
        options.timeout_nanoseconds = math.ceil(min(timeout, 1e9) * 1e9)
    if cancel is not None:
        options.cancel = cancel._handle.value
    return options


class Run(OfProcess):
    """A run that `Function.start` has started. It can be awaited.

    The memory of arguments and results belongs to the run until it has ended. An object that is given up waits for its
    run.
    """

    def __init__(self, handle: ctypes.c_void_p, token: CancelToken, results: List[Any], held: List[Any],
                 give_back: Callable[[], None]) -> None:
        self._handle = Handle(handle, runtime.functions.qccRunDestroy)
        self._token = token
        self._results = results
        self._held = held  # What the run uses.
        self._give_back: Optional[Callable[[], None]] = give_back
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Whether the run has ended, in whatever way."""
        return bool(runtime.functions.qccRunWaitFor(self._handle.value, 0))

    def cancel(self) -> None:
        """Ends the run soon, and others that were given the same token."""
        self._token.cancel()

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits for the end of the run, `timeout` seconds at most; returns whether it has ended."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            # Not longer at once: signals are handled in between.
            left = max(0.0, min(end - time.monotonic(), 0.1))
            if runtime.functions.qccRunWaitFor(self._handle.value, math.ceil(left * 1e9)):
                self._release()
                return True
            if time.monotonic() >= end:
                return False

    def result(self, timeout: Optional[float] = None) -> Results:
        """Waits for the end of the run, and returns what a call of the function returns.

        Args:
            timeout: how many seconds to wait at most. The run goes on after that.

        Raises:
            TimeoutError: the run has not ended.
            What a call raises.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"the run has not ended within {timeout} seconds; wait again, or cancel it")
        runtime.check(runtime.functions.qccRunWait(self._handle.value))
        return unpack(self._results)

    def _release(self) -> None:
        """Gives back what the run used, once it has ended."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
            self._held = []
        if give_back is not None:
            give_back()

    def __await__(self) -> Generator[Any, None, Any]:
        import asyncio

        return asyncio.get_running_loop().run_in_executor(None, self.result).__await__()

    def __del__(self) -> None:
        if getattr(self, "_give_back", None) is not None:
            self.wait()


def unpack(results: List[Any]) -> Any:
    """The result, or a tuple of the results where there is not exactly one."""
    return results[0] if len(results) == 1 else tuple(results)
