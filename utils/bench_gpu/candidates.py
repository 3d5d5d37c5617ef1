"""What computes y = min(127, rint(relu((x * w^T + bias) * scale))) on a GPU: qcc, and what one would use instead.

A candidate is made for a layer and is a function of the number of a copy of x, w and y, which launches its work on the
stream of the layer's GPU. Copies take turns, so that nothing is read that is still in the L2 cache. What is missing raises
ImportError, whose text is the reason.
"""

import ctypes
import json

import numpy as np

from bench_gpu import cublaslt, layers, peaks


class Layer:
    """The arrays of a layer, and copies of them in the memory of the GPU."""

    def __init__(self, gpu, folder, shape, chip, version):
        self.gpu, self.folder, self.shape, self.chip, self.version = gpu, folder, shape, chip, version
        self.m, self.n, self.k = layers.sizes(shape)
        self.about = json.loads((folder / f"{shape}.{chip}.json").read_text())
        made = layers.arrays(shape)
        self.x, self.w, self.bias, self.scale = (made[name] for name in ("x", "w", "bias", "scale"))
        self.y = np.zeros((self.m, self.n), np.int8)
        self.bytes = self.x.nbytes + self.w.nbytes + self.y.nbytes
        self.copies = int(min(2 + 2 * gpu.l2_bytes // self.bytes, 64))
        self.inputs, self.weights, self.outputs = ([gpu.upload(array) for _ in range(self.copies)]
                                                   for array in (self.x, self.w, self.y))

    def is_right(self):
        return layers.hash_of(self.gpu.download(self.outputs[0], self.y)) == self.about["y_sha256"]

    def forget(self):
        for output in self.outputs:
            self.gpu.call("cuMemsetD8_v2", output, ctypes.c_ubyte(0x5A), ctypes.c_size_t(self.y.nbytes))

    def free(self):
        for buffer in self.inputs + self.weights + self.outputs:
            self.gpu.call("cuMemFree_v2", buffer)


def qcc(layer, timer):
    """The kernels of qcc, launched as its runtime launches them."""
    ptx = (layer.folder / f"{layer.shape}.{layer.chip}.ptx").read_text()
    return launches_of(layer, ptx, layer.about["entry"], packed_weights(layer))


def packed_weights(layer):
    """The constants of qcc, a copy for each copy of x."""
    tail = (layer.folder / f"{layer.shape}.{layer.chip}.tail").read_bytes()
    packed = np.frombuffer(layers.packed_of(tail, layer.about["weights_bytes"], layer.w), np.uint8)
    return [layer.gpu.upload(packed) for _ in range(layer.copies)]


def launches_of(layer, ptx, launches, constants):
    gpu = layer.gpu
    module = gpu.load(ptx)
    arena = gpu.upload(np.zeros(max(launches["arena_bytes"], 16), np.uint8))
    runs = []
    for copy, weights in enumerate(constants):
        steps = []
        for launch in launches["launches"]:
            values = []
            for parameter in launch["parameters"]:
                if parameter["kind"] == "tensor_map":
                    values.append(gpu.tensor_map(values[parameter["value"]].value + parameter["offset"], parameter["dims"],
                                                 parameter["strides"], parameter["box"], parameter["swizzle"]))
                else:
                    values.append(address(parameter, layer, copy, weights, arena))
            function = gpu.function(module, launch["kernel"], launch["shared_bytes"])
            steps.append(gpu.launcher(function, (launch["grid"], 1, 1), (launch["block"], 1, 1),
                                      launch["shared_bytes"], values, launch["programmatic"]))
        runs.append(steps)
    return lambda copy: [step() for step in runs[copy]]


def address(parameter, layer, copy, weights, arena):
    kind, value = parameter["kind"], parameter["value"]
    if kind == "size":
        return ctypes.c_uint64(value)
    if kind in ("argument", "result"):
        return (layer.inputs if kind == "argument" else layer.outputs)[copy]
    return ctypes.c_uint64((weights if kind == "constant" else arena).value + value)


def cublaslt_product(layer, timer):
    """The product alone, with results of i32: the fastest of the heuristics."""
    product = cublaslt.Product(layer.gpu, layer.m, layer.n, layer.k)
    acc = layer.gpu.upload(np.zeros((layer.m, layer.n), np.int32))
    run = lambda copy: product.run(layer.inputs[copy], layer.weights[copy], acc)  # noqa: E731
    product.choose(timer, lambda: run(0))
    run.acc = acc
    return run


def cublaslt_int8(layer, timer):
    """The product, and the epilogue in a kernel of its own."""
    gpu = layer.gpu
    product = cublaslt_product(layer, timer)
    bias, scale = (gpu.upload(array) for array in (layer.bias, layer.scale))
    function = gpu.function(gpu.load(peaks.epilogue_ptx(layer.chip, layer.version)), "epilogue")
    total = layer.m * layer.n
    epilogues = [
        gpu.launcher(function, (-(-total // (4 * peaks.THREADS)), 1, 1), (peaks.THREADS, 1, 1), 0,
                     [product.acc, bias, scale, y, ctypes.c_uint32(layer.n), ctypes.c_uint32(total)])
        for y in layer.outputs
    ]

    def run(copy):
        product(copy)
        epilogues[copy]()

    return run


def of_torch(make):
    """Marks candidates that PyTorch launches, and that it alone can record."""
    make.is_torch = True
    return make


def record(layer, make, run):
    """A function that repeats `run` for all copies, as a graph on the stream of the GPU; it keeps what `run` refers to."""
    start = lambda: [run(copy) for copy in range(layer.copies)]  # noqa: E731
    if not getattr(make, "is_torch", False):
        replay_of_driver = layer.gpu.record(start)
        return lambda _=run: replay_of_driver()
    import torch

    stream, graph = torch.cuda.ExternalStream(layer.gpu.stream.value), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        start()
        torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        kept = start()

    def replay(_=(run, kept)):
        with torch.cuda.stream(stream):
            graph.replay()

    return replay


def torch_copies(layer, array):
    import torch

    return [torch.from_numpy(array).cuda() for _ in range(layer.copies)]


@of_torch
def torch_int_mm(layer, timer):
    import torch

    x, w = torch_copies(layer, layer.x), torch_copies(layer, layer.w)
    return lambda copy: torch._int_mm(x[copy], w[copy].t())


def torch_linear(kind):
    @of_torch
    def make(layer, timer):
        import torch

        dtype = getattr(torch, kind)
        scale, bias = (torch.from_numpy(array).cuda().float() for array in (layer.scale, layer.bias))
        x = [x.to(dtype) for x in torch_copies(layer, layer.x)]
        w = [(w.float() * scale[:, None]).to(dtype) for w in torch_copies(layer, layer.w)]
        bias = (bias * scale).to(dtype)
        # Bias and relu are part of the kernel that multiplies.
        return lambda copy: torch._addmm_activation(bias, x[copy], w[copy].t(), use_gelu=False)

    return make


@of_torch
def triton_int8(layer, timer):
    import torch

    from bench_gpu import triton_linear

    x, w, y = (torch_copies(layer, array) for array in (layer.x, layer.w, layer.y))
    bias, scale = torch.from_numpy(layer.bias).cuda(), torch.from_numpy(layer.scale).cuda()

    def run(copy):
        grid = lambda config: (-(-layer.m // config["M"]), -(-layer.n // config["N"]))  # noqa: E731
        triton_linear.linear[grid](x[copy], w[copy], bias, scale, y[copy], layer.m, layer.n, layer.k)

    run(0)
    torch.cuda.synchronize()
    if layers.hash_of(y[0].cpu().numpy()) != layer.about["y_sha256"]:
        raise ImportError("Triton computes something else")
    return run


# Which of them compute the bytes of qcc is checked where they write to the layer's own memory.
CHECKED = ("qcc", "cuBLASLt + epilogue")
ALL = {
    "qcc": qcc,
    "cuBLASLt + epilogue": cublaslt_int8,
    "cuBLASLt i32": cublaslt_product,
    "torch._int_mm i32": torch_int_mm,
    "PyTorch bf16": torch_linear("bfloat16"),
    "PyTorch fp16": torch_linear("float16"),
    "Triton int8": triton_int8,
}
