"""Programs of JAX beside XLA on the CPU: integers are equal, floats within a bound.

QCC_JAX_SEEDS says how many programs are drawn; docs/Testing.md has the command for 2,000.
"""

import os
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import jax_ops
import qcc
import qcc.jax

SEEDS = int(os.environ.get("QCC_JAX_SEEDS") or 10 * len(jax_ops.GENERATORS))
SHARDS = 8


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def assert_near(got, want, what=""):
    """Floats: 8 ulps of the result and 4 of the greatest one, since sums have another order (N8)."""
    got, want = jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)
    assert len(got) == len(want), what
    for actual, expected in zip(got, want):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), what
        a, e = np.asarray(actual), np.asarray(expected)
        if a.dtype.kind in "iub":
            same = a == e
        else:
            eps = float(jnp.finfo(actual.dtype).eps)
            a, e = a.astype(np.float64), e.astype(np.float64)
            greatest = np.abs(e[np.isfinite(e)]).max(initial=1)
            with np.errstate(all="ignore"):
                same = (a == e) | (np.isnan(a) & np.isnan(e)) | (np.abs(a - e) <= eps * (8 * np.abs(e) + 4 * min(greatest, 1e3)))
        assert np.all(same), f"{what}: {np.sum(~same)} of {a.size} differ, first {a[~same][:1]}, expected {e[~same][:1]}"


@pytest.mark.parametrize("shard", range(SHARDS))
def test_drawn_programs(shard):
    failures = []
    for seed in range(shard, SEEDS, SHARDS):
        function, args, what = jax_ops.draw(seed)
        want = jax.jit(function)(*args)
        try:
            assert_near(qcc.jax.compile(function, *args)(*args), want, f"seed {seed}, {what}")
        except (AssertionError, qcc.Error) as error:
            failures.append(f"seed {seed}, {what}: {error}")
    assert not failures, f"{len(failures)} of {SEEDS // SHARDS} programs:\n" + "\n".join(failures)


def test_symbolic_batch():
    w = np.linspace(-1, 1, 16 * 32, dtype=np.float32).reshape(16, 32)

    def f(x):
        return jax.nn.softmax(jnp.concatenate([x @ w, jnp.ones((x.shape[0], 4), x.dtype)], 1).reshape(x.shape[0], -1))

    batch, = export.symbolic_shape("batch")
    program = qcc.jax.compile(f, jax.ShapeDtypeStruct((batch, 16), jnp.float32))
    for rows in (1, 3, 8):
        x = np.random.default_rng(rows).standard_normal((rows, 16), np.float32)
        assert_near(program(x), f(x))


#: Functions of images (2, h, 8, 3) whose programs have sizes, windows and padding that are computed from h.
COMPUTED_SIZES = {
    "but the first": lambda x: x[:, 1:], "differences": lambda x: jnp.diff(x, axis=1), "inner": lambda x: x[:, 1:-1, 2:-2],
    "half": lambda x: x[:, :x.shape[1] // 2], "middle": lambda x: x[:, (x.shape[1] - 4) // 2:][:, :4],
    "pad by the size": lambda x: jnp.pad(x, ((0, 0), (0, x.shape[1]), (0, 0), (0, 0))),
    "pad the edge": lambda x: jnp.pad(x, ((0, 0), (1, 1), (0, 0), (0, 0)), mode="edge"),
    "cumsum": lambda x: jnp.cumsum(x, axis=1), "reverse cummax": lambda x: lax.cummax(x, axis=1, reverse=True),
    "cumulative logsumexp": lambda x: lax.cumlogsumexp(x, axis=1),
    "pool": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    "pool all": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, *x.shape[1:3], 1), (1, 1, 1, 1), "VALID"),
    "convolution": lambda x: lax.conv_general_dilated(x, jnp.ones((3, 3, 3, 4), x.dtype), (2, 2), "SAME",
                                                      dimension_numbers=("NHWC", "HWIO", "NHWC"))}


@pytest.mark.parametrize("name", COMPUTED_SIZES)
def test_computed_sizes(name):
    h, = export.symbolic_shape("h", constraints=["h >= 4"])
    exported = export.export(jax.jit(COMPUTED_SIZES[name]))(jax.ShapeDtypeStruct((2, h, 8, 3), jnp.float32))
    program = qcc.jax.load_exported(exported)
    for size in (4, 5, 12):
        x = np.random.default_rng(size).standard_normal((2, size, 8, 3), np.float32)
        assert_near(program(x), exported.call(x), name)


