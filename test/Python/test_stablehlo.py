"""Ops of StableHLO beside the text of their specification, in numpy (stablehlo_cases.py)."""

import numpy as np
import pytest

from package import qcc
from stablehlo_cases import GROUPS

#: Unsigned integers of more than 8 bits are passed as signed ones.
SIGNED = {"uint16": np.int16, "uint32": np.int32, "uint64": np.int64}


def entry(array):
    return array.view(SIGNED.get(str(array.dtype), array.dtype)) if array.ndim or str(array.dtype) not in SIGNED else np.asarray(
        array[()].view(SIGNED[str(array.dtype)]))


def differ(actual, expected):
    """Integers are equal, and floats but for the order of sums."""
    if expected.dtype.kind != "f":
        return actual != expected
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(a - e) <= 8 * np.finfo(expected.dtype).eps * np.maximum(np.abs(e), np.abs(e[np.isfinite(e)]).max(initial=1))
    return ~((a == e) | (np.isnan(a) & np.isnan(e)) | near)


@pytest.mark.parametrize("group", GROUPS)
def test_ops(group):
    failures, count = [], 0
    for what, text, args, results in GROUPS[group](np.random.default_rng(len(group))):
        count += 1
        try:
            got = qcc.compile(text).function(threads=1)(*map(entry, args))
        except qcc.Error as error:
            failures.append(f"{what}: {error}\n{text}")
            continue
        for actual, expected in zip(got if isinstance(got, tuple) else (got,), results):
            actual = np.asarray(actual)
            if actual.shape != expected.shape or actual.itemsize != expected.itemsize:
                failures.append(f"{what}: {actual.dtype}{actual.shape}, expected {expected.dtype}{expected.shape}")
                continue
            wrong = differ(actual.reshape(expected.shape).view(expected.dtype) if actual.ndim else actual.astype(expected.dtype), expected)
            if np.any(wrong):
                failures.append(f"{what}: {np.sum(wrong)} of {wrong.size} differ, {actual[wrong][:1]} for {expected[wrong][:1]}\n{text}")
    print(f"{group}: {count} cases")
    assert not failures, f"{len(failures)} of {count}:\n" + "\n".join(failures[:5])
