# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structures of include/qcc-c, field by field. Those that may grow begin with `size`."""

from __future__ import annotations

import ctypes


class DataType(ctypes.Structure):
    """DLDataType"""

    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class SizedStructure(ctypes.Structure):
    """A structure whose first field is its size."""

    def __init__(self) -> None:
        super().__init__()
        self.size = ctypes.sizeof(self)


class ModuleOptions(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("variant", ctypes.c_char_p),
        ("weight_pages", ctypes.c_int32),
        ("flags", ctypes.c_uint64),
        ("device", ctypes.c_char_p),
        ("weight_allocator", ctypes.c_void_p),
        ("public_key", ctypes.c_char_p),
    ]


class ModuleInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("artifact_version", ctypes.c_int32),
        ("artifact_minor_version", ctypes.c_int32),
        ("num_metadata", ctypes.c_size_t),
        ("fingerprint", ctypes.c_char_p),
        ("public_key", ctypes.c_char_p),
    ]


class ProcessInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("runs", ctypes.c_uint64),
        ("failed_runs", ctypes.c_uint64),
        ("busy_runs", ctypes.c_uint64),
        ("cancelled_runs", ctypes.c_uint64),
        ("timed_out_runs", ctypes.c_uint64),
        ("loads", ctypes.c_uint64),
        ("failed_loads", ctypes.c_uint64),
        ("load_nanoseconds", ctypes.c_uint64),
        ("device_loads", ctypes.c_uint64),
        ("device_load_nanoseconds", ctypes.c_uint64),
        ("modules", ctypes.c_int64),
        ("contexts", ctypes.c_int64),
        ("runs_under_way", ctypes.c_int64),
        ("runs_waiting", ctypes.c_int64),
    ]


class LogRecord(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("level", ctypes.c_int32),
        ("message", ctypes.c_char_p),
        ("tag", ctypes.c_uint64),
    ]


#: qccLogHandler::handle
LogFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(LogRecord))


class LogHandler(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("context", ctypes.c_void_p),
        ("handle", LogFunction),
        ("level", ctypes.c_int32),
    ]


class ThreadPoolOptions(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("cpus", ctypes.POINTER(ctypes.c_int32)),
        ("num_cpus", ctypes.c_size_t),
    ]


class VariantInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("target", ctypes.c_char_p),
        ("features", ctypes.c_char_p),
        ("refusal", ctypes.c_char_p),
        ("chosen", ctypes.c_bool),
    ]


class EntryInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("num_arguments", ctypes.c_size_t),
        ("num_results", ctypes.c_size_t),
        ("num_symbols", ctypes.c_size_t),
        ("num_steps", ctypes.c_size_t),
    ]


class QuantizationInfo(ctypes.Structure):
    _fields_ = [
        ("axis", ctypes.c_int32),
        ("count", ctypes.c_int64),
        ("scales", ctypes.POINTER(ctypes.c_float)),
        ("zero_points", ctypes.POINTER(ctypes.c_int32)),
    ]


class TensorInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("dtype", DataType),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("quantization", ctypes.POINTER(QuantizationInfo)),
        ("in_place_argument", ctypes.c_int32),
        ("dim_names", ctypes.POINTER(ctypes.c_char_p)),
    ]


class ContextOptions(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("profile", ctypes.c_bool),
        ("pool", ctypes.c_void_p),
        ("host_threads", ctypes.c_void_p * 2),
        ("allocator", ctypes.c_void_p * 3),
        ("log", ctypes.c_void_p * 2),
        ("cancel", ctypes.c_void_p),
    ]


#: QCC_RUN_WAIT
RUN_WAIT = 2


class RunOptions(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("cancel", ctypes.c_void_p),
        ("timeout_nanoseconds", ctypes.c_int64),
        ("stream", ctypes.c_void_p),
        ("profile", ctypes.c_bool),
        ("step", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
    ]


class ContextInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("entry", ctypes.c_char_p),
        ("threads", ctypes.c_int32),
        ("num_steps", ctypes.c_size_t),
        ("arena_bytes", ctypes.c_int64),
        ("scratch_bytes", ctypes.c_int64),
        ("weight_bytes", ctypes.c_int64),
        ("device", ctypes.c_char_p),
    ]


class StepInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("layer", ctypes.c_char_p),
        ("location", ctypes.c_char_p),
        ("parallel", ctypes.c_bool),
        ("operations", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("nanoseconds", ctypes.c_int64),
    ]


class DiagnosticInfo(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("severity", ctypes.c_int32),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int32),
        ("column", ctypes.c_int32),
        ("message", ctypes.c_char_p),
    ]


#: qccDiagnosticHook::handle
DiagnosticHandler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(DiagnosticInfo))


class NamedSize(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("value", ctypes.c_int64),
    ]


class NamedShape(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class WeightTensor(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("tensor", ctypes.c_void_p),
    ]


class CompileOptions(SizedStructure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("target", ctypes.c_char_p),
        ("weights", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("hook_context", ctypes.c_void_p),
        ("handle_diagnostic", DiagnosticHandler),
        ("flags", ctypes.c_uint32),
        ("tuning", ctypes.c_char_p),
        ("weight_tensors", ctypes.c_void_p),
        ("num_weight_tensors", ctypes.c_size_t),
        ("weight_hook", ctypes.c_void_p),
        ("cancel", ctypes.c_void_p),
        ("timeout_nanoseconds", ctypes.c_int64),
        ("memory_limit_bytes", ctypes.c_int64),
        ("dims", ctypes.POINTER(NamedSize)),
        ("num_dims", ctypes.c_size_t),
        ("diagnostics", ctypes.c_void_p),
        ("shapes", ctypes.POINTER(NamedShape)),
        ("num_shapes", ctypes.c_size_t),
        ("constants", ctypes.POINTER(WeightTensor)),
        ("num_constants", ctypes.c_size_t),
        ("isolated_compiler", ctypes.c_char_p),
        ("threads", ctypes.c_int32),
        ("tflite_rounding", ctypes.c_char_p),
    ]
