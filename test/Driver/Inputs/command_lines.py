"""command_lines.py FOLDER [COUNT [SEED]]: command lines by chance, of the commands and options that the tools list.

Each has to do all that it says, or to be refused with a message and the exit code for it; none may crash, hang or leave
a temporary file, and a line that is refused for itself or its files leaves no file. The options come from the help of each command, so that a new option without values here is an error.
"""

import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys

import numpy as np
import onnx.parser
from onnx import numpy_helper

inputs = os.path.dirname(os.path.abspath(__file__))
rng = random.Random()


# ---- What the tools say of themselves ---------------------------------------------------------------------------------

def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def options_of(*words):
    """The options of a command, and whether each takes a value: "", "=" or "[="."""
    found = re.findall(r"^  (?:-[a-z], )?(--[a-z][a-z-]*)(\[=|=|)", output_of(*words), re.MULTILINE)
    return {name: how for name, how in found if name not in ("--help", "--version")}


#: Python alone knows the options of qcc serve.
COMMANDS = {("qcc", name): options_of("qcc", "help", name)
            for name in re.findall(r"^  ([a-z][a-z-]*)  ", output_of("qcc", "help"), re.MULTILINE) if name != "serve"}
COMMANDS[("qcc-run",)] = options_of("qcc-run", "--help")


# ---- Files that the command lines name --------------------------------------------------------------------------------

def prepare(folder):
    os.makedirs(folder)
    os.chdir(folder)
    for name in ("linear.mlir", "plain.mlir", "two.mlir"):
        with open(os.path.join(inputs, name)) as source, open(name, "w") as target:
            target.write(source.read())
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>'
                                    "g (float[n, 3] a, float[n, 3] b) => (float[n, 3] y) { y = Add(a, b) }")
    with open("add.onnx", "wb") as file:
        file.write(model.SerializeToString())
    np.save("x.npy", np.ones((3, 8), np.int8))
    np.save("a.npy", np.ones((3, 3), np.float32))
    np.save("sum.npy", np.full((3, 3), 2, np.float32))
    np.savez("w.npz", w=np.ones((4, 8), np.int8), b=np.zeros(4, np.float32))
    os.makedirs("tests/test_data_set_0")
    for name, value in (("input_0", 1), ("input_1", 1), ("output_0", 2)):
        with open(f"tests/test_data_set_0/{name}.pb", "wb") as file:
            file.write(numpy_helper.from_array(np.full((2, 3), value, np.float32)).SerializeToString())
    with open("cases.txt", "w") as file:
        file.write("m.so --dim=3\nadd.so --dim=n=2\n")
    with open("m.tflite", "wb") as file:
        file.write(b"\x1c\0\0\0TFL3" + bytes(64))
    subprocess.run(["qcc", "compile", "linear.mlir", "--weights=w.npz", "-o", "m.so"], check=True)
    subprocess.run(["qcc", "compile", "add.onnx", "-o", "add.so"], check=True)
    subprocess.run(["qcc", "bench", "linear.mlir", "--weights=w.npz", "--dim=3", "--duration=0", "--json=bench.json"],
                   check=True, stdout=subprocess.DEVNULL)
    with open("bench.json") as bench, open("peaks.json", "w") as file:
        json.dump({"threads": json.load(bench)["threads"], "shapes": [],
                   "peaks": [{"name": "vpdpbusd", "unit": "GOP/s", "rate": 400}]}, file)
    subprocess.run(["qcc", "tune", "linear.mlir", "--weights=w.npz", "--dim=3", "--candidates=1", "--db=db.json"],
                   check=True, capture_output=True)
    with open("public.key", "w") as key:
        signs = subprocess.run(["qcc", "make-key", "secret.key"], stdout=key, stderr=subprocess.DEVNULL).returncode == 0
    if signs:
        subprocess.run(["qcc", "sign", "m.so", "--key=secret.key", "-o", "signed.so"], check=True)


# Programs, with what makes sense of them: (file, options that it needs, options that it needs to run). The last ones are
# no programs.
PROGRAMS = [("linear.mlir", ["--weights=w.npz"], ["--dim=3"]), ("linear.mlir", ["--weights=random:1"], ["--input=x.npy"]),
            ("plain.mlir", [], []), ("two.mlir", [], ["--entry=first", "--dim=2"]),
            ("add.onnx", [], ["--dim=n=3"]), ("add.onnx", [], ["--input=a:a.npy", "--input=b:a.npy"]),
            ("m.so", [], ["--dim=3"]), ("add.so", [], ["--dim=n=2"]), ("m.tflite", [], []), ("-", [], []), ("none", [], [])]

