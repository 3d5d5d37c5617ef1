"""draw-pipeline.py [--check]: draws docs/pipeline.svg from the table of stages in docs/Overview.md.

With --check nothing is written; the exit code is 1 if the picture is stale.
"""

import argparse
import html
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pipeline.svg"

WIDTH, LEFT, LINE, PADDING, GAP = 760, 20, 18, 10, 34
NAME_WIDTH = 100  # Of the column with the names of stages.
SOURCES = ["MLIR text or bytecode", "ONNX model", "weights (.npz, .safetensors)"]
RESULTS = [["object", "artifact (.so)", "runtime: x86 processors"], ["PTX", "artifact (.so)", "runtime: NVIDIA GPUs, emulator"]]

# Readers have pages with a light or a dark background.
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .name { font-weight: 600 } .small { font-size: 12px; fill: #59636e }
  rect { fill: #f0f4f8; stroke: #8c959f; rx: 6 } .end { fill: none }
  path { stroke: #59636e; fill: none; marker-end: url(#head) } marker path { fill: #59636e; stroke: none; marker-end: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } rect { fill: #1f2a36; stroke: #6e7681 } .end { fill: none }
    path { stroke: #9198a1 } marker path { fill: #9198a1 }
  }
"""


def stages():
    """Name, description and dialects of each stage."""
    rows = re.findall(r"^\| (\w+) \| (.+?) \| (.+?) \|$", (ROOT / "docs" / "Overview.md").read_text(), re.M)
    return [row for row in rows if row[0] != "stage"]


class Drawing:
    def __init__(self):
        self.parts, self.y = [], 16

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>')

    def box(self, x, y, width, height, kind=""):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" class="{kind}"/>')

    def arrow(self, x, y, end):
        self.parts.append(f'<path d="M{x} {y}V{end - 7}"/>')

    def row(self, names):
        """Boxes beside each other; returns their centres."""
        width, centres = (WIDTH - 2 * LEFT - GAP * (len(names) - 1)) // len(names), []
        for i, name in enumerate(names):
            x = LEFT + i * (width + GAP)
            self.box(x, self.y, width, 32, "end")
            self.text(x + width // 2, self.y + 21, name, anchor="middle")
            centres.append(x + width // 2)
        self.y += 32
        return centres

    def arrows(self, centres, label=""):
        for x in centres:
            self.arrow(x, self.y, self.y + GAP)
        if label:
            self.text(centres[0] + 12, self.y + 21, label, "small")
        self.y += GAP

    def stage(self, name, description):
        lines = textwrap.wrap(description.replace("`", ""), 80)
        height = 2 * PADDING + LINE * len(lines)
        self.box(LEFT, self.y, WIDTH - 2 * LEFT, height)
        self.text(LEFT + 12, self.y + PADDING + 13, name, "name")
        for i, line in enumerate(lines):
            self.text(LEFT + NAME_WIDTH, self.y + PADDING + 13 + LINE * i, line)
        self.y += height

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.y + 16}" width="{WIDTH}" role="img" '
                'aria-label="The stages of qcc">')
        marker = ('<defs><marker id="head" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                  '<path d="M0 0L8 4L0 8z"/></marker></defs>')
        return "\n".join([head, f"<style>{STYLE}</style>", marker, *self.parts, "</svg>", ""])


def draw():
    drawing, known = Drawing(), stages()
    drawing.arrows(drawing.row(SOURCES))
    for i, (name, description, dialects) in enumerate(known):
        drawing.stage(name, description)
        if i + 1 < len(known):
            drawing.arrows([WIDTH // 2], dialects if dialects != "the same" else known[i - 1][2])
    for i, names in enumerate(zip(*RESULTS)):
        centres = [LEFT + (WIDTH - 2 * LEFT - GAP) // 4, WIDTH - LEFT - (WIDTH - 2 * LEFT - GAP) // 4]
        drawing.arrows(centres, "llvm, or nvvm of a GPU" if i == 0 else "")
        drawing.row(names)
    return drawing.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    picture = draw()
    if options.check and (not PICTURE.exists() or PICTURE.read_text() != picture):
        sys.exit("docs/pipeline.svg is stale; run utils/draw-pipeline.py")
    if not options.check:
        PICTURE.write_text(picture)


if __name__ == "__main__":
    main()
