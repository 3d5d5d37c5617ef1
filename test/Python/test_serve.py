"""python -m qcc serve: the protocol, batches, limits, reloading, draining."""

import asyncio
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import program
from package import DOUBLE, DOUBLE_ROWS, LINEAR, TYPES, identity_of, linear_of, qcc

pytest.importorskip("httptools", reason="the library of HTTP is not installed")
import serving  # noqa: E402
from serving import MIXED, SLOW  # noqa: E402

@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The artifacts that are served."""
    folder = tmp_path_factory.mktemp("artifacts")
    programs = {"double": DOUBLE, "rows": DOUBLE_ROWS, "linear": LINEAR, "slow": SLOW, "mixed": MIXED}
    programs.update({f"of_{name}": identity_of(name) for name in TYPES})
    for name, text in programs.items():
        qcc.compile(text).save(folder / f"{name}.so")
    two = DOUBLE + DOUBLE.replace("@double", "@second").replace("linalg.add", "linalg.mul")
    qcc.compile(two).save(folder / "two.so")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    """Serves all models."""
    models = [f"{path.stem}={path}" for path in sorted(folder.glob("*.so")) if path.stem != "two"]
    with serving.Server(*models, f"two={folder / 'two.so'}:second", "--max-body-mb=2", "--max-json-mb=1",
                        "--read-timeout=1", "--reload-seconds=0", "--max-result-mb=4") as server:
        yield server
        assert server.process.poll() is None


@pytest.fixture
def connection(server):
    connection = server.connect()
    yield connection
    connection.close()


def test_health_and_metadata(server, connection):
    assert server.get("/v2/health/live") == (200, b'{"live": true}')
    assert server.get("/v2/health/ready") == (200, b'{"ready": true}')
    code, body = server.get("/v2")
    assert code == 200 and json.loads(body)["extensions"] == ["binary_tensor_data"]
    for path in ("/v2/models/linear", "/v2/models/linear/versions/1"):
        code, body = server.get(path)
        assert code == 200 and json.loads(body) == {
            "name": "linear", "versions": ["1"], "platform": "qcc",
            "inputs": [{"name": "input0", "datatype": "INT8", "shape": [-1, 4]}],
            "outputs": [{"name": "output0", "datatype": "FP32", "shape": [-1, 2]}]}
    assert server.get("/v2/models/linear/ready")[0] == 200
    for path in ("/", "/v2/models", "/v2/models/none", "/v2/models/linear/versions/2", "/v2/models/linear/x"):
        code, body = server.get(path)
        assert code == 404 and json.loads(body)["error"].startswith("there is no"), path
    code, body = server.get("/v2/models/linear/infer")
    assert code == 405 and "this path takes POST, not GET" in json.loads(body)["error"]
    connection.request("HEAD", "/v2/health/live")
    response = connection.getresponse()
    assert response.status == 200 and response.read() == b"" and response.headers["Content-Length"] == "14"


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "json"])
@pytest.mark.parametrize("name", TYPES)
def test_every_type(connection, name, binary):
    dtype = np.dtype(TYPES[name])
    if dtype.kind == "b":
        x, s = np.array([True, False, True]), np.array(True)
    elif dtype.kind == "f":
        x, s = np.array([0.1, -1.5, 1e4], dtype), np.array(1 / 3, dtype)
    else:
        info = np.iinfo(dtype)
        x, s = np.array([info.min, info.max, 7], dtype), np.array(info.max, dtype)
    for binary_output in (True, False):
        results = serving.infer(connection, f"of_{name}", {"input0": x, "input1": s}, binary=binary,
                                binary_output=binary_output)
        assert results["output0"].tobytes() == x.tobytes() and results["output1"].tobytes() == s.tobytes()
        assert results["output1"].shape == ()


def test_forms_of_requests(connection):
    x = np.arange(12, dtype=np.int8).reshape(3, 4)
    want = linear_of(x)
    flat = {"inputs": [{"name": "input0", "shape": [3, 4], "datatype": "INT8", "data": x.ravel().tolist()}], "id": "a7"}
    code, headers, body = serving.post(connection, "linear", json.dumps(flat).encode())
    answer = json.loads(body)
    assert code == 200 and answer["id"] == "a7" and answer["model_name"] == "linear" and answer["model_version"] == "1"
    assert (serving.arrays_of(headers, body)["output0"] == want).all()
    # The same request again, and with a result that is chosen.
    for wanted in ({"name": "output0"}, {"name": "output0", "parameters": {"binary_data": True}}):
        for _ in range(2):
            results = serving.infer(connection, "linear", {"input0": x}, outputs=[wanted], binary_output=False)
            assert (results["output0"] == want).all()
    assert serving.infer(connection, "linear", {"input0": x[:0]})["output0"].shape == (0, 2)
    # More rows than a batch.
    x = np.ones((1000, 4), np.int8)
    assert (serving.infer(connection, "linear", {"input0": x})["output0"] == linear_of(x)).all()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (serving.infer(connection, "two", {"input0": x})["output0"] == x * x).all()
    assert (serving.infer(connection, "mixed", {"input0": x})["output0"] == x.sum(0)).all()


def test_not_finite(connection):
    x = np.array([[np.nan, np.inf, 1]], np.float32)
    assert serving.infer(connection, "rows", {"input0": x})["output0"].tobytes() == (x + x).tobytes()
    body, length = serving.request_of({"input0": x}, binary_output=False)
    code, _, answer = serving.post(connection, "rows", body, length)
    assert code == 400 and "ask for it as binary data" in json.loads(answer)["error"]


def test_how_models_run_is_logged(server):
    log = "".join(server.log)
    assert re.search(r"model 'linear': layer\(.*requests run in batches of up to 32 rows", log)
    assert re.search(r"model 'double': .*requests run one by one: 'input0' has no dynamic leading dimension", log)
    assert re.search(r"model 'mixed': .*requests run one by one: the rows of 'output0' depend on the other rows", log)


GOOD = {"name": "input0", "shape": [1, 4], "datatype": "INT8", "data": [1, 2, 3, 4]}
BINARY = {"name": "input0", "shape": [1, 4], "datatype": "INT8", "parameters": {"binary_data_size": 4}}


def of_input(**changes):
    entry = {**GOOD, **changes}
    return {"inputs": [{key: value for key, value in entry.items() if value is not None}]}


@pytest.mark.parametrize("request_, message", [
    ([], "must be an object"),
    ({}, "'inputs' of the request is missing"),
    ({"inputs": {}}, "must be a list"),
    ({"inputs": []}, "input 'input0' is missing; send INT8 [?, 4]"),
    ({"inputs": [3]}, "each of 'inputs' must be an object"),
    ({"inputs": [GOOD, GOOD]}, "is there twice"),
    ({"inputs": [GOOD], "id": 3}, "'id' of the request is of another type"),
    ({"inputs": [GOOD], "parameters": 1}, "must be an object"),
    ({"inputs": [GOOD], "outputs": [{"name": "nope"}]}, "the model has no output 'nope'; it has output0"),
    ({"inputs": [GOOD], "outputs": [{"name": "output0"}] * 2}, "is there twice"),
    ({"inputs": [GOOD], "outputs": [{"name": "output0", "parameters": {"classification": 3}}]}, "does not classify"),
    ({"inputs": [GOOD], "parameters": {"classification": 3}}, "does not classify"),
    ({"inputs": [GOOD], "parameters": {"timeout": -1}}, "must be positive"),
    ({"inputs": [GOOD], "parameters": {"timeout": "1"}}, "must be an integer"),
    ({"inputs": [GOOD], "parameters": {"binary_data_output": 1}}, "must be true or false"),
    ({"inputs": [GOOD], "parameters": {"sequence_id": 4}}, "no sequences"),
    (of_input(name="y"), "the model has no input 'y'; it has input0"),
    (of_input(name=None), "'name' of one of 'inputs' is missing"),
    (of_input(datatype="FP32"), "input 'input0' is FP32, but the model takes INT8"),
    (of_input(datatype="BYTES"), "is BYTES, but the model takes INT8"),
    (of_input(shape=[4]), "has 1 dimensions, but the model takes 2"),
    (of_input(shape=[1, 5]), "dimension 1 of input 'input0' is 5, but the model takes 4"),
    (of_input(shape=[-1, 4]), "it must be from 0 to"),
    (of_input(shape=[1 << 70, 4]), "it must be from 0 to"),
    (of_input(shape=[True, 4]), "must be a list of integers"),
    (of_input(shape=["1", 4]), "must be a list of integers"),
    (of_input(shape=[2, 4]), "has 4 numbers, but its shape [2, 4] has 8"),
    (of_input(data=None), "'data' of input 'input0' is missing"),
    (of_input(data=[1, 2, 3, 128]), "a number that INT8 does not hold"),
    (of_input(data=[1, 2, 3, 10**30]), "a number that INT8 does not hold"),
    (of_input(data=[1, 2, 3, 1.0]), "must have integers alone"),
    (of_input(data=[1, 2, 3, True]), "must have integers alone"),
    (of_input(data=[1, 2, 3, None]), "must have integers alone"),
    (of_input(data=[1, 2, 3, "4"]), "must have integers alone"),
    (of_input(data=[[1, 2], [3, 4]]), "is not nested like its shape [1, 4]"),
    (of_input(data=[[1, 2, 3], 4]), "is not nested like its shape"),
    (of_input(data=[[[1], [2], [3], [4]]]), "must have integers alone"),
    (of_input(parameters={"shared_memory_region": "r"}), "no shared memory"),
    (of_input(parameters={"binary_data_size": 4}), "send one of them"),
    ({"inputs": [BINARY]}, "send 4 bytes more"),
    ({"inputs": [{**BINARY, "parameters": {"binary_data_size": 5}}]}, "has 5 bytes, but its shape [1, 4] has 4"),
    ({"inputs": [{**BINARY, "parameters": {"binary_data_size": -4}}]}, "has -4 bytes"),
])
def test_wrong_requests(connection, request_, message):
    code, _, body = serving.post(connection, "linear", json.dumps(request_).encode())
    assert code == 400 and message in json.loads(body)["error"], body
    # The connection goes on.
    assert (serving.infer(connection, "linear", {"input0": np.ones((1, 4), np.int8)})["output0"] ==
            linear_of(np.ones((1, 4), np.int8))).all()


@pytest.mark.parametrize("body, header, code, message", [
    (b"", None, 400, "is not JSON"),
    (b"{", None, 400, "is not JSON"),
    (b"\xff\xfe", None, 400, "is not JSON"),
    (b'{"inputs": [NaN]}', None, 400, "is not JSON"),
    (b"[" * 200000, None, 400, "nested too deeply"),
    (b'{"inputs": []}', "99", 400, "but the body has 14 bytes"),
    (b'{"inputs": []}', "-1", 400, "must be a number of bytes"),
    (b'{"inputs": []}', "x", 400, "must be a number of bytes"),
    (json.dumps({"inputs": [BINARY]}).encode() + b"1234567", len(json.dumps({"inputs": [BINARY]})), 400,
     "3 bytes of the body belong to no input"),
    (b" " * (1 << 20) + b"{}", None, 413, "send tensors as binary data"),
    (b" " * (2 << 20) + b"{}", None, 413, "at most 2097152 are allowed"),
])
def test_wrong_bodies(server, body, header, code, message):
    connection = server.connect()
    got, _, answer = serving.post(connection, "linear", body, header)
    assert got == code and message in json.loads(answer)["error"]
    connection.close()


def test_results_have_a_limit(connection):
    x = np.zeros((100000, 3), np.float32)
    body, length = serving.request_of({"input0": x})
    assert serving.post(connection, "rows", body, length)[0] == 200
    body, length = serving.request_of({"input0": np.zeros((500000, 4), np.int8)})
    code, _, answer = serving.post(connection, "linear", body[:length] + body[length:], length)
    assert code == 200  # 4,000,000 bytes of 4,194,304
    code, _, answer = serving.post(connection, "linear", b'{"inputs": [{"name": "input0", "shape": [1000000, 4], '
                                   b'"datatype": "INT8", "parameters": {"binary_data_size": 4000000}}]}')
    assert code == 400  # the body is too short
    connection.request("POST", "/v2/models/linear/infer", b"{}", {"Content-Encoding": "gzip"})
    response = connection.getresponse()
    assert response.status == 415 and b"does not decompress" in response.read()


def test_json_of_results_has_a_limit(connection):
    for rows, wanted in ((50000, 200), (200000, 413), (400000, 413)):  # the last one is refused before it is formatted
        body, length = serving.request_of({"input0": np.ones((rows, 4), np.int8)}, binary_output=False)
        code, _, answer = serving.post(connection, "linear", body, length)
        assert code == wanted and (code == 200 or b"1048576 bytes of JSON" in answer)


def exchange(server, data, timeout=5):
    """What the server sends for bytes, until it closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        received = b""
        while True:
            try:
                block = client.recv(1 << 16)
            except ConnectionResetError:
                return received
            if not block:
                return received
            received += block


