# What every lit suite of qcc shares: the search path, substitutions and features.
import os
import sys


def _cpu_features():
    """What this host can run, by the flags the kernel reports (never by model name)."""
    flags = set()
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("flags"):
                    flags = set(line.split(":", 1)[1].split())
                    break
    except OSError:
        pass
    levels = {
        "x86-64-v3": {"avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm"},
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"},
        "avx512vnni": {"avx512f", "avx512bw", "avx512vl", "avx512_vnni"},
        "avxvnni": {"avx2", "avx_vnni"},
        "amx": {"amx_tile", "amx_int8"},
    }
    return [name for name, needed in levels.items() if needed <= flags]


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
    for option in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
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
    # Makes the hash of a changed artifact right again.
    stamp = os.path.join("test", "Unit", "Runtime", "qcc-stamp-artifact")
    config.substitutions.append(
        ("%stamp-artifact", os.path.join(config.qcc_build_dir, stamp))
    )
    for feature in _cpu_features():
        config.available_features.add(feature)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        config.available_features.add("root")
