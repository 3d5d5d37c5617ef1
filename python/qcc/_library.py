# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shared libraries behind the package, called through ctypes, which lets other threads run meanwhile."""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Callable, Dict, NoReturn, Optional, Sequence, Tuple

from . import _structures as c
from .errors import CLASSES, Diagnostic, Error, InvalidArgumentError, InvalidProgramError, UnsupportedError

API_VERSION = 1

#: What every LLVM and MLIR has: PassRegistry::getPassRegistry, APInt::initSlowCase, Operation::erase.
_LLVM_FUNCTIONS = ("_ZN4llvm12PassRegistry15getPassRegistryEv", "_ZN4llvm5APInt12initSlowCaseERKS0_",
                   "_ZN4mlir9Operation5eraseEv")

_Signature = Tuple[Any, Sequence[Any]]
_STATUS = ctypes.c_void_p
_HANDLE = ctypes.c_void_p
_TEXT = ctypes.c_char_p
_SIZE = ctypes.c_size_t

STATUS_FUNCTIONS: Dict[str, _Signature] = {
    "qccStatusGetCode": (ctypes.c_int, [_STATUS]),
    "qccStatusGetMessage": (_TEXT, [_STATUS]),
    "qccStatusDestroy": (None, [_STATUS]),
}

RUNTIME_FUNCTIONS: Dict[str, _Signature] = {
    **STATUS_FUNCTIONS,
    "qccGetApiVersion": (ctypes.c_int32, []),
    "qccGetVersion": (_TEXT, []),
    "qccGetRevision": (_TEXT, []),
    "qccGetProcessInfo": (_STATUS, [ctypes.POINTER(c.ProcessInfo)]),
    "qccSetLogHandler": (_STATUS, [ctypes.POINTER(c.LogHandler)]),
    "qccModuleCheckHealth": (_STATUS, [_HANDLE]),
    "qccModuleLoadFile": (_STATUS, [_TEXT, ctypes.POINTER(c.ModuleOptions), ctypes.POINTER(_HANDLE)]),
    "qccModuleLoadMemory": (
        _STATUS, [ctypes.c_void_p, _SIZE, ctypes.POINTER(c.ModuleOptions), ctypes.POINTER(_HANDLE)]),
    "qccModuleDestroy": (None, [_HANDLE]),
    "qccModuleGetProducer": (_TEXT, [_HANDLE]),
    "qccModuleGetInfo": (_STATUS, [_HANDLE, ctypes.POINTER(c.ModuleInfo)]),
    "qccModuleGetMetadata": (_STATUS, [_HANDLE, _SIZE, ctypes.POINTER(_TEXT), ctypes.POINTER(_TEXT)]),
    "qccModuleGetNumVariants": (_SIZE, [_HANDLE]),
    "qccModuleGetVariant": (_STATUS, [_HANDLE, _SIZE, ctypes.POINTER(c.VariantInfo)]),
    "qccModuleGetNumEntries": (_SIZE, [_HANDLE]),
    "qccModuleGetEntryName": (_TEXT, [_HANDLE, _SIZE]),
    "qccModuleGetEntry": (_STATUS, [_HANDLE, _TEXT, ctypes.POINTER(c.EntryInfo)]),
    "qccModuleGetArgument": (_STATUS, [_HANDLE, _TEXT, _SIZE, ctypes.POINTER(c.TensorInfo)]),
    "qccModuleGetResult": (_STATUS, [_HANDLE, _TEXT, _SIZE, ctypes.POINTER(c.TensorInfo)]),
    "qccThreadPoolCreateWithOptions": (_STATUS, [ctypes.POINTER(c.ThreadPoolOptions), ctypes.POINTER(_HANDLE)]),
    "qccThreadPoolGetNumThreads": (ctypes.c_int32, [_HANDLE]),
    "qccThreadPoolSetDefault": (None, [_HANDLE]),
    "qccThreadPoolDestroy": (None, [_HANDLE]),
    "qccCancelTokenCreate": (_STATUS, [ctypes.POINTER(_HANDLE)]),
    "qccCancelTokenCancel": (None, [_HANDLE]),
    "qccCancelTokenReset": (None, [_HANDLE]),
    "qccCancelTokenIsCancelled": (ctypes.c_bool, [_HANDLE]),
    "qccCancelTokenDestroy": (None, [_HANDLE]),
    "qccContextCreate": (_STATUS, [_HANDLE, _TEXT, ctypes.POINTER(c.ContextOptions), ctypes.POINTER(_HANDLE)]),
    "qccContextDestroy": (None, [_HANDLE]),
    "qccContextPlan": (_STATUS, [_HANDLE, ctypes.c_void_p, _SIZE]),
    "qccContextGetResultShape": (_STATUS, [_HANDLE, _SIZE, ctypes.POINTER(ctypes.c_int64), _SIZE]),
    "qccContextRunWithOptions": (
        _STATUS, [_HANDLE, ctypes.c_void_p, _SIZE, ctypes.c_void_p, _SIZE, ctypes.POINTER(c.RunOptions)]),
    "qccContextStart": (
        _STATUS, [_HANDLE, ctypes.c_void_p, _SIZE, ctypes.c_void_p, _SIZE, ctypes.POINTER(c.RunOptions),
                  ctypes.c_void_p, ctypes.POINTER(_HANDLE)]),
    "qccRunWait": (_STATUS, [_HANDLE]),
    "qccRunWaitFor": (ctypes.c_bool, [_HANDLE, ctypes.c_int64]),
    "qccRunDestroy": (None, [_HANDLE]),
    "qccContextGetInfo": (_STATUS, [_HANDLE, ctypes.POINTER(c.ContextInfo)]),
    "qccContextGetStep": (_STATUS, [_HANDLE, _SIZE, ctypes.POINTER(c.StepInfo)]),
}


