"""qcc.serve.Batcher by itself; it needs no library of HTTP."""

import asyncio
import pickle
import subprocess
import sys

import numpy as np
import pytest

import serving
from package import DOUBLE_ROWS, qcc
from qcc.serve import Batcher, DeadlineError, QueueFullError
from serving import SLOW


def batched(text, use, **options):
    """Runs a coroutine with a batcher."""
    async def main():
        batcher = Batcher(qcc.compile(text).function(threads=1), **options)
        try:
            return await use(batcher)
        finally:
            await batcher.close()

    return asyncio.run(main())


def test_batcher():
    seen = []

    async def use(batcher):
        assert batcher.unbatched == ""
        arrays = [np.full((rows, 3), rows, np.float32) for rows in (1, 2, 3, 0, 5, 40)]
        for _ in range(3):
            results = await asyncio.gather(*(batcher(array) for array in arrays))
            for array, result in zip(arrays, results):
                assert (result == 2 * array).all() and result.shape == array.shape

    batched(DOUBLE_ROWS, use, observe=lambda batch: seen.append(batch.rows))
    assert seen == [11, 40] * 3


def test_batcher_refuses():
    async def use(batcher):
        for wrong, message in ((np.ones((1, 3)), "is float64, but the model takes a numpy array of float32"),
                               (np.ones((1, 4), np.float32), "dimension 1 of input 'input0' is 4"),
                               ([[1, 2, 3]], "is list, but the model takes a numpy array")):
            with pytest.raises(qcc.InvalidArgumentError, match=message):
                await batcher(wrong)
        with pytest.raises(qcc.InvalidArgumentError, match="takes 1 arrays, but the call has 2"):
            await batcher(np.ones((1, 3), np.float32), np.ones((1, 3), np.float32))
        return batcher

    batcher = batched(DOUBLE_ROWS, use)
    with pytest.raises(qcc.CancelledError, match="the batcher is closed"):
        batcher.submit([np.ones((1, 3), np.float32)], print)
    with pytest.raises(qcc.InvalidArgumentError, match="max_batch is 0, but it must be at least 1"):
        batched(DOUBLE_ROWS, use, max_batch=0)


def test_batcher_deadline_queue_and_cancellation():
    x = np.ones((300, 2048), np.float32)

    async def use(batcher):
        with pytest.raises(DeadlineError, match="the time of the request passed"):
            await batcher(x, timeout=0.002)
        assert (await batcher(x[:1])).shape == (1, 1)  # after the run that was cancelled
        running = [asyncio.ensure_future(batcher(x)) for _ in range(3)]
        await asyncio.sleep(0.005)
        assert batcher.waiting == 2
        with pytest.raises(QueueFullError) as caught:
            await batcher(x)
        assert caught.value.retry_after >= 1
        for task in running[:2]:  # one that runs and one that waits
            task.cancel()
        outcomes = await asyncio.gather(*running, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes[:2]] == [asyncio.CancelledError] * 2
        assert (outcomes[2] == 2048).all()

    batched(SLOW, use, max_batch=1, max_queue=2)


def test_errors_keep_what_they_say():
    error = pickle.loads(pickle.dumps(QueueFullError("full", 3)))
    assert (str(error), error.retry_after) == ("full", 3)


#: Counts to a number, so data decide how long it runs.
COUNT = """
func.func @count(%n: tensor<i32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = "stablehlo.while"(%z) ({
  ^bb0(%a: tensor<i32>):
    %c = "stablehlo.compare"(%a, %n) {comparison_direction = #stablehlo<comparison_direction LT>}
        : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<i32>):
    %d = "stablehlo.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%d) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
"""


def test_one_long_run_keeps_a_shape_on_the_thread():
    async def use(batcher):
        here, run_here = [], batcher._run_here

        def count(batch):
            here.append(batch)
            run_here(batch)

        batcher._run_here = count
        few, many = np.array(3, np.int32), np.array(30_000_000, np.int32)
        for _ in range(20):
            assert await batcher(few) == 3
        if not here:
            pytest.skip("this machine has no short runs")
        with pytest.raises(DeadlineError, match="the time of the request passed"):
            await batcher(many, timeout=0.001)  # There is no alarm during a run in the event loop.
        assert await batcher(many) == 30_000_000
        here.clear()
        for _ in range(20):
            assert await batcher(few) == 3
        assert not here

    batched(COUNT, use)


def test_what_a_failed_run_tells_of_its_shape():
    async def use(batcher):
        from qcc.serve._batch import Batch

        item = batcher.submit([np.ones((1, 3), np.float32)], lambda item: None)
        batch, good = Batch([item], 1), [()]
        batch.busy_seconds = 0.0001
        for _ in range(5):
            batcher._learn(batch, [qcc.CancelledError("")])
        assert not batcher._expected
        for _ in range(5):
            batcher._learn(batch, good)
        assert batcher._expected[item.key].is_short(1) and not batcher._expected[item.key].is_short(2)
        batch.busy_seconds = 1.0
        batcher._learn(batch, [qcc.CancelledError("")])
        batch.busy_seconds = 0.0001
        batcher._learn(batch, good)
        assert not batcher._expected[item.key].is_short(1)

    batched(DOUBLE_ROWS, use)


def test_the_batcher_needs_no_library_of_http():
    text = """
import asyncio, sys
sys.modules["httptools"] = sys.modules["uvloop"] = sys.modules["grpc"] = None
import numpy as np, qcc, qcc.serve
async def main():
    batcher = qcc.serve.Batcher(qcc.compile(sys.argv[1]).function(threads=1))
    x = np.ones((2, 3), np.float32)
    assert ((await batcher(x)) == 2 * x).all()
    await batcher.close()
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", text, DOUBLE_ROWS], env=serving.environment(), check=True, timeout=60)
