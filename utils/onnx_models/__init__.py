"""Models that utils/onnx-models.py makes: networks of random weights, and the forms in which they are quantized."""
