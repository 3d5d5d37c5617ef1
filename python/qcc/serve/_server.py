# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process of a server: its event loop, from the first connection to the last response."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import resource
import signal
import socket
import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set

from ..errors import UnsupportedError
from ._exchange import HttpOptions
from ._metrics import Board, Metrics
from ._models import BatchOptions, Loaded, Model, Place, Source, Watcher
from ._protocol import Limits
from ._routes import Service

try:
    from ._http import Connection, protocol_factory
except ImportError as _error:
    raise UnsupportedError(f"the library of HTTP is not installed ({_error}); pip install httptools uvloop") from None

log = logging.getLogger("qcc.serve")

#: How often connections are looked at, whose time may have passed.
_TICK = 0.25
#: How long a connection without a request stays open when the server drains.
_GRACE = 0.5


class ServerOptions(NamedTuple):
    """What the processes of a server are told."""

    sources: Sequence[Source]
    batch: BatchOptions
    limits: Limits
    http: HttpOptions
    host: str = "127.0.0.1"
    grpc_port: Optional[int] = None
    reload_seconds: float = 2.0  #: how often files are looked at; 0 is never
    drain_delay: float = 0.0
    drain_timeout: float = 30.0


class Server:
    """The event loop's side of a process."""

    def __init__(self, options: ServerOptions, watcher: Watcher, loaded: Dict[str, Loaded], metrics: Metrics,
                 board: Optional[Board], process: int) -> None:
        self.options = options
        self.watcher = watcher
        self.metrics = metrics
        # The callers keep the dictionary, and must not keep an artifact that is replaced later.
        models = {source.name: Model(source, loaded.pop(source.name), options.batch, options.limits, metrics)
                  for source in options.sources}
        self.service = Service(models, options.limits, metrics, board, process)
        self.connections: "Set[Connection]" = set()
        self.stopping = asyncio.Event()
        self._reloads: Dict[str, Place] = {}  # where to load models from, by their names
        self._reloading: "Optional[asyncio.Task[None]]" = None

    async def run(self, listening: socket.socket, started: Callable[[], None], commands: Optional[int]) -> None:
        """Serves until SIGTERM or SIGINT, or until the process that sends commands has ended."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stopping.set)
        factory = protocol_factory(self.service, self.options.http, self.connections)
        server = await loop.create_server(factory, sock=listening, backlog=1024)
        rpc = await self._start_grpc()
        tasks = [loop.create_task(self._tick())]
        if commands is not None:
            await self._read_commands(commands)
        elif self.options.reload_seconds:
            tasks.append(loop.create_task(self._watch()))
        # The objects that are there now stay; a collection need not look at them.
        gc.collect()
        gc.freeze()
        started()
        await self.stopping.wait()
        await self._drain(server, rpc)
        for task in tasks:
            task.cancel()

    async def _start_grpc(self) -> Any:
        if self.options.grpc_port is None:
            return None
        from ._grpc import start

        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        return await start(self.service, f"{host}:{self.options.grpc_port}", self.options.limits,
                           self.options.http.connections)

    async def _tick(self) -> None:
        """Looks at the times of connections, and shows metrics to the other processes."""
        while True:
            await asyncio.sleep(_TICK)
            try:
                now = time.monotonic()
                for connection in list(self.connections):
                    connection.check_time(now)
                if self.service.board is not None:
                    self.service.publish()
            except Exception:  # Without the clock, no limit of time would hold any more.
                log.exception("a connection could not be looked at")

    async def _watch(self) -> None:
        """Looks for replaced files, in a server of one process."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.options.reload_seconds)
            for source in await loop.run_in_executor(None, self.watcher.changed):
                self.reload(source.name, self.watcher.place(source))

    async def _read_commands(self, descriptor: int) -> None:
        """Takes the names of snapshots to load, in a server of several processes."""
        server = self

        class Commands(asyncio.Protocol):
            rest = b""

            def data_received(self, data: bytes) -> None:
                *lines, self.rest = (self.rest + data).split(b"\n")
                for line in lines:
                    name, place = json.loads(line)
                    server.reload(name, Place(*place))

            def connection_lost(self, error: Optional[Exception]) -> None:
                server.stopping.set()

        await asyncio.get_running_loop().connect_read_pipe(Commands, open(descriptor, "rb", buffering=0))

    def reload(self, name: str, place: Place) -> None:
        self._reloads[name] = place
        if self._reloading is None or self._reloading.done():
            self._reloading = asyncio.get_running_loop().create_task(self._reload_all())

    async def _reload_all(self) -> None:
        """One after the other; of several snapshots of a model, the newest."""
        while self._reloads:
            name, place = self._reloads.popitem()
            await self.service.models[name].reload(place)

    async def _drain(self, server: Any, rpc: Any) -> None:
        """Answers what has arrived, and closes everything."""
        self.service.is_ready = False
        if self.options.drain_delay:
            await asyncio.sleep(self.options.drain_delay)
        log.info("draining: %d connections are open", len(self.connections))
        end = time.monotonic() + self.options.drain_timeout
        server.close()
        stopped = asyncio.ensure_future(rpc.stop(self.options.drain_timeout)) if rpc is not None else None
        for connection in list(self.connections):
            connection.drain(_GRACE)
        while self.connections and time.monotonic() < end:
            await asyncio.sleep(0.02)
        if self.connections:
            log.warning("%d connections were not finished within %g seconds; they are closed", len(self.connections),
                        self.options.drain_timeout)
            for connection in list(self.connections):
                connection.transport.abort()
            await asyncio.sleep(0)
        if stopped is not None:
            await stopped
        if self._reloading is not None:
            await asyncio.wait([self._reloading], timeout=1)
        closing = [asyncio.ensure_future(model.close()) for model in self.service.models.values()]
        await asyncio.wait(closing, timeout=max(0.5, end - time.monotonic()))


def load_all(options: ServerOptions, watcher: Watcher) -> Dict[str, Loaded]:
    """Loads every model. Raises Error."""
    return {source.name: Loaded(source, watcher.place(source), options.batch) for source in options.sources}


def run_process(options: ServerOptions, watcher: Watcher, loaded: Dict[str, Loaded], listening: socket.socket,
                started: Callable[[], None], board: Optional[Board] = None, process: int = 0,
                commands: Optional[int] = None) -> None:
    """Serves in this process until it is told to stop; calls `started` when clients can connect."""
    # The thread of a model waits at most this long for the interpreter when its run has ended.
    sys.setswitchinterval(0.0005)
    _raise_file_limit(2 * options.http.connections + 256)
    metrics = Metrics()
    before = board.read(process) if board is not None else None
    if before is not None:
        metrics.load(before, counters_only=True)

    async def serve() -> None:
        await Server(options, watcher, loaded, metrics, board, process).run(listening, started, commands)

    new_loop = _loop_factory()
    loop = new_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(serve())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _raise_file_limit(wanted: int) -> None:
    """Makes room for connections, as far as the system lets this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        log.warning("uvloop is not installed; the event loop of asyncio is slower. pip install uvloop")
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def check_free(host: str, port: int) -> None:
    """Raises OSError if another socket listens there; with SO_REUSEPORT, two servers would share a port silently."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        probe.listen(1)


def listen(host: str, port: int, count: int) -> List[socket.socket]:
    """Sockets for processes, which the system spreads connections over. Raises OSError."""
    check_free(host, port)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sockets = []
    for _ in range(count):
        one = socket.socket(family, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if count > 1:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        one.bind((host, port))
        one.listen(1024)
        one.setblocking(False)
        port = one.getsockname()[1]
        sockets.append(one)
    return sockets
