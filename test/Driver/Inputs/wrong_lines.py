"""wrong_lines.py FOLDER [COUNT [SEED]]: command lines that are wrong in one way each, of all commands and options.

Each starts as a right line of its command and gets one fault by chance. It has to end with the exit code of the fault and a
message, and to leave no file behind.
"""

import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys

import numpy as np
from command_lines import COMMANDS, prepare

rng = random.Random()
USAGE, REJECTED, FAILED = 2, 3, 4

# ---- What is right ----------------------------------------------------------------------------------------------------

PROGRAM = ["linear.mlir", "--weights=w.npz"]
#: A right command line of each command. "@" is the folder of a line's own outputs.
RIGHT = {
    "bench": [*PROGRAM, "--dim=3", "--duration=0"],
    "compile": [*PROGRAM, "-o", "@/out.so"],
    "completion": ["bash"],
    "diff": ["linear.mlir", *PROGRAM, "--dim=3"],
    "explain": [*PROGRAM, "--dim=3"],
    "formats": [],
    "help": ["run"],
    "make-key": ["@/key"],
    "ops": [],
    "quantize": ["add.onnx", "--data=random", "-o", "@/out.onnx"],
    "qcc-run": ["m.so", "--dim=3"],
    "reduce": ["plain.mlir", "--test=true", "-o", "@/out.mlir"],
    "run": [*PROGRAM, "--dim=3"],
    "sign": ["m.so", "--key=secret.key", "-o", "@/out.so"],
    "targets": [],
    "tune": [*PROGRAM, "--dim=3", "--candidates=1", "--db=@/db.json"],
    "verify": ["add.onnx"],
    "verify-signature": ["m.so", "--key=public.key"],
}
#: Python reads the files of these commands, and it is missing here.
BY_PYTHON = ("quantize", "verify")
SIGNS = ("sign", "verify-signature", "make-key")
#: Options that may be given more than once.
REPEATABLE = ("--dim", "--shape", "--input", "--expect", "--constant", "--exclude", "--keep-float", "--fail-on")


def prepare_wrong(folder):
    """The right files, and wrong ones."""
    prepare(folder)
    os.makedirs("folder")
    for name in ("empty.mlir", "empty.so", "empty.npy", "empty.npz", "empty.json", "empty.key"):
        open(name, "w").close()
    for name in ("text.so", "text.npy", "text.npz", "text.json", "text.key"):
        with open(name, "w") as file:
            file.write("hello")
    with open("syntax.mlir", "w") as file:
        file.write("func.func @main(")
    with open("m.so", "rb") as whole, open("cut.so", "wb") as cut:
        cut.write(whole.read()[:3000])
    np.save("wide.npy", np.zeros((3, 9), np.int8))
    np.save("double.npy", np.zeros((3, 8)))


# ---- Faults of any option ---------------------------------------------------------------------------------------------
# A fault takes a command, its options and the words of a right line. It returns the words with the fault, and the exit code.


def without(words, *options):
    """The words without some options, which others are to stand for."""
    kept, skip = [], False
    for word in words:
        name = word.split("=")[0]
        if skip or name in options or (word == "-o" and "--output" in options):
            skip = word == "-o"
        else:
            kept.append(word)
    return kept


def misspelled(command, options, words):
    name = list(rng.choice(list(options))[2:])
    place = rng.randrange(len(name))
    name[place:place + 1] = rng.choice([[], [name[place]] * 2, ["q"]])
    option = "--" + "".join(name)
    return None if option in options or option in ("--help", "--version") else ([*words, option], USAGE)


def of_another_command(command, options, words):
    others = {option for known in COMMANDS.values() for option in known} - set(options)
    return [*words, rng.choice(sorted(others)) + rng.choice(["", "=1"])], USAGE


def flag_with_a_value(command, options, words):
    flags = [option for option, how in options.items() if not how]
    return flags and ([*words, rng.choice(flags) + "=yes"], USAGE)


def without_a_value(command, options, words):
    option = rng.choice([option for option, how in options.items() if how == "="])
    return [*without(words, option), option], USAGE


def with_an_empty_value(command, options, words):
    option = rng.choice([option for option, how in options.items() if how])
    return [*without(words, option), option + "="], USAGE


def given_twice(command, options, words):
    given = [word for word in words if word.startswith("--") and word.split("=")[0] not in REPEATABLE]
    return given and ([*words, rng.choice(given)], USAGE)


def with_a_word_too_many(command, options, words):
    return [*words, rng.choice(["more", "x.npy", "linear.mlir"])], USAGE


def without_a_word(command, options, words):
    place = next((i for i, word in enumerate(words) if not word.startswith("-")), None)
    # `qcc help` is right without a command.
    return None if place is None or command == "help" else ([*words[:place], *words[place + 1:]], USAGE)


