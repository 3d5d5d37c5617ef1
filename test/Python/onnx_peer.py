"""Compares results with those of ONNX Runtime where it is installed and has the op for the types."""

import pathlib

import numpy as np
import onnx

try:
    import onnxruntime
except ImportError:
    onnxruntime = None


def run(path, arrays):
    """The results of ONNX Runtime without optimizations, or None."""
    if onnxruntime is None:
        return None
    names = [info.name for info in onnx.load(path).graph.input]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return session.run(None, dict(zip(names, arrays)))
    except Exception:  # whatever it raises
        return None


def check(folder, arrays, actual, tolerance=1e-4):
    """Of the model that was run in `folder`."""
    expected = run(pathlib.Path(folder) / "model.onnx", arrays)
    for i, (a, e) in enumerate(zip(actual, expected or ())):
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance, err_msg=f"result {i} of ONNX Runtime")
