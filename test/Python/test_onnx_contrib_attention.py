"""Attentions and other layers of transformers of com.microsoft, against numpy in float64."""

import numpy as np
import pytest

import onnx_peer
import program
from onnx_model import Model
from test_onnx_composed import constant, uniform
from test_onnx_microsoft import erf, ms as plain, stored

F32, I32, I64 = np.float32, np.int32, np.int64
RNG = np.random.default_rng(15)
BATCH, ROWS, HEADS, SIZE = 2, 5, 3, 4
WIDTH = HEADS * SIZE


def ms(tmp_path, op, inputs, outputs=1, tolerance=1e-4, **attributes):
    """Also compared with ONNX Runtime."""
    actual = plain(tmp_path, op, inputs, outputs, **attributes)
    arrays = [value for value in inputs if value is not None and not isinstance(value, tuple)]
    onnx_peer.check(tmp_path, arrays, actual, tolerance)
    return actual


def split(x):
    """[batch, rows, width] as [batch, heads, rows, size]."""
    return x.reshape(*x.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attend(q, k, v, seen=None, bias=0, hidden=-10000.0, later=None, scale=None):
    """`seen`: broadcasts to the scores; `later`: how many rows k has before those of q, if later ones are not seen."""
    scores = q.astype(np.float64) @ k.transpose(0, 1, 3, 2) * (scale or 1 / np.sqrt(q.shape[-1])) + bias
    if seen is not None:
        scores = scores + np.where(seen, 0, hidden)
    if later is not None:
        scores = np.where(np.tril(np.ones(scores.shape[-2:]), later) > 0, scores, -np.inf)
    return join(softmax(scores) @ v)


def masks(keys):
    """{name: (input, which of [batch, heads, rows, keys] are seen)}"""
    ends, starts = np.array([3, keys], I32), np.array([1, 0], I32)
    # A row that sees nothing has scores near -10000, which have few bits behind the point.
    raw, each = RNG.integers(0, 2, (BATCH, keys)).astype(I32), RNG.integers(0, 2, (BATCH, ROWS, keys)).astype(I32)
    raw[:, 0] = each[:, :, 0] = 1
    places, first = np.arange(keys), (slice(None), None, None, None)
    return {"none": (None, None), "raw": (raw, raw[:, None, None] > 0), "each": (each, each[:, None] > 0),
            "nothing": (0 * raw, np.zeros((BATCH, 1, 1, keys), bool)),
            "ends": (ends, places < ends[first]),
            "bounds": (np.concatenate([ends, starts]), (places < ends[first]) & (places >= starts[first]))}


@pytest.mark.parametrize("hidden", [None, -1.0])
@pytest.mark.parametrize("unidirectional", [0, 1])
@pytest.mark.parametrize("kind", ["none", "raw", "each", "nothing", "ends", "bounds"])
def test_attention(kind, unidirectional, hidden, tmp_path, compiler):
    x, w, bias = uniform(BATCH, ROWS, 7), uniform(7, 3 * WIDTH), uniform(3 * WIDTH)
    mask, seen = masks(ROWS)[kind]
    attributes = {} if hidden is None else {"mask_filter_value": hidden}
    tolerance = 5e-3 if kind == "nothing" and hidden is None else 1e-4
    y, present = ms(tmp_path, "Attention", [x, constant(w), constant(bias), mask], 2, tolerance, num_heads=HEADS,
                    unidirectional=unidirectional, **attributes)
    q, k, v = (split(part) for part in np.split(x.astype(np.float64) @ w + bias, 3, axis=-1))
    expected = attend(q, k, v, seen, hidden=hidden or -10000.0, later=0 if unidirectional else None)
    np.testing.assert_allclose(y, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(present, np.stack([k, v]), rtol=1e-4, atol=1e-4)


def test_attention_with_all_else(tmp_path, compiler):
    """Earlier keys and values, a bias of the scores, a scale; then values that are wider than keys, and no bias."""
    x, w, bias, past = uniform(BATCH, ROWS, 7), uniform(7, 3 * WIDTH), uniform(3 * WIDTH), uniform(2, BATCH, HEADS, 3, SIZE)
    extra = uniform(1, HEADS, ROWS, ROWS + 3)
    mask, seen = masks(ROWS + 3)["raw"]
    y, present = ms(tmp_path, "Attention", [x, constant(w), constant(bias), mask, past, extra], 2, num_heads=HEADS,
                    unidirectional=1, scale=0.3)
    q, k, v = (split(part) for part in np.split(x.astype(np.float64) @ w + bias, 3, axis=-1))
    k, v = np.concatenate([past[0], k], axis=2), np.concatenate([past[1], v], axis=2)
    np.testing.assert_allclose(y, attend(q, k, v, seen, extra, later=3, scale=0.3), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(present, np.stack([k, v]), rtol=1e-4, atol=1e-4)
    w = uniform(7, 2 * WIDTH + 6)
    (y,) = ms(tmp_path, "Attention", [x, constant(w)], num_heads=HEADS, qkv_hidden_sizes=[WIDTH, WIDTH, 6])
    parts = np.split(x.astype(np.float64) @ w, [WIDTH, 2 * WIDTH], axis=-1)
    np.testing.assert_allclose(y, attend(*map(split, parts)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["none", "raw", "bounds"])
def test_attention_of_dynamic_sizes(kind, tmp_path, compiler):
    x, w = uniform(BATCH, ROWS, 7), uniform(7, 3 * WIDTH)
    mask, seen = masks(ROWS)[kind]
    model = Model()
    names = [model.input("x", x, ["batch", "rows", 7]), model.constant("w", w), ""]
    if kind == "raw":
        names.append(model.input("mask", mask, ["batch", "rows"]))
    elif kind == "bounds":
        ends = model.input("ends", mask[:BATCH], ["batch"])
        names.append(model.node("Concat", [ends, model.input("starts", mask[BATCH:], ["batch"])], axis=0))
    (y,) = model.run(tmp_path, [model.node("com.microsoft::Attention", names, num_heads=HEADS)])
    parts = np.split(x.astype(np.float64) @ w, 3, axis=-1)
    np.testing.assert_allclose(y, attend(*map(split, parts), seen), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kinds", [(np.uint8, np.int8), (np.uint8, np.uint8), (np.int8, np.int8)])
@pytest.mark.parametrize("per_column", [False, True])
def test_q_attention(kinds, per_column, tmp_path, compiler):
    x, bias = stored(kinds[0], BATCH, ROWS, 8), uniform(3 * WIDTH)
    # Products of larger weights saturate in ONNX Runtime on processors without instructions for four products.
    w = (stored(kinds[1], 8, 3 * WIDTH) // 4).astype(kinds[1])
    size = (3 * WIDTH,) if per_column else ()
    scale, zero = RNG.uniform(0.001, 0.002, size).astype(F32), np.full(size, 0 if per_column else 5, kinds[1])
    mask, seen = masks(ROWS)["raw"]
    past = uniform(2, BATCH, HEADS, 3, SIZE)
    mask, seen = masks(ROWS + 3)["raw"]
    y, _ = ms(tmp_path, "QAttention", [x, constant(w), constant(bias), constant(F32(0.02)), constant(scale), mask,
                                       constant(kinds[0](3)), constant(zero), past], 2, num_heads=HEADS)
    total = (x.astype(I64) - 3) @ (w.astype(I64) - zero)
    q, k, v = (split(part) for part in np.split(total * np.float64(0.02) * scale + bias, 3, axis=-1))
    k, v = np.concatenate([past[0], k], axis=2), np.concatenate([past[1], v], axis=2)
    np.testing.assert_allclose(y, attend(q, k, v, seen), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("keys, unidirectional", [(7, 0), (ROWS, 1)])
@pytest.mark.parametrize("kind", ["none", "raw", "each", "ends"])
def test_multi_head_attention(kind, keys, unidirectional, tmp_path, compiler):
    q, k, v, bias = uniform(BATCH, ROWS, WIDTH), uniform(BATCH, keys, WIDTH), uniform(BATCH, keys, 6), uniform(2 * WIDTH + 6)
    mask, seen = masks(keys)[kind]
    (y,) = ms(tmp_path, "MultiHeadAttention", [q, k, v, constant(bias), mask], num_heads=HEADS, unidirectional=unidirectional)
    moved = [x + part for x, part in zip((q, k, v), np.split(bias, [WIDTH, 2 * WIDTH]))]
    np.testing.assert_allclose(y, attend(*map(split, moved), seen, later=0 if unidirectional else None), rtol=1e-4, atol=1e-4)


def test_multi_head_attention_with_heads_apart(tmp_path, compiler):
    q, k, v = uniform(BATCH, ROWS, WIDTH), uniform(BATCH, HEADS, 7, SIZE), uniform(BATCH, HEADS, 7, SIZE)
    (y,) = ms(tmp_path, "MultiHeadAttention", [q, k, v], num_heads=HEADS)
    np.testing.assert_allclose(y, attend(split(q), k, v), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dims", [None, ["batch", "rows", HEADS, 3, SIZE]])
@pytest.mark.parametrize("biased", [False, True])
def test_multi_head_attention_of_one_input(biased, dims, tmp_path, compiler):
    """[batch, rows, heads, 3, size] has the bits of three inputs; ONNX Runtime does not take it on CPUs."""
    parts = [uniform(BATCH, ROWS, WIDTH) for _ in range(3)]
    bias = [constant(uniform(3 * WIDTH))] if biased else []
    expected = ms(tmp_path, "MultiHeadAttention", [*parts, *bias], 3, num_heads=HEADS)
    model = Model()
    packed = np.stack([x.reshape(BATCH, ROWS, HEADS, SIZE) for x in parts], 3)
    names = [model.input("qkv", packed, dims), "", "", *(model.constant("bias", array) for array, in [b[1:] for b in bias])]
    actual = model.run(tmp_path, model.node("com.microsoft::MultiHeadAttention", names, 3, num_heads=HEADS))
    for a, e in zip(actual, expected):
        program.assert_same_bits(a, e)


def test_multi_head_attention_of_keys_and_values_in_one_input(tmp_path, compiler):
    q, k, v = uniform(BATCH, ROWS, WIDTH), uniform(BATCH, 7, WIDTH), uniform(BATCH, 7, WIDTH)
    expected = ms(tmp_path, "MultiHeadAttention", [q, k, v], num_heads=HEADS)
    packed = np.stack([x.reshape(BATCH, 7, HEADS, SIZE) for x in (k, v)], 3)
    (y,) = plain(tmp_path, "MultiHeadAttention", [q, packed], num_heads=HEADS)
    program.assert_same_bits(y, expected[0])


def test_multi_head_attention_with_earlier_keys(tmp_path, compiler):
    q, k, v = (uniform(BATCH, ROWS, WIDTH) for _ in range(3))
    past = [uniform(BATCH, HEADS, 3, SIZE) for _ in range(2)]
    extra = uniform(BATCH, 1, ROWS, ROWS + 3)
    y, *present = ms(tmp_path, "MultiHeadAttention", [q, k, v, None, None, extra, *past], 3, num_heads=HEADS, unidirectional=1)
    whole = [np.concatenate([old, split(new)], axis=2) for old, new in zip(past, (k, v))]
    for actual, expected in zip(present, whole):
        program.assert_same_bits(actual, expected)
    np.testing.assert_allclose(y, attend(split(q), *whole, bias=extra, later=3), rtol=1e-4, atol=1e-4)


X, W = uniform(1, 2, 6), constant(uniform(6, 18))
Q = uniform(1, 2, 6)


@pytest.mark.parametrize("op, inputs, attributes, message", [
    ("Attention", [X, W], {}, "lacks the attribute 'num_heads'"),
    ("Attention", [X, W], {"num_heads": 0}, "has num_heads = 0, which is no number of heads"),
    ("Attention", [X, W], {"num_heads": 4}, "weights whose width does not fit num_heads"),
    ("Attention", [X, W], {"num_heads": 2, "do_rotary": 1}, "has do_rotary = 1, which is not supported"),
    ("Attention", [X, W, None, np.zeros((1, 2), I64)], {"num_heads": 2}, "has elements of int64 in"),
    ("Attention", [X, W, None, np.zeros(5, I32)], {"num_heads": 2}, "does not have one or two elements for each batch"),
    ("Attention", [X, W, None, np.zeros((1, 1, 2, 2), I32)], {"num_heads": 2}, "has a mask with 4 dimensions"),
    ("Attention", [X, W, None, None, uniform(1, 2, 3)], {"num_heads": 2}, "has earlier keys and values that are not"),
    ("Attention", [X, W, None, None, None, None, constant(np.zeros(1, I32))], {"num_heads": 2}, "has past_sequence_length"),
    ("MultiHeadAttention", [uniform(1, 2, 2, 2, 3)], {"num_heads": 2}, r"has 3 values in input 0, which is not \[batch, rows, 2, 3, size\]"),
    ("MultiHeadAttention", [Q], {"num_heads": 2}, "has 3 values in input 0"),
    ("MultiHeadAttention", [Q, uniform(1, 2, 3, 2, 3)], {"num_heads": 2}, "has 2 values in input 1"),
    ("MultiHeadAttention", [Q, None, Q], {"num_heads": 2}, "has a value and no key; give both"),
    ("MultiHeadAttention", [Q, Q, Q, constant(uniform(7))], {"num_heads": 2}, "has a bias that is shorter"),
    ("MultiHeadAttention", [Q, uniform(1, 3, 6), uniform(1, 3, 6)], {"num_heads": 2, "unidirectional": 1},
     "is unidirectional, and its query does not have one row for each new key"),
    ("MultiHeadAttention", [Q, Q, Q, None, None, None, uniform(1, 2, 1, 3)], {"num_heads": 2}, "has only one of the keys"),
    ("RotaryEmbedding", [Q, np.zeros(1, I64), constant(uniform(4, 3)), constant(uniform(4, 3))], {"scale": 2.0},
     "has a scale other than 1"),
    ("BiasSplitGelu", [uniform(2, 5), uniform(5)], {}, "splits a last dimension whose size is not known to be even"),
    ("EmbedLayerNormalization", [np.zeros((1, 2), I32), np.zeros((1, 2), I32), *[constant(uniform(3, 4))] * 2, None,
                                 *[constant(uniform(4))] * 2], {}, "both segments and their embedding or neither")])
def test_refused(op, inputs, attributes, message, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        ms(tmp_path, op, inputs, **attributes)


# Other layers.

@pytest.mark.parametrize("segments, positions, mask", [(True, False, True), (False, True, False)])
def test_embed_layer_normalization(segments, positions, mask, tmp_path, compiler):
    words, places = RNG.integers(0, 20, (BATCH, ROWS)).astype(I32), RNG.integers(0, 9, (1, ROWS)).astype(I32)
    which, kept = RNG.integers(0, 2, (BATCH, ROWS)).astype(I32), np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], I32)
    tables, scale, move = [uniform(size, 8) for size in (20, 9, 2)], uniform(8), uniform(8)
    inputs = [words, which if segments else None, constant(tables[0]), constant(tables[1]),
              constant(tables[2]) if segments else None, constant(scale), constant(move), kept if mask else None,
              places if positions else None]
    y, counts, total = ms(tmp_path, "EmbedLayerNormalization", inputs, 3, epsilon=1e-5)
    expected = tables[0][words] + tables[1][places if positions else np.arange(ROWS)]
    expected = expected + tables[2][which] if segments else expected
    program.assert_same_bits(total, expected)
    program.assert_same_bits(counts, kept.sum(axis=1, dtype=I32) if mask else np.zeros(BATCH, I32))
    wide = expected.astype(np.float64)
    normal = (wide - wide.mean(axis=-1, keepdims=True)) / np.sqrt(wide.var(axis=-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, normal * scale + move, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_embed_layer_normalization_of_bytes(kind, tmp_path, compiler):
    """The bits of the tables that the bytes stand for."""
    words, which = RNG.integers(0, 20, (BATCH, ROWS)).astype(I32), RNG.integers(0, 2, (BATCH, ROWS)).astype(I32)
    tables = [stored(kind, *shape) for shape in ((20, 8), (9, 8), (2, 8), (8,), (8,))]
    scales, zeros = RNG.uniform(0.01, 0.05, 5).astype(F32), RNG.integers(0, 100, 5).astype(kind)
    reals = [(t.astype(I32) - I32(z)).astype(F32) * s for t, s, z in zip(tables, scales, zeros)]
    inputs = [words, which, *(constant(t) for t in tables), None, *(constant(s) for s in scales), *(constant(z) for z in zeros)]
    actual = ms(tmp_path, "QEmbedLayerNormalization", inputs, 2, 2e-3, epsilon=1e-5)
    expected = plain(tmp_path, "EmbedLayerNormalization", [words, which, *(constant(t) for t in reals)], 2, epsilon=1e-5)
    for a, e in zip(actual, expected):
        program.assert_same_bits(a, e)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("shape, attributes", [
    ((BATCH, ROWS, WIDTH), {}), ((BATCH, HEADS, ROWS, SIZE), {}),
    ((BATCH, ROWS, HEADS * 8), {"num_heads": HEADS, "rotary_embedding_dim": SIZE})])
@pytest.mark.parametrize("places", [np.array([2], I64), RNG.integers(0, 10, (BATCH, ROWS))])
def test_rotary_embedding(interleaved, shape, attributes, places, tmp_path, compiler):
    x, cosines, sines = uniform(*shape), uniform(10, SIZE // 2), uniform(10, SIZE // 2)
    (y,) = ms(tmp_path, "RotaryEmbedding", [x, places, constant(cosines), constant(sines)], interleaved=interleaved, **attributes)
    wide = split(x) if x.ndim == 3 else x
    where = places[0] + np.arange(ROWS)[None] if places.ndim == 1 else places
    c, s = cosines[where][:, None], sines[where][:, None]
    turned = wide[..., :SIZE]
    a, b = (turned[..., ::2], turned[..., 1::2]) if interleaved else np.split(turned, 2, axis=-1)
    parts = [c * a - s * b, s * a + c * b]
    joined = np.stack(parts, -1).reshape(turned.shape) if interleaved else np.concatenate(parts, -1)
    expected = np.concatenate([joined, wide[..., SIZE:]], -1)
    np.testing.assert_allclose(y, join(expected) if x.ndim == 3 else expected, rtol=1e-4, atol=1e-5)


def test_sums_with_biases(tmp_path, compiler):
    x, bias, skip = uniform(2, 3, 8), uniform(8), uniform(2, 3, 8)
    (y,) = ms(tmp_path, "BiasAdd", [x, constant(bias), skip])
    program.assert_same_bits(y, x + bias + skip)
    (y,) = ms(tmp_path, "BiasSplitGelu", [x, constant(bias)])
    left, right = np.split((x + bias).astype(np.float64), 2, axis=-1)
    np.testing.assert_allclose(y, left * 0.5 * right * (1 + erf(right / np.sqrt(2))), rtol=1e-4, atol=1e-5)
