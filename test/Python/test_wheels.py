"""utils/build-wheels.py: what the wheels have, and that they work where nothing else of qcc is."""

import base64
import glob
import hashlib
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
    return build(tmp_path_factory.mktemp("wheels"))


def build(folder):
    run(sys.executable, ROOT / "utils" / "build-wheels.py", f"--build={program.build_dir()}", f"--output={folder}")
    found = {path.name.split("-")[0]: path for path in folder.glob("*.whl")}
    assert sorted(found) == ["qcc_compiler", "qcc_runtime"]
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
    assert wheels["qcc_runtime"].stat().st_size < 2_500_000
    assert wheels["qcc_compiler"].stat().st_size < 40_000_000


def test_own_llvm(wheels, tmp_path):
    """No function of LLVM is looked up in other libraries, or seen by them: it does not matter which LLVMs they have."""
    with zipfile.ZipFile(wheels["qcc_compiler"]) as archive:
        library = archive.extract("qcc/lib/libqcc.so.1", tmp_path)
    headers = run("/usr/lib/llvm-22/bin/llvm-readelf", "--dyn-symbols", "--dynamic-table", library)
    assert "qccCompileText" in headers
    assert not re.findall(r"_ZNK?(?:4llvm|4mlir|3lld)\w+|lib(?:LLVM|MLIR)", headers)


def test_tags(wheels):
    """The tag is what auditwheel finds in the libraries."""
    pytest.importorskip("auditwheel")
    for wheel in wheels.values():
        report = json.loads(run(sys.executable, "-m", "auditwheel", "show", "--json", wheel))
        assert wheel.name.endswith(f"-py3-none-{report['overall_tag']}.whl")
        glibc = tuple(map(int, re.match(r"manylinux_(\d+)_(\d+)_", report["overall_tag"]).groups()))
        assert glibc <= (2, 28)


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
    assert {"qcc/__init__.py", "qcc/py.typed", "qcc/lib/libqcc.so.1", "qcc/lib/libqcc_runtime.so.1",
            "qcc/bin/qcc", "qcc/bin/qcc-run", "qcc/bin/qcc-lsp-server", "qcc/bin/qcc-isolated-compiler"} <= seen
    commands = {name.rpartition("/")[2] for name in seen if ".data/scripts/" in name}
    assert commands == {"qcc", "qcc-run", "qcc-lsp-server"}
    sources = {f"qcc/{path.relative_to(ROOT / 'python' / 'qcc')}" for path in (ROOT / "python" / "qcc").rglob("*")
               if path.suffix in (".py", ".html", ".css", ".js")}
    assert {name for name in seen if name.endswith((".py", ".html", ".css", ".js"))} == sources


def test_torch_finds_its_backend(wheels):
    """The compiler's wheel names the backend of torch.compile, and the package has it."""
    with zipfile.ZipFile(wheels["qcc_compiler"]) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith("/entry_points.txt")]
        assert archive.read(path).decode() == "[torch_dynamo_backends]\nqcc = qcc.torch:backend\n"
    with zipfile.ZipFile(wheels["qcc_runtime"]) as archive:
        assert "\ndef backend(" in archive.read("qcc/torch.py").decode()


def test_sums_and_lists_of_software(wheels):
    """SHA256SUMS has the wheels and the list of the software in each, which the wheel contains as well."""
    folder = wheels["qcc_runtime"].parent
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in folder.iterdir() if path.name != "SHA256SUMS"}
    linked = {"qcc_runtime": {"libstdc++", "protozero", "numpy"},
              "qcc_compiler": {"LLVM, MLIR and lld", "libstdc++", "protozero", "FlatBuffers", "Zstandard", "qcc-runtime"}}
    for name, wheel in wheels.items():
        (path,) = folder.glob(f"{name}-*.cdx.json")
        bill = json.loads(path.read_text())
        assert bill["bomFormat"] == "CycloneDX" and bill["metadata"]["component"]["version"] in path.name
        assert {part["name"] for part in bill["components"]} == linked[name]
        assert {entry["ref"] for entry in bill["dependencies"][1:]} == {part["bom-ref"] for part in bill["components"]}
        with zipfile.ZipFile(wheel) as archive:
            (inside,) = [entry for entry in archive.namelist() if ".dist-info/sboms/" in entry]
            assert archive.read(inside) == path.read_bytes()


def test_same_sources_same_bytes(wheels, tmp_path):
    build(tmp_path)
    assert (tmp_path / "SHA256SUMS").read_bytes() == (wheels["qcc_runtime"].parent / "SHA256SUMS").read_bytes()


def test_nothing_names_the_build(wheels):
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            named = [name for name in archive.namelist() if str(ROOT).encode() in archive.read(name)]
        assert not named


def check_commands(folder, work):
    """The commands run where nothing but the wheels is, and find this Python."""
    run(sys.executable, ROOT / "docs" / "examples" / "make_classifier.py", work / "classifier.onnx")
    assert "0 differ" in run(folder / "qcc", "run", work / "classifier.onnx", "--dim=batch=2", "--check")
    run(folder / "qcc", "compile", work / "classifier.onnx", "-o", work / "classifier.so")
    assert "10xf32" in run(folder / "qcc-run", work / "classifier.so", "--dim=batch=2")
    version = re.search(r"project\(qcc VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    for name in ("qcc", "qcc-run"):
        assert run(folder / name, "--version") == f"{name} {version}\n"
    assert "qcc-lsp-server [options]" in run(folder / "qcc-lsp-server", "--help")
    done = subprocess.run([folder / "qcc", "diff", work / "classifier.onnx", "--against=onnx"], capture_output=True,
                          text=True, env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 4 and "qcc needs the package onnx" in done.stderr
    (program_file,) = folder.parent.glob("lib/python*/site-packages/qcc/bin/qcc")
    program_file.rename(work / "hidden")
    done = subprocess.run([folder / "qcc"], capture_output=True, text=True)
    assert done.returncode == 4 and re.search(
        r"^qcc: error: '.*/qcc/bin/qcc' cannot be started \(No such file or directory\); install the package anew: pip "
        r"install --force-reinstall qcc-compiler$", done.stderr.strip())
    (work / "hidden").rename(program_file)


@pytest.mark.parametrize("version", pythons())
def test_fresh_environment(wheels, tmp_path, version):
    """Compiles and runs with both wheels; without the compiler's, the artifact still runs."""
    run(pythons()[version], "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "install", "--no-compile", "--only-binary=:all:", wheels["qcc_runtime"], wheels["qcc_compiler"])
    assert "No broken requirements found" in run(*[word for word in pip if word != "--quiet"], "check")
    check_commands(tmp_path / "venv" / "bin", tmp_path)
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
    run(*pip, "uninstall", "--yes", "qcc-compiler")
    assert not (tmp_path / "venv" / "bin" / "qcc").exists()
    run(tmp_path / "venv" / "bin" / "qcc-run", "model.so", "--list", cwd=tmp_path)
    assert run(python, "run_artifact.py", "model.so", cwd=tmp_path) == "relu: float32 (4, 512)\n"
    done = run(python, "-c", "import qcc\ntry: qcc.compile('x')\nexcept qcc.UnsupportedError as e: print(e)")
    assert done.startswith("the compiler is not installed, only the runtime")
    site = pathlib.Path(run(python, "-c", "import qcc; print(qcc.__file__)").strip()).parent
    assert site.is_relative_to(tmp_path)
    run(*pip, "uninstall", "--yes", "qcc-runtime")
    assert not (site / "lib").exists() and not (site / "bin").exists()
