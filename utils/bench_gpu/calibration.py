"""Configs of one layer against each other: which is the fastest, and how well the cost model knew."""

import json
import math
import statistics

from bench_gpu import candidates


def prepare(run_tool, qcc, stem, given, most):
    """Writes `stem`.N.ptx for up to `most` configs of the only contraction of a program, the model's choice first, and
    `stem`.json with what they are."""
    (kernel,) = json.loads(run_tool(qcc, "tune", *given, f"--candidates={most}", "--list"))
    key = {name: kernel[name] for name in ("target", "shape", "kernel", "about")}
    measured = {"shape": kernel["shape"], "threads": 1, "seconds": 1, "model_seconds": 1}
    database = stem.with_name(stem.name + ".db")
    configs = []
    for number, candidate in enumerate(kernel["candidates"]):
        database.write_text(json.dumps({
            "format": "qcc-tuning", "version": 1, "entries": [{**key, "config": candidate["config"], "measured": measured}]}))
        run_tool(qcc, "compile", *given, f"--tuning-db={database}", "-o", stem.with_name(f"{stem.name}.{number}.ptx"))
        entry = json.loads(run_tool(qcc, "explain", *given, f"--tuning-db={database}", "--json"))["entries"][0]
        configs.append({"config": candidate["describe"], "cycles": candidate["cost"], "entry": entry})
    database.unlink()
    stem.with_name(stem.name + ".json").write_text(json.dumps(configs))


def graphs_of(layer, stem):
    """A graph for each config, by its number; one that computes something else is WRONG."""
    configs = json.loads(stem.with_name(stem.name + ".json").read_text())
    constants = candidates.packed_weights(layer)
    graphs, wrong = {}, []
    for number, config in enumerate(configs):
        ptx = stem.with_name(f"{stem.name}.{number}.ptx").read_text()
        run = candidates.launches_of(layer, ptx, config["entry"], constants)
        layer.forget()
        run(0)
        layer.gpu.call("cuCtxSynchronize")
        if layer.is_right():
            graphs[number] = candidates.record(layer, candidates.qcc, run)
        else:
            wrong.append(number)
    return configs, graphs, wrong


def summary(rows, mhz):
    """How far the first config, which the model chose, is from the fastest one; and the expected times over those that
    were measured, as a geometric mean and as the standard deviation of the logarithm. Expected times are of `mhz`."""
    logs = [math.log(row["cycles"] / mhz / row["microseconds"]) for row in rows]
    best = min(row["microseconds"] for row in rows)
    return {"configs": len(rows), "best": best, "choice": rows[0]["microseconds"] / best,
            "mean": math.exp(statistics.mean(logs)), "spread": statistics.pstdev(logs)}
