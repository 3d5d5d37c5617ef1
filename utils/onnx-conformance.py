#!/usr/bin/env python3
"""Runs the node tests of the ONNX package through qcc and says what became of each.

A case passes if its outputs are within the tolerance that ONNX itself uses; it is refused if
qcc names what it does not support. Everything else is wrong, a crash or too slow, and the
exit code is 1 then. A few cases contradict the text of ONNX (`CONTRADICTIONS`); qcc follows the
text there. `--table` writes a table of ops to the file that docs include; a test
compares that file with the op table of the importer.

Inputs that shapes need (a shape, axes, pads as a graph input) become constants of the model
before it is run, since an artifact has to know them: the values are those of the test.

Usage: onnx-conformance.py --qcc=PATH [--filter=TEXT] [--mcpu=NAME] [--table=FILE] [-v]
"""

import argparse
import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper

LIMIT = 10  # seconds for a case
DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
# Inputs that decide of shapes, by op: they are constants in real models.
SHAPE_INPUTS = {
    "Reshape": [1], "Expand": [1], "Tile": [1], "Pad": [1, 2, 3], "Slice": [1, 2, 3, 4],
    "Squeeze": [1], "Unsqueeze": [1], "Split": [1], "Resize": [2, 3], "ConstantOfShape": [0],
    "Range": [0, 1, 2], "TopK": [1], "OneHot": [1], "CumProd": [1],
    "CumSum": [1], "Clip": [], "Pow": [1],
    "ReduceMean": [1], "ReduceSum": [1], "ReduceMax": [1], "ReduceMin": [1], "ReduceProd": [1],
    "ReduceL1": [1], "ReduceL2": [1], "ReduceSumSquare": [1], "ReduceLogSum": [1],
    "ReduceLogSumExp": [1], "Dropout": [1, 2], "Trilu": [1], "Loop": [0, 1], "CenterCropPad": [1],
}
# Cases whose results are not those that the text of ONNX defines, and why. ONNX Runtime and PyTorch follow the text.
ALIGNED = "divides by scale * n - 1, where the text says length_resized - 1, the length of the resized tensor less 1"
CONTRADICTIONS = {"test_resize_downsample_scales_cubic_align_corners": ALIGNED,
                  "test_resize_downsample_scales_linear_align_corners": ALIGNED}
PASSED, REFUSED, WRONG, CRASHED, SLOW = "pass", "refused", "wrong", "crash", "slow"
CONTRADICTED = "contradict ONNX's text"


