"""Products of bytes by cuBLASLt, by its own functions: the fastest of its heuristics, and a kernel for the epilogue."""

import ctypes
import ctypes.util
import glob
import os
import site

I32, I8, COMPUTE_I32 = 10, 3, 72
TRANSPOSE_A, WORKSPACE, MOST = 3, 1, 32
WORKSPACE_BYTES = 32 << 20


class Heuristic(ctypes.Structure):
    _fields_ = [("algo", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def find_library():
    """The library of the machine, or that of a package of Python; an error if there is none."""
    places = [ctypes.util.find_library("cublasLt"), "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"]
    for folder in site.getsitepackages():
        places += glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcublasLt.so*"))
    for place in filter(None, places):
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    raise ImportError("libcublasLt cannot be opened")


class Product:
    """acc[m, n] = sum over k of x[m, k] * w[n, k], which is column-major acc^T = w^T^T x^T."""

    def __init__(self, gpu, m, n, k):
        self.stream = gpu.stream
        self.library = find_library()
        self.handle = self.make("cublasLtCreate")
        self.description = self.make("cublasLtMatmulDescCreate", COMPUTE_I32, I32)
        transpose = ctypes.c_int(1)
        self.call("cublasLtMatmulDescSetAttribute", self.description, TRANSPOSE_A, ctypes.byref(transpose),
                  ctypes.sizeof(transpose))
        layout = lambda kind, rows, columns: self.make(  # noqa: E731
            "cublasLtMatrixLayoutCreate", kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows))
        self.layouts = [layout(I8, k, n), layout(I8, k, m), layout(I32, n, m)]
        preference = self.make("cublasLtMatmulPreferenceCreate")
        size = ctypes.c_uint64(WORKSPACE_BYTES)
        self.call("cublasLtMatmulPreferenceSetAttribute", preference, WORKSPACE, ctypes.byref(size),
                  ctypes.sizeof(size))
        self.workspace = ctypes.c_uint64()
        gpu.call("cuMemAlloc_v2", ctypes.byref(self.workspace), ctypes.c_size_t(WORKSPACE_BYTES))
        found, count = (Heuristic * MOST)(), ctypes.c_int()
        a, b, c = self.layouts
        self.call("cublasLtMatmulAlgoGetHeuristic", self.handle, self.description, a, b, c, c, preference, MOST, found,
                  ctypes.byref(count))
        self.heuristics = list(found[:count.value])
        if not self.heuristics:
            raise ImportError("cuBLASLt has no product of bytes of these sizes")
        self.best = self.heuristics[0]

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise ImportError(f"{name} fails with status {code}")

    def make(self, name, *arguments):
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def run(self, x, w, acc):
        one, zero = ctypes.c_int32(1), ctypes.c_int32(0)
        a, b, c = self.layouts
        self.call("cublasLtMatmul", self.handle, self.description, ctypes.byref(one), w, a, x, b, ctypes.byref(zero),
                  acc, c, acc, c, ctypes.byref(self.best.algo), self.workspace, ctypes.c_size_t(WORKSPACE_BYTES), self.stream)

    def choose(self, timer, run):
        """Keeps the heuristic that is the fastest in `run`."""
        times = []
        for number, heuristic in enumerate(self.heuristics):
            self.best = heuristic
            try:
                times.append((timer(run), number))
            except ImportError:  # it is not for these sizes
                continue
        if not times:
            raise ImportError("no heuristic of cuBLASLt runs")
        self.best = self.heuristics[min(times)[1]]
