# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loaded programs."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _structures as c
from ._arrays import dtype_name
from ._artifact import Artifact, BytesArtifact, DroppedArtifact, FileArtifact, Options
from ._function import Function
from ._library import Handle, encode, runtime
from ._runs import ThreadPool
from ._types import Quantization, TensorType, Variant
from .errors import InvalidArgumentError


def _quantization(info: c.TensorInfo) -> Optional[Quantization]:
    if not info.quantization:
        return None
    q = info.quantization.contents
    scales = np.array(q.scales[:q.count], np.float32)
    zero_points = np.array(q.zero_points[:q.count], np.int32)
    return Quantization(q.axis if q.axis >= 0 else None, scales, zero_points)


def _tensor_type(info: c.TensorInfo) -> TensorType:
    names = tuple(name.decode() for name in info.dim_names[:info.rank])
    shape = tuple(size if size >= 0 else name or f"d{-1 - size}" for size, name in zip(info.dims[:info.rank], names))
    in_place = info.in_place_argument if info.in_place_argument >= 0 else None
    return TensorType(info.name.decode(), dtype_name(info.dtype), shape, _quantization(info), in_place, names)


#: Of a module that was compiled here.
_NO_OPTIONS = Options()


class Module:
    """A program that is compiled: immutable, and shared by any number of threads.

    `qcc.compile` and `qcc.load` make modules. What `compile` made for processors that this host does not have can be
    saved; using it raises UnsupportedError.

    A module is pickled as the bytes of its artifact, with the options `variant`, `device` and `public_key` of
    `qcc.load`. An unpickled module is loaded when it is first used. A copy of a module is the module itself.
    """

    def __init__(self, artifact: Artifact, options: Options = _NO_OPTIONS, loaded: Optional[Handle] = None) -> None:
        self._artifact = artifact
        self._options = options
        self._loaded = loaded
        self._lock = threading.Lock()

    def __copy__(self) -> "Module":
        return self

    def __deepcopy__(self, memo: Any) -> "Module":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickle, (self._artifact.read(), *self._options)

    @property
    def _handle(self) -> Handle:
        """The loaded module; one that was compiled here is loaded when it is first used."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._artifact.load()
            return self._loaded

    @property
    def functions(self) -> Tuple[str, ...]:
        """The names of the functions, in the order of the program."""
        handle = self._handle.value
        count = runtime.functions.qccModuleGetNumEntries(handle)
        return tuple(runtime.functions.qccModuleGetEntryName(handle, index).decode() for index in range(count))

    @property
    def producer(self) -> str:
        """What compiled the artifact, such as "qcc 0.1.0"."""
        text: bytes = runtime.functions.qccModuleGetProducer(self._handle.value)
        return text.decode()

    def _info(self) -> c.ModuleInfo:
        info = c.ModuleInfo()
        runtime.check(runtime.functions.qccModuleGetInfo(self._handle.value, info))
        return info

    @property
    def fingerprint(self) -> str:
        """The hash of the artifact's contents, 16 hexadecimal digits, which tells artifacts apart."""
        text: bytes = self._info().fingerprint
        return text.decode()

    @property
    def public_key(self) -> Optional[str]:
        """The key that the signature was checked with; None where the module was loaded without one."""
        text: bytes = self._info().public_key
        return text.decode() or None

    def check_health(self) -> None:
        """Returns while what runs the module works. A GPU's driver is asked. For a CPU, weights that `share_weights` left
        unread are checked once, as the first call does.

        Raises:
            CorruptArtifactError: the weights are damaged.
            KernelFailedError: a kernel has failed, after which the driver refuses all work of the process.
            SystemCallError: the driver has an error, such as a defect of the GPU.
        """
        runtime.check(runtime.functions.qccModuleCheckHealth(self._handle.value))

    @property
    def metadata(self) -> Dict[str, str]:
        """What the program came with: texts by their keys, such as the metadata_props of an ONNX model."""
        handle = self._handle.value
        metadata = {}
        for index in range(self._info().num_metadata):
            key, value = ctypes.c_char_p(), ctypes.c_char_p()
            runtime.check(runtime.functions.qccModuleGetMetadata(handle, index, ctypes.byref(key), ctypes.byref(value)))
            metadata[(key.value or b"").decode(errors="replace")] = (value.value or b"").decode(errors="replace")
        return metadata

    @property
    def variants(self) -> Tuple[Variant, ...]:
        """The processors that the artifact has code for."""
        variants = []
        for index in range(runtime.functions.qccModuleGetNumVariants(self._handle.value)):
            info = c.VariantInfo()
            runtime.check(runtime.functions.qccModuleGetVariant(self._handle.value, index, info))
            features = tuple(info.features.decode().split(",")) if info.features else ()
            variants.append(Variant(info.target.decode(), features, info.refusal.decode(), info.chosen))
        return tuple(variants)

    def function(self, name: Optional[str] = None, *, threads: int = 0,
                 pool: Optional[ThreadPool] = None) -> Function:
        """A function of the program, to call.

        Args:
            name: which one; None is the only one there is.
            threads: how many threads one run uses; 0 is one for each CPU. Give 1 where several Python threads run at
                the same time.
            pool: threads that it shares with other functions; None is the pool of the process, unless `threads` is
                given.

        Raises:
            NotFoundError: there is no function of this name.
            InvalidArgumentError: there are several functions and no name, or `threads` is negative or more than the
                pool has.
        """
        if name is None:
            names = self.functions
            if len(names) != 1:
                raise InvalidArgumentError(f"the module has {len(names)} functions; name one of {', '.join(names)}")
            name = names[0]
        entry = encode(name)
        info = c.EntryInfo()
        runtime.check(runtime.functions.qccModuleGetEntry(self._handle.value, entry, info))
        return Function(self, self._handle, info.name.decode(), self._tensors(entry, info.num_arguments, "Argument"),
                        self._tensors(entry, info.num_results, "Result"), threads, pool)

    def _tensors(self, entry: bytes, count: int, kind: str) -> Tuple[TensorType, ...]:
        read = getattr(runtime.functions, f"qccModuleGet{kind}")
        tensors = []
        for index in range(count):
            info = c.TensorInfo()
            runtime.check(read(self._handle.value, entry, index, info))
            tensors.append(_tensor_type(info))
        return tuple(tensors)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the artifact of the module to a file, for `qcc.load`, whole or not at all.

        Raises:
            SystemCallError: the file cannot be written.
            NotFoundError, UnsupportedError: the module was loaded from a file that is gone or has changed.
        """
        self._artifact.write(path)

    def drop_artifact(self) -> None:
        """Loads the module, and frees the memory of the artifact, which only `save` and pickles need.

        Its functions work as before. A module that was loaded from a file keeps no artifact in memory.

        Raises:
            UnsupportedError: this host cannot run the module, which then keeps its artifact.
        """
        loaded = self._handle
        with self._lock:
            self._loaded, self._artifact = loaded, DroppedArtifact()


def _unpickle(data: bytes, variant: Optional[str], device: Optional[str], public_key: Optional[str]) -> Module:
    """The module of a pickle. Pickles name this function."""
    options = Options(variant, device, public_key)
    return Module(BytesArtifact(data, options), options)


def load(source: "str | os.PathLike[str] | bytes", *, variant: Optional[str] = None,
         device: Optional[str] = None, public_key: Optional[str] = None, private_copy: bool = False,
         share_weights: bool = False) -> Module:
    """Loads what `Module.save` or `qcc compile` wrote. Loading an artifact runs its code: load only what you trust.

    Args:
        source: a path, or the bytes of an artifact. Bytes are copied, and kept for `save` and pickles; a file is
            mapped.
        variant: the target of the variant to load; None is the best that the device runs.
        device: what runs the program: None or "cpu" for this host, "cuda" or "cuda:N" for a GPU.
        public_key: load only what `qcc sign` has signed with the secret key of this one, 64 hexadecimal digits; None
            looks at no signature.
        private_copy: load a copy of the file, for files that may be overwritten while they are loaded.
        share_weights: leave large weights in the pages of the file, which processes that load it share, and which the
            first call reads and checks: it raises CorruptArtifactError if they are damaged. Otherwise each process
            copies weights of 8 MiB and more to pages that are faster.

    Raises:
        NotFoundError: there is no such file, or no such GPU.
        CorruptArtifactError: it is not an artifact, or it is damaged.
        UntrustedError: a key was given, and the artifact has no signature, or one that does not fit.
        UnsupportedError: no variant of it runs on the device, there is no driver of GPUs, or it is of another version.
    """
    options = Options(variant, device, public_key)
    artifact: Artifact
    if isinstance(source, (bytes, bytearray, memoryview)):
        artifact = BytesArtifact(bytes(source), options)
    else:
        artifact = FileArtifact(source, options, private_copy, share_weights)
    return Module(artifact, options, artifact.load())
