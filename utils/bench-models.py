#!/usr/bin/env python3
"""Measures whole models: qcc beside OpenVINO and ONNX Runtime.

The models are docs/examples/mlp_f32.mlir at batch 10240, docs/examples/encoder.mlir and convolution
networks with random weights; the libraries run an ONNX twin of the same weights, in the form that
each of them runs fastest. With --onnx all run ONNX files, forms of one model, and everybody gets
the one that it runs fastest. All take turns, round by round; a ratio is the median over the rounds of
library time / qcc time, above 1 where qcc is faster. Results are compared first. The libraries live
in a Python environment of their own, which the first run makes. docs/Benchmarking.md says more.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
REQUIREMENTS = HERE / "bench_models" / "requirements.txt"
MODEL_NAMES = ("mlp", "encoder", "resnet50", "mobilenet-v2", "mobilenet-v3", "efficientnet-b0",
               "yolov8n", "unet")
# Only where they are asked for.
DEEPER_NAMES = ("resnet152",)
LIBRARY_NAMES = ("openvino", "onnxruntime")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--qcc", type=pathlib.Path, default=ROOT / "build/release/bin/qcc",
                        help="the compiler, with qcc-run beside it (default: "
                        "build/release/bin/qcc)")
    parser.add_argument("--model", action="append", choices=MODEL_NAMES + DEEPER_NAMES,
                        dest="models",
                        help="what to measure (default: all but resnet152)")
    parser.add_argument("--onnx", action="append", nargs="+", metavar="FILE", dest="files",
                        type=pathlib.Path, help="a model in one or several forms, instead of "
                        "--model")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N",
                        help="the size of a dynamic dimension of --onnx, or of INPUT:AXIS where it has no name")
    parser.add_argument("--tokens", type=int, default=100, metavar="N",
                        help="integer inputs of --onnx are random from 0 to N - 1 (default: 100)")
    parser.add_argument("--library", action="append", choices=LIBRARY_NAMES,
                        dest="libraries", help="what to compare with (default: both)")
    parser.add_argument("--batch", type=int, default=10240, help="rows of the MLP's input")
    parser.add_argument("--image", type=int, metavar="SIZE",
                        help="height and width of the images of convolution networks, a multiple "
                        "of 32 (default: what each of them is made for)")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER",
                        help="only write programs, weights, inputs and twins")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="how long a library's turn takes (qcc's: one second)")
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/models-venv",
                        help="the Python environment of the libraries, made if missing")
    parser.add_argument("--account", action="store_true",
                        help="only say where qcc's time goes, step by step")
    parser.add_argument("--peak", type=float, metavar="GOP/S",
                        help="the machine's peak, as qcc-bench prints it: contractions are "
                        "given as a fraction of it")
    parser.add_argument("--json", type=pathlib.Path, help="also write JSON")
    options = parser.parse_args(arguments)
    for name in ("batch", "threads", "rounds", "tokens"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    for name in ("seconds", "peak"):
        value = getattr(options, name)
        if value is not None and not value > 0:
            parser.error(f"--{name} must be more than 0")
    if options.image is not None and (options.image < 1 or options.image % 32):
        parser.error("--image must be a multiple of 32")
    if not options.write and not os.access(options.qcc, os.X_OK):
        parser.error(f"{options.qcc} is no program; build it, or name another by --qcc")
    options.sizes = {}
    for text in options.dim:
        name, _, size = text.rpartition("=")
        if not name or not size.isdigit() or int(size) == 0:
            parser.error(f"--dim={text} is no NAME=N with a positive N")
        options.sizes[name] = int(size)
    for path in sum(options.files or [], []):
        if not path.is_file():
            parser.error(f"there is no file {path}")
    if options.files and (options.models or options.write):
        parser.error("--onnx is instead of --model, and there is nothing to --write")
    options.models = options.models or ([] if options.files else list(MODEL_NAMES))
    options.libraries = [] if options.account else options.libraries or list(LIBRARY_NAMES)
    return options


def enter_venv(folder, arguments):
    """Goes on in the environment of the libraries; returns where this is it."""
    python = folder / "bin" / "python"
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_bytes() != REQUIREMENTS.read_bytes():
        print(f"installing the libraries into {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet",
                        "--disable-pip-version-check", "--requirement", REQUIREMENTS],
                       check=True, stdin=subprocess.DEVNULL)
        stamp.write_bytes(REQUIREMENTS.read_bytes())
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        os.execv(python, [str(python), __file__, *arguments])


def print_account(steps, peak):
    """Where qcc's time goes: each step, and all of a kind."""
    from bench_models import account

    print("\n".join(account.table(steps, peak and peak * 1e9)))
    print("qcc by kind: " + ", ".join(f"{kind} {100 * share:.1f} %"
                                      for kind, share in account.by_kind(steps)))


