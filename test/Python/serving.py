"""A server of python -m qcc serve for tests, and a client of its protocol that can also misbehave."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np

import program

#: Some hundred milliseconds for a thousand rows.
SLOW = """
func.func @slow(%x: tensor<?x2048xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x2048xf32>
  %we = tensor.empty() : tensor<2048x2048xf32>
  %w = linalg.fill ins(%one : f32) outs(%we : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %e = tensor.empty(%m) : tensor<?x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x2048xf32>, tensor<2048x2048xf32>)
      outs(%f : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %s = tensor.extract_slice %y[0, 0] [%m, 1] [1, 1] : tensor<?x2048xf32> to tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}
"""

#: Each row has the sum of all rows: the leading dimension is no batch.
MIXED = """
#row = affine_map<(m, k) -> (m, 0)>
func.func @mixed(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.reduce ins(%x : tensor<?x3xf32>) outs(%f : tensor<3xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  %ye = tensor.empty(%m) : tensor<?x3xf32>
  %y = linalg.broadcast ins(%s : tensor<3xf32>) outs(%ye : tensor<?x3xf32>) dimensions = [0]
  return %y : tensor<?x3xf32>
}
"""


DATATYPES = {"bool": "BOOL", "uint8": "UINT8", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
             "float16": "FP16", "float32": "FP32", "float64": "FP64"}


def environment():
    path = os.pathsep.join([str(program.ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    return dict(os.environ, PYTHONPATH=path, QCC_LIBRARY_PATH=str(program.build_dir().resolve() / "lib"))


def command(*arguments, without=None):
    """The command line of a server; `without` is a package that is hidden from it."""
    start = ["-m", "qcc"]
    if without is not None:
        start = ["-c", f"import sys; sys.modules['{without}'] = None; from qcc.__main__ import main; sys.exit(main())"]
    return [sys.executable, *start, "serve", *map(str, arguments)]


def run(*arguments):
    """A server that is expected to end by itself."""
    return subprocess.run(command(*arguments), env=environment(), capture_output=True, text=True, timeout=60)


class Server:
    """A server in a process of its own, at a free port."""

    def __init__(self, *arguments, without=None):
        self.process = subprocess.Popen(command("--port=0", *arguments, without=without), env=environment(), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.stderr.read())
        self.port = int(re.fullmatch(r"listening at http://127\.0\.0\.1:(\d+)\n", line).group(1))
        self.log = []
        self._reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()

    def stop(self):
        """The exit code after SIGTERM."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join()
        return code

    def connect(self, timeout=20):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def get(self, path):
        """The code and the body."""
        connection = self.connect()
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def metrics(self):
        """The values by their names with labels."""
        lines = self.get("/metrics")[1].decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def request_of(arrays, *, binary=True, binary_output=True, **fields):
    """The body of a request and the length of its JSON."""
    inputs, data = [], []
    for name, array in arrays.items():
        entry = {"name": name, "shape": list(array.shape), "datatype": DATATYPES[str(array.dtype)]}
        if binary:
            entry["parameters"] = {"binary_data_size": array.nbytes}
            data.append(array.tobytes())
        else:
            entry["data"] = array.tolist() if array.ndim else [array.tolist()]
        inputs.append(entry)
    request = {"inputs": inputs, **fields}
    request.setdefault("parameters", {})["binary_data_output"] = binary_output
    text = json.dumps(request).encode()
    return text + b"".join(data), len(text)


def arrays_of(headers, body):
    """The results of a response."""
    length = int(headers.get("Inference-Header-Content-Length", len(body)))
    response, position, arrays = json.loads(body[:length]), length, {}
    names = {value: key for key, value in DATATYPES.items()}
    for output in response["outputs"]:
        dtype, shape = np.dtype(names[output["datatype"]]), output["shape"]
        if "data" in output:
            arrays[output["name"]] = np.array(output["data"], dtype).reshape(shape)
        else:
            size = output["parameters"]["binary_data_size"]
            arrays[output["name"]] = np.frombuffer(body[position:position + size], dtype).reshape(shape)
            position += size
    assert position == len(body)
    return arrays


def post(connection, model, body, header_length=None, **headers):
    """Code, headers and body of an inference; the connection stays open."""
    if header_length is not None:
        headers["Inference-Header-Content-Length"] = str(header_length)
    connection.request("POST", f"/v2/models/{model}/infer", body, headers)
    response = connection.getresponse()
    return response.status, response.headers, response.read()


def infer(connection, model, arrays, **options):
    """The results of an inference that succeeds."""
    body, length = request_of(arrays, **options)
    code, headers, answer = post(connection, model, body, length)
    assert code == 200, (code, answer)
    return arrays_of(headers, answer)
