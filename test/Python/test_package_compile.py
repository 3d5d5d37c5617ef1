"""The Python package: compiling, saving and loading, and what is said where that fails."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx.parser
import pytest

import program
from package import DOUBLE, LINEAR, qcc

X = np.arange(6, dtype=np.float32).reshape(2, 3)
BROKEN = "func.func @f(%x: tensor<4xf3>)\n"


def test_path_bytes_and_text(tmp_path):
    path = tmp_path / "double"
    path.write_text(DOUBLE)
    for source in (path, str(path), DOUBLE, DOUBLE.encode()):
        assert (qcc.compile(source).function()(X) == 2 * X).all()


def test_sizes_of_models():
    """Dimensions that a model has names for: any size, or the one that it is compiled for."""
    graph = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[batch, len] x) => (float[batch, len] y) { y = Add(x, x) }""").SerializeToString()
    function = qcc.compile(graph).function()
    assert str(function) == "main(x: float32[batch, len]) -> (y: float32[batch, len])"
    fixed = qcc.compile(graph, dims={"len": 3}).function()
    assert fixed.arguments[0].shape == ("batch", 3)
    for of_any_size in (function, fixed):
        assert (of_any_size(X) == 2 * X).all()
    with pytest.raises(qcc.InvalidArgumentError, match="argument 0"):
        fixed(X.T.copy())
    step = qcc.explain(graph, dims={"batch": 2, "len": 3}).steps[0]
    assert (step.operations, step.work, step.model_op) == ("6", "elementwise", "Add")
    assert 0 < step.expected_seconds < 1e-4
    with pytest.raises(qcc.InvalidProgramError, match="no input has a dimension 'width'.*'batch', 'len'"):
        qcc.compile(graph, dims={"width": 3})
    with pytest.raises(qcc.InvalidArgumentError, match="the size of 'len' is negative"):
        qcc.compile(graph, dims={"len": -3})
    with pytest.raises(qcc.InvalidArgumentError, match="the size of 'len' is '3', which is no whole number"):
        qcc.compile(graph, dims={"len": "3"})
    with pytest.raises(qcc.InvalidProgramError, match="only an ONNX model"):
        qcc.compile(DOUBLE, dims={"len": 3})


def test_constant_inputs_of_models():
    """Inputs that are constants of the program, and shapes of others."""
    graph = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[n, m] x, float[m] bias, int64 axis, bool unused) => (float[n, m] y) {
          s = CumSum(x, axis)
          y = Add(s, bias)
        }""").SerializeToString()
    bias = np.array([1, 2, 3], np.float32)
    function = qcc.compile(graph, constants={"axis": 1, "bias": bias, "unused": True}).function()
    assert str(function) == "main(x: float32[n, 3]) -> (y: float32[n, 3])"
    assert (function(X) == np.cumsum(X, 1) + bias).all()
    constants = {"axis": np.array(0), "bias": 0.5, "unused": np.bool_(False)}
    fixed = qcc.compile(graph, constants=constants, shapes={"x": X.shape}).function()
    assert fixed.arguments[0].shape == (2, 3)
    assert (fixed(X) == np.cumsum(X, 0) + np.float32(0.5)).all()
    assert qcc.explain(graph, constants=constants, shapes={"x": (2, 3)}).steps
    with pytest.raises(qcc.InvalidProgramError, match="no input 'axes'; it has 'x', 'bias', 'axis', 'unused'"):
        qcc.compile(graph, constants={"axes": 1})
    with pytest.raises(qcc.InvalidProgramError, match="the input 'bias' is 3xf64, but the model has elements of f32"):
        qcc.compile(graph, constants={"bias": [0.5, 1, 2]})
    with pytest.raises(qcc.InvalidProgramError, match="'bias' has the size 3 where the model has 'm', which is 4"):
        qcc.compile(graph, constants={"bias": bias}, shapes={"x": (2, 4)})
    with pytest.raises(qcc.InvalidArgumentError, match="a size of 'x' is negative"):
        qcc.compile(graph, shapes={"x": (2, -4)})
    with pytest.raises(qcc.InvalidArgumentError, match="the value of the input 'axis' is of type str"):
        qcc.compile(graph, constants={"axis": "1"})
    strided = qcc.compile(graph, constants={**constants, "bias": np.arange(6, dtype=np.float32)[::2]}).function()
    assert (strided(X) == np.cumsum(X, 0) + np.array([0, 2, 4], np.float32)).all()


def test_save_and_load(tmp_path):
    path = tmp_path / "double.so"
    module = qcc.compile(DOUBLE, target=["x86-64-v3", "skylake-avx512"])
    assert [variant.target for variant in module.variants] == ["x86-64-v3", "skylake-avx512"]
    module.save(path)
    for source in (path, str(path), path.read_bytes(), memoryview(path.read_bytes())):
        loaded = qcc.load(source)
        assert (loaded.function()(X) == 2 * X).all()
    chosen = [variant.target for variant in qcc.load(path, variant="x86-64-v3").variants if variant.chosen]
    assert chosen == ["x86-64-v3"]
    with pytest.raises(qcc.SystemCallError, match="none"):
        module.save(tmp_path / "none" / "double.so")


def test_other_processors(tmp_path):
    """What this host cannot run is compiled and saved, and refused where it is used."""
    source = tmp_path / "double.mlir"
    source.write_text(DOUBLE)
    environment = {"QCC_HIDE_FEATURES": "avx512f"}
    code = f"""
