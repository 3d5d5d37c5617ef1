#!/usr/bin/env bash
# Installs the frameworks whose programs qcc compiles, into build/oracles: an environment of their own, since they ask for
# other versions of numpy than the tests do. test/Frameworks runs in it: build/oracles/bin/python -m pytest test/Frameworks
#
# utils/install-oracles.sh [torch]: with the argument also PyTorch, which takes 6 GB
#
# utils/install-oracles.sh ray: Ray and nothing else, into build/ray (1 GB). test/Python/test_ray.py runs in it:
# build/ray/bin/python -m pytest test/Python/test_ray.py
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

if [ "${1:-}" = ray ]; then
  python3 -m venv build/ray
  build/ray/bin/pip install -q -r test/Python/requirements-ray.txt
  build/ray/bin/pip list 2>/dev/null | grep -iE '^(numpy|pyarrow|ray) '
  exit
fi
python3 -m venv build/oracles
build/oracles/bin/pip install -q -r test/Frameworks/requirements.txt
if [ "${1:-}" = torch ]; then
  build/oracles/bin/pip install -q -r test/Frameworks/requirements-torch.txt
fi
build/oracles/bin/pip list 2>/dev/null | grep -iE '^(flax|jax|keras|numpy|tensorflow_cpu|torch|torchao|transformers) '