def test_mutants(server):
    """Whatever arrives gets a response or the end of its connection, and never a failure of the server."""
    rng = random.Random(20)
    body, length = serving.request_of({"input0": np.ones((1, 4), np.int8)})
    text = json.dumps({"inputs": [GOOD]}).encode()
    head = f"POST /v2/models/linear/infer HTTP/1.1\r\nHost: a\r\nInference-Header-Content-Length: {length}\r\n"
    pieces = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"\0", b"\xff", b"-1", b"1e999", b"null", b"true", b"\\ud800",
              b"9" * 30, b"input0", b"shape", b"\r\n", b"NaN"]
    codes = {}

    def mutate(data):
        data = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(data) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                data[start:start + rng.randint(1, 8)] = b""
            elif kind == 1:
                data[start:start] = rng.choice(pieces)
            elif kind == 2 and start < len(data):
                data[start] = rng.randrange(256)
            else:
                data[start:start] = data[rng.randrange(len(data) or 1):][:rng.randint(1, 20)]
        return bytes(data)

    connection = server.connect()
    for _ in range(1500):
        mutant, header = (mutate(body), length) if rng.random() < 0.5 else (mutate(text), None)
        code, headers, answer = serving.post(connection, "linear", mutant, header)
        codes[code] = codes.get(code, 0) + 1
        assert code == 200 or json.loads(answer)["error"], mutant
    connection.close()
    assert set(codes) <= {200, 400} and codes[400] > 500, codes
    for _ in range(300):
        answer = exchange(server, mutate(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body))
        assert not answer or re.match(rb"HTTP/1.1 (100|200|4\d\d) ", answer), answer
    metrics = server.metrics()
    assert not [name for name in metrics if 'code="500"' in name]
    assert metrics["qcc_body_bytes"] == 0 and metrics["qcc_connections"] <= 3


