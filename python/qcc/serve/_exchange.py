# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A request of HTTP with its response, and the limits of connections."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from ._protocol import RequestError
from ._routes import Call, Route


class HttpOptions(NamedTuple):
    """Limits of connections; times are in seconds."""

    connections: int = 1024
    read_timeout: float = 30.0  #: for one request to arrive
    write_timeout: float = 30.0  #: for a response to be taken
    idle_timeout: float = 75.0


class Exchange:
    """A request and its response."""

    __slots__ = ("call", "chunks", "content_encoding", "expects", "header_length", "is_head", "keep", "refusal",
                 "response", "route", "size", "url")

    def __init__(self) -> None:
        self.url = b""
        self.route: Optional[Route] = None
        self.chunks: List[bytes] = []
        self.size = 0  # of the body so far
        self.header_length: Optional[int] = None
        self.content_encoding = b""
        self.expects = False
        self.refusal: Optional[RequestError] = None  # The body of a refused request is read and forgotten.
        self.call: Optional[Call] = None
        self.is_head = False
        self.keep = True
        self.response: Optional[bytes] = None

    def refuse(self, code: int, message: str, *headers: Any) -> None:
        if self.refusal is None:
            self.refusal = RequestError(code, message, headers)
