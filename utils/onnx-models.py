#!/usr/bin/env python3
"""Compiles ONNX models, runs them at several shapes and compares them with ONNX Runtime.

A model that qcc refuses is listed with what it says. Of a model that it compiles, results are
compared on seeded inputs, at each of the sizes that dynamic dimensions get. With --float, which
names the model before it was quantized, the distance of qcc to its results must be at most 1.25
times that of ONNX Runtime, with or without optimizations, whichever is closer. Without, the
distance to ONNX Runtime without optimizations must be at most 1.25 times that of ONNX Runtime
with them, or 0.001. Distances are relative, in the root of the mean of squares: rounding in
other places moves the results of a quantized network by some percent. --forms quantizes a float
model in four ways by ONNX Runtime, and compares them with it.

Needs onnxruntime, whose version utils/bench_models/requirements.txt says.

Usage: onnx-models.py --qcc=PATH [--float=FILE] [--forms] [--seeds=N] [--sizes=1,7,40] MODEL...
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import helper

LIMIT = 1.25
LEAST = 1e-3  # the distance that needs no reason
MOST_TOKENS = 100  # integers of inputs are less: indices of any table


def session(path, optimized):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def graph_inputs(model):
    """The inputs without those that have a constant of their name."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in constants]


def make_inputs(model, size, seed):
    """{name: array}; `size` is that of every dynamic dimension."""
    random = numpy.random.default_rng(seed)
    arrays = {}
    for info in graph_inputs(model):
        kind = info.type.tensor_type
        shape = [dim.dim_value if dim.HasField("dim_value") else size for dim in kind.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if dtype.kind == "f":
            arrays[info.name] = random.standard_normal(shape).astype(dtype)
        elif dtype.kind == "b":
            arrays[info.name] = numpy.ones(shape, dtype)
        else:
            arrays[info.name] = random.integers(0, MOST_TOKENS, shape).astype(dtype)
    return arrays


def run_qcc(qcc, path, arrays, outputs, folder):
    command = [qcc, "run", str(path), "--threads=1"]
    for i, array in enumerate(arrays.values()):
        numpy.save(folder / f"x{i}.npy", array)
        command.append(f"--input={folder / f'x{i}.npy'}")
    command += [f"--output={folder / f'y{i}.npy'}" for i in range(outputs)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
    return [numpy.load(folder / f"y{i}.npy") for i in range(outputs)]


def distance(actual, expected):
    """The greatest of all outputs."""
    worst = 0.0
    for a, e in zip(actual, expected):
        if a.shape != e.shape or a.dtype != e.dtype:
            raise RuntimeError(f"an output is {a.dtype}{a.shape}, not {e.dtype}{e.shape}")
        a, e = a.astype(numpy.float64), e.astype(numpy.float64)
        scale = numpy.sqrt(numpy.mean(e ** 2)) if e.size else 0.0
        error = numpy.sqrt(numpy.mean((a - e) ** 2)) if e.size else 0.0
        worst = max(worst, error / scale if scale else error)
    return worst


def compare(qcc, path, real, sizes, seeds, folder):
    """(whether qcc is close enough, a line that says how close)"""
    model = onnx.load(path)
    outputs = len(model.graph.output)
    optimized, literal = session(path, True), session(path, False)
    float_session = session(real, False) if real else None
    is_dynamic = any(not dim.HasField("dim_value") for info in graph_inputs(model)
                     for dim in info.type.tensor_type.shape.dim)
    worst, text = 0.0, ""
    for size in sizes if is_dynamic else sizes[:1]:
        for seed in range(seeds):
            arrays = make_inputs(model, size, seed)
            mine = run_qcc(qcc, path, arrays, outputs, folder)
            with_, without = optimized.run(None, arrays), literal.run(None, arrays)
            if float_session:
                exact = float_session.run(None, arrays)
                own, theirs = distance(mine, exact), min(distance(with_, exact), distance(without, exact))
            else:
                own, theirs = distance(mine, without), distance(with_, without)
            ratio = own / max(theirs, LEAST)
            if ratio >= worst:
                worst, text = ratio, f"{own:.2e} from the reference, ONNX Runtime {theirs:.2e} (size {size})"
    return worst <= LIMIT, text


def write_forms(path, folder):
    """{form: file} of a float model that ONNX Runtime quantizes in four ways."""
    from onnxruntime import quantization as ort

    class Reader(ort.CalibrationDataReader):
        def __init__(self, size=32):
            self.batches = iter([make_inputs(onnx.load(path), size, 1000 + seed) for seed in range(4)])

        def get_next(self):
            return next(self.batches, None)

    forms = {name: folder / f"{path.stem}.{name}.onnx" for name in ("dynamic", "qdq-u8s8", "qdq-s8s8", "qoperator")}
    ort.quantize_dynamic(path, forms["dynamic"], weight_type=ort.QuantType.QInt8)
    for name, kind, options in (("qdq-u8s8", ort.QuantFormat.QDQ, {"per_channel": True}),
                                ("qdq-s8s8", ort.QuantFormat.QDQ, {"activation_type": ort.QuantType.QInt8}),
                                ("qoperator", ort.QuantFormat.QOperator, {})):
        ort.quantize_static(path, forms[name], Reader(), quant_format=kind, weight_type=ort.QuantType.QInt8,
                            **options)
    return forms


def report(qcc, name, path, real, options, folder):
    """Prints what became of a model; whether it is right or refused by name."""
    done = subprocess.run([qcc, "compile", str(path), "-o", str(folder / "model.so")], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
        crashed = not lines or "the compiler crashed" in done.stderr
        print(f"{'crash' if crashed else 'refused'}: {name}")
        for line in lines:
            print(f"  {line}")
        return not crashed
    try:
        is_close, text = compare(qcc, path, real, options.sizes, options.seeds, folder)
    except RuntimeError as error:
        is_close, text = False, str(error)
    print(f"{'pass' if is_close else 'wrong'}: {name}: {text}", flush=True)
    return is_close


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qcc", required=True, help="the program qcc")
    parser.add_argument("--float", type=pathlib.Path, help="the model that was quantized")
    parser.add_argument("--forms", action="store_true", help="quantize the models first")
    parser.add_argument("--seeds", type=int, default=4, help="how many inputs of each size")
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[1, 7, 40],
                        help="what dynamic dimensions are")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory(prefix="qcc-models-") as folder:
        folder = pathlib.Path(folder)
        for path in options.models:
            good &= report(options.qcc, str(path), path, options.float, options, folder)
            if options.forms:
                for name, form in write_forms(path, folder).items():
                    good &= report(options.qcc, f"{path} ({name})", form, path, options, folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
