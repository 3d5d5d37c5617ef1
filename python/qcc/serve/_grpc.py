# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Open Inference Protocol over gRPC."""

from __future__ import annotations

import asyncio
import importlib
import math
import time
from typing import Any, Dict, List, Optional, Sequence, Set

import numpy as np

from ..errors import InvalidArgumentError, UnsupportedError
from ._batch import Item
from ._grpc_messages import SERVICE, messages
from ._models import Model
from ._protocol import VERSION, Limits, RequestError, check_parameters, from_bytes, timeout_of
from ._routes import Service, failure
from ._signature import Array, Tensor

# The packages of gRPC have no types.
grpc: Any = importlib.import_module("grpc")
aio: Any = importlib.import_module("grpc.aio")

_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT, 404: grpc.StatusCode.NOT_FOUND, 413: grpc.StatusCode.INVALID_ARGUMENT,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED, 503: grpc.StatusCode.UNAVAILABLE, 504: grpc.StatusCode.DEADLINE_EXCEEDED,
}

#: The field of typed contents for each datatype. FP16 and BF16 have none.
_CONTENTS = {
    "BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
    "INT64": "int64_contents", "UINT8": "uint_contents", "FP32": "fp32_contents", "FP64": "fp64_contents",
}


def _contents(tensor: Tensor, shape: Sequence[int], contents: Any) -> Array:
    """The array of typed contents."""
    field = _CONTENTS.get(tensor.datatype)
    if field is None:
        raise RequestError(400, f"input '{tensor.name}' is {tensor.datatype}, which has no typed contents; send it in "
                                "raw_input_contents")
    values, count = getattr(contents, field), math.prod(shape)
    if len(values) != count:
        raise RequestError(400, f"input '{tensor.name}' has {len(values)} values in {field}, but its shape {list(shape)} has "
                                f"{count}; send all of them")
    of_field: Any = {"f": tensor.dtype, "b": np.bool_}.get(tensor.dtype.kind, np.int64)
    wide: Array = np.array(values, of_field)
    array: Array = wide.astype(tensor.dtype)
    if tensor.dtype.kind in "iu" and not np.array_equal(array, wide):
        raise RequestError(400, f"input '{tensor.name}' has a value that {tensor.datatype} does not hold")
    return array.reshape(shape)


