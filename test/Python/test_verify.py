"""python -m qcc verify: engines that agree with themselves and engines that do not, references, and the command line."""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import pytest

import program
from package import qcc
from quantizing import two_inputs
from qcc.verify import _agreement, _command, _engines, _rows

MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 4] x) => (float[batch, 2] y, int64[batch] best) <float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
  m = MatMul(x, w)
  y = Softmax(m)
  best = ArgMax <axis = 1, keepdims = 0> (m)
}"""
#: Each row depends on the greatest element of the batch.
MIXED = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 4] x) => (float[batch, 4] y) {
  q, s, z = DynamicQuantizeLinear(x)
  y = DequantizeLinear(q, s, z)
}"""


def save(text, path):
    path.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    return path


@pytest.fixture
def model(tmp_path):
    return save(MODEL, tmp_path / "model.onnx")


@pytest.fixture
def call(model, capsys):
    """Runs the command on a model, for one processor; returns the exit code, the report and the messages."""
    def run(*arguments, path=model, mcpu="x86-64-v3"):
        code = _command.main([str(path), f"--mcpu={mcpu}", "--threads=1,2", "--json", *map(str, arguments)])
        told = capsys.readouterr()
        return code, json.loads(told.out) if told.out else None, told.err
    return run


def axes_of(engine):
    return {axis["name"]: axis["different"] for axis in engine["axes"]}


def test_qcc_agrees_with_itself(call):
    code, report, told = call()
    (engine,) = report["engines"]
    assert code == 0 and not told and report["agrees"] and engine["agrees"] and engine["results"] == 1
    assert report["inputs"] == {"x": {"dtype": "float32", "shape": [5, 4]}} and report["seed"] == 0
    assert report["batch"] == {"dimension": "batch", "rows": 5}
    assert axes_of(engine) == {"level": 0, "threads": 0, "repetition": 0, "batch": 0, "neighbours": 0}
    assert [axis["pairs"] for axis in engine["axes"]] == [2, 2, 4, 4, 4]
    assert len(engine["settings"]) == 4 and len({setting["sha256"] for setting in engine["settings"]}) == 1
    distances = engine["settings"][0]["distances"]["exact"]
    assert 0 < distances["y"] < 1e-6 and distances["best"] == 0


def test_table(model, capsys):
    assert _command.main([str(model), "--mcpu=x86-64-v3", "--threads=1", "--input=random:3"]) == 0
    first, head, row = capsys.readouterr().out.splitlines()
    assert first == f"{model}: x float32 5x4, random of seed 3; 5 rows of 'batch'"
    assert re.split("  +", head) == ["engine", "settings", "results", "differs by", "largest", "relative L2", "to float64"]
    assert re.split("  +", row)[:4] == [f"qcc {qcc.__version__}", "2", "1", "nothing"]


def test_every_processor_of_this_host(model, capsys):
    """Without --mcpu."""
    assert _command.main([str(model), "--threads=1", "--json"]) == 0
    (engine,) = json.loads(capsys.readouterr().out)["engines"]
    assert {setting["target"] for setting in engine["settings"]} == set(_engines.choose_targets([], None))
    assert set(program.host_cpus()) <= set(_engines.choose_targets([], None))


def test_processors_are_those_of_qcc_targets():
    done = subprocess.run([str(program.qcc()), "targets"], capture_output=True, text=True, check=True)
    assert tuple(re.findall(r"^  mcpu ([a-z][\w-]+) +(?:runs|lacks)", done.stdout, re.MULTILINE)) == _engines.processors()


# ---- Engines that disagree with themselves ----------------------------------------------------------------------------


def fake_engine(wrong):
    """What --against names: x + x, which `wrong` changes."""
    def make(model, threads):
        settings = _engines.every_setting(level=("low", "high"), threads=threads)
        calls = []

        def load(setting):
            def run(sample):
                calls.append(setting)
                x = sample["x"]
                return {"y": wrong(x[:, :2], setting, len(calls)), "best": np.argmax(x, axis=1)}
            return run
        return _engines.Engine("fake 1.0", settings, load)
    return make


