# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of a server: their artifacts, loading and reloading."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .._function import Function
from .._module import Module, load
from ..errors import Error, InvalidArgumentError, NotFoundError
from ._batch import Batch
from ._batcher import Batcher
from ._metrics import Metrics
from ._protocol import VERSION, Limits
from ._signature import Signature, why_unbatched

log = logging.getLogger("qcc.serve")

Stamp = Tuple[int, int, int]


class Source(NamedTuple):
    """What the command line says about a model."""

    name: str
    path: str
    entry: Optional[str]  #: the function; None is the only one


def split_function(text: str) -> Tuple[str, Optional[str]]:
    """The file and the function that FILE or FILE:FUNCTION names; None is the only function."""
    if not os.path.exists(text) and ":" in text:
        path, _, function = text.rpartition(":")
        return path, function
    return text, None


class BatchOptions(NamedTuple):
    """How the models of a server run."""

    max_batch: int = 32
    max_wait: float = 0.002
    max_queue: int = 1024
    threads: int = 1
    device: Optional[str] = None
    public_key: Optional[str] = None
    shared: bool = False  #: weights stay in pages that several processes map


def stamp(path: str) -> Optional[Stamp]:
    """Changes when a file is replaced or written; None while there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def snapshot(path: str) -> int:
    """A file in memory with the contents of an artifact, so that nobody can change what is mapped.

    Processes that map it share its pages. The runtime loads it by the name that `descriptor_path` gives.
    """
    try:
        with open(path, "rb") as file:
            descriptor = os.memfd_create("qcc-artifact", os.MFD_CLOEXEC)
            try:
                while True:
                    block = file.read(1 << 22)
                    if not block:
                        return descriptor
                    while block:
                        block = block[os.write(descriptor, block):]
            except BaseException:
                os.close(descriptor)
                raise
    except FileNotFoundError:
        raise NotFoundError(f"there is no file '{path}'; give the artifact that qcc compile -o has written") from None
    except OSError as error:
        raise NotFoundError(f"'{path}' cannot be read: {error.strerror}; give an artifact that this user may read") from None


def descriptor_path(descriptor: int) -> str:
    """The name of a descriptor of this process, also for other processes."""
    return f"/proc/{os.getpid()}/fd/{descriptor}"


class Place(NamedTuple):
    """Where to load an artifact from."""

    path: str
    identity: Optional[Sequence[int]] = None  #: device and inode of a snapshot; its descriptor may be another file by now


def identity_of(descriptor: int) -> Sequence[int]:
    status = os.fstat(descriptor)
    return [status.st_dev, status.st_ino]


@contextlib.contextmanager
def _opened(place: Place) -> Iterator[str]:
    """The path of what is at a place. Raises NotFoundError if that is another snapshot."""
    if place.identity is None:
        if not os.path.exists(place.path):
            raise NotFoundError("there is no such file; give the artifact that qcc compile -o has written")
        yield place.path
        return
    gone = "its snapshot was replaced before it was loaded; the server loads the newer one next"
    try:
        descriptor = os.open(place.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        raise NotFoundError(gone) from None
    try:
        if list(identity_of(descriptor)) != list(place.identity):
            raise NotFoundError(gone)
        yield descriptor_path(descriptor)
    finally:
        os.close(descriptor)


class Loaded:
    """An artifact that is ready to serve."""

    def __init__(self, source: Source, place: Place, options: BatchOptions) -> None:
        """Loads the source's file or a snapshot of it, and makes the trial of batches."""
        path = place.path
        try:
            with _opened(place) as path:
                # A snapshot does not change; a file may be overwritten, so a copy is loaded.
                self.module: Module = load(path, device=options.device, public_key=options.public_key,
                                           share_weights=options.shared, private_copy=not options.shared)
                self.module.check_health()
            if source.entry is None and len(self.module.functions) != 1:
                raise InvalidArgumentError(f"it has the functions {', '.join(self.module.functions)}; name one, such as "
                                           f"{source.path}:{self.module.functions[0]}")
            self.function: Function = self.module.function(source.entry, threads=options.threads)
            self.signature = Signature(self.function)
            self.unbatched = why_unbatched(self.function, self.signature, options.max_batch)
        except Error as error:
            message = str(error).replace(path, source.path)
            raise type(error)(f"model '{source.name}' of '{source.path}': {message}") from None


