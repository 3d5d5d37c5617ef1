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


def mlp():
    """A function that computes for some time, on one thread."""
    return qcc.compile(program.EXAMPLES / "mlp_f32.mlir", weights="random:7").function(threads=1)


def test_others_run_during_a_call():
    """While one thread is in a call, another one executes Python."""
    function, x = mlp(), np.zeros((8192, 512), np.float32)
    function(x)
    begin, end, times = [], [], []

    def body(index):
        if index == 1:
            while not end:
                times.append(time.perf_counter())
            return
        while not times:
            time.sleep(0.001)
        begin.append(time.perf_counter())
        function(x)
        end.append(time.perf_counter())

    run_threads(2, body)
    # The edges of the call are Python, during which the other thread may run in any case.
    tenth = (end[0] - begin[0]) / 10
    assert any(begin[0] + tenth < moment < end[0] - tenth for moment in times)


def speedup(body):
    """How much more two threads do than one."""
    start = time.perf_counter()
    run_threads(1, body)
    middle = time.perf_counter()
    run_threads(2, body)
    return 2 * (middle - start) / (time.perf_counter() - middle)


@pytest.mark.alone
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two threads need two CPUs")
def test_two_threads_are_faster_than_one():
    """At least 1.7 times, in the best of some rounds that had two CPUs, as hashes before and after show."""
    function = mlp()
    x = np.random.default_rng(1).uniform(-4, 4, (64, 512)).astype(np.float32)
    outputs = [np.empty((64, 512), np.float32) for _ in range(2)]
    data = bytes(10_000_000)

    def call(index):
        for _ in range(20):
            function(x, out=outputs[index])

    def has_two_cpus():
        return speedup(lambda index: hashlib.sha256(data).digest()) > 1.8

    run_threads(2, call)
    rounds = []
    end = time.monotonic() + 10
    while time.monotonic() < end:
        before, ratio, after = has_two_cpus(), speedup(call), has_two_cpus()
        if before and after:
            rounds.append(ratio)
        if rounds and max(rounds) >= 1.7:
            return
    if len(rounds) < 5:
        pytest.skip("the machine had no two CPUs to give")
    assert max(rounds) >= 1.7, rounds
