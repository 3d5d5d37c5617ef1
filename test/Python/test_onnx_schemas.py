"""Models of one op, drawn over all attributes and versions of every imported op, beside engines that share nothing with qcc.

The generators follow ONNX's own schemas: a test fails for an imported op or for an attribute of a schema that no generator
draws. Results are compared with ONNX Runtime without its optimizations or, where it lacks an op, a type or a version, with
onnx.reference, within the bounds of onnx_bounds.py, which docs/Numerics.md states. QCC_ONNX_SEEDS says how many models are
drawn.
"""

import collections
import dataclasses
import functools
import os
import re
import warnings
import zlib

import numpy as np
import pytest

import onnx_bounds
import onnx_draw
import onnx_ops_contractions  # noqa: F401
import onnx_ops_elementwise  # noqa: F401
import onnx_ops_movement  # noqa: F401
import onnx_ops_quantized  # noqa: F401
import onnx_ops_saved  # noqa: F401
from onnx_draw import GENERATORS, Version, versions
from test_onnx_ops import imported

SHARDS = 8


#: The first operator set that is drawn; test_onnx_old.py has ops of earlier ones.
FIRST_DRAWN = 11
#: Ops of these sets only, which test_onnx_old.py compares with ONNX Runtime.
OLD = {"Scatter", "Upsample"}


def microsoft_schemas():
    from onnxruntime.capi import onnxruntime_pybind11_state
    return {schema.name: schema for schema in onnxruntime_pybind11_state.get_all_operator_schema()
            if schema.domain == "com.microsoft"}


@functools.cache
def all_versions():
    """The versions of every imported op that a model can have."""
    pytest.importorskip("onnxruntime")
    found = [version for op, since in imported().items() for version in versions(op, since, FIRST_DRAWN)]
    schemas = microsoft_schemas()
    found += [Version(schemas[op], 13, 17) for op in imported("kMicrosoftRows")]
    return [version for version in found if version.name not in OLD]


def models():
    """How many models are drawn."""
    return int(os.environ.get("QCC_ONNX_SEEDS", len(all_versions())))


def drawn(i):
    """Model number i: each version in its turn."""
    version = all_versions()[i % len(all_versions())]
    with np.errstate(all="ignore"):
        return onnx_draw.draw(version, zlib.crc32(f"{version} {i // len(all_versions())}".encode()))


# The generators.

#: Attributes that are not drawn, and why.
NOT_DRAWN = {
    "com.microsoft::DynamicQuantizeLSTM": {"activation_alpha", "activation_beta"},  # of activations that are not imported
    # Of quantized caches and of inputs that are refused.
    "com.microsoft::GroupQueryAttention": {"k_norm_epsilon", "k_quant_type", "kv_cache_bit_width", "q_norm_epsilon", "qk_norm_epsilon",
                                           "v_quant_type"},
}


def test_every_op_has_a_generator():
    names = {version.name for version in all_versions()}
    assert names == set(GENERATORS)


def test_every_attribute_is_drawn():
    for version in all_versions():
        left = set(version.schema.attributes) - NOT_DRAWN.get(version.name, set())
        for seed in range(200):
            if not left:
                break
            with np.errstate(all="ignore"):
                left -= set(onnx_draw.draw(version, seed).attributes)
        assert not left, f"{version}: no generator sets {sorted(left)}"


# The bounds.

def test_the_page_has_the_bounds():
    assert "\n".join(onnx_bounds.table()) in onnx_bounds.PAGE.read_text(encoding="utf-8"), "run test/Python/onnx_bounds.py"


def test_each_bound_is_of_ops_that_are_drawn():
    names = [name for row in onnx_bounds.ROWS for name in row.names()]
    assert len(names) == len(set(names)) and set(names) <= set(GENERATORS)


def test_bounds_tell_results_apart():
    """Each kind of bound takes results within it, and no others."""
    for name, values, unit in (("Exp", [3.0], 3.0), ("Gelu", [0.25], 1.0), ("MatMul", [0.25, 40.0], 40.0)):
        bound, expected = onnx_bounds.BOUNDS[name], np.array(values, np.float32)
        for part, apart in ((0.5, False), (2, True)):
            actual = expected.copy()
            actual[0] += part * bound.ulps * np.finfo(np.float32).eps * unit
            assert places_apart(actual, expected, bound)[0] == apart, (name, part)
    exact = onnx_bounds.EXACT
    one, less = np.float32([1, np.nan, np.inf, 0]), np.nextafter(np.float32([1, 0, np.inf, 0]), np.float32(-1))
    assert not places_apart(one, one, exact).any()
    assert places_apart(less, one, exact).all()
    assert list(places_apart(np.int8([1, 2]), np.int8([2, 4]), dataclasses.replace(exact, integers=1))) == [False, True]


# The engines.

