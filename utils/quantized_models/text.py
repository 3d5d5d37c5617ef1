"""Pictures of text: words of this repository's pages, in fonts of matplotlib, with blur, noise and colors by chance."""

import re

import cv2
import numpy
from PIL import Image, ImageDraw, ImageFont

from .task import ROOT, use_package

#: Fonts for letters; the package has others for formulas.
FONTS = re.compile(r"(DejaVuS(ans|erif)(Mono)?(-.*)?|STIXGeneral.*)\.ttf")
#: Seeds of what calibrates, and of what evaluates.
CALIBRATION, EVALUATION = 1, 2


def fonts():
    folder = use_package("matplotlib") / "matplotlib" / "mpl-data" / "fonts" / "ttf"
    return sorted(path for path in folder.iterdir() if FONTS.fullmatch(path.name))


def words():
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return numpy.array(sorted({word for page in pages for word in re.findall(r"\b[A-Za-z0-9]+\b", page.read_text())
                               if len(word) < 12}))


class Writer:
    """Writes words into pictures, by one seed."""

    def __init__(self, seed):
        self.random, self.fonts, self.words = numpy.random.default_rng(seed), fonts(), words()

    def text(self, longest):
        text = str(self.random.choice(self.words))
        while len(more := f"{text} {self.random.choice(self.words)}") <= longest:
            text = more
        return text

    def font(self, smallest, largest):
        path = self.fonts[self.random.integers(len(self.fonts))]
        return ImageFont.truetype(str(path), int(self.random.integers(smallest, largest + 1)))

    def colors(self):
        """Of the paper and of the ink, which differ."""
        dark, light = self.random.integers(0, 90, 3), self.random.integers(165, 256, 3)
        paper, ink = (light, dark) if self.random.random() < 0.8 else (dark, light)
        return tuple(map(int, paper)), tuple(map(int, ink))

    def photographed(self, picture):
        """With the blur and the noise of a camera: an array of height x width x BGR."""
        array = numpy.asarray(picture)[:, :, ::-1].astype(numpy.float32)
        array = cv2.GaussianBlur(array, (0, 0), float(self.random.uniform(0.3, 1.2)))
        array += self.random.normal(0, self.random.uniform(1, 12), array.shape)
        return numpy.clip(array, 0, 255).astype(numpy.uint8)

    def line(self, longest, widest):
        """A picture of one line, at most `widest` times as wide as high, and its text."""
        while True:
            text, font, (paper, ink) = self.text(longest), self.font(18, 44), self.colors()
            left, top, right, bottom = font.getbbox(text)
            margin = int(self.random.integers(2, 7))
            size = (right - left + 2 * margin, bottom - top + 2 * margin)
            if size[0] <= widest * size[1]:
                break
        picture = Image.new("RGB", size, paper)
        ImageDraw.Draw(picture).text((margin - left, margin - top), text, ink, font)
        return self.photographed(picture), text

    def page(self, size):
        """A picture of several lines, and the box of each: left, top, right, bottom."""
        paper, ink = self.colors()
        picture, boxes, top = Image.new("RGB", (size, size), paper), [], int(self.random.integers(8, 30))
        while True:
            text, font = self.text(int(self.random.integers(6, 24))), self.font(14, 34)
            box = font.getbbox(text)
            if box[2] >= size - 16:
                continue
            if top + box[3] + 8 >= size:
                return self.photographed(picture), boxes
            left = int(self.random.integers(8, size - box[2] - 7))
            ImageDraw.Draw(picture).text((left, top), text, ink, font)
            boxes.append((left + box[0], top + box[1], left + box[2], top + box[3]))
            top += box[3] + int(self.random.integers(10, 40))


def lines(seed, count, longest=14, widest=6.6):
    writer = Writer(seed)
    for _ in range(count):
        yield writer.line(longest, widest)


def pages(seed, count, size=320):
    writer = Writer(seed)
    for _ in range(count):
        yield writer.page(size)
