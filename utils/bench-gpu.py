#!/usr/bin/env python3
"""Measures layers of qcc on an NVIDIA GPU beside what one would use instead, on a machine without a compiler.

  bench-gpu.py prepare FOLDER [--shape=MxNxK]... [--chip=sm_80]...   where qcc is built: compiles layers
  FOLDER/bench-gpu.py run [--rounds=N] [--seconds=N] [--json=FILE]   where the GPU is, with that folder and numpy
  FOLDER/bench-gpu.py calibrate [the same options]                   the same place, after prepare --configs=N

calibrate times up to N configs of each layer, of which the cost model chose the first, and says how far that one is from
the fastest, and how far expected times are from those that were measured.

A layer is int8: y = min(127, rint(relu((x * w^T + bias) * scale))), with a bias and a scale of each column. Both machines
make its arrays from a seed, and the folder has a hash of y that a processor computed. What a candidate launches for all
copies of x, w and y, which together are larger than the L2 cache, is recorded as a CUDA graph. Graphs take turns, round by
round, between events of CUDA; a time is the median of the rounds. A ratio is a candidate's time over that of qcc: above 1,
qcc is faster. Shares are of what the same run measures: products of bytes from registers alone by mma.sync, and reads of
memory. A peer that is missing, or does not run, has the reason in its row. Clocks are read, never set.

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

    from bench_gpu import calibration, candidates, layers, peaks
    from gpu_driver import Failure, Gpu, Sensors
except ModuleNotFoundError as error:
    print(f"bench-gpu: {error}; run it with a Python that has numpy", file=sys.stderr)
    sys.exit(2)

HERE = pathlib.Path(__file__).resolve().parent
SHAPES = ["4096x4096x4096", "8192x8192x8192", "2048x2048x2048", "10240x512x2048", "10240x2048x512", "512x512x512",
          "128x768x768", "128x3072x768", "1x4096x4096", "16x4096x4096", "64x4096x4096", "256x4096x4096"]
# The chips of qcc, and the versions of PTX that it writes for them.
CHIPS = {"sm_75": 65, "sm_80": 70, "sm_86": 71, "sm_89": 78, "sm_90": 78, "sm_90a": 84, "sm_120": 87}
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
        arrays = layers.arrays(shape)
        m, n, k = layers.sizes(shape)
        program = folder / f"{shape}.mlir"
        program.write_text(PROGRAM.format(m=m, n=n, k=k))
        weights = folder / "weights.npz"
        np.savez(weights, **{name: arrays[name] for name in ("w", "bias", "scale")})
        np.save(folder / "x.npy", arrays["x"])
        run_tool(qcc, "run", program, f"--weights={weights}", f"--input={folder / 'x.npy'}",
                 f"--output={folder / 'y.npy'}")
        y_sha256 = layers.hash_of(np.load(folder / "y.npy"))
        for chip in options.chip or CHIPS:
            given = [program, f"--weights={weights}", "--target=cuda", f"--mcpu={chip}"]
            run_tool(qcc, "compile", *given, "-o", folder / f"{shape}.{chip}.ptx")
            run_tool(qcc, "compile", *given, "-o", folder / "packed.weights")
            packed = (folder / "packed.weights").read_bytes()
            (folder / f"{shape}.{chip}.tail").write_bytes(layers.tail_of(packed, arrays["w"]))
            explained = json.loads(run_tool(qcc, "explain", *given, "--json"))
            (folder / f"{shape}.{chip}.json").write_text(json.dumps({
                "entry": explained["entries"][0], "config": explained["kernels"][0]["config"],
                "weights_bytes": len(packed), "y_sha256": y_sha256}))
            if options.configs:
                (folder / "configs").mkdir(exist_ok=True)
                calibration.prepare(run_tool, qcc, folder / "configs" / f"{shape}.{chip}", given, options.configs)
    for name in ("weights.npz", "x.npy", "y.npy", "packed.weights"):
        (folder / name).unlink()
    print(f"{folder} is ready; run {folder / 'bench-gpu.py'} run on a machine with an NVIDIA GPU")
    return 0


#===-----------------------------------------------------------------------===#
# Where the GPU is
#===-----------------------------------------------------------------------===#


class Timer:
    """Microseconds of a call between events, each of as many calls as take some milliseconds."""

    def __init__(self, gpu, microseconds):
        self.gpu, self.microseconds = gpu, microseconds

    def __call__(self, start):
        once = max(self.gpu.time(start), 1)
        calls = min(max(int(self.microseconds / once), 1), 100)
        return self.gpu.time(lambda: [start() for _ in range(calls)]) / calls


def measure(graphs, timer, rounds):
    """Medians of graphs that take turns, back and forth."""
    times = {name: [] for name in graphs}
    order = list(graphs)
    for _ in range(rounds):
        for name in order:
            times[name].append(timer(graphs[name]))
        order.reverse()
    return {name: statistics.median(taken) for name, taken in times.items()}


def record_all(layer, timer):
    """Graphs of what runs, and why the rest does not. Whoever writes y has to write what qcc computes on a processor."""
    graphs, missing = {}, {}
    for name, make in candidates.ALL.items():
        try:
            run = make(layer, timer)
            layer.forget()
            run(0)
            layer.gpu.call("cuCtxSynchronize")
            if name in candidates.CHECKED and not layer.is_right():
                missing[name] = "WRONG: it computes something else"
            else:
                graphs[name] = candidates.record(layer, make, run)
        except Exception as error:  # whatever a peer raises costs its row alone
            missing[name] = " ".join(f"{type(error).__name__}: {error}".split())[:100]
    return graphs, missing


def rows_of(layer, times, missing, products, bandwidth):
    work = layer.m * layer.n * layer.k
    rows = []
    for name in candidates.ALL:
        row = {"shape": layer.shape, "candidate": name}
        if name in times:
            seconds = 1e-6 * times[name] / layer.copies
            row.update(microseconds=1e6 * seconds, tops=2e-12 * work / seconds, share_of_mma=work / seconds / products,
                       share_of_bandwidth=layer.bytes / seconds / bandwidth)
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
    return (f"{row['shape']:>16}  {row['candidate']:<20} {row['microseconds']:10.2f} us {ratio}  {row['tops']:6.0f} TOP/s "
            f"{100 * row['share_of_mma']:5.1f} % of mma  {100 * row['share_of_bandwidth']:5.1f} % of reads")


def runs_on(chip, capability):
    """Whether a GPU runs code for a chip; that for sm_90a runs on no later one."""
    number = int(chip.removeprefix("sm_").removesuffix("a"))
    return number == capability if chip.endswith("a") else number <= capability


def open_gpu(prepared, asked):
    """The GPU, the newest chip of layers that it runs, and the shapes to measure."""
    shapes = asked or sorted({shape for shape, _ in prepared},
                             key=lambda shape: (SHAPES.index(shape) if shape in SHAPES else len(SHAPES), shape))
    if not prepared:
        raise Failure(f"{HERE} has no layers; make them with bench-gpu.py prepare where qcc is built")
    gpu = Gpu()
    gpu.l2_bytes = gpu.attribute(L2_CACHE_SIZE, gpu.device)
    gpu.multiprocessors = gpu.attribute(MULTIPROCESSORS, gpu.device)
    chips = {chip for _, chip in prepared}
    usable = [chip for chip in CHIPS if chip in chips and runs_on(chip, gpu.capability)]
    if not usable:
        raise Failure(f"{gpu.name} (sm_{gpu.capability}) runs no code for {', '.join(sorted(chips))}; prepare for it")
    chip = usable[-1]
    missing = [shape for shape in shapes if (shape, chip) not in prepared]
    if missing:
        raise Failure(f"{HERE} has no {missing[0]} for {chip}; make it with bench-gpu.py prepare --shape={missing[0]}")
    return gpu, chip, shapes


def in_time(shapes, seconds):
    """Those shapes that begin before that time is over."""
    begin = time.perf_counter()
    for shape in shapes:
        if seconds and time.perf_counter() - begin > seconds:
            print(f"{shape:>16}  left out: {seconds} seconds have passed")
        else:
            yield shape


def run(options):
    gpu, chip, shapes = open_gpu({tuple(path.stem.split(".")) for path in HERE.glob("*.ptx")}, options.shape)
    timer = Timer(gpu, options.microseconds)
    products, bandwidth = peaks.measure(gpu, np, timer, chip, CHIPS[chip], options.read_bytes)
    print(f"{gpu.name} (sm_{gpu.capability}), kernels for {chip}: {2e-12 * products:.1f} TOP/s of mma from registers, "
          f"{1e-9 * bandwidth:.0f} GB/s read")
    rows, sensors = [], Sensors()
    for shape in in_time(shapes, options.seconds):
        layer = candidates.Layer(gpu, HERE, shape, chip, CHIPS[chip])
        graphs, missing = record_all(layer, timer)
        times = measure(graphs, timer, options.rounds)
        found = rows_of(layer, times, missing, products, bandwidth)
        rows += [{**row, "config": layer.about["config"]} if row["candidate"] == "qcc" else row for row in found]
        rows[-1]["sensors"] = sensors.read()
        for row in found:
            print(spell(row), flush=True)
        print(f"{'':>16}  {layer.about['config']}; {rows[-1]['sensors']}", flush=True)
        layer.free()
    if options.json:
        options.json.write_text(json.dumps({"gpu": gpu.name, "chip": chip, "driver": gpu.driver_version(),
                                            "macs_per_second": products, "bytes_per_second": bandwidth, "rows": rows},
                                           indent=1))
    return int(any(row.get("missing", "").startswith("WRONG") for row in rows))


def calibrate(options):
    prepared = {tuple(path.stem.split(".")) for path in (HERE / "configs").glob("*.json")}
    gpu, chip, shapes = open_gpu(prepared, options.shape)
    timer, sensors = Timer(gpu, options.microseconds), Sensors()
    rows, summaries, wrong = [], [], 0
    for shape in in_time(shapes, options.seconds):
        layer = candidates.Layer(gpu, HERE, shape, chip, CHIPS[chip])
        configs, graphs, failed = calibration.graphs_of(layer, HERE / "configs" / f"{shape}.{chip}")
        times = measure(graphs, timer, options.rounds)
        clock = sensors.read().get("sm_mhz", 1000)
        found = [{"shape": shape, "config": configs[number]["config"], "cycles": configs[number]["cycles"],
                  "microseconds": times[number] / layer.copies} for number in times]
        for number in failed:
            print(f"{shape:>16}  WRONG: {configs[number]['config']} computes something else", flush=True)
        wrong += len(failed)
        rows += found
        if found:
            summaries.append({"shape": shape, "mhz": clock, **calibration.summary(found, clock)})
            print("{shape:>16}  {configs} configs, best {best:.1f} us, choice {choice:.2f}, expected {mean:.2f}, spread "
                  "{spread:.2f}, {mhz} MHz".format(**summaries[-1]), flush=True)
        layer.free()
    if options.json:
        options.json.write_text(json.dumps({"gpu": gpu.name, "chip": chip, "driver": gpu.driver_version(),
                                            "summaries": summaries, "rows": rows}, indent=1))
    return int(wrong > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare")
    preparing.add_argument("folder", type=pathlib.Path)
    preparing.add_argument("--shape", action="append")
    preparing.add_argument("--chip", action="append", choices=CHIPS)
    preparing.add_argument("--configs", type=int, default=0, help="how many configs of each layer calibrate has, at most")
    running, calibrating = commands.add_parser("run"), commands.add_parser("calibrate")
    for command in (running, calibrating):
        command.add_argument("--rounds", type=int, default=9)
        command.add_argument("--microseconds", type=int, default=3000, help="the time between two events, about")
        command.add_argument("--shape", action="append", help="one of those that are prepared; all if not given")
        command.add_argument("--seconds", type=int, help="start no further shape after that time")
        command.add_argument("--json", type=pathlib.Path)
    running.add_argument("--read-bytes", type=int, default=1 << 30, help="what is read to measure the bandwidth")
    options = parser.parse_args()
    try:
        return {"prepare": prepare, "run": run, "calibrate": calibrate}[options.command](options)
    except Failure as failure:
        print(f"bench-gpu: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
