#!/usr/bin/env python3
"""Measures programs of JAX beside XLA on the CPU, and writes docs/JAXPrograms.md.

    utils/install-oracles.sh
    taskset -c 1 build/oracles/bin/python utils/framework-programs.py [--page]

Each program is compiled by both, and checked: integers must be equal, floats near. Then calls alternate, on one thread; the times
are medians. --page writes the page, without it the table is printed.
"""

import argparse
import os
import pathlib
import platform
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "JAXPrograms.md"
BUILD = pathlib.Path(os.environ.get("QCC_BUILD_DIR") or ROOT / "build" / "release").resolve()
os.environ.setdefault("QCC_LIBRARY_PATH", str(BUILD / "lib"))
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
sys.path.insert(0, str(ROOT / "python"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

import qcc  # noqa: E402
import qcc.jax  # noqa: E402

RANDOM = np.random.default_rng(0)
NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")


def bytes_of(*shape):
    return RANDOM.integers(-128, 128, shape, dtype=np.int8)


def floats(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def conv(result, layout=NHWC, groups=1):
    return lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout, feature_group_count=groups,
                                                 preferred_element_type=result)


def linear(x, w):
    sums = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    return jnp.clip(jnp.round(sums.astype(jnp.float32) * 0.0002), -128, 127).astype(jnp.int8)


def requantized(x, w):
    return jnp.clip(jnp.round(conv(jnp.int32)(x, w).astype(jnp.float32) * 0.0002), -128, 127).astype(jnp.int8)


def layer_norm(x):
    return (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5)


def recurrent(x, w):
    return lax.scan(lambda h, v: (jnp.tanh(h @ w + v), h.sum()), jnp.zeros((4, 64), jnp.float32), x)


#: Name, function, arguments, positions of weights.
PROGRAMS = [
    ("int8 linear, 256 × 2048 × 2048, to int8", linear, (bytes_of(256, 2048), bytes_of(2048, 2048)), (1,)),
    ("int8 convolution 3 × 3, 56 × 56 × 64, to int32", conv(jnp.int32), (bytes_of(1, 56, 56, 64), bytes_of(3, 3, 64, 64)), (1,)),
    ("the same, to float32", conv(jnp.float32), (bytes_of(1, 56, 56, 64), bytes_of(3, 3, 64, 64)), (1,)),
    ("the same, scaled to int8", requantized, (bytes_of(1, 56, 56, 64), bytes_of(3, 3, 64, 64)), (1,)),
    ("the same, channels first, to int32", conv(jnp.int32, NCHW), (bytes_of(1, 64, 56, 56), bytes_of(64, 64, 3, 3)), (1,)),
    ("int8 depthwise convolution 3 × 3, 56 × 56 × 64", conv(jnp.int32, groups=64), (bytes_of(1, 56, 56, 64), bytes_of(3, 3, 1, 64)), (1,)),
    ("float32 product, 256 × 512 × 512", lambda x, w: x @ w, (floats(256, 512), floats(512, 512)), (1,)),
    ("float32 convolution 3 × 3, 28 × 28 × 32", conv(jnp.float32), (floats(1, 28, 28, 32), floats(3, 3, 32, 32)), (1,)),
    ("softmax, 512 × 1024", jax.nn.softmax, (floats(512, 1024),), ()),
    ("layer normalization, 512 × 768", layer_norm, (floats(512, 768),), ()),
    ("GELU, 512 × 768", jax.nn.gelu, (floats(512, 768),), ()),
    ("argmax, 512 × 1000", lambda x: jnp.argmax(x, 1), (floats(512, 1000),), ()),
    ("sort, 64 × 256", lambda x: jnp.sort(x, 1), (floats(64, 256),), ()),
    ("cumulative sum, 64 × 1000", lambda x: jnp.cumsum(x, 1), (floats(64, 1000),), ()),
    ("gather of 512 rows of 64", lambda t, i: t[i], (floats(1000, 64), RANDOM.integers(0, 1000, 512, np.int32)), ()),
    ("scatter of 512 rows of 64, added", lambda t, i: t.at[i].add(1.0), (floats(1000, 64), RANDOM.integers(0, 1000, 512, np.int32)), ()),
    ("max pooling 2 × 2, 4 × 56 × 56 × 64", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
     (floats(4, 56, 56, 64),), ()),
    ("recurrent network, 50 steps of 4 × 64", recurrent, (floats(50, 4, 64), 0.1 * floats(64, 64)), (1,)),
]


def fixed(function, arguments, weights):
    """The function of the arguments that are no weights."""
    def call(*rest):
        given = iter(rest)
        return function(*(arguments[i] if i in weights else next(given) for i in range(len(arguments))))
    return call


def distance(got, want):
    """ "equal", or how far floats are apart, of the greatest."""
    worst = 0.0
    for a, b in zip(jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)):
        a, b = np.asarray(a), np.asarray(b)
        if np.array_equal(a, b):
            continue
        assert a.dtype.kind not in "iub", "integers differ"
        worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)))
    assert worst < 1e-4, worst
    return f"{worst:.0e}" if worst else "equal"


def measure(name, function, arguments, weights, runs):
    start = time.perf_counter()
    program = qcc.jax.compile(function, *arguments, weights=weights, threads=1)
    middle = time.perf_counter()
    rest = [argument for i, argument in enumerate(arguments) if i not in weights]
    peer = jax.jit(fixed(function, arguments, weights))
    want = jax.block_until_ready(peer(*rest))
    end = time.perf_counter()
    result = distance(program(*rest), want)
    own, other = [], []
    for _ in range(runs):
        for times, call in ((own, program), (other, lambda *a: jax.block_until_ready(peer(*a)))):
            before = time.perf_counter()
            call(*rest)
            times.append(time.perf_counter() - before)
    a, b = statistics.median(own) * 1e3, statistics.median(other) * 1e3
    return f"| {name} | {result} | {a:.3f} | {b:.3f} | {b / a:.2f} | {middle - start:.2f} | {end - middle:.2f} |"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="write docs/JAXPrograms.md")
    parser.add_argument("--runs", type=int, default=31, help="calls of each (31)")
    options = parser.parse_args()
    lines = ["| program | results | qcc, ms | XLA, ms | XLA / qcc | qcc compiles, s | XLA compiles, s |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for program in PROGRAMS:
        lines.append(measure(*program, options.runs))
        print(lines[-1], flush=True)
    if options.page:
        PAGE.write_text("\n".join([
            "<!-- Written by utils/framework-programs.py --page. -->", "",
            "# Programs of JAX beside XLA", "",
            f"jax {jax.__version__}, one thread of {processor()}; calls alternate, times are medians of {options.runs}. \"results\" is",
            "the greatest distance of a float, of the greatest result; integers are equal.", "", *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
