"""Who runs a model: qcc by its programs, the libraries in this process.

A candidate has a name, a result and turn(), which returns the seconds of a run: the median
of as many runs as fit into `seconds`.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy

MIN_RUNS = 5


class Failure(Exception):
    """A message for the user."""


def call(*line):
    """Runs a program that has to succeed; returns what it printed."""
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(line)} failed: {done.stderr.strip()}")
    return done.stdout


def timed(run, seconds):
    """The median time of run() over a while, after one that is not counted."""
    run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < MIN_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


class Qcc:
    """`qcc compile` once, then a process of `qcc-run --bench` for each turn.

    It warms up and measures a second of runs, whatever `seconds` says. Of several programs,
    {form: path}, the fastest is taken. `x` is an array, or one for each argument.
    """

    name = "qcc"
    difference = 0.0
    wrong = {}

    def __init__(self, qcc, programs, model, x, threads, folder):
        def path(name):
            return os.path.join(folder, name)

        given, results = [], []
        for number, array in enumerate(listed(x)):
            numpy.save(path(f"x{number}.npy"), array)
            given.append("--input=" + path(f"x{number}.npy"))
        for number in range(len(model.outputs or [0])):
            results.append(path(f"y{number}.npy"))
        options = list(model.options)
        if model.weights:
            numpy.savez(path("weights.npz"), **model.weights)
            options.append("--weights=" + path("weights.npz"))
        self.qcc = qcc
        self.report = path("report.json")
        lines = {}
        for number, (form, program) in enumerate(programs.items()):
            compiled = path(f"model{number}.so")
            source = [program, *options]
            start = time.perf_counter()
            call(qcc, "compile", *source, "-o", compiled)
            seconds = time.perf_counter() - start
            runner = os.path.join(os.path.dirname(qcc), "qcc-run")
            lines[form] = (source, seconds, [runner, compiled, *given, f"--threads={threads}"])
        times = dict.fromkeys(lines, 0)
        if len(lines) > 1:
            times = {form: self._measure(line, "--bench")["median_seconds"]
                     for form, (_, _, line) in lines.items()}
        self.results = {}
        for form, (_, _, line) in lines.items():
            call(*line, *("--output=" + result for result in results))
            arrays = [numpy.load(result) for result in results]
            self.results[form] = arrays if model.outputs else arrays[0]
        self.form = min(times, key=times.get)
        self.source, self.compile_seconds, self.line = lines[self.form]
        self.result = self.results[self.form]

    def _measure(self, line, option):
        call(*line, option, "--json=" + self.report)
        with open(self.report, encoding="utf-8") as file:
            return json.load(file)

    def turn(self, seconds):
        return self._measure(self.line, "--bench")["median_seconds"]

    def profile(self):
        """The time of each step, as `qcc-run --profile --json` has it."""
        return self._measure(self.line, "--profile")

    def explain(self):
        """What each step is, as `qcc explain --json` has it."""
        return json.loads(call(self.qcc, "explain", *self.source, "--json"))["kernels"]


class Library:
    """One of the libraries, with the form of the model that it runs fastest.

    `results` are those of qcc, {form of program: result}. `difference` is the greatest one of the
    forms that were timed, each from the program that it is equivalent to. `wrong` has the forms
    that the library computes wrong, {form: difference}: they differ by more than the model's
    tolerance, while another form of the same model does not, and are not timed.
    """

    name = ""

    def __init__(self, model, x, threads, results):
        # The libraries read it where it lies, and do not keep it.
        self.x = x = listed(model.library_input(x))
        candidates, self.difference, self.wrong = [], 0.0, {}
        for form in model.forms():
            try:
                run = self.load(model.twin(form).to_onnx(), x, threads, model.inputs, model.outputs)
                result = model.program_result(run() if model.outputs else run()[0])
            except Exception as error:  # a library has no class of its own for all of its errors
                raise Failure(f"{self.name} does not run {form.describe()}: {error}") from error
            differs = difference(result, results[model.program_form(form)])
            if differs > model.tolerance:
                self.wrong[form.describe()] = differs
                continue
            candidates.append((form, run))
            self.difference = max(self.difference, differs)
        if not candidates:
            raise Failure(f"{model.name}: the result of {self.name} differs from qcc's by "
                          f"{100 * min(self.wrong.values()):.1f} %: it is not the same model")
        # In turns, and the least time of several: others may use the machine.
        times = [[timed(run, 0.1) for _, run in candidates] for _ in range(3)]
        least = [min(column) for column in zip(*times)]
        form, self.run = candidates[least.index(min(least))]
        self.form = form.describe()

    def load(self, model, x, threads, inputs, outputs):
        """Runs a model, the path or bytes of an ONNX file, on arrays: a function that gives its results.

        `inputs` and `outputs` are their names, or None where the model has one of each.
        """
        raise NotImplementedError

    def turn(self, seconds):
        return timed(self.run, seconds)


class OnnxRuntime(Library):
    name = "onnxruntime"

    def load(self, model, x, threads, inputs, outputs):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(model, options,
                                               providers=["CPUExecutionProvider"])
        inputs = inputs or [session.get_inputs()[0].name]
        outputs = outputs or [session.get_outputs()[0].name]
        binding = session.io_binding()
        for name, array in zip(inputs, x):
            binding.bind_cpu_input(name, array)
        # In memory of ours; a run tells their sizes.
        results = []
        for name, y in zip(outputs, session.run(outputs, dict(zip(inputs, x)))):
            results.append(onnxruntime.OrtValue.ortvalue_from_numpy(numpy.zeros_like(y)))
            binding.bind_ortvalue_output(name, results[-1])

        def run():
            session.run_with_iobinding(binding)
            return [y.numpy() for y in results]

        return run


class OpenVino(Library):
    name = "openvino"

    def load(self, model, x, threads, inputs, outputs):
        import openvino

        # One stream with that many threads; results in the precision of the model.
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                   "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
        core = openvino.Core()
        network = core.read_model(model=model)
        inputs = inputs or [network.inputs[0].any_name]
        outputs = outputs or [network.outputs[0].any_name]
        network.reshape({name: array.shape for name, array in zip(inputs, x)})
        request = core.compile_model(network, "CPU", options).create_infer_request()
        for name, array in zip(inputs, x):
            request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

        def run():
            request.infer()
            return [request.get_tensor(name).data for name in outputs]

        return run


LIBRARIES = {library.name: library for library in (OpenVino, OnnxRuntime)}


def make_candidates(names, qcc, model, threads, folder):
    x = model.input()
    candidates = [Qcc(qcc, model.programs(folder), model, x, threads, folder)]
    return candidates + [LIBRARIES[name](model, x, threads, candidates[0].results)
                         for name in names]


def listed(arrays):
    return arrays if isinstance(arrays, list) else [arrays]


def difference(result, expected):
    """The root mean square of the difference, relative to that of the expected result.

    Of several results the greatest; of integers and truths the share that differs.
    """
    if isinstance(expected, list):
        return max(difference(*pair) for pair in zip(result, expected))
    expected = numpy.asarray(expected)
    if expected.dtype.kind != "f":
        return float(numpy.mean(result != expected))
    error = numpy.asarray(result, numpy.float64) - expected
    return float(numpy.sqrt(numpy.mean(error ** 2) / numpy.mean(numpy.float64(expected) ** 2)))


def scratch_folder():
    return tempfile.TemporaryDirectory(prefix="qcc-models-")


def write(model, folder):
    """Writes what the candidates get: programs, weights, input and one twin for each form.

    The program in NCHW, where there is one, has weights and an input of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model.programs(folder)
    x = model.input()
    numpy.savez(folder / f"{model.name}.npz", **model.weights)
    numpy.save(folder / f"{model.name}.npy", x)
    real = model.real_program()
    if real:
        (folder / f"{model.name}-nchw.mlir").write_text(real.text, encoding="utf-8")
        numpy.savez(folder / f"{model.name}-nchw.npz", **real.weights)
        numpy.save(folder / f"{model.name}-nchw.npy", model.library_input(x))
    for form in model.forms():
        name = f"{model.name} ({form.describe()}).onnx"
        (folder / name).write_bytes(model.twin(form).to_onnx())