def with_an_empty_word(command, options, words):
    return [*words, ""], USAGE


GENERAL = [misspelled, of_another_command, flag_with_a_value, without_a_value, with_an_empty_value, given_twice,
           with_a_word_too_many, without_a_word, with_an_empty_word]

# ---- Faults of values -------------------------------------------------------------------------------------------------

#: Values that an option does not take, whatever the files hold.
WRONG_VALUES = {
    "--against": ["tensorrt"],
    "--batch": ["0", "-1", "x", "=3", "n=", "n=x"],
    "--candidates": ["0", "-1", "x", "1.5", "99999"],
    "--compile-threads": ["0", "-1", "1025", "x", "1.5"],
    "--constant": ["a", "=1", "a=", "a=-"],
    "--counters": [],
    "--data": ["-"],
    "--db": ["-"],
    "--device": ["tpu", "cuda:x", "emulator:seed=x", "cpu:1"],
    "--device-a": ["tpu"],
    "--dim": ["x", "-1", "1e3", "=3", "n=", "n=x", "99999999999999999999"],
    "--dump-steps": ["-"],
    "--duration": ["x", "-1", "nan", "inf"],
    "--emit": ["soup", "KERNEL"],
    "--engine": ["openvino", "NNCF"],
    "--eval": ["-", "eval.py"],
    "--fail-on": ["slow", "generic,", ""],
    "--input": [":random", "a:", "random:x", "random:1:2", "random:1:2:1"],
    "--max-drop": ["x", "-1", "%", "1%"],
    "--mcpu": ["i860", "zen99", "NATIVE", "native,", "sm_10"],
    "--output": ["linear.mlir", "@/out.exe", "@/out"],
    "--samples": ["0", "-1", "x", "1.5"],
    "--shape": ["3", "=3", "a=", "a=2xx3", "a=2x-1"],
    "--rounding": ["twice", "XNNPACK"],
    "--target": ["tpu", "X86", "x86,", "cuda"],
    "--test-data": ["-"],
    "--threads": ["0", "-1", "1025", "x", "1.5"],
    "--tolerance": ["x", "-1", "nan", "inf"],
    "--warm-up": ["-1", "x", "1e3"],
    "--weight-pages": ["x", "HUGE"],
    "--weight-bits": ["4", "9", "x"],
    "--weights": ["random:x", "random:", "random:-1"],
}
#: Files and names that do not fit.
REJECTED_VALUES = {
    "--constant": ["z=1", "a=none.npy", "a=x"],
    "--dim": ["4", "nothing=4"],
    "--entry": ["none"],
    "--expect": ["none.npy", "empty.npy", "text.npy", "folder.npy", "wide.npy"],
    "--filter": ["none"],
    "--input": ["none.npy", "empty.npy", "text.npy", "wide.npy", "double.npy", "z:x.npy", "none.txt", "folder"],
    "--key": ["none.key", "empty.key", "text.key", "m.so", "folder", "-"],
    "--shape": ["nothing=3x8"],
    "--test-data": ["none", "folder"],
    "--tuning-db": ["none.json", "folder"],
    "--variant": ["none"],
    "--weights": ["none.npz", "empty.npz", "text.npz", "folder", "x.npy", "m.tflite", "-"],
    ("diff", "--weights"): ["none.npz", "empty.npz", "text.npz", "folder", "x.npy", "m.tflite"],
    ("compile", "--dim"): ["n=4", "nothing=4"],
    ("tune", "--db"): ["text.json", "m.so", "folder"],
    ("explain", "--profile"): ["none.json", "empty.json", "text.json", "db.json"],
}
REJECTED_PROGRAMS = ["none.mlir", "empty.mlir", "syntax.mlir", "folder", "m.tflite", "cut.so", "empty.so", "text.so", "x.npy", "-"]
#: Options that write, each with the options beside which it does.
OUTPUTS = {"--output": [], "--json": ["--profile"], "--html": [], "--profile": [], "--db": [], "--dump-steps": [],
           "--counters": ["--device=emulator"]}


def with_value(command, options, words, table):
    known = [option for option in options if table.get((command, option)) or table.get(option)]
    if not known:
        return None
    option = rng.choice(known)
    value = rng.choice(table.get((command, option)) or table[option])
    rest = without(words, option)
    # Several sizes are not wrong by themselves.
    if option == "--dim":
        rest = words
    # Tests have sizes of their own.
    if option == "--test-data":
        rest = without(rest, "--dim")
    if option == "--profile":
        rest = [*rest, "--html=@/page.html"]
    return option, [*rest, f"{option}={value}"]


def with_a_wrong_value(command, options, words):
    found = with_value(command, options, words, WRONG_VALUES)
    if found and found[0] == "--output" and command in ("quantize", "reduce", "sign"):
        # These have no suffixes of their own.
        return [*without(words, "--output"), "--output=" + words[0]], USAGE
    return found and (found[1], USAGE)


