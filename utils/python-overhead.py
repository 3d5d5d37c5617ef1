#!/usr/bin/env python3
"""Measures what a call from Python costs: the package qcc beside ONNX Runtime, on a model of one tiny op.

The op adds four floats to themselves, so that what is measured is the way there and back. All take turns, round by
round; the figures are medians over the rounds. ONNX Runtime and numpy live in the Python environment of
utils/bench-models.py, which that script makes; this one runs in it.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]

PROGRAM = """
func.func @double(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %y = linalg.add ins(%x, %x : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
"""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER",
                        help="the build whose libraries are measured (default: build/release)")
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/models-venv", metavar="FOLDER",
                        help="the Python environment of ONNX Runtime")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--calls", type=int, default=5000, help="of each round")
    options = parser.parse_args(arguments)
    if not (options.venv / "bin" / "python").exists():
        parser.error(f"{options.venv} is no Python environment; utils/bench-models.py makes it")
    return options


def calls_of_qcc(x):
    """What is measured, by name."""
    import numpy as np

    import qcc

    function, out = qcc.compile(PROGRAM).function(threads=1), np.empty_like(x)
    return {"qcc": lambda: function(x), "qcc, out=": lambda: function(x, out=out)}


def calls_of_onnxruntime(x):
    import onnx
    import onnxruntime

    value = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, x.shape) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "x"], ["y"])], "double", value[:1], value[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feed = {"x": x}
    return {f"onnxruntime {onnxruntime.__version__}": lambda: session.run(None, feed)}


def measure(options):
    import numpy as np

    x = np.ones((1, 4), np.float32)
    calls = {**calls_of_qcc(x), **calls_of_onnxruntime(x)}
    times = {name: [] for name in calls}
    for _ in range(options.rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(options.calls):
                call()
            times[name].append((time.perf_counter() - start) / options.calls)
    for name, of_name in times.items():
        print(f"{name:24} {1e6 * statistics.median(of_name):6.2f} us a call, the best round "
              f"{1e6 * min(of_name):6.2f} us")


def main():
    options = parse_arguments(sys.argv[1:])
    if pathlib.Path(sys.prefix).resolve() == options.venv.resolve():
        sys.path.insert(0, str(ROOT / "python"))
        measure(options)
        return 0
    environment = dict(os.environ, QCC_LIBRARY_PATH=str(options.build.resolve() / "lib"))
    command = [str(options.venv / "bin" / "python"), __file__, *sys.argv[1:]]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
