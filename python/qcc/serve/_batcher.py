# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs requests for one function in batches, for an event loop of asyncio.

Runs are on a thread, so that the event loop goes on. The exception is a run that is expected to be short: to hand it to
a thread and back would take longer than the run, because the two threads contend for the interpreter. The runtime does not
say whether data decide how long a program runs. One long run keeps all later runs of its shape on the thread.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .._function import Function
from .._library import OfProcess
from .._runs import CancelToken
from ..errors import CancelledError, Error, InternalError, InvalidArgumentError
from ._batch import AbandonedError, Batch, DeadlineError, Item, QueueFullError
from ._signature import MOST_OF_DIMENSION, Array, Signature, aligned, why_unbatched

log = logging.getLogger("qcc.serve")

#: Batches that are expected to run for less than this many seconds run in the event loop.
SHORT = 0.0005
#: A shape of which one run took this long runs on the thread for good. Other work of the system lengthens short runs, too,
#: so this is more than SHORT.
LONG = 0.002
#: So many runs of a shape are measured before one is in the event loop.
_MEASURED = 3
#: So many shapes have an expected time.
_MOST_SHAPES = 256


def _too_late(item: Item, now: float) -> DeadlineError:
    return DeadlineError(f"the time of the request passed after {now - item.since:.3f} seconds; give it more time, or send "
                         "less")


class _Expected:
    """What the runs of a shape took."""

    __slots__ = ("longest", "rows", "runs", "seconds")

    def __init__(self) -> None:
        self.runs = 0
        self.seconds = 0.0  # on the average, lately
        self.longest = 0.0
        self.rows = 0  # the most of a run

    def add(self, seconds: float, rows: int) -> None:
        self.runs += 1
        self.seconds += (1.0 if self.runs == 1 else 0.2) * (seconds - self.seconds)
        self.longest = max(self.longest, seconds)
        self.rows = max(self.rows, rows)

    def is_short(self, rows: int) -> bool:
        """Whether a run of so many rows is expected to be short."""
        return self.runs >= _MEASURED and self.seconds < SHORT and self.longest < LONG and rows <= self.rows


