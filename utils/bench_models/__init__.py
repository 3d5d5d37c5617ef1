"""What utils/bench-models.py measures: models, their ONNX twins, and who runs them."""
