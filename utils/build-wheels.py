#!/usr/bin/env python3
"""Builds the two wheels of the Python package, after the libraries and programs that go into them.

qcc-runtime has the package, libqcc_runtime and qcc-run; qcc-compiler adds libqcc, the compiler, with qcc and
qcc-lsp-server, and depends on qcc-runtime. Both call the libraries through ctypes, so one wheel serves every Python.

Beside the wheels are a list of the software in each (CycloneDX, *.cdx.json), which the wheel contains as well, and
SHA256SUMS. The same sources give the same bytes.
"""

import argparse
import base64
import hashlib
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import uuid
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


def stripped(path, folder):
    """The contents of a library or program without symbols that nobody needs to run it, and the manylinux that it
    needs: the GLIBC of that number. The C++ library is inside (tools/standalone)."""
    copy = pathlib.Path(folder) / path.name
    run(TOOLS / "llvm-strip", path, "-o", copy)
    versions = run(TOOLS / "llvm-readelf", "--version-info", copy)
    needs = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", versions)
    if "Name: GLIBCXX_" in versions:
        sys.exit(f"build-wheels: {path} needs the C++ library of this machine; configure the build anew")
    return copy.read_bytes(), max((int(major), int(minor)) for major, minor in needs)


#: What parts of the package need besides, by the name of the extra.
EXTRAS = {"serve": ["httptools>=0.6,<1", "uvloop>=0.17,<1"], "grpc": ["grpcio>=1.60,<2", "protobuf>=4"],
          "ray": ["ray[data,serve]>=2.60,<3"],
          "quantize": ["nncf>=3.0,<4", "onnx>=1.17,<2", "onnxruntime>=1.20,<2"]}


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
        *[f"Provides-Extra: {extra}" for extra in EXTRAS],
        *[f"Requires-Dist: {other}; extra == '{extra}'" for extra, others in EXTRAS.items() for other in others],
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / "python" / "README.md").read_text()


#: What is linked into the files: its name, its license, and a file of the package of Debian that it comes from.
LLVM = ("LLVM, MLIR and lld", "Apache-2.0 WITH LLVM-exception", "/usr/lib/llvm-22/lib/libLLVMCore.a")
ZSTD = ("Zstandard", "BSD-3-Clause", "libzstd.a")
PROTOZERO = ("protozero", "BSD-2-Clause", "/usr/include/protozero/pbf_reader.hpp")
FLATBUFFERS = ("FlatBuffers", "Apache-2.0", "/usr/include/flatbuffers/flatbuffers.h")
LIBSTDCXX = ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++.a")


def component(name, license_name, path):
    """An entry of the list of software, for a part that is linked in."""
    if "/" not in path:
        path = run(TOOLS / "clang", f"-print-file-name={path}").strip()
    path = pathlib.Path(path).resolve()
    package = run("dpkg-query", "--search", path).split(": ")[0]
    package, version = run("dpkg-query", "--show", "--showformat=${Package} ${Version}", package).split()
    purl = f"pkg:deb/debian/{package}@{version.replace(':', '%3A').replace('+', '%2B')}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "licenses": [{"expression": license_name}]}


def software(name, linked, requires):
    """The list of the software in a wheel, as CycloneDX."""
    purl = f"pkg:pypi/{name}@{version()}"
    components = [component(*part) for part in linked]
    for other in requires:
        other_name, _, number = re.fullmatch(r"([\w-]+)(==|>=)(.+)", other).groups()
        entry = {"type": "library", "bom-ref": f"pkg:pypi/{other_name}", "name": other_name, "purl": f"pkg:pypi/{other_name}"}
        if "==" in other:
            entry.update(version=number, purl=f"pkg:pypi/{other_name}@{number}")
        components.append(entry)
    content = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "library", "bom-ref": purl, "name": name, "version": version(), "purl": purl,
                                   "licenses": [{"expression": LLVM[1]}]}},
        "components": components,
        "dependencies": [{"ref": purl, "dependsOn": [entry["bom-ref"] for entry in components]},
                         *({"ref": entry["bom-ref"]} for entry in components)],
    }
    # A name for these contents: the same contents have the same one.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content))
    return json.dumps({**content, "serialNumber": f"urn:uuid:{serial}"}, indent=2) + "\n"


