#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the release preset's benchmarks and prints what each measures; run it on a quiet machine.
#   scripts/bench.sh            all of them
#   scripts/bench.sh schedule   those whose name begins so
#   scripts/bench.sh peers      kernels beside OpenBLAS, oneDNN and, where they are installed, Halide
#                               (libhalide19-dev) and, for NESTWRIGHT_PYTHON (python3), ONNX Runtime, PyTorch
#                               and TVM; more options go to tests/bench/peers/peers.py: --only softmax,
#                               --isa avx2 (all limited to an older class of processors),
#                               --write tests/bench/RESULTS.md, --tvm-records FOLDER for TVM's tuned kernels,
#                               which --tune-tvm 256 beside it makes once, before
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

if [[ ${1:-} == peers ]]; then
    scripts/build.sh release nestc bench_peers
    exec scripts/dev.sh "${NESTWRIGHT_PYTHON:-python3}" tests/bench/peers/peers.py \
        --nestc build/release/bin/nestc \
        --native "$(find build/release -name libbench_peers.so | head -n 1)" \
        --halide "$(find build/release -name libbench_halide.so | head -n 1)" "${@:2}"
fi
scripts/build.sh release bench
for program in build/release/bin/bench_"${1:-}"*; do
    echo "== $(basename "$program")"
    scripts/dev.sh "$program"
done
