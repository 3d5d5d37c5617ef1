# What every lit suite of qcc shares: the search path, substitutions and features.
import ctypes
import os
import shutil
import sys

import host_features  # beside this file


# The lit features of instruction sets, and what a host needs for each.
LEVELS = {
    "x86-64-v3": {"avx2", "fma", "f16c", "bmi", "bmi2", "movbe", "lzcnt"},
    "avx512": host_features.AVX512,
    "avx512vnni": host_features.AVX512 | {"avx512vnni"},
    "avx512vbmi": host_features.AVX512 | {"avx512vnni", "avx512vbmi"},
    "avxvnni": {"avx2", "avxvnni"},
    "amx": {"amx-tile", "amx-int8"},
}


def has_sodium():
    """Whether signatures can be made and checked."""
    for version in (26, 23):
        try:
            ctypes.CDLL("libsodium.so.%d" % version)
            return True
        except OSError:
            pass
    return False


def configure(config, lit_config):
    venv_python = os.path.join(config.qcc_source_dir, "build", "venv", "bin", "python")
    python = venv_python if os.path.exists(venv_python) else sys.executable

    config.environment["PATH"] = os.pathsep.join(
        [
            os.path.join(config.qcc_build_dir, "bin"),
            config.llvm_tools_dir,
            os.environ.get("PATH", ""),
        ]
    )
    config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    if config.qcc_sanitize:
        config.available_features.add("sanitizer")
    if config.qcc_sanitize == "address":
        # libMLIR and lld are not instrumented, so containers that cross their
        # boundary look overflowed and LLVM's allocators poisoned.
        config.environment["ASAN_OPTIONS"] = (
            "detect_container_overflow=0:allow_user_poisoning=0"
        )
        config.available_features.add("asan")
    if config.qcc_sanitize == "thread":
        # Children of fork() start threads: contexts and pools of their own.
        config.environment["TSAN_OPTIONS"] = (
            "die_after_fork=0:suppressions="
            + os.path.join(config.qcc_source_dir, "test", "tsan.supp")
        )
    for option in ("ASAN_OPTIONS", "TSAN_OPTIONS", "QCC_HIDE_FEATURES"):
        if option in os.environ:
            config.environment[option] = os.environ[option]

    config.substitutions.append(("%python", '"%s"' % python))
    config.substitutions.append(
        ("%examples", os.path.join(config.qcc_source_dir, "docs", "examples"))
    )
    config.substitutions.append(
        ("%utils", os.path.join(config.qcc_source_dir, "utils"))
    )
    if getattr(config, "qcc_bench_peer", ""):
        config.available_features.add(config.qcc_bench_peer)
    # With a peer that crashes, and with none.
    for tool in ("qcc-bench-crashing", "qcc-bench-no-peer"):
        path = os.path.join(config.qcc_build_dir, "test", "Bench", tool)
        config.substitutions.append(("%" + tool, path))
    # Makes the hash of a changed artifact right again.
    stamp = os.path.join("test", "Unit", "Runtime", "qcc-stamp-artifact")
    config.substitutions.append(
        ("%stamp-artifact", os.path.join(config.qcc_build_dir, stamp))
    )
    # A folder with a driver of GPUs that runs kernels on the emulator.
    fake = os.path.join("test", "Unit", "Runtime", "FakeCuda")
    config.substitutions.append(
        ("%fake-cuda", os.path.join(config.qcc_build_dir, fake))
    )
    features = host_features.features()
    for level, needed in LEVELS.items():
        if needed <= features:
            config.available_features.add(level)
    # Where assembleKernels looks for it.
    if shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas"):
        config.available_features.add("ptxas")
    # Runs the scripts of pages, without a browser.
    if shutil.which("node"):
        config.available_features.add("node")
    if has_sodium():
        config.available_features.add("libsodium")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        config.available_features.add("root")