@pytest.mark.parametrize("constraints, good, bad, message", [
    ("k>=4", [(4, 1), (9, 1)], [(3, 1)], r"constraint k>=4\. .* found dimension 0 of argument 0 - 4\. .*; give arguments of sizes"),
    ("k<=4", [(4, 1), (1, 1)], [(5, 1)], "constraint k<=4"),
    ("mod(k,2)==0", [(2, 1), (8, 3)], [(3, 1)], r"constraint 2\*floordiv\(k, 2\) == k\."),
    ("mod(k,2)==1", [(3, 1)], [(2, 1)], r"constraint mod\(k,2\)==1"),
    ("k==b+1", [(4, 3), (2, 1)], [(4, 2)], "polymorphic shapes specification"),
    ("floordiv(k,2)<=max(b,3)*2", [(13, 2), (4, 1)], [(14, 3)], r"constraint floordiv\(k,2\)<=max\(b,3\)\*2"),
    ("k-b<=min(k,9)", [(12, 3), (1, 7)], [(13, 3)], "constraint k-b<=min"),
    ("k*b>=3", [(3, 1)], [(2, 1)], r"constraint k\*b>=3"),
    ("2*k==b", [(3, 6)], [(3, 7)], r"constraint 2\*k==b|polymorphic shapes specification")])
def test_constraints_on_symbolic_sizes(constraints, good, bad, message):
    """JAX takes and refuses the same sizes, with the same text. A serialized program has its constraints, too."""
    k, b = export.symbolic_shape("k, b", constraints=[constraints])
    arguments = [jax.ShapeDtypeStruct((k,), jnp.float32), jax.ShapeDtypeStruct((b, 2), jnp.float32)]
    exported = export.export(jax.jit(lambda x, y: x + y.sum()))(*arguments)
    programs = [qcc.jax.compile(lambda x, y: x + y.sum(), *arguments), qcc.jax.load_exported(bytes(exported.serialize()))]
    for program in programs:
        for sizes in good + bad:
            x, y = jnp.arange(sizes[0], dtype=jnp.float32), jnp.ones((sizes[1], 2), jnp.float32)
            if sizes in good:
                assert_near(program(x, y), exported.call(x, y))
                continue
            with pytest.raises(qcc.InvalidArgumentError, match=message) as refused:
                program(x, y)
            with pytest.raises(ValueError) as refused_by_jax:
                exported.call(x, y)
            # Numbers are words in what qcc says, and begin behind these.
            first_words = re.split(r"but found |Using the|\(= ", str(refused_by_jax.value))[0].split()
            assert " ".join(first_words) in str(refused.value)
            with pytest.raises(qcc.InvalidArgumentError, match=message):
                program.function(np.asarray(x), np.asarray(y))


def test_sizes_of_one_symbol_differ():
    b, = export.symbolic_shape("b")
    program = qcc.jax.compile(lambda x, y: x + y, *[jax.ShapeDtypeStruct((b, 2 * b), jnp.float32)] * 2)
    with pytest.raises(qcc.InvalidArgumentError, match=r"args\[0\]\.shape\[1\] .= dimension 1 of argument 0. and "
                       r"the specification '2\*b' .= 2 \* dimension 0 of argument 0."):
        program(*[jnp.ones((2, 5), jnp.float32)] * 2)


def test_exported_without_an_argument():
    x = [jnp.arange(size, dtype=jnp.float32) for size in (3, 4, 2)]
    exported = export.export(jax.jit(lambda x, y, z: (x + 1, z)))(*x)
    assert_near(qcc.jax.load_exported(exported)(*x), (x[0] + 1, x[2]))


def test_exported(tmp_path):
    def f(x):
        return {"y": jnp.sin(x) * 2, "n": jnp.sum(x > 0)}

    exported = export.export(jax.jit(f))(jax.ShapeDtypeStruct((3, 5), jnp.float32))
    (tmp_path / "f.bin").write_bytes(exported.serialize())
    x = np.random.default_rng(0).standard_normal((3, 5), np.float32)
    for source in (exported, bytes(exported.serialize()), tmp_path / "f.bin"):
        assert_near(qcc.jax.load_exported(source)(x), f(x))


