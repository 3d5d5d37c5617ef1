# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The messages of the Open Inference Protocol over gRPC, made at import instead of by protoc.

Code that protoc generates works with some versions of protobuf alone. The table has the fields that the server reads or
writes; protobuf keeps or skips the others.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Dict, List, Tuple

from ..errors import UnsupportedError

#: (number, name, type); "*" is repeated, "{T}" a map from texts to T, a name of this table a message.
_MESSAGES: Dict[str, List[Tuple[int, str, str]]] = {
    "ServerLiveRequest": [],
    "ServerLiveResponse": [(1, "live", "bool")],
    "ServerReadyRequest": [],
    "ServerReadyResponse": [(1, "ready", "bool")],
    "ModelReadyRequest": [(1, "name", "string"), (2, "version", "string")],
    "ModelReadyResponse": [(1, "ready", "bool")],
    "ServerMetadataRequest": [],
    "ServerMetadataResponse": [(1, "name", "string"), (2, "version", "string"), (3, "extensions", "*string")],
    "ModelMetadataRequest": [(1, "name", "string"), (2, "version", "string")],
    "TensorMetadata": [(1, "name", "string"), (2, "datatype", "string"), (3, "shape", "*int64")],
    "ModelMetadataResponse": [(1, "name", "string"), (2, "versions", "*string"), (3, "platform", "string"),
                              (4, "inputs", "*TensorMetadata"), (5, "outputs", "*TensorMetadata")],
    "InferParameter": [(1, "bool_param", "bool"), (2, "int64_param", "int64"), (3, "string_param", "string"),
                       (4, "double_param", "double"), (5, "uint64_param", "uint64")],
    "InferTensorContents": [(1, "bool_contents", "*bool"), (2, "int_contents", "*int32"), (3, "int64_contents", "*int64"),
                            (4, "uint_contents", "*uint32"), (5, "uint64_contents", "*uint64"),
                            (6, "fp32_contents", "*float"), (7, "fp64_contents", "*double"),
                            (8, "bytes_contents", "*bytes")],
    "InferInputTensor": [(1, "name", "string"), (2, "datatype", "string"), (3, "shape", "*int64"),
                         (4, "parameters", "{InferParameter}"), (5, "contents", "InferTensorContents")],
    "InferRequestedOutputTensor": [(1, "name", "string"), (2, "parameters", "{InferParameter}")],
    "ModelInferRequest": [(1, "model_name", "string"), (2, "model_version", "string"), (3, "id", "string"),
                          (4, "parameters", "{InferParameter}"), (5, "inputs", "*InferInputTensor"),
                          (6, "outputs", "*InferRequestedOutputTensor"), (7, "raw_input_contents", "*bytes")],
    "InferOutputTensor": [(1, "name", "string"), (2, "datatype", "string"), (3, "shape", "*int64"),
                          (4, "parameters", "{InferParameter}"), (5, "contents", "InferTensorContents")],
    "ModelInferResponse": [(1, "model_name", "string"), (2, "model_version", "string"), (3, "id", "string"),
                           (4, "parameters", "{InferParameter}"), (5, "outputs", "*InferOutputTensor"),
                           (6, "raw_output_contents", "*bytes")],
}

_PACKAGE = "inference"
SERVICE = _PACKAGE + ".GRPCInferenceService"


def check_installed() -> None:
    """Raises UnsupportedError where a library is missing. Imports none: processes are forked later."""
    missing = [package for package, module in (("grpcio", "grpc"), ("protobuf", "google.protobuf"))
               if not _is_there(module)]
    if missing:
        raise UnsupportedError(f"--grpc-port needs libraries that are not installed; pip install {' '.join(missing)}")


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False


def messages() -> Dict[str, Any]:
    """The classes of the messages, by name."""
    names = ("descriptor_pb2", "descriptor_pool", "message_factory")
    modules: List[Any] = [importlib.import_module("google.protobuf." + name) for name in names]
    descriptor_pb2, descriptor_pool, message_factory = modules
    file = descriptor_pb2.FileDescriptorProto(name="qcc/inference.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if name == "InferParameter":
            message.oneof_decl.add(name="parameter_choice")
        for number, field_name, kind in fields:
            field = message.field.add(name=field_name, number=number)
            is_map = kind.startswith("{")
            field.label = field.LABEL_REPEATED if is_map or kind.startswith("*") else field.LABEL_OPTIONAL
            if is_map:
                entry = message.nested_type.add(name=field_name.title() + "Entry")
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=field.LABEL_OPTIONAL, type=field.TYPE_STRING)
                entry.field.add(name="value", number=2, label=field.LABEL_OPTIONAL, type=field.TYPE_MESSAGE,
                                type_name=f".{_PACKAGE}.{kind[1:-1]}")
                field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{name}.{entry.name}"
                continue
            kind = kind.lstrip("*")
            if kind in _MESSAGES:
                field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                field.type = getattr(field, f"TYPE_{kind.upper()}")
            if name == "InferParameter":
                field.oneof_index = 0
    # A pool of its own: clients in the same process may have messages of these names.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    get = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: get(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES}