def read_tensor(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def prepare(model, inputs):
    """Makes constants of the inputs that decide of shapes; returns the arrays of the others."""
    fixed = {node.input[i] for node in model.graph.node
             for i in SHAPE_INPUTS.get(node.op_type, []) if i < len(node.input)}
    rest = []
    infos = list(model.graph.input)
    for info, array in zip(infos, inputs):
        if info.name in fixed:
            model.graph.initializer.append(numpy_helper.from_array(array, info.name))
            model.graph.input.remove(info)
        else:
            rest.append(array)
    return rest


def storable(array):
    """Whether qcc's files have such elements."""
    return array.dtype.kind in "biuf" and array.dtype.name not in ("bfloat16",)


def run_case(folder, qcc, mcpu):
    """(outcome, detail)"""
    model = onnx.load(folder / "model.onnx")
    data = folder / "test_data_set_0"
    try:
        inputs = [read_tensor(data / f"input_{i}.pb") for i in range(len(model.graph.input))]
        outputs = [read_tensor(data / f"output_{i}.pb") for i in range(len(model.graph.output))]
    except Exception as error:  # sequences, optional values
        return REFUSED, f"its data are no tensors ({type(error).__name__})"
    inputs = prepare(model, inputs)
    if not all(storable(array) for array in inputs + outputs):
        return REFUSED, "its data have elements that files of qcc do not have"
    with tempfile.TemporaryDirectory(prefix="qcc-onnx-") as scratch:
        scratch = pathlib.Path(scratch)
        path = scratch / "model.onnx"
        path.write_bytes(model.SerializeToString())
        command = [qcc, "run", str(path), f"--mcpu={mcpu}", "--threads=1"]
        for i, array in enumerate(inputs):
            numpy.save(scratch / f"x{i}.npy", array)
            command.append(f"--input={scratch / f'x{i}.npy'}")
        command += [f"--output={scratch / f'y{i}.npy'}" for i in range(len(outputs))]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return SLOW, f"more than {LIMIT} s"
        message = done.stderr.strip().splitlines()
        if done.returncode != 0:
            text = next((line for line in message if "error" in line), "no message")
            crashed = done.returncode < 0 or "crash" in done.stderr or not message
            return (CRASHED if crashed else REFUSED), text.split("error: ", 1)[-1]
        actual = [numpy.load(scratch / f"y{i}.npy") for i in range(len(outputs))]
    for i, (a, e) in enumerate(zip(actual, outputs)):
        if a.shape != e.shape or a.dtype != e.dtype:
            return WRONG, f"output {i} is {a.dtype}{a.shape}, not {e.dtype}{e.shape}"
        tolerance = 1e-3 if e.dtype.kind == "f" else 0
        least = 1e-3 if e.dtype == numpy.float16 else 1e-7
        if not numpy.allclose(a, e, rtol=tolerance, atol=least if tolerance else 0,
                              equal_nan=e.dtype.kind == "f"):
            kind = CONTRADICTED if folder.name in CONTRADICTIONS else WRONG
            return kind, f"output {i} differs, by {numpy.max(numpy.abs(a - e.astype(a.dtype)))}"
    return PASSED, ""


def op_of(folder):
    """The op that a case is about."""
    return onnx.load(folder / "model.onnx").graph.node[-1].op_type


def imported_ops(qcc):
    """The ops of ONNX that qcc imports."""
    lines = subprocess.run([qcc, "ops", "--onnx"], check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[0] for line in lines if line.startswith("ai.onnx.")}
    return {name.removeprefix("ai.onnx.") for name in names} & {schema.name for schema in onnx.defs.get_all_schemas_with_history()}


def write_table(path, results, qcc):
    rows = collections.defaultdict(collections.Counter)
    for op, (outcome, _) in results.values():
        rows[op][outcome] += 1
    total = collections.Counter(outcome for _, (outcome, _) in results.values())
    lines = ["<!-- Written by utils/onnx-conformance.py --table. -->", "",
             "| op | cases that pass | refused |", "| --- | --- | --- |"]
    lines += [f"| {op} | {count[PASSED]} | {count[REFUSED]} |"
              for op, count in sorted(rows.items()) if count[PASSED]]
    untested = imported_ops(qcc) - {op for op, count in rows.items() if count[PASSED]}
    rest = len(results) - total[PASSED] - total[REFUSED] - total[CONTRADICTED]
    lines += ["", f"Of {len(results)} node tests of ONNX {onnx.__version__}, {total[PASSED]} pass, "
              f"{total[REFUSED]} are refused, {total[CONTRADICTED]} {CONTRADICTED} ([Numerics](Numerics.md#onnx)), "
              f"{rest} fail otherwise.", "",
              "Imported as well, without such a test: " + ", ".join(sorted(untested)) + "."]
    pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qcc", required=True, help="the program qcc")
    parser.add_argument("--filter", default="", help="a part of the names of cases")
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table", help="the file to write a table of ops to")
    parser.add_argument("-v", "--verbose", action="store_true", help="say of each case what it is")
    options = parser.parse_args()
    folders = sorted(f for f in DATA.iterdir() if options.filter in f.name)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda f: run_case(f, options.qcc, options.mcpu), folders))
    results = {f.name: (op_of(f), outcome) for f, outcome in zip(folders, outcomes)}
    for name, (_, (outcome, detail)) in results.items():
        if options.verbose or outcome in (WRONG, CRASHED, SLOW):
            print(f"{outcome}: {name}: {detail}")
    count = collections.Counter(outcome for _, (outcome, _) in results.values())
    print(", ".join(f"{count[kind]} {kind}" for kind in (PASSED, REFUSED, CONTRADICTED, WRONG, CRASHED, SLOW)))
    if options.table:
        write_table(options.table, results, options.qcc)
    return 1 if count[WRONG] + count[CRASHED] + count[SLOW] else 0


if __name__ == "__main__":
    sys.exit(main())
