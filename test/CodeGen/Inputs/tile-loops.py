"""Describes the loops over tiles in the assembly of AMX kernels on stdin.

A loop is a run of instructions from a label to a jump that multiplies tiles. For each one, in order:
  multiplications, loads, stores and prefetches of a round; how many other instructions each multiplication
  has for the addresses; and the most vector instructions between two multiplications.
For the whole text: how often tiles are configured and released, what returns without releasing them, how many
tile instructions touch the stack, and calls.
"""

import re
import sys

LABEL = re.compile(r"[.\w$]+:")


def loops(instructions):
    """Runs of instructions that end in a jump back to where they begin."""
    start, label = 0, None
    for i, text in enumerate(instructions):
        if LABEL.match(text):
            start, label = i + 1, text.rstrip(":")
        elif text.startswith("j"):
            if text.split()[1] == label:
                yield instructions[start : i + 1]
            start = i + 1
    return


def describe(loop):
    def count(prefix):
        return sum(text.startswith(prefix) for text in loop)

    products = count("tdp")
    vectors = count("v")
    loads, stores, prefetches = count("tileloadd"), count("tilestored"), count("prefetch")
    rest = len(loop) - products - loads - stores - prefetches - vectors - count("tilezero")
    gaps = [0]
    for text in loop:
        if text.startswith("tdp"):
            gaps.append(0)
        gaps[-1] += text.startswith("v")
    print(
        f"loop: {products} multiplications, {loads} loads, {stores} stores, {prefetches} prefetches, "
        f"{rest / products:.1f} others each, {vectors} of vectors, at most {max(gaps)} together"
    )


def main():
    instructions = []
    for line in sys.stdin:
        text = line.split("#")[0].strip()
        if text and (LABEL.match(text) or not text.startswith(".")):
            instructions.append(" ".join(text.split()))
    for loop in loops(instructions):
        if any(text.startswith("tdp") for text in loop):
            describe(loop)

    configured = released = 0
    leaks = 0
    holds = False
    for text in instructions:
        if text.startswith("ldtilecfg"):
            configured += 1
            holds = True
        elif text.startswith("tilerelease"):
            released += 1
            holds = False
        elif text.startswith("ret"):
            leaks += holds
            holds = False
    stack = sum(text.startswith("tile") and "%rsp" in text for text in instructions)
    calls = sum(text.startswith("call") for text in instructions)
    print(f"configured {configured}, released {released}, returns that hold tiles {leaks}, "
          f"tiles on the stack {stack}, calls {calls}")


main()