import qcc
module = qcc.compile({str(source)!r}, target="cascadelake")
module.save({str(tmp_path / "double.so")!r})
for use in (module.function, lambda: qcc.load({str(tmp_path / "double.so")!r})):
    try:
        use()
    except qcc.UnsupportedError as error:
        print(error)
"""
    done = run_python(code, os.environ["QCC_LIBRARY_PATH"], environment)
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all("avx512f" in line for line in lines), done.stdout + done.stderr


def test_loading_fails(tmp_path):
    with pytest.raises(qcc.NotFoundError, match="there is no such file"):
        qcc.load(tmp_path / "none.so")
    with pytest.raises(qcc.CorruptArtifactError):
        qcc.load(b"no artifact")
    with pytest.raises(qcc.Error, match="pentium"):
        path = tmp_path / "double.so"
        qcc.compile(DOUBLE).save(path)
        qcc.load(path, variant="pentium")


def test_weights(tmp_path):
    text = program.EXAMPLES / "classifier_f32.mlir"
    rng = np.random.default_rng(3)
    shapes = {"w1": (128, 64), "b1": 128, "w2": (64, 128), "b2": 64, "w3": (10, 64), "b3": 10}
    weights = {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    np.savez(tmp_path / "weights.npz", **weights)
    x = rng.uniform(-1, 1, (5, 64)).astype(np.float32)
    (tensors,) = {qcc.compile(text, weights=weights).function()(x).tobytes(),
                  qcc.compile(text, weights=tmp_path / "weights.npz").function()(x).tobytes()}
    assert tensors != qcc.compile(text, weights="random:7").function()(x).tobytes()
    with pytest.raises(qcc.InvalidProgramError, match="b3"):
        qcc.compile(text, weights={name: array for name, array in weights.items() if name != "b3"})


def test_weights_of_any_name():
    text = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense_resource<file> : tensor<2xf32>
  %y = arith.addf %x, %w : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""
    function = qcc.compile(text, weights={"file": np.array([1, 2], np.float32)}).function()
    assert function(np.ones(2, np.float32)).tolist() == [2, 3]


def test_rejected_programs_have_places():
    with pytest.raises(qcc.InvalidProgramError) as caught:
        qcc.compile(BROKEN, name="broken.mlir")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.severity, diagnostic.file, diagnostic.line) == ("error", "broken.mlir", 1)
    assert diagnostic.column > 0
    assert str(diagnostic) == str(caught.value) == \
        f"broken.mlir:1:{diagnostic.column}: error: expected non-function type"


def test_diagnostics_are_handed_out():
    seen = []
    with pytest.raises(qcc.InvalidProgramError) as caught:
        qcc.compile(BROKEN, on_diagnostic=seen.append)
    assert tuple(seen) == caught.value.diagnostics != ()

    def fails(diagnostic):
        raise KeyError(diagnostic.line)

    with pytest.raises(KeyError):
        qcc.compile(BROKEN, on_diagnostic=fails)


def test_warnings(tmp_path):
    damaged = tmp_path / "tuned.json"
    damaged.write_text("{")
    with pytest.warns(qcc.CompileWarning, match="tuned.json") as caught:
        qcc.compile(LINEAR, tuning=damaged)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("arguments, kind, message", [
    ({"target": "abacus"}, qcc.InvalidArgumentError, "abacus"),
    ({"target": []}, qcc.InvalidArgumentError, "no name"),
    ({"target": "native\0"}, qcc.InvalidArgumentError, "has a null character"),
    ({"weights": {"w": [None]}}, qcc.InvalidArgumentError, "weight 'w' has elements of type object; give numbers"),
    ({"weights": "none.npz"}, qcc.Error, "none.npz"),
    ({"tuning": "none.json"}, qcc.Error, "none.json"),
])
def test_options_that_are_refused(arguments, kind, message):
    with pytest.raises(kind, match=message):
        qcc.compile(DOUBLE, **arguments)


def test_null_characters():
    """A path is taken whole or not at all."""
    for call in (qcc.load, lambda path: qcc.compile(DOUBLE).save(path), qcc.compile):
        with pytest.raises(qcc.InvalidArgumentError, match="has a null character"):
            call("model\0.so")
    with pytest.raises(qcc.InvalidArgumentError, match="has a null character"):
        qcc.compile(DOUBLE).function("double\0")


def test_missing_file():
    with pytest.raises(qcc.NotFoundError, match="none.mlir: cannot open it"):
        qcc.compile("none.mlir")


def run_python(code, folder, variables=None):
    environment = dict(os.environ, PYTHONPATH=str(program.ROOT / "python"), QCC_LIBRARY_PATH=str(folder),
                       **(variables or {}))
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


def test_without_libraries(tmp_path):
    done = run_python("import qcc", tmp_path)
    assert done.returncode != 0
    assert "a library of qcc cannot be loaded" in done.stderr and "QCC_LIBRARY_PATH" in done.stderr


def test_other_libraries(tmp_path):
    """A library that is not of the package's release is refused by name."""
    (tmp_path / "libqcc_runtime.so.1").symlink_to(np.random.mtrand.__file__)
    done = run_python("import qcc", tmp_path)
    assert done.returncode != 0
    assert "is of another release than the package, and lacks a function that the package needs; install" in done.stderr


