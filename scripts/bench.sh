#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the release preset's benchmarks and prints what each measures; run it on a quiet machine.
#   scripts/bench.sh            all of them
#   scripts/bench.sh gemm       those whose name begins so
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

scripts/build.sh release bench
for program in build/release/bin/bench_"${1:-}"*; do
    echo "== $(basename "$program")"
    scripts/dev.sh "$program"
done