def with_a_rejected_value(command, options, words):
    if command in BY_PYTHON:
        return None
    found = with_value(command, options, words, REJECTED_VALUES)
    return found and (found[1], REJECTED)


def with_a_rejected_program(command, options, words):
    if not words or command in ("help", "completion", "make-key", *BY_PYTHON):
        return None
    program = rng.choice(REJECTED_PROGRAMS)
    isStream = program == "-" and command in ("qcc-run", "sign", "verify-signature")
    return [program, *words[1:]], USAGE if isStream else REJECTED


def with_a_folder_that_is_missing(command, options, words):
    known = [option for option in OUTPUTS if option in options and (command, option) != ("explain", "--profile")]
    if command == "make-key":
        return ["none/key"], FAILED
    if not known:
        return None
    option = rng.choice(known)
    needed = [word for word in OUTPUTS[option] if word.split("=")[0] in options and command not in ("bench", "explain")]
    name = "none/y.npy" if command in ("run", "qcc-run") and option == "--output" else "none/out.so"
    # Folders are made, but not in a file.
    name = "x.npy" if option == "--dump-steps" else name
    return [*without(words, option), *needed, f"{option}={name}"], FAILED


def without_a_device(command, options, words):
    return "--device" in options and ([*words, "--device=cuda"], FAILED)


def to_a_full_disk(command, options, words):
    prints = command in ("run", "qcc-run", "bench", "diff", "explain", "ops", "formats", "targets", "help", "completion")
    return prints and ([*words, "> /dev/full"], FAILED)


OF_VALUES = [with_a_wrong_value] * 4 + [with_a_rejected_value] * 4 + [with_a_rejected_program] * 3 + [
    with_a_folder_that_is_missing, without_a_device, to_a_full_disk]


# ---- Lines ------------------------------------------------------------------------------------------------------------

def draw(commands):
    """A command line, the name of its fault, and the exit code that it has to have."""
    while True:
        command = rng.choice(commands)
        options, words = COMMANDS[command], list(RIGHT[command[-1]])
        fault = rng.choice(rng.choice([GENERAL, OF_VALUES, OF_VALUES]))
        try:
            found = fault(command[-1], options, words)
        except IndexError:  # No option is of the kind that the fault needs.
            continue
        if found:
            return [*command, *found[0]], fault.__name__, found[1]


def judge(number, line, code):
    """What is wrong with how a command line is refused, or ""."""
    own = f"line{number}"
    os.makedirs(own)
    words = [word.replace("@", own) for word in line]
    output = subprocess.PIPE
    if words[-1] == "> /dev/full":
        words, output = words[:-1], open("/dev/full", "w")
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="", QCC_PYTHON="/none")
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, timeout=60, env=environment)
    message = done.stderr.decode(errors="replace")
    wrong = []
    if done.returncode != code:
        wrong.append(f"exit code {done.returncode} instead of {code}")
    if not re.search(r"^(qcc(-run)?|\S+\.\w+(:\d+:\d+)?): error: \S", message, re.MULTILINE):
        wrong.append("no message")
    if re.search("Stack dump|PLEASE submit|bug of qcc|Traceback", message):
        wrong.append("crash")
    if os.listdir(own):
        wrong.append(f"left {os.listdir(own)}")
    return wrong and f"{' '.join(words)} => {', '.join(wrong)}\n{message}"


def main(folder, count=300, seed=1):
    rng.seed(int(seed))
    prepare_wrong(os.path.abspath(folder))
    unknown = [command[-1] for command in COMMANDS if command[-1] not in RIGHT]
    if unknown:
        sys.exit(f"wrong_lines.py has no right line of {', '.join(unknown)}; add one")
    commands = [command for command in COMMANDS if os.path.exists("secret.key") or command[-1] not in SIGNS]
    lines = {}
    while len(lines) < int(count):
        line, fault, code = draw(commands)
        lines.setdefault(tuple(line), (fault, code))
    before = set(os.listdir("."))
    codes, faults, wrong = collections.Counter(), collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(judge, range(len(lines)), lines, [code for _, code in lines.values()]))
    for (fault, code), reason in zip(lines.values(), found):
        codes[code] += 1
        faults[fault] += 1
        if reason:
            wrong += 1
            print(fault, reason)
    left = sorted(name for name in set(os.listdir(".")) - before if not re.fullmatch(r"line\d+", name))
    print(f"{len(lines)} command lines, {wrong} wrong, files left behind: {left}; "
          + ", ".join(f"{count} of exit code {code}" for code, count in sorted(codes.items())))
    print(", ".join(f"{name} {count}" for name, count in sorted(faults.items())), file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
