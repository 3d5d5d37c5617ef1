"""The op table of the importer against ONNX itself, its page, and some of ONNX's node tests."""

import re
import subprocess
import sys

import onnx.defs
import pytest

import program

TABLE = program.ROOT / "lib" / "Frontend" / "ONNX" / "OpTable.cpp"
PAGE = program.ROOT / "docs" / "ONNXOps.md"
SCRIPT = program.ROOT / "utils" / "onnx-conformance.py"
FIRST = 9  # the first operator set that is imported
# Ops of which ONNX has tests for earlier operator sets only; test_onnx_integers.py,
# test_onnx_versions.py and test_onnx_composed.py have some.
UNLISTED = {"And", "GlobalLpPool", "NonZero", "Not", "Upsample", "Xor"}


def imported(table="kRows"):
    """{op: versions}"""
    text = TABLE.read_text(encoding="utf-8").split(f" {table}[] = {{")[1].split("\n};")[0]
    rows = re.findall(r'\{\s*"(\w+)",\s*import\w+,\s*\{([\d,\s]+)\}\s*\}', text)
    return {op: [int(version) for version in versions.split(",")] for op, versions in rows}


def test_versions_are_those_of_onnx():
    history = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            history.setdefault(schema.name, set()).add(schema.since_version)
    table = imported()
    assert len(table) > 100
    for op, versions in table.items():
        known = sorted(history[op])
        before = [version for version in known if version <= FIRST][-1:]
        assert versions == before + [v for v in known if v > FIRST], op


def test_the_page_lists_what_is_imported():
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    listed = {op for op, _, _ in rows}
    assert listed <= set(imported())
    assert set(imported()) - listed == UNLISTED
    named = re.search(r"^Imported as well.*: (.*)\.$", PAGE.read_text(encoding="utf-8"), re.M).group(1)
    assert set(named.split(", ")) == UNLISTED
    assert re.search(r"\b0 fail otherwise", PAGE.read_text(encoding="utf-8"))


# Cases that run in a few seconds; the script runs all of them.
@pytest.mark.parametrize("part", ["qlinear", "reduce_l2", "dynamicquantizelinear_expanded",
                                  "basic_conv", "convtranspose", "maxpool_2d", "averagepool_2d",
                                  "gather", "slice", "reshape_", "resize_upsample", "where"])
def test_node_tests(part, compiler):
    done = subprocess.run([sys.executable, str(SCRIPT), f"--qcc={compiler}", f"--filter={part}"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split(" pass")[0].split()[-1]) > 0, done.stdout