# Values of options: of all commands, or of one. "@" is the folder of a command line's own outputs.
VALUES = {
    "--against": ["onnxruntime", "tensorrt"],
    "--baseline": ["bench.json", "db.json", "-"],
    "--batch": ["3", "n=3", "0"],
    "--candidates": ["1", "0"],
    "--cases": ["cases.txt", "cases.txt", "x.npy", "none", "-"],
    "--compile-threads": ["1", "2", "0"],
    "--constant": ["a=1", "z=1", "a=-", "=1"],
    "--counters": ["@/counters.json", "@/counters.txt", "-"],
    "--data": ["random", "w.npz", "-"],
    "--db": ["@/db.json", "bench.json", "-"],
    "--debug-only": ["select-lowering-config", "form-contractions:2,plan-memory", "none"],
    "--device": ["emulator", "cpu", "emulator:seed=2", "tpu"],
    "--dim": ["3", "n=3", "n=2", "rows=2", "n=", "=3"],
    "--dump-steps": ["@/steps", "-"],
    "--duration": ["0", "0.001"],
    "--emit": ["import", "kernel", "asm", "weights", "ptx", "soup"],
    "--engine": ["ort", "nncf", "openvino"],
    "--entry": ["linear", "first", "main", "none"],
    "--eval": ["eval.py", "-"],
    "--exclude": ["conv*", "none"],
    "--expect": ["sum.npy", "x.npy", "none.npy"],
    "--fail-on": ["generic", "float-contraction,packing", "slow", ""],
    "--filter": ["linear", "8", "none"],
    "--html": ["@/page.html", "-"],
    "--input": ["random", "random:2:-1:1", "x.npy", "a:a.npy", "b:random", ":x.npy", "x:", "-"],
    "--json": ["@/report.json", "-"],
    "--keep-float": ["MatMul"],
    "--key": ["secret.key", "public.key", "m.so", "-"],
    "--max-drop": ["0.5%", "0.005", "x"],
    "--mlir-pass-pipeline-crash-reproducer": ["@/reproducer.mlir"],
    "--mlir-print-ir-after": ["canonicalize", "form-contractions,cse", "none"],
    "--mlir-print-ir-before": ["form-contractions", "canonicalize", "none"],
    "--mcpu": ["native", "x86-64-v3", "x86-64-v3,native", "zen3", "zen99", "sm_80"],
    "--output": ["@/y.npy", "@/z.npy", "@/y.txt", "-"],
    "--peaks": ["peaks.json", "bench.json", "-"],
    "--profile": ["@/trace.json", "-", ""],
    "--samples": ["8", "0"],
    "--shape": ["a=2x3", "a=3x3", "b=3x3", "z=1", "=3"],
    "--rounding": ["reference", "xnnpack"],
    "--target": ["x86", "reference", "cuda", "x86,cuda"],
    "--test": ["true", "grep -q linear \"$1\"", "false"],
    "--test-data": ["tests", "none"],
    "--threads": ["1", "2", "0"],
    "--tolerance": ["0", "0.5"],
    "--tuning-db": ["db.json", "bench.json", "-"],
    "--variant": ["native", "none"],
    "--warm-up": ["0", "2"],
    "--weight-bits": ["7", "8", "4"],
    "--weight-pages": ["auto", "file", "huge"],
    "--weights": ["w.npz", "random:1", "m.tflite", "-", "none.npz"],
    ("compile", "--output"): ["@/out.so", "@/out.mlir", "@/out.ll", "@/out.weights", "@/out.txt", "-"],
    ("explain", "--profile"): ["bench.json", "db.json", "-"],
    ("quantize", "--output"): ["@/out.onnx", "-"],
    ("reduce", "--output"): ["@/out.mlir", "-"],
    ("sign", "--output"): ["@/out.so", "-"],
    ("verify-signature", "--key"): ["public.key", "secret.key", "m.so", "-"],
    **{f"--{name}-{side}": values for side in "ab" for name, values in {
        "device": ["cpu", "emulator"], "entry": ["linear", "first"], "mcpu": ["x86-64-v3", "native"],
        "variant": ["native", "none"], "weights": ["w.npz", "random:2"]}.items()},
}


