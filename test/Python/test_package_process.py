"""The Python package: counters, the log and the health of a process."""

import logging
import re

import numpy as np
import pytest

from package import DOUBLE, LINEAR, qcc

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_counters(tmp_path):
    before = qcc.process_info()
    module = qcc.compile(DOUBLE)
    module.save(tmp_path / "double.so")
    function = qcc.load(tmp_path / "double.so").function(threads=1)
    function(X)
    function.start(X).result()
    with pytest.raises(qcc.InvalidArgumentError):
        function(X[:, :2].copy())
    token = qcc.CancelToken()
    token.cancel()
    with pytest.raises(qcc.CancelledError):
        function(X, cancel=token)
    with pytest.raises(qcc.NotFoundError):
        qcc.load(tmp_path / "other.so")
    after = qcc.process_info()
    assert after.loads == before.loads + 2 and after.failed_loads == before.failed_loads + 1
    assert after.load_nanoseconds > before.load_nanoseconds
    assert after.runs == before.runs + 4 and after.failed_runs == before.failed_runs + 1
    assert after.cancelled_runs == before.cancelled_runs + 1
    assert after.modules == before.modules + 1 and after.contexts > before.contexts
    assert after.runs_under_way == before.runs_under_way == after.runs_waiting == 0


def test_log(caplog):
    logger = logging.getLogger("qcc.test")
    caplog.set_level(logging.DEBUG, "qcc.test")
    qcc.log_to(logger, logging.INFO)
    module = qcc.compile(DOUBLE)
    function = module.function(threads=1)
    function(X)
    with pytest.raises(qcc.CorruptArtifactError):
        qcc.load(b"nothing")
    qcc.log_to(logger)
    function(X)
    qcc.log_to(None)
    with pytest.raises(qcc.CorruptArtifactError):
        qcc.load(b"nothing")
    assert [record.levelname for record in caplog.records] == ["INFO", "ERROR"]
    assert module.fingerprint in caplog.records[0].getMessage()
    assert "the artifact in memory" in caplog.records[1].getMessage()


def test_artifacts_are_told_apart():
    modules = [qcc.compile(text) for text in (DOUBLE, LINEAR, DOUBLE)]
    fingerprints = [module.fingerprint for module in modules]
    assert all(re.fullmatch("[0-9a-f]{16}", fingerprint) for fingerprint in fingerprints)
    assert fingerprints[0] == fingerprints[2] != fingerprints[1]
    assert modules[0].public_key is None
    modules[0].check_health()
    assert re.fullmatch(r"([0-9a-f]{40}\+?)?", qcc.__revision__)
