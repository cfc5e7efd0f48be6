#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the release preset's benchmarks and prints what each measures; run it on a quiet machine.
#   scripts/bench.sh            all of them
#   scripts/bench.sh schedule   those whose name begins so
#   scripts/bench.sh peers      kernels beside OpenBLAS, oneDNN and, where they are installed for
#                               NESTWRIGHT_PYTHON (python3), ONNX Runtime and PyTorch; more options go to
#                               tests/bench/peers/peers.py: --only softmax, --write tests/bench/RESULTS.md
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

if [[ ${1:-} == peers ]]; then
    scripts/build.sh release nestc bench_peers
    exec scripts/dev.sh "${NESTWRIGHT_PYTHON:-python3}" tests/bench/peers/peers.py \
        --nestc build/release/bin/nestc \
        --native "$(find build/release -name libbench_peers.so | head -n 1)" "${@:2}"
fi
scripts/build.sh release bench
for program in build/release/bin/bench_"${1:-}"*; do
    echo "== $(basename "$program")"
    scripts/dev.sh "$program"
done
