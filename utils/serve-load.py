#!/usr/bin/env python3
"""Measures and soaks python -m qcc serve, with the example classifier.

It starts a server and a process of clients, each of which sends one row at a time in binary form and checks every bit
of the answer. The load test prints the rate and the latencies. With --soak, artifacts are also replaced all the time,
other clients overload the server, are slow, break off, and send malformed bodies. At the end nothing may be wrong or
lost, and the server's memory must not have grown. Exit code 1: it was not so.

With --ray, Ray Serve serves the same artifact beside it, by the HTTP proxy of one node: `qcc.ray` by qcc.ray.Deployment,
and `plain` by a class that calls the function for each request, whose bodies are the bytes of arrays alone. The load
tests of the three servers alternate.
"""

import argparse
import asyncio
import json
import os
import pathlib
import platform
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

ROWS = 256  # different requests


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER",
                        help="the build whose compiler and libraries are used (default: build/release)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the load test (default: 10)")
    parser.add_argument("--connections", type=int, default=64, help="that send at the same time (default: 64)")
    parser.add_argument("--processes", type=int, default=1, help="of the server (default: 1)")
    parser.add_argument("--soak", type=float, default=0.0, metavar="SECONDS", help="soak for this long afterwards")
    parser.add_argument("--mutants", type=int, default=10000, help="malformed bodies of the soak (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutants (default: 1)")
    parser.add_argument("--ray", action="store_true", help="measure Ray Serve as well; it needs ray[serve]")
    parser.add_argument("--rounds", type=int, default=5, help="of --ray, of --seconds for each server (default: 5)")
    options = parser.parse_args(arguments)
    if options.ray and options.soak:
        parser.error("--soak is for qcc serve alone; leave --ray out")
    return options


def compile_artifact(options, path, seed):
    command = [options.build / "bin/qcc", "compile", ROOT / "docs/examples/classifier_int8.mlir", f"--weights=random:{seed}",
               "-o", path]
    subprocess.run(command, check=True)


def environment(options):
    return dict(os.environ, PYTHONPATH=str(ROOT / "python"), QCC_LIBRARY_PATH=str((options.build / "lib").resolve()))


def post(path, body, headers=""):
    """The bytes of a request of HTTP."""
    return f"POST {path} HTTP/1.1\r\nHost: a\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def request(model, row, fields=(), prefix=""):
    """The bytes of one inference."""
    text = json.dumps({"inputs": [{"name": "input0", "shape": [1, 64], "datatype": "INT8",
                                   "parameters": {"binary_data_size": 64}}],
                       "parameters": {"binary_data_output": True, **dict(fields)}}).encode()
    return post(f"{prefix}/v2/models/{model}/infer", text + row, f"Inference-Header-Content-Length: {len(text)}\r\n")


class Client(asyncio.Protocol):
    """Sends one request after the other, and checks the answers."""

    def __init__(self, state, number):
        self.state, self.index, self.buffer, self.sent = state, number % ROWS, b"", 0.0
        self.is_waiting = False

    def connection_made(self, transport):
        self.transport = transport
        self.send()

    def send(self):
        if time.perf_counter() > self.state.end:
            self.transport.close()
            return
        self.index = (self.index + 1) % ROWS
        self.sent, self.is_waiting = time.perf_counter(), True
        self.transport.write(self.state.requests[self.index])

    def data_received(self, data):
        buffer = self.buffer + data if self.buffer else data
        end = buffer.find(b"\r\n\r\n")
        length = re.search(rb"\r\nContent-Length: (\d+)", buffer[:end], re.IGNORECASE) if end >= 0 else None
        if length is None or len(buffer) < end + 4 + int(length.group(1)):
            self.buffer = buffer
            return
        self.buffer, self.is_waiting = b"", False
        state, code = self.state, buffer[9:12]
        state.codes[code] = state.codes.get(code, 0) + 1
        if code == b"200":
            state.latencies.append(time.perf_counter() - self.sent)
            if buffer[-40:] not in state.wanted[self.index]:
                state.wrong += 1
        elif code != b"429":
            state.wrong += 1
            state.example = buffer[:1000]
        self.send()

    def connection_lost(self, error):
        if self.is_waiting:
            self.state.lost += 1
        self.state.open -= 1


