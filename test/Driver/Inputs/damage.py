"""Runs `qcc compile` on damaged copies of a file: none may end the compiler by a signal.

Usage: damage.py QCC FILE SCRATCH_FILE
"""

import random
import subprocess
import sys

qcc, source, scratch = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
rng = random.Random(11)
copies = [data[: len(data) * i // 12] for i in range(12)]
for _ in range(24):
    copy = bytearray(data)
    copy[rng.randrange(4, len(copy))] ^= 1 << rng.randrange(8)
    copies.append(bytes(copy))
bad = 0
for index, copy in enumerate(copies):
    with open(scratch, "wb") as file:
        file.write(copy)
    done = subprocess.run(
        [qcc, "compile", scratch, "--weights=random:1", "-o", scratch + ".mlir"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    if done.returncode not in (0, 3, 4):
        bad += 1
        print(f"copy {index}: exit code {done.returncode}")
        print(done.stdout.decode(errors="replace"))
print("no crash" if not bad else f"{bad} crashes")
