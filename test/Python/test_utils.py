"""The counting that utils/check.sh rests on."""

import json
import pathlib
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
