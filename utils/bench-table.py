#!/usr/bin/env python3
"""Prints reports of `qcc-bench --json` as tables of docs/benchmarks."""

import argparse
import json
import sys


def table(report):
    peer = report.get("peer")
    threads = f"{report['threads']} thread" + ("s" if report["threads"] > 1 else "")
    title = f"`--suite={report['suite']} --dtype={report['dtype']} --isa={report['isa']}"
    if report["threads"] > 1:
        title += f" --threads={report['threads']}"
    if peer and peer["kind"] != "onednn":
        title += f" --peer={peer['kind']}"
    lines = [title + f"`, {threads}, {report['repetitions']} rounds", ""]
    rates = ", ".join(f"{p['name']} {p['rate']:.{2 if p['unit'] == 'GHz' else 0}f} {p['unit']}"
                      for p in report["peaks"])
    lines += [f"Peaks in this run: {rates}.", ""]
    rows = report["shapes"]
    columns = ["shape", "qcc of peak"]
    has_bandwidth = any("bandwidth" in row for row in rows)
    columns += ["of bandwidth"] if has_bandwidth else []
    if peer:
        columns += [f"{peer['version']} of peak", "ratio", "its implementation"]
    has_rounded = any("ratio_to_rounded" in row for row in rows)
    has_scaling = any("scaling" in row for row in rows)
    columns += ["/ rounded up"] if has_rounded else []
    columns += ["scaling"] if has_scaling else []
    lines += ["| " + " | ".join(columns) + " |", "| --- " * len(columns) + "|"]
    for row in rows:
        cells = [row["shape"], f"{row['fraction_of_peak']:.2f}"]
        if has_bandwidth:
            cells += [f"{row['bandwidth']['fraction']:.2f}" if "bandwidth" in row else "–"]
        if peer and "peers" in row:
            cells += [f"{row['peer_fraction_of_peak']:.2f}", f"{row['ratio']:.2f}",
                      row["peer_impl"].replace("_", "\\_")]
        elif peer:
            cells += ["–"] * 3
        cells += [f"{row['ratio_to_rounded']:.2f}"] if has_rounded else []
        cells += [f"{row['scaling']:.2f}"] if has_scaling else []
        lines.append("| " + " | ".join(cells) + " |")
    if "geomean" in report:
        lines += ["", f"Geometric mean of the ratios {report['geomean']:.3f}, least "
                  f"{report['min']:.3f} at {report['min_shape']}."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="+", metavar="REPORT.json")
    for path in parser.parse_args().reports:
        try:
            with open(path, encoding="utf-8") as file:
                print(table(json.load(file)) + "\n")
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"bench-table: error: {path} is no report of qcc-bench: {error!r}",
                  file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
