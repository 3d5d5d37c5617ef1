# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models on a cluster of Ray: replicas of Ray Serve, and batch jobs of Ray Data.

    import qcc.ray

    infer = qcc.ray.Deployment("classifier.so", autoscaling_config={"max_replicas": 8}).run("classifier")
    y = infer(x, timeout=0.1)

    ds = ds.map_batches(qcc.ray.Predictor, fn_constructor_args=[qcc.ray.Artifact("classifier.so")], batch_size=1024,
                        compute=ray.data.ActorPoolStrategy(size=4))

It needs ray: pip install 'qcc-runtime[ray]', on each node. docs/HowTo/Serve.md says when to take which. The parts, each
of which knows only those before it:

* `_artifact`: an artifact that nodes map from a file, and the folder where a node keeps bytes that it got;
* `_replica`: what Ray Serve starts: replicas, with the batcher and the protocol of `qcc.serve`, and the keeper of bytes;
* `_handle`: calls from Python; `_deployment`: the options of a deployment;
* `_predictor`: a class for `ray.data.Dataset.map_batches`.
"""

try:
    import ray as _ray  # noqa: F401
except ImportError as _error:
    raise ModuleNotFoundError(f"qcc.ray needs the package ray ({_error}); pip install 'qcc-runtime[ray]'",
                              name="ray") from None

from ._artifact import Artifact
from ._deployment import Deployment
from ._handle import Handle, ReplicaLostError
from ._predictor import Predictor

__all__ = ["Artifact", "Deployment", "Handle", "Predictor", "ReplicaLostError"]