def test_slow_and_broken_clients(server):
    start = time.monotonic()
    for part in (b"", b"GET /v2", b"POST /v2/models/linear/infer HTTP/1.1\r\nContent-Length: 10\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", server.port), 10) as client:
            if not part:
                continue
            client.sendall(part)
            answer = client.recv(1 << 16)
            assert answer.startswith(b"HTTP/1.1 408 ") and b"did not arrive within 1 seconds" in answer
            assert client.recv(1) == b""
    assert time.monotonic() - start < 8
    long = exchange(server, b"GET /v2 HTTP/1.1\r\nX: " + b"y" * 100000)
    assert long.startswith(b"HTTP/1.1 431 ")
    upgrade = b"GET /v2 HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
    assert exchange(server, upgrade).count(b"HTTP/1.1 ") == 1
    chunked = b"POST /v2/models/linear/infer HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    text = json.dumps({"inputs": [GOOD]}).encode()
    parts = b"".join(b"%x\r\n%s\r\n" % (len(text[i:i + 9]), text[i:i + 9]) for i in range(0, len(text), 9))
    assert exchange(server, chunked + parts + b"0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert exchange(server, chunked + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 40).startswith(b"HTTP/1.1 413 ")
    for trailer in (b"x: " + b"y" * 300000, b"x: y\r\n" * 50000):
        assert exchange(server, chunked + b"2\r\n{}\r\n0\r\n" + trailer).startswith(b"HTTP/1.1 431 ")
    assert exchange(server, chunked + parts + b"0\r\nInference-Header-Content-Length: 1\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    # Several requests at once are answered in their order.
    many = b"".join(b"POST /v2/models/linear/infer HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body) for body in (
        json.dumps({"inputs": [GOOD], "id": str(i)}).encode() for i in range(40)))
    assert re.findall(rb'"id": "(\d+)"', exchange(server, many)) == [str(i).encode() for i in range(40)]


@pytest.mark.parametrize("without", [None, "uvloop"])
def test_limits_of_connections_and_memory(folder, without):
    with serving.Server(f"slow={folder / 'slow.so'}", f"linear={folder / 'linear.so'}", "--max-connections=2",
                        "--idle-timeout=0.3", "--max-held-mb=1", without=without) as server:
        first = server.connect()
        x = np.ones((2, 4), np.int8)
        assert (serving.infer(first, "linear", {"input0": x})["output0"] == linear_of(x)).all()
        start = time.monotonic()
        assert first.sock.recv(1) == b"" and time.monotonic() - start < 5  # idle
        first.close()
        body, length = serving.request_of(slow_input(120), parameters={"timeout": 2000000})
        clients = [server.connect(), server.connect()]
        for client in clients:
            client.request("POST", "/v2/models/slow/infer", body, {"Inference-Header-Content-Length": str(length)})
        third = server.connect()
        third.request("GET", "/v2/health/live")
        response = third.getresponse()
        assert response.status == 503 and b"2 connections are open, which is the most allowed" in response.read()
        third.close()
        codes = {client.getresponse().status for client in clients}
        assert 200 in codes and codes <= {200, 429}
        for client in clients:
            client.close()
        assert server.stop() == 0
        assert ("uvloop is not installed" in "".join(server.log)) == (without is not None)


def test_a_client_that_does_not_read(server):
    """Its responses do not fill the memory, and its connection ends."""
    before = server.metrics()["qcc_resident_bytes"]
    with socket.create_connection(("127.0.0.1", server.port), 20) as client:
        client.settimeout(0.3)
        data, start = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" * 20000, time.monotonic()
        with pytest.raises(OSError):
            while True:
                client.sendall(data)
        assert server.metrics()["qcc_resident_bytes"] - before < 100 << 20
        client.settimeout(20)
        received = 0
        try:
            while True:
                block = client.recv(1 << 20)
                received += len(block)
                if not block:
                    break
        except ConnectionResetError:
            pass
        assert 0 < received < 100 << 20 and time.monotonic() - start < 20
    assert server.get("/v2/health/live")[0] == 200


def test_bits_under_concurrency(server):
    """Requests that run together have the bits of single runs."""
    function = qcc.compile(LINEAR).function(threads=1)
    before = server.metrics()
    wrong = []

    def client(seed):
        rng, connection = np.random.default_rng(seed), server.connect()
        for _ in range(40):
            x = rng.integers(-128, 128, (rng.integers(1, 6), 4)).astype(np.int8)
            y = serving.infer(connection, "linear", {"input0": x})["output0"]
            if y.tobytes() != function(x).tobytes():
                wrong.append(x)
        connection.close()

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    after = server.metrics()
    answered = 'qcc_requests_total{model="linear",code="200"}'
    batches = 'qcc_batch_rows_count{model="linear"}'
    assert after[answered] - before[answered] == 480
    assert after[batches] - before[batches] < 400


def slow_input(rows):
    return {"input0": np.ones((rows, 2048), np.float32)}


def test_deadline(server, connection):
    body, length = serving.request_of(slow_input(200), parameters={"timeout": 3000})
    start = time.monotonic()
    code, _, answer = serving.post(connection, "slow", body, length)
    assert code == 504 and "the time of the request passed" in json.loads(answer)["error"]
    assert time.monotonic() - start < 5
    assert (serving.infer(connection, "slow", slow_input(2))["output0"] == 2048).all()


def test_a_client_that_goes_cancels_its_run(server):
    for _ in range(3):
        client = server.connect()
        body, length = serving.request_of(slow_input(200))
        client.request("POST", "/v2/models/slow/infer", body, {"Inference-Header-Content-Length": str(length)})
        time.sleep(0.02)
        client.close()
    connection = server.connect()
    assert (serving.infer(connection, "slow", slow_input(1))["output0"] == 2048).all()
    connection.close()
    assert server.metrics()['qcc_waiting_requests{model="slow"}'] == 0


def test_overload_and_drain(folder):
    """A full queue is 429; what was taken is answered after SIGTERM."""
    with serving.Server(f"slow={folder / 'slow.so'}", "--max-queue=2", "--max-batch=1", "--drain-delay=0.3") as server:
        answers = []

        def client():
            connection = server.connect()
            body, length = serving.request_of(slow_input(100))
            code, headers, answer = serving.post(connection, "slow", body, length)
            answers.append((code, headers, answer))
            connection.close()

        threads = [threading.Thread(target=client) for _ in range(12)]
        for thread in threads:
            thread.start()
        while not any(code == 429 for code, *_ in answers):
            time.sleep(0.005)
        server.process.terminate()
        time.sleep(0.15)
        assert server.get("/v2/health/ready")[0] == 503
        for thread in threads:
            thread.join()
        assert server.stop() == 0
        with pytest.raises(OSError):
            server.get("/v2/health/live")
    assert len(answers) == 12 and {code for code, *_ in answers} == {200, 429}
    for code, headers, answer in answers:
        if code == 429:
            assert int(headers["Retry-After"]) >= 1 and "requests wait" in json.loads(answer)["error"]
        else:
            assert (serving.arrays_of(headers, answer)["output0"] == 2048).all()


@pytest.mark.parametrize("processes", [1, 2])
def test_reload_under_load(folder, tmp_path, processes):
    """Every answer is of one artifact or the other, and none is lost."""
    other = LINEAR.replace("1, -2, 3, -4", "4, 3, 2, 1")
    path, new, bad = tmp_path / "m.so", tmp_path / "new.so", tmp_path / "bad.so"
    path.write_bytes((folder / "linear.so").read_bytes())
    qcc.compile(other).save(new)
    bad.write_bytes(path.read_bytes()[:1000])
    x = np.array([[1, 2, 3, 4]], np.int8)
    wanted = [linear_of(x).tobytes(), qcc.load(new).function()(x).tobytes()]
    assert wanted[0] != wanted[1]
    seen, stop = [], threading.Event()

    def client(server):
        connection = server.connect()
        while not stop.is_set():
            seen.append(wanted.index(serving.infer(connection, "m", {"input0": x})["output0"].tobytes()))
        connection.close()

    def wait(condition):
        end = time.monotonic() + 15
        while not condition():
            assert time.monotonic() < end, "".join(server.log)
            time.sleep(0.02)

    with serving.Server(f"m={path}", "--reload-seconds=0.05", f"--processes={processes}") as server:
        threads = [threading.Thread(target=client, args=(server,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            wait(lambda: len(seen) > 20)
            os.replace(bad, path)
            wait(lambda: "is served further" in "".join(server.log))
            os.replace(new, path)
            wait(lambda: len(seen) > 100 and set(seen[-50:]) == {1})
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert set(seen) == {0, 1}
        time.sleep(0.4)
        metrics = server.metrics()
        assert metrics['qcc_requests_total{model="m",code="200"}'] == len(seen)
        assert metrics['qcc_reloads_total{model="m",result="replaced"}'] == processes
        if processes == 2:
            kill_one(server)
        assert server.stop() == 0


def kill_one(server):
    """A process that ends is started again, and counters go on."""
    with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children") as file:
        children = file.read().split()
    assert len(children) == 2
    for child in children:  # Only the first process keeps snapshots.
        links = [os.readlink(f"/proc/{child}/fd/{name}") for name in os.listdir(f"/proc/{child}/fd")]
        assert not [link for link in links if "qcc-artifact" in link]
    maps = [open(f"/proc/{child}/maps").read() for child in children]
    shared = [set(re.findall(r"00:\d+ (\d+) +/memfd:qcc-artifact", text)) for text in maps]
    assert shared[0] == shared[1] and len(shared[0]) == 1, shared  # the same pages, and none of the artifact before
    before = server.metrics()['qcc_requests_total{model="m",code="200"}']
    os.kill(int(children[0]), 9)
    end = time.monotonic() + 15
    while "another one is started" not in "".join(server.log):
        assert time.monotonic() < end
        time.sleep(0.02)
    connection = server.connect()
    serving.infer(connection, "m", {"input0": np.ones((1, 4), np.int8)})
    connection.close()
    time.sleep(0.4)
    metrics = server.metrics()
    assert metrics['qcc_requests_total{model="m",code="200"}'] == before + 1
    assert metrics["qcc_worker_starts_total"] == 1


def test_metrics(server, connection):
    serving.infer(connection, "rows", {"input0": np.ones((2, 3), np.float32)})
    code, text = server.get("/metrics")
    assert code == 200
    for line in text.decode().splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [-+.\de]+', line), line
    assert server.metrics()['qcc_rows_total{model="rows"}'] >= 2


def test_tritonclient(server):
    http = pytest.importorskip("tritonclient.http")
    x = np.arange(8, dtype=np.int8).reshape(2, 4)
    client = http.InferenceServerClient(f"127.0.0.1:{server.port}")
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("linear")
    assert client.get_model_metadata("linear")["name"] == "linear"
    for binary in (True, False):
        tensor = http.InferInput("input0", [2, 4], "INT8")
        tensor.set_data_from_numpy(x, binary_data=binary)
        wanted = http.InferRequestedOutput("output0", binary_data=binary)
        for outputs in (None, [wanted]):
            result = client.infer("linear", [tensor], outputs=outputs, request_id="7")
            assert (result.as_numpy("output0") == linear_of(x)).all() and result.get_response()["id"] == "7"
    with pytest.raises(Exception, match="there is no model 'none'"):
        client.infer("none", [tensor])
    client.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_grpc(folder):
    pytest.importorskip("grpc")
    client = pytest.importorskip("tritonclient.grpc")
    port = free_port()
    types = [f"of_{name}" for name in TYPES]
    with serving.Server(*(f"{name}={folder / name}.so" for name in ["linear", "slow", *types]),
                        f"--grpc-port={port}") as server:
        with client.InferenceServerClient(f"127.0.0.1:{port}") as triton:
            assert triton.is_server_live() and triton.is_server_ready() and triton.is_model_ready("linear")
            assert triton.get_server_metadata().name == "qcc"
            assert list(triton.get_model_metadata("linear").inputs[0].shape) == [-1, 4]
            for name in TYPES:
                x, s = np.array([1, 0, 1], TYPES[name]), np.array(1, TYPES[name])
                tensors = []
                for input_name, array in (("input0", x), ("input1", s)):
                    tensors.append(client.InferInput(input_name, list(array.shape), serving.DATATYPES[TYPES[name]]))
                    tensors[-1].set_data_from_numpy(array)
                result = triton.infer(f"of_{name}", tensors)
                assert result.as_numpy("output0").tobytes() == x.tobytes()
                assert result.as_numpy("output1").tobytes() == s.tobytes()
            slow = client.InferInput("input0", [200, 2048], "FP32")
            slow.set_data_from_numpy(slow_input(200)["input0"])
            for options in ({"timeout": 3000}, {"client_timeout": 0.01}):
                with pytest.raises(client.InferenceServerException, match="(?i)deadline|time of the request"):
                    triton.infer("slow", [slow], **options)
            tensor = client.InferInput("input0", [1, 3], "INT8")
            tensor.set_data_from_numpy(np.ones((1, 3), np.int8))
            with pytest.raises(client.InferenceServerException, match="but the model takes 4"):
                triton.infer("linear", [tensor])
            with pytest.raises(client.InferenceServerException, match="there is no model 'none'"):
                triton.infer("none", [tensor])
        assert server.stop() == 0


def test_typed_contents(folder):
    """Values in the messages themselves, which not every client sends."""
    grpc = pytest.importorskip("grpc")
    from qcc.serve._grpc_messages import SERVICE, messages

    types, port = messages(), free_port()
    fields = {"bool": "bool_contents", "int64": "int64_contents", "float32": "fp32_contents", "float64": "fp64_contents",
              "uint8": "uint_contents", "int8": "int_contents", "int16": "int_contents", "int32": "int_contents"}
    names = {value: key for key, value in TYPES.items()}
    with serving.Server(*(f"{dtype}={folder / f'of_{names[dtype]}.so'}" for dtype in [*fields, "float16"]),
                        f"--grpc-port={port}", "--processes=2") as server:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            infer = channel.unary_unary(f"/{SERVICE}/ModelInfer", types["ModelInferRequest"].SerializeToString,
                                        types["ModelInferResponse"].FromString)

            def request(dtype, field, values):
                request = types["ModelInferRequest"](model_name=dtype, id="7")
                for name, shape, part in (("input0", [3], values), ("input1", [], values[:1])):
                    tensor = request.inputs.add(name=name, datatype=serving.DATATYPES[dtype], shape=shape)
                    getattr(tensor.contents, field).extend(part)
                return request

            for dtype, field in fields.items():
                answer = infer(request(dtype, field, [1, 0, 1]))
                assert answer.id == "7" and answer.outputs[0].datatype == serving.DATATYPES[dtype]
                assert answer.raw_output_contents[0] == np.array([1, 0, 1], dtype).tobytes()
            for dtype, field, values, message in (
                    ("int8", "int_contents", [1, 2, 128], "a value that INT8 does not hold"),
                    ("int8", "int_contents", [1, 2], "has 2 values in int_contents"),
                    ("int8", "fp32_contents", [1, 2, 3], "has 0 values in int_contents"),
                    ("float16", "fp32_contents", [1, 2, 3], "send it in raw_input_contents")):
                with pytest.raises(grpc.RpcError) as caught:
                    infer(request(dtype, field, values))
                assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT and message in caught.value.details()
            for name, value, message in (
                    ("sequence_id", {"int64_param": 4}, "no sequences"), ("sequence_x", {"bool_param": True}, "no sequences"),
                    ("classification", {"int64_param": 3}, "does not classify"), ("classification", {"int64_param": 0}, ""),
                    ("sequence_id", {"string_param": ""}, ""), ("sequence_id", {}, ""),
                    ("shared_memory_region", {"string_param": "r"}, "no shared memory"),
                    ("timeout", {"string_param": "1"}, "must be an integer"), ("timeout", {"int64_param": -1}, "positive"),
                    ("timeout", {"int64_param": 5000000}, "")):
                one = request("int8", "int_contents", [1, 0, 1])
                one.parameters[name].CopyFrom(types["InferParameter"](**value))
                if not message:
                    infer(one)
                    continue
                with pytest.raises(grpc.RpcError) as caught:
                    infer(one)
                assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT and message in caught.value.details()
        assert server.stop() == 0


def test_calls_of_grpc_have_a_limit(folder):
    grpc = pytest.importorskip("grpc")
    from qcc.serve._grpc_messages import SERVICE, messages

    types, port = messages(), free_port()
    with serving.Server(f"slow={folder / 'slow.so'}", f"--grpc-port={port}", "--max-connections=2", "--max-batch=1") as server:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            infer = channel.unary_unary(f"/{SERVICE}/ModelInfer", types["ModelInferRequest"].SerializeToString,
                                        types["ModelInferResponse"].FromString)
            request = types["ModelInferRequest"](model_name="slow")
            request.inputs.add(name="input0", datatype="FP32", shape=[200, 2048])
            request.raw_input_contents.append(slow_input(200)["input0"].tobytes())
            codes = [call.code() for call in [infer.future(request) for _ in range(8)]]
        assert set(codes) == {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert server.stop() == 0


def test_abandoned_after_a_reload(folder):
    """The run of the artifact before is cancelled."""
    from qcc.serve._metrics import Metrics
    from qcc.serve._models import BatchOptions, Loaded, Model, Place, Source
    from qcc.serve._protocol import Limits
    from qcc.serve._routes import Call, Service

    async def main():
        source, options = Source("slow", str(folder / "slow.so"), None), BatchOptions()

        def load():
            return Loaded(source, Place(source.path), options)

        model = Model(source, load(), options, Limits(), Metrics())
        service, answers = Service({"slow": model}, Limits(), Metrics()), []
        body, length = serving.request_of(slow_input(300))
        call, old, new = Call(model, body, length, answers.append), model.batcher, load()
        service._infer(call)
        await asyncio.sleep(0)
        model.replace(new)
        call.abandon()
        assert old._running.alive == 0  # so the run is cancelled
        assert [answer.code for answer in answers] == [499]
        await model.close()
        assert old._running is None

    asyncio.run(main())


def test_a_descriptor_that_is_another_snapshot(folder):
    from qcc.serve._models import BatchOptions, Loaded, Source, Watcher

    one, other = (Source("m", str(folder / name), None) for name in ("linear.so", "double.so"))
    watcher, options = Watcher([one], True), BatchOptions(shared=True)
    place = watcher.place(one)
    assert "layer" in str(Loaded(one, place, options).function)
    watcher.close()
    for is_reused in (False, True):
        with pytest.raises(qcc.NotFoundError, match="model 'm' of '.*': its snapshot was replaced before it was loaded"):
            Loaded(one, place, options)
        if not is_reused:
            reused = Watcher([other], True)
            assert reused.place(other).path == place.path
    reused.close()


# Command lines.


@pytest.mark.parametrize("arguments, code, message", [
    ([], 2, "required: NAME=FILE"),
    (["model.so"], 2, "'model.so' must be NAME=FILE, such as classifier=model.so"),
    (["a b={double}"], 2, "a name has letters, digits"),
    (["m={double}", "m={rows}"], 2, "'m' names 2 models; give each a name of its own"),
    (["m=none.so"], 3, "model 'm' of 'none.so': there is no such file; give the artifact"),
    (["m={two}"], 3, "it has the functions double, second; name one, such as {two}:double"),
    (["m={two}:third"], 3, "'third'"),
    (["m={text}"], 3, "model 'm' of '{text}': "),
    (["m={double}", "--port=70000"], 2, "'70000' must be a whole number from 0 to 65535"),
    (["m={double}", "--max-batch=0"], 2, "must be a whole number from 1"),
    (["m={double}", "--max-wait-ms=x"], 2, "must be a number from 0"),
    (["m={double}", "--port={port}"], 4, "cannot be listened at: Address already in use; choose another --host or --port"),
    (["m={double}", "--port={port}", "--processes=2"], 4, "Address already in use"),
    (["m={double}", "--port=0", "--grpc-port={port}"], 4, "Address already in use; choose another --host or --grpc-port"),
    (["m={double}", "--host=192.0.2.1"], 4, "cannot be listened at"),
    (["m={double}", "--device=cuda:77", "--port=0"], (3, 4), "model 'm' of"),
])
def test_bad_command_lines(folder, server, tmp_path, arguments, code, message):
    text = tmp_path / "model.txt"
    text.write_text("no artifact")
    names = {"double": folder / "double.so", "rows": folder / "rows.so", "two": folder / "two.so", "text": text,
             "port": server.port}
    done = serving.run(*(argument.format(**names) for argument in arguments))
    assert done.returncode in (code if isinstance(code, tuple) else (code,)), done.stderr
    assert message.format(**names) in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr


def test_messages_have_the_model_names_of_dimensions():
    from qcc.serve import _signature

    text = DOUBLE_ROWS.replace("%x: tensor<?x3xf32>)", '%x: tensor<?x3xf32> {qcc.dim_names = ["batch", ""]})')
    signature = _signature.Signature(qcc.compile(text).function())
    with pytest.raises(qcc.InvalidArgumentError, match=r"send the shape \[batch, 3\]$"):
        signature.check_shape(0, [2, 5], {}, 100)
    assert signature.inputs[0].sizes == [-1, 3]


@pytest.mark.parametrize("missing, message", [("httptools", "pip install httptools uvloop"),
                                              ("grpc", "--grpc-port needs libraries that are not installed")])
def test_missing_libraries(folder, missing, message):
    text = f"""
import importlib.util, sys
sys.modules["{missing}"] = None
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "{missing}" else found(name, *rest)
from qcc.__main__ import main
sys.exit(main(["serve", "m={folder / 'double.so'}", "--grpc-port=1"]))
"""
    done = subprocess.run([sys.executable, "-c", text], env=serving.environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and message in done.stderr, done.stderr


def test_load_and_soak(folder):
    """utils/serve-load.py, for some seconds."""
    script = program.ROOT / "utils" / "serve-load.py"
    build = program.build_dir().resolve()
    done = subprocess.run([sys.executable, script, f"--build={build}", "--seconds=1", "--soak=2", "--mutants=200"],
                          env=serving.environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"rate +\d+ requests/s", done.stdout) and "0 wrong, 0 lost" in done.stdout, done.stdout
