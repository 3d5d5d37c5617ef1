"""Where qcc's time goes, step by step."""


def join(kernels, profiles):
    """Steps, with the least time of the profiles for each and what, as `qcc explain` tells, was fused into it."""
    steps = []
    for i, step in enumerate(profiles[0]["steps"]):
        fused = next(k["fused"] for k in kernels if f"{k['name']}.{k['kind']}" == step["name"])
        steps.append({"name": step["name"], "kind": step["name"].rpartition(".")[2],
                      "seconds": min(p["steps"][i]["seconds"] for p in profiles),
                      "operations": step["operations"], "bytes": step["bytes"],
                      "fused": fused})
    return steps


def by_kind(steps):
    """(kind, share of the time of all steps), the largest first."""
    total = sum(step["seconds"] for step in steps)
    kinds = {}
    for step in steps:
        kinds[step["kind"]] = kinds.get(step["kind"], 0) + step["seconds"]
    return sorted(((kind, seconds / total) for kind, seconds in kinds.items()),
                  key=lambda entry: -entry[1])


def table(steps, peak=None, least=0.0005):
    """Markdown: a row for each step, and one for those whose share is below `least`.

    `peak` is in operations per second; only contractions are compared with it.
    """
    total = sum(step["seconds"] for step in steps)
    rows, rest = [], 0
    for step in steps:
        share = step["seconds"] / total
        if share < least:
            rest += share
            continue
        of_peak = ""
        if peak and step["kind"] == "contract":
            of_peak = f"{step['operations'] / step['seconds'] / peak:.2f}"
        rows.append((f"{100 * share:.1f} %", of_peak, step["name"], ", ".join(step["fused"])))
    if rest:
        rows.append((f"{100 * rest:.1f} %", "", "others", ""))
    lines = ["| share | of peak | step | what |", "| --- | --- | --- | --- |"]
    return lines + ["| " + " | ".join(row).replace("_", "\\_") + " |" for row in rows]
