"""What computes y = min(127, rint(relu((x * w^T + bias) * scale))) on a GPU: qcc, and what one would use instead.

A candidate is made for a layer and is a function of the number of a copy of x and y: copies take turns, so that what is
read was not just written to the L2 cache. What is missing raises ImportError, whose text is the reason.
"""

import ctypes
import json

import numpy as np

from bench_gpu import cublaslt, peaks


class Layer:
    """The arrays of a layer, and copies of its activations in the memory of the GPU."""

    def __init__(self, gpu, folder, shape, chip, version):
        self.gpu, self.folder, self.shape, self.chip, self.version = gpu, folder, shape, chip, version
        self.m, self.n, self.k = (int(size) for size in shape.split("x"))
        stored = np.load(folder / f"{shape}.npz")
        self.x, self.w, self.bias, self.scale, self.y = (stored[name] for name in ("x", "w", "bias", "scale", "y"))
        copies = 2 + 2 * gpu.l2_bytes // (self.x.nbytes + self.y.nbytes)
        self.copies = int(min(copies, 64))
        self.inputs = [gpu.upload(self.x) for _ in range(self.copies)]
        self.outputs = [gpu.upload(np.zeros_like(self.y)) for _ in range(self.copies)]

    def is_right(self):
        return np.array_equal(self.gpu.download(self.outputs[0], self.y), self.y)

    def forget(self):
        for output in self.outputs:
            self.gpu.call("cuMemsetD8_v2", output, ctypes.c_ubyte(0x5A), ctypes.c_size_t(self.y.nbytes))

    def free(self):
        for buffer in self.inputs + self.outputs:
            self.gpu.call("cuMemFree_v2", buffer)


def qcc(layer, timer):
    """The kernels of qcc, launched as its runtime launches them."""
    gpu, stem = layer.gpu, f"{layer.shape}.{layer.chip}"
    launches = json.loads((layer.folder / f"{stem}.json").read_text())
    module = gpu.load((layer.folder / f"{stem}.ptx").read_text())
    weights = gpu.upload(np.fromfile(layer.folder / f"{stem}.weights", np.uint8))
    arena = gpu.upload(np.zeros(max(launches["arena_bytes"], 16), np.uint8))
    runs = []
    for copy in range(layer.copies):
        steps = []
        for launch in launches["launches"]:
            values = [address(parameter, layer, copy, weights, arena) for parameter in launch["parameters"]]
            function = gpu.function(module, launch["kernel"], launch["shared_bytes"])
            steps.append(gpu.launcher(function, (launch["grid"], 1, 1), (launch["block"], 1, 1),
                                      launch["shared_bytes"], values))
        runs.append(steps)
    return lambda copy: [step() for step in runs[copy]]


def address(parameter, layer, copy, weights, arena):
    kind, value = parameter["kind"], parameter["value"]
    if kind == "size":
        return ctypes.c_uint64(value)
    if kind in ("argument", "result"):
        return (layer.inputs if kind == "argument" else layer.outputs)[copy]
    return ctypes.c_uint64((weights if kind == "constant" else arena).value + value)


def cublaslt_int8(layer, timer):
    gpu = layer.gpu
    product = cublaslt.Product(gpu, layer.m, layer.n, layer.k)
    w, bias, scale = (gpu.upload(array) for array in (layer.w, layer.bias, layer.scale))
    acc = gpu.upload(np.zeros((layer.m, layer.n), np.int32))
    function = gpu.function(gpu.load(peaks.epilogue_ptx(layer.chip, layer.version)), "epilogue")
    total = layer.m * layer.n
    epilogues = [
        gpu.launcher(function, (-(-total // peaks.THREADS), 1, 1), (peaks.THREADS, 1, 1), 0,
                     [acc, bias, scale, y, ctypes.c_uint32(layer.n), ctypes.c_uint32(total)])
        for y in layer.outputs
    ]

    def run(copy):
        product.run(layer.inputs[copy], w, acc)
        epilogues[copy]()

    product.choose(timer, lambda: run(0))
    return run


def torch_tensors(layer, torch, kind):
    """Copies of x in another type, and the layer's constants; the scale is a part of them."""
    to = lambda array: torch.from_numpy(array).cuda()  # noqa: E731
    x = [to(layer.x).to(kind) for _ in range(layer.copies)]
    w = (to(layer.w).float() * to(layer.scale)[:, None]).to(kind)
    return x, w, (to(layer.bias).float() * to(layer.scale)).to(kind)


def torch_linear(kind):
    def make(layer, timer):
        import torch

        x, w, bias = torch_tensors(layer, torch, getattr(torch, kind))
        return lambda copy: torch.relu(torch.nn.functional.linear(x[copy], w, bias))

    return make


def triton_int8(layer, timer):
    import torch

    from bench_gpu import triton_linear

    to = lambda array: torch.from_numpy(array).cuda()  # noqa: E731
    x = [to(layer.x) for _ in range(layer.copies)]
    y = [torch.empty((layer.m, layer.n), dtype=torch.int8, device="cuda") for _ in range(layer.copies)]
    w, bias, scale = to(layer.w), to(layer.bias), to(layer.scale)

    def run(copy):
        grid = lambda config: (-(-layer.m // config["M"]), -(-layer.n // config["N"]))  # noqa: E731
        triton_linear.linear[grid](x[copy], w, bias, scale, y[copy], layer.m, layer.n, layer.k)

    run(0)
    torch.cuda.synchronize()
    if not np.array_equal(y[0].cpu().numpy(), layer.y):
        raise ImportError("Triton computes something else")
    return run


def jax_int8(layer, timer):
    """XLA has streams of its own, so that its time is that of the clock, of calls one after the other."""
    import jax
    import jax.numpy as jnp

    w, bias, scale = (jnp.asarray(array) for array in (layer.w, layer.bias, layer.scale))

    @jax.jit
    def compute(x):
        acc = jax.lax.dot_general(x, w, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
        value = jnp.maximum((acc + bias).astype(jnp.float32) * scale, 0)
        return jnp.minimum(jnp.rint(value), 127).astype(jnp.int8)

    x = [jnp.asarray(layer.x) for _ in range(layer.copies)]
    compute(x[0]).block_until_ready()
    return lambda copy: compute(x[copy]).block_until_ready()


# Which of them compute the bytes of qcc is checked where they write to the layer's own memory.
CHECKED = ("qcc", "cuBLASLt + epilogue")
BY_CLOCK = ("XLA int8",)
ALL = {
    "qcc": qcc,
    "cuBLASLt + epilogue": cublaslt_int8,
    "Triton int8": triton_int8,
    "PyTorch fp16": torch_linear("float16"),
    "PyTorch bf16": torch_linear("bfloat16"),
    "XLA int8": jax_int8,
}