def values_of(command, option):
    values = VALUES.get((command[-1], option)) or VALUES.get(option)
    if not values:
        sys.exit(f"command_lines.py has no values for {option} of {' '.join(command)}; add some")
    return values


# ---- Command lines ----------------------------------------------------------------------------------------------------

RUNS, COMPILES = ("run", "bench", "tune", "qcc-run"), ("compile", "explain")
NEEDS = {"tune": ["--db=@/db.json", "--candidates=1"], "sign": ["--key=secret.key", "-o", "@/out.so"],
         "verify-signature": ["--key=public.key"], "reduce": ["--test=true", "-o", "@/out.mlir"], "bench": ["--duration=0"], "compile": ["-o", "@/out.so"],
         "quantize": ["--data=random", "-o", "@/out.onnx"]}
WEIGHTS = {"run": 12, "bench": 4, "qcc-run": 8, "compile": 6, "explain": 4, "diff": 6, "tune": 2, "sign": 2,
           "verify-signature": 1, "reduce": 2}


def draw():
    """The words of a command line."""
    command = rng.choices(list(COMMANDS), [WEIGHTS.get(command[-1], 0.5) for command in COMMANDS])[0]
    name, words = command[-1], []
    program, needed, to_run = rng.choice(PROGRAMS)
    if name in ("qcc-run", "sign"):
        program, needed, to_run = rng.choice([entry for entry in PROGRAMS if entry[0].endswith(".so")])
    elif name == "verify-signature":
        program = rng.choice(["signed.so", "m.so"])
    elif rng.random() < 0.9:
        program, needed, to_run = rng.choice(PROGRAMS[:6])
    if name in ("help", "completion"):
        return [*command, rng.choice(["run", "bash", "none"])]
    if name == "make-key":
        return [*command, rng.choice(["@/key", "secret.key", "-"])]
    if name in RUNS + COMPILES + ("sign", "verify-signature", "reduce", "quantize", "verify"):
        words.append(program)
    if name == "diff":
        words += [program, program]
        to_run = [*to_run, *needed]
    if name in RUNS + COMPILES and rng.random() < 0.9:
        words += needed
    if name in RUNS + ("diff",) and rng.random() < 0.9:
        words += to_run
    if rng.random() < 0.9:
        words += NEEDS.get(name, [])
    options = {option: how for option, how in COMMANDS[command].items()
               if rng.random() < 0.1 or option not in "".join(words).replace("-o", "--output")}
    # Those whose effect can be seen come more often, so that pairs of them do.
    chances = [4 if effect_of(name, option) else 1 for option in options]
    for option in rng.choices(list(options), chances, k=rng.choice([0, 1, 1, 2, 2, 2, 3])) if options else []:
        # The first values are good ones.
        values = values_of(command, option) if options[option] else [None]
        value = rng.choice(values if rng.random() < 0.3 else values[:2])
        if not options[option] or (options[option] == "[=" and rng.random() < 0.5):
            words.append(option)
        elif option == "--output" and rng.random() < 0.5:
            words += ["-o", value]
        else:
            words.append(f"{option}={value}")
        if option == "--cases" and rng.random() < 0.9:
            words = [word for word in words if word != program and word not in to_run]
    return [*command, *words]


# ---- What each option has to do ---------------------------------------------------------------------------------------

def is_file(path, text):
    return os.path.isfile(path) and os.path.getsize(path) > 0


def is_json(path, text):
    if path in ("", "-"):
        json.loads(text)
    else:
        with open(path) as file:
            json.load(file)
    return True


def is_written(path, text):
    return text != "" if path == "-" else is_file(path, text)


def is_page(path, text):
    return "<html" in (text if path == "-" else open(path).read())


def is_array(path, text):
    return "NUMPY" in text if path == "-" else np.load(path).size > 0


def holds(pattern):
    return lambda path, text: re.search(pattern, text, re.MULTILINE) is not None


def has_size(value, text):
    """Results that are described have the size that is given for their rows."""
    rows = re.findall(r"^result \d+: (\d+)", text, re.MULTILINE)
    given = re.match(r"(?:\w+=)?(\d+)", value).group(1)
    return all(row == given for row in rows)