def test_jit_keeps_structures_and_weights():
    @qcc.jax.jit
    def g(d, scale=1.0):
        return {"y": d["x"] * scale + d["b"], "z": (d["x"].sum(),)}

    for shape in ((2, 3), (4, 3)):
        d = {"x": jnp.ones(shape, jnp.float32), "b": jnp.arange(3, dtype=jnp.float32)}
        assert_near(g(d, scale=jnp.float32(2)), {"y": d["x"] * 2 + d["b"], "z": (d["x"].sum(),)})
    layer = qcc.jax.jit(lambda p, x: x @ p["w"] + p["b"], weights=(0,))
    for factor in (1, 2):  # other weights are another program
        p = {"w": jnp.full((4, 3), factor, jnp.float32), "b": jnp.ones(3, jnp.float32)}
        x = jnp.ones((2, 4), jnp.float32)
        assert_near(layer(p, x), x @ p["w"] + p["b"])


def test_jit_tells_structures_of_weights_apart():
    a, v = jnp.ones(2), jnp.full(2, 3.0)
    by_name = qcc.jax.jit(lambda x, w: x * w["a"] if "a" in w else x * w["b"] * 100, weights=(1,))
    for _ in range(2):
        assert_near([by_name(a, {"a": a}), by_name(a, {"b": a})], [a, 100 * a])
    by_none = qcc.jax.jit(lambda x, c: x * 2 if c is None else x * 3, weights=(1,))
    assert_near([by_none(a, None), by_none(a, ())], [a * 2, a * 3])
    by_length = qcc.jax.jit(lambda x, p, q: x * (p[0] if p else 1) - (q[0] if q else 0), weights=(1, 2))
    assert_near([by_length(a, [v], []), by_length(a, [], [v])], [a * 3, a - 3])


def test_jit_tells_generators_of_random_numbers_apart():
    draw = qcc.jax.jit(lambda key: jax.random.bits(key, (4,)))
    key = np.array([3, 7], np.uint32)
    for _ in range(2):
        for partitionable in (True, False):
            with jax.threefry_partitionable(partitionable):
                np.testing.assert_array_equal(np.asarray(draw(key)), np.asarray(jax.random.bits(jnp.asarray(key), (4,))))


def test_jit_tells_numbers_of_python_apart():
    """bfloat16 times 2.0 is bfloat16; times an array of float32 it is float32."""
    f = lambda x, s: x * s  # noqa: E731
    compiled = qcc.jax.jit(f)
    for wide in (False, True):
        with jax.enable_x64(wide):
            for x in (np.ones(3), jnp.ones(3, jnp.bfloat16), np.arange(3), np.arange(3, dtype=np.uint32)):
                for scale in (2, 2.5, True, np.float64(3), jnp.float32(2)):
                    assert_near(compiled(x, scale), jax.jit(f)(x, scale))


SAME_ARGUMENTS = {
    "float64": lambda: (np.ones(3),),
    "int64": lambda: (np.arange(3),),
    "uint64": lambda: (np.arange(3, dtype=np.uint64),),
    "float": lambda: (jnp.ones(3), 2.0),
    "int": lambda: (jnp.arange(3), 2),
    "bool": lambda: (jnp.arange(3), True),
    "numpy scalar": lambda: (jnp.ones(3), np.float64(2)),
    "strides": lambda: (np.ones((4, 6), np.float32)[::2],),
    "negative strides": lambda: (np.arange(6, dtype=np.uint32)[::-1],),
    "Fortran": lambda: (np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),),
}


@pytest.mark.parametrize("kind", SAME_ARGUMENTS)
def test_arguments_that_it_was_compiled_for(kind):
    def f(*args):
        return args[0] * args[-1] + 1

    with jax.enable_x64(False):
        args = SAME_ARGUMENTS[kind]()
        assert_near(qcc.jax.compile(f, *args)(*args), jax.jit(f)(*args))
        assert_near(qcc.jax.jit(f)(*args), jax.jit(f)(*args))


def test_other_types_are_refused():
    with jax.enable_x64(False):
        program = qcc.jax.compile(lambda x, s: x * s, jnp.ones(3), jnp.float32(2))
        with pytest.raises(qcc.InvalidArgumentError, match="argument 0 .* has elements of type i64, but the program wants f32"):
            program(np.arange(3), 2.0)
        with pytest.raises(qcc.InvalidArgumentError, match="argument 0 .* has elements of type f64, but the program wants f32"):
            program(np.ones(3), 2.0)
        unsigned = qcc.jax.compile(lambda x: x + 1, jnp.uint32(2))
        assert int(unsigned(2**32 - 2)) == 2**32 - 1
        with pytest.raises(qcc.InvalidArgumentError, match="an argument is -1, which uint32 does not hold"):
            unsigned(-1)


