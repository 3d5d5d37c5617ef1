"""The Python package in processes where other libraries have an LLVM of their own."""

import importlib.util
import itertools
import os
import subprocess
import sys

import pytest

import program
from package import DOUBLE, qcc  # noqa: F401  (says where the libraries are)

#: Compiles, loads and runs a program; %s are the statements before and after the import of the package.
SCRIPT = """
import ctypes, os, sys
sys.path.insert(0, {root!r})
{before}
import qcc
{between}
import numpy as np
x = np.arange(6, dtype=np.float32).reshape(2, 3)
def check():
    assert (qcc.compile({text!r}).function()(x) == 2 * x).all()
check()
{after}
check()
print("right")
"""

OTHER = program.build_dir().resolve() / "test" / "CAPI" / "libother-llvm.so"
OPEN_OTHER = f"ctypes.CDLL({str(OTHER)!r}, os.RTLD_GLOBAL | os.RTLD_NOW)"
FRAMEWORKS = ("tensorflow", "jax", "torch")


def run(before="", between="", after="", **environment):
    script = SCRIPT.format(root=str(program.ROOT / "python"), before=before, between=between, after=after, text=DOUBLE)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment})


@pytest.mark.parametrize("moment", ["before", "between", "after"])
def test_library_that_exports_an_llvm(moment):
    """Before the package, before the compiler is opened, and after the first compilation."""
    done = run(**{moment: OPEN_OTHER})
    assert done.stdout == "right\n", done.stderr


def test_library_that_replaces_malloc(tmp_path):
    """The compiler says why it does not compile: RTLD_DEEPBIND would miss the other malloc."""
    source, library = tmp_path / "malloc.c", tmp_path / "malloc.so"
    source.write_text("""
        void *__libc_malloc(unsigned long);
        void *malloc(unsigned long size) { return __libc_malloc(size); }""")
    subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", source, "-o", library], check=True)
    done = run(before=OPEN_OTHER, LD_PRELOAD=str(library))
    assert "UnsupportedError" in done.stderr and "libother-llvm.so" in done.stderr, done.stderr
    assert run(LD_PRELOAD=str(library)).stdout == "right\n"


def orders():
    """What is imported before and after, in every order."""
    for count in (1, 2, 3):
        for names in itertools.permutations(FRAMEWORKS, count):
            for split in range(count + 1):
                yield names[:split], names[split:]


def name_of(part):
    return "+".join(part) or "none"


@pytest.mark.parametrize("first, last", list(orders()), ids=name_of)
def test_frameworks(first, last):
    """Those of `first` are imported before the first compilation, those of `last` after it; each computes."""
    missing = [name for name in (*first, *last) if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed: pip install tensorflow-cpu jax torch (1.5 GB)")
    compute = {"tensorflow": "tensorflow.constant([1.0, 2.0]) * 2", "jax": "jax.jit(lambda x: x * 2)(1.0)",
               "torch": "torch.ones(2) * 2"}
    before, after = ("\n".join(f"import {name}\n{compute[name]}" for name in names) for names in (first, last))
    done = run(before=before, after=after)
    assert done.stdout == "right\n", done.stderr[-2000:]
