"""check-hardening.py BUILD: says of each library and tool of a build whether it is hardened, and what it lacks."""

import pathlib
import re
import subprocess
import sys

build = pathlib.Path(sys.argv[1])
#: The instruction that functions begin with whose address is taken.
ENDBR64 = b"\xf3\x0f\x1e\xfa"
#: What is known to call functions of the C library with sizes that only a run knows; others may have no such call.
HAVE_CALLS = ("libqcc_runtime.so", "qcc-run")


def read(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def lacks_of(path):
    """What a file lacks."""
    headers = read("llvm-readelf", "-h", "-l", "-d", "-W", path)
    symbols = read("llvm-nm", "-D", "--undefined-only", "--format=just-symbols", path)
    segments = re.findall(r"^ +(LOAD|GNU_STACK|GNU_RELRO) .* ([R ][W ][E ]) 0x", headers, re.M)
    lacks = []
    if "GNU_RELRO" not in [name for name, _ in segments] or "BIND_NOW" not in headers:
        lacks.append("addresses that are read-only (-z relro -z now)")
    if any("W" in flags and "E" in flags for _, flags in segments):
        lacks.append("memory that is writable or executable, not both")
    if not re.search(r"Type: +DYN", headers):
        lacks.append("code that runs at any address (-pie)")
    if "TEXTREL" in headers:
        lacks.append("code that is never written (no TEXTREL)")
    if "__stack_chk_fail" not in symbols:
        lacks.append("frames that are checked (-fstack-protector-strong)")
    has_checked_calls = re.search(r"^__\w+_chk(@|$)", symbols.replace("__stack_chk_fail", ""), re.M)
    if path.name in HAVE_CALLS and not has_checked_calls:
        lacks.append("calls that are checked (_FORTIFY_SOURCE)")
    contents = path.read_bytes()
    # Start files bring two; small programs have few functions.
    if contents.count(ENDBR64) < (10 if len(contents) > 2**16 else 4):
        lacks.append("landing pads of indirect branches (-fcf-protection)")
    return lacks


files = sorted((build / "lib").glob("libqcc*.so"))
files += sorted(path for path in (build / "bin").iterdir() if path.name.startswith("qcc") and not path.is_symlink())
failed = False
for path in files:
    lacks = lacks_of(path)
    failed |= bool(lacks)
    print(f"{path.name}: {'lacks ' + ', '.join(lacks) if lacks else 'hardened'}")
sys.exit(failed)