class Batcher(OfProcess):
    """Puts requests for a function together, up to a number of rows, and runs them on a thread.

        batcher = qcc.serve.Batcher(module.function(threads=1))
        y = await batcher(x, timeout=0.1)

    Requests are batched if every argument and every result has the same dynamic leading dimension, and if a trial
    shows that no row depends on the others; `unbatched` says why not otherwise. Each result has the bits of a run
    with this request alone. A batcher belongs to the event loop that made it; call `close` at the end.
    """

    def __init__(self, function: Function, *, max_batch: int = 32, max_wait: float = 0.002, max_queue: int = 1024,
                 max_dimension: int = MOST_OF_DIMENSION, signature: Optional[Signature] = None,
                 unbatched: Optional[str] = None, observe: Optional[Callable[[Batch], None]] = None) -> None:
        """
        Args:
            function: the function; its thread is one thread of Python, so give the function a number of threads.
            max_batch: the most rows of a batch; 1 batches nothing. A larger request runs alone.
            max_wait: how many seconds a request may wait for others; a full batch does not wait.
            max_queue: the most requests that wait; more raise QueueFullError.
            max_dimension: the largest size of a dynamic dimension.
            signature: that of the function, if the caller has it.
            unbatched: why requests are not batched, if the caller knows; "" if they are, None makes the trial now.
            observe: called in the event loop after each batch.
        """
        for name, value, least in (("max_batch", max_batch, 1), ("max_wait", max_wait, 0), ("max_queue", max_queue, 1)):
            if not value >= least:
                raise InvalidArgumentError(f"{name} is {value}, but it must be at least {least}")
        self.function = function
        self.signature = Signature(function) if signature is None else signature
        if unbatched is None:
            unbatched = why_unbatched(function, self.signature, max_batch)
        self.unbatched = unbatched  #: why requests run one by one; "" if they are batched
        self.max_batch, self.max_wait, self.max_queue = max_batch, max_wait, max_queue
        self._max_dimension = max_dimension
        self._observe = observe
        self._loop = asyncio.get_running_loop()
        self._waiting: Deque[Item] = deque()
        self._rows = 0  # of the requests that wait
        self._running: Optional[Batch] = None
        self._timer: Optional[asyncio.TimerHandle] = None  # for a batch that waits for more requests
        self._alarm: Optional[asyncio.TimerHandle] = None  # for the next deadline
        self._alarm_time = float("inf")
        self._closing = False
        self._closed: "Optional[asyncio.Future[None]]" = None
        self._seconds = 0.001  # of a batch, lately
        self._expected: Dict[Any, _Expected] = {}  # by the shape of rows
        self._clock = time.thread_time if function.threads == 1 and function.device == "cpu" else time.monotonic
        self._token = CancelToken()  # of the batch that runs
        self._batches: "queue.SimpleQueue[Optional[Batch]]" = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="qcc-serve", daemon=True)
        self._thread.start()

    async def __call__(self, *arrays: Array, timeout: Optional[float] = None) -> Any:
        """The results of a run of the function with these arrays, as a call of the function returns them.

        The arrays must not change before that.

        Raises:
            QueueFullError: too many requests wait.
            DeadlineError: `timeout` seconds have passed.
            What a call of the function raises.
        """
        self.signature.check(arrays, self._max_dimension)
        future: "asyncio.Future[Item]" = self._loop.create_future()
        item = self.submit(arrays, lambda item: None if future.done() else future.set_result(item), timeout)
        try:
            await future
        except asyncio.CancelledError:
            self.abandon(item)
            raise
        if item.error is not None:
            raise item.error
        return item.results[0] if len(item.results) == 1 else item.results

    def submit(self, arrays: Sequence[Array], done: Callable[[Item], None], timeout: Optional[float] = None) -> Item:
        """Queues a request whose arrays were checked; `done` is called with its results or error.

        Raises:
            QueueFullError: too many requests wait.
        """
        if self._closing:
            raise CancelledError("the batcher is closed; make another one")
        if len(self._waiting) >= self.max_queue:
            raise QueueFullError(f"{len(self._waiting)} requests wait, which is the most allowed; try again later",
                                 self.retry_after())
        now = time.monotonic()
        deadline = float("inf") if timeout is None else now + timeout
        if self.unbatched:
            item = Item(arrays, 1, tuple([array.shape for array in arrays]), now, deadline, done)
        else:
            item = Item(arrays, arrays[0].shape[0], tuple([array.shape[1:] for array in arrays]), now, deadline, done)
        self._waiting.append(item)
        self._rows += item.rows
        if deadline < self._alarm_time:
            self._set_alarm(deadline)
        if self._running is None:
            if self.unbatched or self._rows >= self.max_batch:
                self._dispatch()
            elif self._timer is None:
                # The timer fires after what else has arrived is read.
                self._timer = self._loop.call_later(self.max_wait, self._due)
        return item

    def retry_after(self) -> int:
        """After how many seconds the queue is likely to be empty."""
        batches = self._rows / (1 if self.unbatched else self.max_batch)
        return max(1, min(60, round(batches * self._seconds)))

    @property
    def waiting(self) -> int:
        """The number of requests in the queue."""
        return len(self._waiting)

    def abandon(self, item: Item) -> None:
        """Gives a request up. A run that nobody wants any more is cancelled."""
        self._end(item, AbandonedError("the request was given up"))

    async def close(self) -> None:
        """Takes no more requests, and returns when all have ended."""
        self._closing = True
        if self._closed is None:
            self._closed = self._loop.create_future()
            self._dispatch()
        await asyncio.shield(self._closed)
        self._thread.join(1.0)  # It runs nothing any more.

    def _end(self, item: Item, error: Exception) -> None:
        """Ends a request before it has results."""
        if item.finished:
            return
        self._finish(item, error)
        batch = self._running
        if batch is not None and item in batch.items:
            batch.alive -= 1
            if batch.alive == 0:
                self._token.cancel()
        else:
            try:
                self._waiting.remove(item)
                self._rows -= item.rows
            except ValueError:
                pass

    @staticmethod
    def _finish(item: Item, error: Optional[Exception]) -> None:
        if item.finished:
            return
        item.finished = True
        item.error = error
        item.arrays = ()
        try:
            item.done(item)
        except Exception:  # The host's; other requests go on.
            log.exception("the function that takes results failed")

    def _set_alarm(self, deadline: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_time = deadline
        self._alarm = self._loop.call_later(max(0.0, deadline - time.monotonic()), self._ring)

    def _ring(self) -> None:
        """Ends the requests whose time has passed. One timer serves all: most requests end long before."""
        self._alarm, self._alarm_time = None, float("inf")
        now = time.monotonic()
        items = [*self._waiting, *(self._running.items if self._running is not None else ())]
        for item in items:
            if not item.finished and item.deadline <= now:
                self._end(item, _too_late(item, now))
        nearest = min((item.deadline for item in items if not item.finished), default=float("inf"))
        if nearest < float("inf"):
            self._set_alarm(nearest)

    def _due(self) -> None:
        self._timer = None
        self._dispatch(due=True)

    def _dispatch(self, due: bool = False) -> None:
        """Hands the next batch to the thread, or waits for more requests."""
        if self._running is not None:
            return
        waiting = self._waiting
        if not waiting:
            if self._closing:
                self._stop()
            return
        if not (due or self._closing or self.unbatched or self._rows >= self.max_batch):
            left = waiting[0].since + self.max_wait - time.monotonic()
            if left > 0:
                if self._timer is None:
                    self._timer = self._loop.call_later(left, self._due)
                return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._running = batch = self._take()
        expected = self._expected.get(batch.items[0].key)
        if expected is not None and expected.is_short(batch.rows):
            # Not at once: who has called `submit` does not expect `done` before it has returned.
            self._loop.call_soon(self._run_here, batch)
        else:
            self._batches.put(batch)

    def _run_here(self, batch: Batch) -> None:
        self._ended(batch, self._timed(batch))

    def _timed(self, batch: Batch) -> List[Any]:
        """Runs a batch and measures its time."""
        start, busy = time.monotonic(), self._clock()
        outcomes = self._run(batch)
        batch.run_seconds, batch.busy_seconds = time.monotonic() - start, self._clock() - busy
        return outcomes

    def _take(self) -> Batch:
        """The first request, and those after it that fit to it."""
        waiting = self._waiting
        first = waiting.popleft()
        items, rows, skipped = [first], first.rows, []
        while waiting and rows < self.max_batch and not self.unbatched:
            item = waiting.popleft()
            if item.key == first.key and rows + item.rows <= self.max_batch:
                items.append(item)
                rows += item.rows
            else:
                skipped.append(item)
        waiting.extendleft(reversed(skipped))
        self._rows -= rows
        return Batch(items, rows)

    def _stop(self) -> None:
        self._batches.put(None)
        if self._alarm is not None:
            self._alarm.cancel()
        if self._closed is not None and not self._closed.done():
            self._closed.set_result(None)

    def _ended(self, batch: Batch, outcomes: List[Any]) -> None:
        """In the event loop: hands results out, and starts the next batch first."""
        self._running = None
        self._seconds += 0.1 * (batch.run_seconds - self._seconds)
        self._learn(batch, outcomes)
        if batch.alive == 0:
            self._token.reset()
        self._dispatch()
        now = time.monotonic()
        for item, outcome in zip(batch.items, outcomes):
            if item.deadline <= now:  # In the event loop, a run delays the alarm.
                self._finish(item, _too_late(item, now))
            elif isinstance(outcome, Exception):
                self._finish(item, outcome)
            else:
                item.results = outcome
                self._finish(item, None)
        if self._observe is not None:
            self._observe(batch)

    def _learn(self, batch: Batch, outcomes: List[Any]) -> None:
        """Remembers how long batches like this one run."""
        if batch.rows > self.max_batch and not self.unbatched:
            return  # Such a request is rare, and remains on the thread.
        key, seconds = batch.items[0].key, batch.busy_seconds
        expected = self._expected.get(key)
        if batch.alive == 0 or any(isinstance(outcome, Exception) for outcome in outcomes):
            # It may have ended early, so it shows only that a run can be long.
            if expected is not None:
                expected.longest = max(expected.longest, seconds)
            return
        if expected is None:
            if len(self._expected) >= _MOST_SHAPES:
                return
            expected = self._expected[key] = _Expected()
        expected.add(seconds, batch.rows)

    def _work(self) -> None:
        """In the thread."""
        while True:
            batch = self._batches.get()
            if batch is None:
                return
            outcomes = self._timed(batch)
            try:
                self._loop.call_soon_threadsafe(self._ended, batch, outcomes)
            except RuntimeError:  # The loop has been closed; nobody waits any more.
                return
            del batch, outcomes

    def _run(self, batch: Batch) -> List[Any]:
        """The results or the error of each request."""
        items = [item.arrays for item in batch.items]
        if len(items) > 1 and all(items):  # One that was given up meanwhile has no arrays.
            try:
                results = self._call([np.concatenate(arrays) for arrays in zip(*items)])
            except CancelledError as error:
                return [error] * len(items)
            except Exception:
                pass  # Alone, only those fail that must.
            else:
                outcomes, end = [], 0
                for item in batch.items:
                    start, end = end, end + item.rows
                    outcomes.append(tuple([result[start:end] for result in results]))
                return outcomes
        alone: List[Any] = []
        for item, arrays in zip(batch.items, items):
            try:
                if item.finished:
                    raise CancelledError("the request was given up")
                alone.append(self._call([aligned(array) for array in arrays]))
            except Error as error:
                alone.append(error)
            except Exception as error:
                log.exception("a run failed")
                alone.append(InternalError(f"a run failed ({type(error).__name__}: {error}); please report this"))
        return alone

    def _call(self, arrays: List[Array]) -> Tuple[Array, ...]:
        results = self.function(*arrays, cancel=self._token)
        return results if isinstance(results, tuple) else (results,)
