"""Damaged programs of StableHLO: each is refused with a message, or compiled, and never ends the process.

    python test/Python/stablehlo_mutants.py FIRST LAST [QCC]

compiles the mutants of these seeds in one process and prints the seed of each before it begins, so that a crash shows which it was.
With the path of a `qcc`, such as build/asan/bin/qcc, that tool compiles each of them.
"""

import functools
import itertools
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

from stablehlo_cases import GROUPS

#: Seconds that a mutant may take, and bytes of address space that the process may have.
LIMIT, MEMORY = 2, 6 << 30
NUMBERS = ("-1", "0", "1", "2", "3", "7", "64", "4294967296", "9223372036854775807", "-9223372036854775808")
TYPES = ("i1", "i4", "i8", "ui8", "i32", "ui32", "i64", "i128", "f16", "bf16", "f32", "f64", "index", "complex<f32>", "f8E4M3FN",
         "!quant.uniform<i8:f32, 0.5>", "none")


@functools.lru_cache(maxsize=None)
def programs():
    """Every fifth case of each group."""
    return [case[1] for group in GROUPS.values() for case in itertools.islice(group(np.random.default_rng(1)), 0, None, 5)]


def replace_one(r, text, pattern, choices):
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = found[r.integers(len(found))]
    return text[:match.start()] + str(r.choice(choices)) + text[match.end():]


def mutate(seed):
    r = np.random.default_rng(seed)
    text = programs()[r.integers(len(programs()))]
    for _ in range(r.integers(1, 4)):
        kind = r.integers(9)
        lines = text.split("\n")
        i = int(r.integers(2, max(len(lines) - 2, 3)))
        if kind == 0:
            text = replace_one(r, text, r"(?<![\w.%])-?\d+(?=[\],:x> ])", NUMBERS)
        elif kind == 1:
            text = replace_one(r, text, r"(?<=x)[a-z]+\d+(?=>)|(?<=tensor<)[a-z]+\d+(?=>)", TYPES)
        elif kind == 2:
            text = replace_one(r, text, r"(?<=tensor<)(\d+x)*", ("", "?x", "3x", "0x", "2x3x", "1x1x1x1x1x1x1x1x1x", "4294967296x4294967296x"))
        elif kind == 3:
            text = replace_one(r, text, r"%[\w#]+", ("%arg0", "%arg1", "%r0", "%none"))
        elif kind == 4:
            text = replace_one(r, text, r"(?<=stablehlo\.)\w+", ("add", "reduce", "while", "gather", "sort", "return", "constant", "case", "dot",
                                                                 "select", "convolution", "pad", "transpose", "rng", "custom_call"))
        elif kind == 5:
            text = "\n".join(lines[:i] + lines[i + 1:])
        elif kind == 6:
            text = "\n".join(lines[:i] + [lines[i]] + lines[i:])
        elif kind == 7:
            text = replace_one(r, text, r"\[[^\[\]]*\]", ("[]", "[0]", "[0, 0]", "[1, 0]", "[9]", "[-1]", "[0, 1, 2, 3, 4, 5]"))
        else:
            text = replace_one(r, text, r"\w+ = (array<[^>]*>|dense<[^>]*> : tensor<[^>]*>|#stablehlo[^>]*>|[\w.]+ : \w+)", ("a = 3 : i32", "unknown"))
    return text


def run_tool(tool, text):
    """Compiles a text with a tool; whether it was compiled."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([tool, "compile", file.name, "-o", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=60)
    assert done.returncode in (0, 3, 4), f"{done.returncode} {done.stderr[-3000:]}\n{text}"
    assert not re.search("Sanitizer|runtime error|Assertion|bug of qcc", done.stderr), f"{done.stderr[-3000:]}\n{text}"
    return done.returncode == 0


def main():
    if len(sys.argv) > 3:
        results = [run_tool(sys.argv[3], mutate(seed)) for seed in range(int(sys.argv[1]), int(sys.argv[2]))]
        print(f"{sum(results)} compiled")
        return
    from package import qcc
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    compiled = 0
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        print(seed, flush=True)
        text, start = mutate(seed), time.monotonic()
        try:
            qcc.compile(text, on_diagnostic=lambda diagnostic: None)
            compiled += 1
        except qcc.Error as error:
            assert "crash" not in str(error) and "bug of qcc" not in str(error), f"{error}\n{text}"
            assert re.search(r":\d+:\d+: error: |^error: ", str(error), re.MULTILINE), f"{error}\n{text}"
        assert time.monotonic() - start < LIMIT, f"{time.monotonic() - start} s\n{text}"
    print(f"{compiled} compiled")


if __name__ == "__main__":
    main()
