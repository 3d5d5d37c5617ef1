# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deployments of Ray Serve."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Optional, Union

from .. import errors
from .._module import Module, load
from ..errors import InvalidArgumentError, NotFoundError, UnsupportedError
from ..serve._models import BatchOptions
from ..serve._protocol import Limits
from ..serve._signature import MOST_OF_DIMENSION
from ._artifact import Artifact, as_artifact
from ._handle import Handle, need_serve
from ._replica import Keeper, Replica, ReplicaOptions


class Deployment:
    """A model that replicas of Ray Serve run.

        infer = qcc.ray.Deployment("classifier.so", num_replicas=2).run("classifier")
        y = infer(x, timeout=0.1)

    Over HTTP, an application speaks the Open Inference Protocol below its prefix: `/v2/models/NAME/infer` and the other
    paths of `python -m qcc serve`, except `/metrics`. From Python, `qcc.ray.Handle` calls it. In other deployments that
    take the application as an argument, `qcc.ray.Handle(handle)` does the same.

    Each replica puts requests together as `qcc.serve.Batcher` does, so each result has the bits of a run with its request
    alone. All replicas of a node map one file, and share its pages.
    """

    def __init__(self, artifact: "Union[str, os.PathLike[str], Artifact, Module]", *, name: Optional[str] = None,
                 max_batch: int = 32, max_wait: float = 0.002, max_queue: int = 1024, timeout: Optional[float] = None,
                 threads: int = 1, device: Optional[str] = None, public_key: Optional[str] = None,
                 share_weights: bool = True, max_body: int = 64 << 20, max_result: int = 64 << 20,
                 max_dimension: int = MOST_OF_DIMENSION, share: bool = True, **options: Any) -> None:
        """Loads the artifact in this process, too, to find mistakes before anything is started.

        Args:
            artifact: what runs: FILE or FILE:FUNCTION, an `Artifact`, or a module.
            name: of the model and the deployment; None is the name of the file without its end.
            max_batch: the most rows of a batch; 1 batches nothing.
            max_wait: how many seconds a request waits at most for others, in a replica that runs nothing.
            max_queue: the most requests that wait for replicas at each handle and at each HTTP proxy, which is Ray Serve's
                max_queued_requests. Handles refuse more by QueueFullError, proxies by 503.
            timeout: the most seconds of a request in a replica; None is no limit. A request may ask for less.
            threads: threads of a run. A replica asks Ray for so many CPUs unless `options` say otherwise.
            device: what runs the model: None or "cpu", "cuda" or "cuda:N". Ask Ray for GPUs in ray_actor_options.
            public_key: load only an artifact that has a signature of this key, 64 hexadecimal digits.
            share_weights: leave weights in the pages of the file, which all replicas of a node share. Without this, each
                replica copies weights of 8 MiB and more to larger pages, which is faster.
            max_body: the most bytes of the body of an HTTP request.
            max_result: the most bytes of the results of an HTTP request.
            max_dimension: the largest size of a dynamic dimension.
            share: as in `Artifact`, where `artifact` is a path.
            options: those of `ray.serve.deployment`, such as num_replicas, autoscaling_config, ray_actor_options,
                max_replicas_per_node, graceful_shutdown_timeout_s and health_check_period_s. max_ongoing_requests is two
                batches, and the target of autoscaling one batch of requests in each replica, unless given.

        Raises:
            InvalidArgumentError: an option is wrong, or the artifact has several functions and none is named.
            NotFoundError: there is no such file or function.
            CorruptArtifactError, UntrustedError: the artifact is damaged, or lacks the signature.
            UnsupportedError: Ray Serve is not installed.
        """
        for what, value, least in (("max_batch", max_batch, 1), ("max_wait", max_wait, 0), ("max_queue", max_queue, 1),
                                   ("threads", threads, 1)):
            if not value >= least:
                raise InvalidArgumentError(f"{what} is {value}, but it must be at least {least}")
        self._serve = need_serve()
        self.artifact = as_artifact(artifact, share)
        self.name: str = name or os.path.splitext(os.path.basename(self.artifact.stored.path))[0]
        _check(self.artifact, public_key)
        self._options = _with_defaults(options, max_batch, max_queue, threads)
        # Requests wait at handles and proxies; a replica takes all that Ray hands over.
        ongoing = self._options["max_ongoing_requests"]
        batch = BatchOptions(max_batch, max_wait, ongoing, threads, device, public_key, share_weights)
        limits = Limits(max_body, result=max_result, dimension=max_dimension, timeout=timeout)
        self._replica = ReplicaOptions(self.name, self.artifact.stored, batch, limits)

    def run(self, application: str = "default", *, route_prefix: Optional[str] = "/", **options: Any) -> Handle:
        """Deploys the application, waits until it runs, and returns its caller.

        Args:
            application: its name, as Ray Serve knows it. A deployment of the same name is replaced, replica by replica.
            route_prefix: where its paths begin in HTTP; None is no HTTP.
            options: other options of `ray.serve.run`.

        Raises:
            Error: of the class that a replica has raised when it was started, or InvalidArgumentError, if Ray Serve refuses
                an option.
        """
        try:
            return Handle(self._serve.run(self.bind(), name=application, route_prefix=route_prefix, **options))
        except RuntimeError as error:
            raise (error if isinstance(error, errors.Error) else self._why_failed(application, error)) from None

    def _why_failed(self, application: str, error: RuntimeError) -> errors.Error:
        """The error of the first replica that could not start, which Ray Serve has as the text of a traceback."""
        known = self._serve.status().applications.get(application)
        texts = [deployment.message for deployment in known.deployments.values()] if known is not None else []
        for text in texts:
            found = re.search(r"^qcc\.errors\.(\w+): ((?!.*^qcc\.errors\.).*)", text, re.MULTILINE | re.DOTALL)
            if found is not None:
                kind = getattr(errors, found.group(1), errors.Error)
                return kind(f"no replica of '{self.name}' could start: {found.group(2).strip()}")
        reason = " ".join([str(error), *texts])
        return UnsupportedError(f"Ray Serve could not start '{self.name}': {reason}")

    def bind(self) -> Any:
        """The application (`ray.serve.Application`), for `ray.serve.run`, a config file, or another deployment.

        Raises:
            InvalidArgumentError: Ray Serve refuses an option.
        """
        deployment = self._serve.deployment
        try:
            replica = deployment(name=self.name, **self._options)(Replica)
            if not self.artifact.digest:
                return replica.bind(self._replica)
            keeper = deployment(name=f"{self.name}-artifact", ray_actor_options={"num_cpus": 0})(Keeper)
            return replica.bind(self._replica, keeper.bind(self.artifact))
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f"Ray Serve refuses the options of '{self.name}': {error}") from None


