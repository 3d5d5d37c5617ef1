"""Says whether two programs have the same kernels, by what `qcc explain --json` says of them."""

import json
import sys


def kernels(path):
    with open(path) as file:
        steps = json.load(file)["kernels"]
    return sorted((s["atom"], s["config"], s["operations"]) for s in steps if s["kind"] == "contract")


a, b = kernels(sys.argv[1]), kernels(sys.argv[2])
print(f"{len(a)} kernels, {'the same' if a == b else f'{a} and {b}'}")
