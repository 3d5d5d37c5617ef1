# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of the Open Inference Protocol (KServe version 2), in JSON and with the binary extension."""

from __future__ import annotations

import json
import math
from itertools import chain
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Set, Tuple

import numpy as np

from ..errors import InvalidArgumentError
from ._signature import MOST_OF_DIMENSION, Array, Signature, Tensor

#: The version that every model has: a replaced artifact takes the place of the one before.
VERSION = "1"


class RequestError(Exception):
    """A request that is refused, with a code of HTTP and the headers of the response."""

    def __init__(self, code: int, message: str, headers: Sequence[Tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.headers = tuple(headers)


class Limits:
    """What requests may ask for."""

    def __init__(self, body: int = 64 << 20, json: int = 8 << 20, result: int = 64 << 20,
                 dimension: int = MOST_OF_DIMENSION, held: int = 1 << 30, timeout: Optional[float] = None) -> None:
        self.body = body  #: bytes of a body
        self.json = json  #: bytes of its JSON, whose parsing keeps all other requests waiting
        self.result = result  #: bytes of the results of a request
        self.dimension = dimension  #: the size of a dynamic dimension
        self.held = held  #: bytes of all bodies of a process
        self.timeout = timeout  #: seconds of a request that names no time


class Plan:
    """What the JSON of a request says. Clients repeat it, so plans of binary requests are kept."""

    __slots__ = ("binary", "id", "outputs", "response", "size", "timeout")

    def __init__(self) -> None:
        self.id: Optional[str] = None
        self.binary: List[Tuple[Tensor, List[int], int]] = []  #: type, shape and offset of each input, from the end of the JSON
        self.size = 0  #: of the binary data
        self.outputs: List[Tuple[int, bool]] = []  #: the index of each wanted result, and whether in binary form
        self.timeout: Optional[float] = None  #: in seconds
        self.response: Optional[Tuple[Any, bytes]] = None  #: shapes of results, and the JSON of the last response


class InferRequest:
    """A request whose arrays fit to the function."""

    __slots__ = ("arrays", "plan")

    def __init__(self, plan: Plan, arrays: List[Array]) -> None:
        self.plan = plan
        self.arrays = arrays  #: views of the body


#: So many plans are kept for a model, of JSON of at most so many bytes.
_MOST_PLANS = 256
_MOST_PLANNED = 2048


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)


def _get(of: Dict[str, Any], key: str, kind: type, what: str) -> Any:
    """A field that must have a type."""
    value = of.get(key)
    if type(value) is not kind:
        names = {str: "a text", list: "a list", dict: "an object", int: "an integer", bool: "true or false"}
        given = "is missing" if key not in of else "is of another type"
        raise RequestError(400, f"'{key}' of {what} {given}; it must be {names[kind]}")
    return value


def check_parameters(parameters: Dict[str, Any]) -> None:
    """Refuses what the server does not have, in the parameters of a request or of a tensor."""
    for name, value in parameters.items():
        if name.startswith("shared_memory"):
            raise RequestError(400, "this server has no shared memory; send the tensors in the request")
        if name == "classification" and value:
            raise RequestError(400, "this server does not classify; leave 'classification' out")
        if name.startswith("sequence_") and value:
            raise RequestError(400, "this server has no sequences; leave the parameters of sequences out")


def _parameters(of: Dict[str, Any], what: str) -> Dict[str, Any]:
    parameters: Dict[str, Any] = _get(of, "parameters", dict, what) if "parameters" in of else {}
    check_parameters(parameters)
    return parameters


def parse_infer(signature: Signature, body: bytes, header_length: Optional[int], limits: Limits) -> InferRequest:
    """The request of a body, of which `header_length` bytes are JSON and the others binary data.

    Raises RequestError.
    """
    end = len(body) if header_length is None else header_length
    text = body[:end] if end < len(body) else body
    plan = signature.plans.get(text)
    if plan is None:
        return _parse_new(signature, body, text, end, limits)
    if len(body) != end + plan.size:
        raise RequestError(400, f"the body has {len(body)} bytes, but its JSON says {end + plan.size}; send all of them")
    return InferRequest(plan, [from_bytes(tensor, shape, body, end + start) for tensor, shape, start in plan.binary])


def _parse_new(signature: Signature, body: bytes, text: bytes, end: int, limits: Limits) -> InferRequest:
    if not 0 <= end <= len(body):
        raise RequestError(400, f"Inference-Header-Content-Length is {end}, but the body has {len(body)} bytes")
    if end > limits.json:
        raise RequestError(413, f"the JSON of the body has {end} bytes, but at most {limits.json} are allowed; send tensors "
                                "as binary data")
    try:
        request = _decoder.decode(str(text, "utf-8"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RequestError(400, f"the body is not JSON: {reason}; with binary data, the header "
                                "Inference-Header-Content-Length must say where the JSON ends") from None
    if type(request) is not dict:
        raise RequestError(400, "the body must be an object with 'inputs'")
    parsed = _Parser(signature, body, end, limits).parse(request)
    if len(parsed.plan.binary) == len(signature.inputs) and end <= _MOST_PLANNED:
        if len(signature.plans) >= _MOST_PLANS:
            signature.plans.clear()
        signature.plans[text] = parsed.plan
    return parsed


class _Parser:
    """Reads one request."""

    def __init__(self, signature: Signature, body: bytes, position: int, limits: Limits) -> None:
        self.signature = signature
        self.body = body
        self.position = self.start = position  # of the next binary tensor, and of the first
        self.limits = limits
        self.sizes: Dict[str, int] = {}
        self.plan = Plan()

    def parse(self, request: Dict[str, Any]) -> InferRequest:
        plan, signature, of_id = self.plan, self.signature, request.get("id")
        if of_id is not None and type(of_id) is not str:
            raise RequestError(400, "'id' of the request is of another type; it must be a text")
        arrays: List[Optional[Array]] = [None] * len(signature.inputs)
        for entry in _get(request, "inputs", list, "the request"):
            if type(entry) is not dict:
                raise RequestError(400, "each of 'inputs' must be an object")
            index = self.index(entry, signature.input_index, "inputs")
            if arrays[index] is not None:
                raise RequestError(400, f"input '{signature.inputs[index].name}' is there twice; send it once")
            arrays[index] = self.tensor(index, entry)
        for tensor, array in zip(signature.inputs, arrays):
            if array is None:
                raise RequestError(400, f"input '{tensor.name}' is missing; send {tensor.datatype} {tensor.shape_text}")
        if self.position != len(self.body):
            raise RequestError(400, f"{len(self.body) - self.position} bytes of the body belong to no input; "
                                    "'binary_data_size' must say how many bytes an input has")
        given = [array for array in arrays if array is not None]
        size = signature.result_bytes([array.shape for array in given])
        if size > self.limits.result:
            raise RequestError(413, f"the results have {size} bytes, but at most {self.limits.result} are allowed; "
                                    "send less at once")
        parameters = _parameters(request, "the request")
        # In the order of the function, which need not be that of the body.
        plan.binary.sort(key=lambda part: signature.input_index[part[0].name])
        plan.id, plan.size = of_id, self.position - self.start
        plan.outputs, plan.timeout = self.outputs(request, parameters), timeout_of(parameters, self.limits)
        return InferRequest(plan, given)

    def index(self, entry: Dict[str, Any], names: Dict[str, int], kind: str) -> int:
        name = _get(entry, "name", str, f"one of '{kind}'")
        index = names.get(name)
        if index is None:
            raise RequestError(400, f"the model has no {kind[:-1]} '{name[:100]}'; it has {', '.join(names)}")
        return index

    def tensor(self, index: int, entry: Dict[str, Any]) -> Array:
        tensor = self.signature.inputs[index]
        shape = _get(entry, "shape", list, f"input '{tensor.name}'")
        if not set(map(type, shape)) <= {int}:
            raise RequestError(400, f"'shape' of input '{tensor.name}' must be a list of integers")
        datatype = _get(entry, "datatype", str, f"input '{tensor.name}'")
        if datatype != tensor.datatype:
            raise RequestError(400, f"input '{tensor.name}' is {datatype[:20]}, but the model takes {tensor.datatype}; "
                                    "convert it")
        try:
            self.signature.check_shape(index, shape, self.sizes, self.limits.dimension)
        except InvalidArgumentError as error:
            raise RequestError(400, str(error)) from None
        parameters = _parameters(entry, f"input '{tensor.name}'")
        if "binary_data_size" in parameters:
            if "data" in entry:
                raise RequestError(400, f"input '{tensor.name}' has 'data' and 'binary_data_size'; send one of them")
            return self.binary(tensor, shape, _get(parameters, "binary_data_size", int, "the parameters"))
        return from_json(tensor, shape, _get(entry, "data", list, f"input '{tensor.name}'"))

    def binary(self, tensor: Tensor, shape: List[int], size: int) -> Array:
        count, start = math.prod(shape), self.position
        if size != count * tensor.dtype.itemsize:
            raise RequestError(400, f"input '{tensor.name}' has {size} bytes, but its shape {shape} has "
                                    f"{count * tensor.dtype.itemsize}; send all of them")
        self.position = start + size
        if self.position > len(self.body):
            raise RequestError(400, f"the body ends before the last byte of input '{tensor.name}'; send "
                                    f"{self.position - len(self.body)} bytes more")
        self.plan.binary.append((tensor, shape, start - self.start))
        return from_bytes(tensor, shape, self.body, start)

    def outputs(self, request: Dict[str, Any], parameters: Dict[str, Any]) -> List[Tuple[int, bool]]:
        binary = _get(parameters, "binary_data_output", bool, "the parameters") \
            if "binary_data_output" in parameters else False
        if "outputs" not in request:
            return [(index, binary) for index in range(len(self.signature.outputs))]
        wanted = []
        for entry in _get(request, "outputs", list, "the request"):
            if type(entry) is not dict:
                raise RequestError(400, "each of 'outputs' must be an object")
            index = self.index(entry, self.signature.output_index, "outputs")
            own = _parameters(entry, f"output '{entry['name']}'")
            wanted.append((index, _get(own, "binary_data", bool, "the parameters") if "binary_data" in own else binary))
        if len({index for index, _ in wanted}) != len(wanted):
            raise RequestError(400, "an output is there twice in 'outputs'; ask for it once")
        return wanted or [(index, binary) for index in range(len(self.signature.outputs))]


def timeout_of(parameters: Dict[str, Any], limits: Limits) -> Optional[float]:
    """The seconds of a request, whose parameters may name less than the server's time.

    Clients of Triton send microseconds; 0 is the server's time.
    """
    if not parameters.get("timeout"):
        return limits.timeout
    microseconds: int = _get(parameters, "timeout", int, "the parameters")
    if microseconds < 0:
        raise RequestError(400, f"'timeout' is {microseconds}, but it must be positive; it is in microseconds")
    seconds = min(microseconds, 10**15) * 1e-6
    return seconds if limits.timeout is None else min(seconds, limits.timeout)


def from_bytes(tensor: Tensor, shape: Sequence[int], data: bytes, start: int = 0) -> Array:
    """The array that lies in `data`, in place if its elements can have any bits."""
    count = math.prod(shape)
    array: Array = np.frombuffer(data, np.uint8 if tensor.datatype == "BOOL" else tensor.dtype, count, start)
    if tensor.datatype == "BOOL":
        if count and array.max() > 1:
            raise RequestError(400, f"input '{tensor.name}' has a byte {array.max()}, but a BOOL is 0 or 1")
        array = array.view(np.bool_)
    return array.reshape(shape)


def _flat(data: List[Any], shape: Sequence[int], name: str) -> List[Any]:
    """The elements of nested lists, or of a list that is flat already."""
    if not data or type(data[0]) is not list:
        return data
    fits = len(data) == shape[0] if shape else False
    for size in shape[1:]:
        fits = fits and set(map(type, data)) <= {list} and set(map(len, data)) <= {size}
        if not fits:
            break
        data = list(chain.from_iterable(data))
    if not fits:
        raise RequestError(400, f"'data' of input '{name}' is not nested like its shape {list(shape)}; send nested lists "
                                "of these lengths, or one flat list")
    return data


#: The types of JSON's values for each kind of numpy's types.
ALLOWED: Dict[str, Set[Any]] = {"b": {bool}, "i": {int}, "u": {int}, "f": {int, float}}


def from_json(tensor: Tensor, shape: Sequence[int], data: List[Any]) -> Array:
    """The array of numbers of JSON."""
    name, count, kind = tensor.name, math.prod(shape), tensor.dtype.kind
    if tensor.datatype == "BF16":
        raise RequestError(400, f"input '{name}' is BF16, which JSON does not have; send it as binary data")
    flat = _flat(data, shape, name)
    if len(flat) != count:
        raise RequestError(400, f"input '{name}' has {len(flat)} numbers, but its shape {list(shape)} has {count}; "
                                "send all of them")
    allowed: Set[Any] = ALLOWED[kind]
    if not set(map(type, flat)) <= allowed:
        wanted = {"b": "true and false", "i": "integers", "u": "integers", "f": "numbers"}[kind]
        raise RequestError(400, f"'data' of input '{name}' must have {wanted} alone")
    try:
        if kind == "f":
            with np.errstate(over="ignore"):
                array = np.array(flat, np.float64).astype(tensor.dtype)
            fits = bool(np.isfinite(array).all())
        elif kind == "b":
            return np.array(flat, np.bool_).reshape(shape)
        else:
            info = np.iinfo(tensor.dtype)
            fits = not flat or (info.min <= min(flat) and max(flat) <= info.max)
            array = np.array(flat, tensor.dtype) if fits else np.array([])
    except OverflowError:
        fits = False
    if not fits:
        raise RequestError(400, f"'data' of input '{name}' has a number that {tensor.datatype} does not hold")
    return array.reshape(shape)


def to_json(tensor: Tensor, array: Array) -> List[Any]:
    """The flat numbers of a result."""
    if tensor.dtype.kind in "fV":
        wide = array.astype(np.float64)
        if not np.isfinite(wide).all():
            raise RequestError(400, f"output '{tensor.name}' has infinities or NaNs, which JSON does not have; ask for "
                                    "it as binary data")
        array = wide
    numbers: List[Any] = array.ravel().tolist()
    return numbers


def check_json(size: int, limits: Limits) -> None:
    """Refuses results that have too many bytes of JSON."""
    if size > limits.json:
        raise RequestError(413, f"the results have more than {limits.json} bytes of JSON, which is the most allowed; ask for "
                                "them as binary data")


def format_infer(model: str, signature: Signature, plan: Plan, results: Sequence[Array],
                 limits: Limits) -> Tuple[bytes, List[bytes]]:
    """The JSON of a response, and the binary data after it. Raises RequestError."""
    shapes = [array.shape for array in results]
    binary = [results[index].tobytes() for index, is_binary in plan.outputs if is_binary]
    if plan.response is not None and plan.response[0] == shapes:
        return plan.response[1], binary
    # A number has at least one digit, a comma and a space.
    check_json(3 * sum(results[index].size for index, is_binary in plan.outputs if not is_binary), limits)
    outputs = []
    for index, is_binary in plan.outputs:
        tensor, array = signature.outputs[index], results[index]
        output: Dict[str, Any] = {"name": tensor.name, "datatype": tensor.datatype, "shape": array.shape}
        if is_binary:
            output["parameters"] = {"binary_data_size": array.nbytes}
        else:
            output["data"] = to_json(tensor, array)
        outputs.append(output)
    response: Dict[str, Any] = {"model_name": model, "model_version": VERSION, "outputs": outputs}
    if plan.id is not None:
        response["id"] = plan.id
    text = json.dumps(response).encode()
    check_json(len(text), limits)
    if len(binary) == len(plan.outputs):
        plan.response = shapes, text
    return text, binary
