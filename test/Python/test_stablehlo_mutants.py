"""Damaged programs of StableHLO (stablehlo_mutants.py). QCC_STABLEHLO_MUTANTS says how many."""

import os
import subprocess
import sys

import program

COUNT = int(os.environ.get("QCC_STABLEHLO_MUTANTS") or 300)


def test_mutants():
    script = program.ROOT / "test" / "Python" / "stablehlo_mutants.py"
    done = subprocess.run([sys.executable, str(script), "0", str(COUNT)], capture_output=True, text=True)
    seeds = done.stdout.split()
    assert done.returncode == 0, f"exit code {done.returncode}, the last seed was {seeds[-1]}\n{done.stderr[-3000:]}"
    assert done.stdout.endswith("compiled\n")