class State:
    """What clients share."""

    def __init__(self, requests, wanted, seconds):
        self.requests, self.wanted = requests, wanted
        self.end = time.perf_counter() + seconds
        self.codes, self.latencies, self.wrong, self.lost, self.open, self.example = {}, [], 0, 0, 0, b""


async def load(port, requests, wanted, seconds, connections):
    """Full rate for some seconds."""
    loop = asyncio.get_running_loop()
    state = State(requests, wanted, seconds)
    for number in range(connections):
        state.open += 1
        await loop.create_connection(lambda: Client(state, number * 7), "127.0.0.1", port)
    limit = state.end + 30
    while state.open and time.perf_counter() < limit:
        await asyncio.sleep(0.05)
    state.lost += state.open
    return state


async def misbehave(port, rng, end, counts):
    """Clients that are slow, break off, or send large or nonsensical requests."""
    good = request("classifier", b"\1" * 64)
    while time.perf_counter() < end:
        kind = rng.randrange(5)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            if kind == 0:  # breaks off within a request
                writer.write(good[:rng.randrange(1, len(good))])
                await asyncio.sleep(rng.random() * 0.1)
            elif kind == 1:  # breaks off before the answer
                writer.write(good * rng.randrange(1, 5))
            elif kind == 2:  # sends byte by byte
                for byte in good[:rng.randrange(1, 60)]:
                    writer.write(bytes([byte]))
                    await asyncio.sleep(0.01)
            elif kind == 3:  # is refused before it sends its body
                writer.write(b"POST /v2/models/classifier/infer HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
                counts["413"] += b" 413 " in await asyncio.wait_for(reader.readline(), 20)
            else:  # asks and does not read
                writer.write(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" * 50)
                await asyncio.sleep(0.2)
            writer.transport.abort()
            counts["misbehaved"] += 1
        except (OSError, asyncio.TimeoutError):
            counts["refused"] += 1
        await asyncio.sleep(0.01)


async def mutants(port, rng, count, counts):
    """Malformed bodies; each gets an answer, and none is a failure of the server."""
    body = request("classifier", b"\1" * 64).split(b"\r\n\r\n", 1)[1]
    json_end = len(body) - 64
    pieces = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"\0", b"\xff", b"-1", b"1e999", b"null", b"9" * 30, b"shape"]
    reader = writer = None
    for _ in range(count):
        mutant = bytearray(body)
        for _ in range(rng.randint(1, 3)):
            start, kind = rng.randrange(json_end), rng.randrange(3)
            if kind == 0:
                del mutant[start:start + rng.randint(1, 6)]
            elif kind == 1:
                mutant[start:start] = rng.choice(pieces)
            else:
                mutant[start] = rng.randrange(256)
        if writer is None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /v2/models/classifier/infer HTTP/1.1\r\nInference-Header-Content-Length: %d\r\n"
                     b"Content-Length: %d\r\n\r\n%s" % (json_end, len(mutant), mutant))
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        await asyncio.wait_for(reader.readexactly(int(re.search(rb"Content-Length: (\d+)", head).group(1))), 30)
        code = head[9:12].decode()
        counts["mutants"] += 1
        counts["mutants failed"] += code[0] == "5"
        if b"Connection: close" in head:
            writer.close()
            writer = None
    if writer is not None:
        writer.close()


async def replace(path, artifacts, end, counts):
    """Replaces the artifact all the time, as a deployment does it."""
    turn = 0
    while time.perf_counter() < end:
        turn += 1
        fresh = path.with_suffix(".new")
        fresh.write_bytes(artifacts[turn % 2].read_bytes())
        os.replace(fresh, path)
        counts["replaced"] += 1
        await asyncio.sleep(0.5)


