"""Builds a program with its expected results, runs it through `qcc run`, compares bits."""

import functools
import os
import pathlib
import re
import subprocess

import numpy as np

import device

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"


def build_dir():
    if "QCC_BUILD_DIR" in os.environ:
        return pathlib.Path(os.environ["QCC_BUILD_DIR"])
    return ROOT / "build" / "release"


def sanitizer():
    """The sanitizer of the build, or ""."""
    cache = build_dir() / "CMakeCache.txt"
    found = re.search(r"^QCC_SANITIZE:STRING=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    return found.group(1) if found else ""


def qcc():
    return build_dir() / "bin" / "qcc"


@functools.lru_cache(maxsize=None)
def listed_targets():
    """What `qcc targets` prints."""
    return subprocess.run([qcc(), "targets"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout


def host_cpus():
    """What `--mcpu` can name on this host."""
    return re.findall(r"^  mcpu ([a-z][\w-]+) +runs here", listed_targets(), re.MULTILINE) + ["native"]


def targets():
    """The arguments that choose each way to run a program on this host."""
    return [["--target=reference"]] + [[f"--mcpu={cpu}"] for cpu in host_cpus()]


def run_file(path, folder, inputs, outputs, weights=None, arguments=()):
    """Runs `qcc run`, or kernels on the emulator; returns the arrays of its outputs."""
    folder = pathlib.Path(folder)
    if weights:
        np.savez(folder / "weights.npz", **weights)
        arguments = [*arguments, f"--weights={folder / 'weights.npz'}"]
    if "--target=cuda" in arguments:
        return device.run_file(build_dir() / "bin", path, folder, inputs, arguments)
    command = [str(qcc()), "run", str(path), *arguments]
    for index, array in enumerate(inputs):
        np.save(folder / f"input{index}.npy", array)
        command.append(f"--input={folder / f'input{index}.npy'}")
    for index in range(outputs):
        command.append(f"--output={folder / f'output{index}.npy'}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return [np.load(folder / f"output{index}.npy") for index in range(outputs)]


def assert_same_bits(actual, expected, what=""):
    """Equal shapes, types and bits; any NaN equals any other (N7)."""
    assert actual.dtype == expected.dtype, f"{what}: {actual.dtype}, not {expected.dtype}"
    assert actual.shape == expected.shape, f"{what}: {actual.shape}, not {expected.shape}"
    bits = np.dtype(f"u{expected.dtype.itemsize}")
    actual, expected = np.ascontiguousarray(actual), np.ascontiguousarray(expected)
    differ = actual.view(bits) != expected.view(bits)
    if expected.dtype.kind == "f":
        differ &= ~(np.isnan(actual) & np.isnan(expected))
    if differ.any():
        place = tuple(int(i) for i in np.argwhere(differ)[0])
        raise AssertionError(
            f"{what}: {int(differ.sum())} of {differ.size} elements differ, first at "
            f"{place}: {actual[place]!r}, expected {expected[place]!r}"
        )


def number(value):
    """The binary32 value as MLIR text that reads back exactly."""
    return f"{float(np.float32(value)):.17e}"


def uniform(storage, scale, zero_point=0, axis=None):
    """A !quant.uniform type, per tensor or per channel."""
    if axis is None:
        suffix = f":{int(zero_point)}" if zero_point else ""
        return f"!quant.uniform<{storage}:f32, {number(scale)}{suffix}>"
    zero_points = np.broadcast_to(zero_point, np.shape(scale))
    channels = ", ".join(
        number(s) + (f":{int(z)}" if z else "") for s, z in zip(scale, zero_points)
    )
    return f"!quant.uniform<{storage}:f32:{axis}, {{{channels}}}>"


class Program:
    """One function, of which every result carries the array it must be."""

    def __init__(self):
        self.arguments = []
        self.body = []
        self.results = []
        self.inputs = []
        self.weights = {}

    def argument(self, type, array):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append(f"{name}: {type}")
        self.inputs.append(array)
        return name

    def weight(self, type, array):
        name = f"w{len(self.weights)}"
        self.weights[name] = array
        self.body.append(f"%{name} = arith.constant dense_resource<{name}> : {type}")
        return f"%{name}"

    def op(self, text):
        name = f"%v{len(self.body)}"
        self.body.append(f"{name} = {text}")
        return name

    def result(self, value, type, expected):
        self.results.append((value, type, expected))

    def text(self):
        types = ", ".join(type for _, type, _ in self.results)
        values = ", ".join(value for value, _, _ in self.results)
        body = "\n  ".join(self.body)
        return (
            f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n  {body}\n"
            f"  return {values} : {types}\n}}\n"
        )

    def check(self, folder, arguments):
        path = pathlib.Path(folder) / "program.mlir"
        path.write_text(self.text())
        outputs = run_file(
            path, folder, self.inputs, len(self.results), self.weights, arguments
        )
        for (value, type, expected), actual in zip(self.results, outputs):
            definition = next(
                (line for line in self.body if line.startswith(value + " ")), value
            )
            assert_same_bits(actual, expected, definition[:300])
