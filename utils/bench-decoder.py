#!/usr/bin/env python3
"""Measures tokens of a decoder beside ONNX Runtime: one token after so many in the caches.

The model is one of the model builder of ONNX Runtime GenAI. qcc with caches in place, qcc with caches that grow and ONNX
Runtime, whose caches grow, take turns. Before, logits are compared: both forms of qcc must have the same bits, and the
largest difference from ONNX Runtime is printed. The exit code is 1 if bits differ. Ratios are medians of those of each
round.

Usage: bench-decoder.py MODEL.onnx [--past=32,512] [--threads=1] [--rounds=60]

Needs onnxruntime and the Python package qcc.
"""

import argparse
import statistics
import sys
import time

import numpy as np
import onnxruntime

import qcc


def numbers(text):
    return [int(part) for part in text.split(",")]


def timed(run):
    start = time.perf_counter()
    results = run()
    return results, 1e3 * (time.perf_counter() - start)


class Forms:
    """The forms of one model, for the same tokens in the caches."""

    def __init__(self, path, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.growing = qcc.compile(path).function(threads=threads)
        self.in_place = qcc.compile(path, dims={"batch_size": 1}).function(threads=threads)
        self.names = [argument.name for argument in self.growing.arguments]
        self.caches = {result.name: [int(result.shape[1]), int(result.shape[3])]
                       for result in self.in_place.results if result.name.startswith("present.")}

    def runs(self, past, seed=0):
        """What gives the logits of one token, for each form."""
        rng = np.random.default_rng(seed)
        filled = {name: rng.standard_normal((1, heads, past, size), np.float32) for name, (heads, size) in self.caches.items()}
        longest = {name: np.pad(cache, [(0, 0), (0, 0), (0, 1), (0, 0)]) for name, cache in filled.items()}
        token = {"input_ids": np.array([[5]]), "attention_mask": np.ones((1, past + 1), np.int64),
                 "position_ids": np.array([[past]])}

        def arguments(caches):
            given = {**token, **{name.replace("present", "past_key_values"): cache for name, cache in caches.items()}}
            return [given[name] for name in self.names]

        grown, updated = arguments(filled), arguments(longest)
        fed = dict(zip(self.names, grown))
        return {"qcc in place": lambda: self.in_place(*updated, out=longest)[0], "qcc growing": lambda: self.growing(*grown)[0],
                "ONNX Runtime": lambda: self.session.run(None, fed)[0]}


def measure(forms, past, rounds):
    """Prints a line; returns whether both forms of qcc have the same bits."""
    runs = forms.runs(past)
    logits = {name: run() for name, run in runs.items()}
    times = {name: [] for name in runs}
    for round_number in range(rounds + 3):
        for name, run in runs.items():
            milliseconds = timed(run)[1]
            if round_number >= 3:
                times[name].append(milliseconds)
    *own, peer = runs
    medians = ", ".join(f"{name} {statistics.median(times[name]):.2f} ms" for name in runs)
    ratios = " and ".join(f"{statistics.median(a / b for a, b in zip(times[name], times[peer])):.2f}" for name in own)
    is_same = np.array_equal(logits[own[0]], logits[own[1]])
    difference = np.abs(logits[own[0]] - logits[peer]).max()
    print(f"past {past}: {medians}; {ratios} of the time of {peer}; bits {'equal' if is_same else 'DIFFER'}, "
          f"difference from {peer} {difference:.1e}")
    return is_same


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--past", type=numbers, default=[32, 512], help="how many tokens the caches have")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    if min(options.past) < 0 or options.rounds < 1:
        parser.error("--past must not be negative, and --rounds be at least 1")
    print(f"qcc {qcc.__version__}, ONNX Runtime {onnxruntime.__version__}, {options.threads} thread(s), {options.rounds} rounds")
    forms = Forms(options.model, options.threads)
    are_same = [measure(forms, past, options.rounds) for past in options.past]
    return 0 if all(are_same) else 1


if __name__ == "__main__":
    sys.exit(main())
