"""The Python package: runs that end early or go on by themselves, thread pools, metadata, signatures."""

import asyncio
import ctypes
import os
import subprocess
import threading

import numpy as np
import pytest

import program
from package import DOUBLE, DOUBLE_ROWS, qcc

X = np.arange(6, dtype=np.float32).reshape(2, 3)

#: Takes long for many rows.
SLOW = """
func.func @slow(%x: tensor<?x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<?x2048xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x2048xf32>
  %e = tensor.empty(%m) : tensor<?x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x2048xf32>, tensor<2048x2048xf32>)
      outs(%f : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  return %y : tensor<?x2048xf32>
}
"""


@pytest.fixture(scope="module")
def double():
    return qcc.compile(DOUBLE).function(threads=1)


@pytest.fixture(scope="module")
def slow():
    """A call that takes longer than any test, were it not ended."""
    function = qcc.compile(SLOW).function(threads=1)
    x, w = np.ones((60000, 2048), np.float32), np.ones((2048, 2048), np.float32)
    return function, (x, w), np.empty_like(x)


def test_options_change_no_result(double):
    token = qcc.CancelToken()
    assert (double(X, timeout=100, cancel=token) == 2 * X).all()
    assert (double(X, timeout=float("inf")) == 2 * X).all()


def test_timeout(slow):
    function, arguments, out = slow
    with pytest.raises(qcc.TimedOutError, match="the time limit of the run passed"):
        function(*arguments, out=out, timeout=0.01)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_timeout_must_be_positive(double, timeout):
    with pytest.raises(qcc.InvalidArgumentError, match="it must be positive"):
        double(X, timeout=timeout)


def test_cancel(slow, double):
    function, arguments, out = slow
    token = qcc.CancelToken()
    timer = threading.Timer(0.02, token.cancel)
    timer.start()
    with pytest.raises(qcc.CancelledError):
        function(*arguments, out=out, cancel=token)
    timer.join()
    assert token.cancelled
    with pytest.raises(qcc.CancelledError):
        double(X, cancel=token)
    token.reset()
    assert not token.cancelled
    assert (double(X, cancel=token) == 2 * X).all()


def test_start(double):
    run = double.start(X)
    assert (run.result() == 2 * X).all() and run.done() and run.wait(0)
    assert (run.result(timeout=1) == 2 * X).all()
    out = np.empty_like(X)
    run = double.start(X, out=out)
    assert run.result() is out and (out == 2 * X).all()
    # A context is given back once, and used again.
    assert len(double._idle) == 1


def test_started_runs_at_once():
    function = qcc.compile(DOUBLE_ROWS).function(threads=1)
    arrays = [np.full((rows, 3), rows, np.float32) for rows in range(20)]
    runs = [function.start(array) for array in arrays]
    for array, run in zip(arrays, runs):
        assert (run.result() == 2 * array).all()


def test_a_started_run_goes_on_and_is_cancelled(slow):
    function, arguments, out = slow
    run = function.start(*arguments, out=out)
    assert not run.done() and not run.wait(0.001)
    with pytest.raises(TimeoutError, match="has not ended within 0.001 seconds"):
        run.result(timeout=0.001)
    run.cancel()
    with pytest.raises(qcc.CancelledError):
        run.result()
    assert run.done()
    with pytest.raises(qcc.TimedOutError):
        function.start(*arguments, out=out, timeout=0.01).result()


def test_a_run_that_is_given_up_is_waited_for():
    function = qcc.compile(DOUBLE_ROWS).function(threads=1)
    out = np.empty((100000, 3), np.float32)
    function.start(np.ones_like(out), out=out)
    assert (out == 2).all()


def test_start_refuses_at_once(double):
    with pytest.raises(qcc.InvalidArgumentError, match="takes 1 argument, but the call has 2"):
        double.start(X, X)
    with pytest.raises(qcc.InvalidArgumentError):
        double.start(X.astype(np.float64)).result()
    assert (double(X) == 2 * X).all()


def test_await(double):
    async def both():
        return await asyncio.gather(wait(double.start(X)), wait(double.start(X + 1)))

    async def wait(run):
        return await run

    first, second = asyncio.run(both())
    assert (first == 2 * X).all() and (second == 2 * X + 2).all()


def test_pools():
    pool = qcc.ThreadPool(2)
    assert pool.threads == 2
    assert qcc.ThreadPool(cpus=sorted(os.sched_getaffinity(0))[:1]).threads == 1
    module = qcc.compile(DOUBLE_ROWS)
    functions = [module.function(pool=pool), module.function(pool=pool)]
    x = np.ones((1000, 3), np.float32)
    for function in functions:
        assert (function(x) == 2).all() and function.profile(x, runs=1).threads == 2
    with pytest.raises(qcc.InvalidArgumentError):
        qcc.ThreadPool(-1)
    with pytest.raises(qcc.InvalidArgumentError):
        qcc.ThreadPool(cpus=[1 << 20])


def test_default_pool():
    module = qcc.compile(DOUBLE_ROWS)
    try:
        qcc.set_default_pool(qcc.ThreadPool(3))
        assert module.function().profile(np.ones((9, 3), np.float32), runs=1).threads == 3
    finally:
        qcc.set_default_pool(None)


def test_metadata_and_names():
    text = DOUBLE_ROWS.replace("%x: tensor<?x3xf32>", '%x: tensor<?x3xf32> {qcc.dim_names = ["batch", ""]}')
    module = qcc.compile('module attributes {qcc.metadata = {author = "me", labels = "cat,dog"}} {' + text + "}")
    assert module.metadata == {"author": "me", "labels": "cat,dog"}
    function = module.function()
    assert function.arguments[0].dim_names == function.results[0].dim_names == ("batch", "")
    assert qcc.compile(DOUBLE).metadata == {}


def test_signatures(tmp_path):
    try:
        ctypes.CDLL("libsodium.so.23")
    except OSError:
        pytest.skip("there is no libsodium")
    path, key = tmp_path / "m.so", tmp_path / "secret.key"
    qcc.compile(DOUBLE).save(path)
    compiler = program.build_dir() / "bin" / "qcc"
    public = subprocess.run([compiler, "make-key", key], check=True, capture_output=True, text=True).stdout.strip()
    signed = tmp_path / "signed.so"
    subprocess.run([compiler, "sign", path, f"--key={key}", "-o", signed], check=True)
    for source in (signed, signed.read_bytes()):
        assert (qcc.load(source, public_key=public).function()(X) == 2 * X).all()
    with pytest.raises(qcc.UntrustedError, match="it has no signature"):
        qcc.load(path, public_key=public)
    with pytest.raises(qcc.UntrustedError, match="is not one of the key"):
        qcc.load(signed, public_key="11" * 32)
    with pytest.raises(qcc.InvalidArgumentError, match="64 hexadecimal digits"):
        qcc.load(signed, public_key="")


def test_a_private_copy_does_not_change(tmp_path):
    path = tmp_path / "m.so"
    qcc.compile(DOUBLE).save(path)
    function = qcc.load(path, private_copy=True).function()
    path.write_bytes(b"\0" * path.stat().st_size)
    assert (function(X) == 2 * X).all()
