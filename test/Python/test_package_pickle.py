"""Modules, functions and pools that are copied, pickled, and sent to other processes."""

import asyncio
import concurrent.futures
import copy
import multiprocessing
import os
import pickle
import stat
import subprocess
import sys

import numpy as np
import pytest

import program
from package import DOUBLE, DOUBLE_ROWS, qcc

X = np.arange(6, dtype=np.float32).reshape(2, 3)
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.fixture(scope="module")
def module():
    return qcc.compile(DOUBLE + DOUBLE_ROWS)


@pytest.fixture
def path(module, tmp_path):
    module.save(tmp_path / "double.so")
    return tmp_path / "double.so"


def again(thing, protocol=pickle.DEFAULT_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_modules(module, path, protocol):
    for source in (module, qcc.load(path), qcc.load(path.read_bytes()), again(module)):
        other = again(source, protocol)
        assert other is not source and other.fingerprint == module.fingerprint and other.functions == module.functions
        assert (other.function("double")(X) == 2 * X).all()
        other.save(path)
        assert (qcc.load(path).function("double")(X) == 2 * X).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_functions(module, protocol):
    function = again(module.function("double_rows", threads=2), protocol)
    assert (function.name, function.threads, function.pool, function.device) == ("double_rows", 2, None, "cpu")
    assert (function(X) == 2 * X).all()
    assert again(function).module.fingerprint == module.fingerprint


def test_functions_share_their_module_and_pool(module):
    pool = qcc.ThreadPool(2)
    functions = [module.function(name, pool=pool) for name in ("double", "double_rows")]
    first, second, other = again((*functions, pool))
    assert first.module is second.module and first.pool is second.pool is other
    assert other is not pool and other.threads == 2
    assert (first(X) == second(X)).all()


def test_pools(module):
    assert again(qcc.ThreadPool()).threads == qcc.ThreadPool().threads
    pool = qcc.ThreadPool(cpus=sorted(os.sched_getaffinity(0))[:1])
    for thing in (pool, module.function("double", pool=pool)):
        with pytest.raises(TypeError, match="a ThreadPool with cpus cannot be pickled: .*make the pool where"):
            pickle.dumps(thing)
    for take in (copy.copy, copy.deepcopy):
        assert take(pool) is pool
        function = take(module.function("double", pool=pool))
        assert function.pool is pool and (function(X) == 2 * X).all()


@pytest.mark.parametrize("take", [copy.copy, copy.deepcopy])
def test_copies_share_the_module(module, take):
    assert take(module) is module
    function = module.function("double", threads=1)
    function(X)
    other = take(function)
    assert other is not function and other.module is module and other.module_handle is function.module_handle
    assert (other.threads, other.name, str(other)) == (1, "double", str(function))
    run = function.start(X)
    assert (other(X) == 2 * X).all() and (run.result() == 2 * X).all()
    both = take([function, function])
    assert (take is copy.copy and both[0] is function) or (both[0] is both[1] is not function)


def test_a_module_for_other_processors_is_pickled_unloaded(module):
    other = again(qcc.compile(DOUBLE, target="sm_80"))
    assert again(other)._loaded is None
    with pytest.raises(qcc.UnsupportedError):
        other.function()
    assert again(qcc.compile(DOUBLE))._loaded is None


def test_options_are_kept(module, path):
    qcc.compile(DOUBLE, target=["x86-64-v3", "skylake-avx512"]).save(path)
    other = again(qcc.load(path, variant="x86-64-v3", private_copy=True, share_weights=True))
    assert [variant.target for variant in other.variants if variant.chosen] == ["x86-64-v3"]
    unpickle, state = other.__reduce__()
    # As if it came from a machine with a GPU, or with a signature.
    with pytest.raises(qcc.Error, match="GPU|driver|device"):
        unpickle(state[0], None, "cuda:0", None).function()
    with pytest.raises(qcc.UntrustedError):
        unpickle(state[0], None, None, "00" * 32).function()


def test_damage_is_found_when_the_module_is_used(module):
    data = bytearray(pickle.dumps(module))
    data[len(data) // 2] ^= 255
    other = pickle.loads(data)
    with pytest.raises(qcc.CorruptArtifactError):
        other.function("double")


def test_files_that_are_gone_or_have_changed(module, tmp_path, monkeypatch):
    path = tmp_path / "double.so"
    module.save(path)
    monkeypatch.chdir(tmp_path)
    loaded = qcc.load("double.so", private_copy=True)
    function = loaded.function("double")
    monkeypatch.chdir("/")
    assert (again(function)(X) == 2 * X).all()
    path.rename(tmp_path / "moved.so")
    for use in (lambda: pickle.dumps(function), lambda: loaded.save(tmp_path / "copy.so")):
        with pytest.raises(qcc.NotFoundError, match="double.so' of the module no longer exists.*from its bytes"):
            use()
    for data in (b"", b"\x7fELF", (tmp_path / "moved.so").read_bytes()[:550]):
        path.write_bytes(data)
        with pytest.raises(qcc.UnsupportedError, match="double.so' has changed since the module was loaded"):
            pickle.dumps(function)
    qcc.compile(DOUBLE).save(path)
    with pytest.raises(qcc.UnsupportedError, match="has changed"):
        loaded.save(tmp_path / "copy.so")
    path.unlink()
    path.mkdir()
    with pytest.raises(qcc.SystemCallError, match="cannot be read"):
        pickle.dumps(loaded)
    assert not (tmp_path / "copy.so").exists() and (function(X) == 2 * X).all()


def test_dropped_artifacts(tmp_path):
    """Functions that are there go on, and so do new ones."""
    module = qcc.compile(DOUBLE)
    function, data = module.function(), pickle.dumps(module)
    for dropped in (module, pickle.loads(data)):
        for _ in range(2):
            dropped.drop_artifact()
            for use in (lambda: pickle.dumps(dropped.function()), lambda: dropped.save(tmp_path / "double.so")):
                with pytest.raises(qcc.UnsupportedError, match="has dropped its artifact"):
                    use()
        assert (dropped.function()(X) == 2 * X).all() and dropped.fingerprint
    assert (function(X) == 2 * X).all() and not list(tmp_path.iterdir())
    other = qcc.compile(DOUBLE, target="sm_80")
    with pytest.raises(qcc.UnsupportedError):
        other.drop_artifact()
    other.save(tmp_path / "double.so")


def test_loaded_modules_are_saved_whole(module, path, tmp_path):
    """As compiled modules are: links are followed, permissions stay, and nothing is left over."""
    data = path.read_bytes()
    for loaded in (qcc.load(path), qcc.load(data)):
        loaded.save(path)  # onto itself
        assert path.read_bytes() == data
        target, link = tmp_path / "target.so", tmp_path / "link.so"
        target.write_bytes(b"old")
        target.chmod(0o640)
        if not link.exists():
            link.symlink_to(target)
        loaded.save(link)
        assert link.is_symlink() and target.read_bytes() == data and stat.S_IMODE(target.stat().st_mode) == 0o640
        loaded.save(os.devnull)
        for wrong in (tmp_path / "none" / "double.so", tmp_path):
            with pytest.raises(qcc.SystemCallError, match="cannot write '"):
                loaded.save(wrong)
        with pytest.raises(qcc.InvalidArgumentError, match="null character"):
            loaded.save("a\0b")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["double.so", "link.so", "target.so"]
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_what_belongs_to_the_process(module, capfd):
    function = module.function("double")
    for thing in (qcc.CancelToken(), function.start(X), function.module_handle):
        for take in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"a {type(thing).__name__} cannot be copied or pickled: it belongs to"):
                take(thing)
    for kind in (qcc.Module, qcc.Function, qcc.ThreadPool, qcc.CancelToken, qcc.Run, type(function.module_handle),
                 type(module._artifact)):
        kind.__new__(kind)  # An object of which the constructor failed is collected at once.
    assert "Exception ignored" not in capfd.readouterr().err


def test_a_batcher_belongs_to_its_event_loop(module):
    from qcc.serve import Batcher

    async def try_it():
        batcher = Batcher(module.function("double_rows", threads=1))
        try:
            with pytest.raises(TypeError, match="a Batcher cannot be copied or pickled"):
                copy.copy(batcher)
        finally:
            await batcher.close()

    asyncio.run(try_it())


def test_errors_and_types_are_pickled(module):
    with pytest.raises(qcc.InvalidProgramError) as info:
        qcc.compile("func.func @f() { return 3 }")
    other = again(info.value)
    assert str(other) == str(info.value) and other.diagnostics == info.value.diagnostics != ()
    assert again(module.function("double").arguments) == module.function("double").arguments
    assert again(module.variants) == module.variants


def test_programs_of_jax():
    jax = pytest.importorskip("jax")
    import qcc.jax

    compiled = qcc.jax.compile(lambda w, x: {"y": x * w}, jax.numpy.float32(3), X, weights=(0,))
    for take in (copy.copy, copy.deepcopy, again):
        assert (np.asarray(take(compiled)(X)["y"]) == 3 * X).all()


@pytest.mark.parametrize("context", ["spawn", "fork", "forkserver"])
def test_process_pools(module, context):
    """A process gets functions as arguments, and gives them back."""
    environment = dict(os.environ)
    os.environ["PYTHONPATH"] = str(program.ROOT / "python")
    try:
        with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(context)) as pool:
            if context != "fork":  # Threads of a pool do not survive it.
                assert (pool.submit(module.function("double"), X).result(60) == 2 * X).all()
            function = module.function("double_rows", threads=1)
            results = list(pool.map(function, [X, X + 1, X + 2]))
            assert all((result == 2 * (X + i)).all() for i, result in enumerate(results))
            assert (pool.submit(copy.copy, function).result(60)(X) == 2 * X).all()
            with pytest.raises(qcc.InvalidArgumentError, match="takes 1 argument, but the call has 2"):
                pool.submit(function, X, X).result(60)
            with pytest.raises(TypeError, match="a CancelToken cannot be copied or pickled"):
                pool.submit(function, X, cancel=qcc.CancelToken()).result(60)
    finally:
        os.environ.clear()
        os.environ.update(environment)


def test_example():
    """A script of its own, whose processes import it and end without noise."""
    environment = dict(os.environ, PYTHONPATH=str(program.ROOT / "python"))
    command = [sys.executable, program.ROOT / "examples" / "python" / "process_pool.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert "'subtract' has no argument 'bais'; did you mean 'bias'?" in done.stdout
    assert done.stdout.splitlines()[-1] == "-12.0"


def test_messages_name_nothing_of_c():
    from qcc._library import in_python

    with pytest.raises(qcc.InvalidArgumentError, match="^cubin=True is about kernels for GPUs"):
        qcc.compile(DOUBLE, cubin=True)
    crash = "report it with the program, and set QCC_COMPILE_ISOLATED to compile in another process"
    assert in_python(crash) == "report it with the program, and give isolated=True to compile in another process"
    assert in_python("the default stream is used") == "the default stream is used"
