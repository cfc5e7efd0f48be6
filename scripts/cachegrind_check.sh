#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares the misses that 'nestc cache' counts with those of valgrind's cachegrind on the compiled C of ten
# kernels, at the same caches. Needs valgrind (Debian package 'valgrind'), which nothing else here does: where
# it is missing the check says so and ends with status 77.
#   scripts/cachegrind_check.sh                   builds nestc (preset release) and compares
#   scripts/cachegrind_check.sh --nestc FILE      with this nestc
#   scripts/cachegrind_check.sh --only softmax    kernels whose name begins so
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

if ! scripts/dev.sh bash -c 'command -v valgrind >/dev/null'; then
    echo "cachegrind_check: skipped, since valgrind is not installed where scripts/dev.sh builds" >&2
    exit 77
fi
if [[ " $* " != *" --nestc "* ]]; then
    scripts/build.sh release nestc
    set -- --nestc build/release/bin/nestc "$@"
fi
exec scripts/dev.sh python3 tests/bench/cachegrind.py "$@"