def run_runtime(data, feed):
    """The results of ONNX Runtime, or None where it does not have the op, the type or the version."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return session.run(None, feed)
    except Exception:  # whatever it raises
        return None


#: Ops that onnx.reference computes in another way than ONNX defines them, or with another order of rounding.
NO_REFERENCE = {"AveragePool", "Conv", "ConvTranspose", "DynamicQuantizeLinear", "GRU", "GlobalMaxPool", "HardSwish", "Hardmax", "LRN",
                "LSTM", "Loop", "MaxPool", "OneHot", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RNN", "Resize"}


def run_reference(model, feed):
    from onnx.reference import ReferenceEvaluator
    if model.graph.node[0].op_type in NO_REFERENCE or model.graph.node[0].domain:
        return None
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(y) for y in ReferenceEvaluator(model).run(None, feed)]
    except Exception:  # whatever it raises
        return None


def places_apart(actual, expected, bound, amplification=1.0):
    """Which elements differ by more than the op allows."""
    if expected.dtype.kind != "f":
        differ = actual != expected
        return differ & (np.abs(actual.astype(object) - expected.astype(object)) > bound.integers) if bound.integers else differ
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        finite = np.isfinite(e) & np.isfinite(a)
        same = (a == e) | (np.isnan(a) & np.isnan(e)) | (finite & (np.abs(a - e) <= bound.tolerance(expected, amplification)))
    return ~same


def compare(d, results, expected, what):
    bound = onnx_bounds.EXACT if d.is_exact else onnx_bounds.BOUNDS.get(d.version.name, onnx_bounds.EXACT)
    assert len(results) == len(expected), what
    for i, (actual, wanted) in enumerate(zip(results, expected)):
        actual, wanted = np.asarray(actual), np.asarray(wanted)
        assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape), (
            f"{what}, result {i}: {actual.dtype}{actual.shape}, expected {wanted.dtype}{wanted.shape}")
        differ = np.argwhere(places_apart(actual, wanted, bound, d.amplification))
        assert not len(differ), (f"{what}, result {i}: {len(differ)} of {actual.size} elements differ, first at {differ[0]}: "
                                 f"{actual[tuple(differ[0])]!r}, expected {wanted[tuple(differ[0])]!r}")


def check_rounding(d, actual, what):
    """An integer result is a nearest one of its value in float64, saturated; ties go either way."""
    info = np.iinfo(actual.dtype)
    value = np.clip(d.expected_value, info.min, info.max)
    assert actual.shape == value.shape, f"{what}: {actual.shape}, expected {value.shape}"
    far = np.argwhere(np.abs(actual - value) > 0.5 + 2e-4)
    assert not len(far), f"{what}: at {far[0]} {actual[tuple(far[0])]}, which is no rounding of {value[tuple(far[0])]}"


#: What qcc refuses, and says so: a pattern of the message for each reason.
REFUSALS = re.compile("|".join((
    r"does not take (u?int\d+|float\d+|bfloat16|bool)", r"is not supported", r"are not supported", r"are not defined \(N8",
    r"is supported for float32", r"whose number is known", r"of known sizes", r"which ONNX defines for integers only", r"takes matrices, and not",
    r"which only QuantizeLinear, DequantizeLinear and ops that move elements may",
)))


def outcome(i, folder):
    """What became of model i: "runtime", "reference", "float64", "alone" (no other engine has it) or "refused"."""
    from package import qcc
    d = drawn(i)
    model = d.model()
    data, what = model.SerializeToString(), f"model {i}, {d.version}, opset {d.opset}, {d.attributes}"
    # If the process ends here, the model is there to be looked at.
    (folder / "model.onnx").write_bytes(data)
    try:
        # Models that other engines read in another way are warned of.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", qcc.CompileWarning)
            results = qcc.compile(data).function()(*d.feed.values())
    except qcc.Error as error:
        if not REFUSALS.search(str(error)):
            raise AssertionError(f"{what}: {error}") from None
        return "refused", re.sub(r"'[^']*'|\d+", "…", str(error))
    results = results if isinstance(results, tuple) else (results,)
    if d.expected_value is not None:
        check_rounding(d, np.asarray(results[0]), what)
        return "float64", ""
    if d.peer:
        d.peer.outputs = d.outputs
        model, d.feed = d.peer.model(), d.peer.feed
        data = model.SerializeToString()
    for engine, run in (("runtime", lambda: d.no_peer or run_runtime(data, d.feed)),
                        ("reference", lambda: d.no_peer or run_reference(model, d.feed))):
        expected = run()
        if expected is not None and not isinstance(expected, str):
            compare(d, results, expected, f"{what}, {engine}")
            return engine, ""
    return "alone", ""


@pytest.mark.parametrize("shard", range(SHARDS))
def test_models(shard, tmp_path, compiler):
    counts, reasons, failures = collections.Counter(), collections.Counter(), []
    for i in range(shard, models(), SHARDS):
        try:
            kind, reason = outcome(i, tmp_path)
        except AssertionError as error:
            failures.append(str(error))
            print(error)
            continue
        counts[kind] += 1
        reasons[(str(all_versions()[i % len(all_versions())]), reason)] += bool(reason)
    print(f"{sum(counts.values())} models: {dict(counts)}")
    for (version, reason), count in sorted(reasons.items()):
        if reason:
            print(f"  refused {count} times: {version}: {reason}")
    if failures:
        pytest.fail(f"{len(failures)} models differ:\n" + "\n".join(failures), pytrace=False)
    # The engines decide about nearly all models.
    assert counts["runtime"] + counts["reference"] + counts["float64"] > 0.7 * sum(counts.values())
