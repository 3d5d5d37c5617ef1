"""utils/bench-gpu.py as far as it needs no GPU: on a driver of tests, whose kernels run on the emulator."""

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import device
import program

SCRIPT = program.ROOT / "utils" / "bench-gpu.py"
DRIVER = program.build_dir() / "test" / "Unit" / "Runtime" / "FakeCuda"
SHAPE = "33x32x96"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("bench_gpu_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layers")
    call(SCRIPT, "prepare", folder, f"--shape={SHAPE}", "--chip=sm_75", "--chip=sm_80")
    return folder


def call(path, *arguments, code=0, driver=None):
    environment = {**os.environ, "QCC_BUILD_DIR": str(program.build_dir())}
    if driver:
        environment["LD_LIBRARY_PATH"] = str(driver)
    done = subprocess.run([sys.executable, str(path), *map(str, arguments)], capture_output=True, text=True, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def run_layers(folder, **options):
    return call(folder / "bench-gpu.py", "run", "--rounds=1", "--microseconds=1", "--read-bytes=4096",
                f"--json={folder / 'out.json'}", driver=DRIVER, **options)


def test_rows(folder):
    """qcc computes the bytes that it computes on a processor; each peer that is missing says why."""
    text = run_layers(folder)
    told = json.loads((folder / "out.json").read_text())
    assert told["chip"] == "sm_80" and told["macs_per_second"] > 0 and told["bytes_per_second"] > 0
    rows = {row["candidate"]: row for row in told["rows"]}
    assert len(rows) == len(told["rows"]) == 7 and all(row["shape"] == SHAPE for row in told["rows"])
    assert rows["qcc"]["ratio"] == 1 and rows["qcc"]["microseconds"] > 0
    assert rows["qcc"]["share_of_mma"] == pytest.approx(
        33 * 32 * 96 / (1e-6 * rows["qcc"]["microseconds"]) / told["macs_per_second"])
    for name, row in rows.items():
        assert name in text and (name == "qcc" or row["missing"]), row


def test_wrong_results(folder, tmp_path):
    """Who computes something else has no time, and the exit code says so."""
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(folder), str(copy)], check=True)
    path = copy / f"{SHAPE}.sm_80.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "y_sha256": about["y_sha256"][::-1]}))
    assert "WRONG: it computes something else" in run_layers(copy, code=1)


def test_refusals(folder, tmp_path):
    assert "no NVIDIA driver: libcuda.so.1 cannot be opened" in call(folder / "bench-gpu.py", "run", code=2)
    assert "has no layers; make them with bench-gpu.py prepare" in call(SCRIPT, "run", code=2)
    only = tmp_path / "only"
    call(SCRIPT, "prepare", only, f"--shape={SHAPE}", "--chip=sm_90")
    assert "(sm_80) runs no code for sm_90; prepare for it" in call(only / "bench-gpu.py", "run", code=2, driver=DRIVER)


def test_candidates_take_turns(script):
    """Back and forth; medians of the rounds."""
    calls, costs = [], {"a": [5, 1, 3], "b": [2, 2, 9]}

    def timer(start):
        start()
        return costs[calls[-1]].pop(0)

    graphs = {name: lambda name=name: calls.append(name) for name in costs}
    assert script.measure(graphs, timer, 3) == {"a": 3, "b": 2}
    assert calls == ["a", "b", "b", "a", "a", "b"]


def test_packed_weights(script):
    """What is not in the arrays travels, and nothing else."""
    layers = script.layers
    w = layers.arrays(SHAPE)["w"]
    for packed in (w.tobytes() + b"sums", b"sums" + w.tobytes()):
        tail = layers.tail_of(packed, w)
        assert layers.packed_of(tail, len(packed), w) == packed
    assert layers.tail_of(w.tobytes() + b"sums", w) == b"sums"


def test_folder_is_small(folder):
    """Arrays are made from seeds."""
    sizes = {path.name: path.stat().st_size for path in folder.glob("*.*") if path.suffix != ".ptx"}
    assert max(sizes.values()) < 20000 and not list(folder.glob("*.np*"))


def emulate(tmp_path, ptx, kernel, *arguments):
    path, counters = tmp_path / "k.ptx", tmp_path / "c.json"
    path.write_text(ptx)
    device.run_tool([program.build_dir() / "bin" / "qcc-ptx-emu", path, f"--kernel={kernel}", "--grid=2", "--block=256",
                     f"--counters={counters}", *[f"--arg={argument}" for argument in arguments]])
    return json.loads(counters.read_text())


@pytest.mark.parametrize("chip", ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_120"])
def test_peaks(script, tmp_path, chip):
    """The kernels that measure do as much as they are said to, and ptxas takes them."""
    peaks, version = script.peaks, script.CHIPS[chip]
    for make in (peaks.mma_ptx, peaks.read_ptx, peaks.epilogue_ptx):
        path = tmp_path / "p.ptx"
        path.write_text(make(chip, version))
        device.assemble(path, chip)
    loops, warps, words = 3, 2 * 256 // 32, 700
    counters = emulate(tmp_path, peaks.mma_ptx(chip, version), "mma", f"out:{tmp_path / 'o.npy'}:i32[512]", f"u32:{loops}")
    assert counters["matrix"]["int8_macs"] == warps * loops * peaks.UNROLLED * peaks.MACS
    data = np.random.default_rng(1).integers(0, 256, 16 * words, np.uint8)
    np.save(tmp_path / "d.npy", data)
    counters = emulate(tmp_path, peaks.read_ptx(chip, version), "read", tmp_path / "d.npy",
                       f"out:{tmp_path / 'o.npy'}:u32[512]", f"u64:{words}")
    assert counters["global_loads"]["useful_bytes"] == data.size
    assert np.bitwise_xor.reduce(np.load(tmp_path / "o.npy")) == np.bitwise_xor.reduce(data.view(np.uint32))


def test_epilogue(script, tmp_path):
    random = np.random.default_rng(2)
    acc = random.integers(-300000, 300000, (9, 40), np.int32)
    bias, scale = random.integers(-999, 999, 40, np.int32), random.uniform(1e-4, 1e-3, 40).astype(np.float32)
    for name, array in {"a": acc, "b": bias, "s": scale}.items():
        np.save(tmp_path / f"{name}.npy", array)
    emulate(tmp_path, script.peaks.epilogue_ptx("sm_80", 70), "epilogue", *(tmp_path / f"{name}.npy" for name in "abs"),
            f"out:{tmp_path / 'y.npy'}:i8[9,40]", "u32:40", "u32:360")
    wanted = np.minimum(np.rint(np.maximum((acc + bias).astype(np.float32) * scale, 0)), 127).astype(np.int8)
    assert np.array_equal(np.load(tmp_path / "y.npy"), wanted) and len(np.unique(wanted)) > 50
