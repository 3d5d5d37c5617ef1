# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connections of HTTP/1.1, read by httptools: limits before memory is used, and a time for everything."""

from __future__ import annotations

import asyncio
import http
import logging
import time
from collections import deque
from typing import Any, Callable, Deque, Optional, Set

import httptools

from ._exchange import Exchange, HttpOptions
from ._protocol import RequestError
from ._routes import Call, Response, Service, check_encoding, check_length, check_method, error_response, json_length

log = logging.getLogger("qcc.serve")

#: 499 is only counted: the client has gone.
_REASONS = {499: "Client Closed Request", **{code.value: code.phrase for code in http.HTTPStatus}}
_MOST_HEADER_BYTES = 1 << 16
_MOST_PIPELINED = 16
#: A client that sends more requests while so many bytes of responses wait for it is left.
_MOST_UNSENT = 16 << 20
#: How long the rest of a refused request is read, so that its sender sees the response.
_LINGER = 2.0

NEVER = float("inf")


class Connection(asyncio.Protocol):
    """One client. Responses go out in the order of the requests."""

    transport: Any

    def __init__(self, service: Service, options: HttpOptions, connections: "Set[Connection]") -> None:
        self.service = service
        self.options = options
        self.connections = connections
        self.parser: Any = httptools.HttpRequestParser(self)
        self.exchanges: Deque[Exchange] = deque()  # that have no response yet, or one that is not sent
        self.reading: Optional[Exchange] = None  # whose headers or body are arriving
        self.in_headers = False
        self.header_bytes = 0  # that arrived since the last byte of a body: headers, trailers, lengths of chunks
        self.deadline = time.monotonic() + options.idle_timeout
        self.is_closing = False  # after the last response
        self.is_ignoring = False  # what arrives
        self.is_paused = False  # Too many requests of a pipeline wait.
        self.is_unsent = False  # Responses wait for the client, and no request is read.

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.connections.add(self)
        self.service.connections = len(self.connections)
        if len(self.connections) > 2 * self.options.connections:
            transport.abort()  # Even those that are refused are too many.
        elif len(self.connections) > self.options.connections:
            self.refuse(RequestError(503, f"{self.options.connections} connections are open, which is the most allowed; "
                                          "try again later", [("Retry-After", "1")]))

    def connection_lost(self, error: Optional[Exception]) -> None:
        self.connections.discard(self)
        self.service.connections = len(self.connections)
        for exchange in [*self.exchanges, *([self.reading] if self.reading is not None else [])]:
            self.release(exchange)
            if exchange.call is not None and exchange.call.abandon is not None and exchange.response is None:
                exchange.call.abandon()
        self.exchanges.clear()
        self.reading = self.parser = None

    def data_received(self, data: bytes) -> None:
        if self.is_ignoring:
            return
        self.header_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # A request that may be answered without the change has been.
            if self.reading is not None:
                self.refuse(RequestError(400, "this server changes to no other protocol; use HTTP/1.1"))
            elif not self.exchanges:
                self.finish()
            self.is_closing = self.is_ignoring = True
        except httptools.HttpParserCallbackError:
            log.exception("a request failed")
            self.refuse(RequestError(500, "the server failed; its log has the reason"))
        except httptools.HttpParserError as error:
            self.refuse(RequestError(400, f"the request is not HTTP/1.1: {error}"))
        else:
            if self.header_bytes > _MOST_HEADER_BYTES:
                what = "headers have" if self.in_headers else "trailers or other bytes around the body have"
                self.refuse(RequestError(431, f"the {what} more than {_MOST_HEADER_BYTES} bytes; send less"))
            elif len(self.exchanges) >= _MOST_PIPELINED and not self.is_paused:
                self.is_paused = True
                self.update_reading()

    def eof_received(self) -> bool:
        self.is_ignoring = self.is_closing = True
        return bool(self.exchanges)  # Their responses are still sent.

    # Calls of the parser.

    def on_message_begin(self) -> None:
        if self.is_ignoring:
            return
        self.reading = Exchange()
        self.in_headers = True
        self.deadline = time.monotonic() + self.options.read_timeout

    def on_url(self, url: bytes) -> None:
        if self.reading is not None:
            self.reading.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        exchange = self.reading
        if exchange is None or not self.in_headers:  # A trailer changes nothing.
            return
        # Lengths are compared first: most headers are none of these.
        if len(name) == 31 and name.lower() == b"inference-header-content-length":
            try:
                exchange.header_length = json_length(value)
            except RequestError as error:
                exchange.refusal = exchange.refusal or error
        elif len(name) == 14 and name.lower() == b"content-length":
            try:
                check_length(value, self.service.limits.body)  # The parser has checked that it is a number.
            except RequestError as error:
                exchange.refusal = exchange.refusal or error
                exchange.keep = False
        elif len(name) == 16 and name.lower() == b"content-encoding":
            exchange.content_encoding = value
        elif len(name) == 6 and name.lower() == b"expect":
            exchange.expects = True

    def on_headers_complete(self) -> None:
        exchange = self.reading
        if exchange is None:
            return
        self.in_headers = False
        self.header_bytes = 0
        method = self.parser.get_method().decode("latin-1")
        exchange.is_head = method == "HEAD"
        try:
            check_encoding(exchange.content_encoding)
            exchange.route = route = self.service.route(exchange.url)
            check_method(route, method)
        except RequestError as error:
            exchange.refusal = exchange.refusal or error
        if exchange.refusal is not None and not exchange.keep:
            self.refuse(exchange.refusal)  # Nobody reads a body that is too long.
        elif exchange.expects and exchange.refusal is None:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, data: bytes) -> None:
        exchange, service = self.reading, self.service
        self.header_bytes = 0
        if exchange is None or exchange.refusal is not None:
            return
        exchange.size += len(data)
        service.body_bytes += len(data)
        exchange.chunks.append(data)
        if exchange.size > service.limits.body:
            self.release(exchange)
            exchange.refuse(413, f"the body has more than {service.limits.body} bytes, which is the most allowed; send "
                                 "less at once")
            assert exchange.refusal is not None
            self.refuse(exchange.refusal)
        elif service.body_bytes > service.limits.held:
            self.release(exchange)
            exchange.refuse(429, "the bodies of other requests have all memory that is allowed; try again later",
                            ("Retry-After", "1"))

    def on_message_complete(self) -> None:
        exchange = self.reading
        if exchange is None or self.is_ignoring:
            return
        self.reading = None
        self.header_bytes = 0
        self.deadline = NEVER
        if self.is_unsent and self.transport.get_write_buffer_size() > _MOST_UNSENT:
            self.release(exchange)
            self.finish()
            return
        exchange.keep = bool(self.parser.should_keep_alive()) and not self.is_closing
        self.exchanges.append(exchange)
        if exchange.refusal is not None:
            self.service.refused(exchange.refusal.code)
            self.respond(exchange, error_response(exchange.refusal))
            return
        assert exchange.route is not None
        chunks = exchange.chunks
        body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        exchange.chunks = []
        exchange.call = call = Call(exchange.route.model, body, exchange.header_length,
                                    lambda response: self.respond(exchange, response))
        try:
            response = exchange.route.run(call)
        except Exception:
            log.exception("a request failed")
            response = error_response(RequestError(500, "the server failed; its log has the reason"))
        call.body = b""
        if response is not None:
            self.respond(exchange, response)

    # Responses.

    def release(self, exchange: Exchange) -> None:
        """Forgets the body of a request."""
        self.service.body_bytes -= exchange.size
        exchange.size = 0
        exchange.chunks = []

    def respond(self, exchange: Exchange, response: Response) -> None:
        self.release(exchange)
        exchange.response = self.format(exchange, response)
        exchange.call = None
        if self.exchanges and self.exchanges[0] is exchange:
            self.flush()

    def format(self, exchange: Exchange, response: Response) -> bytes:
        length = sum(map(len, response.body))
        head = f"HTTP/1.1 {response.code} {_REASONS[response.code]}\r\nContent-Type: {response.content_type}\r\n" \
               f"Content-Length: {length}\r\n"
        for name, value in response.headers:
            head += f"{name}: {value}\r\n"
        if self.is_closing or not exchange.keep:
            exchange.keep = False
            head += "Connection: close\r\n"
        return b"".join([head.encode("latin-1"), b"\r\n", *(() if exchange.is_head else response.body)])

    def flush(self) -> None:
        """Sends the responses that are next."""
        ready = []
        keep = True
        while keep and self.exchanges and self.exchanges[0].response is not None:
            exchange = self.exchanges.popleft()
            assert exchange.response is not None
            ready.append(exchange.response)
            keep = exchange.keep
        if self.transport.is_closing():
            return
        self.transport.write(ready[0] if len(ready) == 1 else b"".join(ready))
        if not keep:
            self.finish()
            return
        if self.is_closing and not self.exchanges and self.reading is None:
            self.finish()
            return
        if not self.exchanges and self.reading is None and self.deadline == NEVER:
            self.deadline = time.monotonic() + self.options.idle_timeout
        if self.is_paused and len(self.exchanges) < _MOST_PIPELINED // 2:
            self.is_paused = False
            self.update_reading()

    def update_reading(self) -> None:
        """Reads from the client unless it has to wait."""
        if self.transport.is_closing():
            return
        if self.is_paused or self.is_unsent:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def finish(self) -> None:
        """Closes when everything is sent; later requests of a pipeline are not answered."""
        self.is_closing = self.is_ignoring = True
        self.deadline = time.monotonic() + self.options.write_timeout
        self.transport.close()

    def refuse(self, error: RequestError) -> None:
        """Answers what is arriving, and reads no more requests of this client."""
        if self.is_ignoring and self.reading is None and self.exchanges:
            return
        self.service.refused(error.code)
        exchange = self.reading or Exchange()
        self.reading = None
        self.in_headers = False
        self.is_closing = self.is_ignoring = True
        exchange.keep = True  # The connection is closed later, by its deadline.
        # Requests before it are answered first.
        self.deadline = NEVER if self.exchanges else time.monotonic() + _LINGER
        self.exchanges.append(exchange)
        self.release(exchange)
        exchange.response = self.format(exchange, error_response(error))
        exchange.keep = True
        self.flush_refusal(exchange)

    def flush_refusal(self, exchange: Exchange) -> None:
        if self.exchanges[0] is exchange and not self.transport.is_closing():
            self.exchanges.popleft()
            assert exchange.response is not None
            self.transport.write(exchange.response)
            if self.transport.can_write_eof():
                self.transport.write_eof()

    def pause_writing(self) -> None:
        self.is_unsent = True
        self.update_reading()
        self.deadline = time.monotonic() + self.options.write_timeout

    def resume_writing(self) -> None:
        self.is_unsent = False
        self.update_reading()
        if self.reading is not None:
            self.deadline = time.monotonic() + self.options.read_timeout
        else:
            self.deadline = NEVER if self.exchanges else time.monotonic() + self.options.idle_timeout

    def check_time(self, now: float) -> None:
        """Ends the connection if its time has passed."""
        if now < self.deadline:
            return
        if self.reading is not None and not self.is_ignoring:
            self.refuse(RequestError(408, f"the request did not arrive within {self.options.read_timeout:g} seconds; "
                                          "send faster"))
        elif self.transport.get_write_buffer_size() or self.exchanges:
            self.transport.abort()
        else:
            self.transport.close()
            self.deadline = now + _LINGER

    def drain(self, grace: float) -> None:
        """Ends after the requests that have begun to arrive, and after those that arrive within a grace."""
        self.is_closing = True
        if not self.exchanges and self.reading is None:
            self.deadline = min(self.deadline, time.monotonic() + grace)


def protocol_factory(service: Service, options: HttpOptions,
                     connections: "Set[Connection]") -> Callable[[], Connection]:
    return lambda: Connection(service, options, connections)
