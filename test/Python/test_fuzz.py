"""Random programs of qcc-fuzz, whose results the reference interpreter wrote, against numpy."""

import collections
import pathlib
import subprocess

import pytest

import program
from fuzz_graph import Interpreter

SEEDS = 400


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    tool = program.build_dir() / "bin" / "qcc-fuzz"
    if not tool.exists():
        pytest.skip(f"{tool} does not exist")
    folder = tmp_path_factory.mktemp("fuzz")
    done = subprocess.run(
        [str(tool), f"--seeds=0:{SEEDS}", f"--emit={folder}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.iterdir())


def test_integer_part(runs):
    """What numpy can compute has the same bits; and it can compute enough of every op."""
    import numpy as np

    compared = 0
    covered = collections.Counter()
    for folder in runs:
        interpreter = Interpreter(pathlib.Path(folder))
        for index, value in enumerate(interpreter.run()):
            if value is None:
                continue
            expected = np.load(folder / f"result{index}.npy")
            if value.dtype == np.bool_:
                expected = expected.astype(np.bool_)
            program.assert_same_bits(np.asarray(value), expected, f"{folder.name}, result {index}")
            compared += 1
        covered.update(interpreter.known_ops)
    assert compared > 2 * SEEDS, compared
    wanted = ["linear", "matmul", "add", "mul", "clamp", "lookup", "requantize", "quantize"]
    for op in wanted:
        assert covered[f"qnn.{op}"] >= 5, covered
    assert covered["tensor.pad"] >= 5 and covered["linalg.generic"] >= 50, covered
