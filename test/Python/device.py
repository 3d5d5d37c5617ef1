"""Runs programs for a device on the emulator, from their PTX and their launch table.

Nothing of the runtime takes part: `qcc compile -o x.ptx` is what computes, `qcc explain --json` says what is
launched, and `qcc-ptx-emu` runs each launch on arrays of the test's own. Every temporary, constant, argument
and result is an allocation by itself, full of bytes that nothing should read, so that the emulator reports what
reaches beyond it.
"""

import json
import os
import re
import shutil
import subprocess
import sysconfig

import numpy as np

POISON = 0xA5
WIDTHS = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "index": 8}
FORBIDDEN = (".satfinite", ".approx", ".ftz", ".local", "__nv_")


def run_tool(command):
    done = subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def byte_width(element):
    """Of an element as memory has it."""
    return WIDTHS.get(element) or (int(element.lstrip("ui")) + 7) // 8


def result_type(element):
    """The numpy type of a result, of the type of its elements in the program: bits of bf16."""
    if element.startswith("!quant.uniform<"):
        element = element.removeprefix("!quant.uniform<").split(":")[0]
    if element in ("f16", "f32", "f64"):
        return np.dtype(f"f{byte_width(element)}")
    unsigned = element.startswith("u") or element == "bf16"
    return np.dtype(f"{'u' if unsigned else 'i'}{byte_width(element)}")


def assembler():
    """The ptxas of the machine, or else that of the tests' environment (requirements.txt)."""
    places = [
        shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas",
        os.path.join(sysconfig.get_path("purelib"), "nvidia", "cuda_nvcc", "bin", "ptxas"),
    ]
    found = next((place for place in places if place and os.path.exists(place)), None)
    assert found, f"there is no ptxas in {places}; install test/Python/requirements.txt"
    return found


def assemble(ptx, chip):
    """Checks what PTX of qcc never has, and that ptxas takes it without spilling; returns the registers of each kernel."""
    text = ptx.read_text()
    for word in FORBIDDEN:
        assert word not in text, f"{ptx} has {word}"
    assert f".target {chip}" in text
    done = subprocess.run(
        [assembler(), "-v", f"-arch={chip}", str(ptx), "-o", str(ptx.with_suffix(".cubin"))],
        capture_output=True, text=True,
    )
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    kernels = [line for line in told.splitlines() if "bytes spill stores" in line]
    assert len(kernels) >= text.count(".visible .entry") > 0, told
    for line in kernels:
        assert "0 bytes spill stores, 0 bytes spill loads" in line, line
    names = re.findall(r"Compiling entry function '(\w+)'", told)
    return dict(zip(names, map(int, re.findall(r"Used (\d+) registers", told))))


class Launcher:
    """The memory of one run: arrays of bytes, by what a parameter refers to."""

    def __init__(self, bin_dir, folder, ptx, weights, seed):
        self.emulator = bin_dir / "qcc-ptx-emu"
        self.folder, self.ptx, self.weights, self.seed = folder, ptx, weights, seed
        self.memory = {}

    def array(self, parameter):
        size = byte_width(parameter["type"]) * int(np.prod(parameter["dims"], dtype=np.int64))
        kind, value = parameter["kind"], parameter["value"]
        if kind == "constant":
            return self.weights[value:value + size]
        known = self.memory.get((kind, value))
        if known is None or known.size != size:
            assert kind in ("temporary", "result"), f"{kind} {value} has another size"
            known = self.memory[kind, value] = np.full(size, POISON, np.uint8)
        return known

    def launch(self, launch):
        command = [
            self.emulator, self.ptx, f"--kernel={launch['kernel']}", f"--grid={launch['grid']}",
            f"--block={launch['block']}", f"--shared={launch['shared_bytes']}", f"--seed={self.seed}",
        ]
        written = []
        for number, parameter in enumerate(launch["parameters"]):
            if parameter["kind"] == "size":
                command.append(f"--arg={parameter['value']}")
                continue
            path = self.folder / f"parameter{number}.npy"
            np.save(path, self.array(parameter))
            command.append(f"--arg={'inout:' if parameter['written'] else ''}{path}")
            if parameter["written"]:
                written.append((parameter, path))
        run_tool(command)
        for parameter, path in written:
            self.memory[parameter["kind"], parameter["value"]] = np.load(path)


def launch_all(launcher, inputs, entry):
    """Runs the launches of an entry; returns the bytes of its results and their shapes."""
    for number, array in enumerate(inputs):
        launcher.memory["argument", number] = array.reshape(-1).view(np.uint8)
    shapes = {}
    for launch in entry["launches"]:
        if launch["grid"] > 0:
            launcher.launch(launch)
        for parameter in launch["parameters"]:
            if parameter["kind"] == "result":
                shapes[parameter["value"]] = parameter["dims"]
    return [(launcher.memory["result", number], shapes[number]) for number in sorted(shapes)]


def dynamic_sizes(text, inputs):
    """The sizes of the dimensions that the only function of an imported program leaves open, in their order."""
    (signature,) = re.findall(r"^  func\.func @\w+\((.*)$", text, re.M)
    arguments = re.findall(r"%arg\d+: (?:tensor<((?:[?\d]+x)*)|\S)", signature)
    assert len(arguments) == len(inputs), signature
    return [
        size
        for dims, array in zip(arguments, inputs)
        for dim, size in zip(dims.split("x"), array.shape)
        if dim == "?"
    ]


def run_file(bin_dir, path, folder, inputs, options):
    """The arrays of the results of the only entry of a program.

    `options` are those of qcc, and `--seeds=N`: as many orders of warps, with equal results.
    """
    seeds = next(o for o in options if o.startswith("--seeds="))
    chip = next(o for o in options if o.startswith("--mcpu=")).removeprefix("--mcpu=")
    options = [o for o in options if o != seeds]
    qcc, ptx, blob, imported = bin_dir / "qcc", folder / "program.ptx", folder / "program.weights", folder / "import.mlir"
    run_tool([qcc, "compile", path, *options, "-o", ptx, "-o", blob])
    assemble(ptx, chip)
    inputs = [np.asarray(array) for array in inputs]
    run_tool([qcc, "compile", path, *options, "--emit=import", "-o", imported])
    sizes = dynamic_sizes(imported.read_text(), inputs)
    text = run_tool([qcc, "explain", path, *options, "--json", *(f"--dim={size}" for size in sizes)])
    (entry,) = json.loads(text)["entries"]
    weights = np.fromfile(blob, np.uint8)
    runs = [
        launch_all(Launcher(bin_dir, folder, ptx, weights, seed), inputs, entry)
        for seed in range(int(seeds.removeprefix("--seeds=")))
    ]
    for run in runs[1:]:
        for (result, _), (first, _) in zip(run, runs[0]):
            assert np.array_equal(result, first), "the order of warps changes a result"
    return [
        data.view(result_type(result["type"])).reshape(shape)
        for (data, shape), result in zip(runs[0], entry["results"])
    ]
