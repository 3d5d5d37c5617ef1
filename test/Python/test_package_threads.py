"""The Python package: several threads of Python call one function."""

import hashlib
import os
import threading
import time

import numpy as np
import pytest

import program
from package import DOUBLE_ROWS, LINEAR, linear_of, qcc


def run_threads(count, body):
    failures = []

    def guarded(index):
        try:
            body(index)
        except BaseException as error:  # Told by the thread that waits.
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_one_function_serves_all():
    function = qcc.compile(LINEAR).function(threads=1)

    def body(index):
        rng = np.random.default_rng(index)
        for _ in range(200):
            x = rng.integers(-128, 128, (rng.integers(1, 9), 4)).astype(np.int8)
            assert (function(x) == linear_of(x)).all()

    run_threads(8, body)


def test_failures_leave_the_function_usable():
    function = qcc.compile(DOUBLE_ROWS).function(threads=1)

    def body(index):
        for rows in range(100):
            if (rows + index) % 2:
                with pytest.raises(qcc.InvalidArgumentError):
                    function(np.ones((rows, 4), np.float32))
            else:
                assert (function(np.ones((rows, 3), np.float32)) == 2).all()

    run_threads(4, body)


def test_compilations_at_once():
    def body(index):
        text = DOUBLE_ROWS.replace("double_rows", f"double_{index}")
        function = qcc.compile(text).function(threads=1)
        assert function.name == f"double_{index}"
        assert (function(np.ones((2, 3), np.float32)) == 2).all()

    run_threads(4, body)


def seconds(threads, body):
    start = time.perf_counter()
    run_threads(threads, body)
    return time.perf_counter() - start


class Speedup:
    """How much more two threads do than one, in the best of short rounds: others may use the CPUs now and then."""

    def __init__(self, body):
        self.body, self.one, self.two = body, [], []

    def measure(self):
        self.one.append(seconds(1, self.body))
        self.two.append(seconds(2, self.body))
        return 2 * min(self.one) / min(self.two)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two threads need two CPUs")
def test_two_threads_are_faster_than_one():
    """At least 1.7 times, unless hashes, which Python computes at the same time as well, show that the machine had no
    two CPUs to give."""
    function = qcc.compile(program.EXAMPLES / "mlp_f32.mlir", weights="random:7").function(threads=1)
    x = np.random.default_rng(1).uniform(-4, 4, (64, 512)).astype(np.float32)
    outputs = [np.empty((64, 512), np.float32) for _ in range(2)]
    data = bytes(10_000_000)

    def call(index):
        for _ in range(20):
            function(x, out=outputs[index])

    seconds(2, call)
    ours, machine = Speedup(call), Speedup(lambda index: hashlib.sha256(data).digest())
    ratio, possible = ours.measure(), machine.measure()
    end = time.monotonic() + 10
    while ratio < 1.7 and time.monotonic() < end:
        ratio, possible = ours.measure(), machine.measure()
    if ratio < 1.7 and possible < 1.8:
        pytest.skip(f"two threads of hashes were only {possible:.2f} times as fast as one")
    assert ratio >= 1.7, (ours.one, ours.two)
