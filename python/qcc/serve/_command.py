# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of python -m qcc serve."""

from __future__ import annotations

import argparse
import gc
import logging
import math
import re
import sys
from typing import Any, Callable, List, Optional

from .._exit_codes import FAILED, SUCCESS, USAGE, code_of
from ..errors import Error, InvalidArgumentError, UnsupportedError
from ._signature import MOST_OF_DIMENSION


def _number(least: float, most: float, whole: bool = True) -> Callable[[str], Any]:
    """A number from `least` to `most`."""
    def parse(text: str) -> Any:
        try:
            value = int(text) if whole else float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            kind = "a whole number" if whole else "a number"
            raise argparse.ArgumentTypeError(f"'{text}' must be {kind} from {least:g} to {most:g}")
        return value

    return parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    size, seconds = _number(1, 1 << 20), _number(0, 1e6, whole=False)
    parser.add_argument("models", nargs="+", metavar="NAME=FILE[:FUNCTION]",
                        help="a name and an artifact of qcc compile -o; of several functions, one")
    net = parser.add_argument_group("network")
    net.add_argument("--host", default="127.0.0.1", help="the address to listen at; 0.0.0.0 is all (default: %(default)s)")
    net.add_argument("--port", type=_number(0, 65535), default=8000, help="for HTTP; 0 is a free one (default: %(default)s)")
    net.add_argument("--grpc-port", type=_number(1, 65535), metavar="PORT", help="for gRPC; without it, there is none")
    net.add_argument("--max-connections", type=size, default=1024, metavar="N",
                     help="of each process; also the calls of gRPC at a time (default: %(default)s)")
    net.add_argument("--read-timeout", type=seconds, default=30.0, metavar="SECONDS",
                     help="the time for a request to arrive, and for a response to be taken (default: %(default)s)")
    net.add_argument("--idle-timeout", type=seconds, default=75.0, metavar="SECONDS",
                     help="the time of a connection without a request (default: %(default)s)")
    run = parser.add_argument_group("runs")
    run.add_argument("--max-batch", type=size, default=32, metavar="ROWS",
                     help="run up to this many rows together; 1 is no batching (default: %(default)s)")
    run.add_argument("--max-wait-ms", type=_number(0, 60000, whole=False), default=2.0, metavar="MS",
                     help="how long a request may wait for others (default: %(default)s)")
    run.add_argument("--max-queue", type=size, default=1024, metavar="N",
                     help="the most requests that wait for a model; more are refused with 429 (default: %(default)s)")
    run.add_argument("--timeout-ms", type=_number(0.001, 1e9, whole=False), metavar="MS",
                     help="the most time of a request, after which its run is cancelled; a request may ask for less")
    run.add_argument("--threads", type=_number(1, 1024), default=1, metavar="N",
                     help="threads of a run (default: %(default)s)")
    run.add_argument("--processes", type=_number(1, 256), default=1, metavar="N",
                     help="processes that serve, which share the weights (default: %(default)s)")
    run.add_argument("--device", metavar="DEVICE", help="what runs the models: cpu (the default), cuda or cuda:N")
    limits = parser.add_argument_group("limits")
    limits.add_argument("--max-body-mb", type=size, default=64, metavar="MB", help="of a request (default: %(default)s)")
    limits.add_argument("--max-json-mb", type=size, default=8, metavar="MB",
                        help="of the JSON of a request or a response; binary data does not count (default: %(default)s)")
    limits.add_argument("--max-result-mb", type=size, default=64, metavar="MB",
                        help="of the results of a request (default: %(default)s)")
    limits.add_argument("--max-held-mb", type=size, default=1024, metavar="MB",
                        help="of all requests that a process holds (default: %(default)s)")
    limits.add_argument("--max-dimension", type=_number(1, 1 << 40), default=MOST_OF_DIMENSION, metavar="N",
                        help="of a dynamic dimension (default: %(default)s)")
    life = parser.add_argument_group("operation")
    life.add_argument("--reload-seconds", type=seconds, default=2.0, metavar="SECONDS",
                      help="how often to look for replaced artifacts; 0 is never (default: %(default)s)")
    life.add_argument("--public-key", metavar="HEX", help="serve only artifacts that have a signature of this key")
    life.add_argument("--drain-delay", type=seconds, default=0.0, metavar="SECONDS",
                      help="after SIGTERM, take requests for this time while /v2/health/ready says no (default: %(default)s)")
    life.add_argument("--drain-timeout", type=seconds, default=30.0, metavar="SECONDS",
                      help="the most time to finish requests after SIGTERM (default: %(default)s)")
    life.add_argument("--log-level", choices=["debug", "info", "warning", "error"], default="info")


