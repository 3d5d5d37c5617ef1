"""What this host can run: the flags that the kernel reports, never the name of a model, without what
QCC_HIDE_FEATURES hides. include/qcc/Runtime/HostFeatures.h says what that variable does."""

import os

# Names of LLVM, where the kernel has others.
KERNEL_NAMES = {
    "abm": "lzcnt",
    "amx_int8": "amx-int8",
    "amx_tile": "amx-tile",
    "avx512_vnni": "avx512vnni",
    "avx_vnni": "avxvnni",
    "bmi1": "bmi",
}

AVX512 = {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}

# What needs the features that start so.
BUILT_ON = {"avx2": ("avx512", "avxvnni"), "avx512f": ("avx512",), "amx-tile": ("amx-",)}


def features():
    """The names of LLVM."""
    found = set()
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("flags"):
                    found = {KERNEL_NAMES.get(flag, flag) for flag in line.split(":", 1)[1].split()}
                    break
    except OSError:
        pass
    hidden = {name.strip() for name in os.environ.get("QCC_HIDE_FEATURES", "").split(",")} - {""}
    prefixes = tuple(prefix for name in hidden for prefix in BUILT_ON.get(name, ()))
    return {name for name in found if name not in hidden and not name.startswith(prefixes)}
