"""GroupQueryAttention of com.microsoft, against numpy in float64 and ONNX Runtime; decoders that are made of it."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import decoder_float64
import onnx_peer
import program
from onnx_model import Model
from package import qcc

F32, I32, I64 = np.float32, np.int32, np.int64
RNG = np.random.default_rng(36)
HEADS, GROUPS, SIZE = 4, 2, 32
NAMES = ["query", "key", "value", "past_key", "past_value", "seqlens_k", "total_sequence_length", "cos_cache", "sin_cache",
         "position_ids", "attention_bias", "head_sink", "k_scale", "v_scale", "q_norm_weight", "k_norm_weight", "query_seqlens"]
DIMS = {"query": ["b", "s", None], "key": ["b", "s", None], "value": ["b", "s", None], "past_key": ["b", GROUPS, "past", "size"],
        "past_value": ["b", GROUPS, "past", "size"], "seqlens_k": ["b"], "position_ids": ["b", "s"],
        "attention_bias": [None, None, "s", "total"], "query_seqlens": ["b"]}


def uniform(*shape):
    return RNG.uniform(-1, 1, shape).astype(F32)


def inputs(batch, rows, past=None, last=None, total=None, packed=False):
    """Queries, keys and values; `past` rows in caches; `last` is seqlens_k."""
    before = past or 0
    total = total or before + rows
    arrays = {"query": uniform(batch, rows, HEADS * SIZE), "key": uniform(batch, rows, GROUPS * SIZE),
              "value": uniform(batch, rows, GROUPS * SIZE)}
    if packed:
        arrays = {"query": uniform(batch, rows, (HEADS + 2 * GROUPS) * SIZE)}
    if past is not None:
        arrays.update(past_key=uniform(batch, GROUPS, past, SIZE), past_value=uniform(batch, GROUPS, past, SIZE))
    arrays["seqlens_k"] = np.array([total - 1] * batch if last is None else last, I32)
    arrays["total_sequence_length"] = np.array([total], I32)
    return arrays


def angles(rows=32, half=SIZE // 2):
    return {"cos_cache": uniform(rows, half), "sin_cache": uniform(rows, half)}


def run(folder, arrays, outputs=3, is_dynamic=False, tolerance=1e-4, has_peer=True, **attributes):
    """The results of qcc, which are compared with those of ONNX Runtime."""
    model, names = Model(), []
    attributes = {"num_heads": HEADS, "kv_num_heads": GROUPS, **attributes}
    for name in NAMES:
        array = arrays.get(name)
        if array is None:
            names.append("")
        elif name in ("total_sequence_length", "cos_cache", "sin_cache") and not is_dynamic:
            names.append(model.constant(name, array))
        elif name == "total_sequence_length":  # as the model builder of ONNX Runtime GenAI writes it
            mask = model.input("mask", np.ones((len(arrays["query"]), int(array[0])), I64), ["b", "total"])
            size = model.node("Gather", [model.node("Shape", [mask]), model.constant("one", I64(1))], axis=0)
            names.append(model.node("Cast", [size], to=TensorProto.INT32))
        else:
            dims = [d or size for d, size in zip(DIMS.get(name, array.shape), array.shape)] if is_dynamic else None
            names.append(model.input(name, array, dims))
    while not names[-1]:
        names.pop()
    results = model.run(folder, model.node("com.microsoft::GroupQueryAttention", names, outputs, **attributes))
    if onnx_peer.onnxruntime is not None and has_peer:
        expected = onnx_peer.run(folder / "model.onnx", model.arrays)
        assert expected is not None, "ONNX Runtime does not take the model"
        valid = valid_rows(arrays)
        for i, (a, e) in enumerate(zip(results, expected)):
            assert a.shape == e.shape
            if i in (0, 3):
                dim = 1 if i == 0 else 2
                a, e = (np.moveaxis(x, dim, 1)[valid] for x in (a, e))
            else:  # What other rows of caches hold depends on whether the two caches share memory.
                tokens = np.arange(a.shape[2]) <= arrays["seqlens_k"][:, None]
                a, e = (np.moveaxis(x, 2, 1)[tokens] for x in (a, e))
            np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance, err_msg=f"result {i} of ONNX Runtime")
    return results


def valid_rows(arrays):
    """Which rows of the query are no padding, [batch, rows]."""
    rows = arrays["query"].shape[1]
    count = arrays.get("query_seqlens", np.minimum(arrays["seqlens_k"] + 1, rows))
    return np.arange(rows) < count[:, None]


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3).astype(np.float64)


def rotated(x, positions, cosines, sines, interleaved):
    """[batch, heads, rows, size]"""
    half = cosines.shape[1]
    c, s = cosines[positions][:, None], sines[positions][:, None]
    turned = x[..., :2 * half]
    a, b = (turned[..., ::2], turned[..., 1::2]) if interleaved else np.split(turned, 2, axis=-1)
    parts = [c * a - s * b, s * a + c * b]
    joined = np.stack(parts, -1).reshape(turned.shape) if interleaved else np.concatenate(parts, -1)
    return np.concatenate([joined, x[..., 2 * half:]], -1)


def reference(arrays, causal=1, local_window_size=-1, softcap=0.0, scale=0.0, smooth_softmax=0, do_rotary=0,
              rotary_interleaved=0):
    """(output, present_key, present_value) in float64, batch by batch and row by row."""
    q = arrays["query"]
    batch, rows = q.shape[:2]
    if "key" in arrays:
        q, k, v = split(q, HEADS), split(arrays["key"], GROUPS), split(arrays["value"], GROUPS)
    else:
        q, k, v = np.split(split(q, HEADS + 2 * GROUPS), [HEADS, HEADS + GROUPS], axis=1)
    none = np.zeros((batch, GROUPS, 0, SIZE))
    past = [arrays.get(name, none) for name in ("past_key", "past_value")]
    ends = arrays["seqlens_k"] + 1
    total = int(arrays["total_sequence_length"][0])
    added = arrays.get("query_seqlens")
    starts = np.maximum(ends - rows, 0) if added is None else ends - added
    if do_rotary:
        places = starts[:, None] + np.arange(rows)
        if "position_ids" in arrays:
            given = arrays["position_ids"]
            places = given[0, 0] + np.arange(rows)[None] if rows == total and added is None else given
        caches = arrays["cos_cache"].astype(np.float64), arrays["sin_cache"].astype(np.float64)
        q, k = (rotated(x, places, *caches, rotary_interleaved) for x in (q, k))
    size = max(total, past[0].shape[2])
    present = [np.zeros((batch, GROUPS, size, SIZE)) for _ in range(2)]
    y = np.zeros((batch, rows, HEADS, SIZE))
    for b in range(batch):
        count, start = rows if added is None else added[b], starts[b]
        for whole, old, new in zip(present, past, (k, v)):
            whole[b, :, :old.shape[2]] = old[b]
            whole[b, :, start:start + count] = new[b, :, :count]
        for h, s in np.ndindex(HEADS, rows):
            end = min(start + s + 1, ends[b]) if causal else ends[b]
            first = max(end - local_window_size, 0) if local_window_size > 0 else 0
            keys, values = (whole[b, h // (HEADS // GROUPS), first:end] for whole in present)
            scores = keys @ q[b, h, s] * (scale or SIZE ** -0.5)
            scores = np.tanh(scores / softcap) * softcap if softcap else scores
            if "attention_bias" in arrays:
                bias = np.broadcast_to(arrays["attention_bias"], (batch, HEADS, rows, total))
                scores = scores + bias[b, h, s, first:end]
            weights = np.exp(scores)
            more = np.exp(np.float64(arrays["head_sink"][h])) if "head_sink" in arrays else smooth_softmax
            y[b, s, h] = weights / (weights.sum() + more) @ values
    return [y.reshape(batch, rows, -1), *present]


def check(folder, arrays, **attributes):
    options = {name: attributes.pop(name) for name in ("is_dynamic", "has_peer") if name in attributes}
    actual, expected = run(folder, arrays, **options, **attributes), reference(arrays, **attributes)
    valid = valid_rows(arrays)
    np.testing.assert_allclose(actual[0][valid], expected[0][valid], rtol=1e-4, atol=1e-4)
    for a, e in zip(actual[1:], expected[1:]):
        np.testing.assert_allclose(a, e, rtol=1e-5, atol=1e-5)


CALLS = {"prompt": {"rows": 5}, "prompt with empty caches": {"rows": 5, "past": 0},
         "prompt in shared caches": {"rows": 4, "past": 9, "total": 4},
         "padded prompt": {"rows": 5, "last": [4, 2]}, "step": {"rows": 1, "past": 6},
         "padded step": {"rows": 1, "past": 6, "last": [6, 3]},
         "step in shared caches": {"rows": 1, "past": 9, "total": 6, "last": [5, 2]}}


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_calls(call, is_dynamic, tmp_path, compiler):
    check(tmp_path, {**inputs(2, **CALLS[call]), **angles()}, do_rotary=1, is_dynamic=is_dynamic)


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_several_rows_after_a_prompt(is_dynamic, tmp_path, compiler):
    """ONNX Runtime takes one batch only."""
    check(tmp_path, {**inputs(1, 3, 4), **angles()}, do_rotary=1, is_dynamic=is_dynamic)
    check(tmp_path, {**inputs(2, 3, 4, [6, 5]), **angles()}, do_rotary=1, is_dynamic=is_dynamic, has_peer=False)


@pytest.mark.parametrize("call", ["padded prompt", "padded step"])
@pytest.mark.parametrize("form", [
    {"local_window_size": 2}, {"local_window_size": 1}, {"local_window_size": 50}, {"softcap": 0.5}, {"scale": 0.7},
    {"smooth_softmax": 1}, {"causal": 0}, {"local_window_size": 3, "softcap": 0.3, "smooth_softmax": 1}])
def test_attributes(form, call, tmp_path, compiler):
    check(tmp_path, inputs(2, **CALLS[call]), **form)


@pytest.mark.parametrize("call", ["prompt", "step"])
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("half", [SIZE // 2, 8])
@pytest.mark.parametrize("packed", [False, True])
def test_rotations(packed, half, interleaved, call, tmp_path, compiler):
    check(tmp_path, {**inputs(2, **CALLS[call], packed=packed), **angles(half=half)}, do_rotary=1, rotary_interleaved=interleaved)


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("call", ["prompt", "step"])
def test_positions(call, is_dynamic, tmp_path, compiler):
    """Of a prompt only the first position is read."""
    arrays = {**inputs(2, **CALLS[call]), **angles()}
    arrays["position_ids"] = RNG.integers(0, 20, arrays["query"].shape[:2])
    check(tmp_path, arrays, do_rotary=1, is_dynamic=is_dynamic)


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, HEADS), (2, HEADS)])
@pytest.mark.parametrize("call", ["padded prompt", "step in shared caches"])
def test_bias(call, shape, is_dynamic, tmp_path, compiler):
    arrays = inputs(2, **CALLS[call])
    arrays["attention_bias"] = uniform(*shape, arrays["query"].shape[1], int(arrays["total_sequence_length"][0]))
    check(tmp_path, arrays, softcap=0.5, is_dynamic=is_dynamic)


@pytest.mark.parametrize("call", ["prompt", "padded step"])
def test_sinks(call, tmp_path, compiler):
    check(tmp_path, {**inputs(2, **CALLS[call]), "head_sink": uniform(HEADS)}, local_window_size=3)


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_padded_chunks(is_dynamic, tmp_path, compiler):
    arrays = {**inputs(2, 4, 5, [6, 8]), **angles(), "query_seqlens": np.array([3, 4], I32)}
    check(tmp_path, arrays, do_rotary=1, local_window_size=4, is_dynamic=is_dynamic)


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("call", ["prompt", "step"])
def test_scores(mode, call, tmp_path, compiler):
    run(tmp_path, inputs(2, **CALLS[call]), 4, qk_output=mode, softcap=0.5)


def test_halves(tmp_path, compiler):
    arrays = {**inputs(2, 1, 6), **angles()}
    half = {name: a.astype(np.float16) if a.dtype == F32 else a for name, a in arrays.items()}
    results = run(tmp_path, half, tolerance=5e-3, do_rotary=1)
    wide = {name: a.astype(F32) if a.dtype == np.float16 else a for name, a in half.items()}
    for actual, expected in zip(results, run(tmp_path, wide, do_rotary=1)):
        program.assert_same_bits(actual, expected.astype(np.float16))


def codes_of(x, scale, bits):
    """What caches of `bits` bits hold for [batch, heads, rows, size]."""
    least = -2 ** (bits - 1)
    codes = np.clip(np.rint(x * (F32(1) / scale)), least, -least - 1).astype(np.int8)
    if bits == 8:
        return codes
    pairs = (codes + 8).astype(np.uint8).reshape(*codes.shape[:-1], codes.shape[-1] // 2, 2)
    return pairs[..., 0] | pairs[..., 1] << 4


def values_of(codes, scale):
    if codes.dtype == np.uint8:
        codes = np.stack([codes & 15, codes >> 4], -1).reshape(*codes.shape[:-1], 2 * codes.shape[-1]).astype(np.int8) - 8
    return codes.astype(F32) * scale


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("kinds, is_dynamic", [
    (("PER_TENSOR", "PER_TENSOR"), False), (("PER_CHANNEL", "PER_CHANNEL"), True), (("PER_TENSOR", "PER_CHANNEL"), False)])
@pytest.mark.parametrize("call", ["prompt", "prompt with empty caches", "padded step", "step in shared caches"])
def test_quantized_caches(call, kinds, is_dynamic, bits, tmp_path, compiler):
    """The caches have the codes of ONNX Runtime; the output is that of a node with caches of the floats that they stand for."""
    arrays = inputs(2, **CALLS[call])
    scales = [np.abs(uniform(*((GROUPS, 1, SIZE) if kind == "PER_CHANNEL" else (1,)))) * F32(2 ** (2 - bits)) + F32(1e-3)
              for kind in kinds]
    names = list(zip(("key", "value"), ("past_key", "past_value"), scales))
    floats, quantized = dict(arrays), {**arrays, "k_scale": scales[0], "v_scale": scales[1]}
    for new, past, scale in names:
        rows = split(arrays[new], GROUPS).astype(F32)
        rows[..., :4] = np.rint(rows[..., :4] * 5) * scale[..., :4] / 2  # halves between two codes
        codes = codes_of(rows, scale, bits)
        quantized[new] = rows.transpose(0, 2, 1, 3).reshape(arrays[new].shape)
        floats[new] = values_of(codes, scale).transpose(0, 2, 1, 3).reshape(arrays[new].shape)
        if past in arrays:
            quantized[past] = codes_of(arrays[past], scale, bits)
            floats[past] = values_of(quantized[past], scale)
    has_peer = call != "prompt" and kinds[0] == kinds[1]  # ONNX Runtime takes these only
    actual = run(tmp_path, quantized, is_dynamic=is_dynamic, has_peer=has_peer, k_quant_type=kinds[0], v_quant_type=kinds[1],
                 kv_cache_bit_width=bits)
    expected = run(tmp_path, floats, is_dynamic=is_dynamic, has_peer=False)
    program.assert_same_bits(actual[0][valid_rows(arrays)], expected[0][valid_rows(arrays)])
    tokens = np.arange(actual[1].shape[2]) <= arrays["seqlens_k"][:, None]
    for a, e, scale in zip(actual[1:], expected[1:], scales):
        program.assert_same_bits(values_of(a, scale).transpose(0, 2, 1, 3)[tokens], e.transpose(0, 2, 1, 3)[tokens])


@pytest.mark.parametrize("change, attributes, message", [
    ({}, {"num_heads": 0}, "has num_heads = 0, which is no number of heads"),
    ({}, {"kv_num_heads": 3}, "has num_heads = 4, which is no multiple of kv_num_heads = 3"),
    ({}, {"sliding_window_cache": 1}, "has sliding_window_cache = 1, which is not supported"),
    ({}, {"k_quant_type": "PER_TENSOR"}, "has k_quant_type = PER_TENSOR without k_scale"),
    ({"k_scale": uniform(1)}, {"k_quant_type": "PER_TOKEN"}, "has k_quant_type = PER_TOKEN; give NONE, PER_TENSOR or PER_CHANNEL"),
    ({"k_scale": uniform(1)}, {"k_quant_type": "PER_TENSOR"}, "has only one of k_quant_type and v_quant_type"),
    ({"k_scale": uniform(2)}, {"k_quant_type": "PER_TENSOR"}, "has a k_scale that has not 1 element, as its k_quant_type = PER_TENSOR"),
    ({"k_scale": uniform(1)}, {"k_quant_type": "PER_CHANNEL"}, "has a k_scale that has not 64 elements"),
    ({"k_scale": uniform(1)}, {"k_quant_type": "PER_TENSOR", "kv_cache_bit_width": 2}, "has kv_cache_bit_width = 2"),
    ({"k_scale": uniform(1), "v_scale": uniform(1)}, {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR"},
     "has caches of float32 for values of int8; export the model with caches of int8"),
    ({}, {"do_rotary": 1}, "has do_rotary without cos_cache and sin_cache"),
    ({}, {"causal": 0, "local_window_size": 3}, "has local_window_size and causal = 0"),
    ({"key": None}, {}, "has only one of key and value"),
    ({"past_key": None}, {}, "has only one of past_key and past_value"),
    ({"key": None, "value": None, "query": uniform(2, 1, 60)}, {}, "width that its 8 heads divide"),
    ({"key": uniform(2, 3, GROUPS * SIZE)}, {}, "has a key that is not"),
    ({"past_value": uniform(2, GROUPS, 6, 8)}, {}, "has an earlier cache that is not"),
    ({"past_key": np.zeros((2, GROUPS, 6, SIZE), np.int8), "past_value": np.zeros((2, GROUPS, 6, SIZE), np.int8)}, {},
     "has caches of int8 for values of float32"),
    ({"seqlens_k": np.zeros(3, I32)}, {}, "has seqlens_k that is not"),
    ({"total_sequence_length": np.zeros(2, I32)}, {}, "has a total_sequence_length of 2 elements"),
    ({"k_scale": uniform(1)}, {}, "has k_scale without k_quant_type"),
    ({"q_norm_weight": uniform(SIZE)}, {}, "has q_norm_weight or k_norm_weight"),
    ({"query_seqlens": np.ones(2, I32)}, {"causal": 0}, "has query_seqlens, which needs past_key"),
    ({"position_ids": np.zeros((2, 4), I64), **angles()}, {"do_rotary": 1}, "has position_ids that is not")])
def test_refused(change, attributes, message, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        run(tmp_path, {**inputs(2, 1, 6), **change}, **attributes)


def test_refused_total_of_data(tmp_path, compiler):
    """The size of the new caches would be data."""
    model, arrays = Model(), inputs(2, 1, 6)
    names = [model.input(name, arrays[name]) for name in NAMES[:7]]
    with pytest.raises(AssertionError, match="takes total_sequence_length, the size of new caches, from a value that is known only"):
        model.run(tmp_path, model.node("com.microsoft::GroupQueryAttention", names, 3, num_heads=HEADS, kv_num_heads=GROUPS))


# Decoders, as the model builder of ONNX Runtime GenAI writes them.

WIDTH, WORDS, LAYERS, LONGEST = HEADS * SIZE, 50, 2, 64


class Decoder:
    """Embedding, layers of attention and of a gated network, logits; weights of floats, or of 4 or 8 bits in blocks.

    With an accuracy level of 4, inputs of products with such weights become int8.
    """

    def __init__(self, bits, level=0):
        self.bits, self.level, self.nodes, self.constants, self.made = bits, level, [], [], 0

    def constant(self, array):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op, inputs, outputs=1, domain="", **attributes):
        names = [f"{op}_{self.made}_{i}" if i is not None else "" for i in (outputs if isinstance(outputs, list) else range(outputs))]
        self.made += 1
        self.nodes.append(helper.make_node(op, inputs, names, names[0], domain=domain, **attributes))
        return names if len(names) > 1 else names[0]

    def ms(self, op, inputs, outputs=1, **attributes):
        return self.node(op, inputs, outputs, "com.microsoft", **attributes)

    def linear(self, x, k, n):
        if self.bits == 32:
            return self.node("MatMul", [x, self.constant(uniform(k, n) / F32(np.sqrt(k)))])
        codes = RNG.integers(0, 256, (n, k // 32, 4 * self.bits)).astype(np.uint8)
        scales = RNG.uniform(0.16, 0.48, (n, k // 32)).astype(F32) / F32(2**self.bits)
        return self.ms("MatMulNBits", [x, self.constant(codes), self.constant(scales)], K=k, N=n, bits=self.bits, block_size=32,
                       accuracy_level=self.level)

    def layer(self, x, skip, past, present, counts, caches):
        scale = [self.constant(np.ones(WIDTH, F32)) for _ in range(2)]
        packed = self.linear(x, WIDTH, (HEADS + 2 * GROUPS) * SIZE)
        self.nodes.append(helper.make_node(
            "GroupQueryAttention", [packed, "", "", *past, *counts, *caches], [f"y{present[0]}", *present], f"y{present[0]}",
            domain="com.microsoft", num_heads=HEADS, kv_num_heads=GROUPS, do_rotary=1, local_window_size=-1, softcap=0.0))
        y = self.linear(f"y{present[0]}", WIDTH, WIDTH)
        x, _, _, skip = self.ms("SkipSimplifiedLayerNormalization", [skip, y, scale[0]], [0, None, None, 3], epsilon=1e-5)
        gate, up = self.linear(x, WIDTH, 128), self.linear(x, WIDTH, 128)
        gate = self.node("Mul", [gate, self.node("Sigmoid", [gate])])
        y = self.linear(self.node("Mul", [gate, up]), 128, WIDTH)
        x, _, _, skip = self.ms("SkipSimplifiedLayerNormalization", [skip, y, scale[1]], [0, None, None, 3], epsilon=1e-5)
        return x, skip

    def model(self):
        one = self.constant(np.array([1], I64))
        counts = self.node("Sub", [self.node("ReduceSum", ["attention_mask", one], keepdims=0), one])
        total = self.node("Gather", [self.node("Shape", ["attention_mask"]), self.constant(I64(1))], axis=0)
        counts = [self.node("Cast", [x], to=TensorProto.INT32) for x in (counts, total)]
        places = np.arange(LONGEST)[:, None] * 100.0 ** -(np.arange(SIZE // 2) / (SIZE // 2))
        caches = [self.constant(np.cos(places).astype(F32)), self.constant(np.sin(places).astype(F32))]
        skip = self.node("Gather", [self.constant(uniform(WORDS, WIDTH)), "input_ids"])
        x = self.node("SimplifiedLayerNormalization", [skip, self.constant(np.ones(WIDTH, F32))], axis=-1, epsilon=1e-5)
        kinds, dims = TensorProto, ["batch_size", GROUPS, "past_sequence_length", "kv_cache_dim"]
        infos = [helper.make_tensor_value_info("input_ids", kinds.INT64, ["batch_size", "sequence_length"]),
                 helper.make_tensor_value_info("attention_mask", kinds.INT64, ["batch_size", "total_sequence_length"])]
        results = [helper.make_tensor_value_info("logits", kinds.FLOAT, ["batch_size", "sequence_length", WORDS])]
        for i in range(LAYERS):
            past, present = ([f"{when}.{i}.{what}" for what in ("key", "value")] for when in ("past_key_values", "present"))
            infos += [helper.make_tensor_value_info(name, kinds.FLOAT, dims) for name in past]
            results += [helper.make_tensor_value_info(name, kinds.FLOAT, dims[:2] + ["total_sequence_length", dims[3]])
                        for name in present]
            x, skip = self.layer(x, skip, past, present, counts, caches)
        self.nodes.append(helper.make_node("Identity", [self.linear(x, WIDTH, WORDS)], ["logits"], "last"))
        graph = helper.make_graph(self.nodes, "decoder", infos, results, self.constants)
        return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21),
                                                                      helper.make_opsetid("com.microsoft", 1)])


def empty_caches(batch=1):
    return [np.zeros((batch, GROUPS, 0, SIZE), F32) for _ in range(2 * LAYERS)]


def call(function, words, total, caches):
    """(logits, caches)"""
    words = np.ascontiguousarray(words, I64)
    y = function(words, np.ones((len(words), total), I64), *caches)
    return y[0], list(y[1:])


@pytest.fixture(scope="module", params=[32, 4])
def decoder(request):
    model = Decoder(request.param).model()
    return model, qcc.compile(model.SerializeToString()).function()


def generate(function, words, steps):
    """Greedy words after a prompt, and the logits from which they were chosen."""
    caches, total, chosen, logits = empty_caches(), len(words), [], []
    for _ in range(steps):
        y, caches = call(function, [words], total, caches)
        logits.append(y[0, -1])
        chosen.append(int(np.argmax(y[0, -1])))
        words, total = chosen[-1:], total + 1
    return chosen, np.stack(logits)


@pytest.mark.skipif(onnx_peer.onnxruntime is None, reason="needs ONNX Runtime")
def test_decoder(decoder):
    """The words of ONNX Runtime, one by one after a prompt."""
    model, function = decoder
    session = onnx_peer.onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [info.name for info in session.get_inputs()]
    chosen, logits = generate(function, list(range(3, 15)), 32)
    expected, peer = generate(lambda *arrays: session.run(None, dict(zip(names, arrays))), list(range(3, 15)), 32)
    assert chosen == expected
    np.testing.assert_allclose(logits, peer, rtol=1e-3, atol=1e-3)


@pytest.mark.skipif(onnx_peer.onnxruntime is None, reason="needs ONNX Runtime")
@pytest.mark.parametrize("bits, level", [(32, 0), (4, 0), (4, 4), (8, 4)])
def test_distance_to_float64(bits, level):
    """The distance of logits to those of float64 is on the average at most that of ONNX Runtime, and noise of float32."""
    model = Decoder(bits, level).model()
    session = onnx_peer.onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [info.name for info in session.get_inputs()]
    function = qcc.compile(model.SerializeToString()).function()
    runs = [lambda *arrays: decoder_float64.run(model, dict(zip(names, arrays))), function,
            lambda *arrays: session.run(None, dict(zip(names, arrays)))]
    caches, words, total, distances = [empty_caches() for _ in runs], list(range(3, 15)), 12, []
    for _ in range(24):
        logits = []
        for i, run_decoder in enumerate(runs):
            y, caches[i] = call(run_decoder, [words], total, caches[i])
            logits.append(y[0, -1])
        exact = logits[0]
        distances.append([np.linalg.norm(y - exact) / np.linalg.norm(exact) for y in logits[1:]])
        words, total = [int(np.argmax(exact))], total + 1
    own, peer = np.mean(distances, axis=0)
    assert own <= 1.02 * peer + 1e-6, f"{own} beside {peer}"
    assert 0 < own < (0.2 if level == 4 else 1e-5)


def test_decoder_word_by_word(decoder):
    """The bits of a prompt, in one call, in calls of one word, and in calls of several."""
    words = RNG.integers(0, WORDS, (2, 12))
    expected, present = call(decoder[1], words, 12, empty_caches(2))
    for sizes in ([1] * 12, [5, 1, 6]):
        caches, start = empty_caches(2), 0
        for size in sizes:
            y, caches = call(decoder[1], words[:, start:start + size], start + size, caches)
            program.assert_same_bits(y, expected[:, start:start + size])
            start += size
        for a, e in zip(caches, present):
            program.assert_same_bits(a, e)


def test_decoder_of_padded_batches(decoder):
    """Each of two prompts, the shorter one padded behind it, has the bits that it has alone."""
    words, lengths = RNG.integers(0, WORDS, (2, 9)), [9, 4]
    mask = (np.arange(9) < np.array(lengths)[:, None]).astype(I64)
    y = decoder[1](words, mask, *empty_caches(2))
    logits, caches = y[0], list(y[1:])
    more = RNG.integers(0, WORDS, (2, 1))
    step = decoder[1](more, np.concatenate([mask, np.ones((2, 1), I64)], axis=1), *caches)
    for b, length in enumerate(lengths):
        alone, own = call(decoder[1], words[b:b + 1, :length], length, empty_caches())
        program.assert_same_bits(logits[b:b + 1, :length], alone)
        alone, own = call(decoder[1], more[b:b + 1], length + 1, own)
        program.assert_same_bits(step[0][b:b + 1], alone)
        for a, e in zip(step[1:], own):
            program.assert_same_bits(a[b:b + 1, :, :length + 1], e)


@pytest.mark.parametrize("batch", [1, 2, 9])
def test_decoder_in_place(decoder, batch):
    """Caches of the greatest length that go on in their memory give the bits of caches that grow. More than eight
    batches have no caches in place."""
    function = qcc.compile(decoder[0].SerializeToString(), dims={"batch_size": batch}).function()
    words = RNG.integers(0, WORDS, (batch, 12))
    expected, present = call(function, words, 12, empty_caches(batch))
    if batch == 9:
        assert all(result.in_place_argument is None for result in function.results)
        return
    assert [result.in_place_argument for result in function.results] == [None, *range(2, 2 + 2 * LAYERS)]
    caches = [np.full((batch, GROUPS, 20, SIZE), 7, F32) for _ in range(2 * LAYERS)]
    start = 0
    for size in (5, 1, 1, 5):
        mask = np.ones((batch, start + size), I64)
        y = function(np.ascontiguousarray(words[:, start:start + size]), mask, *caches, out=[None, *caches])
        program.assert_same_bits(y[0], expected[:, start:start + size])
        start += size
    for cache, grown in zip(caches, present):
        program.assert_same_bits(cache[:, :, :12], grown)
        assert (cache[:, :, 12:] == 7).all()


def test_padded_batches_in_place(decoder):
    """Two prompts of different lengths in shared caches: each has the bits that it has alone."""
    function = qcc.compile(decoder[0].SerializeToString(), dims={"batch_size": 2}).function()
    words, lengths, more = RNG.integers(0, WORDS, (2, 9)), [9, 4], RNG.integers(0, WORDS, (2, 1))
    mask = (np.arange(9) < np.array(lengths)[:, None]).astype(I64)
    caches = [np.zeros((2, GROUPS, 16, SIZE), F32) for _ in range(2 * LAYERS)]
    logits = function(words, mask, *caches, out=[None, *caches])[0]
    step = function(more, np.concatenate([mask, np.ones((2, 1), I64)], axis=1), *caches, out=[None, *caches])[0]
    for b, length in enumerate(lengths):
        alone, own = call(decoder[1], words[b:b + 1, :length], length, empty_caches())
        program.assert_same_bits(logits[b:b + 1, :length], alone)
        program.assert_same_bits(step[b:b + 1], call(decoder[1], more[b:b + 1], length + 1, own)[0])


@pytest.mark.parametrize("kind", [F32, np.uint8, np.int8, np.bool_, I64])
def test_rotation_caches_by_length(kind, tmp_path, compiler):
    """Models with two caches of angles choose one by the length of the mask; the caches have different lengths."""
    tables = {name: (uniform(rows, 3) * 100).astype(I64 if kind == np.uint8 else kind).astype(kind)
              for name, rows in (("then", 20), ("else", 8))}
    branches = [helper.make_graph([helper.make_node("Constant", [], [name], value=numpy_helper.from_array(table))], name, [],
                                  [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(table.dtype), table.shape)])
                for name, table in tables.items()]
    for op, limit, tokens in (("Greater", 8, 8), ("Greater", 8, 9), ("LessOrEqual", 8, 8), ("Less", 8, 8), ("Equal", 9, 9),
                              ("GreaterOrEqual", 9, 8)):
        model = Model()
        mask = model.input("mask", np.ones((1, tokens), I64), ["b", "total"])
        size = model.node("Gather", [model.node("Shape", [mask]), model.constant("one", I64(1))], axis=0)
        chosen = model.node("If", [model.node(op, [size, model.constant("limit", I64(limit))])], then_branch=branches[0],
                            else_branch=branches[1])
        places = model.node("Range", [model.constant("zero", I64(0)), size, model.constant("step", I64(1))])
        rows, table = model.run(tmp_path, [model.node("Gather", [chosen, places]), chosen])
        holds = {"Greater": tokens > limit, "LessOrEqual": tokens <= limit, "Less": tokens < limit, "Equal": tokens == limit,
                 "GreaterOrEqual": tokens >= limit}[op]
        expected = tables["then" if holds else "else"]
        program.assert_same_bits(table, expected)
        program.assert_same_bits(rows, expected[:tokens])
