"""The forms in which a float model is quantized or rewritten, as people get them from ONNX Runtime's tools."""

import numpy
import onnx
from onnx import helper, numpy_helper


def quantize_dynamically(path, to, _inputs, **options):
    from onnxruntime import quantization as ort
    ort.quantize_dynamic(path, to, weight_type=ort.QuantType.QInt8, **options)


def quantize_dynamically_unsigned(path, to, _inputs):
    from onnxruntime import quantization as ort
    ort.quantize_dynamic(path, to, weight_type=ort.QuantType.QUInt8, reduce_range=True)


def quantize_statically(path, to, inputs, activations, weights, form="QDQ", **options):
    """`inputs` gives batches by which ranges are measured."""
    from onnxruntime import quantization as ort

    class Reader(ort.CalibrationDataReader):
        def __init__(self):
            self.batches = iter(inputs())

        def get_next(self):
            return next(self.batches, None)

    ort.quantize_static(path, to, Reader(), quant_format=ort.QuantFormat[form], activation_type=ort.QuantType[activations],
                        weight_type=ort.QuantType[weights], **options)


def statically(*arguments, **options):
    return lambda path, to, inputs: quantize_statically(path, to, inputs, *arguments, **options)


def optimize(path, to, _inputs):
    """The model as ONNX Runtime saves it after its extended optimizations."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.optimized_model_filepath = str(to)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def after(first, second):
    """One form of another."""
    def write(path, to, inputs):
        between = to.with_suffix(".between.onnx")
        first(path, between, inputs)
        second(between, to, inputs)
    return write


def quantize_weights(path, to, _inputs, dequantize):
    """Matrices and windows in int8 with a scale for each result, and no activations: DequantizeLinear, or Cast and Mul."""
    model = onnx.load(path)
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes, done = [], set()
    for node in model.graph.node:
        weight = constants.get(node.input[1]) if node.op_type in ("MatMul", "Conv", "Gemm") else None
        if weight is not None and len(weight.dims) >= 2 and weight.name not in done:
            done.add(weight.name)
            array = numpy_helper.to_array(weight)
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            axis = array.ndim - 1 if node.op_type != "Conv" and not transposed else 0
            others = tuple(d for d in range(array.ndim) if d != axis)
            scale = numpy.maximum(numpy.abs(array).max(axis=others, keepdims=True), 1e-6).astype(numpy.float32) / 127
            model.graph.initializer.remove(weight)
            name = weight.name
            model.graph.initializer.append(numpy_helper.from_array(numpy.rint(array / scale).astype(numpy.int8), name + "_q"))
            scale = scale.reshape(-1) if dequantize else scale
            model.graph.initializer.append(numpy_helper.from_array(scale, name + "_s"))
            if dequantize:
                nodes.append(helper.make_node("DequantizeLinear", [name + "_q", name + "_s"], [name], axis=axis))
            else:
                nodes.append(helper.make_node("Cast", [name + "_q"], [name + "_f"], to=onnx.TensorProto.FLOAT))
                nodes.append(helper.make_node("Mul", [name + "_f", name + "_s"], [name]))
        nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, to)


def in_half(path, to, _inputs):
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(path), keep_io_types=True), to)


def in_four_bits(path, to, _inputs):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    quantizer = MatMulNBitsQuantizer(onnx.load(path), bits=4, block_size=32, is_symmetric=True)
    quantizer.process()
    quantizer.model.save_model_to_file(str(to))


FORMS = {
    "dynamic": quantize_dynamically,
    "dynamic, per channel": lambda *arguments: quantize_dynamically(*arguments, per_channel=True),
    "dynamic, u8 weights": quantize_dynamically_unsigned,
    "qdq u8 s8": statically("QUInt8", "QInt8", per_channel=True),
    "qdq s8 s8": statically("QInt8", "QInt8"),
    "qdq u8 u8": statically("QUInt8", "QUInt8", extra_options={"DedicatedQDQPair": True}),
    "qdq symmetric": statically("QInt8", "QInt8", per_channel=True,
                                extra_options={"ActivationSymmetric": True, "AddQDQPairToWeight": True,
                                               "QDQKeepRemovableActivations": True}),
    "qdq u16 s8": statically("QUInt16", "QInt8"),
    "qoperator u8 s8": statically("QUInt8", "QInt8", "QOperator", per_channel=True),
    "qoperator u8 u8": statically("QUInt8", "QUInt8", "QOperator"),
    "weights, dq": lambda *arguments: quantize_weights(*arguments, dequantize=True),
    "weights, cast mul": lambda *arguments: quantize_weights(*arguments, dequantize=False),
    "four bits": in_four_bits,
    "half": in_half,
    "optimized": optimize,
    "optimized dynamic": after(quantize_dynamically, optimize),
    "optimized qdq": after(statically("QUInt8", "QInt8"), optimize),
    "optimized qoperator": after(statically("QUInt8", "QUInt8", "QOperator"), optimize),
}
