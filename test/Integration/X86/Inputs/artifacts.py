"""Runs every example as an artifact, in a process without LLVM.

Usage: artifacts.py EXAMPLES FOLDER MCPU. For each example, qcc compiles an artifact, and
qcc-run writes its result to a pipe that is too small for it: while it waits, its mappings
show the artifact and nothing of a compiler. The result has the bits of `qcc run`.
"""

import fcntl
import os
import select
import subprocess
import sys

# What each example is run on. An example that is missing here is an error.
INPUTS = {
    "asymmetric": ["--input=random:1", "--dim=131"],
    "classifier_f32": ["--input=random:1:-1:1", "--dim=131"],
    "classifier_int8": ["--input=random:1", "--dim=131"],
    "dynamic_quant": ["--input=random:1:-4:4", "--dim=131"],
    "dynamic_sequence": [
        "--entry=padded", "--input=random:1", "--dim=40", "--dim=40", "--dim=40"],
    "encoder": ["--input=random:1:-2:2"],
    "mlp_f16": ["--input=random:1:-4:4", "--dim=67"],
    "mlp_f32": ["--input=random:1:-4:4", "--dim=67"],
    "tf_linear": ["--input=random:1", "--input=random:2:2000:8000", "--dim=67"],
    "tf_linear_weight_arg": [
        "--input=random:1", "--input=random:2:2000:8000", "--input=random:3", "--dim=67"],
}

PAGE = 4096
COMPILER = ("LLVM", "MLIR", "lld", "libqcc.so")


def run_through_pipe(command, pipe):
    """The result that a command writes to a pipe, and its mappings while it does."""
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, PAGE)
    process = subprocess.Popen(command)
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    while not poll.poll(100):
        if process.poll() is not None:
            sys.exit(f"{command} ended with {process.returncode} and wrote nothing")
    # It has run, and cannot end before the rest of its result is read.
    with open(f"/proc/{process.pid}/maps") as file:
        mappings = {line.split(None, 5)[5].strip() for line in file if line.count("/")}
    os.set_blocking(reader, True)
    data = bytearray()
    while chunk := os.read(reader, 1 << 20):
        data += chunk
    os.close(reader)
    os.unlink(pipe)
    if process.wait() != 0:
        sys.exit(f"{command} ended with {process.returncode}")
    if len(data) <= PAGE:
        sys.exit(f"{command} wrote {len(data)} bytes, which fit into the pipe")
    return bytes(data), mappings


def main():
    examples, folder, mcpu = sys.argv[1:]
    names = sorted(name[:-5] for name in os.listdir(examples) if name.endswith(".mlir"))
    if names != sorted(INPUTS):
        sys.exit(f"docs/examples has {names}, but this test knows {sorted(INPUTS)}")
    for name in names:
        program = os.path.join(examples, name + ".mlir")
        artifact = os.path.join(folder, name + ".so")
        wanted = os.path.join(folder, name + ".npy")
        options = ["--weights=random:7", "--mcpu=" + mcpu]
        subprocess.run(["qcc", "compile", program, *options, "-o", artifact], check=True)
        subprocess.run(
            ["qcc", "run", program, *options, *INPUTS[name], "--output=" + wanted], check=True)
        pipe = os.path.join(folder, "pipe.npy")
        result, mappings = run_through_pipe(
            ["qcc-run", artifact, *INPUTS[name], "--output=" + pipe], pipe)
        if artifact not in mappings:
            sys.exit(f"{artifact} is not mapped, only {sorted(mappings)}")
        for mapping in mappings:
            if any(part in os.path.basename(mapping) for part in COMPILER):
                sys.exit(f"qcc-run has mapped {mapping}")
        with open(wanted, "rb") as file:
            if file.read() != result:
                sys.exit(f"{name}: the results of qcc run and qcc-run differ")
        print(f"{name}: same bits, no compiler")


if __name__ == "__main__":
    main()
