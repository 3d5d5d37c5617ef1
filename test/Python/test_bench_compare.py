"""utils/bench-compare.py and utils/bench-table.py: reports of qcc-bench."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def report(path, shapes, **others):
    rows = [
        {"shape": name, "qcc": {"seconds": seconds}, "fraction_of_peak": fraction, "ratio": 1.25}
        for name, seconds, fraction in shapes
    ]
    path.write_text(json.dumps({"suite": "gemm", "isa": "avx2", "shapes": rows, **others}))
    return str(path)


def script(name, *arguments):
    command = [sys.executable, str(ROOT / "utils" / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def compare(*arguments):
    return script("bench-compare.py", *arguments)


def test_speedups(tmp_path):
    before = report(tmp_path / "a", [("8x8x8", 4e-6, 0.2), ("9x9x9", 9e-6, 0), ("1x1x1", 1, 1)])
    # The first took as long on a machine that ran at half of its speed.
    after = report(tmp_path / "b", [("8x8x8", 4e-6, 0.4), ("9x9x9", 18e-6, 0), ("2x2x2", 1, 1)])
    done = compare(before, after)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["8x8x8", "4.00", "4.00", "2.000", "1.250", "1.250"]
    assert lines[2].split() == ["9x9x9", "9.00", "18.00", "0.500", "1.250", "1.250"]
    assert lines[3].split() == "1x1x1 only in the report before".split()
    assert lines[4].split() == "2x2x2 only in the report after".split()
    assert lines[5] == "geomean speedup: 1.000 (min 0.500 at 9x9x9)"
    assert compare("--limit=0.5", before, after).returncode == 0


def test_what_cannot_be_compared(tmp_path):
    one = report(tmp_path / "a", [("8x8x8", 4e-6, 0.2)])
    other = report(tmp_path / "b", [("8x8x8", 4e-6, 0.2)], isa="avx512")
    done = compare(one, other)
    assert done.returncode == 1
    assert "isa is avx2 in the one report and avx512 in the other" in done.stderr
    done = compare(one, report(tmp_path / "c", [("9x9x9", 4e-6, 0.2)]))
    assert done.returncode == 1
    assert "the reports have no shape in common" in done.stderr
    (tmp_path / "d").write_text("{")
    for path in ("d", "none"):
        done = compare(one, str(tmp_path / path))
        assert done.returncode == 1
        assert f"{path} is no report of qcc-bench" in done.stderr


def test_table(tmp_path):
    path = report(
        tmp_path / "a",
        [("8x8x8", 4e-6, 0.25)],
        dtype="s8",
        threads=2,
        repetitions=3,
        peaks=[{"name": "clock", "unit": "GHz", "rate": 3.691}, {"name": "FMA", "unit": "GFLOP/s", "rate": 118.2}],
        geomean=1.25,
        min=1.25,
        min_shape="8x8x8",
    )
    done = script("bench-table.py", path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "`--suite=gemm --dtype=s8 --isa=avx2 --threads=2`, 2 threads, 3 rounds"
    assert lines[2] == "Peaks in this run: clock 3.69 GHz, FMA 118 GFLOP/s."
    assert lines[4:7] == ["| shape | qcc of peak |", "| --- | --- |", "| 8x8x8 | 0.25 |"]
    assert lines[8] == "Geometric mean of the ratios 1.250, least 1.250 at 8x8x8."


def test_table_with_a_peer(tmp_path):
    path = report(
        tmp_path / "a",
        [("8x8x8", 4e-6, 0.25), ("9x9x9", 4e-6, 0.5)],
        dtype="u8",
        threads=1,
        repetitions=3,
        peaks=[],
        peer={"kind": "onednn", "version": "oneDNN 2.6.3"},
    )
    with open(path, encoding="utf-8") as file:
        measured = json.load(file)
    measured["shapes"][0].update(
        peers=[{"seconds": 5e-6}], peer_fraction_of_peak=0.2, ratio=1.25, peer_impl="brg_s8"
    )
    with open(path, "w", encoding="utf-8") as file:
        json.dump(measured, file)
    lines = script("bench-table.py", path).stdout.splitlines()
    assert lines[4] == "| shape | qcc of peak | oneDNN 2.6.3 of peak | ratio | its implementation |"
    assert lines[6] == "| 8x8x8 | 0.25 | 0.20 | 1.25 | brg\\_s8 |"
    assert lines[7] == "| 9x9x9 | 0.50 | – | – | – |"


def test_table_of_nothing(tmp_path):
    done = script("bench-table.py", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "none is no report of qcc-bench" in done.stderr
