"""Random programs of qcc-fuzz, whose results the reference interpreter wrote, against numpy."""

import collections
import pathlib
import re
import subprocess

import pytest

import program
from fuzz_graph import Interpreter

# Of both repertoires, and more of the extended one.
RANGES = ["0:400", "403:1603:4"]
SEEDS = 700
# Of how many runs at least numpy computed an op of that name.
WANTED = {
    r"qnn\.(linear|matmul)": 300, r"qnn\.conv2d": 60, r"qnn\.conv_transpose2d": 25,
    r"qnn\.add": 50, r"qnn\.mul": 20, r"qnn\.clamp": 30, r"qnn\.lookup": 30,
    r"qnn\.max_pool2d": 100, r"qnn\.avg_pool2d": 70, r"qnn\.resize": 70,
    r"qnn\.requantize": 30, r"qnn\.quantize": 600, r"qnn\.dequantize": 700,
    r"linalg\.conv_.*": 300, r"linalg\.depthwise_conv_.*": 250, r"linalg\..*conv_.*_q": 60,
    r"linalg\.pooling_.*_max.*": 80, r"linalg\.pooling_.*_sum": 60,
    r"linalg\.(matmul|batch_matmul)": 150, r"linalg\.(mat|vec|batch_mat|batch_vec)(vec|mat)": 40,
    r"linalg\.(batch_)?mmt4d": 20, r"linalg\.contract": 80, r"linalg\.quantized_.*": 20,
    r"linalg\.batch_reduce_matmul": 5, r"linalg\.dot": 10,
    r"linalg\.generic": 1200, r"linalg\.reduce": 100, r"linalg\.map": 50,
    r"linalg\.broadcast": 350, r"linalg\.transpose": 150, r"linalg\.elementwise": 100,
    r"linalg\.select": 40, r"linalg\.copy": 35, r"linalg\.softmax": 40,
    r"tensor\.pad": 700, r"tensor\.extract_slice": 250, r"tensor\.insert_slice": 100,
    r"tensor\.insert": 5, r"tensor\.cast": 100, r"tensor\.concat": 15,
    r"arith\.(floordiv|ceildiv|div|rem)(si|ui)": 150, r"arith\..*_extended": 30, r"arith\.bitcast": 10,
    r"math\.(exp|tanh|erf|rsqrt|log)": 130, r"math\.(a?(sin|cos|tan)h?|expm1|log1p)": 250, r"math\.fma": 50,
    r"scf\.if": 100, r"scf\.while": 70, r"scf\.loop": 80, r"scf\.call": 100,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    tool = program.build_dir() / "bin" / "qcc-fuzz"
    if not tool.exists():
        pytest.skip(f"{tool} does not exist")
    folder = tmp_path_factory.mktemp("fuzz")
    for seeds in RANGES:
        done = subprocess.run(
            [str(tool), f"--seeds={seeds}", f"--emit={folder}"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.iterdir())


def test_bits(runs):
    """What numpy can compute has the same bits; and it can compute enough of every op."""
    import numpy as np

    compared = 0
    covered = collections.Counter()
    for folder in runs:
        interpreter = Interpreter(pathlib.Path(folder))
        for index, value in enumerate(interpreter.run()):
            if value is None:
                continue
            program.assert_same_bits(
                np.asarray(value), interpreter.expected(index), f"{folder.name}, result {index}"
            )
            compared += 1
        covered.update(interpreter.known_ops)
    assert compared > 12 * SEEDS, compared
    for op, least in WANTED.items():
        assert sum(count for name, count in covered.items() if re.fullmatch(op, name)) >= least, (op, covered)
