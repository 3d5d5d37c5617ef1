"""utils/measure-gpu.sh and bench-gpu.py calibrate on a driver of tests, whose kernels run on the emulator."""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

import program

UTILS = program.ROOT / "utils"
DRIVER = (program.build_dir() / "test" / "Unit" / "Runtime" / "FakeCuda").resolve()
SHAPE = "33x32x192"


def run(*command, code=0, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, "QCC_BUILD_DIR": str(program.build_dir()), **environment})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """What prepare makes, of one example and one layer."""
    folder = tmp_path_factory.mktemp("measure")
    check, tools = folder / "check", program.build_dir() / "bin"
    check.mkdir()
    for path in (UTILS / "check-gpu.sh", tools / "qcc-run"):
        shutil.copy(path, check)
    example = program.EXAMPLES / "classifier_int8.mlir"
    run(tools / "qcc", "compile", example, "--weights=random:7", "--target=cuda", "--mcpu=sm_80", "-o", check / "c.so")
    run(tools / "qcc", "run", example, "--weights=random:7", "--input=random:1", "--dim=3", f"--output={check / 'y.npy'}")
    (check / "cases.txt").write_text("c.so --input=random:1 --dim=3 --expect=y.npy\n")
    run(sys.executable, UTILS / "bench-gpu.py", "prepare", folder / "bench", f"--shape={SHAPE}", "--chip=sm_80", "--configs=3")
    shutil.copy(UTILS / "measure-gpu.sh", folder)
    return folder


@pytest.fixture()
def folder(prepared, tmp_path):
    return shutil.copytree(prepared, tmp_path / "measure")


def measure(folder, *parts, code=0, driver=DRIVER):
    return run(folder / "measure-gpu.sh", "run", *parts, code=code, LD_LIBRARY_PATH=str(driver),
               PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
               MEASURE_RUN_OPTIONS="--rounds=1 --microseconds=1")


def test_parts(folder):
    """Parts leave logs and figures, and are not repeated once they have passed."""
    parts = ("check", "calibration")
    text = measure(folder, *parts)
    assert "1 passed, 0 failed" in text and "3 configs, best" in text
    told = json.loads((folder / "results" / "calibration.json").read_text())
    (summary,) = told["summaries"]
    assert told["chip"] == "sm_80" and summary["shape"] == SHAPE and summary["configs"] == 3
    times = [row["microseconds"] for row in told["rows"]]
    assert summary["best"] == min(times) and summary["choice"] == pytest.approx(times[0] / min(times))
    assert len({row["config"] for row in told["rows"]}) == 3 and all(row["cycles"] > 0 for row in told["rows"])
    again = measure(folder, *parts)
    assert all(f"{name}: passed before; delete {folder / 'results' / name}.log to repeat it" in again for name in parts)


def test_wrong_results_end_the_run(folder):
    path = folder / "check" / "y.npy"
    np.save(path, np.load(path) + 1)
    text = measure(folder, "check", "calibration", code=1)
    assert "check: failed with exit code 1; see" in text and "0 passed, 1 failed" in text
    assert not (folder / "results" / "calibration.log").exists()


def test_wrong_configs(folder):
    """A config that computes something else has no time."""
    path = folder / "bench" / f"{SHAPE}.sm_80.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "y_sha256": about["y_sha256"][::-1]}))
    assert measure(folder, "calibration", code=1).count("calibration: failed") == 1
    assert (folder / "results" / "calibration.log").read_text().count("computes something else") == 3


def test_refusals(folder, tmp_path):
    assert "no part is called 'speed'; choose of: check arithmetic torch figures calibration" in measure(folder, "speed", code=2)
    assert "prepare FOLDER" in run(UTILS / "measure-gpu.sh", code=2)
    assert "make them with measure-gpu.sh prepare" in run(UTILS / "measure-gpu.sh", "run", code=2)
    without = measure(folder, "calibration", code=2, driver=tmp_path)
    assert "no NVIDIA driver" in without and "calibration: failed with exit code 2" in without