CHECK = r"^check: \d+ elements, 0 differ"
EFFECTS = {
    "--bench": holds("^median |median_seconds"), "--cases": holds("^2 passed, 0 failed"), "--check": holds(CHECK),
    "--counters": is_written, "--db": is_json, "--dim": has_size,
    "--dump-steps": lambda path, text: is_json(path + "/index.json", text), "--expect": holds("^expect: "),
    "--html": is_page, "--json": is_json,
    "--list": holds("^entry "), "--output": is_array, "--shape": has_size,
    "--check-steps": lambda path, text: holds(CHECK)(path, text) and holds("^steps: ")(path, text),
    "--test-data": holds("expect: "),
    "--mlir-pass-statistics": holds("Statistics Collected"), "--mlir-timing": holds("Execution time report"),
    "--mlir-print-ir-after-all": holds("IR Dump After"), "--mlir-print-ir-before-all": holds("IR Dump Before"),
    "--profile": lambda path, text: is_json(path, text) if path else holds("^ +time +share |median_seconds")(path, text),
    ("compile", "--output"): is_written, ("reduce", "--output"): is_written, ("sign", "--output"): is_written,
    ("explain", "--profile"): lambda path, text: True,  # shown in the page alone
}

#: Effects that the standard output alone shows, if it does.
OUTPUTS = (is_json, is_written, is_page, is_array)


def effect_of(command, option):
    return EFFECTS.get((command, option)) or EFFECTS.get(option)


def unmet(command, words, text, message):
    """The options of an accepted command line that did not do what they say."""
    found, i = [], 0
    while i < len(words):
        option, _, value = words[i].partition("=")
        if option == "-o":
            option, i = "--output", i + 1
            value = words[i]
        i += 1
        effect = effect_of(command, option)
        try:
            # Text for people makes way for an output that is printed.
            said = [message] if option.startswith("--mlir-") else [text] if effect in OUTPUTS else [text, message]
            if effect and not any(effect(value, part) for part in said):
                found.append(option)
        except (OSError, ValueError) as error:
            found.append(f"{option} ({error})")
    return found


#: Of a command line that compares.
DIFFERS = re.compile(r"differs? |first difference|[1-9]\d* differ|signature|fail")


def judge(number, line):
    """Runs a command line in a folder of its own; what is wrong, or "", and whether it was accepted."""
    own = f"line{number}"
    os.makedirs(own)
    line = [word.replace("@", own) for word in line]
    environment = dict(os.environ, QCC_PYTHON="/none")
    try:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, env=environment)
    except subprocess.TimeoutExpired:
        return line, "hangs", False
    text, message = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    command = line[1] if line[0] == "qcc" else line[0]
    wrong = ""
    left = [name for _, _, names in os.walk(own) for name in names if ".tmp-" in name]
    if done.returncode not in range(5) or done.returncode == 1 and not DIFFERS.search(text + message):
        wrong = f"exit code {done.returncode}"
    elif re.search("Stack dump|PLEASE submit|bug of qcc|Traceback|ASSERT", message):
        wrong = "crash"
    elif done.returncode > 1 and "error: " not in message:
        wrong = "no message"
    elif done.returncode in (2, 3) and os.listdir(own):
        wrong = f"exit code {done.returncode}, but wrote {os.listdir(own)}"
    elif any(ord(c) < 32 and c not in "\t\n\r" for c in message):
        wrong = "binary message"
    elif left:
        wrong = f"left {left}"
    elif done.returncode == 0:
        wrong = ", ".join(unmet(command, line, text, message))
        wrong = wrong and "does nothing: " + wrong
    return line, wrong and f"{wrong}\n{message.strip()}", done.returncode == 0


def main(folder, count=80, seed=1):
    rng.seed(int(seed))
    count = int(count)
    prepare(os.path.abspath(folder))
    for command, options in COMMANDS.items():
        for option in options:
            if options[option]:
                values_of(command, option)
    kinds, wrong = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, reason, accepted in pool.map(judge, range(count), [draw() for _ in range(count)]):
            kinds[accepted] += 1
            if reason:
                wrong += 1
                print(" ".join(line), "=>", reason)
    print(f"{count} command lines, {wrong} wrong; {'some' if kinds[True] else 'none'} accepted, "
          f"{'some' if kinds[False] else 'none'} refused")
    print(f"{kinds[True]} accepted", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
