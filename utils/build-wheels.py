#!/usr/bin/env python3
"""Builds the two wheels of the Python package, after the libraries that go into them.

qcc-runtime has the package and libqcc_runtime; qcc adds libqcc, the compiler, and depends on qcc-runtime. Both call
the libraries through ctypes, so one wheel serves every Python. The same sources give the same bytes.
"""

import argparse
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOOLS = pathlib.Path("/usr/lib/llvm-22/bin")
REQUIRES_PYTHON = ">=3.8"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER",
                        help="a configured build (default: build/release)")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                        help="where the wheels go (default: wheels in the folder of the build)")
    options = parser.parse_args(arguments)
    if not (options.build / "build.ninja").exists():
        parser.error(f"{options.build} is not a configured build; run cmake --preset release")
    sanitizer = re.search(r"^QCC_SANITIZE:STRING=(.+)$", (options.build / "CMakeCache.txt").read_text(), re.M)
    if sanitizer:
        parser.error(f"{options.build} has the {sanitizer.group(1)} sanitizer, which no Python has; give another build")
    options.output = options.output or options.build / "wheels"
    return options


def version():
    return re.search(r"project\(qcc VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def run(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"build-wheels: {' '.join(str(word) for word in command)} failed\n{done.stdout}{done.stderr}")
    return done.stdout


def stripped(library, folder):
    """The contents of a library without symbols that nobody needs to run it, and the manylinux that it needs: the
    GLIBC of that number, and the libstdc++ of the distributions that have it (the policies of auditwheel)."""
    copy = pathlib.Path(folder) / library.name
    run(TOOLS / "llvm-strip", library, "-o", copy)
    versions = run(TOOLS / "llvm-readelf", "--version-info", copy)
    needs = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", versions)
    if "Name: GLIBCXX_3.4.30" in versions:
        needs.append((2, 35))
    return copy.read_bytes(), max((int(major), int(minor)) for major, minor in needs)


def metadata(name, summary, requires):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version()}",
        f"Summary: {summary}",
        "License: Apache-2.0 WITH LLVM-exception",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Typing :: Typed",
        f"Requires-Python: {REQUIRES_PYTHON}",
        *[f"Requires-Dist: {other}" for other in requires],
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / "python" / "README.md").read_text()


def record(files):
    lines = []
    for path, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(contents)}")
    return "\n".join(lines)


#: So that torch.compile(model, backend="qcc") finds the backend by itself.
ENTRY_POINTS = "[torch_dynamo_backends]\nqcc = qcc.torch:backend\n"


def write_wheel(folder, name, glibc, files, text, entry_points=""):
    """Writes the wheel of a distribution whose package has these files, by path."""
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}"
    stem = f"{name.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: qcc build-wheels.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = dict(sorted(files.items()))
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = text.encode()
    files[f"{info}/WHEEL"] = wheel.encode()
    if entry_points:
        files[f"{info}/entry_points.txt"] = entry_points.encode()
    files[f"{info}/RECORD"] = f"{record(files)}\n{info}/RECORD,,\n".encode()
    path = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name_in_archive, contents in files.items():
            entry = zipfile.ZipInfo(name_in_archive, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            # pip looks at the mode of regular files alone.
            entry.external_attr = (0o100755 if contents.startswith(b"\x7fELF") else 0o100644) << 16
            archive.writestr(entry, contents)
    return path


def build(options):
    run("cmake", "--build", options.build, "--target", "QCCRuntimeCAPI", "QCCStandaloneCAPI", "qcc-isolated-compiler")
    options.output.mkdir(parents=True, exist_ok=True)
    for old in options.output.glob("qcc*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="qcc-wheels-") as folder:
        runtime, runtime_glibc = stripped(options.build / "lib" / "libqcc_runtime.so.1", folder)
        compiler, compiler_glibc = stripped(options.build / "standalone" / "libqcc.so.1", folder)
        isolated, isolated_glibc = stripped(options.build / "bin" / "qcc-isolated-compiler", folder)
    sources = ROOT / "python" / "qcc"
    package = {f"qcc/{path.name}": path.read_bytes() for path in sources.iterdir() if path.suffix in (".py", ".typed")}
    package["qcc/libqcc_runtime.so.1"] = runtime
    yield write_wheel(
        options.output, "qcc-runtime", runtime_glibc, package,
        metadata("qcc-runtime", "Runs quantized networks that qcc compiled", ["numpy>=1.22"]))
    yield write_wheel(
        options.output, "qcc", max(compiler_glibc, isolated_glibc),
        {"qcc/libqcc.so.1": compiler, "qcc/qcc-isolated-compiler": isolated},
        metadata("qcc", "Compiles quantized networks to native code", [f"qcc-runtime=={version()}"]), ENTRY_POINTS)


def main():
    for path in build(parse_arguments(sys.argv[1:])):
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