def _address(library: ctypes.CDLL, name: str) -> Optional[int]:
    function = getattr(library, name, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


class _LinkMap(ctypes.Structure):
    """The dynamic loader's list of libraries, in the order in which it looks for functions."""


_LinkMap._fields_ = [("addr", ctypes.c_void_p), ("name", ctypes.c_char_p), ("dynamic", ctypes.c_void_p),
                     ("next", ctypes.POINTER(_LinkMap))]


class _DlInfo(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


class _ElfSymbol(ctypes.Structure):
    _fields_ = [("name", ctypes.c_uint32), ("info", ctypes.c_uint8), ("other", ctypes.c_uint8),
                ("section", ctypes.c_uint16), ("value", ctypes.c_uint64), ("size", ctypes.c_uint64)]


def _program_has_malloc(process: ctypes.CDLL, libc: ctypes.CDLL) -> bool:
    """Whether the program defines malloc; one that only calls it may have an address of its own for it, too."""
    info, entry = _DlInfo(), ctypes.POINTER(_ElfSymbol)()
    address = ctypes.c_void_p(_address(process, "malloc"))
    entry_kind = 1  # RTLD_DL_SYMENT
    found = libc.dladdr1(address, ctypes.byref(info), ctypes.byref(entry), entry_kind)
    program = ctypes.cast(process._handle, ctypes.POINTER(_LinkMap)).contents
    base = _DlInfo()
    if not found or not entry or not libc.dladdr(ctypes.c_void_p(program.dynamic), ctypes.byref(base)):
        return False
    if info.base != base.base:
        return False  # It is a library's, which is looked at by itself.
    return bool(info.symbol == b"malloc" and entry.contents.section != 0)


def _has_own_malloc(process: ctypes.CDLL) -> bool:
    """Whether the malloc of the process is the C library's, and not one that comes before it."""
    libc = ctypes.CDLL("libc.so.6")
    own = _address(libc, "malloc")
    if _address(process, "malloc") != own and _program_has_malloc(process, libc):
        return False
    entry = ctypes.cast(process._handle, ctypes.POINTER(_LinkMap)).contents.next
    while entry:
        name = entry.contents.name or b""
        if os.path.basename(name) == b"libc.so.6":
            return True
        try:
            library = ctypes.CDLL(os.fsdecode(name), os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:  # The kernel's, which is no file.
            library = None
        if library is not None and name and _address(library, "malloc") not in (None, own):
            return False
        entry = entry.contents.next
    return False


def compiler_mode() -> int:
    """How libqcc is opened.

    A library such as TensorFlow exports the functions of its LLVM to the whole process. RTLD_DEEPBIND makes libqcc, and
    the libraries that it needs, look for functions among themselves first. They would also miss a `malloc` that
    replaces the C library's, of a sanitizer or of jemalloc; there libqcc is opened as usual, and says in a status if it
    is bound to another LLVM.
    """
    process = ctypes.CDLL(None)
    exports_llvm = any(_address(process, name) is not None for name in _LLVM_FUNCTIONS)
    return ctypes.DEFAULT_MODE | (os.RTLD_DEEPBIND if exports_llvm and _has_own_malloc(process) else 0)


#: What messages of the libraries name by its name in C, and what it is called here.
_NAMES = (
    ("the flag QCC_COMPILE_CUBIN", "cubin=True"),
    ("set QCC_COMPILE_ISOLATED", "give isolated=True"),
    ("leave out QCC_RUN_WAIT", "name the stream by stream="),
    ("see qccRunOptions::stream for what a run may do then", "run the function once before the capture, and name the "
     "stream by stream="),
)


def in_python(message: str) -> str:
    """A message of a library, without names that only C has."""
    for of_c, ours in _NAMES:
        message = message.replace(of_c, ours)
    return message


class Library:
    """A shared library and its functions, which are attributes of `functions`."""

    def __init__(self, path: pathlib.Path, functions: Dict[str, _Signature], mode: int = ctypes.DEFAULT_MODE) -> None:
        self.path = path
        try:
            self.functions: Any = ctypes.CDLL(str(path), mode)
        except OSError as error:
            raise UnsupportedError(f"a library of qcc cannot be loaded: {error}; install the package anew, or set "
                                   "QCC_LIBRARY_PATH to the folder that has the libraries") from None
        for name, (result, arguments) in functions.items():
            function = getattr(self.functions, name, None)
            if function is None:
                raise UnsupportedError(f"{path} is of another release than the package, and lacks a function that the "
                                       "package needs; install the two from one release")
            function.restype, function.argtypes = result, arguments

    def check(self, status: Optional[int], diagnostics: Sequence[Diagnostic] = ()) -> None:
        """Raises what a status says; null is success."""
        if not status:
            return
        code = self.functions.qccStatusGetCode(status)
        message = in_python(self.functions.qccStatusGetMessage(status).decode(errors="replace"))
        self.functions.qccStatusDestroy(status)
        kind = CLASSES.get(code, Error)
        raise InvalidProgramError(message, diagnostics) if kind is InvalidProgramError else kind(message)


class OfProcess:
    """Base of objects that belong to this process, which neither copies nor pickles can have."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: it belongs to this process; share it, "
                        "or make another one where it is needed (modules and functions can be pickled)")


class Handle(OfProcess):
    """An object of the C interface, destroyed with the Python object that owns it."""

    __slots__ = ("_destroy", "value")

    def __init__(self, value: ctypes.c_void_p, destroy: Callable[[ctypes.c_void_p], None]) -> None:
        self.value = value
        self._destroy = destroy

    def __del__(self) -> None:
        if hasattr(self, "_destroy"):  # The constructor has not failed.
            self._destroy(self.value)


def library_path(name: str) -> pathlib.Path:
    """Where a library is: in the folder `lib` of the package, or where QCC_LIBRARY_PATH says."""
    folder = os.environ.get("QCC_LIBRARY_PATH")
    return (pathlib.Path(folder) if folder else pathlib.Path(__file__).parent / "lib") / name


def _load_runtime() -> Library:
    library = Library(library_path("libqcc_runtime.so.1"), RUNTIME_FUNCTIONS)
    version = library.functions.qccGetApiVersion()
    if version != API_VERSION:
        raise UnsupportedError(f"{library.path} has interface {version}, but the package needs {API_VERSION}; "
                               "install the two from one release")
    return library


runtime = _load_runtime()


def encode(text: "str | os.PathLike[str]") -> bytes:
    """A name or a path as the C interface takes it."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise InvalidArgumentError(f"{os.fspath(text)!r} has a null character, which ends names and paths")
    return encoded