@pytest.mark.parametrize("axis, wrong", [
    ("level", lambda y, setting, call: y + np.float32(setting["level"] == "high")),
    ("threads", lambda y, setting, call: y + np.float32(setting["threads"] == "2")),
    ("repetition", lambda y, setting, call: y + np.float32(call == 7)),
    ("batch", lambda y, setting, call: y + np.float32(len(y) == 1)),
    ("neighbours", lambda y, setting, call: y + np.float32(len(y) > 1 and y[-1, 0] == y[-2, 0])),
])
def test_an_engine_that_disagrees_is_reported(call, monkeypatch, axis, wrong):
    """It is no failure: the bits of qcc alone decide the exit code."""
    monkeypatch.setitem(_engines.OTHER_ENGINES, "fake", fake_engine(wrong))
    code, report, _ = call("--against=fake")
    assert code == 0 and report["agrees"]
    fake = report["engines"][1]
    found = {name for name, different in axes_of(fake).items() if different}
    assert not fake["agrees"] and axis in found
    if axis != "repetition":  # The run that differs is also compared with those of other settings.
        assert found == {axis}
    told = next(one for one in fake["axes"] if one["name"] == axis)
    assert told["largest"] == pytest.approx(1) and 0 < told["different"] <= told["pairs"] and told["example"]


