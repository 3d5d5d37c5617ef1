"""utils/build-wheels.py: what the wheels have, and that they work where nothing else of qcc is."""

import base64
import glob
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import program
from program import ROOT

EXAMPLES = ROOT / "examples" / "python"


def run(*command, **options):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "QCC_LIBRARY_PATH", "VIRTUAL_ENV")}
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=environment, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The two wheels, by the names of their distributions."""
    if not (program.build_dir() / "build.ninja").exists():
        pytest.skip(f"{program.build_dir()} is not a build")
    if program.sanitizer():
        pytest.skip("wheels have no sanitizer")
    folder = tmp_path_factory.mktemp("wheels")
    run(sys.executable, ROOT / "utils" / "build-wheels.py", f"--build={program.build_dir()}", f"--output={folder}")
    found = {path.name.split("-")[0]: path for path in folder.glob("*.whl")}
    assert sorted(found) == ["qcc", "qcc_runtime"]
    return found


def test_builds_that_are_refused(tmp_path):
    command = [sys.executable, str(ROOT / "utils" / "build-wheels.py"), f"--build={tmp_path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "is not a configured build; run cmake --preset release" in done.stderr
    (tmp_path / "build.ninja").touch()
    (tmp_path / "CMakeCache.txt").write_text("QCC_SANITIZE:STRING=address\n")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "has the address sanitizer, which no Python has" in done.stderr


def pythons():
    """The oldest and the newest Python of this machine that can make environments."""
    versions = {}
    places = [*os.environ["PATH"].split(os.pathsep), *glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))]
    for place in places:
        for path in glob.glob(os.path.join(place, "python3*")):
            if not re.fullmatch(r"python3(\.\d+)?", os.path.basename(path)):
                continue
            done = subprocess.run([path, "-c", "import ctypes, ensurepip, venv, sys; print(*sys.version_info[:2])"],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                versions.setdefault(tuple(map(int, done.stdout.split())), path)
    able = sorted(version for version in versions if version >= (3, 8))
    return {".".join(map(str, version)): versions[version] for version in {able[0], able[-1]}}


def test_sizes(wheels):
    assert wheels["qcc_runtime"].stat().st_size < 1_000_000
    assert wheels["qcc"].stat().st_size < 40_000_000


def test_own_llvm(wheels, tmp_path):
    """No function of LLVM is looked up in other libraries, or seen by them: it does not matter which LLVMs they have."""
    with zipfile.ZipFile(wheels["qcc"]) as archive:
        library = archive.extract("qcc/libqcc.so.1", tmp_path)
    headers = run("/usr/lib/llvm-22/bin/llvm-readelf", "--dyn-symbols", "--dynamic-table", library)
    assert "qccCompileText" in headers
    assert not re.findall(r"_ZNK?(?:4llvm|4mlir|3lld)\w+|lib(?:LLVM|MLIR)", headers)


def test_tags(wheels):
    """The tag is what auditwheel finds in the libraries."""
    pytest.importorskip("auditwheel")
    for wheel in wheels.values():
        report = json.loads(run(sys.executable, "-m", "auditwheel", "show", "--json", wheel))
        assert wheel.name.endswith(f"-py3-none-{report['overall_tag']}.whl")
        assert "manylinux" in report["overall_tag"]


def test_records(wheels):
    """Every file has its hash in RECORD, and no file belongs to both wheels."""
    seen = set()
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
            lines = [line.split(",") for line in archive.read(record).decode().splitlines()]
            assert {line[0] for line in lines} == names
            for name, digest, size in lines:
                if name == record:
                    continue
                contents = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
                assert (digest, size) == (f"sha256={expected}", str(len(contents))), name
            assert "VERSION" not in record and not names & seen
            seen |= names
    assert {"qcc/__init__.py", "qcc/py.typed", "qcc/libqcc.so.1", "qcc/libqcc_runtime.so.1", "qcc/qcc-isolated-compiler"} <= seen
    sources = {f"qcc/{path.name}" for path in (ROOT / "python" / "qcc").glob("*.py")}
    assert {name for name in seen if name.endswith(".py")} == sources


def test_torch_finds_its_backend(wheels):
    """The compiler's wheel names the backend of torch.compile, and the package has it."""
    with zipfile.ZipFile(wheels["qcc"]) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith("/entry_points.txt")]
        assert archive.read(path).decode() == "[torch_dynamo_backends]\nqcc = qcc.torch:backend\n"
    with zipfile.ZipFile(wheels["qcc_runtime"]) as archive:
        assert "\ndef backend(" in archive.read("qcc/torch.py").decode()


def test_same_sources_same_bytes(tmp_path):
    spec = importlib.util.spec_from_file_location("build_wheels", ROOT / "utils" / "build-wheels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = []
    for name in "ab":
        (tmp_path / name).mkdir()
        path = module.write_wheel(tmp_path / name, "x-y", (2, 36), {"x/b.so": b"b", "x/a.py": b"a"}, "Name: x-y\n")
        assert re.fullmatch(r"x_y-\d+\.\d+\.\d+-py3-none-manylinux_2_36_\w+\.whl", path.name)
        written.append(path.read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("version", pythons())
def test_fresh_environment(wheels, tmp_path, version):
    """Compiles and runs with both wheels; without the compiler's, the artifact still runs."""
    run(pythons()[version], "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "install", "--no-compile", "--only-binary=:all:", wheels["qcc_runtime"], wheels["qcc"])
    for example in ("compile_artifact.py", "run_artifact.py", "numpy_arrays.py"):
        shutil.copy(EXAMPLES / example, tmp_path)
    done = run(python, "numpy_arrays.py", cwd=tmp_path)
    assert "[ 1.5  -2.5 ]" in done and "refused: argument 0 has elements of type f32" in done
    assert "of layer.mlir: expected non-function type" in done
    readme = (ROOT / "python" / "README.md").read_text()
    (five_lines,) = re.findall(r"^```python\n(.*?)^```", readme, re.M | re.S)
    assert len(five_lines.strip().splitlines()) == 5
    shutil.copy(ROOT / "test" / "Python" / "Inputs" / "relu.mlir", tmp_path / "model.mlir")
    assert run(python, "-c", five_lines + "print(y.shape, y.sum())", cwd=tmp_path) == "(8, 512) 0.0\n"
    assert run(python, "compile_artifact.py", "model.mlir", "model.so", cwd=tmp_path) == "x86-64-v3, cascadelake\n"
    isolated = "import qcc; print(len(qcc.compile('model.mlir', isolated=True).variants))"
    assert run(python, "-c", isolated, cwd=tmp_path) == "1\n"
    run(*pip, "uninstall", "--yes", "qcc")
    assert run(python, "run_artifact.py", "model.so", cwd=tmp_path) == "relu: float32 (4, 512)\n"
    done = run(python, "-c", "import qcc\ntry: qcc.compile('x')\nexcept qcc.UnsupportedError as e: print(e)")
    assert done.startswith("the compiler is not installed, only the runtime")
    site = pathlib.Path(run(python, "-c", "import qcc; print(qcc.__file__)").strip()).parent
    assert site.is_relative_to(tmp_path)
    run(*pip, "uninstall", "--yes", "qcc-runtime")
    assert not list(site.glob("*.so*"))
