# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests in a queue, batches of them, and how they fail."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional, Sequence, Tuple, Type

from ..errors import BusyError, CancelledError, TimedOutError
from ._signature import Array


class QueueFullError(BusyError):
    """The queue is full; `retry_after` is a number of seconds after which it may have room."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def __reduce__(self) -> Tuple[Type["QueueFullError"], Tuple[str, int]]:
        return type(self), (str(self), self.retry_after)


class DeadlineError(TimedOutError):
    """The time of a request passed before it had results."""


class AbandonedError(CancelledError):
    """Nobody waits for the request any more."""


class Item:
    """A request in a batcher. `done` is called with it once, by the event loop."""

    __slots__ = ("arrays", "deadline", "done", "error", "finished", "key", "results", "rows", "since")

    def __init__(self, arrays: Sequence[Array], rows: int, key: Any, since: float, deadline: float,
                 done: Callable[["Item"], None]) -> None:
        self.arrays = arrays
        self.rows = rows
        self.key = key
        self.since = since
        self.deadline = deadline
        self.done = done
        self.finished = False
        self.results: Tuple[Array, ...] = ()
        self.error: Optional[Exception] = None


class Batch:
    """Requests that run together."""

    __slots__ = ("alive", "busy_seconds", "items", "rows", "run_seconds", "started")

    def __init__(self, items: List[Item], rows: int) -> None:
        self.items = items
        self.rows = rows
        self.alive = len(items)  #: requests that still want their results
        self.started = time.monotonic()
        self.run_seconds = 0.0
        self.busy_seconds = 0.0  #: without the time in which other processes had the CPU, where that is known
