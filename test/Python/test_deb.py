"""utils/build-deb.sh: what the package for Debian has, and that it works in any folder, without LLVM."""

import hashlib
import re
import shutil
import subprocess
import sys

import pytest

import program
from program import ROOT

SCRIPT = ROOT / "utils" / "build-deb.sh"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(folder):
    run(SCRIPT, program.build_dir(), folder)
    (package,) = folder.glob("qcc-compiler_*.deb")
    assert (folder / "SHA256SUMS").read_text() == f"{hashlib.sha256(package.read_bytes()).hexdigest()}  {package.name}\n"
    return package


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    if not (program.build_dir() / "build.ninja").exists() or program.sanitizer():
        pytest.skip(f"{program.build_dir()} is not a build without a sanitizer")
    if not shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb is not installed")
    return build(tmp_path_factory.mktemp("packages"))


def test_builds_that_are_refused(tmp_path):
    done = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True)
    assert done.returncode == 2 and "is not a configured build; run cmake --preset release" in done.stderr


def test_same_sources_same_bytes(package, tmp_path):
    assert build(tmp_path).read_bytes() == package.read_bytes()


def test_commands_and_files(package, tmp_path):
    run("dpkg-deb", "--extract", package, tmp_path)
    usr = tmp_path / "usr"
    environment = {"PATH": "/usr/bin:/bin"}
    version = re.search(r"project\(qcc VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert package.name.startswith(f"qcc-compiler_{version}_")
    for tool in ("qcc", "qcc-run"):
        assert run(usr / "bin" / tool, "--version", env=environment) == f"{tool} {version}\n"
    assert "qcc-lsp-server [options]" in run(usr / "bin" / "qcc-lsp-server", "--help", env=environment)
    model = tmp_path / "classifier.onnx"
    run(sys.executable, ROOT / "docs" / "examples" / "make_classifier.py", model)
    assert "0 differ" in run(usr / "bin" / "qcc", "run", model, "--dim=batch=2", "--check", env=environment)
    for name in ("share/doc/qcc-compiler/copyright", "share/man/man1/qcc.1.gz", "share/man/man1/qcc-run.1.gz",
                 "share/bash-completion/completions/qcc", "include/qcc-c/Compiler.h", "lib/pkgconfig/qcc.pc"):
        assert (usr / name).is_file(), name
    needed = run("/usr/lib/llvm-22/bin/llvm-readelf", "-d", *(usr / "bin").iterdir(), *(usr / "lib").glob("*.so.1"))
    assert not re.search(r"libLLVM|libMLIR|libstdc\+\+", needed)
    for path in usr.rglob("*"):
        if path.is_file() and not path.is_symlink():
            assert str(ROOT).encode() not in path.read_bytes(), path