def _with_defaults(options: Dict[str, Any], max_batch: int, max_queue: int, threads: int) -> Dict[str, Any]:
    """The options of Ray Serve, with defaults that let a batch become full."""
    known = {"max_ongoing_requests": max(2 * max_batch, 16), "max_queued_requests": max_queue, **options}
    known["ray_actor_options"] = {"num_cpus": threads, **(options.get("ray_actor_options") or {})}
    scaling = options.get("autoscaling_config")
    if isinstance(scaling, dict):
        known["autoscaling_config"] = {"target_ongoing_requests": max_batch, **scaling}
    elif scaling is None and options.get("num_replicas") == "auto":
        known["autoscaling_config"] = {"target_ongoing_requests": max_batch}
    return known


def _check(artifact: Artifact, public_key: Optional[str]) -> None:
    """Finds out before anything is started that an artifact cannot be served. Raises what `qcc.load` raises.

    This machine may be unable to run what the nodes can, so a failure to do so says nothing.
    """
    path = artifact.stored.find()
    if path is None or not os.path.exists(path):
        return
    try:
        module = load(path, public_key=public_key, share_weights=True)
        module.check_health()
    except UnsupportedError:
        return
    names = ", ".join(module.functions)
    if artifact.function is None and len(module.functions) != 1:
        raise InvalidArgumentError(f"'{artifact.stored.path}' has the functions {names}; name one, such as "
                                   f"{artifact.stored.path}:{module.functions[0]}")
    if artifact.function is not None and artifact.function not in module.functions:
        raise NotFoundError(f"'{artifact.stored.path}' has no function '{artifact.function}'; it has {names}")
