#!/usr/bin/env python3
"""Measures layers of qcc on an NVIDIA GPU beside what one would use instead, on a machine without a compiler.

  bench-gpu.py prepare FOLDER [--shape=MxNxK]... [--chip=sm_80]...   where qcc is built: compiles layers, computes results
  FOLDER/bench-gpu.py run [--rounds=N] [--json=FILE]                 where the GPU is, with that folder and numpy

A layer is int8: y = min(127, rint(relu((x * w^T + bias) * scale))), with a bias and a scale of each column. Candidates take
turns, round by round, between events of CUDA; a time is the median of the rounds. Copies of x and y, together larger than
the L2 cache, take turns as well. A ratio is a candidate's time over that of qcc: above 1, qcc is faster. Shares are of what
the same run measures: products of bytes from registers alone, and reads of memory. Calls are made one by one from Python:
what takes a GPU less than some 10 microseconds is as slow as its launches, whoever's it is. A peer that is missing, or does not run,
has the reason in its row.

$QCC_BUILD_DIR names the build, build/release if not given. Exit codes: 0, or 1 if qcc or cuBLASLt compute something else,
2 wrong usage or no GPU.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
try:
    import numpy as np

    from bench_gpu import candidates, peaks
    from gpu_driver import Failure, Gpu
except ModuleNotFoundError as error:
    print(f"bench-gpu: {error}; run it with a Python that has numpy", file=sys.stderr)
    sys.exit(2)

HERE = pathlib.Path(__file__).resolve().parent
SHAPES = ["4096x4096x4096", "2048x4096x1024", "512x512x512", "128x768x768", "128x3072x768", "16x4096x4096", "1x4096x4096"]
# The chips of qcc, and the versions of PTX that it writes for them.
CHIPS = {"sm_75": 65, "sm_80": 70, "sm_86": 71, "sm_89": 78, "sm_90": 78, "sm_120": 87}
L2_CACHE_SIZE, MULTIPROCESSORS = 38, 16

PROGRAM = """
func.func @layer(%x: tensor<{m}x{k}xi8>) -> tensor<{m}x{n}xi8> {{
  %w = arith.constant dense_resource<w> : tensor<{n}x{k}xi8>
  %bias = arith.constant dense_resource<bias> : tensor<{n}xi32>
  %scale = arith.constant dense_resource<scale> : tensor<{n}xf32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<{m}x{n}xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<{m}x{n}xi32>) -> tensor<{m}x{n}xi32>
  %acc = linalg.generic {{indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>,
      affine_map<(i, j, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %w : tensor<{m}x{k}xi8>, tensor<{n}x{k}xi8>) outs(%f : tensor<{m}x{n}xi32>) {{
  ^bb0(%a: i8, %b: i8, %c: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %c, %2 : i32
    linalg.yield %3 : i32
  }} -> tensor<{m}x{n}xi32>
  %o = tensor.empty() : tensor<{m}x{n}xi8>
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%acc, %bias, %scale : tensor<{m}x{n}xi32>, tensor<{n}xi32>, tensor<{n}xf32>) outs(%o : tensor<{m}x{n}xi8>) {{
  ^bb0(%a: i32, %b: i32, %s: f32, %out: i8):
    %low = arith.constant 0.0 : f32
    %high = arith.constant 127.0 : f32
    %0 = arith.addi %a, %b : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.minimumf %4, %high : f32
    %6 = arith.fptosi %5 : f32 to i8
    linalg.yield %6 : i8
  }} -> tensor<{m}x{n}xi8>
  return %y : tensor<{m}x{n}xi8>
}}
"""


def run_tool(*command):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


#===-----------------------------------------------------------------------===#
# Where qcc is
#===-----------------------------------------------------------------------===#


def prepare(options):
    qcc = pathlib.Path(os.environ.get("QCC_BUILD_DIR", HERE.parent / "build" / "release")) / "bin" / "qcc"
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("bench-gpu.py", "gpu_driver.py"):
        shutil.copy(HERE / name, folder)
    shutil.copytree(HERE / "bench_gpu", folder / "bench_gpu", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    for shape in options.shape or SHAPES:
        m, n, k = (int(size) for size in shape.split("x"))
        random = np.random.default_rng([m, n, k])
        arrays = {
            "x": random.integers(-128, 128, (m, k), np.int8), "w": random.integers(-128, 128, (n, k), np.int8),
            "bias": random.integers(-9999, 9999, n, np.int32),
            "scale": (random.uniform(0.5, 1.5, n) / (73 * 73 * k**0.5) * 60).astype(np.float32),
        }
        program = folder / f"{shape}.mlir"
        program.write_text(PROGRAM.format(m=m, n=n, k=k))
        weights = folder / "weights.npz"
        np.savez(weights, **{name: arrays[name] for name in ("w", "bias", "scale")})
        np.save(folder / "x.npy", arrays["x"])
        run_tool(qcc, "run", program, f"--weights={weights}", f"--input={folder / 'x.npy'}",
                 f"--output={folder / 'y.npy'}")
        np.savez(folder / f"{shape}.npz", y=np.load(folder / "y.npy"), **arrays)
        for chip in options.chip or CHIPS:
            given = [program, f"--weights={weights}", "--target=cuda", f"--mcpu={chip}"]
            run_tool(qcc, "compile", *given, "-o", folder / f"{shape}.{chip}.ptx")
            run_tool(qcc, "compile", *given, "-o", folder / f"{shape}.{chip}.weights")
            (entry,) = json.loads(run_tool(qcc, "explain", *given, "--json"))["entries"]
            (folder / f"{shape}.{chip}.json").write_text(json.dumps(entry))
    for name in ("weights.npz", "x.npy", "y.npy"):
        (folder / name).unlink()
    print(f"{folder} is ready; run {folder / 'bench-gpu.py'} run on a machine with an NVIDIA GPU")
    return 0


#===-----------------------------------------------------------------------===#
# Where the GPU is
#===-----------------------------------------------------------------------===#


class Timer:
    """Microseconds of a call: between events, or by the clock where a peer waits for itself."""

    def __init__(self, gpu, calls):
        self.gpu, self.calls = gpu, calls

    def __call__(self, start, by_clock=False):
        start()
        self.gpu.call("cuCtxSynchronize")
        many = lambda: [start() for _ in range(self.calls)]  # noqa: E731
        if not by_clock:
            return self.gpu.time(many) / self.calls
        begin = time.perf_counter()
        many()
        return 1e6 * (time.perf_counter() - begin) / self.calls


def measure(runs, timer, rounds, copies):
    """Medians of what takes turns: `runs` maps names to functions of a number of a copy."""
    times = {name: [] for name in runs}
    order = list(runs)
    for _ in range(rounds):
        for name in order:
            turn = iter(range(1 << 62))
            run = runs[name]
            times[name].append(timer(lambda: run(next(turn) % copies), name in candidates.BY_CLOCK))
        order.reverse()
    return {name: statistics.median(taken) for name, taken in times.items()}


def make_all(layer, timer):
    """What runs, and why the rest does not. Whoever writes y has to write what qcc computes on a processor."""
    runs, missing = {}, {}
    for name, make in candidates.ALL.items():
        try:
            run = make(layer, timer)
            layer.forget()
            run(0)
            layer.gpu.call("cuCtxSynchronize")
            if name in candidates.CHECKED and not layer.is_right():
                missing[name] = "WRONG: it computes something else"
            else:
                runs[name] = run
        except Exception as error:  # whatever a peer raises costs its row alone
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    return runs, missing


def rows_of(layer, times, missing, products, bandwidth):
    work = layer.m * layer.n * layer.k
    size = layer.x.nbytes + layer.w.nbytes + layer.y.nbytes
    rows = []
    for name in candidates.ALL:
        row = {"shape": layer.shape, "candidate": name}
        if name in times:
            seconds = 1e-6 * times[name]
            row.update(microseconds=times[name], share_of_mma=work / seconds / products,
                       share_of_bandwidth=size / seconds / bandwidth)
            if "qcc" in times:
                row["ratio"] = times[name] / times["qcc"]
        else:
            row["missing"] = missing[name]
        rows.append(row)
    return rows


def spell(row):
    if "missing" in row:
        return f"{row['shape']:>16}  {row['candidate']:<20} {row['missing']}"
    ratio = f"{row['ratio']:6.2f}" if "ratio" in row else "     -"
    return (f"{row['shape']:>16}  {row['candidate']:<20} {row['microseconds']:10.2f} us {ratio}  "
            f"{100 * row['share_of_mma']:5.1f} % of mma  {100 * row['share_of_bandwidth']:5.1f} % of reads")


def run(options):
    shapes = sorted(path.stem for path in HERE.glob("*.npz"))
    if not shapes:
        raise Failure(f"{HERE} has no layers; make them with bench-gpu.py prepare where qcc is built")
    gpu = Gpu()
    gpu.l2_bytes = gpu.attribute(L2_CACHE_SIZE, gpu.device)
    gpu.multiprocessors = gpu.attribute(MULTIPROCESSORS, gpu.device)
    timer = Timer(gpu, options.calls)
    prepared = {path.name.split(".")[1] for path in HERE.glob("*.ptx")}
    usable = [chip for chip in CHIPS if chip in prepared and int(chip.removeprefix("sm_")) <= gpu.capability]
    if not usable:
        raise Failure(f"{gpu.name} (sm_{gpu.capability}) runs no code for {', '.join(sorted(prepared))}; prepare for it")
    chip = usable[-1]
    products, bandwidth = peaks.measure(gpu, np, timer, chip, CHIPS[chip], options.read_bytes)
    print(f"{gpu.name} (sm_{gpu.capability}), kernels for {chip}: {2e-12 * products:.1f} TOP/s of mma from registers, "
          f"{1e-9 * bandwidth:.0f} GB/s read")
    rows = []
    for shape in shapes:
        layer = candidates.Layer(gpu, HERE, shape, chip, CHIPS[chip])
        runs, missing = make_all(layer, timer)
        times = measure(runs, timer, options.rounds, layer.copies)
        rows += rows_of(layer, times, missing, products, bandwidth)
        for row in rows[-len(candidates.ALL):]:
            print(spell(row), flush=True)
        layer.free()
    if options.json:
        options.json.write_text(json.dumps({"gpu": gpu.name, "chip": chip, "macs_per_second": products,
                                            "bytes_per_second": bandwidth, "rows": rows}, indent=1))
    return int(any(row.get("missing", "").startswith("WRONG") for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare")
    preparing.add_argument("folder", type=pathlib.Path)
    preparing.add_argument("--shape", action="append")
    preparing.add_argument("--chip", action="append", choices=CHIPS)
    running = commands.add_parser("run")
    running.add_argument("--rounds", type=int, default=9)
    running.add_argument("--calls", type=int, default=20, help="calls between two events")
    running.add_argument("--json", type=pathlib.Path)
    running.add_argument("--read-bytes", type=int, default=1 << 30, help="what is read to measure the bandwidth")
    options = parser.parse_args()
    try:
        return prepare(options) if options.command == "prepare" else run(options)
    except Failure as failure:
        print(f"bench-gpu: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