@pytest.mark.parametrize("weights, message", [
    ((2,), "position 2, but there are 2 positional arguments; give positions from -2 to 1"), ((-3,), "position -3"),
    (0, "weights is 0, but it must be a sequence"), ("0", "weights is '0'"), (None, "weights is None"),
    ((True,), "weights has True"), ((1.0,), "weights has 1.0, which is not the position of an argument; give integers")])
def test_wrong_weights_are_refused(weights, message):
    a = jnp.ones(2)
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        qcc.jax.compile(lambda x, w: x * w, a, a, weights=weights)
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        qcc.jax.jit(lambda x, w: x * w, weights=weights)(a, a)


def test_last_argument_is_a_weight():
    a, w = jnp.ones(2), jnp.full(2, 3.0)
    assert_near(qcc.jax.compile(lambda x, w: x - w, a, w, weights=(-1,))(a), a - w)
    assert_near(qcc.jax.jit(lambda x, w: x - w, weights=(-1,))(a, w), a - w)


def write_row(cache, row, place):
    """A step of a decoder: a row goes into each cache, and the whole cache is read."""
    cache = {name: lax.dynamic_update_slice(old, row.astype(old.dtype) + k, (place, 0)) for k, (name, old) in enumerate(cache.items())}
    return cache, sum(new.astype(jnp.float32).sum() for new in cache.values())


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.int8, jnp.float16, jnp.int64, jnp.bfloat16, jnp.uint32])
def test_donated_caches_stay_in_place(dtype):
    """As jax.jit does: the array that was given is deleted, and its memory has the result."""
    step, expected_step = qcc.jax.jit(write_row, donate_argnums=(0,)), jax.jit(write_row)
    cache = {name: jnp.arange(6 * 64).reshape(6, 64).astype(dtype) + 1 for name in ("key", "value")}
    expected, first = {name: array + 0 for name, array in cache.items()}, cache
    places = {name: array.unsafe_buffer_pointer() for name, array in cache.items()}
    for place in (4, 0, 5):
        row = jnp.full((1, 64), place, jnp.int32)
        cache, total = step(cache, row, place)
        expected, expected_total = expected_step(expected, row, place)
        assert all(np.array_equal(np.asarray(cache[name]), np.asarray(expected[name])) for name in cache)
        assert_near(total, expected_total)
        assert {name: array.unsafe_buffer_pointer() for name, array in cache.items()} == places
        assert all(array.is_deleted() for array in first.values())
    with pytest.raises(qcc.InvalidArgumentError, match="argument 0 is deleted, since an earlier call took its memory"):
        step(first, row, 0)


def test_donated_arrays_of_others_are_copied():
    """Arrays of numpy stay as they are, and so does what other code still computes of a donated array."""
    step = qcc.jax.compile(write_row, {"a": np.zeros((3, 8), np.float32)}, jnp.zeros((1, 8)), 1, donate_argnums=(0,))
    own = {"a": np.zeros((3, 8), np.float32)}
    assert np.asarray(step(own, jnp.ones((1, 8)), 1)[0]["a"])[1].all() and not own["a"].any()
    big = jnp.ones((512, 512))
    step = qcc.jax.jit(lambda x, y: lax.dynamic_update_slice(x, y, (0, 0)), donate_argnums=(0,))
    product = jax.jit(lambda x: x @ x @ x)(big)
    step(big, jnp.zeros((512, 512)))
    assert np.all(np.asarray(product) == 512 * 512)


def test_donations_beside_weights_and_symbolic_sizes():
    (n,) = export.symbolic_shape("n")
    shapes = jax.ShapeDtypeStruct((n, 4), jnp.float32)
    program = qcc.jax.compile(lambda w, x, y: lax.dynamic_update_slice(x * 1, y * w, (0, 0)), jnp.full(4, 3.0, jnp.float32),
                              shapes, jnp.zeros((1, 4), jnp.float32), weights=(0,), donate_argnums=(-2,))
    given = jnp.zeros((5, 4), jnp.float32)
    got = program(given, jnp.ones((1, 4), jnp.float32))
    assert given.is_deleted() and np.array_equal(np.asarray(got)[:2], [[3] * 4, [0] * 4])


