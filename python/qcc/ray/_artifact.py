# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts that nodes of a cluster map from files, and how a node without the file gets one."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import re
import stat
import tempfile
import time
from typing import Any, Optional, Tuple, Union

import ray

from .._artifact import write_file
from .._module import Module
from ..errors import CorruptArtifactError, InvalidArgumentError, NotFoundError, SystemCallError
from ..serve._models import BatchOptions, Loaded, Place, Source, split_function

#: A file of the cache that nobody has opened for this many seconds is removed when another one is written.
KEPT_SECONDS = 30 * 24 * 3600.0

_BLOCK = 1 << 22


def digest_of(path: str) -> Optional[str]:
    """The SHA-256 of a file in hexadecimal digits; None if the file cannot be read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(_BLOCK), b""):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()


def _own_folder() -> str:
    """The folder of the cache that no other user can write: loading an artifact runs its code.

    Raises SystemCallError.
    """
    folder = os.path.join(tempfile.gettempdir(), f"qcc-artifacts-{os.geteuid()}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.lstat(folder)
    except OSError as error:
        raise SystemCallError(f"the cache '{folder}' of artifacts cannot be made: {error.strerror}; give another folder, "
                              "qcc.ray.Artifact(cache=...)") from None
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise SystemCallError(f"other users can write the cache '{folder}' of artifacts; remove it, or give another "
                              "folder, qcc.ray.Artifact(cache=...)")
    return folder


def _prune(folder: str) -> None:
    """Removes files of the cache that were not used for a long time. Processes that map one keep it."""
    oldest = time.time() - KEPT_SECONDS
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if re.fullmatch(r"[0-9a-f]{64}\.so", entry.name) and entry.stat().st_mtime < oldest:
                os.unlink(entry.path)


@dataclasses.dataclass(frozen=True)
class Stored:
    """An artifact as the processes of a cluster know it: where its file is, and what is in it."""

    path: str  #: on each node; the cache is used where no such file is
    function: Optional[str]  #: None is the only one
    digest: str  #: SHA-256 of the file in hexadecimal digits; "" if each node is said to have its own file
    cache: Optional[str]  #: the folder for nodes without the file; None is a folder of the user below tempfile.gettempdir()

    def cached(self) -> str:
        """Where this node keeps bytes that it got. Raises SystemCallError."""
        return os.path.join(self.cache or _own_folder(), f"{self.digest}.so")

    def find(self) -> Optional[str]:
        """A file on this node that has the bytes; None if there is no such file. Raises SystemCallError."""
        if not self.digest:
            return self.path
        if digest_of(self.path) == self.digest:
            return self.path
        cached = self.cached()
        if digest_of(cached) != self.digest:
            return None
        with contextlib.suppress(OSError):
            os.utime(cached)
        return cached

    def write(self, data: bytes) -> str:
        """Keeps bytes that this node got, whole or not at all; returns the path.

        Raises:
            SystemCallError: the cache cannot be written.
            CorruptArtifactError: the bytes are not those of the artifact.
        """
        found = hashlib.sha256(data).hexdigest()
        if found != self.digest:
            raise CorruptArtifactError(f"the bytes of '{self.path}' that this node got have the digest {found[:16]}, not "
                                       f"{self.digest[:16]}; deploy the artifact again")
        path = self.cached()
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            _prune(os.path.dirname(path))
        except OSError as error:
            raise SystemCallError(f"the cache '{os.path.dirname(path)}' of artifacts cannot be used: {error.strerror}; give "
                                  "another folder, qcc.ray.Artifact(cache=...)") from None
        write_file(path, data)
        return path

    def source(self, name: str) -> Source:
        """The model that is served by a name."""
        return Source(name, self.path, self.function)

    def load(self, name: str, path: str, options: BatchOptions) -> Loaded:
        """Loads a file that `find` or `write` gave. Raises Error, with a text that has the name of the model."""
        return Loaded(self.source(name), Place(path), options)


class Artifact:
    """An artifact for the nodes of a cluster, each of which maps it from a file.

        artifact = qcc.ray.Artifact("/models/classifier.so")

    A node uses the file at the same path if it has the same bytes. Other nodes get the bytes from Ray's object store, and
    write them to a folder once, under their SHA-256. All processes of a node share the pages of the file.

    Artifacts can be pickled. The bytes in the object store belong to the program that made the object, and end with it:
    keep the program until a deployment runs or a job has ended.
    """

    def __init__(self, source: "Union[str, os.PathLike[str], bytes, Module]", *, function: Optional[str] = None,
                 share: bool = True, cache: Optional[str] = None) -> None:
        """
        Args:
            source: a path, also FILE:FUNCTION; the bytes of an artifact; or a module, whose bytes are shared.
            function: which function of the artifact runs; None is the one of FILE:FUNCTION, or the only one.
            share: put the bytes to the object store, for nodes without the file. Without this, each node must have a file
                at the path, whose contents are not compared, and this process need not have one.
            cache: the folder of nodes for bytes that they get; None is a folder below the one for temporary files that
                belongs to the user. Other users must not write it: loading an artifact runs its code.

        Raises:
            NotFoundError: there is no such file, or this process may not read it.
            UnsupportedError: the module has no bytes any more.
            InvalidArgumentError: bytes or a module are not to be shared.
        """
        data: Optional[bytes] = None
        path = ""
        if isinstance(source, (Module, bytes, bytearray, memoryview)) and not share:
            raise InvalidArgumentError("share=False needs a path: bytes get to other nodes only if they are shared")
        if isinstance(source, Module):
            data = source._artifact.read()
        elif isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
        else:
            path, named = split_function(os.fspath(source))
            path, function = os.path.abspath(path), function or named
            if share:
                data = _read(path)
        self._reference: "Tuple[Any, ...]" = ()
        if data is not None:
            self._reference = (ray.put(data),)
        digest = hashlib.sha256(data).hexdigest() if data is not None else ""
        self.stored = Stored(path or f"{digest}.so", function, digest, cache)

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes in hexadecimal digits; "" if they are not shared."""
        return self.stored.digest

    @property
    def function(self) -> Optional[str]:
        """The name of the function that runs; None is the only one."""
        return self.stored.function

    def file(self) -> str:
        """The path of a file on this node that has the bytes, which is written if there is none.

        Raises:
            NotFoundError: there is no such file, and the bytes are no longer in the object store.
            SystemCallError: the cache cannot be written.
        """
        found = self.stored.find()
        if found is not None:
            return found
        try:
            data = ray.get(self._reference[0])
        except ray.exceptions.ObjectLostError as error:
            raise _lost(self.stored, error) from None
        return self.stored.write(data)


def _lost(stored: Stored, error: Exception) -> NotFoundError:
    """What to say where a node neither has the file nor gets the bytes."""
    return NotFoundError(f"this node has no file '{stored.path}' with the digest {stored.digest[:16]}, and its bytes are no "
                         f"longer in the object store ({type(error).__name__}); put the file on each node, or deploy it "
                         "again from a program that stays until the deployment runs")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise NotFoundError(f"'{path}' cannot be read: {error.strerror}; give an artifact that qcc compile -o has written, "
                            "or share=False if only the nodes have it") from None


def as_artifact(source: Any, share: bool) -> Artifact:
    """An artifact as callers may give it: one that was made before, or what makes one."""
    return source if isinstance(source, Artifact) else Artifact(source, share=share)
