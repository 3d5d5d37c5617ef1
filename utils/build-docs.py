#!/usr/bin/env python3
"""Builds the site of the documentation into build/docs/site, with search.

The pages are the Markdown files of the repository, where they lie in it, and pages of ops and passes that mlir-tblgen
writes. Files that pages link to come along. Installs MkDocs into build/docs/venv when that lacks it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "docs"
PAGES = BUILD / "pages"
TBLGEN = pathlib.Path("/usr/lib/llvm-22/bin/mlir-tblgen")
LLVM_INCLUDE = pathlib.Path("/usr/lib/llvm-22/include")
CONFIG = ROOT / "docs" / "mkdocs.yml"
REQUIREMENTS = ROOT / "docs" / "requirements.txt"

#: The dialects, by the file of their ops and attributes.
DIALECTS = {
    "QNN": ("qnn", "include/qcc/Dialect/QNN/IR/QNNOps.td"),
    "Kernel": ("kernel", "include/qcc/Dialect/Kernel/IR/KernelOps.td"),
    "X86": ("x86", "include/qcc/Target/X86/IR/X86IR.td"),
    "NVPTX": ("nvptx", "include/qcc/Target/NVPTX/IR/NVPTXIR.td"),
}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages_of_repository():
    return [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md")), ROOT / "emulator" / "README.md"]


def linked_files(page):
    """Files and folders of the repository that a page links to, pages aside."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for link in LINK.findall(text):
        if "://" in link or link.endswith(".md"):
            continue
        target = (page.parent / link).resolve()
        if target.exists() and target.is_relative_to(ROOT):
            yield target


def copy(path):
    copied = PAGES / path.relative_to(ROOT)
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copied)


def list_folder(folder):
    """Writes a page of the files in a folder, which come along."""
    lines = [f"# {folder.relative_to(ROOT)}", ""]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md":
            copy(path)
            lines.append(f"* [{path.relative_to(folder)}]({path.relative_to(folder)})")
    index = PAGES / folder.relative_to(ROOT) / "index.md"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_text("\n".join(lines) + "\n")


def link_to_index(page, folders):
    """Makes links to folders links to their pages: a site has no listings."""
    text = page.read_text()

    def replace(match):
        source = ROOT / page.relative_to(PAGES)
        target = (source.parent / match.group(1)).resolve()
        if target not in folders:
            return match.group(0)
        return match.group(0).replace(f"]({match.group(1)}", f"]({match.group(1).rstrip('/')}/index.md")

    page.write_text(LINK.sub(replace, text))


def gather():
    """Fills the folder of pages anew."""
    shutil.rmtree(PAGES, ignore_errors=True)
    folders = set()
    for page in pages_of_repository():
        copy(page)
        for path in linked_files(page):
            if path.is_dir():
                folders.add(path)
            else:
                copy(path)
    for picture in (ROOT / "docs").rglob("*.svg"):
        copy(picture)
    for folder in folders:
        list_folder(folder)
    for page in pages_of_repository():
        link_to_index(PAGES / page.relative_to(ROOT), folders)


def tblgen(generator, path, *options):
    command = [TBLGEN, generator, *options, f"-I{ROOT / 'include'}", f"-I{LLVM_INCLUDE}", path]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"build-docs: {path}: {done.stderr}")
    return re.sub(r"^<!--.*?-->\n?", "", done.stdout, flags=re.M | re.S)


def generate():
    """Writes the pages of dialects and passes."""
    folder = PAGES / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (dialect, path) in DIALECTS.items():
        has_ops = "Op<" in (ROOT / path).read_text()
        generator = "-gen-dialect-doc" if has_ops else "-gen-attrdef-doc"
        text = tblgen(generator, ROOT / path, *([f"-dialect={dialect}"] if has_ops else []))
        title = "" if has_ops else f"# '{dialect}' Dialect\n\n"
        (folder / f"{name}.md").write_text(title + text.replace("\n[TOC]\n", "\n"))
    parts = ["# Passes", "", "`qcc-opt` runs each by its name. [Pipeline](../docs/Pipeline.md) has their order.", ""]
    for path in sorted((ROOT / "include").rglob("Passes.td")):
        if "PassBase.td" not in path.read_text():  # Another file includes it.
            continue
        parts.append(f"## {path.parent.relative_to(ROOT / 'include' / 'qcc')}\n")
        parts.append(tblgen("-gen-pass-doc", path))
    (folder / "Passes.md").write_text("\n".join(parts))


def install():
    python = BUILD / "venv" / "bin" / "python"
    installed = BUILD / "venv" / "requirements.txt"
    if not installed.exists() or installed.read_text() != REQUIREMENTS.read_text():
        subprocess.run([sys.executable, "-m", "venv", BUILD / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS],
                       check=True)
        shutil.copyfile(REQUIREMENTS, installed)
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true", help="only gather and generate the pages, without MkDocs")
    parser.add_argument("--serve", action="store_true", help="serve the site on this machine until it is interrupted")
    options = parser.parse_args()
    if not TBLGEN.exists():
        parser.error(f"{TBLGEN} is missing; run utils/install-deps.sh")
    gather()
    generate()
    if options.pages:
        print(PAGES)
        return 0
    command = ["serve"] if options.serve else ["build", "--strict", "--clean", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    code = subprocess.run([install(), "-m", "mkdocs", *command, "--config-file", CONFIG], env=environment).returncode
    if code == 0 and not options.serve:
        print(BUILD / "site" / "index.html")
    return code


if __name__ == "__main__":
    sys.exit(main())