def test_table_of_an_engine_that_disagrees(model, monkeypatch, capsys):
    monkeypatch.setitem(_engines.OTHER_ENGINES, "fake",
                        fake_engine(lambda y, setting, call: y + np.float32(setting["threads"] == "2")))
    assert _command.main([str(model), "--mcpu=x86-64-v3", "--threads=1,2", "--against=fake"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^fake 1.0 +4 +2 +threads +1 ", text, re.MULTILINE), text
    assert "fake 1.0 differs by threads in 2 of 2 pairs, first 1 and 2 with level low; the largest difference is 1" in text


@pytest.mark.parametrize("axis, wrong", [
    ("threads", lambda y, setting: y + np.float32(1e-3) * (setting["threads"] == "2")),
    ("batch", lambda y, setting: y + np.float32(1e-3) * (len(y) == 1)),
    ("level", lambda y, setting: np.where(y < 2, -y if setting["level"] == "unfused" else y, y)),
])
def test_a_qcc_that_disagrees_fails(call, monkeypatch, axis, wrong):
    load = _engines._Compiled.load

    def load_wrong(self, setting):
        run = load(self, setting)

        def run_wrong(sample):
            results = run(sample)
            return {**results, "y": wrong(results["y"], setting).astype(np.float32)}
        return run_wrong

    monkeypatch.setattr(_engines._Compiled, "load", load_wrong)
    code, report, _ = call()
    assert code == 1 and not report["agrees"]
    assert {name for name, different in axes_of(report["engines"][0]).items() if different} == {axis}


def test_bits_are_compared():
    """The sign of a zero counts, payload and sign of a NaN do not (N7)."""
    zeros, nan = np.zeros(2, np.float32), np.array([0x7fc00000, 0x7fc00000], np.uint32)
    assert _agreement.digest({"y": zeros}) != _agreement.digest({"y": -zeros})
    assert _agreement.digest({"y": zeros}) != _agreement.digest({"y": zeros.reshape(2, 1)})
    assert _agreement.digest({"y": zeros}) != _agreement.digest({"y": zeros.astype(np.int32)})
    other = np.array([0xffc00001, 0x7fc00002], np.uint32)
    assert _agreement.digest({"y": nan.view(np.float32)}) == _agreement.digest({"y": other.view(np.float32)})


# ---- Rows -------------------------------------------------------------------------------------------------------------


def test_a_model_whose_rows_depend_on_each_other(call, tmp_path):
    """The float64 evaluation tells that it is the model."""
    path = save(MIXED, tmp_path / "mixed.onnx")
    code, report, _ = call(path=path)
    assert code == 0 and report["batch"] is None and report["engines"][0]["results"] == 1
    assert report["no_batch"] == "the model computes rows of 'batch' from other rows, in float64 too"
    assert set(axes_of(report["engines"][0])) == {"level", "threads", "repetition"}


def test_rows_that_nothing_explains(call, tmp_path, monkeypatch):
    """Without float64 the dependence is a difference."""
    monkeypatch.setattr("qcc.verify._float64.Exact", None)
    code, report, _ = call(path=save(MIXED, tmp_path / "mixed.onnx"))
    assert code == 1 and report["no_float64"] and axes_of(report["engines"][0])["batch"] == 4


@pytest.mark.parametrize("option, told", [("--batch=1", "the inputs have one row"),
                                          ("--dim=batch=3", "no input has a dynamic first dimension")])
def test_no_rows(call, option, told):
    code, report, _ = call(option)
    assert code == 0 and report["batch"] is None and told in report["no_batch"]


def test_a_dimension_that_is_named(call, tmp_path):
    """Of an input it is the second one; the other input has no rows."""
    path = save("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, n] x, float[2, 1] b) => (float[2, n] y, float[1, 1] s) {
  y = Add(x, b)
  s = ReduceSum(b)
}""", tmp_path / "columns.onnx")
    code, report, _ = call("--batch=n=3", path=path)
    assert code == 0 and report["batch"] == {"dimension": "n", "rows": 3}
    assert report["inputs"]["x"]["shape"] == [2, 3] and axes_of(report["engines"][0])["batch"] == 0


def test_given_inputs(call, tmp_path):
    """Their rows are those of the arrays."""
    path = tmp_path / "two.onnx"
    path.write_bytes(two_inputs().SerializeToString())
    np.save(tmp_path / "a.npy", np.eye(4, dtype=np.float32)[:3])
    np.save(tmp_path / "b.npy", np.float32(2))
    given = [f"--input={name}:{tmp_path / name}.npy" for name in "ab"]
    code, report, _ = call(*given, path=path)
    assert code == 0 and report["batch"]["rows"] == 3 and report["seed"] is None
    code, report, _ = call(given[0], "--input=random:7", path=path)
    assert code == 0 and report["batch"]["rows"] == 3 and report["seed"] == 7


@pytest.mark.parametrize("together, alone, axis", [
    ((5, 3), (1, 3), 0), ((3, 5), (3, 1), 1), ((10, 3), (2, 3), 0), ((3,), (3,), None), ((5, 5), (1, 1), None),
    ((4, 3), (1, 3), None), ((5, 3), (3,), None)])
def test_where_results_have_rows(together, alone, axis):
    assert _rows.axis_of(np.zeros(together), np.zeros(alone), 5) == axis


# ---- Other engines ----------------------------------------------------------------------------------------------------


def test_onnxruntime(call):
    pytest.importorskip("onnxruntime")
    code, report, _ = call("--against=onnxruntime")
    ours, theirs = report["engines"]
    assert code == 0 and theirs["name"].startswith("onnxruntime ") and not theirs["failures"]
    assert {setting["level"] for setting in theirs["settings"]} == {"disabled", "basic", "extended", "all"}
    assert len(theirs["settings"]) == 8 and len(axes_of(theirs)) == 5
    assert all(setting["distances"]["exact"]["y"] < 1e-6 for setting in theirs["settings"])


def test_openvino(call):
    pytest.importorskip("openvino", reason="the package openvino is not installed")
    code, report, _ = call("--against=openvino,onnxruntime")
    theirs = report["engines"][1]
    assert code == 0 and theirs["name"].startswith("openvino ") and not theirs["failures"]
    assert {setting["level"] for setting in theirs["settings"]} == {"accuracy", "performance", "performance in f32"}
    assert all(setting["distances"]["exact"]["y"] < 1e-2 for setting in theirs["settings"])
    # Nothing is reported to the makers of OpenVINO.
    assert not [module for module in sys.modules if module.startswith("openvino_telemetry.")]


def test_an_engine_that_cannot_run_the_model(call, monkeypatch):
    """The report is complete, and the exit code tells."""
    def make(model, threads):
        def load(setting):
            if setting["threads"] == "2":
                raise _engines.CannotRun("no kernel for MatMul")
            return lambda sample: {"y": sample["x"][:, :2], "best": np.argmax(sample["x"], axis=1)}
        return _engines.Engine("fake 1.0", _engines.every_setting(threads=threads), load)

    monkeypatch.setitem(_engines.OTHER_ENGINES, "fake", make)
    code, report, told = call("--against=fake")
    assert code == 4 and told == "qcc: error: fake 1.0 cannot run the model with all settings; the report has the reason\n"
    assert report["engines"][1]["failures"] == [{"threads": "2", "reason": "no kernel for MatMul"}]


def test_what_onnxruntime_cannot_run(call, tmp_path):
    """An op of qcc's that ONNX Runtime lacks for this type."""
    pytest.importorskip("onnxruntime")
    path = save("""
<ir_version: 8, opset_import: ["" : 17]>
g (int16[batch, 4] x) => (int16[batch, 4] y) { y = Max(x, x) }""", tmp_path / "short.onnx")
    code, report, told = call("--against=onnxruntime", path=path)
    assert code == 4 and "onnxruntime" in told and report["agrees"]
    assert "NOT_IMPLEMENTED" in report["engines"][1]["failures"][0]["reason"]


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_packages_that_are_missing(call, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    code, report, told = call(f"--against={name}")
    assert code == 4 and report is None and f"needs the package {name}" in told and f"pip install {name}" in told


def test_no_float64(call, monkeypatch):
    """The report leaves the column out, and says why."""
    class Exact:
        def __init__(self, *_, **__):
            raise NotImplementedError("Op 'Unknown'\nis not there.")

    monkeypatch.setattr("qcc.verify._float64.Exact", Exact)
    code, report, _ = call()
    assert code == 0 and report["no_float64"] == "Op 'Unknown' is not there"
    assert report["engines"][0]["settings"][0]["distances"] == {}


def test_float64_of_another_shape(call, monkeypatch):
    class Exact:
        def __init__(self, *_, **__):
            pass

        def run(self, sample):
            return [np.zeros((5, 3)), np.zeros(5, np.int64)]

    monkeypatch.setattr("qcc.verify._float64.Exact", Exact)
    code, report, _ = call()
    assert code == 0 and "result y is float64[5, 2] of one function and float64[5, 3]" in report["no_float64"]


# ---- A GPU ------------------------------------------------------------------------------------------------------------


def test_device(call):
    """By the driver of tests, which runs kernels on the emulator."""
    library = ctypes.CDLL(str(program.build_dir() / "test" / "Unit" / "Runtime" / "FakeCuda" / "libcuda.so.1"))
    assert library.cuInit(0) == 0
    code, report, told = call("--device=cuda", mcpu="x86-64-v3,sm_75")
    assert code == 0, told
    (engine,) = report["engines"]
    assert {setting["target"] for setting in engine["settings"]} == {"x86-64-v3", "sm_75"}
    assert axes_of(engine)["target"] == 0 and len(engine["settings"]) == 6


# ---- The command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", [
    "--against=tensorrt", "--against=", "--threads=0", "--threads=1,x", "--batch=0", "--batch==2", "--dim=batch",
    "--dim=batch=0", "--shape=x=2x", "--shape=3", "--input=x.npy", "--input=random:x", "--device=emulator", "--what"])
def test_wrong_command_lines(model, capsys, option):
    with pytest.raises(SystemExit) as ended:
        _command.main([str(model), option])
    assert ended.value.code == 2 and "error: " in capsys.readouterr().err


@pytest.mark.parametrize("options, told", [
    (["--dim=width=3"], "width"), (["--batch=width=3"], "no input has a dynamic dimension 'width'"),
    (["--input=z:x.npy"], "the model has no input 'z'"), (["--input=x:none.npy"], "none.npy"),
    (["--input=x:flat.npy"], "the model takes float32"), (["--input=x:text.npy"], "is no .npy file"),
    (["--input=x:x.npy", "--input=x:x.npy"], "is given twice"), (["--mcpu=i860"], "i860")])
def test_what_is_rejected(call, tmp_path, monkeypatch, options, told):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.ones((2, 4), np.float32))
    np.save("flat.npy", np.ones(4, np.float32))
    pathlib.Path("text.npy").write_text("hello")
    code, report, message = call(*options)
    assert code == 3 and report is None and message.startswith("qcc: error: ") and told in message, message
    assert len(message.splitlines()) == 1 and "<memory>" not in message


