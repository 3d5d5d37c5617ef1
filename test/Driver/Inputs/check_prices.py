"""check_prices.py WORK: the expected times of a report of qcc explain, and what the reason of steps of one kind costs."""

import json
import sys

report = json.load(sys.stdin)
summary = report["entries"][0]["summary"]
steps = {step["step"]: step for step in report["kernels"]}


def is_close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


assert all(step["expected_seconds"] > 0 for step in steps.values())
total = sum(step["expected_seconds"] for step in steps.values())
assert is_close(summary["expected_seconds"], total), (summary["expected_seconds"], total)
assert is_close(sum(kind["expected_seconds"] for kind in summary["kinds"]), total), summary["kinds"]
for reason in summary["reasons"]:
    own = sum(steps[name]["expected_seconds"] for name in reason["names"])
    assert is_close(reason["expected_seconds"], own), reason
    assert reason["cost_seconds"] is None or 0 <= reason["cost_seconds"] <= own, reason
    assert reason["remedy"] or reason["cost_seconds"] is None, reason
priced = [reason for reason in summary["reasons"] if steps[reason["names"][0]]["work"] == sys.argv[1]]
assert priced and all(reason["remedy"] for reason in priced), summary["reasons"]
for reason in priced:
    share = reason["cost_seconds"] / reason["expected_seconds"]
    # A kernel of bytes takes some time, packing that is left out takes none.
    assert is_close(share, 1) if sys.argv[1] == "packing" else 0.2 < share < 0.9, reason
