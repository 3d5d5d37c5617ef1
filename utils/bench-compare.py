#!/usr/bin/env python3
"""Compares two reports of `qcc-bench --json`: the same suite before and after a change.

For each shape, the speedup of qcc is the ratio of its fractions of peak where both reports
have them: a machine that ran slower in one of them does not count as a change of the code.
Otherwise it is the ratio of times. The exit code is 1 if a shape became slower than the
limit.
"""

import argparse
import json
import math
import sys


def read(path):
    """The shapes of a report, by name."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        return report, {row["shape"]: row for row in report["shapes"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"bench-compare: error: {path} is no report of qcc-bench: {error!r}")


def speedup(before, after):
    if before.get("fraction_of_peak") and after.get("fraction_of_peak"):
        return after["fraction_of_peak"] / before["fraction_of_peak"]
    return before["qcc"]["seconds"] / after["qcc"]["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--limit", type=float, default=0.95,
                        help="least speedup that is no failure (default 0.95)")
    options = parser.parse_args()
    old_report, old = read(options.before)
    new_report, new = read(options.after)
    for key in ("suite", "dtype", "isa", "threads"):
        if old_report.get(key) != new_report.get(key):
            sys.exit(f"bench-compare: error: {key} is {old_report.get(key)} in the one report and "
                     f"{new_report.get(key)} in the other")
    names = [name for name in old if name in new]
    if not names:
        sys.exit("bench-compare: error: the reports have no shape in common")
    width = max(20, *map(len, {**old, **new}))
    print(f"{'shape':{width}}{'before us':>12}{'after us':>12}{'speedup':>9}{'ratio':>8}{'now':>8}")
    speedups = {}
    for name in names:
        a, b = old[name], new[name]
        speedups[name] = speedup(a, b)
        print(f"{name:{width}}{a['qcc']['seconds'] * 1e6:12.2f}{b['qcc']['seconds'] * 1e6:12.2f}"
              f"{speedups[name]:9.3f}{a.get('ratio', math.nan):8.3f}{b.get('ratio', math.nan):8.3f}")
    for name in sorted(set(old) ^ set(new)):
        print(f"{name:{width}} only in the report {'before' if name in old else 'after'}")
    geomean = math.exp(sum(map(math.log, speedups.values())) / len(speedups))
    worst = min(speedups, key=speedups.get)
    print(f"geomean speedup: {geomean:.3f} (min {speedups[worst]:.3f} at {worst})")
    return 1 if speedups[worst] < options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