def memory(process):
    """Resident bytes of a process and its children, without pages of files that they share."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    total = 0
    for pid in [process.pid, *children]:
        found = re.search(r"RssAnon:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
        total += int(found.group(1)) * 1024
    return total


def cpu_seconds(process):
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    ticks = 0
    for pid in [process.pid, *children]:
        ticks += sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


async def soak(options, port, process, path, artifacts, requests, wanted):
    rng, counts = random.Random(options.seed), dict.fromkeys(
        ["misbehaved", "refused", "413", "mutants", "mutants failed", "replaced"], 0)
    parts, samples = 4, []
    states = []
    for part in range(parts):
        end = time.perf_counter() + options.soak / parts
        others = [misbehave(port, rng, end, counts) for _ in range(4)]
        others += [replace(path, artifacts, end, counts), mutants(port, rng, options.mutants // parts, counts)]
        # More clients at a time than the queue has room for.
        states.append((await asyncio.gather(load(port, requests, wanted, options.soak / parts, 200), *others))[0])
        samples.append(memory(process))
    wrong = sum(state.wrong for state in states) + counts["mutants failed"]
    lost = sum(state.lost for state in states)
    codes = {}
    for state in states:
        for code, count in state.codes.items():
            codes[code.decode()] = codes.get(code.decode(), 0) + count
    print(f"soak of {options.soak:g} s: answers {codes}, {counts}")
    for state in states:
        if state.example:
            print("  wrong:", state.example)
    # The first part fills caches.
    growth = samples[-1] - samples[0]
    print(f"memory after each quarter: {', '.join(f'{sample / 2**20:.1f}' for sample in samples)} MiB")
    print(f"{wrong} wrong, {lost} lost after they were sent")
    return wrong == 0 and lost == 0 and growth < 16 << 20


class Plain:
    """A model as users of Ray Serve write it."""

    def __init__(self, path):
        import qcc

        self.function = qcc.load(path).function(threads=1)

    async def __call__(self, request):
        import numpy as np
        from starlette.responses import Response

        row = np.frombuffer(await request.body(), np.int8).reshape(1, 64)
        return Response(self.function(row).tobytes())


def start_ray(options, path, port):
    """Serves an artifact by Ray Serve, at a port; the prefixes of the two applications."""
    # Processes of Ray inherit them. Without the last one, other work of the machine would go before replicas.
    os.environ.update(environment(options), RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    import ray
    from ray import serve

    import qcc.ray

    ray.init(address="local", include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    plain = serve.deployment(Plain, max_ongoing_requests=options.connections, ray_actor_options={"num_cpus": 0})
    serve.run(plain.bind(str(path)), name="plain", route_prefix="/plain")
    deployment = qcc.ray.Deployment(path, name="classifier", max_ongoing_requests=options.connections,
                                    ray_actor_options={"num_cpus": 0})
    deployment.run("classifier", route_prefix="/qcc")


def compare_with_ray(options, port, path, rows, wanted):
    """Measures the three servers in turns; whether all answers were right."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        ray_port = probe.getsockname()[1]
    start_ray(options, path, ray_port)
    servers = {"qcc serve": (port, [request("classifier", row.tobytes()) for row in rows]),
               "qcc.ray": (ray_port, [request("classifier", row.tobytes(), prefix="/qcc") for row in rows]),
               "plain": (ray_port, [post("/plain", row.tobytes()) for row in rows])}
    rates, latencies, is_good = {name: [] for name in servers}, {name: [] for name in servers}, True
    for turn in range(options.rounds + 1):
        for name, (of_server, requests) in servers.items():
            seconds = options.seconds if turn else 2.0  # The first turn warms up.
            state = asyncio.run(load(of_server, requests, wanted, seconds, options.connections))
            is_good &= state.wrong == state.lost == 0
            if turn:
                rates[name].append(len(state.latencies) / seconds)
                latencies[name] += state.latencies
    print(f"host        {host()}")
    print(f"versions    {versions()}")
    for name, found in rates.items():
        times = sorted(latencies[name])
        print(f"{name:<11} {statistics.median(found):.0f} requests/s ({min(found):.0f} to {max(found):.0f}), p50 "
              f"{1e3 * times[len(times) // 2]:.1f} ms, p99 {1e3 * times[int(len(times) * 0.99)]:.1f} ms")
    for name in ("qcc.ray", "plain"):
        print(f"qcc serve is {statistics.median(rates['qcc serve']) / statistics.median(rates[name]):.1f} times as fast as {name}")
    print(f"answers     {'all right' if is_good else 'some are wrong or lost'}, {options.connections} connections, "
          f"{options.processes} processes of qcc serve")
    return is_good


