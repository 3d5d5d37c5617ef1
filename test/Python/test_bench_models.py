"""utils/bench-models.py: its ONNX twins against qcc, computed in numpy, and its arguments."""

import math
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))

from bench_models import account, candidates, models  # noqa: E402

f32 = np.float32
ERF = np.vectorize(math.erf, otypes=[f32])


def evaluate(twin, x, ops=None, values=None):
    """The twin's result, from what ONNX says of its ops; `ops` are others than those below.

    `values` receives what each op computes.
    """
    ops = {} if ops is None else ops
    results = values
    values = dict(twin.constants)
    (name,) = twin.inputs
    values[name] = x
    for node in twin.nodes:
        inputs = [values.get(name) for name in node.inputs]
        if node.op in ops:
            values[node.output] = ops[node.op](*inputs, **node.attributes)
        else:
            values[node.output] = apply(node.op, inputs, node.attributes)
    (name,) = twin.outputs
    assert values[name].shape == twin.outputs[name]
    if results is not None:
        results.update((node.output, values[node.output]) for node in twin.nodes)
    return values[name]


def gelu(x):
    return x * (ERF(x / f32(2**0.5)) + f32(1)) * f32(0.5)


def apply(op, inputs, attributes):
    if op == "QuantizeLinear":
        x, scale, zero = inputs
        limits = np.iinfo(zero.dtype)
        q = np.rint(x / scale) + int(zero)
        return np.clip(q, limits.min, limits.max).astype(zero.dtype)
    if op == "DequantizeLinear":
        q, scale, zero = inputs
        if "axis" in attributes:
            assert attributes["axis"] == 0
            shape = (-1,) + (1,) * (q.ndim - 1)
            scale, zero = scale.reshape(shape), zero.reshape(shape)
        return (q.astype(f32) - zero.astype(f32)) * scale
    if op == "Gemm":
        assert attributes == {"transB": 1}
        return inputs[0] @ inputs[1].T + inputs[2]
    if op == "Softmax":
        e = np.exp(inputs[0] - inputs[0].max(axis=attributes["axis"], keepdims=True))
        return e / e.sum(axis=attributes["axis"], keepdims=True)
    if op == "LayerNormalization":
        x, gamma, beta = inputs
        x = x - x.mean(axis=attributes["axis"], keepdims=True)
        variance = (x * x).mean(axis=attributes["axis"], keepdims=True)
        return x / np.sqrt(variance + f32(attributes["epsilon"])) * gamma + beta
    if op == "Reshape":
        return inputs[0].reshape(inputs[1])
    if op == "Transpose":
        return inputs[0].transpose(attributes["perm"])
    functions = {
        "Add": np.add,
        "Div": np.divide,
        "Erf": ERF,
        "Gelu": gelu,
        "MatMul": np.matmul,
        "Mul": np.multiply,
        "Relu": lambda x: np.maximum(x, f32(0)),
    }
    return functions[op](*inputs)


EXAMPLES = ("mlp", "encoder")


def make(name):
    return models.make(name, batch=33)


def run(compiler, model, x, folder):
    return candidates.Qcc(compiler, model.programs(folder), model, x, 1, str(folder))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_form_is_the_program(compiler, tmp_path, name):
    model = make(name)
    x = model.input()
    qcc = run(compiler, model, x, tmp_path)
    for form in model.forms():
        result = evaluate(model.twin(form), x)
        assert candidates.difference(result, qcc.result) < 0.01, form.describe()
    # It would be seen if it were not: the weights of another seed.
    models.SEED += 1
    try:
        other = make(name)
    finally:
        models.SEED -= 1
    result = evaluate(other.twin(model.forms()[0]), x)
    assert candidates.difference(result, qcc.result) > 0.1


def test_values_fill_their_ranges():
    for name in EXAMPLES:
        model = make(name)
        twin = model.twin(model.forms()[0])
        values, x = {}, model.input()
        (values[next(iter(twin.inputs))],) = [x]
        values.update(twin.constants)
        for node in twin.nodes:
            inputs = [values[name] for name in node.inputs]
            value = values[node.output] = apply(node.op, inputs, node.attributes)
            if node.op == "QuantizeLinear":
                limits = np.iinfo(value.dtype)
                clipped = np.isin(value, [limits.min, limits.max])
                # What a dropped relu clips was to become 0, and gelu has a least value.
                if value.dtype == np.uint8 and inputs[2] < 10:
                    clipped = value == limits.max
                assert clipped.mean() < 0.01, node.output
                assert len(np.unique(value)) > 40, node.output


def test_onnx_files_are_valid():
    onnx = pytest.importorskip("onnx")
    for name in EXAMPLES:
        model = make(name)
        for form in model.forms():
            bytes = model.twin(form).to_onnx()
            assert len(onnx.load_from_string(bytes).graph.node) > 5


def test_qcc_failure_is_a_message(compiler, tmp_path):
    model = make("mlp")
    with pytest.raises(candidates.Failure, match="none.mlir"):
        programs = {"": str(tmp_path / "none.mlir")}
        candidates.Qcc(compiler, programs, model, model.input(), 1, str(tmp_path))


def test_qcc_turn(compiler, tmp_path):
    model = make("mlp")
    qcc = run(compiler, model, model.input(), tmp_path)
    assert 0 < qcc.turn(1.0) < 1
    report = qcc.profile()
    assert len(report["steps"]) == 2 and report["median_seconds"] > 0


