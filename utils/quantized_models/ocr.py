"""Tasks of optical character recognition (OCR), with the preprocessing of the package rapidocr-onnxruntime."""

import cv2
import numpy

from . import text
from .scores import edits, matches
from .task import Task, use_package

PACKAGE = "rapidocr-onnxruntime"


def options_of(part, model):
    """What rapidocr's configuration has for a part of it, with a model in the folder of packages."""
    folder = use_package(PACKAGE)
    from rapidocr_onnxruntime.utils import read_yaml
    options = read_yaml(folder / "rapidocr_onnxruntime" / "config.yaml")[part]
    return {**options, "model_path": model, "intra_op_num_threads": 1, "inter_op_num_threads": 1}


def result(outputs):
    (value,) = outputs.values()
    return value


def recognition(model, calibration=100, evaluation=250):
    """Lines of text: the share of right characters."""
    options = options_of("Rec", model)
    from rapidocr_onnxruntime.ch_ppocr_rec import TextRecognizer
    recognizer = TextRecognizer(options)
    _, height, width = options["rec_img_shape"]

    def prepare(picture):
        return {"x": recognizer.resize_norm_img(picture, width / height)[None]}

    def score(outputs, expected):
        (actual, _), = recognizer.postprocess_op(result(outputs))
        return max(0, len(expected) - edits(expected, actual)), len(expected)

    return Task(lambda: (prepare(picture) for picture, _ in text.lines(text.CALIBRATION, calibration)),
                lambda: ((prepare(picture), words) for picture, words in text.lines(text.EVALUATION, evaluation)), score)


def orientation(model, calibration=100, evaluation=300):
    """Lines of text, half of them upside down: the share that is recognized as such."""
    options = options_of("Cls", model)
    from rapidocr_onnxruntime.ch_ppocr_cls import TextClassifier
    classifier = TextClassifier(options)

    def inputs(seed, count):
        for index, (picture, _) in enumerate(text.lines(seed, count)):
            turned = cv2.rotate(picture, cv2.ROTATE_180) if index % 2 else picture
            yield {"x": classifier.resize_norm_img(turned)[None]}, index % 2

    return Task(lambda: (sample for sample, _ in inputs(text.CALIBRATION, calibration)),
                lambda: inputs(text.EVALUATION, evaluation),
                lambda outputs, expected: (int(result(outputs).argmax() == expected), 1))


def detection(model, options=None, calibration=48, evaluation=240, size=320):
    """Small pages of text, in their own size: twice the boxes found, of all boxes expected and found (F1)."""
    known = {**options_of("Det", model), **(options or {}), "limit_side_len": size}
    from rapidocr_onnxruntime.ch_ppocr_det import TextDetector
    detector = TextDetector(known)

    def prepare(picture):
        return {"x": detector.get_preprocess(size)(picture)}

    def score(outputs, expected):
        boxes, _ = detector.postprocess_op(result(outputs), (size, size))
        actual = [(*numpy.min(box, 0), *numpy.max(box, 0)) for box in numpy.asarray(boxes).reshape(-1, 4, 2)]
        return 2 * matches(expected, actual), len(expected) + len(actual)

    return Task(lambda: (prepare(picture) for picture, _ in text.pages(text.CALIBRATION, calibration, size)),
                lambda: ((prepare(picture), boxes) for picture, boxes in text.pages(text.EVALUATION, evaluation, size)),
                score)
