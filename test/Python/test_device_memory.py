"""What kernels of devices move between memories: results, and how well accesses are used, by the emulator's counters."""

import json
import subprocess

import numpy as np
import pytest

import device
import program

CHIPS = ["sm_75", "sm_80"]


def run(folder, text, chip, *options):
    """Runs a program on the emulator, compares it with the interpreter, and returns the counters of its launches."""
    source, counters = folder / "program.mlir", folder / "counters.json"
    source.write_text(text)
    done = subprocess.run(
        [program.qcc(), "run", source, "--target=cuda", f"--mcpu={chip}", "--device=emulator:seed=3", "--check",
         f"--counters={counters}", *options],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0 and "check: " in done.stdout and ", 0 differ" in done.stdout, done.stdout + done.stderr
    counted = json.loads(counters.read_text())
    return counted if isinstance(counted, list) else [counted]


def waste(counters):
    """Bytes of sectors that are moved for each byte that is asked for."""
    both = [counters["global_loads"], counters["global_stores"]]
    return 32 * sum(way["sectors"] for way in both) / sum(way["useful_bytes"] for way in both)


def transpose(shape, order, element, dynamic=False):
    dims = ["?"] * len(shape) if dynamic else [str(size) for size in shape]
    source = f"tensor<{'x'.join(dims)}x{element}>"
    target = f"tensor<{'x'.join(dims[i] for i in order)}x{element}>"
    sizes = "".join(
        f"  %c{i} = arith.constant {i} : index\n  %d{i} = tensor.dim %x, %c{i} : {source}\n" for i in range(len(shape)))
    given = ", ".join(f"%d{i}" for i in order) if dynamic else ""
    return f"""func.func @f(%x: {source}) -> {target} {{
{sizes if dynamic else ""}  %e = tensor.empty({given}) : {target}
  %y = linalg.transpose ins(%x : {source}) outs(%e : {target}) permutation = {list(order)}
  return %y : {target}
}}
"""


# Whole sectors: sizes are multiples of 32 bytes. A thread for each result would use 1 / 32 of the sectors that it loads.
@pytest.mark.parametrize("element", ["i8", "f16", "i32", "f64"])
@pytest.mark.parametrize("shape, order", [((128, 256), (1, 0)), ((2, 64, 128), (0, 2, 1)), ((2, 4, 32, 64), (3, 1, 0, 2))])
def test_aligned_transpose(compiler, tmp_path, shape, order, element):
    (counters,) = run(tmp_path, transpose(shape, order, element), "sm_80", "--input=random:1")
    assert counters["shared"]["max_degree"] == 1
    assert counters["global_loads"]["useful_share"] == counters["global_stores"]["useful_share"] == 1
    assert counters["loaded_bytes"] == counters["stored_bytes"] == np.prod(shape) * device.byte_width(element)
    assert counters["barriers"] == counters["ctas"]


# Rows that start anywhere: an access of 32 bytes meets two sectors, a wider one fewer for each byte; tiles at the end are
# not whole. A thread for each result would waste more than 16 bytes for each one of i8.
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("element", ["i8", "u8", "bf16", "f32", "i64"])
@pytest.mark.parametrize("shape, order", [
    ((8, 8), (1, 0)), ((33, 65), (1, 0)), ((130, 49), (1, 0)), ((196, 36), (1, 0)), ((3, 127, 68), (0, 2, 1)),
    ((12, 9, 34), (2, 1, 0)), ((66, 3, 40), (1, 2, 0)), ((9, 3, 17, 70), (3, 1, 2, 0)),
])
def test_transpose(compiler, tmp_path, shape, order, element, dynamic, chip):
    sizes = [f"--dim={size}" for size in shape] if dynamic else []
    name = {"u8": "ui8"}.get(element, element)
    (counters,) = run(tmp_path, transpose(shape, order, name, dynamic), chip, "--input=random:1", *sizes)
    assert counters["shared"]["requests"] > 0 and counters["shared"]["max_degree"] == 1
    if min(shape[-1], shape[order[-1]]) >= 32:
        assert waste(counters) <= 3


def matmul(batch, n, k, columns, activation="i8", weight="i8"):
    """A product whose right operand is an argument, with columns or elements of K side by side."""
    lead = "".join(f"{size}x" for size in batch)
    dims = f"{lead}{k}x{n}" if columns else f"{lead}{n}x{k}"
    flag = "" if columns else " {transpose_rhs}"
    x = f"tensor<{lead}?x{k}x!quant.uniform<{activation}:f32, 2.0e-02:3>>"
    w = f"tensor<{dims}x!quant.uniform<{weight}:f32, 1.0e-02>>"
    y = f"tensor<{lead}?x{n}xf32>"
    return f"""func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %y = qnn.matmul %x, %w{flag} : {x}, {w} -> {y}
  return %y : {y}
}}
"""


def packing(all_counters):
    """The counters of the kernel that packs: the one without products."""
    (counters,) = [counters for counters in all_counters if not counters["matrix"]["int8_macs"]]
    return counters


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("batch, n, k", [((), 64, 256), ((3,), 96, 128), ((2, 3), 32, 64)])
def test_aligned_pack(compiler, tmp_path, batch, n, k, columns, chip):
    counters = packing(run(tmp_path, matmul(batch, n, k, columns), chip, "--input=random:1", "--dim=33"))
    assert counters["global_loads"]["useful_share"] == 1
    # A sum is a store of 4 bytes.
    assert counters["global_stores"]["useful_share"] >= 0.6
    assert counters["shared"]["max_degree"] == columns


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("weight", ["i8", "u8"])
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("batch, n, k", [((), 1, 1), ((), 33, 65), ((3,), 31, 127), ((), 7, 300), ((2, 3), 5, 130)])
def test_pack(compiler, tmp_path, batch, n, k, columns, weight, chip):
    all_counters = run(tmp_path, matmul(batch, n, k, columns, weight=weight), chip, "--input=random:1", "--dim=18")
    assert packing(all_counters)["shared"]["max_degree"] <= 1


@pytest.mark.parametrize("text", [transpose((40, 70), (1, 0), "i8"), matmul((), 33, 130, True).replace("?", "20")])
def test_barriers_matter(compiler, tmp_path, text):
    """Without one of its barriers a kernel that goes through shared memory is reported."""
    source, ptx, weights = (tmp_path / f"program.{end}" for end in ("mlir", "ptx", "weights"))
    source.write_text(text)
    options = [source, "--target=cuda", "--mcpu=sm_80"]
    for path in (ptx, weights):
        device.run_tool([program.qcc(), "compile", *options, "-o", path])
    (entry,) = json.loads(device.run_tool([program.qcc(), "explain", *options, "--json"]))["entries"]
    inputs = [np.random.default_rng(1).integers(-99, 99, argument["dims"], np.int8) for argument in entry["arguments"]]
    whole, first = ptx.read_text(), entry["launches"][:1]
    start = whole.index(f".entry {first[0]['kernel']}(")
    lines = whole[start:whole.index("\n}", start)].splitlines()
    barriers = [i for i, line in enumerate(lines) if "bar.sync" in line or "barrier.sync" in line]
    assert barriers

    def launch(without=None):
        body = "\n".join(line for i, line in enumerate(lines) if i != without)
        ptx.write_text(whole.replace("\n".join(lines), body))
        launcher = device.Launcher(program.build_dir() / "bin", tmp_path, ptx, np.fromfile(weights, np.uint8), 3)
        device.launch_all(launcher, inputs, {"launches": first})

    launch()
    for barrier in barriers:
        with pytest.raises(AssertionError, match="race"):
            launch(without=barrier)