class _UsageError(InvalidArgumentError):
    """The command line is wrong, whatever its files have."""


def _source(text: str) -> Any:
    from ._models import Source, split_function

    name, found, path = text.partition("=")
    if not found or not path or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise _UsageError(f"'{text}' must be NAME=FILE, such as classifier=model.so; a name has letters, digits, "
                          "'_', '-' and '.'")
    return Source(name, *split_function(path))


def _options(given: argparse.Namespace) -> Any:
    from ._exchange import HttpOptions
    from ._models import BatchOptions
    from ._protocol import Limits
    from ._server import ServerOptions

    sources = [_source(text) for text in given.models]
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise _UsageError(f"'{name}' names {names.count(name)} models; give each a name of its own")
    mega = 1 << 20
    batch = BatchOptions(given.max_batch, given.max_wait_ms / 1e3, given.max_queue, given.threads, given.device,
                         given.public_key, given.processes > 1)
    limits = Limits(given.max_body_mb * mega, given.max_json_mb * mega, given.max_result_mb * mega, given.max_dimension,
                    given.max_held_mb * mega, None if given.timeout_ms is None else given.timeout_ms / 1e3)
    http = HttpOptions(given.max_connections, given.read_timeout, given.read_timeout,
                       given.idle_timeout)
    return ServerOptions(sources, batch, limits, http, given.host, given.grpc_port, given.reload_seconds,
                         given.drain_delay, given.drain_timeout)


def run(given: argparse.Namespace) -> int:
    """Serves until SIGTERM or SIGINT; returns the exit code."""
    logging.basicConfig(stream=sys.stderr, level=given.log_level.upper(), force=True,
                        format="%(asctime)s %(levelname)s %(process)d %(message)s")
    try:
        return _serve(given)
    except _UsageError as error:
        code, message = USAGE, str(error)
    except (Error, OSError) as error:
        code, message = code_of(error), str(error)
    except Exception as error:
        logging.getLogger("qcc.serve").exception("the server failed")
        code, message = FAILED, f"the server failed ({type(error).__name__}: {error}); please report this"
    print(f"qcc: error: {message}", file=sys.stderr)
    return code


def _serve(given: argparse.Namespace) -> int:
    from ._server import check_free, listen, load_all, run_process  # Raises UnsupportedError without the library of HTTP.

    if given.grpc_port is not None:
        from ._grpc_messages import check_installed

        check_installed()
    options = _options(given)
    from ._models import Watcher

    watcher = Watcher(options.sources, options.batch.shared)
    # Also in a server of several processes: what cannot be loaded is said once, and before anything listens.
    loaded = load_all(options, watcher)
    port = given.port
    try:
        sockets = listen(given.host, port, given.processes)
        if given.grpc_port is not None:
            port = given.grpc_port
            check_free(given.host, port)
    except OSError as error:
        option = "--port" if port == given.port else "--grpc-port"
        raise UnsupportedError(f"{given.host}:{port} cannot be listened at: {error.strerror}; choose another --host or "
                               f"{option}, or stop what uses it") from None
    host, port = sockets[0].getsockname()[:2]
    line = f"listening at http://{'[' + host + ']' if ':' in host else host}:{port}"

    def started() -> None:
        print(line, flush=True)

    if given.processes == 1:
        run_process(options, watcher, loaded, sockets[0], started)
        return SUCCESS
    from ._workers import Workers

    # This process serves nothing, and must not hold an artifact that is replaced later.
    del loaded
    gc.collect()
    return Workers(options, watcher, sockets).run(started)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m qcc serve")
    add_arguments(parser)
    return run(parser.parse_args(arguments))