class _Servicer:
    """The methods of the service."""

    def __init__(self, service: Service, limits: Limits) -> None:
        self.service = service
        self.limits = limits
        self.types = messages()

    async def ServerLive(self, request: Any, context: Any) -> Any:
        return self.types["ServerLiveResponse"](live=True)

    async def ServerReady(self, request: Any, context: Any) -> Any:
        return self.types["ServerReadyResponse"](ready=self.service.is_ready)

    async def ModelReady(self, request: Any, context: Any) -> Any:
        await self.model(request.name, request.version, context)
        return self.types["ModelReadyResponse"](ready=self.service.is_ready)

    async def ServerMetadata(self, request: Any, context: Any) -> Any:
        return self.types["ServerMetadataResponse"](**self.service.server_metadata())

    async def ModelMetadata(self, request: Any, context: Any) -> Any:
        model = await self.model(request.name, request.version, context)
        return self.types["ModelMetadataResponse"](**model.metadata())

    async def model(self, name: str, version: str, context: Any) -> Model:
        try:
            self.service.check_version(version)
            return self.service.model(name)
        except RequestError as error:
            self.service.refused(error.code)
            raise await self.abort(context, error) from None

    @staticmethod
    async def abort(context: Any, error: RequestError) -> Exception:
        """Ends the call; grpc raises, so that this returns no exception in fact."""
        await context.abort(_CODES.get(error.code, grpc.StatusCode.INTERNAL), str(error), error.headers and tuple(
            (name.lower(), value) for name, value in error.headers))
        return error

    async def ModelInfer(self, request: Any, context: Any) -> Any:
        model = await self.model(request.model_name, request.model_version, context)
        since, rows, size = time.monotonic(), 0, request.ByteSize()
        self.service.body_bytes += size
        try:
            if self.service.body_bytes > self.limits.held:
                raise RequestError(429, "the bodies of other requests have all memory that is allowed; try again later",
                                   [("Retry-After", "1")])
            arrays, wanted, timeout = self.parse(model, request, context)
            signature = model.signature
            loop = asyncio.get_running_loop()
            future: "asyncio.Future[Item]" = loop.create_future()
            batcher = model.batcher  # A model that is replaced gets another one.
            item = batcher.submit(arrays, lambda item: None if future.done() else future.set_result(item), timeout)
            try:
                await future
            except asyncio.CancelledError:  # The client has gone.
                batcher.abandon(item)
                raise
            if item.error is not None:
                raise item.error
            rows = item.rows
            response = self.types["ModelInferResponse"](model_name=model.name, model_version=VERSION, id=request.id)
            for index in wanted:
                tensor, array = signature.outputs[index], item.results[index]
                response.outputs.add(name=tensor.name, datatype=tensor.datatype, shape=array.shape)
                response.raw_output_contents.append(array.tobytes())
        except asyncio.CancelledError:
            self.service.answered(model, 499, since)
            raise
        except Exception as error:
            known = failure(error)
            self.service.answered(model, known.code, since)
            raise await self.abort(context, known) from None
        finally:
            self.service.body_bytes -= size
        self.service.answered(model, 200, since, rows)
        return response

    def parse(self, model: Model, request: Any, context: Any) -> Any:
        """The arrays of a request, the indices of the results that it wants, and its time. Raises RequestError."""
        signature, raw = model.signature, request.raw_input_contents
        if raw and len(raw) != len(request.inputs):
            raise RequestError(400, f"raw_input_contents has {len(raw)} entries, but the request has {len(request.inputs)} "
                                    "inputs; send one for each")
        parameters = _parameters(request)
        arrays: List[Optional[Array]] = [None] * len(signature.inputs)
        sizes: Dict[str, int] = {}
        for position, entry in enumerate(request.inputs):
            index = signature.input_index.get(entry.name)
            if index is None:
                raise RequestError(400, f"the model has no input '{entry.name[:100]}'; it has "
                                        f"{', '.join(signature.input_index)}")
            tensor, shape = signature.inputs[index], list(entry.shape)
            if arrays[index] is not None:
                raise RequestError(400, f"input '{tensor.name}' is there twice; send it once")
            if entry.datatype != tensor.datatype:
                raise RequestError(400, f"input '{tensor.name}' is {entry.datatype[:20]}, but the model takes "
                                        f"{tensor.datatype}; convert it")
            _parameters(entry)
            try:
                signature.check_shape(index, shape, sizes, self.limits.dimension)
            except InvalidArgumentError as error:
                raise RequestError(400, str(error)) from None
            if raw:
                size = math.prod(shape) * tensor.dtype.itemsize
                if len(raw[position]) != size:
                    raise RequestError(400, f"input '{tensor.name}' has {len(raw[position])} bytes, but its shape {shape} "
                                            f"has {size}; send all of them")
                arrays[index] = from_bytes(tensor, shape, raw[position])
            else:
                arrays[index] = _contents(tensor, shape, entry.contents)
        for tensor, array in zip(signature.inputs, arrays):
            if array is None:
                raise RequestError(400, f"input '{tensor.name}' is missing; send {tensor.datatype} {tensor.shape_text}")
        size = signature.result_bytes([array.shape for array in arrays if array is not None])
        if size > self.limits.result:
            raise RequestError(413, f"the results have {size} bytes, but at most {self.limits.result} are allowed; "
                                    "send less at once")
        return arrays, self.wanted(model, request), self.timeout(parameters, context)

    @staticmethod
    def wanted(model: Model, request: Any) -> Sequence[int]:
        names = model.signature.output_index
        found: Set[int] = set()
        indices = []
        for entry in request.outputs:
            index = names.get(entry.name)
            if index is None:
                raise RequestError(400, f"the model has no output '{entry.name[:100]}'; it has {', '.join(names)}")
            if index in found:
                raise RequestError(400, f"output '{entry.name}' is there twice; ask for it once")
            _parameters(entry)
            found.add(index)
            indices.append(index)
        return indices or range(len(names))

    def timeout(self, parameters: Dict[str, Any], context: Any) -> Optional[float]:
        """The shorter one of the parameter and the deadline of the call."""
        times = [time for time in (timeout_of(parameters, self.limits), context.time_remaining()) if time is not None]
        return max(0.0, min(times)) if times else None


def _parameters(of: Any) -> Dict[str, Any]:
    """The parameters of a request or of a tensor, which are checked."""
    parameters = {}
    for name, value in of.parameters.items():
        kind = value.WhichOneof("parameter_choice")
        parameters[name] = getattr(value, kind) if kind else None
    check_parameters(parameters)
    return parameters


async def start(service: Service, address: str, limits: Limits, most_calls: int) -> Any:
    """A server of gRPC, which has begun to serve; more than `most_calls` at once are refused."""
    servicer = _Servicer(service, limits)
    handlers = {}
    for method in ("ServerLive", "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelInfer"):
        handlers[method] = grpc.unary_unary_rpc_method_handler(
            getattr(servicer, method), servicer.types[method + "Request"].FromString,
            servicer.types[method + "Response"].SerializeToString)
    # A message has the tensors and some bytes around them.
    room = 1 << 16
    server = aio.server(maximum_concurrent_rpcs=most_calls, options=[
        ("grpc.max_receive_message_length", limits.body + room), ("grpc.max_send_message_length", limits.result + room),
        ("grpc.max_concurrent_streams", 1024)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise UnsupportedError(f"{address} cannot be listened at by gRPC: {error}; choose another --grpc-port") from None
    if port == 0:
        raise UnsupportedError(f"{address} cannot be listened at by gRPC; choose another --grpc-port")
    await server.start()
    return server

