"""PP-OCRv4 of rapidocr: where the lines of a page are."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from quantized_models.ocr import detection  # noqa: E402

TASK = detection("rapidocr-onnxruntime/rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx")
samples, evaluate = TASK.samples, TASK.evaluate
