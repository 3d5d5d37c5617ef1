# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a deployment from Python, with qcc's errors."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any, Iterator, Optional

import ray

from .._types import Results
from ..errors import CancelledError, Error, InternalError, InvalidArgumentError, UnsupportedError
from ..serve import DeadlineError, QueueFullError

#: How long to wait before a request is sent again, in seconds; twice as long each time.
_FIRST_PAUSE = 0.05


def need_serve() -> Any:
    """The module ray.serve; raises UnsupportedError with the command that installs it."""
    try:
        from ray import serve
    except ImportError as error:
        raise UnsupportedError(f"a part of Ray Serve is not installed ({error}); pip install 'ray[serve]'") from None
    return serve


class ReplicaLostError(Error):
    """The replica of a request was lost, and so were the replicas to which the request was sent again."""


class Handle:
    """Calls an application of `qcc.ray.Deployment`.

        infer = qcc.ray.Handle(serve.get_app_handle("classifier"))
        y = infer(x, timeout=0.1)
        y = await infer.run_async(x, timeout=0.1)

    A run changes nothing but its results. So a request whose replica is lost is sent again, to another one. Handles can be
    pickled, and used by several threads.
    """

    def __init__(self, handle: Any, *, retries: int = 3) -> None:
        """
        Args:
            handle: a `ray.serve.handle.DeploymentHandle` of the application.
            retries: how often a request is sent again whose replica was lost.

        Raises:
            InvalidArgumentError: `retries` is negative.
            UnsupportedError: Ray Serve is not installed.
        """
        if retries < 0:
            raise InvalidArgumentError(f"retries is {retries}, but it must be at least 0")
        need_serve()
        self._handle = handle
        self._retries = retries

    def __call__(self, *arrays: Any, timeout: Optional[float] = None, **named: Any) -> Results:
        """The results of a run with these arrays, as a call of the function returns them. It waits for them.

        Args:
            arrays: arrays of numpy by position, of the types and shapes of the program.
            timeout: the most seconds, in which the request waits and runs; None is no limit of the caller.
            named: arrays by the names of arguments. An argument with the name `timeout` is given by position.

        Raises:
            InvalidArgumentError: an array does not fit to the program, or `timeout` is not positive.
            QueueFullError: too many requests wait; `retry_after` says after how many seconds to try again.
            DeadlineError: the time has passed. The request is given up.
            ReplicaLostError: the replica was lost, also after `retries` times.
            What a call of the function raises.
        """
        attempt = _Attempts(timeout, self._retries)
        for left in attempt:
            try:
                response = self._handle.infer.remote(*arrays, timeout=left, named=named or None)
                try:
                    return response.result(timeout_s=left)
                except TimeoutError:
                    response.cancel()
                    raise attempt.too_late() from None
            except Exception as error:
                time.sleep(attempt.failed(error))
        raise AssertionError("the loop ends by a result or an error")

    async def run_async(self, *arrays: Any, timeout: Optional[float] = None, **named: Any) -> Results:
        """The same in an event loop, which goes on meanwhile. A task that is cancelled gives its request up."""
        attempt = _Attempts(timeout, self._retries)
        for left in attempt:
            try:
                response = self._handle.infer.remote(*arrays, timeout=left, named=named or None)
                try:
                    return await asyncio.wait_for(_wait(response), left)
                except asyncio.TimeoutError:
                    response.cancel()
                    raise attempt.too_late() from None
                except asyncio.CancelledError:
                    response.cancel()
                    raise
            except Exception as error:
                await asyncio.sleep(attempt.failed(error))
        raise AssertionError("the loop ends by a result or an error")


async def _wait(response: Any) -> Any:
    return await response


class _Attempts:
    """How often and how long a request is sent. Iterating gives the seconds that are left, or None."""

    def __init__(self, timeout: Optional[float], retries: int) -> None:
        if timeout is not None and not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout}, but it must be positive; None is no limit")
        self._since = time.monotonic()
        self._end = math.inf if timeout is None else self._since + timeout
        self._retries = retries
        self._pause = _FIRST_PAUSE

    def __iter__(self) -> Iterator[Optional[float]]:
        while True:
            if self._end == math.inf:
                yield None
                continue
            left = self._end - time.monotonic()
            if left <= 0:
                raise self.too_late()
            yield left

    def too_late(self) -> DeadlineError:
        return DeadlineError(f"the time of the request passed after {time.monotonic() - self._since:.3f} seconds; give it "
                             "more time, or send less")

    def failed(self, error: Exception) -> float:
        """How long to wait before the request is sent again. Raises qcc's error where there is no point in that."""
        if not _is_lost(error):
            raise _own(error) from None
        if self._retries == 0:
            raise ReplicaLostError(f"the replica of the request was lost ({_summary(error)}); send the request again, or allow "
                                   "more retries") from None
        self._retries -= 1
        pause, self._pause = self._pause, 2 * self._pause
        return min(pause, max(0.0, self._end - time.monotonic()))


def _is_lost(error: Exception) -> bool:
    """Whether a process or a node has ended, so that the request may succeed elsewhere."""
    exceptions = ray.exceptions
    return isinstance(error, (exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.NodeDiedError,
                              exceptions.ObjectLostError)) or type(error).__name__ == "ReplicaUnavailableError"


def _own(error: Exception) -> Exception:
    """The error of qcc that a replica has raised, or that says what Ray has raised."""
    from ray.serve.exceptions import BackPressureError

    if isinstance(error, ray.exceptions.RayTaskError):
        cause = error.cause
        if isinstance(cause, Error):
            return cause
        return InternalError(f"a replica failed: {_summary(cause or error)}; its log has the reason. Please report this")
    if isinstance(error, Error):
        return error
    if isinstance(error, BackPressureError):
        return QueueFullError(f"too many requests wait for the replicas ({_summary(error)}); try again later", 1)
    if isinstance(error, ray.exceptions.TaskCancelledError):
        return CancelledError("the request was cancelled")
    return UnsupportedError(f"the request cannot be sent to the deployment ({_summary(error)}); serve.status() says how it is")


def _summary(error: BaseException) -> str:
    """The first line of the text of an error, after its class."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
