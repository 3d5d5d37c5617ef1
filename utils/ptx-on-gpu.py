#!/usr/bin/env python3
"""Runs PTX on an NVIDIA GPU and in the emulator, and compares the bits.

  ptx-on-gpu.py FILE.ptx --kernel=K --grid=X[,Y[,Z]] --block=X[,Y[,Z]] [--shared=BYTES]
                --arg=... [--arg=...] [--time]
  ptx-on-gpu.py --arithmetic [--only=WORD]

The first form takes the arguments of qcc-ptx-emu: FILE.npy, inout:FILE.npy, a zeroed buffer
such as out:NAME:f32[8,16], or a number such as 5, 0.5, i32:5. All inout and out buffers are
compared; no file is written. --time prints the median time of 50 launches beside the
emulator's estimate for that chip.

The second form writes a kernel for each instruction of ptx_arithmetic.py, feeds it special
and random operands, and compares: bit for bit, or by the stated bound of approximations. Where
the GPU is an sm_90, it does the same for each form of wgmma in ptx_wgmma.py.

Only the driver is needed (libcuda.so.1), no toolkit. Exit codes: 0 all agrees, 1 something
differs, 2 wrong usage or no GPU. --emulator=PATH names qcc-ptx-emu, which is looked for in
$QCC_BUILD_DIR/bin, build/release/bin and on the PATH else. --no-gpu runs the emulator alone.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np

    import ptx_arithmetic
    import ptx_wgmma
    from gpu_driver import Failure, Gpu
except ModuleNotFoundError as error:
    print(f"ptx-on-gpu: {error}; run it with build/venv/bin/python, which utils/install-deps.sh "
          "makes", file=sys.stderr)
    sys.exit(2)


class Argument:
    """`text` as on the command line, and what it stands for."""

    TYPES = {"i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4", "u32": "u4",
             "i64": "i8", "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8", "bf16": "u2"}

    def __init__(self, text, array=None, is_output=False):
        self.text, self.array, self.is_output = text, array, is_output
        self.scalar = None
        if array is None:
            self.parse()

    def parse(self):
        kind, _, rest = self.text.partition(":")
        if kind == "out":
            self.is_output = True
            self.array = self.zeros(rest)
        elif self.text.endswith(".npy"):
            self.is_output = kind == "inout"
            try:
                self.array = np.ascontiguousarray(np.load(rest if self.is_output else self.text))
            except (OSError, ValueError) as error:
                raise Failure(f"--arg={self.text}: {error}") from None
        else:
            self.scalar = self.number(kind, rest)

    def zeros(self, rest):
        match = re.fullmatch(r"[^:]+:(\w+)\[([\d,]+)\]", rest)
        if not match or match[1] not in self.TYPES:
            raise Failure(f"--arg={self.text}: expected out:NAME:TYPE[SIZES], "
                          "as in out:y.npy:f32[8,16]")
        return np.zeros([int(size) for size in match[2].split(",")], self.TYPES[match[1]])

    def number(self, kind, rest):
        """A ctypes value; the low bytes of an integer hold those of a narrower one."""
        try:
            if not rest:
                kind, rest = ("f32" if re.search(r"[.e]", kind) and "x" not in kind
                              else "i64"), kind
            if kind in ("f32", "f64"):
                return (ctypes.c_float if kind == "f32" else ctypes.c_double)(float(rest))
            if kind in self.TYPES and kind[0] in "iu":
                return ctypes.c_int64(int(rest, 0))
        except ValueError:
            pass
        raise Failure(f"--arg={self.text}: neither a .npy file nor a number")


class Launch:
    def __init__(self, grid, block, shared=0):
        self.grid, self.block, self.shared = grid, block, shared


def dimensions(text):
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise Failure(f"'{text}' is no list of numbers such as 4,2,1") from None
    return (values + [1, 1])[:3]


def find_gpu():
    try:
        return Gpu()
    except Failure as failure:
        raise Failure(f"{failure}, or with --no-gpu") from None


def find_emulator(path):
    root = pathlib.Path(__file__).resolve().parents[1]
    build = os.environ.get("QCC_BUILD_DIR", root / "build" / "release")
    for candidate in [path] if path else [pathlib.Path(build) / "bin" / "qcc-ptx-emu",
                                          shutil.which("qcc-ptx-emu")]:
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    raise Failure(f"qcc-ptx-emu is not {'at ' + path if path else 'built'}; "
                  "name it with --emulator=PATH")


def emulate(emulator, ptx, kernel, launch, arguments, chip=None):
    """Results of `out` arguments and, with a chip, the estimate for it."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "kernel.ptx").write_text(ptx)
        command = [emulator, "kernel.ptx", f"--kernel={kernel}",
                   "--grid=" + ",".join(map(str, launch.grid)),
                   "--block=" + ",".join(map(str, launch.block)), f"--shared={launch.shared}"]
        outputs = []
        for number, argument in enumerate(arguments):
            if argument.array is None:
                command.append(f"--arg={argument.text}")
                continue
            name = f"{number}.npy"
            np.save(folder / name, argument.array)
            command.append(f"--arg={'inout:' if argument.is_output else ''}{name}")
            if argument.is_output:
                outputs.append(folder / name)
        if chip:
            command += [f"--time-model={chip}", "--counters=counters.json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"the emulator failed on {kernel}:\n{done.stdout}{done.stderr}")
        estimate = json.loads((folder / "counters.json").read_text())["estimate"] if chip else None
        return [np.load(path) for path in outputs], estimate


def time_model(gpu):
    """The row of the emulator's table for this GPU."""
    if "H200" in gpu.name:
        return "h200"
    if gpu.capability in (80, 90):
        return f"sm_{gpu.capability}"
    raise Failure(f"--time: there is no time model for {gpu.name}, only for A100, H100 and H200")


def differences(got, expected):
    """Where bits differ; NaNs equal each other."""
    same = got.view(f"u{got.dtype.itemsize}") == expected.view(f"u{got.dtype.itemsize}")
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(expected)
    return np.flatnonzero(~same)


def compare_kernel(options, gpu, emulator):
    ptx = pathlib.Path(options.file).read_text()
    arguments = [Argument(text) for text in options.arg]
    launch = Launch(dimensions(options.grid), dimensions(options.block), options.shared)
    chip = time_model(gpu) if gpu and options.time else None
    emulated, estimate = emulate(emulator, ptx, options.kernel, launch, arguments, chip)
    if not gpu:
        print(f"{options.kernel}: ran in the emulator alone")
        return 0
    computed, time = gpu.run(gpu.load(ptx), options.kernel, launch, arguments,
                             50 if options.time else 0)
    code = 0
    outputs = [argument for argument in arguments if argument.is_output]
    for argument, got, expected in zip(outputs, computed, emulated):
        where = differences(got, expected)
        print(f"{argument.text}: {len(where)} of {got.size} elements differ")
        if len(where):
            first = where[0]
            print(f"  first at {first}: {gpu.name} has {got.flat[first]!r}, "
                  f"the emulator {expected.flat[first]!r}")
            code = 1
    if options.time and estimate["fits"]:
        ratio = estimate["microseconds"] / time
        print(f"{gpu.name}: {time:.1f} us; estimated {estimate['microseconds']:.1f} us, "
              f"bound by {estimate['bound']}: {ratio:.2f} of the time")
    return code


def continue_after(options, skip):
    """The exit code of another process that leaves out the tests before `skip`."""
    command = [sys.executable, __file__, "--arithmetic", f"--only={options.only}", f"--skip={skip}"]
    if options.emulator:
        command.append(f"--emulator={options.emulator}")
    return subprocess.run(command).returncode


def compare_arithmetic(options, gpu, emulator):
    capability = gpu.capability if gpu else 90
    known = [*ptx_arithmetic.tests(capability), *(ptx_wgmma.tests() if capability == 90 else [])]
    found = [test for test in known if options.only in test.name][options.skip:]
    if not found and options.skip:
        return 0
    if not found:
        raise Failure(f"no instruction has '{options.only}' in its name")

    def launch_of(test):
        return Launch([test.threads // 128, 1, 1], [128, 1, 1], test.shared)

    def arguments_of(test):
        return [*(Argument("", array) for array in test.operands),
                Argument("", np.zeros_like(test.result), is_output=True)]

    def emulated_of(test):
        [emulated], _ = emulate(emulator, test.ptx, test.kernel, launch_of(test), arguments_of(test))
        return emulated

    # The emulator has processes of its own, so that threads keep all processors busy.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(emulated_of, found))
    failed = 0
    for number, (test, emulated) in enumerate(zip(found, results) if gpu else []):
        try:
            [computed], _ = gpu.run(gpu.load(test.ptx), test.kernel, launch_of(test), arguments_of(test))
            message = test.compare(computed, emulated)
        except Failure as failure:
            # A process whose kernel failed has to end.
            print(f"{test.name}: {failure}", flush=True)
            return max(1, continue_after(options, options.skip + number + 1))
        if message:
            failed += 1
            print(f"{test.name}: {message}")
    where = gpu.name if gpu else "the emulator alone"
    print(f"{len(found)} instructions on {where}, {failed} differ")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--arithmetic", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first tests of --arithmetic")
    parser.add_argument("--kernel")
    parser.add_argument("--grid", default="1")
    parser.add_argument("--block", default="1")
    parser.add_argument("--shared", type=int, default=0)
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--no-gpu", action="store_true")
    parser.add_argument("--emulator")
    options = parser.parse_args()
    try:
        if options.arithmetic == bool(options.file):
            raise Failure("give either a PTX file or --arithmetic")
        if options.file and not options.kernel:
            raise Failure("--kernel is missing")
        gpu = None if options.no_gpu else find_gpu()
        emulator = find_emulator(options.emulator)
        run = compare_arithmetic if options.arithmetic else compare_kernel
        return run(options, gpu, emulator)
    except (Failure, OSError) as failure:
        print(f"ptx-on-gpu: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
