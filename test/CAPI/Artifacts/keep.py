"""Keeps an artifact of the version that a build writes, for test/CAPI/kept-artifacts.test.

Usage: keep.py [BUILD]. To be run once, when QCC_ABI_MINOR_VERSION has been raised, before anything of that version is
released. An artifact that was kept is never written again.
"""

import ctypes
import pathlib
import subprocess
import sys

folder = pathlib.Path(__file__).resolve().parent
build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else folder.parents[2] / "build" / "release")
runtime = ctypes.CDLL(str(build / "lib" / "libqcc_runtime.so"))
path = folder / f"version-{runtime.qccGetArtifactVersion()}.{runtime.qccGetArtifactMinorVersion()}.so"
if path.exists():
    sys.exit(f"{path} is kept already; raise QCC_ABI_MINOR_VERSION if what compilers write has changed")
subprocess.run([build / "bin" / "qcc", "compile", folder / "kept.mlir", "--mcpu=x86-64-v3", "-o", path], check=True)
print(path)
