# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paths of the REST interface: what each does with a body, whatever HTTP library has read it."""

from __future__ import annotations

import json
import logging
import time
import urllib.parse
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .. import __version__
from ..errors import CancelledError, InvalidArgumentError, KernelFailedError, OutOfMemoryError
from ._batch import AbandonedError, DeadlineError, Item, QueueFullError
from ._metrics import Board, Metrics, resident_bytes, total
from ._models import Model
from ._protocol import VERSION, Limits, RequestError, format_infer, parse_infer

log = logging.getLogger("qcc.serve")

JSON = "application/json"
EXTENSIONS = ["binary_tensor_data"]


class Response(NamedTuple):
    code: int
    body: Sequence[bytes]
    content_type: str = JSON
    headers: Sequence[Tuple[str, str]] = ()


def json_response(value: Any, code: int = 200) -> Response:
    return Response(code, [json.dumps(value).encode()])


def error_response(error: RequestError) -> Response:
    return Response(error.code, [json.dumps({"error": str(error)}).encode()], JSON, error.headers)


class Route(NamedTuple):
    """Where a request goes."""

    methods: Sequence[str]
    run: "Callable[[Call], Optional[Response]]"  #: None: it responds later
    model: Optional[Model] = None


def check_length(value: bytes, most: int) -> None:
    """Refuses a body by its Content-Length, which is a number. Raises RequestError."""
    if len(value) > 18 or int(value) > most:
        raise RequestError(413, f"the body has {value[:30].decode('latin-1')} bytes, but at most {most} are allowed; send "
                                "less at once")


def check_encoding(value: bytes) -> None:
    """Refuses a body by its Content-Encoding. Raises RequestError."""
    if value.lower() not in (b"", b"identity"):
        raise RequestError(415, "this server does not decompress; send the body without Content-Encoding")


def check_method(route: Route, method: str) -> None:
    """Refuses a method that the path does not take. Raises RequestError."""
    if method not in route.methods:
        raise RequestError(405, f"this path takes {' or '.join(route.methods)}, not {method}",
                           [("Allow", ", ".join(route.methods))])


def json_length(value: bytes) -> int:
    """The length of the JSON before binary data, of the header Inference-Header-Content-Length. Raises RequestError."""
    if not value.isdigit() or len(value) >= 18:
        raise RequestError(400, "Inference-Header-Content-Length must be a number of bytes")
    return int(value)


class Call:
    """A request that has been read. `respond` takes its response once; it may be called before `run` returns."""

    __slots__ = ("abandon", "body", "header_length", "model", "respond", "since")

    def __init__(self, model: Optional[Model], body: bytes, header_length: Optional[int],
                 respond: Callable[[Response], None]) -> None:
        self.model = model
        self.body = body
        self.header_length = header_length  #: of the binary extension
        self.respond = respond
        self.since = time.monotonic()
        self.abandon: Optional[Callable[[], None]] = None  #: gives up what is under way


