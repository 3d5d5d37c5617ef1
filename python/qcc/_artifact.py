# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of artifacts: where a module keeps them, to be loaded, saved and pickled."""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from typing import Any, NamedTuple, Optional, Protocol

from . import _structures as c
from ._library import Handle, encode, runtime
from .errors import NotFoundError, SystemCallError, UnsupportedError

#: The beginning of the note of an artifact, in include/qcc/Artifact/ArtifactNote.h, and where its hash is.
_NOTE = struct.pack("<III4s", 4, 24, 1, b"qcc\0")
_HASH_OFFSET = 32

#: QCC_MODULE_PRIVATE_COPY
_PRIVATE_COPY = 1

#: QCC_WEIGHT_PAGES_FILE
_WEIGHT_PAGES_FILE = 1


class Options(NamedTuple):
    """How an artifact is loaded, on this machine or on another."""

    variant: Optional[str] = None
    device: Optional[str] = None
    public_key: Optional[str] = None

    def to_c(self, private_copy: bool = False, share_weights: bool = False) -> c.ModuleOptions:
        options = c.ModuleOptions()
        options.variant = encode(self.variant) if self.variant is not None else None
        options.device = encode(self.device) if self.device is not None else None
        options.public_key = encode(self.public_key) if self.public_key is not None else None
        options.flags = _PRIVATE_COPY if private_copy else 0
        options.weight_pages = _WEIGHT_PAGES_FILE if share_weights else 0
        return options


class Artifact(Protocol):
    """Where the bytes of a module are."""

    def read(self) -> bytes:
        """All bytes."""

    def write(self, path: "str | os.PathLike[str]") -> None:
        """Writes all bytes to a file, whole or not at all."""

    def load(self) -> Handle:
        """A loaded module."""


def own_module(handle: ctypes.c_void_p) -> Handle:
    return Handle(handle, runtime.functions.qccModuleDestroy)


def load_memory(data: Any, size: int, options: Optional[c.ModuleOptions] = None) -> Handle:
    """A module of `size` bytes, which are copied."""
    handle = ctypes.c_void_p()
    runtime.check(runtime.functions.qccModuleLoadMemory(data, size, options, ctypes.byref(handle)))
    return own_module(handle)


class BytesArtifact:
    """An artifact in memory."""

    def __init__(self, data: bytes, options: Options) -> None:
        self._data = data
        self._options = options

    def read(self) -> bytes:
        return self._data

    def write(self, path: "str | os.PathLike[str]") -> None:
        write_file(path, self._data)

    def load(self) -> Handle:
        return load_memory(self._data, len(self._data), self._options.to_c())


class FileArtifact:
    """An artifact in a file, which is read again where its bytes are needed."""

    def __init__(self, path: "str | os.PathLike[str]", options: Options, private_copy: bool,
                 share_weights: bool) -> None:
        self._given = encode(path)
        self._path = os.path.abspath(os.fsdecode(self._given))  # The process may change its folder.
        self._options = options.to_c(private_copy, share_weights)
        self._hash = b""

    def load(self) -> Handle:
        handle = ctypes.c_void_p()
        runtime.check(runtime.functions.qccModuleLoadFile(self._given, self._options, ctypes.byref(handle)))
        module = own_module(handle)
        info = c.ModuleInfo()
        runtime.check(runtime.functions.qccModuleGetInfo(module.value, info))
        self._hash = bytes.fromhex(info.fingerprint.decode())[::-1]
        return module

    def read(self) -> bytes:
        try:
            with open(self._path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise NotFoundError(f"the file '{self._path}' of the module no longer exists; its bytes are needed to "
                                "save or pickle the module: load it from its bytes to keep them") from None
        except OSError as error:
            raise SystemCallError(f"the file of the module cannot be read: {error}") from None
        begin = data.find(_NOTE)
        if begin < 0 or data[begin + _HASH_OFFSET:begin + _HASH_OFFSET + len(self._hash)] != self._hash:
            raise UnsupportedError(f"the file '{self._path}' has changed since the module was loaded, so the module "
                                   "cannot be saved or pickled; load the file again")
        return data

    def write(self, path: "str | os.PathLike[str]") -> None:
        write_file(path, self.read())


class DroppedArtifact:
    """What is left of an artifact whose memory was freed, after it was loaded."""

    def read(self) -> bytes:
        raise UnsupportedError("the module has dropped its artifact (Module.drop_artifact), so it cannot be saved or "
                               "pickled; do that before")

    def write(self, path: "str | os.PathLike[str]") -> None:
        self.read()

    def load(self) -> Handle:
        raise AssertionError("it was loaded before it was dropped")


def _open_beside(target: str) -> "tuple[str, int]":
    """A new file in the folder of another, with the permissions that a new file has."""
    temporary = f"{target}.tmp-{os.urandom(8).hex()}"
    return temporary, os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)


def _replace(target: str, data: bytes) -> None:
    temporary, descriptor = _open_beside(target)
    try:
        with open(descriptor, "wb") as file:
            with contextlib.suppress(OSError):
                os.fchmod(descriptor, stat.S_IMODE(os.stat(target).st_mode))
            file.write(data)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_file(path: "str | os.PathLike[str]", data: bytes) -> None:
    """Writes a file, whole or not at all. What is no regular file, such as a pipe, is written in place."""
    target = os.path.realpath(os.fsdecode(encode(path)))
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                file.write(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise SystemCallError(f"cannot write '{os.fsdecode(path)}': {error.strerror}") from None


def is_same_file(first: str, second: str) -> bool:
    """Whether two names are of one file that exists."""
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)