def test_without_compiler(tmp_path):
    """The runtime alone loads, and says what is missing to compile."""
    source = pathlib.Path(os.environ["QCC_LIBRARY_PATH"]) / "libqcc_runtime.so.1"
    (tmp_path / source.name).symlink_to(source)
    done = run_python("import qcc\ntry:\n  qcc.compile('x.mlir')\nexcept qcc.UnsupportedError as error: print(error)",
                      tmp_path)
    assert done.stdout.startswith("the compiler is not installed, only the runtime"), done.stderr
    assert done.stdout.endswith("pip install qcc-compiler\n")


def test_explain():
    """The explanation is what `qcc explain --json` prints."""
    path = program.EXAMPLES / "classifier_int8.mlir"
    explanation = qcc.explain(path, weights="random:1", target="x86-64-v3")
    command = [program.qcc(), "explain", path, "--weights=random:1", "--mcpu=x86-64-v3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == explanation.data
    assert explanation.target == "x86-64-v3" and explanation.artifact_bytes > 1000
    assert [step.layer for step in explanation.steps] == [kernel["layer"] for kernel in explanation.data["kernels"]]
    first = explanation.steps[0]
    assert first.function == "classifier" and first.atom and first.expected_share_of_peak > 0
    assert first.expected_seconds is None, "the batch is not known"
    lines = str(explanation).splitlines()
    assert lines[0].split()[0] == "step" and f"{len(explanation.steps)} steps for x86-64-v3" in lines[-1]
    assert all(any(line.startswith(step.name) and step.layer in line for line in lines) for step in explanation.steps)
    with pytest.raises(qcc.InvalidArgumentError, match="compile for one at a time"):
        qcc.explain(path, weights="random:1", target="x86-64-v3,cascadelake")


def test_machine_code(tmp_path, monkeypatch):
    """Kernels for GPUs as machine code of ptxas, in both ways of compiling; and where there is none."""
    path = program.EXAMPLES / "tf_linear.mlir"
    with pytest.raises(qcc.InvalidArgumentError, match="add one, such as sm_80"):
        qcc.compile(path, weights="random:1", target="x86-64-v3", cubin=True)
    sizes = []
    for options in ({}, {"cubin": True}, {"cubin": True, "isolated": True}):
        try:
            module = qcc.compile(path, weights="random:1", target="sm_80", **options)
        except qcc.UnsupportedError as error:
            assert "there is no ptxas in PATH" in str(error)
            pytest.skip("there is no ptxas")
        module.save(tmp_path / "model.so")
        data = (tmp_path / "model.so").read_bytes()
        assert data.count(b"\x7fELF") == (2 if options else 1)
        sizes.append(len(data))
    assert sizes[0] + 4000 < sizes[1] == sizes[2]


def test_models_of_onnx_are_programs():
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "negation",
                                   [info("x", onnx.TensorProto.FLOAT, [3])], [info("y", onnx.TensorProto.FLOAT, [3])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    y = qcc.compile(model).function()(np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(y, [0, -1, -2])


@pytest.mark.parametrize("program", [3, None, ["a.mlir"], np.zeros(3)])
def test_other_objects_are_no_programs(program):
    with pytest.raises(qcc.InvalidArgumentError, match=f"the program is of type {type(program).__name__}; give a path"):
        qcc.compile(program)


def test_import_is_quick():
    """numpy is imported with the first name that needs it, and every name is there."""
    done = run_python("import sys, qcc; print(qcc.__version__, 'numpy' in sys.modules); qcc.Error; assert 'numpy' not in "
                      "sys.modules; print(all(hasattr(qcc, name) for name in qcc.__all__), set(qcc.__all__) <= set(dir(qcc)))"
                      "\ntry: qcc.misspelt\nexcept AttributeError as error: print(error)", os.environ["QCC_LIBRARY_PATH"])
    lines = done.stdout.splitlines()
    assert lines[0].endswith(" False"), done.stderr
    assert lines[1:] == ["True True", "module 'qcc' has no attribute 'misspelt'"], done.stderr
