#!/usr/bin/env python3
"""Compiles ONNX models, runs them at several shapes and compares them with ONNX Runtime.

A model that qcc refuses is listed with what it says. A model that it compiles is compiled for AVX2,
AVX-512 and VNNI, which must give the same bits. Results are compared on seeded inputs, at each of
the sizes that dynamic dimensions get. With --float, which names the model before it was quantized,
the distance of qcc to its results must be at most 1.25 times that of ONNX Runtime, with or without
optimizations, whichever is closer. Without, the distance to ONNX Runtime without optimizations must
be at most 1.25 times that of ONNX Runtime with them, or 0.001 (0.004 for models in float16, of which
ONNX Runtime rounds no values between nodes). Distances are relative, in the root of the mean of
squares: rounding in other places moves the results of a quantized network by some percent. --forms also quantizes a float model in the ways of onnx_models/forms.py, and compares them
with it. --made does so with the networks of onnx_models/networks.py; --table writes what became of
each as a page.

Needs onnxruntime, whose version utils/bench_models/requirements.txt says, and for some forms sympy.

Usage: onnx-models.py --qcc=PATH [--float=FILE] [--forms] [--seeds=N] [--sizes=1,7,40] [--tokens=N] [MODEL...]
       onnx-models.py --qcc=PATH --made[=NAME,...] [--table=docs/ONNXModels.md]
"""

import argparse
import collections
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
from onnx import helper

from onnx_models.forms import FORMS
from onnx_models.networks import NETWORKS, SIZES

LIMIT = 1.25
LEAST = 1e-3  # the distance that needs no reason
LEAST_HALF = 4e-3  # the same in float16, where ONNX Runtime leaves out roundings between nodes
COUNTED = ("pass", "refused", "wrong", "crash")  # what becomes of a model that can be compared
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


