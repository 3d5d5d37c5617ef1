"""Kernels that other compilers and libraries make: the emulator loads them, and reports nothing.

Each part needs packages of PyPI, and no GPU: triton; numba-cuda; nvidia-cuda-nvrtc-cu12 with
nvidia-cuda-cccl-cu12 for CUB, and with nvidia-cutlass, nvidia-cuda-runtime-cu12 and
nvidia-cuda-nvcc-cu12 for CUTLASS.
"""

import ctypes
import importlib.util
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import program

EMULATOR = program.build_dir() / "bin" / "qcc-ptx-emu"
KERNELS = program.ROOT / "emulator" / "test" / "ThirdParty"
SEEDS = range(3)


@pytest.fixture(autouse=True)
def emulator(monkeypatch):
    if not EMULATOR.exists():
        message = f"{EMULATOR} does not exist"
        pytest.fail(message) if "QCC_BUILD_DIR" in os.environ else pytest.skip(message)
    monkeypatch.syspath_prepend(str(KERNELS))


def folder_of(package, *inside):
    """A folder of an installed package; skips the test if there is none."""
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        found = None
    places = [pathlib.Path(place, *inside) for place in found.submodule_search_locations or []] if found else []
    for place in places:
        if place.is_dir():
            return place
    pytest.skip(f"the Python package {package} is not installed")


def text(numbers):
    return ",".join(str(n) for n in numbers)


def emulate(folder, ptx, kernel, grid, block, arguments, shared=0):
    """The arguments after the kernel; the same for each seed."""
    (folder / "k.ptx").write_text(ptx)
    found = None
    for seed in SEEDS:
        command = [EMULATOR, "k.ptx", f"--kernel={kernel}", f"--grid={text(grid)}", f"--block={text(block)}",
                   f"--shared={shared}", f"--seed={seed}"]
        for i, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                np.save(folder / f"{i}.npy", argument)
                argument = f"inout:{i}.npy"
            command.append(f"--arg={argument}")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"seed {seed}: {done.stdout}{done.stderr}"
        got = [np.load(folder / f"{i}.npy") if isinstance(argument, np.ndarray) else argument
               for i, argument in enumerate(arguments)]
        assert found is None or all(np.array_equal(x, y) for x, y in zip(found, got)), f"seed {seed} differs"
        found = got
    return found


def check(failures, name, run, results):
    """Collects what is wrong, so that one kernel does not hide others."""
    try:
        got = run()
        for i, expected in results.items():
            tolerance = 3e-3 if name == "attention" else 1e-5
            assert np.allclose(np.ravel(got[i]).astype(float), np.ravel(expected).astype(float), tolerance, tolerance)
    except AssertionError as error:
        failures.append(f"{name}: {error}")


@pytest.mark.parametrize("chip", [80, 89, 90, 120])
@pytest.mark.parametrize("warps", [4, 8])
def test_triton(chip, warps, tmp_path):
    folder_of("triton")
    import triton_kernels
    failures = []
    for name, function, signature, constants, grid, arguments, results in triton_kernels.cases(chip):
        ptx, threads, shared = triton_kernels.compile(function, signature, constants, chip, warps)
        entry, parameters = re.search(r"\.entry (\w+)\((.*?)\)\s*\.reqntid", ptx, re.S).groups()
        # Triton adds scratch memory of the whole launch, which these kernels do not use.
        scratch = [0] * (parameters.count(".param") - len(arguments))
        check(failures, name, lambda: emulate(tmp_path, ptx, entry, grid, (threads,), arguments + scratch, shared), results)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("chip", [80, 90, 120])
def test_numba(chip, tmp_path):
    folder_of("numba_cuda")
    import numba_kernels
    failures = []
    for function, grid, block, arrays, results in numba_kernels.cases():
        ptx, parameters = numba_kernels.compile(function, arrays, chip)
        entry = re.search(r"\.entry\s+([\w$]+)", ptx)[1]
        flat = [one for some in parameters for one in some]

        def run():
            got = emulate(tmp_path, ptx, entry, grid, block, flat)
            begins = np.cumsum([0] + [len(some) for some in parameters])
            return [got[begin + 4] for begin in begins[:-1]]
        check(failures, function.__name__, run, results)
    assert not failures, "\n".join(failures)


