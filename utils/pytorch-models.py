#!/usr/bin/env python3
"""Measures models of PyTorch beside Inductor, and writes docs/PyTorchModels.md.

    utils/install-oracles.sh torch
    build/oracles/bin/python utils/pytorch-models.py [--only=TEXT] [--page]

Models have random weights. Each is compiled by both, as it is and quantized. Then calls alternate, on one thread; the times
are medians. --page writes the page after each row, and keeps the rows of models that --only leaves out; without it the table
is printed.
"""

import argparse
import copy
import os
import pathlib
import platform
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "PyTorchModels.md"
BUILD = pathlib.Path(os.environ.get("QCC_BUILD_DIR") or ROOT / "build" / "release").resolve()
os.environ.setdefault("QCC_LIBRARY_PATH", str(BUILD / "lib"))
sys.path.insert(0, str(ROOT / "python"))

import torch  # noqa: E402
import torchao  # noqa: E402
import torchvision  # noqa: E402
import transformers  # noqa: E402
from torchao.quantization import (  # noqa: E402
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    quantize_,
)

import qcc  # noqa: E402
import qcc.torch  # noqa: E402

FAILURES = (qcc.Error, RuntimeError, ValueError, NotImplementedError)


class First(torch.nn.Module):
    """The first result of a model of transformers, without a cache."""

    def __init__(self, model, **options):
        super().__init__()
        self.model, self.options = model, options

    def forward(self, *args):
        return self.model(*args, return_dict=False, **self.options)[0]


def vision(name):
    return lambda: (getattr(torchvision.models, name)(), torch.randn(1, 3, 224, 224))


def tokens(model, config, **sizes):
    def make():
        config_of = getattr(transformers, config)(vocab_size=1000, **sizes)
        return First(getattr(transformers, model)(config_of), use_cache=False), torch.randint(0, 1000, (1, 64))
    return make


def bert():
    config = transformers.BertConfig(vocab_size=1000, hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024)
    return First(transformers.BertModel(config)), torch.randint(0, 1000, (1, 64))


def vit():
    config = transformers.ViTConfig(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, intermediate_size=768)
    return First(transformers.ViTModel(config)), torch.randn(1, 3, 224, 224)


def whisper():
    config = transformers.WhisperConfig(d_model=256, encoder_layers=4, encoder_attention_heads=4, encoder_ffn_dim=1024,
                                        max_source_positions=500)
    return First(transformers.WhisperModel(config).encoder), torch.randn(1, 80, 1000)


def unchanged(model, x):
    return model


def pt2e(model, x):
    import torchao.quantization.pt2e.quantizer.x86_inductor_quantizer as x86
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, (x,), strict=True).module(), quantizer)
    prepared(x)
    return convert_pt2e(prepared)


def dynamic_int8(model, x):
    quantize_(model, Int8DynamicActivationInt8WeightConfig())
    return model


def dynamic_int4(model, x):
    quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4))
    return model


FLOAT, PT2E = ("float32", unchanged), ("int8, PT2E", pt2e)
INT8, INT4 = ("int8, torchao dynamic", dynamic_int8), ("int8 × int4, torchao dynamic", dynamic_int4)
#: Name, what makes a model and its argument, and forms.
MODELS = [
    *((name, vision(name), (FLOAT, PT2E)) for name in ("resnet18", "mobilenet_v2", "squeezenet1_1", "shufflenet_v2_x1_0", "efficientnet_b0")),
    ("BERT, 4 layers of 256, 64 tokens", bert, (FLOAT, INT8, INT4)),
    ("GPT-2, 4 layers of 256, 64 tokens", tokens("GPT2LMHeadModel", "GPT2Config", n_embd=256, n_layer=4, n_head=4), (FLOAT,)),
    ("Llama, 4 layers of 256, 64 tokens", tokens("LlamaForCausalLM", "LlamaConfig", hidden_size=256, intermediate_size=768, num_hidden_layers=4,
                                                 num_attention_heads=4, num_key_value_heads=2), (FLOAT, INT8, INT4)),
    ("ViT, 4 layers of 192", vit, (FLOAT, INT8)),
    ("Whisper's encoder, 4 layers of 256, 500 frames", whisper, (FLOAT, INT8)),
]


