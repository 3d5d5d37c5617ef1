"""Convolution networks as their authors describe them, with random weights."""

from .network import Network

CLASSES = 1000


def resnet(layers, blocks_of_stages, size=224, **options):
    net = Network(f"resnet{layers}", size, **options)
    x = net.conv(net.input, net.channels(64), 7, 2)
    x = net.max_pool(x, 3, 2, 1)
    for stage, blocks in enumerate(blocks_of_stages):
        inner = net.channels(64 * 2**stage)
        for block in range(net.blocks(blocks)):
            stride = 2 if stage and not block else 1
            shortcut = x if block else net.conv(x, 4 * inner, 1, stride, activation="none")
            y = net.conv(net.conv(x, inner), inner, 3, stride)
            x = net.add(net.conv(y, 4 * inner, activation="none"), shortcut, "relu")
    return net.finish(net.dense(net.global_pool(x), CLASSES))


def resnet50(**options):
    return resnet(50, (3, 4, 6, 3), **options)


def resnet152(**options):
    return resnet(152, (3, 8, 36, 3), **options)


def mobilenet_v2(size=224, **options):
    net = Network("mobilenet-v2", size, **options)
    x = net.conv(net.input, net.channels(32), 3, 2, activation="relu6")
    for expansion, filters, blocks, first in (
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
            (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(net.blocks(blocks)):
            stride = first if block == 0 else 1
            y = x
            if expansion > 1:
                y = net.conv(y, expansion * x.shape[2], activation="relu6")
            y = net.depthwise(y, 3, stride, "relu6")
            y = net.conv(y, net.channels(filters), activation="none")
            x = net.add(y, x) if stride == 1 and y.shape == x.shape else y
    x = net.conv(x, net.channels(1280), activation="relu6")
    return net.finish(net.dense(net.global_pool(x), CLASSES))


def squeeze_and_excite(net, x, inner, activation, gate):
    """Multiplies each channel by what two layers compute of the means of all channels."""
    y = net.conv(net.global_pool(x), inner, activation=activation)
    return net.mul(x, net.conv(y, x.shape[2], activation=gate))


def mobilenet_v3(size=224, **options):
    net = Network("mobilenet-v3", size, **options)
    x = net.conv(net.input, net.channels(16), 3, 2, activation="hard_swish")
    for kernel, inner, filters, excite, activation, first, blocks in (
            (3, 16, 16, False, "relu", 1, 1), (3, 64, 24, False, "relu", 2, 1),
            (3, 72, 24, False, "relu", 1, 1), (5, 72, 40, True, "relu", 2, 1),
            (5, 120, 40, True, "relu", 1, 2), (3, 240, 80, False, "hard_swish", 2, 1),
            (3, 200, 80, False, "hard_swish", 1, 1), (3, 184, 80, False, "hard_swish", 1, 2),
            (3, 480, 112, True, "hard_swish", 1, 1), (3, 672, 112, True, "hard_swish", 1, 1),
            (5, 672, 160, True, "hard_swish", 2, 1), (5, 960, 160, True, "hard_swish", 1, 2)):
        inner = net.channels(inner)
        for block in range(net.blocks(blocks)):
            stride = first if block == 0 else 1
            y = net.conv(x, inner, activation=activation) if inner != x.shape[2] else x
            y = net.depthwise(y, kernel, stride, activation)
            if excite:
                y = squeeze_and_excite(net, y, max(4, inner // 4), "relu", "hard_sigmoid")
            y = net.conv(y, net.channels(filters), activation="none")
            x = net.add(y, x) if stride == 1 and y.shape == x.shape else y
    x = net.conv(x, net.channels(960), activation="hard_swish")
    x = net.conv(net.global_pool(x), net.channels(1280), activation="hard_swish")
    return net.finish(net.dense(x, CLASSES))


def efficientnet_b0(size=224, **options):
    net = Network("efficientnet-b0", size, **options)
    x = net.conv(net.input, net.channels(32), 3, 2, activation="silu")
    for expansion, kernel, first, filters, blocks in (
            (1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3),
            (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)):
        for block in range(net.blocks(blocks)):
            stride = first if block == 0 else 1
            y = x
            if expansion > 1:
                y = net.conv(y, expansion * x.shape[2], activation="silu")
            y = net.depthwise(y, kernel, stride, "silu")
            y = squeeze_and_excite(net, y, max(4, x.shape[2] // 4), "silu", "sigmoid")
            y = net.conv(y, net.channels(filters), activation="none")
            x = net.add(y, x) if stride == 1 and y.shape == x.shape else y
    x = net.conv(x, net.channels(1280), activation="silu")
    return net.finish(net.dense(net.global_pool(x), CLASSES))


def c2f(net, x, filters, blocks, shortcut):
    """Two halves of a convolution's channels, one through a chain of blocks, all concatenated."""
    half = filters // 2
    x = net.conv(x, 2 * half, activation="silu")
    parts = [net.slice(x, 0, half), net.slice(x, half, half)]
    for _ in range(net.blocks(blocks)):
        y = net.conv(net.conv(parts[-1], half, 3, activation="silu"), half, 3, activation="silu")
        parts.append(net.add(parts[-1], y) if shortcut else y)
    return net.conv(net.concat(*parts), filters, activation="silu")


def yolov8n(size=640, classes=80, **options):
    """YOLOv8n up to the convolutions of its heads: [1, places, 64 + classes]."""
    net = Network("yolov8n", size, **options)
    scales = [net.channels(16 * 2**i) for i in range(5)]
    x = net.conv(net.input, scales[0], 3, 2, activation="silu")
    levels = []
    for filters, blocks in zip(scales[1:], (1, 2, 2, 1)):
        x = net.conv(x, filters, 3, 2, activation="silu")
        x = c2f(net, x, filters, blocks, True)
        levels.append(x)
    # Poolings of three sizes.
    pooled = [net.conv(x, scales[4] // 2, activation="silu")]
    for _ in range(3):
        pooled.append(net.max_pool(pooled[-1], 5, 1, 2))
    p5 = net.conv(net.concat(*pooled), scales[4], activation="silu")
    p4 = c2f(net, net.concat(net.upsample(p5), levels[2]), scales[3], 1, False)
    p3 = c2f(net, net.concat(net.upsample(p4), levels[1]), scales[2], 1, False)
    p4 = net.concat(net.conv(p3, scales[2], 3, 2, activation="silu"), p4)
    p4 = c2f(net, p4, scales[3], 1, False)
    p5 = net.concat(net.conv(p4, scales[3], 3, 2, activation="silu"), p5)
    p5 = c2f(net, p5, scales[4], 1, False)

    def head(x, inner, results):
        for _ in range(2):
            x = net.conv(x, inner, 3, activation="silu")
        return net.conv(x, results, activation="none")

    return net.finish(*(net.concat(head(x, net.channels(64), 64),
                                   head(x, net.channels(80), classes)) for x in (p3, p4, p5)))


def unet(size=256, classes=21, **options):
    """Four levels from 32 channels on; halves of the channels come from above and from the left."""
    net = Network("unet", size, **options)

    def block(x, filters):
        return net.conv(net.conv(x, filters, 3), filters, 3)

    x, levels = net.input, []
    for level in range(4):
        x = block(x, net.channels(32 * 2**level))
        levels.append(x)
        x = net.max_pool(x, 2, 2, 0)
    x = block(x, net.channels(512))
    for level in reversed(levels):
        filters = level.shape[2]
        x = block(net.concat(level, net.conv_transpose(x, filters, 2)), filters)
    return net.finish(net.conv(x, classes, activation="none"))


NETWORKS = {
    "resnet50": resnet50,
    "mobilenet-v2": mobilenet_v2,
    "mobilenet-v3": mobilenet_v3,
    "efficientnet-b0": efficientnet_b0,
    "yolov8n": yolov8n,
    "unet": unet,
}

# Networks that repeat the layers of others: they show what depth costs a compiler.
DEEPER_NETWORKS = {"resnet152": resnet152}
