#!/usr/bin/env python3
"""Measures artifacts on one and on several threads, also while another process keeps one CPU busy.

One and several threads take turns. The exit code is 1 if, beside the other process, several threads are slower than one
by more than 5 %, which is noise of a run.

Usage: bench-threads.py [--qcc=build/release/bin/qcc] [--threads=N] [--rounds=9] [--seconds=0.5] FILE.so ... [-- OPTIONS]

OPTIONS are those of `qcc bench`, such as inputs and sizes.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

NOISE = 1.05


@contextlib.contextmanager
def busy_cpu():
    """One CPU, the last of those that this process may use, is kept busy."""
    cpu = max(os.sched_getaffinity(0))
    process = subprocess.Popen([sys.executable, "-c", f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def milliseconds(options, file, threads):
    """The median time of a run."""
    command = [str(options.qcc), "bench", file, f"--threads={threads}", f"--duration={options.seconds}", "--json", *options.rest]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench-threads.py: error: {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["median_seconds"] * 1e3


def speed_up(options, file):
    """(milliseconds on one thread, on several, how often faster): medians of rounds."""
    rounds = [(milliseconds(options, file, 1), milliseconds(options, file, options.threads)) for _ in range(options.rounds)]
    one, several = (statistics.median(times) for times in zip(*rounds))
    return one, several, statistics.median(a / b for a, b in rounds)


def parse_arguments():
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE.so")
    parser.add_argument("--qcc", type=pathlib.Path, default="build/release/bin/qcc")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args(own)
    options.rest = rest
    if options.threads < 2 or options.rounds < 1:
        parser.error("--threads must be 2 or more, and --rounds 1 or more")
    return options


def main():
    options = parse_arguments()
    n = options.threads
    print(f"| artifact | 1 thread | {n} threads | speed-up | 1 thread, a CPU busy | {n} threads, a CPU busy | speed-up |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    is_slower = False
    for file in options.files:
        free = speed_up(options, file)
        with busy_cpu():
            busy = speed_up(options, file)
        is_slower |= busy[2] * NOISE < 1
        cells = [cell for one, several, ratio in (free, busy) for cell in (f"{one:.2f} ms", f"{several:.2f} ms", f"{ratio:.2f}")]
        print("| " + " | ".join([pathlib.Path(file).stem, *cells]) + " |", flush=True)
    return 1 if is_slower else 0


if __name__ == "__main__":
    sys.exit(main())
