"""Products of one row with weights of 4 bits by ggml, the library of llama.cpp, in its format Q4_0.

The wheel llama-cpp-python has the library: pip install llama-cpp-python.
"""

import ctypes
import importlib.util
import pathlib

import numpy as np

Q4_0, F32 = 2, 0  # enum ggml_type
GROUP = 32  # elements of a block of Q4_0
POINTER = ctypes.c_void_p


def find_library():
    """The folder of the shared libraries, or None."""
    spec = importlib.util.find_spec("llama_cpp")
    return None if spec is None else pathlib.Path(spec.submodule_search_locations[0]) / "lib"


class _InitParams(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", POINTER), ("no_alloc", ctypes.c_bool)]


class _Library:
    def __init__(self):
        folder = find_library()
        self.parts = [ctypes.CDLL(str(folder / f"lib{name}.so"), ctypes.RTLD_GLOBAL) for name in ("ggml-base", "ggml-cpu")]

    def call(self, name, *arguments, result=POINTER):
        part = next(part for part in self.parts if hasattr(part, name))
        function = getattr(part, name)
        function.restype = result
        return function(*[POINTER(a) if isinstance(a, int) else a for a in arguments])


def blocks(codes, scales):
    """Q4_0: a scale of float16, then 16 bytes whose lower halves are elements 0 to 15, and upper halves the others.

    codes: [N, K], from 0 to 15; 8 is the zero. scales: [N, K / 32], exact in float16.
    """
    grouped = codes.reshape(len(codes), -1, 2, GROUP // 2).astype(np.uint8)
    block = np.dtype([("scale", np.float16), ("codes", np.uint8, GROUP // 2)])
    made = np.empty(grouped.shape[:2], block)
    made["scale"], made["codes"] = scales, grouped[:, :, 0] | grouped[:, :, 1] << 4
    return made


class Layers:
    """One row times each of several weights [N, K]; `run()` computes all products, `result()` is the first one.

    With `repacked` the weights lie as ggml's fastest kernels for this processor want them, or as usual if it has none.
    """

    def __init__(self, weights, x, threads, repacked):
        self.library = lib = _Library()
        n, k = weights[0].shape[0], weights[0].shape[1] * GROUP
        self.backend = lib.call("ggml_backend_cpu_init")
        lib.call("ggml_backend_cpu_set_n_threads", self.backend, ctypes.c_int(threads), result=None)
        memory = self._context(), self._context()
        sizes = ctypes.c_int64(k), ctypes.c_int64(n)
        tensors = [lib.call("ggml_new_tensor_2d", memory[0], ctypes.c_int(Q4_0), *sizes) for _ in weights]
        row = lib.call("ggml_new_tensor_2d", memory[1], ctypes.c_int(F32), sizes[0], ctypes.c_int64(1))
        self.outputs = [lib.call("ggml_mul_mat", memory[1], tensor, row) for tensor in tensors]
        usual = lib.call("ggml_backend_cpu_buffer_type")
        self._allocate(memory[0], (repacked and self._repack_type()) or usual)
        self.graph = lib.call("ggml_new_graph", memory[1])
        for output in self.outputs:
            lib.call("ggml_build_forward_expand", self.graph, output, result=None)
        self._allocate(memory[1], usual)
        for tensor, weight in zip(tensors, weights):
            self._set(tensor, weight)
        self._set(row, x)
        self.columns = n

    def _context(self):
        return self.library.call("ggml_init", _InitParams(1 << 24, None, True))

    def _set(self, tensor, array):
        self.library.call("ggml_backend_tensor_set", tensor, array.ctypes.data, ctypes.c_size_t(0), ctypes.c_size_t(array.nbytes),
                          result=None)

    def _repack_type(self):
        """The last of the extra kinds of memory of the processor; None if there are none."""
        registry = self.library.call("ggml_backend_cpu_reg")
        device = self.library.call("ggml_backend_get_device", self.backend)
        address = self.library.call("ggml_backend_reg_get_proc_address", registry, b"ggml_backend_dev_get_extra_bufts")
        types = ctypes.CFUNCTYPE(ctypes.POINTER(POINTER), POINTER)(address)(device)
        found = []
        while types[len(found)]:
            found.append(types[len(found)])
        return found[-1] if found else None

    def _allocate(self, context, kind):
        if not self.library.call("ggml_backend_alloc_ctx_tensors_from_buft", context, kind):
            raise MemoryError("ggml has no memory for its tensors")

    def run(self):
        status = self.library.call("ggml_backend_graph_compute", self.backend, self.graph, result=ctypes.c_int)
        if status != 0:
            raise RuntimeError(f"ggml_backend_graph_compute returned {status}")

    def result(self):
        array = np.empty((1, self.columns), np.float32)
        self.library.call("ggml_backend_tensor_get", self.outputs[0], array.ctypes.data, ctypes.c_size_t(0),
                          ctypes.c_size_t(array.nbytes), result=None)
        return array