def command(program, distribution):
    """The script by which pip installs a program as a command."""
    text = (ROOT / "python" / "command.py").read_text()
    return text.replace("@PROGRAM@", program).replace("@DISTRIBUTION@", distribution).encode()


def record(files):
    lines = []
    for path, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(contents)}")
    return "\n".join(lines)


#: So that torch.compile(model, backend="qcc") finds the backend by itself.
ENTRY_POINTS = "[torch_dynamo_backends]\nqcc = qcc.torch:backend\n"


def write_wheel(folder, name, glibc, files, text, commands=(), bill="", entry_points=""):
    """Writes the wheel of a distribution whose package has these files, by path."""
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}"
    stem = f"{name.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: qcc build-wheels.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = dict(sorted(files.items()))
    for program in commands:
        files[f"{stem}.data/scripts/{program}"] = command(program, name)
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = text.encode()
    files[f"{info}/WHEEL"] = wheel.encode()
    if bill:
        files[f"{info}/sboms/{name}.cdx.json"] = bill.encode()
        (folder / f"{stem}.cdx.json").write_text(bill)
    if entry_points:
        files[f"{info}/entry_points.txt"] = entry_points.encode()
    files[f"{info}/RECORD"] = f"{record(files)}\n{info}/RECORD,,\n".encode()
    path = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name_in_archive, contents in files.items():
            entry = zipfile.ZipInfo(name_in_archive, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            # pip looks at the mode of regular files alone.
            is_program = contents.startswith(b"\x7fELF") or ".data/scripts/" in name_in_archive
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, contents)
    return path


def build(options):
    run("cmake", "--build", options.build, "--target", "qcc-standalone")
    options.output.mkdir(parents=True, exist_ok=True)
    for old in [*options.output.glob("qcc*.whl"), *options.output.glob("qcc*.cdx.json")]:
        old.unlink()
    # Folders of the package as in the build: programs find the libraries from there.
    sources = {"qcc-runtime": ("lib/libqcc_runtime.so.1", "bin/qcc-run"),
               "qcc-compiler": ("lib/libqcc.so.1", "bin/qcc", "bin/qcc-lsp-server", "bin/qcc-isolated-compiler")}
    files, glibc = {}, {}
    with tempfile.TemporaryDirectory(prefix="qcc-wheels-") as folder:
        for name, paths in sources.items():
            found = {f"qcc/{path}": stripped(options.build / "standalone" / path, folder) for path in paths}
            files[name] = {path: contents for path, (contents, _) in found.items()}
            glibc[name] = max(needed for _, needed in found.values())
    package = ROOT / "python" / "qcc"
    files["qcc-runtime"].update(
        {f"qcc/{path.relative_to(package)}": path.read_bytes() for path in package.rglob("*")
         if path.suffix in (".py", ".typed", ".html", ".css", ".js")})

    def write(name, summary, requires, commands, linked, entry_points=""):
        return write_wheel(options.output, name, glibc[name], files[name], metadata(name, summary, requires), commands,
                           software(name, linked, requires), entry_points)

    wheels = [
        write("qcc-runtime", "Runs quantized networks that qcc compiled", ["numpy>=1.22"], ["qcc-run"],
              [LIBSTDCXX, PROTOZERO]),
        write("qcc-compiler", "Compiles quantized networks to native code", [f"qcc-runtime=={version()}"],
              ["qcc", "qcc-lsp-server"], [LLVM, LIBSTDCXX, PROTOZERO, FLATBUFFERS, ZSTD], ENTRY_POINTS)]
    listed = sorted([*wheels, *options.output.glob("qcc*.cdx.json")])
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in listed)
    (options.output / "SHA256SUMS").write_text(sums)
    return wheels


def main():
    for path in build(parse_arguments(sys.argv[1:])):
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
