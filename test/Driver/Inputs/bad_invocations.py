"""bad_invocations.py PROGRAM: command lines that mean nothing. Each has to end with exit code 2 (the command line), 3 (its
files) or 4 (what comes after) and a message of the tool, not a signal, and leave no file behind. Runs in the current
folder."""

import os
import subprocess
import sys

import numpy as np

program = sys.argv[1]
os.makedirs("folder.npy")
for name in ("empty.mlir", "empty.npy", "empty.so", "empty.npz", "empty.json"):
    open(name, "w").close()
for name in ("text.npy", "text.npz", "text.so", "text.json"):
    with open(name, "w") as file:
        file.write("hello")
with open("bytes.mlir", "wb") as file:
    file.write(bytes(range(256)))
np.save("wide.npy", np.zeros((5, 9), np.int8))
np.save("flat.npy", np.zeros(8, np.int8))
np.save("double.npy", np.zeros((5, 8)))
np.save("object.npy", np.array([{}], dtype=object), allow_pickle=True)
np.save("text-array.npy", np.array(["a"]))
source = [program, "--weights=random:1"]
compiled = ["--input=random", "--dim=5"]
subprocess.run(["qcc", "compile", *source, "-o", "m.so"], check=True)
with open("m.so", "rb") as whole, open("cut.so", "wb") as cut:
    cut.write(whole.read()[:3000])

lines = [["qcc"], ["qcc", ""], ["qcc", "--"], ["qcc", "-x"], ["qcc", "fly"], ["qcc", "help", "fly"],
         ["qcc", "help", "run", "x"], ["qcc", "completion", "x"], ["qcc", "targets", "x"], ["qcc", "ops", "-x"],
         ["qcc", "diff", program], ["qcc", "diff", program, program, program], ["qcc-run"], ["qcc-run", ""],
         ["qcc", "tune", *source, "--dim=5"], ["qcc", "tune", *source, "--dim=5", "--db=/dev/full"]]
for file in ("none.mlir", "empty.mlir", "folder.npy", "bytes.mlir", "/dev/null", "", "-", "text.so", "cut.so", "empty.so"):
    lines += [["qcc", "compile", file, "-o", "o.so"], ["qcc", "run", file, *compiled], ["qcc-run", file, *compiled],
              ["qcc", "explain", file], ["qcc", "tune", file, "--db=o.json", *compiled]]
for weights in ("none.npz", "empty.npz", "text.npz", "random:", "random:-1", "random:x", "random:1:2", "wide.npy"):
    lines.append(["qcc", "compile", program, "--weights=" + weights, "-o", "o.so"])
for tool in (["qcc", "run", *source], ["qcc-run", "m.so"]):
    for file in ("none.npy", "empty.npy", "text.npy", "folder.npy", "wide.npy", "flat.npy", "double.npy", "object.npy",
                 "text-array.npy", "random:", "random:1:2", "random:1:nan:2", "random:1:2:1", "random:1:-inf:inf",
                 "/dev/null", "text.npz"):
        lines.append([*tool, "--input=" + file])
    for size in ("-1", "9223372036854775807", "99999999999999999999", "nan", "1e3", "0x10", "1.5", " 5", ""):
        lines.append([*tool, "--input=random", "--dim=" + size])
    for output in ("folder.npy", "/none/o.npy", "o.txt", "/proc/o.npy", "wide.npy/o.npy", "o.npy/"):
        lines.append([*tool, *compiled, "--output=" + output])
    for option in ("--threads=0", "--threads=-1", "--threads=1025", "--threads=nan", "--threads=", "--tolerance=1",
                   "--tolerance=nan", "--tolerance=-1", "--variant=x", "--entry=x", "--entry=", "--weight-pages=x",
                   "--json=o.json", "--expect=none.npy", "--expect=double.npy", "--dim=3", "--input=random",
                   "--dump-steps=wide.npy", "--dump-steps=/proc/o", "--profile=/none/o.json", "---x", "--=x", "@x"):
        lines.append([*tool, *compiled, option])
for option in ("--mcpu=i860", "--mcpu=", "--mcpu=native,", "--mcpu=NATIVE", "--mcpu=i386", "--mcpu=+emulated-amx",
               "--mcpu=x86-64-v3+emulated-amx", "--emit=KERNEL", "--target=gpu", "--target=reference",
               "--tuning-db=none.json", "--unfused=1"):
    lines.append(["qcc", "compile", *source, "-o", "o.so", option])
for output in ("folder.npy", "/none/o.so", "o", "/proc/o.so", "wide.npy/o.so", "o.SO", "o.so/"):
    lines.append(["qcc", "compile", *source, "-o", output])

before = sorted(os.listdir("."))
wrong = 0
for line in lines:
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)
    message = done.stderr
    if done.returncode not in (2, 3, 4) or not ("error: " in message or "Usage: " in message) or "bug of qcc" in message:
        wrong += 1
        print(" ".join(line), "=>", done.returncode, message)
left = sorted(set(os.listdir(".")) - set(before))
print(f"{len(lines)} command lines, {wrong} wrong, files left behind: {left}")
