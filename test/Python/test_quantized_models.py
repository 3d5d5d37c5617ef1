"""The parts of utils/quantized-models.py, without the models: scores, verdicts, the page, the commands."""

import dataclasses
import importlib.util
import json
import subprocess
import sys

import pytest

import program

SCRIPT = program.ROOT / "utils" / "quantized-models.py"
sys.path.insert(0, str(program.ROOT / "utils"))
from onnx_models.fetching import name_of  # noqa: E402
from quantized_models import scores, table  # noqa: E402
from quantized_models.cases import CASES, PACKAGES  # noqa: E402
from quantized_models.task import Task  # noqa: E402

spec = importlib.util.spec_from_file_location("quantized_models_script", SCRIPT)
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


@pytest.mark.parametrize("expected, actual, count", [
    ("kernel", "kernel", 0), ("kernel", "kernal", 1), ("kernel", "kerel", 1), ("kernel", "kkernel", 1), ("kernel", "", 6),
    ("", "ab", 2), ("flaw", "lawn", 2)])
def test_edits(expected, actual, count):
    assert scores.edits(expected, actual) == count


def test_matches_of_boxes():
    """A box is found once, and by a box that overlaps by half."""
    one, two = (0, 0, 10, 10), (20, 0, 30, 10)
    assert scores.overlap(one, one) == 1 and scores.overlap(one, two) == 0
    assert scores.overlap(one, (0, 0, 10, 5)) == 0.5
    assert scores.matches([one, two], [two, one]) == 2
    assert scores.matches([one, one], [one]) == 1
    assert scores.matches([one], [(0, 0, 10, 4)]) == 0
    assert scores.matches([one], []) == 0


def test_tasks():
    """Points are summed over inputs, which are made once."""
    made = []
    task = Task(lambda: iter([]), lambda: made.append(1) or iter([(1, 1), (2, 3), (4, 4)]),
                lambda output, expected: (int(output == expected), 1))
    assert task.evaluate(lambda sample: sample) == pytest.approx(2 / 3)
    assert task.evaluate(lambda sample: 0) == 0 and task.evaluation(2) == [1, 2] and made == [1]


def row(name="m.onnx", **changes):
    figures = {"float32": table.Figures(0.9, None, 2000.0, 0), "qcc": table.Figures(0.9, 0.01, 1000.0, 3),
               "ORT": table.Figures(0.8, 0.2, 1000.0, 2), "NNCF": table.Figures(0.9, 0.02, 1200.0, 3)}
    for engine, of_engine in changes.items():
        figures[engine] = dataclasses.replace(figures[engine], **of_engine)
    return table.Row(name, "package 1.0", "right answers", "qcc quantize m.onnx", 3, figures)


@pytest.mark.parametrize("changes, result", [
    ({}, "pass"),
    ({"qcc": {"metric": 0.8956}}, "pass"), ({"qcc": {"metric": 0.8954}}, "accuracy"),
    ({"qcc": {"microseconds": 1019.0}}, "pass"), ({"qcc": {"microseconds": 1021.0}}, "latency"),
    ({"qcc": {"metric": 0.0, "microseconds": 9e9}}, "accuracy; latency"),
    ({"qcc": {"microseconds": 1100.0}, "ORT": {"microseconds": None, "reason": "fails: no"}}, "pass"),
    ({"ORT": {"microseconds": None}, "NNCF": {"microseconds": None}}, "pass"),
])
def test_verdicts(changes, result):
    assert row(**changes).result() == result


def test_the_page():
    rows = [row(), row("other.onnx", qcc={"metric": 0.5}, ORT={"metric": None, "distance": None, "microseconds": None,
                                                                "integers": None, "reason": "fails: no"})]
    text = table.page(rows, "a processor", "It has VNNI.", {"ort": "1.2", "nncf": "3.4"}, 21)
    assert "| m.onnx | 90.00% | 90.00% | 80.00% | 90.00% | 0.010 | 0.200 | 0.020 |" in text
    assert "| other.onnx | 90.00% | 50.00% | fails: no | 90.00% | 0.010 | – | 0.020 |" in text
    assert "| m.onnx | 2 ms | 1 ms | 1 ms | 1.2 ms | 3 | 3 | 2 | 3 | pass |" in text
    assert "| other.onnx | 2 ms | 1 ms | – | 1.2 ms | 3 | 3 | – | 3 | accuracy |" in text
    assert "on this processor: a processor" in text and "ONNX Runtime 1.2" in text and "Of 2 models, 1 pass.\n" in text
    text = table.page(rows[:1], "a processor", "", {"ort": "1.2", "nncf": "3.4"}, 21, ["other.onnx"])
    assert "Of 1 models, 1 pass. Not measured: other.onnx." in text


def test_results_are_kept():
    kept = json.loads(json.dumps(dataclasses.asdict(row())))
    assert table.Row.from_json(kept) == row()


def test_cases():
    """Each has a script that calibrates, and a package whose version is fixed."""
    versions = dict(package.split("==") for package in PACKAGES)
    assert len(CASES) >= 5 and len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.package in versions
        text = (program.ROOT / "utils" / "quantized_models" / f"{case.task}.py").read_text()
        assert "samples, evaluate = " in text
        command = case.command()
        assert command[:2] == ["qcc", "quantize"] and f"--data=$qcc/utils/quantized_models/{case.task}.py" in command
        assert not any("{" in word for word in command)
    assert name_of("magika==1.0.3") == "magika"


def test_the_page_is_of_these_cases():
    """The commands of docs/Quantized.md are those that the script runs."""
    text = (program.ROOT / "docs" / "Quantized.md").read_text()
    commands = [line for line in text.splitlines() if line.startswith("qcc quantize ")]
    assert commands and set(commands) <= {" ".join(case.command()) for case in CASES}


def test_latencies():
    """Medians of rounds in which functions run in turn; short functions run several times in each."""
    calls = []

    def measure(function, sample, runs):
        calls.append((function, runs))
        return {"short": 0.0001, "long": 0.05}[function] + (1.0 if len(calls) in (5, 6) else 0)

    assert script.latencies({"short": "short", "long": "long"}, {}, measure) == pytest.approx({"short": 100, "long": 50000})
    assert calls == [("short", 1), ("long", 1)] + [("short", 200), ("long", 1)] * script.ROUNDS
    assert 0 < script.seconds(lambda sample: sum(range(10000)), None, 10) < 1


def test_models_that_an_engine_does_not_make():
    figures, compiled = script.figures_of("fails: no such op", {}, None, [])
    assert figures.reason == "fails: no such op" and figures.metric is None and compiled is None


def test_without_a_compiler(tmp_path):
    done = subprocess.run([sys.executable, str(SCRIPT), "--qcc=none/qcc", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no program none/qcc" in done.stderr