async def _retire(batcher: Batcher) -> None:
    """Waits for the last requests of an artifact, and gives its memory back."""
    await batcher.close()
    del batcher
    # Functions are in cycles of references, which no collection looks at after the server has frozen them.
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Model:
    """A name that is served, with the artifact that it has now."""

    def __init__(self, source: Source, loaded: Loaded, options: BatchOptions, limits: Limits, metrics: Metrics) -> None:
        self.source = source
        self.name = source.name
        self._options = options
        self._limits = limits
        self._metrics = metrics
        self._closing: "Set[asyncio.Task[None]]" = set()
        self._queue = metrics.histogram("qcc_queue_seconds", model=self.name)
        self._run = metrics.histogram("qcc_run_seconds", model=self.name)
        self._batch_rows = metrics.histogram("qcc_batch_rows", model=self.name)
        self.seconds = metrics.histogram("qcc_request_seconds", model=self.name)
        self.answers: Dict[int, int] = {}  #: since the metrics were published, by code of HTTP
        self.rows = 0
        self._start(loaded)

    def _start(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.signature = loaded.signature
        options = self._options
        self.batcher = Batcher(loaded.function, max_batch=options.max_batch, max_wait=options.max_wait,
                               max_queue=options.max_queue, max_dimension=self._limits.dimension,
                               signature=loaded.signature, unbatched=loaded.unbatched, observe=self._observe)
        self.fingerprint = loaded.module.fingerprint
        how = f"one by one: {loaded.unbatched}" if loaded.unbatched else f"in batches of up to {options.max_batch} rows"
        log.info("model '%s': %s, artifact %s, requests run %s", self.name, loaded.function, self.fingerprint, how)

    def _observe(self, batch: Batch) -> None:
        self._run.add(batch.run_seconds)
        self._batch_rows.add(batch.rows)
        for item in batch.items:
            self._queue.add(batch.started - item.since)

    def replace(self, loaded: Loaded) -> None:
        """Serves another artifact from the next request on. Requests that wait end with the one they came for."""
        old = self.batcher
        self._start(loaded)
        task = asyncio.get_running_loop().create_task(_retire(old))
        del old
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        await asyncio.gather(self.batcher.close(), *self._closing)

    def metadata(self) -> Dict[str, Any]:
        """As the protocol describes a model."""
        def describe(tensors: Sequence[Any]) -> List[Dict[str, Any]]:
            return [{"name": tensor.name, "datatype": tensor.datatype, "shape": tensor.sizes} for tensor in tensors]

        return {"name": self.name, "versions": [VERSION], "platform": "qcc", "inputs": describe(self.signature.inputs),
                "outputs": describe(self.signature.outputs)}

    async def reload(self, place: Place) -> None:
        """Loads the contents of a snapshot. If they cannot be served, the artifact before goes on."""
        start = time.monotonic()
        try:
            loop = asyncio.get_running_loop()
            loaded = await loop.run_in_executor(None, Loaded, self.source, place, self._options)
            self.replace(loaded)
        except Exception as error:
            self._metrics.count("qcc_reloads_total", model=self.name, result="failed")
            log.error("the artifact before is served further, because the new one cannot be: %s", error)
        else:
            self._metrics.count("qcc_reloads_total", model=self.name, result="replaced")
            log.info("model '%s' was replaced within %.3f s", self.name, time.monotonic() - start)


class Watcher:
    """Sees when files of models are replaced."""

    def __init__(self, sources: Sequence[Source], shared: bool) -> None:
        """
        Args:
            sources: the models.
            shared: whether to take snapshots of their files, which several processes map.
        """
        self.sources = list(sources)
        self._snapshots: Dict[str, int] = {}
        # A stamp is older than the contents, so that no change is missed.
        self._stamps = {source.name: stamp(source.path) for source in self.sources}
        self._seen: Dict[str, Optional[Stamp]] = {}
        if shared:
            self._snapshots = {source.name: snapshot(source.path) for source in self.sources}

    def place(self, source: Source) -> Place:
        """Where to load a model from."""
        if not self._snapshots:
            return Place(source.path)
        descriptor = self._snapshots[source.name]
        return Place(descriptor_path(descriptor), identity_of(descriptor))

    def close(self) -> None:
        """Closes the snapshots, which need no descriptor when they are loaded."""
        for descriptor in self._snapshots.values():
            os.close(descriptor)
        self._snapshots = {}

    def changed(self) -> List[Source]:
        """The sources whose files have changed, with new snapshots.

        A file counts as changed when it has been the same at two calls, because a copy takes time.
        """
        changed = []
        for source in self.sources:
            now = stamp(source.path)
            is_stable = now is not None and now == self._seen.get(source.name)
            self._seen[source.name] = now
            if not is_stable or now == self._stamps[source.name]:
                continue
            self._stamps[source.name] = now
            if self._snapshots:
                try:
                    descriptor = snapshot(source.path)
                except Error as error:
                    log.error("the artifact before is served further: %s", error)
                    continue
                os.close(self._snapshots[source.name])
                self._snapshots[source.name] = descriptor
            changed.append(source)
        return changed
