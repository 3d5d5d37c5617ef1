"""Compiles an ONNX model by qccCompileFile and by qccCompileText: LIBQCC MODEL.onnx"""

import ctypes
import pathlib
import sys

library, path = ctypes.CDLL(sys.argv[1]), sys.argv[2].encode()
library.qccCompileFile.restype = library.qccCompileText.restype = ctypes.c_void_p
library.qccStatusGetMessage.restype = ctypes.c_char_p
library.qccStatusGetMessage.argtypes = [ctypes.c_void_p]
library.qccArtifactGetSize.restype = ctypes.c_size_t
library.qccArtifactGetSize.argtypes = library.qccArtifactDestroy.argtypes = [ctypes.c_void_p]


def report(what, status, artifact):
    if status:
        print(f"{what}: {library.qccStatusGetMessage(status).decode()}")
        return
    print(f"{what}: an artifact" if library.qccArtifactGetSize(artifact) else f"{what}: nothing")
    library.qccArtifactDestroy(artifact)


artifact = ctypes.c_void_p()
report("file", library.qccCompileFile(path, None, ctypes.byref(artifact)), artifact)
data = pathlib.Path(sys.argv[2]).read_bytes()
artifact = ctypes.c_void_p()
report("bytes", library.qccCompileText(data, ctypes.c_size_t(len(data)), None,
                                       ctypes.byref(artifact)), artifact)
