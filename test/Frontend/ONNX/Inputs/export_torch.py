"""Writes the models of torch.test: export_torch.py FOLDER. Needs torch, torchao and onnxscript, which the test does not."""

import pathlib
import sys

import onnx
import torch
from onnx import numpy_helper
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.linear = torch.nn.Linear(16, 8)

    def forward(self, x):
        return self.linear(torch.relu(self.conv(x)).mean((2, 3)))


def quantize(model, x):
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, (x,)).module(), quantizer)
    prepared(x)
    return convert_pt2e(prepared)


def write(folder, module, x, dynamic_shapes=None):
    """A model, and a test of it by what torch computes."""
    program = torch.export.export(module, (x,), dynamic_shapes=dynamic_shapes)
    model = torch.onnx.export(program, (), dynamo=True, verbose=False).model_proto
    # Traces of the exporter, which name files of the machine.
    del model.metadata_props[:], model.graph.metadata_props[:]
    model.graph.doc_string = ""
    for item in [*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output,
                 *model.graph.initializer]:
        item.doc_string = ""
        del item.metadata_props[:]
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for name, tensor in (("input_0", x), ("output_0", module(x))):
        (data / f"{name}.pb").write_bytes(numpy_helper.from_array(tensor.detach().numpy()).SerializeToString())
    onnx.checker.check_model(model)


def main(root):
    torch.manual_seed(0)
    network, x = Network().eval(), torch.randn(2, 3, 8, 8)
    write(root / "torch-float", network, x, ({0: torch.export.Dim("batch")},))
    write(root / "torch-pt2e", quantize(network, x), x)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
