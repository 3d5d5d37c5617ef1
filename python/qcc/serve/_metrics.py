# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters of what is served, in the text format of Prometheus, for all processes of a server together."""

from __future__ import annotations

import bisect
import json
import mmap
import os
import struct
from typing import Dict, Iterator, Optional, Sequence, Tuple

Labels = Tuple[Tuple[str, str], ...]

#: Name, type and help of each metric.
METRICS = {
    "qcc_requests_total": ("counter", "Inference requests that were answered, by model and code of HTTP."),
    "qcc_http_errors_total": ("counter", "Other requests that were refused, by code of HTTP."),
    "qcc_rows_total": ("counter", "Rows that ran; a request of a model without batches counts as one."),
    "qcc_request_seconds": ("histogram", "Time of a request from its last byte to its results."),
    "qcc_queue_seconds": ("histogram", "Time that a request waited before its run."),
    "qcc_run_seconds": ("histogram", "Time of a run, of one batch."),
    "qcc_batch_rows": ("histogram", "Rows of a batch."),
    "qcc_waiting_requests": ("gauge", "Requests in the queue."),
    "qcc_connections": ("gauge", "Open connections."),
    "qcc_body_bytes": ("gauge", "Memory of request bodies that are held."),
    "qcc_resident_bytes": ("gauge", "Memory of the processes; pages that they share count in each."),
    "qcc_models": ("gauge", "Models that are served, by the fingerprint of their artifact, in each process."),
    "qcc_reloads_total": ("counter", "Artifacts that were replaced, by model and result."),
    "qcc_worker_starts_total": ("counter", "Processes that were started in place of one that ended."),
}

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Histogram:
    """Counts of values up to each bound, and their sum."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect.bisect_left(self.bounds, value)] += 1
        self.sum += value


class Metrics:
    """The metrics of one process. Its event loop alone changes them."""

    def __init__(self) -> None:
        self.values: Dict[Tuple[str, Labels], float] = {}
        self.histograms: Dict[Tuple[str, Labels], Histogram] = {}

    def count(self, name: str, by: float = 1, **labels: str) -> None:
        key = (name, tuple(labels.items()))
        self.values[key] = self.values.get(key, 0) + by

    def set(self, name: str, value: float, **labels: str) -> None:
        self.values[name, tuple(labels.items())] = value

    def clear(self, name: str) -> None:
        """Forgets the values of a gauge."""
        for key in [key for key in self.values if key[0] == name]:
            del self.values[key]

    def histogram(self, name: str, **labels: str) -> Histogram:
        key = (name, tuple(labels.items()))
        found = self.histograms.get(key)
        if found is None:
            found = self.histograms[key] = Histogram(_ROWS if name == "qcc_batch_rows" else _SECONDS)
        return found

    def dump(self) -> str:
        """All values, for `load`."""
        histograms = [[name, labels, h.counts, h.sum] for (name, labels), h in self.histograms.items()]
        return json.dumps([[[*key, value] for key, value in self.values.items()], histograms])

    def load(self, text: str, counters_only: bool = False) -> None:
        """Adds the values that another process has dumped."""
        values, histograms = json.loads(text)
        for name, labels, value in values:
            if not counters_only or METRICS[name][0] == "counter":
                self.count(name, value, **dict(labels))
        for name, labels, counts, total in histograms:
            histogram = self.histogram(name, **dict(labels))
            histogram.counts = [a + b for a, b in zip(histogram.counts, counts)]
            histogram.sum += total

    def text(self) -> str:
        """The metrics as Prometheus reads them."""
        return "".join(line + "\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for name, (kind, description) in METRICS.items():
            values = [(labels, value) for (of, labels), value in self.values.items() if of == name]
            histograms = [(labels, value) for (of, labels), value in self.histograms.items() if of == name]
            if values or histograms:
                yield f"# HELP {name} {description}"
                yield f"# TYPE {name} {kind}"
            for labels, value in sorted(values):
                yield f"{name}{_braces(labels)} {value:.17g}"
            for labels, histogram in sorted(histograms, key=lambda pair: pair[0]):
                total = 0
                for bound, count in zip([*histogram.bounds, float("inf")], histogram.counts):
                    total += count
                    limit = "+Inf" if bound == float("inf") else f"{bound:g}"
                    yield f"{name}_bucket{_braces((*labels, ('le', limit)))} {total}"
                yield f"{name}_sum{_braces(labels)} {histogram.sum:.17g}"
                yield f"{name}_count{_braces(labels)} {total}"


def _braces(labels: Labels) -> str:
    def escape(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{key}="{escape(value)}"' for key, value in labels) + "}" if labels else ""


class Board:
    """Shared memory in which each process of a server publishes its metrics; made before the processes are."""

    _HEADER = struct.Struct("=QQ")  # a number that is odd while the text changes, and the length of the text

    def __init__(self, processes: int, models: int) -> None:
        self.processes = processes
        self._size = (1 << 16) + models * (1 << 13)  # of one process, several times what it writes
        self._memory = mmap.mmap(-1, processes * self._size)

    def write(self, process: int, text: str) -> None:
        data = text.encode()
        if len(data) > self._size - self._HEADER.size:
            return
        start = process * self._size
        turn, _ = self._HEADER.unpack_from(self._memory, start)
        turn += turn % 2  # A process that was killed here has left an odd number.
        self._HEADER.pack_into(self._memory, start, turn + 1, len(data))
        begin = start + self._HEADER.size
        self._memory[begin:begin + len(data)] = data
        self._HEADER.pack_into(self._memory, start, turn + 2, len(data))

    def read(self, process: int) -> Optional[str]:
        start = process * self._size
        for _ in range(1000):
            turn, size = self._HEADER.unpack_from(self._memory, start)
            begin = start + self._HEADER.size
            data = self._memory[begin:begin + size]
            if turn % 2 == 0 and self._HEADER.unpack_from(self._memory, start)[0] == turn:
                return data.decode() if size else None
        return None


def total(metrics: Metrics, board: Optional[Board], process: int) -> Metrics:
    """The metrics of all processes of a server together."""
    if board is None:
        return metrics
    together = Metrics()
    for index in range(board.processes):
        text = metrics.dump() if index == process else board.read(index)
        if text is not None:
            together.load(text)
    return together


def resident_bytes() -> int:
    """The memory of this process."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