def test_needs_little(prepared):
    """Python 3.9, a C library of 2.34, and nothing of LLVM."""
    scripts = [UTILS / name for name in ("ptx-on-gpu.py", "ptx_arithmetic.py", "ptx_wgmma.py", "torch-on-gpu.py")]
    for path in [*scripts, *prepared.rglob("*.py")]:
        ast.parse(path.read_text(), str(path), feature_version=(3, 9))
    for name in ("qcc-run", "qcc-ptx-emu"):
        text = run("objdump", "-p", program.build_dir() / "bin" / name)
        needed = set(re.findall(r"NEEDED +(\S+?)\.so", text))
        assert needed <= {"libz", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64"}, needed
        versions = [tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", text)]
        assert versions and max(versions) <= (2, 34)


TOOLS = ("awk", "basename", "bash", "cat", "cut", "date", "dirname", "env", "grep", "ls", "mkdir", "mktemp", "nproc", "python3",
         "rm", "sed", "sort", "tail", "wc", "xargs")


def copy_with_libraries(root, path):
    """Copies a program or a library, and what the loader opens for it, to the same places below `root`."""
    listed = run("ldd", path) if subprocess.run(["ldd", path], capture_output=True).returncode == 0 else ""
    for file in [str(path), *re.findall(r"(?:=> |^\s*)(/\S+)", listed, re.M)]:
        target = root / file.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(file, target)


def make_bare_root(root, folder):
    """A root with a shell, a few tools, Python with numpy, FakeCuda as driver, and a prepared folder; nothing else."""
    python = os.path.realpath(sys.executable)
    for tool in TOOLS:
        copy_with_libraries(root, python if tool == "python3" else os.path.realpath(shutil.which(tool)))
        link = root / "bin" / tool
        link.parent.mkdir(exist_ok=True)
        real = python if tool == "python3" else os.path.realpath(shutil.which(tool))
        if not link.exists():
            link.symlink_to(real)
    (root / "usr/bin").mkdir(parents=True, exist_ok=True)
    if not (root / "usr/bin/env").exists():
        (root / "usr/bin/env").symlink_to("/bin/env")
    library = pathlib.Path(sysconfig.get_path("stdlib"))
    ignored = shutil.ignore_patterns("test", "tests", "idlelib", "tkinter", "site-packages", "dist-packages", "__pycache__")
    shutil.copytree(library, root / str(library).lstrip("/"), ignore=ignored, dirs_exist_ok=True)
    packages = root / "packages"
    for name in ("numpy", "numpy.libs"):
        source = pathlib.Path(np.__file__).parents[1] / name
        if source.exists():
            shutil.copytree(source, packages / name, ignore=ignored)
    for extension in [*(root / str(library).lstrip("/")).rglob("*.so"), *packages.rglob("*.so*")]:
        for file in re.findall(r"=> (/(?:usr/)?lib/\S+)", run("ldd", extension)):
            copy_with_libraries(root, file)
    driver = root / "driver"
    driver.mkdir()
    for path in DRIVER.iterdir():
        if ".so" in path.name:
            shutil.copy(path, driver, follow_symlinks=True)
            copy_with_libraries(root, path)
    shutil.copytree(folder, root / "measure")
    for name in ("tmp", "dev", "proc"):
        (root / name).mkdir(exist_ok=True)
    (root / "dev/null").touch()


def test_in_a_bare_root(folder, tmp_path):
    """All of it runs where there is no compiler and no LLVM: in a root with a shell, tools of its own and numpy."""
    root = tmp_path / "root"
    make_bare_root(root, folder)
    assert not [path for path in root.rglob("*") if "LLVM" in path.name or "MLIR" in path.name]
    chroot = shutil.which("chroot", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    changed = subprocess.run([chroot, root, "/bin/bash", "-c", "exit 0"], capture_output=True, text=True)
    if "Operation not permitted" in changed.stderr:
        pytest.skip("this user may not change the root")
    done = subprocess.run(
        [chroot, root, "/bin/bash", "-c", "cd /tmp && /measure/measure-gpu.sh run check calibration"],
        capture_output=True, text=True, env={
            "PATH": "/bin", "LD_LIBRARY_PATH": "/driver", "PYTHONPATH": "/packages", "HOME": "/tmp",
            "MEASURE_RUN_OPTIONS": "--rounds=1 --microseconds=1"})
    logs = "".join(path.read_text() for path in (root / "measure/results").glob("*.log"))
    assert done.returncode == 0, done.stdout + done.stderr + logs
    assert "1 passed, 0 failed" in done.stdout and "3 configs, best" in done.stdout