def distance(got, exact):
    return float(torch.linalg.vector_norm(got.double() - exact) / torch.linalg.vector_norm(exact))


def alternate(calls, runs):
    """Median milliseconds of each."""
    times = [[] for _ in calls]
    for _ in range(runs):
        for own, call in zip(times, calls):
            before = time.perf_counter()
            call()
            own.append(time.perf_counter() - before)
    return [statistics.median(own) * 1e3 for own in times]


def reason(error):
    return str(error).strip().splitlines()[0][:160].replace("|", "\\|")


def inductor(model, x):
    """The call, or why there is none."""
    torch._dynamo.reset()
    try:
        compiled = torch.compile(model)
        compiled(x)
        return compiled, ""
    except FAILURES as error:
        return None, reason(error)


def measure(name, make, form, quantize, runs):
    torch.manual_seed(0)
    model, x = make()
    model.eval()
    wide = copy.deepcopy(model).double()
    exact = wide(x.double() if x.is_floating_point() else x)
    try:
        model = quantize(model, x)
        own = model(x)
        onnx = qcc.torch.to_onnx(torch.export.export(model, (x,), strict=False))
        start = time.perf_counter()
        function = qcc.compile(onnx).function(threads=1)
        seconds = time.perf_counter() - start
        steps = [step for step in qcc.explain(onnx).steps if "contraction" in step.work]
        got = torch.from_dlpack(function(x))
    except FAILURES as error:
        return f"| {name} | {form} | no: {reason(error)} | | | | | | | |"
    kernels = f"{sum(step.work == 'integer contraction' and bool(step.atom) for step in steps)} of {len(steps)}"
    row = f"| {name} | {form} | yes | {distance(got, exact):.1e} | {distance(own, exact):.1e} | {kernels} | {seconds:.1f} "
    peer, why = inductor(model, x)
    calls = [lambda: torch.from_dlpack(function(x))] + ([lambda: peer(x)] if peer is not None else [])
    times = alternate(calls, runs)
    if peer is None:
        return row + f"| {times[0]:.2f} | no: {why} | |"
    return row + f"| {times[0]:.2f} | {times[1]:.2f} | {times[1] / times[0]:.2f} |"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


HEADER = ["| model | form | runs | qcc to float64 | PyTorch to float64 | integer kernels | qcc compiles, s | qcc, ms | Inductor, ms | Inductor / qcc |",
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]


def write_page(rows, runs):
    """The page with these rows, by their first two columns, and with the rows that it has for others."""
    old = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    rows = {**{start_of(row): row for row in old if row.startswith("| ")}, **rows}
    versions = ", ".join(f"{module.__name__} {module.__version__}" for module in (torch, torchao, torchvision, transformers))
    PAGE.write_text("\n".join([
        "<!-- Written by utils/pytorch-models.py --page. -->", "",
        "# Models of PyTorch beside Inductor", "",
        f"{versions}; one thread of {processor()}. Weights are random; calls alternate, times are medians of {runs}.",
        "Inductor freezes weights. Rows are of several runs; ratios bear other load on the machine better than times do.", "",
        "* **to float64**: distance of results to those of the model in float64 before quantization, by norms. \"PyTorch\" is eager.",
        "* **integer kernels**: of all contractions, those that kernels compute on integers.",
        "* **qcc compiles**: an ONNX model, which torch.onnx has written before.", "",
        *HEADER, *(rows[key] for name, _, forms in MODELS for form, _ in forms if (key := (name, form)) in rows), ""]), encoding="utf-8")


def start_of(row):
    return tuple(cell.strip() for cell in row.split("|")[1:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="write docs/PyTorchModels.md")
    parser.add_argument("--only", default="", help="models whose name has this text")
    parser.add_argument("--runs", type=int, default=15, help="calls of each (15)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch._inductor.config.freezing = True
    print("\n".join(HEADER))
    rows = {}
    with torch.no_grad():
        for name, make, forms in MODELS:
            for form, quantize in forms if options.only in name else ():
                rows[name, form] = measure(name, make, form, quantize, options.runs)
                print(rows[name, form], flush=True)
                if options.page:
                    write_page(rows, options.runs)


if __name__ == "__main__":
    main()