class OtherProcesses:
    """What others took of the CPUs since this object was made."""

    def __init__(self):
        self.start = self._now()

    @staticmethod
    def _now():
        """(seconds, idle seconds of all CPUs, CPU seconds of this process and its children)"""
        with open("/proc/stat", encoding="ascii") as file:
            fields = file.readline().split()
        idle = (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")
        return time.monotonic(), idle, sum(os.times()[:4])

    def share(self):
        seconds, idle, own = (b - a for a, b in zip(self.start, self._now()))
        total = seconds * os.cpu_count()
        return min(1.0, max(0.0, (total - idle - own) / total))


def measure(model, options):
    """Measures one model and prints it; returns what goes into the JSON."""
    from bench_models import account, candidates as running

    others = OtherProcesses()
    with running.scratch_folder() as folder:
        everybody = running.make_candidates(options.libraries, str(options.qcc), model,
                                            options.threads, folder)
        qcc = everybody[0]
        times = {candidate.name: [] for candidate in everybody}
        for number in range(0 if options.account else options.rounds):
            order = everybody if number % 2 == 0 else everybody[::-1]
            for candidate in order:
                times[candidate.name].append(candidate.turn(options.seconds))
        steps = account.join(qcc.explain(), [qcc.profile() for _ in range(options.rounds)])
    share = others.share()
    kinds = [step["kind"] for step in steps]
    print(f"{model.name}, {options.threads} thread(s), {options.rounds} rounds; compiled in "
          f"{qcc.compile_seconds:.1f} s; {len(kinds)} steps, {kinds.count('contract')} of them "
          "contractions" + (f"; {qcc.form}" if qcc.form else ""))
    rows = []
    for candidate in everybody:
        own = times[candidate.name]
        if not own:
            break
        ratio = statistics.median(t / q for t, q in zip(own, times["qcc"]))
        row = {"name": candidate.name, "form": candidate.form, "seconds": statistics.median(own),
               "rounds": own, "ratio": ratio, "difference": candidate.difference,
               "wrong": candidate.wrong}
        rows.append(row)
        print(f"  {row['name']:12} {row['seconds'] * 1e3:9.3f} ms" +
              (f"  qcc is {ratio:.3f}x as fast; results differ by "
               f"{100 * row['difference']:.2f} %; {row['form']}" if candidate is not qcc else ""))
        for form, differs in candidate.wrong.items():
            print(f"  {row['name']} computes another form wrong, which is left out: {form}; results "
                  f"differ by {100 * differs:.1f} %")
    if share > 0.05:
        print(f"  other processes used {100 * share:.0f} % of the CPUs: times say little unless "
              "the machine is quiet")
    print_account(steps, options.peak)
    sys.stdout.flush()
    return {"model": model.name, "compile_seconds": qcc.compile_seconds,
            "threads": options.threads, "candidates": rows,
            "other_processes_share": share, "steps": steps}


def main(arguments):
    options = parse_arguments(arguments)
    enter_venv(options.venv, arguments)
    sys.path.insert(0, str(HERE))
    from bench_models import candidates, models, onnx_files

    reports = []
    try:
        for paths in options.files or []:
            reports.append(measure(onnx_files.OnnxFiles(paths, options.sizes, options.tokens), options))
        for name in options.models:
            model = models.make(name, options.batch, options.image)
            if options.write:
                candidates.write(model, options.write)
            else:
                reports.append(measure(model, options))
    except candidates.Failure as failure:
        print(f"bench-models: error: {failure}", file=sys.stderr)
        return 1
    if options.json:
        options.json.write_text(json.dumps(reports, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
