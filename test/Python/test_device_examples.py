"""The programs of docs/examples as artifacts on the emulator of GPUs, against the same artifacts on the processor."""

import importlib.util
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

import device
import program

CHIPS = ["sm_75", "sm_80", "sm_90"]
# Inputs of each example whose rows are dynamic, and numbers of rows. Wide layers of many rows take the emulator long;
# their kernels are those of fewer rows.
ROWS = [1, 2, 7, 16, 17, 64, 129]
EXAMPLES = {
    "asymmetric": (["random:1"], ROWS),
    "classifier_f32": (["random:1:-1:1"], ROWS),
    "classifier_int8": (["random:1"], ROWS),
    "dynamic_quant": (["random:1:-4:4"], ROWS),
    "mlp_f16": (["random:1:-4:4"], ROWS),
    "mlp_f32": (["random:1:-4:4"], ROWS),
    "tf_linear": (["random:1", "random:2:2000:8000"], ROWS),
    "tf_linear_weight_arg": (["random:1", "random:2:2000:8000", "random:3"], [1, 17]),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory):
    """Compiles each example once, for a processor and all chips."""
    folder = tmp_path_factory.mktemp("artifacts")
    known = {}

    def compiled(name):
        if name not in known:
            known[name] = folder / f"{name}.so"
            run(program.qcc(), "compile", program.EXAMPLES / f"{name}.mlir", "--weights=random:7", "--target=x86,cuda",
                f"--mcpu={','.join(['x86-64-v3', *CHIPS])}", "-o", known[name])
        return known[name]

    return compiled


@pytest.mark.parametrize("name", EXAMPLES)
def test_rows(compiler, artifacts, tmp_path, name):
    """Every number of rows, each chip in turn, and another order of warps each time."""
    inputs, numbers = EXAMPLES[name]
    for turn, rows in enumerate(numbers):
        options = [*(f"--input={source}" for source in inputs), f"--dim={rows}"]
        tool = program.build_dir() / "bin" / "qcc-run"
        result = tmp_path / f"{rows}.npy"
        run(tool, artifacts(name), *options, f"--output={result}")
        run(tool, artifacts(name), *options, f"--device=emulator:seed={turn}",
            f"--variant={CHIPS[turn % len(CHIPS)]}", f"--expect={result}")


@pytest.mark.parametrize("entry", ["padded", "dynamic"])
def test_dynamic_sequence(compiler, entry):
    command = [program.qcc(), "run", program.EXAMPLES / "dynamic_sequence.mlir", f"--entry={entry}", "--input=random:1"]
    run(*command, *["--dim=40"] * 3, "--target=cuda", "--mcpu=sm_80", "--device=emulator", "--check")


def test_encoder(compiler):
    run(program.qcc(), "run", program.EXAMPLES / "encoder.mlir", "--weights=random:7", "--input=random:1:-2:2",
        "--target=cuda", "--mcpu=sm_80", "--device=emulator", "--check")


@pytest.mark.parametrize("chip", CHIPS)
def test_shared_kernels(compiler, chip):
    """Layers of equal shape have one kernel, with their own scales, zero points and clamps."""
    path = program.ROOT / "test" / "Integration" / "X86" / "shared-steps.mlir"
    options = ["--weights=random:7", "--target=cuda", f"--mcpu={chip}", "--dim=2"]
    explained = json.loads(run(program.qcc(), "explain", path, *options, "--json"))
    assert explained["distinct_kernels"] < len(explained["kernels"])
    (entry,) = explained["entries"]
    assert len({launch["kernel"] for launch in entry["launches"]}) == explained["distinct_kernels"]
    run(program.qcc(), "run", path, *options, "--input=random:1", "--device=emulator", "--check-steps")


