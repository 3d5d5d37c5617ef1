"""Networks of utils/bench_models: imported from their ONNX twins, and as programs.

Every form of a twin has as many integer kernels as the program, and a result as near to the
program's as the roundings of biases let it be.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import program

sys.path.insert(0, str(program.ROOT / "utils"))
from bench_models import candidates, models  # noqa: E402

MODELS = {"mlp": dict(batch=24), "encoder": {}, "mobilenet-v2": dict(size=32),
          "mobilenet-v3": dict(size=32)}
# How many forms of a twin are imported: compiling them takes the time.
FORMS = {"mlp": 3, "encoder": 4, "mobilenet-v2": 1, "mobilenet-v3": 1}


def contractions(source):
    """How many integer kernels a program or a model becomes."""
    done = subprocess.run([str(program.qcc()), "explain", *map(str, source), "--json"],
                          capture_output=True, text=True, check=True)
    return [kernel["kind"] for kernel in json.loads(done.stdout)["kernels"]].count("contract")


@pytest.mark.parametrize("name", MODELS)
def test_twins_are_the_program(name, tmp_path, compiler):
    model = models.make(name, **MODELS[name])
    x = model.input()
    results, kernels = {}, {}
    for form, path in model.programs(tmp_path).items():
        (results[form],) = program.run_file(path, tmp_path, [x], 1, model.weights)
        kernels[form] = contractions([path, f"--weights={tmp_path / 'weights.npz'}"])
    for number, form in enumerate(model.forms()[:FORMS[name]]):
        path = tmp_path / f"twin{number}.onnx"
        path.write_bytes(model.twin(form).to_onnx())
        (y,) = program.run_file(path, tmp_path, [model.library_input(x)], 1)
        same = model.program_form(form)
        difference = candidates.difference(model.program_result(y), results[same])
        assert difference <= model.tolerance, form.describe()
        assert contractions([path]) == kernels[same], form.describe()


def test_forms_of_an_encoder_have_the_same_bits(tmp_path, compiler):
    """Signed or unsigned activations, in this form or that: the integers are the same."""
    model = models.make("encoder")
    results = []
    for number, form in enumerate(model.forms()):
        if form.fused_ops:
            path = tmp_path / f"twin{number}.onnx"
            path.write_bytes(model.twin(form).to_onnx())
            results += program.run_file(path, tmp_path, [model.input()], 1)
            model = models.make("encoder")
    for result in results[1:]:
        program.assert_same_bits(result, results[0])


def test_small_and_large_constants_are_read(tmp_path, compiler):
    """Constants of one byte, of a page and more, aligned in the file or not."""
    from onnx_model import Model

    random = np.random.default_rng(1)
    x = random.uniform(-1, 1, (3, 5000)).astype(np.float32)
    graph = Model()
    y = graph.input("x", x)
    expected = x
    for size in (1, 5000):
        for pad in range(4):
            factor = random.uniform(0.5, 2, size).astype(np.float32)
            y = graph.node("Mul", [y, graph.constant("c" * (pad + 1) + str(size), factor)])
            expected = expected * factor
    (actual,) = graph.run(tmp_path, [y])
    program.assert_same_bits(actual, expected)