def test_account(compiler, tmp_path):
    model = make("mlp")
    qcc = run(compiler, model, model.input(), tmp_path)
    steps = account.join(qcc.explain(), [qcc.profile()])
    assert [step["kind"] for step in steps] == ["contract", "contract"]
    assert "qnn.linear" in steps[0]["fused"]


def test_account_table():
    def profile(*seconds):
        return {"steps": [{"name": f"f.step{i}.{kind}", "seconds": s, "operations": 800, "bytes": 1}
                          for i, (kind, s) in enumerate(zip(("contract", "generic", "pack"),
                                                            seconds))]}

    kernels = [{"name": "f.step0", "kind": "contract", "fused": ["qnn.linear", "mulf_x"]},
               {"name": "f.step1", "kind": "generic", "fused": ["addf"]},
               {"name": "f.step2", "kind": "pack", "fused": ["kernel.pack"]}]
    steps = account.join(kernels, [profile(9.0, 1.9996, 4e-4), profile(8.0, 7.0, 1.0)])
    assert account.table(steps, peak=200.0) == [
        "| share | of peak | step | what |",
        "| --- | --- | --- | --- |",
        "| 80.0 % | 0.50 | f.step0.contract | qnn.linear, mulf\\_x |",
        "| 20.0 % |  | f.step1.generic | addf |",
        "| 0.0 % |  | others |  |",
    ]
    assert "0.50" not in account.table(steps)[2]
    assert [kind for kind, _ in account.by_kind(steps)] == ["contract", "generic", "pack"]


def test_difference():
    x = np.array([3, 4], f32)
    assert candidates.difference(x, x) == 0
    assert candidates.difference(np.array([3, 9], f32), x) == pytest.approx(1)
    # The greatest of several; of integers the share that differs.
    integers = np.array([1, 2, 3, 4])
    assert candidates.difference([x, integers + [0, 0, 0, 1]], [x, integers]) == 0.25


def onnx_file(path, dtype="float"):
    """Two inputs and two results; a dimension has a name."""
    onnx = pytest.importorskip("onnx")
    path.write_bytes(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[n, 4] x, {dtype}[3] t) => (float[n, 4] y, {dtype}[3] s) {{
            y = Add(x, x)
            s = Neg(t)
        }}""").SerializeToString())
    return path


def test_onnx_files(compiler, tmp_path):
    from bench_models import onnx_files

    paths = [onnx_file(tmp_path / "a.onnx"), onnx_file(tmp_path / "b.onnx")]
    model = onnx_files.OnnxFiles(paths, {"n": 5}, 100)
    x = model.input()
    assert [array.shape for array in x] == [(5, 4), (3,)]
    qcc = run(compiler, model, x, tmp_path)
    assert qcc.form in ("a.onnx", "b.onnx")
    assert account.join(qcc.explain(), [qcc.profile()])[0]["fused"]
    for form in model.forms():
        result = qcc.results[model.program_form(form)]
        assert candidates.difference(result, [2 * x[0], -x[1]]) == 0
    assert qcc.turn(1) > 0
    with pytest.raises(candidates.Failure, match="give their sizes: --dim=n=N"):
        onnx_files.OnnxFiles(paths, {}, 100)
    integers = onnx_files.OnnxFiles([onnx_file(tmp_path / "c.onnx", "int64")], {"n": 5}, 2)
    assert set(integers.input()[1]) <= {0, 1}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--onnx", "/nowhere/a.onnx"], "there is no file /nowhere/a.onnx"),
        (["--dim=n"], "--dim=n is no NAME=N with a positive N"),
        (["--onnx", __file__, "--model=mlp"], "--onnx is instead of --model"),
        (["--rounds=0"], "--rounds must be at least 1"),
        (["--batch=-1"], "--batch must be at least 1"),
        (["--threads=0"], "--threads must be at least 1"),
        (["--image=48"], "--image must be a multiple of 32"),
        (["--seconds=0"], "--seconds must be more than 0"),
        (["--peak=nan"], "--peak must be more than 0"),
        (["--model=alexnet"], "invalid choice: 'alexnet'"),
        (["--library=tvm"], "invalid choice: 'tvm'"),
        (["--qcc=/nowhere/qcc"], "/nowhere/qcc is no program"),
    ],
)
def test_bad_arguments(arguments, message):
    command = [sys.executable, str(ROOT / "utils" / "bench-models.py"), *arguments]
    if not arguments[0].startswith("--qcc"):
        command.append(f"--qcc={sys.executable}")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr


def test_write(tmp_path):
    pytest.importorskip("onnx")
    for name in ("mobilenet-v2", "yolov8n"):
        candidates.write(models.make(name, size=32, width=1 / 16, depth=0.1), tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    for name in ("mobilenet-v2", "mobilenet-v2-nchw", "yolov8n"):
        assert {f"{name}.mlir", f"{name}.npy", f"{name}.npz"} <= names
    assert {"yolov8n-bytes.mlir", "yolov8n (s8, no relu, fused, bytes).onnx",
            "mobilenet-v2 (u8, relu, fused).onnx"} <= names
    assert "yolov8n-nchw.mlir" not in names
