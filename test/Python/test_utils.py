"""The scripts of utils/: the counting that check.sh rests on, and the build."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def count(path):
    command = [sys.executable, str(ROOT / "utils" / "count-tests.py"), str(path)]
    return subprocess.run(command, capture_output=True, text=True)


def test_lit_results(tmp_path):
    codes = ["PASS", "PASS", "XFAIL", "FAIL", "XPASS", "UNRESOLVED", "TIMEOUT", "UNSUPPORTED"]
    path = tmp_path / "lit.json"
    path.write_text(json.dumps({"tests": [{"name": c, "code": c} for c in codes]}))
    assert count(path).stdout.split() == ["3", "4"]


def test_junit_results(tmp_path):
    path = tmp_path / "pytest.xml"
    path.write_text(
        "<testsuites><testsuite><testcase/><testcase><failure/></testcase>"
        "<testcase><skipped/></testcase><testcase><error/></testcase><testcase/>"
        "</testsuite></testsuites>"
    )
    assert count(path).stdout.split() == ["2", "2"]


def test_missing_results(tmp_path):
    assert count(tmp_path / "none.json").returncode != 0


def without_clang(folder):
    """A PATH of this machine's programs, but no compiler."""
    folder.mkdir()
    for place in ("/bin", "/usr/bin", "/usr/local/bin"):
        for path in pathlib.Path(place).glob("*"):
            if not path.name.startswith(("clang", "ccache", "cc", "c++", "gcc", "g++")):
                link = folder / path.name
                if not link.exists() and not link.is_symlink():
                    link.symlink_to(path)
    return str(folder)


def test_build_after_a_configuration_without_compiler(tmp_path):
    """Packages may be installed after a first try: the second starts anew, and a bare cmake says what to do."""
    source = tmp_path / "source"
    (source / "utils").mkdir(parents=True)
    shutil.copy(ROOT / "utils" / "build-release.sh", source / "utils")
    shutil.copy(ROOT / "CMakePresets.json", source)
    lists = (ROOT / "CMakeLists.txt").read_text()
    head = lists[: lists.index("set(CMAKE_CXX_STANDARD 17)")]
    (source / "CMakeLists.txt").write_text(head + 'add_custom_target(built ALL COMMAND true)\n')
    build = ["bash", "utils/build-release.sh"]
    poor = dict(os.environ, PATH=without_clang(tmp_path / "bin"))
    first = subprocess.run(build, cwd=source, env=poor, capture_output=True, text=True)
    assert first.returncode != 0
    assert (source / "build" / "release" / "CMakeCache.txt").exists()
    bare = subprocess.run(["cmake", "--preset", "release"], cwd=source, capture_output=True, text=True)
    assert bare.returncode != 0
    assert "configure again" in bare.stderr
    second = subprocess.run(build, cwd=source, capture_output=True, text=True)
    assert second.returncode == 0, second.stdout + second.stderr


def test_overhead_without_its_environment(tmp_path):
    """utils/python-overhead.py says what makes the environment that it needs."""
    command = [sys.executable, str(ROOT / "utils" / "python-overhead.py"), f"--venv={tmp_path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"{tmp_path} is no Python environment; utils/bench-models.py makes it" in done.stderr