def test_size(compiler, artifacts, tmp_path):
    """A further chip costs its PTX and its tables: weights are there once."""
    sizes, ptx = {}, 0
    for chips in ("sm_80", ",".join(CHIPS)):
        path = tmp_path / f"{len(sizes)}.so"
        run(program.qcc(), "compile", program.EXAMPLES / "mlp_f32.mlir", "--weights=random:7", "--target=cuda",
            f"--mcpu={chips}", "-o", path)
        sizes[chips] = path.stat().st_size
    for chip in CHIPS:
        path = tmp_path / f"{chip}.ptx"
        run(program.qcc(), "compile", program.EXAMPLES / "mlp_f32.mlir", "--weights=random:7", "--target=cuda",
            f"--mcpu={chip}", "-o", path)
        ptx += path.stat().st_size
    assert sizes[",".join(CHIPS)] <= 1.05 * sizes["sm_80"] + ptx


@pytest.mark.parametrize("chip", CHIPS)
def test_sweep_is_assembled(compiler, tmp_path, chip):
    """The PTX in the artifacts of the sweep, which are those of utils/check-gpu.sh."""
    tool = program.build_dir() / "test" / "Unit" / "Sweep" / "SweepTests"
    done = subprocess.run([str(tool), f"--gtest_filter=NVPTX/*{chip}"], capture_output=True, text=True,
                          env={**os.environ, "QCC_SWEEP_FOLDER": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    artifacts = sorted(tmp_path.glob("*.so"))
    assert len(artifacts) >= 10
    for artifact in artifacts:
        (text,) = re.findall(rb"\n\.version [^\0]*", artifact.read_bytes())
        ptx = artifact.with_suffix(".ptx")
        ptx.write_bytes(text)
        device.assemble(ptx, chip)


def test_check_gpu(compiler, artifacts, tmp_path):
    """The script says what it needs, and counts what is right and what is wrong."""
    script = program.ROOT / "utils" / "check-gpu.sh"
    done = subprocess.run([str(script)], capture_output=True, text=True)
    assert done.returncode == 2 and "prepare FOLDER" in done.stdout

    tool = program.build_dir() / "bin" / "qcc-run"
    for path in (script, tool, artifacts("classifier_int8")):
        shutil.copy(path, tmp_path)
    options = "--input=random:1 --dim=3"
    run(tool, artifacts("classifier_int8"), *options.split(), f"--output={tmp_path / 'right.npy'}")
    np.save(tmp_path / "wrong.npy", np.load(tmp_path / "right.npy") + 1)
    cases = [f"classifier_int8.so {options} --expect={name}.npy" for name in ("right", "wrong")]
    (tmp_path / "cases.txt").write_text("".join(case + "\n" for case in cases))
    done = subprocess.run([str(tmp_path / script.name), "run", "emulator"], capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"FAIL: {cases[1]}" in done.stdout and done.stdout.endswith("1 passed, 1 failed\n")
    (tmp_path / "cases.txt").write_text(cases[0] + "\n")
    done = subprocess.run([str(tmp_path / script.name), "run", "emulator"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "1 passed, 0 failed\n", done.stdout + done.stderr


def test_torch_on_gpu(tmp_path):
    """The parts of utils/torch-on-gpu.py that need no GPU: which cases it takes, and how it compares."""
    spec = importlib.util.spec_from_file_location("torch_on_gpu", program.ROOT / "utils" / "torch-on-gpu.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    cases = [f"A_sm_90.so --entry={entry} --input={entry}.0.npy --input={entry}.1.npy --expect={entry}.2.npy"
             for entry in ("f", "f", "f", "g")]
    (tmp_path / "cases.txt").write_text("\n".join([*cases, "B_sm_90.so --entry=f"]) + "\n")
    names = [(entry, [path.name for path in inputs], [path.name for path in expected])
             for entry, inputs, expected in script.cases_of(tmp_path, "A_sm_90")]
    assert names == [(entry, [f"{entry}.0.npy", f"{entry}.1.npy"], [f"{entry}.2.npy"]) for entry in ("f", "f", "g")]

    ones = np.ones(3, np.float32)
    for array, other in ((ones, np.float32(np.nan)), (ones.view(np.uint32), 5),
                         (np.array([1, 0x7FC1, 2], np.uint16).view("V2"), np.uint16(3).tobytes())):
        changed = array.copy()
        changed[0] = other
        assert script.differences([array], [array]) == 0 and script.differences([changed], [array]) == 1
        assert script.differences([changed, array], [changed, changed]) == 1