def failure(error: Exception) -> RequestError:
    """How the protocol says that a run failed."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, QueueFullError):
        return RequestError(429, str(error), [("Retry-After", str(error.retry_after))])
    if isinstance(error, AbandonedError):
        return RequestError(499, str(error))
    if isinstance(error, DeadlineError):
        return RequestError(504, str(error))
    if isinstance(error, (InvalidArgumentError, KernelFailedError)):
        return RequestError(400, str(error))
    if isinstance(error, (OutOfMemoryError, CancelledError)):
        return RequestError(503, str(error), [("Retry-After", "1")])
    return RequestError(500, str(error))


class Service:
    """The models of a process, and what is known about them."""

    def __init__(self, models: Dict[str, Model], limits: Limits, metrics: Metrics, board: Optional[Board] = None,
                 process: int = 0) -> None:
        self.models = models
        self.limits = limits
        self.metrics = metrics
        self.board = board
        self.process = process
        self.is_ready = True
        self.connections = 0
        self.body_bytes = 0  #: of bodies that are held
        self._routes: Dict[bytes, Route] = {}

    def route(self, url: bytes) -> Route:
        """Where the requests of a URL go. Raises RequestError."""
        found = self._routes.get(url)
        if found is None:
            found = self._find(url)
            if len(self._routes) < 1000:
                self._routes[url] = found
        return found

    def _find(self, url: bytes) -> Route:
        path = urllib.parse.unquote(url.split(b"?", 1)[0].decode("latin-1"))
        parts = path.strip("/").split("/")
        plain = {
            "metrics": self._metrics, "v2": self._server, "v2/health/live": self._live, "v2/health/ready": self._ready,
        }
        if "/".join(parts) in plain:
            return Route(("GET", "HEAD"), plain["/".join(parts)])
        if parts[:2] == ["v2", "models"] and len(parts) >= 3:
            model, rest = self.model(parts[2]), parts[3:]
            if rest[:1] == ["versions"] and len(rest) >= 2:
                self.check_version(rest[1])
                rest = rest[2:]
            if not rest:
                return Route(("GET", "HEAD"), self._model, model)
            if rest == ["ready"]:
                return Route(("GET", "HEAD"), self._model_ready, model)
            if rest == ["infer"]:
                return Route(("POST",), self._infer, model)
        raise RequestError(404, f"there is no {path[:200]}; the paths are /v2, /v2/health/live, /v2/health/ready, "
                                "/v2/models/NAME, /v2/models/NAME/ready, /v2/models/NAME/infer and /metrics")

    def model(self, name: str) -> Model:
        found = self.models.get(name)
        if found is None:
            raise RequestError(404, f"there is no model '{name[:100]}'; the models are {', '.join(self.models)}")
        return found

    @staticmethod
    def check_version(version: str) -> None:
        if version not in ("", VERSION):
            raise RequestError(404, f"there is no version '{version[:100]}'; each model has version {VERSION} alone")

    def server_metadata(self) -> Dict[str, Any]:
        return {"name": "qcc", "version": __version__, "extensions": EXTENSIONS}

    def _server(self, call: Call) -> Response:
        return json_response(self.server_metadata())

    def _live(self, call: Call) -> Response:
        return json_response({"live": True})

    def _ready(self, call: Call) -> Response:
        return json_response({"ready": self.is_ready}, 200 if self.is_ready else 503)

    def _model(self, call: Call) -> Response:
        assert call.model is not None
        return json_response(call.model.metadata())

    def _model_ready(self, call: Call) -> Response:
        assert call.model is not None
        return json_response({"name": call.model.name, "ready": self.is_ready}, 200 if self.is_ready else 503)

    def _metrics(self, call: Call) -> Response:
        self.publish()
        text = total(self.metrics, self.board, self.process).text()
        return Response(200, [text.encode()], "text/plain; version=0.0.4; charset=utf-8")

    def publish(self) -> None:
        """Brings the gauges up to date, and shows the metrics to the other processes."""
        metrics = self.metrics
        metrics.set("qcc_connections", self.connections)
        metrics.set("qcc_body_bytes", self.body_bytes)
        metrics.set("qcc_resident_bytes", resident_bytes())
        metrics.clear("qcc_models")
        for model in self.models.values():
            for code, count in model.answers.items():
                metrics.count("qcc_requests_total", count, model=model.name, code=str(code))
            metrics.count("qcc_rows_total", model.rows, model=model.name)
            model.answers, model.rows = {}, 0
            metrics.set("qcc_waiting_requests", model.batcher.waiting, model=model.name)
            metrics.set("qcc_models", 1, model=model.name, fingerprint=model.fingerprint)
        if self.board is not None:
            self.board.write(self.process, metrics.dump())

    def refused(self, code: int) -> None:
        """Counts a request that did not get to a model."""
        self.metrics.count("qcc_http_errors_total", code=str(code))

    def answered(self, model: Model, code: int, since: float, rows: int = 0) -> None:
        model.answers[code] = model.answers.get(code, 0) + 1
        model.rows += rows
        model.seconds.add(time.monotonic() - since)

    def _infer(self, call: Call) -> Optional[Response]:
        model = call.model
        assert model is not None
        signature = model.signature
        try:
            request = parse_infer(signature, call.body, call.header_length, self.limits)
        except RequestError as error:
            self.answered(model, error.code, call.since)
            return error_response(error)
        plan = request.plan

        def done(item: Item) -> None:
            call.abandon = None
            try:
                if item.error is not None:
                    raise item.error
                response = infer_response(format_infer(model.name, signature, plan, item.results, self.limits))
            except Exception as error:
                known = failure(error)
                if known.code == 500:
                    log.error("model '%s': %s", model.name, error)
                response = error_response(known)
            self.answered(model, response.code, call.since, item.rows if response.code == 200 else 0)
            call.respond(response)

        batcher = model.batcher  # A model that is replaced gets another one.
        try:
            item = batcher.submit(request.arrays, done, plan.timeout)
        except (QueueFullError, CancelledError) as error:
            known = failure(error)
            self.answered(model, known.code, call.since)
            return error_response(known)
        call.abandon = lambda: batcher.abandon(item)
        return None


def infer_response(formatted: Tuple[bytes, List[bytes]]) -> Response:
    header, binary = formatted
    if not binary:
        return Response(200, [header])
    return Response(200, [header, *binary], "application/octet-stream",
                    [("Inference-Header-Content-Length", str(len(header)))])
