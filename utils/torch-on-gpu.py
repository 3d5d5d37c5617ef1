#!/usr/bin/env python3
"""Runs cases of utils/check-gpu.sh through the Python package, on tensors of PyTorch that a GPU holds.

  torch-on-gpu.py FOLDER [--artifact=NAME]...

FOLDER is what `check-gpu.sh prepare` made. Each case runs on the default stream, on a stream of its own, and captured
in a CUDA graph, which is replayed with other contents of the same tensors. Results are compared bit for bit. Exit
codes: 0 all agrees, 1 something differs or fails, 2 wrong usage or no GPU. QCC_LIBRARY_PATH names the folder of
libqcc_runtime.so.1.
"""

import argparse
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
ARTIFACTS = ("Linear", "Matmul", "Convolution", "Grouped", "Activations")
CASES_OF_ENTRY = 2


def cases_of(folder, artifact):
    """Entry, names of inputs and of expected results, of some cases of each entry."""
    seen, cases = {}, []
    for line in (folder / "cases.txt").read_text().splitlines():
        words = line.split()
        if words[0] != artifact + ".so":
            continue
        options = [word.split("=", 1) for word in words[1:]]
        entry = dict(options)["--entry"]
        seen[entry] = seen.get(entry, 0) + 1
        if seen[entry] <= CASES_OF_ENTRY:
            cases.append((entry, *([folder / value for option, value in options if option == kind]
                                   for kind in ("--input", "--expect"))))
    return cases


def is_nan(array):
    """Where elements are NaN; those of two bytes without a meaning are bf16."""
    if array.dtype.kind == "V":
        return (array.view(np.uint16) & 0x7FFF) > 0x7F80
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)


def differences(results, expected):
    """How many elements have other bits; NaNs equal each other."""
    bits = [f"u{array.itemsize}" for array in expected]
    return sum(int(((got.view(kind) != array.view(kind)) & ~(is_nan(got) & is_nan(array))).sum())
               for got, array, kind in zip(results, expected, bits))


class Case:
    """One case on tensors of the GPU."""

    def __init__(self, torch, function, inputs, expected):
        self.torch, self.function, self.expected = torch, function, expected
        self.inputs = [self.tensor(array) for array in inputs]
        self.results = [self.tensor(array) for array in expected]

    def tensor(self, array):
        """On the GPU; NumPy has no type for bf16, whose elements are 2 bytes without a meaning."""
        if array.dtype.kind == "V":
            return self.torch.from_numpy(array.view(np.uint16)).cuda().view(self.torch.bfloat16)
        return self.torch.from_numpy(array).cuda()

    def computed(self):
        """The results as arrays of the types of the expected ones."""
        plain = [result.view(self.torch.int16) if result.dtype == self.torch.bfloat16 else result
                 for result in self.results]
        return [result.cpu().numpy().view(array.dtype) for result, array in zip(plain, self.expected)]

    def poison(self):
        for result in self.results:
            result.reshape(-1).view(self.torch.uint8).fill_(0x5A)

    def run(self, stream):
        out = self.results if len(self.results) != 1 else self.results[0]
        self.function(*self.inputs, out=out, stream=stream)

    def on_default_stream(self):
        self.run(None)

    def on_side_stream(self):
        side = self.torch.cuda.Stream()
        side.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(side):
            self.poison()
            self.run(side.cuda_stream)
        side.synchronize()

    def in_a_graph(self):
        torch = self.torch
        graph = torch.cuda.CUDAGraph()
        originals = [tensor.clone() for tensor in self.inputs]
        with torch.cuda.graph(graph):
            self.run(torch.cuda.current_stream().cuda_stream)
        for tensor in self.inputs:
            tensor.reshape(-1).view(torch.uint8).fill_(0)
        graph.replay()
        for tensor, original in zip(self.inputs, originals):
            tensor.copy_(original)
        self.poison()
        graph.replay()
        torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--artifact", action="append")
    options = parser.parse_args()
    import torch

    import qcc

    if not torch.cuda.is_available():
        print("torch-on-gpu: torch sees no GPU", file=sys.stderr)
        return 2
    capability = "".join(map(str, torch.cuda.get_device_capability()))
    failed = passed = 0
    for name in options.artifact or ARTIFACTS:
        name = f"{name}_sm_{capability}"
        begin = time.perf_counter()
        module = qcc.load(options.folder / f"{name}.so", device="cuda")
        for entry, inputs, expected in cases_of(options.folder, name):
            arrays = [[np.load(path) for path in paths] for paths in (inputs, expected)]
            case = Case(torch, module.function(entry), *arrays)
            for way in (case.on_default_stream, case.on_side_stream, case.in_a_graph):
                case.poison()
                try:
                    way()
                    reason = f"{count} elements differ" if (count := differences(case.computed(), arrays[1])) else None
                except Exception as error:  # each case is to have its row
                    reason = f"{type(error).__name__}: {error}"
                passed, failed = passed + (reason is None), failed + (reason is not None)
                if reason:
                    print(f"FAIL: {name} {entry} {inputs[0].name} {way.__name__}: {reason}", flush=True)
        print(f"{name}: {time.perf_counter() - begin:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
