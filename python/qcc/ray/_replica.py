# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes that Ray Serve starts: replicas of a model, and the keeper of its artifact."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any, Dict, NamedTuple, Optional, Sequence

import ray

from .._names import order_arrays
from .._types import Results
from ..serve._metrics import Metrics
from ..serve._models import BatchOptions, Loaded, Model
from ..serve._protocol import Limits, RequestError
from ..serve._routes import (Call, Response, Route, Service, check_encoding, check_length, check_method, error_response,
                             json_length)
from ._artifact import Artifact, Stored


class ReplicaOptions(NamedTuple):
    """What the replicas of a deployment are told."""

    name: str  #: of the model, in the paths of the protocol
    stored: Stored
    batch: BatchOptions
    limits: Limits


class Keeper:
    """Has the bytes of an artifact as long as its deployment exists, for replicas on nodes without the file.

    It belongs to the application, so Ray Serve starts it again elsewhere if its node fails, and removes it at the end. The
    object store gets the bytes when the first node asks for them.
    """

    async def __init__(self, artifact: Artifact) -> None:  # type: ignore[misc]  # Ray Serve awaits it.
        """Takes the bytes over from the program that deploys. Raises what `Artifact.file` raises."""
        loop = asyncio.get_running_loop()
        # The file stays open: a system may remove old files from folders for temporary ones.
        self._file = open(await loop.run_in_executor(None, artifact.file), "rb")
        self._lock = asyncio.Lock()
        self._reference: Any = None

    async def fetch(self) -> Sequence[Any]:
        """A list of one reference to the bytes; Ray hands a reference in a list on as it is."""
        async with self._lock:
            if self._reference is None:
                self._reference = await asyncio.get_running_loop().run_in_executor(None, self._put)
        return [self._reference]

    def _put(self) -> Any:
        self._file.seek(0)
        return ray.put(self._file.read())


class _Routes(Service):
    """The paths of the protocol, without the metrics of one process."""

    def _find(self, url: bytes) -> Route:
        if url.split(b"?", 1)[0].strip(b"/") == b"metrics":
            raise RequestError(404, "a deployment has no /metrics of its own; Ray's metrics have its requests and times")
        return super()._find(url)


def _log_as_ray_serve() -> None:
    """Sends what qcc logs to the log of the replica."""
    own, of_replica = logging.getLogger("qcc"), logging.getLogger("ray.serve")
    own.handlers[:] = of_replica.handlers
    own.setLevel(of_replica.level)


class Replica:
    """A process with the model, started by Ray Serve. `qcc.ray.Deployment` describes its interface."""

    async def __init__(self, options: ReplicaOptions, keeper: Optional[Any] = None) -> None:  # type: ignore[misc]
        """Maps the artifact from a file of this node, and loads it. Raises what `qcc.load` raises."""
        loop = asyncio.get_running_loop()
        # The thread of runs waits at most this long for the interpreter when its run has ended.
        sys.setswitchinterval(0.0005)
        _log_as_ray_serve()
        path = await loop.run_in_executor(None, options.stored.find)
        if path is None:
            assert keeper is not None  # Without one, `find` does not look for bytes.
            (reference,) = await keeper.fetch.remote()
            path = await loop.run_in_executor(None, options.stored.write, await reference)
        loaded: Loaded = await loop.run_in_executor(None, options.stored.load, options.name, path, options.batch)
        self._limits = options.limits
        self._model = Model(options.stored.source(options.name), loaded, options.batch, options.limits, Metrics())
        self._service = _Routes({options.name: self._model}, options.limits, Metrics())

    async def infer(self, *arrays: Any, timeout: Optional[float] = None,
                    named: Optional[Dict[str, Any]] = None) -> Results:
        """The results for arrays of numpy, as a call of the function returns them.

        Args:
            arrays: the arguments by position, of the types and shapes of the program.
            timeout: how many seconds the request may take in this replica; None is the limit of the deployment.
            named: more arguments by their names.

        Raises:
            InvalidArgumentError: an array does not fit to the program.
            DeadlineError: the time has passed.
            QueueFullError: too many requests wait.
            What a call of the function raises.
        """
        if named:
            arrays = order_arrays(self._model.loaded.function, arrays, named)
        limits = [limit for limit in (timeout, self._limits.timeout) if limit is not None]
        return await self._model.batcher(*arrays, timeout=min(limits, default=None))

    async def __call__(self, request: Any) -> Any:
        """Answers a request of HTTP, which Ray hands over as Starlette's."""
        from starlette.responses import Response as HttpResponse

        response = await self._answer(request)
        body = b"" if request.method == "HEAD" else b"".join(response.body)
        return HttpResponse(body, response.code, dict(response.headers), response.content_type)

    async def _answer(self, request: Any) -> Response:
        """The response of the protocol, whose paths begin after the prefix of the application."""
        headers, scope = request.headers, request.scope
        path = scope["path"]
        prefix = scope.get("root_path", "").rstrip("/")
        if prefix and path.startswith(prefix):
            path = path[len(prefix):]
        try:
            check_encoding(headers.get("content-encoding", "").encode())
            length = headers.get("content-length", "0").encode()
            if length.isdigit():
                check_length(length, self._limits.body)
            route = self._service.route(path.encode())
            check_method(route, request.method)
            wanted = headers.get("inference-header-content-length")
            header_length = json_length(wanted.encode()) if wanted is not None else None
            body = b""
            async for chunk in request.stream():  # A body in chunks has no length before.
                body += chunk
                check_length(str(len(body)).encode(), self._limits.body)
        except RequestError as error:
            return error_response(error)
        return await self._run(route, body, header_length)

    async def _run(self, route: Route, body: bytes, header_length: Optional[int]) -> Response:
        answered: "asyncio.Future[Response]" = asyncio.get_running_loop().create_future()

        def respond(response: Response) -> None:
            if not answered.done():
                answered.set_result(response)

        call = Call(route.model, body, header_length, respond)
        response = route.run(call)
        if response is not None:
            return response
        try:
            return await answered
        except asyncio.CancelledError:  # The client has gone.
            if call.abandon is not None:
                call.abandon()
            raise

    def check_health(self) -> None:
        """Ray Serve asks regularly, and replaces a replica that raises: whose GPU has failed, for instance."""
        self._model.loaded.module.check_health()
