# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serves compiled models over the network: python -m qcc serve NAME=model.so.

docs/HowTo/Serve.md says how to use it. The parts, each of which knows only those before it:

* `_signature`: what a function takes and gives, with names, and whether its requests may be batched;
* `_batch`, `_batcher`: `Batcher` puts requests together and runs them; it needs no HTTP library;
* `_metrics`: counters of this process and, in shared memory, of its siblings, in the format of Prometheus;
* `_models`: the artifacts that are served, their loading and reloading;
* `_protocol`: bodies of the Open Inference Protocol, JSON and binary, to arrays and back;
* `_routes`: the paths of the REST interface; `_exchange`, `_http`: connections, on httptools and asyncio;
* `_grpc_messages`, `_grpc`: the same protocol over gRPC;
* `_server`: one process: event loop, drain; `_workers`: several processes; `_command`: the command line.

A request takes this way: a connection reads its body, after its length was checked. The protocol makes arrays of it,
which are views of the body. The batcher queues them, or refuses if the queue is full. It copies the arrays of a batch
together and runs the function, on a thread unless the run is short. The event loop writes views of the results.
Requests of HTTP have no asyncio tasks, which would cost more than the model.
"""

from ._batch import DeadlineError, QueueFullError
from ._batcher import Batcher

__all__ = ["Batcher", "DeadlineError", "QueueFullError"]