@pytest.mark.parametrize("donate, weights, message", [
    ((2,), (), "donate_argnums has position 2, but there are 2 positional arguments"), (0, (), "donate_argnums is 0"),
    ((1,), (1,), "donate_argnums has position 1, which weights has, too; leave it out of one")])
def test_wrong_donations_are_refused(donate, weights, message):
    a = jnp.ones(2)
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        qcc.jax.compile(lambda x, y: x * y, a, a, weights=weights, donate_argnums=donate)


def test_a_refused_call_takes_nothing():
    cache = {"a": jnp.zeros((3, 8))}
    step = qcc.jax.compile(write_row, cache, jnp.zeros((1, 8)), 1, donate_argnums=(0,))
    for bad in ({"a": jnp.zeros((4, 8))}, cache), (cache, jnp.zeros((1, 9))):
        given, row = (bad[0], jnp.zeros((1, 8))) if isinstance(bad[1], dict) else bad
        with pytest.raises(qcc.InvalidArgumentError, match="but the program takes"):
            step(given, row, 1)
        assert not given["a"].is_deleted()
    step = qcc.jax.jit(lambda x, y: lax.dynamic_update_slice(x, y[:1], (0, 0)), donate_argnums=(0,))
    with pytest.raises(qcc.InvalidArgumentError, match="argument 0 is donated, but another argument is the same array; pass a copy"):
        step(cache["a"], cache["a"])
    assert not cache["a"].is_deleted()


def test_unused_donations_warn():
    a = jnp.ones(2)
    with pytest.warns(UserWarning, match="argument 0 of .* is donated, but no result continues it"):
        program = qcc.jax.compile(lambda x: x.sum(), a, donate_argnums=(0,))
    assert float(program(a)) == 2 and not a.is_deleted()


def key_data(tree):
    return jax.tree_util.tree_map(
        lambda leaf: jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf, tree)


def test_random_keys():
    key = jax.random.key(7)
    cases = [
        (lambda k: jax.random.uniform(k, (2,)), key), (lambda s: jax.random.split(jax.random.key(s)), jnp.int32(1)),
        (lambda k: {"next": jax.random.split(k, 3), "x": jax.random.bits(k, (4,))}, key),
        (jax.vmap(lambda k: jax.random.normal(k, (2,), jnp.float32)), jax.random.split(key, 3))]
    for f, argument in cases:
        want = f(argument)
        exported = export.export(jax.jit(f))(argument)
        for program in (qcc.jax.compile(f, argument), qcc.jax.jit(f), qcc.jax.load_exported(exported)):
            got = program(argument)
            assert [leaf.dtype for leaf in jax.tree_util.tree_leaves(got)] == [leaf.dtype for leaf in jax.tree_util.tree_leaves(want)]
            assert_near(key_data(got), key_data(want))
    program = qcc.jax.compile(cases[0][0], jax.ShapeDtypeStruct((), key.dtype))
    assert_near(program(key), cases[0][0](key))
    with pytest.raises(qcc.InvalidArgumentError, match="elements of type uint32, but the program wants key<fry>; make keys"):
        program(jax.random.key_data(key))
    weighted = qcc.jax.compile(lambda k, x: x + jax.random.uniform(k, (2,), jnp.float32), key, jnp.ones(2, jnp.float32), weights=(0,))
    assert_near(weighted(jnp.ones(2, jnp.float32)), 1 + jax.random.uniform(key, (2,), jnp.float32))


def test_another_structure_is_refused():
    program = qcc.jax.compile(lambda d: d["x"] + 1, {"x": jnp.ones(3)})
    with pytest.raises(qcc.InvalidArgumentError, match="have the structure"):
        program(jnp.ones(3))


@pytest.mark.parametrize("function, reason", [
    (jax.lax.lgamma, "'chlo.lgamma' is a special function"),  # its only line is the call of qcc
    (lambda x: jnp.linalg.cholesky(x @ x.T), "calls 'lapack_spotrf_ffi', a solver"),  # has no lines inside of JAX
    (lambda x: jax.pure_callback(np.sin, x, x), "which runs Python; leave out jax.pure_callback")])
