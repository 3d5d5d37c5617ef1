"""What utils/bench-gpu.py measures: kernels of qcc, its peers, and what the GPU can do at most."""
