"""Prints --dim options for large.mlir: each tensor takes 70 % of the available memory."""

import re
import sys

available = int(re.search(r"MemAvailable: +(\d+)", open("/proc/meminfo").read())[1]) * 1024
# A row of an input or of a result has 64 KiB.
rows = int(0.7 * available) >> 16
print(f"--dim={rows} --dim={rows}" if sys.argv[1] == "inputs" else f"--dim={rows}")
