"""PP-OCR of rapidocr: whether a line is upside down."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from quantized_models.ocr import orientation  # noqa: E402

TASK = orientation("rapidocr-onnxruntime/rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
samples, evaluate = TASK.samples, TASK.evaluate
