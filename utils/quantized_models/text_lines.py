"""PP-OCRv4 of rapidocr: the text of a line."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from quantized_models.ocr import recognition  # noqa: E402

TASK = recognition("rapidocr-onnxruntime/rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx")
samples, evaluate = TASK.samples, TASK.evaluate
