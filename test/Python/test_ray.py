"""qcc.ray: replicas of Ray Serve and jobs of Ray Data, on a cluster of two nodes in processes of this machine.

utils/install-oracles.sh ray installs Ray on demand.
"""

import asyncio
import contextlib
import glob
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import serving
from package import DOUBLE, DOUBLE_ROWS, LINEAR, linear_of, qcc
from serving import MIXED, SLOW

with contextlib.suppress(ModuleNotFoundError):  # The fixture `ray` skips tests without it.
    import qcc.ray

NO_RAY = "the package ray is not installed; utils/install-oracles.sh ray installs it"
X = np.arange(8, dtype=np.int8).reshape(2, 4)


@pytest.fixture(scope="module")
def ray():
    return pytest.importorskip("ray", reason=NO_RAY)


@pytest.fixture(scope="module")
def cluster(ray):
    """Two nodes, and Ray Serve at a free port."""
    cluster_utils = pytest.importorskip("ray.cluster_utils", reason=NO_RAY)
    serve = pytest.importorskip("ray.serve", reason="Ray Serve is not installed: pip install 'ray[serve]'")
    # Ray starts processes of replicas with a niceness of 15 otherwise, so that they starve beside other work.
    os.environ.update(serving.environment(), RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    node = {"num_cpus": 8, "object_store_memory": 150 << 20}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        cluster.port = probe.getsockname()[1]
    serve.start(http_options={"host": "127.0.0.1", "port": cluster.port})
    cluster.node = node
    yield cluster
    serve.shutdown()
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def deploy(cluster, tmp_path):
    """Deploys a program, and removes it at the end."""
    from ray import serve

    def start(text, application="app", file="program.so", **options):
        if isinstance(text, str):
            path = tmp_path / file
            qcc.compile(text).save(path)
            text = qcc.ray.Artifact(path, cache=str(tmp_path / "cache"))
        return qcc.ray.Deployment(text, **options).run(application, route_prefix="/" + application)

    yield start
    for application in serve.status().applications:
        serve.delete(application)


def replicas(ray):
    """The actors of models, by their names."""
    names = [entry["name"] for entry in ray.util.list_named_actors(all_namespaces=True) if entry["namespace"] == "serve"]
    return {name: ray.get_actor(name, namespace="serve") for name in names
            if name.startswith("SERVE_REPLICA::") and "-artifact#" not in name}


def post(port, path, arrays, **options):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        body, length = serving.request_of(arrays, **options)
        connection.request("POST", path, body, {"Inference-Header-Content-Length": str(length)})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_ray_is_missing():
    text = """
import sys
sys.modules["ray"] = None
try:
    import qcc.ray
except ModuleNotFoundError as error:
    print(error.name, error)
"""
    done = subprocess.run([sys.executable, "-c", text], env=serving.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ray qcc.ray needs the package ray (") and "pip install 'qcc-runtime[ray]'" in done.stdout


def test_calls_and_errors(deploy):
    infer = deploy(LINEAR, name="linear", num_replicas=2, max_replicas_per_node=1)
    assert infer(X).tobytes() == linear_of(X).tobytes()
    for arguments, message in (((X.astype(np.int32),), "input 'input0' is int32, but the model takes a numpy array of int8"),
                               ((X[:, :3],), "dimension 1 of input 'input0' is 3, but the model takes 4"),
                               ((), "takes 1 arrays, but the call has 0")):
        with pytest.raises(qcc.InvalidArgumentError, match=message) as caught:
            infer(*arguments)
        assert type(caught.value) is qcc.InvalidArgumentError and "Traceback" not in str(caught.value)
    with pytest.raises(qcc.InvalidArgumentError, match="has no argument 'y'"):
        infer(y=X)
    with pytest.raises(qcc.InvalidArgumentError, match="timeout is 0, but it must be positive"):
        infer(X, timeout=0)

    async def many():
        parts = [np.full((rows, 4), rows, np.int8) for rows in range(1, 40)]
        results = await asyncio.gather(*(infer.run_async(part, timeout=60) for part in parts))
        for part, result in zip(parts, results):
            assert result.tobytes() == linear_of(part).tobytes()
        with pytest.raises(qcc.InvalidArgumentError, match="is int32"):
            await infer.run_async(X.astype(np.int32))

    asyncio.run(many())


def test_http(cluster, deploy):
    deploy(qcc.ray.Artifact(qcc.compile(DOUBLE_ROWS + LINEAR), function="layer"), name="linear", max_body=4096)
    path = "/app/v2/models/linear"
    for binary in (True, False):
        code, headers, body = post(cluster.port, path + "/infer", {"input0": X}, binary=binary)
        assert code == 200 and serving.arrays_of(headers, body)["output0"].tobytes() == linear_of(X).tobytes()
    code, _, body = post(cluster.port, path + "/infer", {"input0": X[:, :3]})
    assert code == 400 and "dimension 1 of input 'input0' is 3" in json.loads(body)["error"]
    code, _, body = post(cluster.port, path + "/infer", {"input0": np.zeros((2000, 4), np.int8)})
    assert code == 413 and "at most 4096 are allowed" in json.loads(body)["error"]
    connection = http.client.HTTPConnection("127.0.0.1", cluster.port, timeout=60)
    for method, where, headers, want, message in (
            ("GET", "/app/v2/health/ready", {}, 200, '{"ready": true}'), ("HEAD", "/app/v2/health/live", {}, 200, ""),
            ("GET", path, {}, 200, '"datatype": "INT8", "shape": [-1, 4]'),
            ("GET", path + "/infer", {}, 405, "this path takes POST, not GET"),
            ("GET", "/app/metrics", {}, 404, "Ray's metrics have its requests"),
            ("GET", "/app/v2/models/none", {}, 404, "there is no model 'none'; the models are linear"),
            ("POST", path + "/infer", {"Content-Encoding": "gzip"}, 415, "does not decompress"),
            ("POST", path + "/infer", {"Inference-Header-Content-Length": "-3"}, 400, "must be a number of bytes")):
        connection.request(method, where, b"" if method == "POST" else None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        assert (response.status, message in text) == (want, True), (method, where, response.status, text)
    connection.close()


def test_a_node_without_the_file_gets_it_once(ray, cluster, deploy, tmp_path):
    path, cache = tmp_path / "linear.so", tmp_path / "cache"
    qcc.compile(LINEAR).save(path)
    artifact = qcc.ray.Artifact(path, cache=str(cache))
    deployment = dict(name="linear", num_replicas=1)
    path.unlink()
    infer = deploy(artifact, **deployment)
    assert infer(X).tobytes() == linear_of(X).tobytes()
    (file,) = cache.iterdir()
    assert file.name == f"{artifact.digest}.so"
    # Another replica, after the program has given its bytes up: from the keeper.
    del artifact
    file.unlink()
    (before,) = replicas(ray).values()
    ray.kill(before)
    assert infer(X, timeout=120).tobytes() == linear_of(X).tobytes()
    assert file.exists()
    mapped = [maps for maps in glob.glob("/proc/[0-9]*/maps") if _has(maps, str(file))]
    assert mapped, "no process maps the file"


def _has(maps, name):
    try:
        with open(maps) as file:
            return name in file.read()
    except OSError:
        return False


def test_what_cannot_start(cluster, deploy, tmp_path):
    with pytest.raises(qcc.NotFoundError, match="no replica of 'none' could start: model 'none' of .*there is no such file"):
        qcc.ray.Deployment(str(tmp_path / "none.so"), share=False).run("none")
    for options, message in (({"nonsense": 3}, "Ray Serve refuses the options of 'p'.*nonsense"),
                             ({"num_replicas": -1}, "Ray Serve refuses the options of 'p'")):
        with pytest.raises(qcc.InvalidArgumentError, match=message):
            deploy(LINEAR, name="p", **options)


def test_deadline_and_full_queue(deploy):
    infer = deploy(SLOW, name="slow", max_batch=1, max_queue=1, max_ongoing_requests=1)
    x = np.ones((300, 2048), np.float32)
    assert (infer(x[:1]) == 2048).all()
    with pytest.raises(qcc.serve.DeadlineError, match="the time of the request passed"):
        infer(x, timeout=0.01)
    assert (infer(x[:1]) == 2048).all()

    async def many():
        return await asyncio.gather(*(infer.run_async(x) for _ in range(12)), return_exceptions=True)

    outcomes = asyncio.run(many())
    refused = [outcome for outcome in outcomes if isinstance(outcome, qcc.serve.QueueFullError)]
    assert refused and refused[0].retry_after >= 1 and "too many requests wait" in str(refused[0])
    answered = [outcome for outcome in outcomes if isinstance(outcome, np.ndarray)]
    assert answered and len(answered) + len(refused) == len(outcomes)
    assert all((outcome == 2048).all() for outcome in answered)


class Load:
    """Threads that call without a pause, and compare every bit of what they get."""

    def __init__(self, call, threads=6):
        self.call, self.stopping = call, threading.Event()
        self.right, self.wrong, self.failures = 0, 0, []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.work, args=(seed,)) for seed in range(threads)]
        for thread in self.threads:
            thread.start()

    def work(self, seed):
        rng = np.random.default_rng(seed)
        while not self.stopping.is_set():
            x = rng.integers(-128, 128, (int(rng.integers(1, 4)), 4)).astype(np.int8)
            try:
                result, error = self.call(x), None
            except Exception as failure:
                result, error = None, failure
            with self.lock:
                if error is not None:
                    self.failures.append(error)
                elif result.tobytes() == linear_of(x).tobytes():
                    self.right += 1
                else:
                    self.wrong += 1

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(180)
        assert not any(thread.is_alive() for thread in self.threads)

    def wait_for(self, count):
        """Until so many more requests were answered."""
        end, wanted = time.monotonic() + 120, self.right + count
        while self.right < wanted:
            assert time.monotonic() < end and not self.wrong, (self.right, self.wrong, self.failures)
            time.sleep(0.01)


def kill_replicas(ray, load, times):
    """Kills one replica after the other while requests run."""
    for _ in range(times):
        load.wait_for(50)
        ray.kill(next(iter(replicas(ray).values())))
        load.wait_for(50)


def test_replicas_are_killed_under_load(ray, deploy):
    infer = deploy(LINEAR, name="linear", num_replicas=2, max_replicas_per_node=1)
    load = Load(lambda x: infer(x, timeout=120))
    try:
        kill_replicas(ray, load, 3)
    finally:
        load.stop()
    assert load.wrong == 0 and load.failures == [], load.failures


def test_replicas_are_killed_under_load_of_http(ray, cluster, deploy):
    """Without retries, a client sees each failure; with them, no request is lost."""
    deploy(LINEAR, name="linear", num_replicas=2, max_replicas_per_node=1)
    codes = []

    def call(x):
        for _ in range(200):
            code, headers, body = post(cluster.port, "/app/v2/models/linear/infer", {"input0": x})
            if code == 200:
                return serving.arrays_of(headers, body)["output0"]
            codes.append(code)
            time.sleep(0.05)
        raise AssertionError(f"no answer: {code} {body}")

    load = Load(call)
    try:
        kill_replicas(ray, load, 3)
    finally:
        load.stop()
    assert load.wrong == 0 and load.failures == [], load.failures
    assert set(codes) <= {500, 503}, codes


def test_a_lost_replica_is_an_error_without_retries(ray, deploy):
    infer = deploy(SLOW, name="slow", max_batch=1, num_replicas=1)
    infer._retries = 0
    x, errors = np.ones((3000, 2048), np.float32), []

    def call():
        try:
            infer(x)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(1.0)
    ray.kill(next(iter(replicas(ray).values())))
    thread.join(60)
    assert [type(error) for error in errors] == [qcc.ray.ReplicaLostError], errors
    assert "send the request again" in str(errors[0])


def test_a_node_is_lost_under_load(ray, cluster, deploy):
    node = cluster.add_node(**cluster.node)
    infer = deploy(LINEAR, name="linear", num_replicas=3, max_replicas_per_node=1)
    load = Load(lambda x: infer(x, timeout=120))
    try:
        load.wait_for(100)
        cluster.remove_node(node, allow_graceful=False)
        load.wait_for(300)
    finally:
        load.stop()
    assert load.wrong == 0 and load.failures == [], load.failures


def test_requests_end_before_a_replica_stops(deploy):
    """Ray Serve drains replicas: requests that run when the application is deleted are answered."""
    from ray import serve

    infer = deploy(SLOW, name="slow", max_batch=1, num_replicas=1, graceful_shutdown_timeout_s=60)
    x, outcomes = np.ones((2000, 2048), np.float32), []
    threads = [threading.Thread(target=lambda: outcomes.append(infer(x))) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    serve.delete("app")
    for thread in threads:
        thread.join(60)
    assert len(outcomes) == 3 and all((outcome == 2048).all() for outcome in outcomes)


def test_replicas_scale(ray, deploy):
    """Requests that wait start replicas; the target of autoscaling is one batch."""
    infer = deploy(LINEAR, name="linear", max_batch=2,
                   autoscaling_config={"min_replicas": 1, "max_replicas": 2, "upscale_delay_s": 0.2,
                                       "look_back_period_s": 0.4})
    assert len(replicas(ray)) == 1
    load = Load(lambda x: infer(x, timeout=120), threads=16)
    try:
        end = time.monotonic() + 60
        while len(replicas(ray)) < 2 and time.monotonic() < end:
            time.sleep(0.1)
        assert len(replicas(ray)) == 2
    finally:
        load.stop()
    assert load.wrong == 0 and load.failures == [], load.failures


def test_deployments_of_others_call_it(cluster, deploy):
    """An application that is an argument of another one."""
    from ray import serve

    class Caller:
        def __init__(self, model):
            self.infer = qcc.ray.Handle(model)

        async def __call__(self, x):
            try:
                return await self.infer.run_async(x)
            except qcc.InvalidArgumentError as error:
                return str(error)

    model = qcc.ray.Deployment(qcc.compile(LINEAR), name="linear").bind()
    handle = serve.run(serve.deployment(Caller).bind(model), name="app", route_prefix="/app")
    assert handle.remote(X).result().tobytes() == linear_of(X).tobytes()
    assert handle.remote(X[:, :2]).result().startswith("dimension 1 of input 'input0' is 2")


def test_jobs(ray, cluster, tmp_path):
    pytest.importorskip("ray.data", reason="Ray Data is not installed: pip install 'ray[data]'")
    path = tmp_path / "linear.so"
    qcc.compile(LINEAR).save(path)
    rows = np.random.default_rng(3).integers(-128, 128, (1000, 4)).astype(np.int8)
    data = ray.data.from_items([{"input0": row, "key": key} for key, row in enumerate(rows)])
    artifact = qcc.ray.Artifact(path, cache=str(tmp_path / "cache"))
    path.unlink()
    for batch_size in (1000, 7):
        job = data.map_batches(qcc.ray.Predictor, fn_constructor_args=[artifact], fn_constructor_kwargs={"keep": ["key"]},
                               batch_size=batch_size, compute=ray.data.ActorPoolStrategy(size=2))
        found = sorted(job.take_all(), key=lambda row: row["key"])
        assert [sorted(row) for row in found[:1]] == [["key", "output0"]]
        assert np.stack([row["output0"] for row in found]).tobytes() == linear_of(rows).tobytes()


# Without a cluster.


@pytest.fixture(scope="module")
def single(ray):
    """Ray without nodes: nothing of these tests is put or started."""
    return qcc.ray


@pytest.fixture
def saved(tmp_path):
    def save(text, name="program.so"):
        qcc.compile(text).save(tmp_path / name)
        return str(tmp_path / name)

    return save


def test_predictor(single, saved):
    path = saved(DOUBLE_ROWS + LINEAR)
    with pytest.raises(qcc.InvalidArgumentError, match="has the functions double_rows, layer; name one"):
        single.Predictor(path)
    predictor = single.Predictor(path + ":layer", keep=["key"])
    keys = np.arange(2)
    result = predictor({"input0": X, "key": keys, "other": keys})
    assert list(result) == ["key", "output0"] and result["key"] is keys
    assert result["output0"].tobytes() == linear_of(X).tobytes()
    assert predictor({"input0": X[:0], "key": keys[:0]})["output0"].shape == (0, 2)
    strided = np.asfortranarray(X)
    strided.flags.writeable = False
    assert predictor({"input0": strided, "key": keys})["output0"].tobytes() == linear_of(X).tobytes()
    for batch, message in (({"key": keys}, "no column 'input0'; it has key; rename one by Dataset.rename_columns"),
                           ({"input0": X}, "no column 'key'; it has input0"),
                           ({"input0": X.astype(float), "key": keys}, "'input0' is float64"),
                           ({"input0": X[:, 0], "key": keys}, "has 1 dimensions, but the model takes 2"),
                           ({"input0": np.array([X[0], X[0, :2]], object), "key": keys}, "differ in shape, or are no numbers"),
                           ([X], "give map_batches batch_format=\"numpy\"")):
        with pytest.raises(qcc.InvalidArgumentError, match=message):
            predictor(batch)
    with pytest.raises(qcc.InvalidArgumentError, match="the column 'output0' cannot be kept"):
        single.Predictor(path + ":layer", keep=["output0"])
    with pytest.raises(qcc.NotFoundError, match="there is no such file"):
        single.Predictor(path + ".none")
    with pytest.raises(qcc.NotFoundError, match="none"):
        single.Predictor(path + ":none")
    with pytest.raises(qcc.UntrustedError):
        single.Predictor(path + ":layer", public_key="0" * 64)


def test_predictor_of_a_static_batch(single, saved):
    predictor = single.Predictor(saved(DOUBLE))
    x = np.arange(18, dtype=np.float32).reshape(6, 3)
    assert predictor({"input0": x})["output0"].tobytes() == (2 * x).tobytes()
    assert predictor({"input0": x[:0]})["output0"].shape == (0, 3)
    with pytest.raises(qcc.InvalidArgumentError, match="the batch has 5 rows, but a run takes 2; give a batch_size"):
        predictor({"input0": x[:5]})
    with pytest.raises(qcc.InvalidArgumentError, match="cannot be applied to the rows.*depend on the other rows"):
        single.Predictor(saved(MIXED, "mixed.so"))


def test_options_that_are_wrong(single, saved):
    path = saved(LINEAR)
    for options, message in (({"max_batch": 0}, "max_batch is 0, but it must be at least 1"),
                             ({"threads": 0}, "threads is 0"), ({"max_queue": 0}, "max_queue is 0")):
        with pytest.raises(qcc.InvalidArgumentError, match=message):
            single.Deployment(path, share=False, **options)
    with pytest.raises(qcc.NotFoundError, match="has no function 'none'; it has layer"):
        single.Deployment(path + ":none", share=False)
    with pytest.raises(qcc.UntrustedError):
        single.Deployment(path, share=False, public_key="0" * 64)
    with pytest.raises(qcc.NotFoundError, match="cannot be read: No such file.*or share=False"):
        single.Artifact(path + ".none")
    with pytest.raises(qcc.InvalidArgumentError, match="share=False needs a path"):
        single.Artifact(qcc.compile(LINEAR), share=False)
    with pytest.raises(qcc.InvalidArgumentError, match="retries is -1"):
        single.Handle(None, retries=-1)


def test_ray_serve_is_missing(ray, single, saved, monkeypatch):
    monkeypatch.delattr(ray, "serve", raising=False)
    monkeypatch.setitem(sys.modules, "ray.serve", None)
    with pytest.raises(qcc.UnsupportedError, match=r"a part of Ray Serve is not installed .*pip install 'ray\[serve\]'"):
        single.Deployment(saved(LINEAR), share=False)


def test_defaults_let_a_batch_become_full(single, saved):
    path = saved(LINEAR)

    def options(**given):
        return single.Deployment(path, share=False, **given)._options

    known = options(max_batch=64, threads=3, max_queue=7)
    assert (known["max_ongoing_requests"], known["max_queued_requests"]) == (128, 7)
    assert known["ray_actor_options"] == {"num_cpus": 3}
    assert options(max_ongoing_requests=5, ray_actor_options={"num_cpus": 0.5, "num_gpus": 1}) == {
        "max_ongoing_requests": 5, "max_queued_requests": 1024, "ray_actor_options": {"num_cpus": 0.5, "num_gpus": 1}}
    for given in ({"autoscaling_config": {"max_replicas": 3}}, {"num_replicas": "auto"}):
        assert options(max_batch=9, **given)["autoscaling_config"]["target_ongoing_requests"] == 9
    scaling = {"target_ongoing_requests": 4}
    assert options(autoscaling_config=scaling)["autoscaling_config"] == scaling


def test_cache(single, saved, tmp_path, monkeypatch):
    from qcc.ray import _artifact

    path = saved(LINEAR)
    with open(path, "rb") as file:
        data = file.read()
    stored = _artifact.Stored(path, None, _artifact.digest_of(path), str(tmp_path / "new" / "cache"))
    assert stored.find() == path
    os.unlink(path)
    assert stored.find() is None
    with pytest.raises(qcc.CorruptArtifactError, match="have the digest"):
        stored.write(data[:-1])
    kept = stored.write(data)
    assert stored.find() == kept and os.listdir(os.path.dirname(kept)) == [f"{stored.digest}.so"]
    # A damaged file is not used, and is replaced.
    with open(kept, "r+b") as file:
        file.write(b"x")
    assert stored.find() is None and stored.write(data) == kept and stored.find() == kept
    old = os.path.join(os.path.dirname(kept), "0" * 64 + ".so")
    for name in (old, os.path.join(os.path.dirname(kept), "other.so")):
        open(name, "wb").close()
        os.utime(name, (1, 1))
    stored.write(data)
    assert sorted(os.listdir(os.path.dirname(kept))) == sorted([os.path.basename(kept), "other.so"])
    # The folder of the user is no one else's.
    monkeypatch.setattr(_artifact.tempfile, "gettempdir", lambda: str(tmp_path))
    own = _artifact.Stored(path, None, stored.digest, None)
    assert own.find() is None and own.write(data).startswith(str(tmp_path / "qcc-artifacts-"))
    os.chmod(os.path.dirname(own.cached()), 0o777)
    with pytest.raises(qcc.SystemCallError, match="other users can write the cache"):
        own.find()
    (tmp_path / "file").touch()
    nowhere = _artifact.Stored(path, None, stored.digest, str(tmp_path / "file"))
    with pytest.raises(qcc.SystemCallError, match="cannot be used"):
        nowhere.write(data)
