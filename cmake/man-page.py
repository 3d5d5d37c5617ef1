#!/usr/bin/env python3
"""Writes the man page of a tool of qcc from what the tool prints for --help, and of `help COMMAND` where it has
commands."""

import argparse
import os
import pathlib
import re
import subprocess


def run(*command):
    # As wide as it can be, so that each text is one line.
    environment = {**os.environ, "COLUMNS": "100000", "LC_ALL": "C", "NO_COLOR": "1"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def entries(lines):
    """A list of options or commands, each with its text, which may be on the next line."""
    result = []
    for line in lines:
        if re.match(r"  \S", line):
            name, _, text = line.strip().partition("  ")
            result += [".TP", f"\\fB{escaped(name)}\\fR", escaped(text.strip())]
        elif line.strip():
            result[-1] = f"{result[-1]} {escaped(line.strip())}".strip()
    return [line for line in result if line]


def verbatim(lines):
    return [".nf", *(escaped(line) for line in lines), ".fi"]


def sections(text):
    """{title: lines} of a help; the summary, the usage and the options have the titles "", "Usage" and "Options"."""
    found, title = {"": []}, ""
    for line in text.splitlines():
        heading = re.match(r"(Usage|Commands|Examples|USAGE|OPTIONS): *(.*)", line)
        if heading:
            title = heading.group(1).capitalize()
            found[title] = [heading.group(2)] if heading.group(2) else []
        elif title == "Usage" and line.startswith("  "):
            title = "Options"
            found[title] = [line]
        else:
            if title == "Commands" and not line.startswith(" "):
                title = "End"
            found.setdefault(title, []).append(line)
    return {title: [line for line in lines if line.strip()] for title, lines in found.items()}


def page(tool, name, version):
    help_text = run(tool, "--help")
    parts = sections(help_text)
    summary = " ".join(parts[""]).rstrip(".").split("OVERVIEW: ")[-1]
    summary = re.sub(rf"^{name}: ", "", summary)
    lines = [f'.TH {name.upper()} 1 "" "qcc {version}" "qcc"', ".SH NAME", f"{escaped(name)} \\- {escaped(summary)}",
             ".SH SYNOPSIS", escaped(" ".join(parts["Usage"]))]
    if "Commands" in parts:
        commands = [line.split()[0] for line in parts["Commands"] if re.match(r"  \S", line)]
        lines += [".SH COMMANDS", *entries(parts["Commands"])]
        for command in commands:
            of_command = sections(run(tool, "help", command))
            lines += [f".SH {command.upper()}", escaped(" ".join(of_command[""]) + "."), ".PP",
                      escaped(" ".join(of_command["Usage"])), *entries(of_command.get("Options", []))]
            if of_command.get("Examples"):
                lines += [".PP", "Examples:", *verbatim(of_command["Examples"])]
    elif "OVERVIEW" in help_text:
        lines += [".SH OPTIONS", *verbatim(help_text.partition("OPTIONS:\n")[2].strip("\n").splitlines())]
    else:
        lines += [".SH OPTIONS", *entries(parts.get("Options", []))]
        if parts.get("Examples"):
            lines += [".SH EXAMPLES", *verbatim(parts["Examples"])]
    others = [other for other in ("qcc", "qcc-run", "qcc-lsp-server") if other != name]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{escaped(other)}\\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=" ".join(__doc__.split()))
    parser.add_argument("tool", type=pathlib.Path, help="the program")
    parser.add_argument("version", help="the version of qcc")
    parser.add_argument("output", type=pathlib.Path, help="the page")
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(page(options.tool, options.tool.name, options.version))


if __name__ == "__main__":
    main()
