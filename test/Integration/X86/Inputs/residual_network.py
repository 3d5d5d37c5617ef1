"""Prints a small residual network in one of two layouts and two forms.

residual_network.py LAYOUT FORM [BATCH]

LAYOUT: nchw or nhwc. FORM: `real` has quantize and dequantize around linalg convolutions of floats, as importers
write them, `conv2d` has qnn.conv2d, in nchw between transposes, and `integer` has convolutions of integers with
their requantization written out. BATCH is a number or `?`. All have the same layers: a first convolution of three
channels, a pool, a residual block, and one with a depthwise convolution and a projection by 1 x 1.
"""

import sys

QUANTIZED = "!quant.uniform<i8:f32, 0.05:3>"
WEIGHT = "!quant.uniform<i8:f32, 0.001>"
IDENTITY = "affine_map<(a, b, c, d) -> (a, b, c, d)>"
LOOPS = ", ".join(['"parallel"'] * 4)


class Network:
    def __init__(self, layout, form, batch):
        self.layout, self.form, self.batch = layout, form, batch
        self.lines, self.count, self.weights = [], 0, 0
        self.element = "f32" if form == "real" else "i8"

    def dims(self, channels, size, layout=None):
        image = [size, size]
        if (layout or self.layout) == "nchw":
            return [self.batch, channels, *image]
        return [self.batch, *image, channels]

    def type(self, channels, size, element, layout=None):
        dims = self.dims(channels, size, layout)
        return "tensor<" + "x".join(map(str, [*dims, element])) + ">"

    def emit(self, text):
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}")
        return f"%{self.count}"

    def constant(self, name, type):
        return self.emit(f"arith.constant dense_resource<{name}> : {type}")

    def empty(self, type):
        return self.emit(f"tensor.empty({'%n' if self.batch == '?' else ''}) : {type}")

    def elementwise(self, operands, result, body):
        """Operands are pairs of a value and its type; one of rank 1 has the channels."""
        channel = "b" if self.layout == "nchw" else "d"
        channels = f"affine_map<(a, b, c, d) -> ({channel})>"
        maps = [IDENTITY if type.count("x") == 4 else channels for _, type in operands]
        args = [f"%x{i}: {t[7:-1].split('x')[-1]}" for i, (_, t) in enumerate(operands)]
        args.append(f"%o: {result[7:-1].split('x')[-1]}")
        out = self.empty(result)
        return self.emit(
            f"linalg.generic {{indexing_maps = [{', '.join([*maps, IDENTITY])}], iterator_types = [{LOOPS}]}} "
            f"ins({', '.join(v for v, _ in operands)} : {', '.join(t for _, t in operands)}) outs({out} : {result}) {{\n"
            f"  ^bb0({', '.join(args)}):\n    " + "\n    ".join(body) + f"\n  }} -> {result}"
        )

    def quantize(self, x, channels, size):
        quantized = self.type(channels, size, QUANTIZED)
        return self.emit(f"qnn.quantize {x} : {self.type(channels, size, 'f32')} -> {quantized}")

    def dequantize(self, x, channels, size):
        quantized = self.type(channels, size, QUANTIZED)
        return self.emit(f"qnn.dequantize {x} : {quantized} -> {self.type(channels, size, 'f32')}")

    def requantized(self, x, channels, size):
        return self.dequantize(self.quantize(x, channels, size), channels, size)

    def pad(self, x, channels, size, amount):
        if amount == 0:
            return x
        borders = [0 if d in (self.batch, channels) else amount for d in self.dims(channels, "size")]
        return self.emit(
            f"tensor.pad {x} low{borders} high{borders} {{\n  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            f"    tensor.yield %pad : {self.element}\n  }} : {self.type(channels, size, self.element)} "
            f"to {self.type(channels, size + 2 * amount, self.element)}"
        )

    def transposed(self, x, channels, size, element, to):
        if self.layout == "nhwc":
            return x
        source = "nchw" if to == "nhwc" else "nhwc"
        type = self.type(channels, size, element, to)
        order = "[0, 2, 3, 1]" if to == "nhwc" else "[0, 3, 1, 2]"
        return self.emit(
            f"linalg.transpose ins({x} : {self.type(channels, size, element, source)}) "
            f"outs({self.empty(type)} : {type}) permutation = {order}"
        )

    def convolution(self, x, channels, filters, size, kernel=3, stride=1, relu=True, depthwise=False, residual=None):
        amount, self.weights = kernel // 2, self.weights + 1
        result = (size + 2 * amount - kernel) // stride + 1
        if self.form == "conv2d":
            return self.qnn(x, channels, filters, size, kernel, stride, depthwise, residual), result
        padded = self.pad(x, channels, size, amount)
        window = [kernel, kernel]
        if depthwise:
            dims = [channels, *window] if self.layout == "nchw" else [*window, channels]
            name = {"nchw": "depthwise_conv_2d_nchw_chw", "nhwc": "depthwise_conv_2d_nhwc_hwc"}[self.layout]
        else:
            dims = [filters, channels, *window] if self.layout == "nchw" else [*window, channels, filters]
            name = {"nchw": "conv_2d_nchw_fchw", "nhwc": "conv_2d_nhwc_hwcf"}[self.layout]
        sizes = "x".join(map(str, dims))
        acc = "f32" if self.form == "real" else "i32"
        if self.form == "real":
            weight = self.constant(f"w{self.weights}", f"tensor<{sizes}x{WEIGHT}>")
            weight = self.emit(f"qnn.dequantize {weight} : tensor<{sizes}x{WEIGHT}> -> tensor<{sizes}xf32>")
        else:
            weight = self.constant(f"w{self.weights}", f"tensor<{sizes}xi8>")
        sums, image = self.type(filters, result, acc), self.type(channels, size + 2 * amount, self.element)
        start = self.emit(f"linalg.fill ins(%zero : {acc}) outs({self.empty(sums)} : {sums}) -> {sums}")
        y = self.emit(
            f"linalg.{name} {{strides = dense<{stride}> : tensor<2xi64>}} ins({padded}, {weight} : {image}, "
            f"tensor<{sizes}x{self.element}>) outs({start} : {sums}) -> {sums}"
        )
        bias = self.constant(f"b{self.weights}", f"tensor<{filters}x{acc}>")
        operands = [(y, sums), (bias, f"tensor<{filters}x{acc}>")]
        if residual:
            operands.append((residual, self.type(filters, result, self.element)))
        return self.finish(operands, filters, result, relu, residual), result

    def finish(self, operands, channels, size, relu, residual):
        """Bias, residual, Relu, and back to what the next layer reads."""
        if self.form == "real":
            body = ["%s = arith.addf %x0, %x1 : f32"]
            body.append("%t = arith.addf %s, %x2 : f32" if residual else "%t = arith.negf %s : f32")
            body.append("%r = arith.maximumf %t, %zero : f32" if relu else "%r = arith.addf %t, %t : f32")
            y = self.elementwise(operands, self.type(channels, size, "f32"), [*body, "linalg.yield %r : f32"])
            return self.requantized(y, channels, size)
        body = ["%s = arith.addi %x0, %x1 : i32", "%f = arith.sitofp %s : i32 to f32", "%g = arith.mulf %f, %factor : f32"]
        if residual:
            body += ["%e = arith.extsi %x2 : i8 to i32", "%h = arith.sitofp %e : i32 to f32", "%v = arith.addf %g, %h : f32"]
        else:
            body += ["%v = arith.addf %g, %factor : f32"]
        least = "%low" if not relu else "%factor"
        body += ["%p = math.roundeven %v : f32", f"%q = arith.maximumf %p, {least} : f32", "%r = arith.minimumf %q, %high : f32"]
        body += ["%i = arith.fptosi %r : f32 to i8", "linalg.yield %i : i8"]
        return self.elementwise(operands, self.type(channels, size, "i8"), body)

    def qnn(self, x, channels, filters, size, kernel, stride, depthwise, residual):
        """qnn.conv2d of the stored integers, between transposes."""
        amount = kernel // 2
        result = (size + 2 * amount - kernel) // stride + 1
        weight_type = f"tensor<{filters}x{kernel}x{kernel}x{1 if depthwise else channels}x{WEIGHT}>"
        weight = self.constant(f"w{self.weights}", weight_type)
        image = self.transposed(x, channels, size, "i8", "nhwc")
        groups = f"groups = {channels} : i64, " if depthwise else ""
        y = self.emit(
            f"qnn.conv2d {image}, {weight} input_scale(%scale : f32) input_zero_point(%five : i32) "
            f"output_scale(%scale : f32) output_zero_point(%five : i32) {{{groups}strides = array<i64: {stride}, {stride}>, "
            f"padding = array<i64: {amount}, {amount}, {amount}, {amount}>}} : {self.type(channels, size, 'i8', 'nhwc')}, "
            f"{weight_type} -> {self.type(filters, result, 'i8', 'nhwc')}"
        )
        y = self.transposed(y, filters, result, "i8", "nchw")
        type = self.type(filters, result, "i8")
        if not residual:
            return y
        return self.elementwise([(y, type), (residual, type)], type, ["%s = arith.maxsi %x0, %x1 : i8", "linalg.yield %s : i8"])

    def pool(self, x, channels, size):
        type, element = self.type(channels, size // 2, self.element), self.element
        start = self.emit(f"linalg.fill ins(%lowest : {element}) outs({self.empty(type)} : {type}) -> {type}")
        window = self.emit(f"tensor.empty() : tensor<2x2x{element}>")
        y = self.emit(
            f"linalg.pooling_{self.layout}_max {{strides = dense<2> : tensor<2xi64>}} "
            f"ins({x}, {window} : {self.type(channels, size, element)}, tensor<2x2x{element}>) outs({start} : {type}) -> {type}"
        )
        return (self.requantized(y, channels, size // 2) if self.form == "real" else y), size // 2

    def constants(self, image):
        if self.batch == "?":
            self.lines += ["  %c0 = arith.constant 0 : index", f"  %n = tensor.dim %image, %c0 : {image}"]
        values = {"factor": "0.002 : f32", "low": "-128.0 : f32", "high": "127.0 : f32", "scale": "0.05 : f32", "five": "5 : i32"}
        if self.form == "real":
            values |= {"zero": "0.0 : f32", "pad": "0.0 : f32", "lowest": "0xFF800000 : f32"}
        else:
            values |= {"zero": "0 : i32", "pad": "0 : i8", "lowest": "-128 : i8"}
        self.lines += [f"  %{name} = arith.constant {value}" for name, value in values.items()]

    def build(self):
        size, channels = 16, 32
        image = self.type(3, size, self.element)
        self.constants(image)
        x = self.requantized("%image", 3, size) if self.form == "real" else "%image"
        x, size = self.convolution(x, 3, channels, size)
        x, size = self.pool(x, channels, size)
        y, _ = self.convolution(x, channels, channels, size)
        x, _ = self.convolution(y, channels, channels, size, residual=x)
        y, _ = self.convolution(x, channels, 64, size, kernel=1)
        y, half = self.convolution(y, 64, 64, size, stride=2, depthwise=True)
        shortcut, _ = self.convolution(x, channels, 64, size, kernel=1, stride=2, relu=False)
        y, _ = self.convolution(y, 64, 64, half, kernel=1, relu=False, residual=shortcut)
        result = self.type(64, half, self.element)
        print(f"func.func @main(%image: {image}) -> {result} {{")
        print("\n".join(self.lines))
        print(f"  return {y} : {result}\n}}")


batch = sys.argv[3] if len(sys.argv) > 3 else "1"
Network(sys.argv[1], sys.argv[2], batch).build()
