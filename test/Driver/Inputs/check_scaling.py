"""The scaling in a report of qcc explain: times add up, and tiles that cannot be shared evenly cost what they must."""

import json
import math
import sys

report = json.load(sys.stdin)
scaling = report["entries"][0]["scaling"]
steps = report["kernels"]
one = sum(step["expected_seconds"] for step in steps)
causes = ("one_thread_seconds", "uneven_seconds", "change_seconds")

assert [run["threads"] for run in scaling] == [1, 2, 4, 8, 16, 32, 50], scaling
for run in scaling:
    lost = sum(run[cause] for cause in causes)
    assert math.isclose(run["expected_seconds"], one / run["threads"] + lost, rel_tol=1e-9), run
    assert all(run[cause] >= 0 for cause in causes), run
assert all(scaling[0][cause] == 0 for cause in causes), scaling[0]
# Changes from step to step take longer with more threads.
assert scaling[1]["change_seconds"] < scaling[-2]["change_seconds"], scaling


def largest_share(rows, columns, threads):
    """Of all ways to cut a grid in as many parts (lib/Target/X86/Emit/Share.h)."""
    ways = {1, threads} | {2 ** i for i in range(6) if 2 ** i <= columns}
    return min(math.ceil(rows / (threads // across)) * math.ceil(columns / across)
               for across in ways if threads % across == 0) / (rows * columns)


shared = [step for step in steps if "shared_grid" in step]
assert any(step["shared_grid"][1] > 1 for step in shared), shared
large = [step for step in shared if step["expected_seconds"] > 1e-4]
uneven = sum(step["expected_seconds"] * (largest_share(*step["shared_grid"], 50) - 1 / 50) for step in large)
assert 0 < uneven <= scaling[-1]["uneven_seconds"] * (1 + 1e-9) + 1e-12, (uneven, scaling[-1])