def test_refusals_name_a_line_of_the_caller(function, reason):
    with pytest.raises(qcc.InvalidProgramError, match=rf"test_jax\.py:\d+:\d+: error: .*{reason}"):
        qcc.jax.compile(function, jnp.ones((4, 4), jnp.float32))


def test_results_are_arrays_of_jax():
    """Also those that are made without the checks of jax.numpy.from_dlpack."""
    dtypes = [jnp.float32, jnp.float16, jnp.bfloat16, jnp.int8, jnp.uint8, jnp.int32, jnp.uint32, jnp.int64, jnp.bool_]
    x = jnp.arange(6).reshape(2, 3)
    program = qcc.jax.jit(lambda x: [x.astype(dtype) for dtype in dtypes])
    for got, dtype in zip(program(x), dtypes):
        assert isinstance(got, jax.Array) and got.dtype == dtype and not got.weak_type
        assert np.array_equal(np.asarray(jax.jit(lambda y: y + y)(got)), np.asarray(x.astype(dtype) + x.astype(dtype)))


def test_refusals_name_the_line():
    with pytest.raises(qcc.InvalidProgramError, match=r"test_jax\.py:\d+:\d+: error: '[a-z.]+' computes complex numbers"):
        qcc.jax.compile(lambda x: jnp.fft.fft(x).real, jnp.ones(8, jnp.float32))


@pytest.mark.parametrize("result", [jnp.int32, jnp.float32, jnp.int8])
@pytest.mark.parametrize("layout", [("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW"), ("NHWC", "OHWI", "NHWC")])
def test_founding_convolution(result, layout):
    r = np.random.default_rng(0)
    sizes = {"N": 1, "H": 14, "W": 14, "C": 64}
    x = r.integers(-128, 128, [sizes[letter] for letter in layout[0]], np.int8)
    w = r.integers(-128, 128, [{"H": 3, "W": 3, "I": 64, "O": 32}[letter] for letter in layout[1]], np.int8)

    def f(x):
        kind = jnp.int32 if result == jnp.int8 else result
        y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout, preferred_element_type=kind)
        return y if result != jnp.int8 else jnp.clip(y >> 8, -128, 127).astype(jnp.int8)

    np.testing.assert_array_equal(np.asarray(qcc.jax.compile(f, x)(x)), np.asarray(jax.jit(f)(x)))


def test_flax_network():
    nn = pytest.importorskip("flax.linen")

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Conv(16, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.relu(nn.Conv(32, (3, 3), feature_group_count=4)(x))
            x = nn.max_pool(x, (2, 2), (2, 2))
            x = nn.BatchNorm(use_running_average=True)(x)
            x = x.reshape((x.shape[0], -1, 32))
            y = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(4)(y, y)
            x = nn.RNN(nn.LSTMCell(8))(x)
            return nn.Dense(10)(nn.gelu(x[:, -1]))

    x = np.random.default_rng(0).standard_normal((2, 16, 16, 1), np.float32)
    network = Network()
    variables = network.init(jax.random.PRNGKey(0), x)
    program = qcc.jax.compile(network.apply, variables, x, weights=(0,))
    np.testing.assert_allclose(np.asarray(program(x)), np.asarray(network.apply(variables, x)), rtol=1e-4, atol=1e-5)


def test_exported_program_is_a_program():
    exported = export.export(jax.jit(lambda x: x * 2 + 1))(jax.ShapeDtypeStruct((3,), jnp.float32))
    y = qcc.compile(exported).function()(np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(y, [1, 3, 5])


KERAS = """
import numpy as np, keras, qcc.jax
layers = keras.layers
model = keras.Sequential([layers.Input((16,)), layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
model.quantize("int8")
x = np.random.default_rng(0).standard_normal((4, 16), np.float32)
weights = [[v.value for v in variables] for variables in (model.trainable_variables, model.non_trainable_variables)]
program = qcc.jax.compile(lambda a, b, x: model.stateless_call(a, b, x)[0], *weights, x, weights=(0, 1), threads=1)
np.testing.assert_allclose(np.asarray(program(x)), np.asarray(model(x)), rtol=1e-5, atol=1e-6)
"""


def test_keras_quantized():
    """Keras on JAX, in a process of its own: a process has one backend of Keras."""
    pytest.importorskip("keras")
    environment = dict(os.environ, KERAS_BACKEND="jax", PYTHONPATH=os.pathsep.join(sys.path[:2]))
    done = subprocess.run([sys.executable, "-c", KERAS], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