def graph_inputs(model):
    """The inputs without those that have a constant of their name."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in constants]


def is_known(dim):
    return dim.HasField("dim_value") and dim.dim_value >= 0


def make_inputs(model, turn, options, seed):
    """{name: array}; dynamic dimensions have size number `turn`."""
    random = numpy.random.default_rng(seed)
    arrays = {}
    for info in graph_inputs(model):
        kind = info.type.tensor_type
        shape = [dim.dim_value if is_known(dim) else SIZES.get(dim.dim_param, options.sizes)[turn]
                 for dim in kind.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if dtype.kind == "f":
            arrays[info.name] = random.standard_normal(shape).astype(dtype)
        elif dtype.kind == "b":
            arrays[info.name] = numpy.ones(shape, dtype)
        elif "mask" in info.name:
            arrays[info.name] = numpy.minimum(random.integers(0, 4, shape), 1).astype(dtype)
        else:
            arrays[info.name] = random.integers(0, options.tokens, shape).astype(dtype)
    return arrays


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


def distance(actual, expected):
    """The greatest of all outputs; of integers, the share that differs."""
    worst = 0.0
    for a, e in zip(actual, expected):
        if a.shape != e.shape or a.dtype != e.dtype:
            raise Wrong(f"an output is {a.dtype}{a.shape}, not {e.dtype}{e.shape}")
        if e.dtype.kind != "f":
            worst = max(worst, float(numpy.mean(a != e)) if e.size else 0.0)
            continue
        a, e = a.astype(numpy.float64), e.astype(numpy.float64)
        scale = numpy.sqrt(numpy.mean(e ** 2)) if e.size else 0.0
        error = numpy.sqrt(numpy.mean((a - e) ** 2)) if e.size else 0.0
        error = error / scale if scale else error
        worst = max(worst, error if numpy.isfinite(error) else numpy.inf)
    return worst


def least(model):
    halves = {onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
    return LEAST_HALF if any(tensor.data_type in halves for tensor in model.graph.initializer) else LEAST


def compare(options, path, artifact, real):
    """A line that says how close qcc is."""
    model = onnx.load(path)
    outputs = len(model.graph.output)
    optimized, literal = session(path, True), session(path, False)
    float_session = session(real, False) if real else None
    is_dynamic = any(not is_known(dim) for info in graph_inputs(model)
                     for dim in info.type.tensor_type.shape.dim)
    worst, text = 0.0, "equal to the reference"
    for turn in range(len(options.sizes) if is_dynamic else 1):
        for seed in range(options.seeds):
            arrays = make_inputs(model, turn, options, seed)
            mine = run_everywhere(options.runner, artifact, arrays, outputs)
            with_, without = optimized.run(None, arrays), literal.run(None, arrays)
            if float_session:
                exact = float_session.run(None, arrays)
                own, theirs = distance(mine, exact), min(distance(with_, exact), distance(without, exact))
            else:
                own, theirs = distance(mine, without), distance(with_, without)
            ratio = own / max(theirs, least(model))
            if ratio > worst:
                worst, text = ratio, f"{own:.1e} from the reference, ONNX Runtime {theirs:.1e}"
    if worst > LIMIT:
        raise Wrong(text)
    return text


def judge(options, path, real, folder):
    """(what became of a model, lines that say how)"""
    artifact = folder / "model.so"
    done = subprocess.run([options.qcc, "compile", str(path), f"--mcpu={','.join(PROCESSORS)}", "-o", str(artifact)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
        crashed = not lines or "the compiler crashed" in done.stderr
        return ("crash" if crashed else "refused"), lines
    try:
        return "pass", [compare(options, path, artifact, real)]
    except Wrong as error:
        return "wrong", [str(error)]
    except Exception as error:  # ONNX Runtime cannot run what it wrote
        return "no reference", [str(error).splitlines()[0][:200]]


def write_form(options, write, path, to):
    """Whether the form of a model could be written; otherwise why not."""
    def batches():
        return [make_inputs(onnx.load(path), 1, options, 1000 + seed) for seed in range(4)]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            write(path, to, batches)
        return None
    except Exception as error:  # whatever a quantizer raises
        return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def models(options, folder):
    """(name, form, file or reason, float model) of everything that is tried."""
    for path in options.models:
        yield from forms_of(options, str(path), path, options.float, options.forms, folder)
    for name in options.made or []:
        path = folder / f"{name}.onnx"
        onnx.save(NETWORKS[name](), path)
        yield from forms_of(options, name, path, path, True, folder)


def forms_of(options, name, path, real, all_forms, folder):
    if options.only.search("as it is"):
        yield name, "as it is", path, real
    for number, (form, write) in enumerate(FORMS.items() if all_forms else []):
        if not options.only.search(form):
            continue
        to = folder / f"form{number}.onnx"
        reason = write_form(options, write, path, to)
        yield name, form, reason or to, path


def short(lines):
    """What a cell of the table says of refusals: the ops, each once."""
    of_nodes = [re.sub(r"^node '[^']*' \((\S+)\) (.*?)[;,].*", r"\1: \2", line) for line in lines]
    return "; ".join(dict.fromkeys(re.sub(r"^the op (\S+).*", r"\1", line) for line in of_nodes))


def write_table(path, rows, arguments):
    names = list(dict.fromkeys(name for name, *_ in rows))
    forms = list(dict.fromkeys(form for _, form, *_ in rows))
    cells = {(name, form): what for name, form, what, _ in rows}
    text = [f"<!-- Written by utils/onnx-models.py {arguments}. -->", "",
            "Networks of `utils/onnx_models/networks.py` in the forms that ONNX Runtime's tools write",
            "(`utils/onnx_models/forms.py`). A model *passes* if AVX2, AVX-512 and VNNI give the same bits at all sizes and the",
            "distance to the float model is at most 1.25 times that of ONNX Runtime. A dash: the tool does not write this form,",
            "or ONNX Runtime does not run it.", ""]
    text += ["| form | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for form in forms:
        shown = [cells[name, form] if cells.get((name, form)) in COUNTED else "–" for name in names]
        text.append(f"| {form} | " + " | ".join(shown) + " |")
    reasons = collections.defaultdict(list)
    for name, form, what, lines in rows:
        if what in COUNTED[1:]:
            reasons[short(lines)].append(f"{name} ({form})")
    text += ["", "| what does not pass, and why | models |", "| --- | --- |"]
    text += [f"| {reason} | {', '.join(where)} |" for reason, where in sorted(reasons.items())]
    count = collections.Counter(what for _, _, what, _ in rows)
    text += ["", f"Of {sum(count[what] for what in COUNTED)} models, {count['pass']} pass, {count['refused']} are refused, "
             f"{count['wrong']} are wrong, {count['crash']} crash the compiler."]
    path.write_text("\n".join(text) + "\n")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qcc", required=True, help="the program qcc")
    parser.add_argument("--float", type=pathlib.Path, help="the model that was quantized")
    parser.add_argument("--forms", action="store_true", help="also quantize the models")
    parser.add_argument("--made", nargs="?", const=",".join(NETWORKS), type=str, metavar="NAME,...",
                        help="also try the networks of onnx_models, in all forms")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX", help="which forms are tried")
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
    if options.made and len(options.sizes) != 3:
        parser.error("--made needs three --sizes")
    options.runner = str(pathlib.Path(options.qcc).with_name("qcc-run"))
    return options


def main():
    options = parse_arguments()
    logging.disable(logging.CRITICAL)
    rows = []
    with tempfile.TemporaryDirectory(prefix="qcc-models-") as folder:
        folder = pathlib.Path(folder)
        for name, form, path, real in models(options, folder):
            what, lines = ("not written", [path]) if isinstance(path, str) else judge(options, path, real, folder)
            rows.append((name, form, what, lines))
            print(f"{what}: {name} ({form})" + "".join(f"\n  {line}" for line in lines), flush=True)
    if options.table:
        asked = [word for word in sys.argv[1:] if word.startswith(("--made", "--only", "--seeds", "--sizes"))]
        write_table(options.table, rows, " ".join(asked))
    return 1 if any(what in ("wrong", "crash") for _, _, what, _ in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