def compile_cuda(source, chip, includes):
    """PTX of CUDA C++, by NVRTC."""
    library = ctypes.CDLL(str(folder_of("nvidia.cuda_nvrtc", "lib") / "libnvrtc.so.12"))
    unit, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.nvrtcCreateProgram(ctypes.byref(unit), source.read_bytes(), source.name.encode(), 0, None, None) == 0
    options = [f"--gpu-architecture=compute_{chip}", "--std=c++17", "-w", "-default-device", *(f"-I{i}" for i in includes)]
    words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    failed = library.nvrtcCompileProgram(unit, len(options), words)
    kind = "ProgramLog" if failed else "PTX"
    getattr(library, f"nvrtcGet{kind}Size")(unit, ctypes.byref(size))
    result = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{kind}")(unit, result)
    assert not failed, result.value.decode()
    return result.value.decode()


@pytest.mark.parametrize("chip", [80, 90, 120])
def test_cub(chip, tmp_path):
    ptx = compile_cuda(KERNELS / "cub.cu", chip, [folder_of("nvidia.cuda_cccl", "include")])
    random = np.random.default_rng(2)
    x, bytes_, n = random.integers(-1000, 1000, 512).astype(np.int32), random.integers(0, 256, 512).astype(np.int32), 467
    part, zeros = x[:n], lambda count: np.zeros(count, np.int32)
    full = lambda values: np.concatenate([values, zeros(512 - n)])
    blocks = [x[i:min(i + 128, n)].sum() for i in range(0, n, 128)]
    cases = {
        "reduce_warp": (x, 4, blocks), "reduce_raking": (x, 4, blocks),
        "scan_raking": (x, 512, full(np.cumsum(part))), "scan_warp": (x, 512, full(np.cumsum(part))),
        "merge_sort": (x, 512, full(np.sort(part))), "radix_sort": (x, 512, full(np.sort(part))),
        "difference": (x, 512, full(np.diff(part, prepend=0))),
        "heads": (x // 500, 512, full(np.diff(part // 500, prepend=9) != 0)),
        "histogram_sort": (bytes_, 256, np.bincount(bytes_, minlength=256)),
        "histogram_atomic": (bytes_, 256, np.bincount(bytes_, minlength=256)),
        "warp_merge_sort": (x, 512, full(np.concatenate([np.sort(part[i:i + 64]) for i in range(0, n, 64)]))),
        "warp_reduce": (x, 16, x[:128].reshape(16, 8).sum(1)),
        "warp_scan": (x, 128, np.cumsum(x[:128].reshape(4, 32), 1)),
    }
    failures = []
    for name, (values, count, expected) in cases.items():
        grid = (4,) if name in ("reduce_warp", "reduce_raking") else (1,)
        check(failures, name, lambda: emulate(tmp_path, ptx, name, grid, (128,), [values, zeros(count), n]), {1: expected})
    assert not failures, "\n".join(failures)


def test_cutlass(tmp_path):
    includes = [folder_of("cutlass_library", "source", "include"), folder_of("nvidia.cuda_cccl", "include"),
                folder_of("nvidia.cuda_runtime", "include"), folder_of("nvidia.cuda_nvcc", "include")]
    ptx = compile_cuda(KERNELS / "cutlass.cu", 80, includes)
    random = np.random.default_rng(3)
    failures = []
    # The type of elements and of sums, whether B has rows, and sizes.
    for name, kind, total, has_rows, (m, n, k) in [
            ("int8", np.int8, np.int32, False, (70, 68, 80)), ("int8_sm75", np.int8, np.int32, False, (70, 68, 80)),
            ("int8_simt", np.int8, np.int32, False, (71, 67, 52)), ("half_column", np.float16, np.float32, False, (70, 68, 72)),
            ("half_row", np.float16, np.float32, True, (71, 66, 58)), ("float_simt", np.float32, np.float32, True, (71, 67, 13)),
            ("tf32", np.float32, np.float32, False, (70, 68, 36)), ("double_tensor", np.float64, np.float64, False, (71, 67, 13))]:
        a, b = random.integers(-8, 9, (m, k)).astype(kind), random.integers(-8, 9, (k, n)).astype(kind)
        stored = b if has_rows else np.ascontiguousarray(b.T)
        arguments = [a, stored, np.zeros((m, n), total), m, n, k, k, stored.shape[1], n]
        check(failures, name, lambda: emulate(tmp_path, ptx, name, (2, 2), (128,), arguments, 65536),
              {2: a.astype(float) @ b.astype(float)})
    assert not failures, "\n".join(failures)
