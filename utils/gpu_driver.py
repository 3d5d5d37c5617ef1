"""The CUDA driver by its own functions (libcuda.so.1): no toolkit is needed."""

import ctypes

import numpy as np


class Failure(Exception):
    """What ends the program with a message and exit code 2."""


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute, of an attribute that is on or off."""

    _fields_ = [("number", ctypes.c_uint), ("padding", ctypes.c_uint), ("value", ctypes.c_int), ("rest", ctypes.c_char * 60)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("sizes", ctypes.c_uint * 7), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)]


class Gpu:
    """The CUDA driver, as far as it is needed here."""

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Failure(
                f"no NVIDIA driver: libcuda.so.1 cannot be opened ({error}); "
                "run this on a machine with an NVIDIA GPU"
            ) from None
        self.call("cuInit", 0)
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise Failure("the NVIDIA driver sees no GPU; run this on a machine that has one")
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        self.name = name.value.decode()
        # The attributes of the compute capability.
        self.device = device
        self.capability = 10 * self.attribute(75, device) + self.attribute(76, device)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        # Where launches and times are; it waits for copies, which have no stream.
        self.stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 0)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            reason = text.value.decode() if text.value else "unknown error"
            raise Failure(f"{name}: {reason} ({code})")

    def attribute(self, number, device):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value

    def driver_version(self):
        """The newest CUDA that the driver knows, such as 13.0."""
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return f"{version.value // 1000}.{version.value % 1000 // 10}"

    def load(self, ptx):
        log = ctypes.create_string_buffer(16384)
        # CU_JIT_ERROR_LOG_BUFFER and its size.
        options = (ctypes.c_int * 2)(5, 6)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        module = ctypes.c_void_p()
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module),
                      ctypes.c_char_p(ptx.encode() + b"\0"), 2, options, values)
        except Failure as failure:
            raise Failure(f"{failure}\n{log.value.decode(errors='replace')}") from None
        return module

    def function(self, module, kernel, shared=0):
        """A kernel of a module, with the dynamic shared memory that its launches take."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        if shared > 48 << 10:
            # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("cuFuncSetAttribute", function, 8, shared)
        return function

    def upload(self, array):
        """Memory of the GPU with the bytes of an array."""
        buffer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(max(array.nbytes, 1)))
        self.call("cuMemcpyHtoD_v2", buffer, ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))
        return buffer

    def download(self, buffer, like):
        """The bytes of memory of the GPU as an array of the type and shape of another."""
        result = np.empty_like(like)
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), buffer,
                  ctypes.c_size_t(result.nbytes))
        return result

    def tensor_map(self, address, dims, strides, box, swizzle):
        """The 128 bytes of a parameter of a kernel: boxes of bytes, the innermost dimension first."""
        rank = len(dims)
        room = (ctypes.c_ubyte * 192)()
        encoded = (ctypes.c_ubyte * 128).from_buffer(room, -ctypes.addressof(room) % 64)
        words, sizes = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
        # Bytes, not interleaved, a swizzle by its number, reads of 256 bytes to the L2 cache, zeros outside.
        self.call("cuTensorMapEncodeTiled", encoded, 0, rank, ctypes.c_void_p(address), words(*dims),
                  words(*strides, 0), sizes(*box), sizes(*[1] * rank), 0, (0, 32, 64, 128).index(swizzle), 3, 0)
        return encoded

    def launcher(self, function, grid, block, shared, values, programmatic=False):
        """A function that launches a kernel once with ctypes values, which it keeps. A programmatic launch may start
        while kernels before it end."""
        pointers = (ctypes.c_void_p * max(len(values), 1))(
            *[ctypes.addressof(value) for value in values])

        def start(_=values):
            self.call("cuLaunchKernel", function, *grid, *block, ctypes.c_uint(shared), self.stream,
                      pointers, None)

        # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        attribute = LaunchAttribute(6, 0, 1)
        config = LaunchConfig((*grid, *block, shared), self.stream, ctypes.pointer(attribute), 1)

        def start_early(_=values):
            self.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)

        return start_early if programmatic else start

    def record(self, start):
        """A function that repeats, as one graph, what `start` launches on the stream."""
        relaxed = 2
        graph, program = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", self.stream, relaxed)
        kept = start()
        self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(program), graph, ctypes.c_ulonglong(0))
        self.call("cuGraphDestroy", graph)
        return lambda _=kept: self.call("cuGraphLaunch", program, self.stream)

    def run(self, module, kernel, launch, arguments, repeat=0):
        """Results of `out` arguments, and the median time of `repeat` more launches in us."""
        function = self.function(module, kernel, launch.shared)
        buffers, values = [], []
        for argument in arguments:
            if argument.array is None:
                values.append(argument.scalar)
                continue
            buffers.append((argument, self.upload(argument.array)))
            values.append(buffers[-1][1])
        start = self.launcher(function, launch.grid, launch.block, launch.shared, values)
        start()
        self.call("cuCtxSynchronize")
        results = [self.download(buffer, argument.array)
                   for argument, buffer in buffers if argument.is_output]
        times = [self.time(start) for _ in range(repeat)]
        for _, buffer in buffers:
            self.call("cuMemFree_v2", buffer)
        return results, float(np.median(times)) if times else None

    def time(self, start):
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", events[0], self.stream)
        start()
        self.call("cuEventRecord", events[1], self.stream)
        self.call("cuEventSynchronize", events[1])
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
        for event in events:
            self.call("cuEventDestroy_v2", event)
        return 1e3 * milliseconds.value


class Sensors:
    """Clocks, power and temperature of the first GPU, which are read and never set."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
            self.device = ctypes.c_void_p()
            if self.library.nvmlInit_v2() or self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
                self.library = None
        except (OSError, AttributeError):
            self.library = None

    def read(self):
        """MHz of the multiprocessors and of the memory, watts, degrees Celsius; {} where they cannot be read."""
        if not self.library:
            return {}
        found = {}
        for name, function, kind in (("sm_mhz", "nvmlDeviceGetClockInfo", 1), ("memory_mhz", "nvmlDeviceGetClockInfo", 2),
                                     ("celsius", "nvmlDeviceGetTemperature", 0)):
            value = ctypes.c_uint()
            if getattr(self.library, function)(self.device, kind, ctypes.byref(value)) == 0:
                found[name] = value.value
        milliwatts = ctypes.c_uint()
        if self.library.nvmlDeviceGetPowerUsage(self.device, ctypes.byref(milliwatts)) == 0:
            found["watts"] = milliwatts.value / 1000
        return found
