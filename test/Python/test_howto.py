"""The commands of docs/HowTo, run as they stand there."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

import pytest

import program

PAGES = ["ImportJAX.md", "ImportTFLite.md", "RunAndProfile.md", "CompareLayers.md", "Tune.md", "DynamicSequences.md"]


def commands(page):
    text = (program.ROOT / "docs" / "HowTo" / page).read_text()
    return re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_commands(page, tmp_path):
    blocks = commands(page)
    assert blocks
    (tmp_path / "docs").symlink_to(program.ROOT / "docs")
    environment = dict(os.environ)
    environment["PATH"] = f"{program.build_dir() / 'bin'}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
                          cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_report_of_compare_layers():
    """The table of the page is what the command prints."""
    page = (program.ROOT / "docs" / "HowTo" / "CompareLayers.md").read_text()
    environment = dict(os.environ)
    environment["PATH"] = f"{program.build_dir() / 'bin'}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(["bash", "-c", commands("CompareLayers.md")[0]], cwd=program.ROOT,
                          env=environment, capture_output=True, text=True)
    assert f"```\n{done.stdout}```" in page, done.stdout + done.stderr


def test_readme_leaves_nothing_in_the_checkout():
    """What the commands of README.md write lies in build/, which git ignores."""
    commands = re.findall(r"^```sh\n(.*?)^```", (program.ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    written = re.findall(r"(?:-o |--db=|--output=|--json=|--profile=|--dump-steps=)(\S+)", "".join(commands))
    assert len(written) >= 3
    assert all(path == "-" or path.startswith("build/") for path in written), written


def test_first_model(tmp_path):
    """The files and commands of the page, in an empty folder."""
    page = (program.ROOT / "docs" / "HowTo" / "FirstModel.md").read_text()
    names = re.findall(r"ave this as `([\w.]+)`", page)
    texts = re.findall(r"^```(?:mlir|python)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(names) == len(texts) == 3
    work, checkout = tmp_path / "work", tmp_path / "checkout"
    (checkout / "build").mkdir(parents=True)
    (checkout / "build" / "release").symlink_to(program.build_dir().resolve())
    for name in ("examples", "python"):
        (checkout / name).symlink_to(program.ROOT / name)
    work.mkdir()
    for name, text in zip(names, texts):
        (work / name).write_text(text)
    folders = [str(program.build_dir().resolve() / "bin"), str(pathlib.Path(sys.executable).parent)]
    environment = dict(os.environ, QCC=str(checkout))
    environment["PATH"] = os.pathsep.join([*folders, environment["PATH"]])
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(commands("FirstModel.md"))],
                          cwd=work, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "check: 80 elements, 0 differ" in done.stdout
    assert "result 0: 5x16 of 32-bit elements" in done.stdout


def test_serve(tmp_path):
    """The server of the page, at a free port."""
    pytest.importorskip("httptools", reason="the library of HTTP is not installed")
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "docs").symlink_to(program.ROOT / "docs")
    environment = dict(os.environ, PYTHONPATH=str(program.ROOT / "python"),
                       QCC_LIBRARY_PATH=str(program.build_dir().resolve() / "lib"))
    folders = [str(program.build_dir().resolve() / "bin"), str(pathlib.Path(sys.executable).parent)]
    environment["PATH"] = os.pathsep.join([*folders, environment["PATH"]])
    script = "\n".join(commands("Serve.md")).replace("8000", str(port))
    # A server that a failed command leaves behind is stopped.
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + script],
                          cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"listening at http://127.0.0.1:{port}" in done.stdout and '"ready": true' in done.stdout
    assert '"name": "fc3"' in done.stdout and "draining" in done.stderr


def test_accepted_ops():
    """The list of the page is what the import accepts."""
    page = (program.ROOT / "docs" / "HowTo" / "FirstModel.md").read_text()
    # Python's readline sets the width to 80.
    done = subprocess.run([str(program.qcc()), "ops"], env=dict(os.environ, COLUMNS="100"),
                          capture_output=True, text=True)
    assert f"```\n{done.stdout}```" in page, "put into FirstModel.md:\n" + done.stdout + done.stderr