def test_messages_of_the_compiler_name_the_model(call, model):
    _, _, message = call("--dim=width=3")
    assert message.startswith(f"qcc: error: {model}: error: no input has a dimension 'width'"), message


def test_models_that_are_rejected(call, tmp_path):
    (tmp_path / "text.onnx").write_text("no model")
    code, _, told = call(path=tmp_path / "text.onnx")
    assert code == 3 and "is no ONNX model" in told
    code, _, told = call(path=tmp_path / "none.onnx")
    assert code == 3 and "none.onnx" in told
    odd = save("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x) => (float[n] y) { y = Unique(x) }""", tmp_path / "odd.onnx")
    code, _, told = call(path=odd)
    assert code == 3 and "Unique" in told and "Traceback" not in told


def test_a_target_that_this_machine_does_not_run(call):
    code, _, told = call(mcpu="x86-64-v3,sm_75")
    assert code == 4 and "this machine does not run code for sm_75: " in told and "--device" in told


def test_report_in_a_file(model, capsys, tmp_path):
    arguments = [str(model), "--mcpu=x86-64-v3", "--threads=1"]
    assert _command.main([*arguments, f"--json={tmp_path / 'report.json'}"]) == 0
    assert "differs by" in capsys.readouterr().out and json.loads((tmp_path / "report.json").read_text())["agrees"]
    before = model.read_bytes()
    assert _command.main([*arguments, f"--json={model}"]) == 2
    assert "would overwrite" in capsys.readouterr().err and model.read_bytes() == before
    assert _command.main([*arguments, f"--json={tmp_path / 'none' / 'report.json'}"]) == 4
    assert "does not exist; create it" in capsys.readouterr().err


COMMANDS = {"python": [sys.executable, "-m", "qcc"], "driver": [str(program.qcc())]}


@pytest.mark.parametrize("command", COMMANDS)
def test_command(model, command):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), QCC_PYTHON=sys.executable)
    words = [*COMMANDS[command], "verify", model, "--mcpu=x86-64-v3", "--threads=1,2", "--batch=3", "--input=random:2",
             "--json"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(done.stdout)
    assert report["agrees"] and report["seed"] == 2 and report["batch"]["rows"] == 3
    assert len(report["engines"][0]["settings"]) == 4


def test_commands_of_the_page(tmp_path):
    """docs/HowTo/Reproducible.md, with the engines that are installed."""
    pytest.importorskip("onnxruntime")
    page = (program.ROOT / "docs" / "HowTo" / "Reproducible.md").read_text()
    commands = "\n".join(re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "docs").symlink_to(program.ROOT / "docs")
    folders = [str(pathlib.Path(sys.executable).parent), str(program.build_dir().resolve() / "bin")]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    environment["PATH"] = os.pathsep.join([*folders, environment["PATH"]])
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=tmp_path, env=environment, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "qcc 0.1.0" in done.stdout and "onnxruntime" in done.stdout and json.loads((tmp_path / "report.json").read_text())
