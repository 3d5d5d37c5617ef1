"""Published float models, with what they are calibrated and judged on, for utils/quantized-models.py."""