def versions():
    found = [f"Python {platform.python_version()}"]
    for name in ("qcc", "numpy", "httptools", "uvloop", "ray"):
        try:
            module = __import__(name)
            found.append(f"{name} {getattr(module, '__version__', '?')}")
        except ImportError:
            found.append(f"no {name}")
    return ", ".join(found)


def host():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", text)
    return f"{model.group(1) if model else platform.machine()}, {len(os.sched_getaffinity(0))} CPUs, load " \
           f"{os.getloadavg()[0]:.1f}"


def measure(options, port, process, path, artifacts, rows, wanted):
    """The load test and the soak of python -m qcc serve; whether all was as it must be."""
    requests = [request("classifier", row.tobytes()) for row in rows]
    asyncio.run(load(port, requests, wanted, 0.5, options.connections))
    before, own = cpu_seconds(process), time.process_time()
    state = asyncio.run(load(port, requests, wanted, options.seconds, options.connections))
    used, own = cpu_seconds(process) - before, time.process_time() - own
    times, count = sorted(state.latencies), len(state.latencies)
    print(f"host        {host()}")
    print(f"versions    {versions()}")
    print(f"rate        {count / options.seconds:.0f} requests/s, {options.connections} connections, "
          f"{options.processes} processes")
    print(f"latency     p50 {1e3 * times[count // 2]:.2f} ms, p99 {1e3 * times[int(count * 0.99)]:.2f} ms")
    print(f"CPU         {1e6 * used / count:.1f} us of a request in the server, {1e6 * own / count:.1f} us in the clients")
    is_good = state.wrong == state.lost == 0
    print(f"answers     {count} right, {state.wrong} wrong, {state.lost} lost")
    if options.soak:
        is_good &= asyncio.run(soak(options, port, process, path, artifacts, requests, wanted))
    return is_good


def main():
    options = parse_arguments(sys.argv[1:])
    os.environ.setdefault("QCC_LIBRARY_PATH", str((options.build / "lib").resolve()))
    import numpy as np

    import qcc

    try:
        import uvloop
        uvloop.install()
    except ImportError:
        pass
    with tempfile.TemporaryDirectory(prefix="qcc-serve-") as folder:
        folder = pathlib.Path(folder)
        artifacts = [folder / "a.so", folder / "b.so"]
        for seed, artifact in enumerate(artifacts):
            compile_artifact(options, artifact, seed + 7)
        path = folder / "classifier.so"
        path.write_bytes(artifacts[0].read_bytes())
        rows = np.random.default_rng(0).integers(-128, 128, (ROWS, 64)).astype(np.int8)
        answers = [qcc.load(artifact).function(threads=1) for artifact in artifacts]
        wanted = [{answer(row[None]).tobytes() for answer in answers} for row in rows]
        command = [sys.executable, "-m", "qcc", "serve", f"classifier={path}", "--port=0", "--log-level=error",
                   f"--processes={options.processes}", "--reload-seconds=0.1", "--read-timeout=5", "--max-queue=96"]
        process = subprocess.Popen(command, env=environment(options), stdout=subprocess.PIPE, text=True)
        try:
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            if options.ray:
                is_good = compare_with_ray(options, port, path, rows, wanted)
            else:
                is_good = measure(options, port, process, path, artifacts, rows, wanted)
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(60)
        if code:
            print(f"the server ended with code {code}")
        sys.exit(0 if is_good and code == 0 else 1)


if __name__ == "__main__":
    main()
