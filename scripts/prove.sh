#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves every form of every rewriting rule of the simplifier, and the index lemmas of primitives that move
# iterations, with z3; a statement that is refuted is named with its counter-example.
#   scripts/prove.sh                 builds nestc (preset dev) and proves, in the build environment
#   scripts/prove.sh --nestc FILE    with this nestc, in the environment as it is
#   scripts/prove.sh --only TEXT     rules whose text has TEXT, and primitives whose name has it
#   scripts/prove.sh --rules FILE    other rules, as `nestc list rules --json` prints them
#   scripts/prove.sh --primitives FILE   other primitives, likewise
# z3 gets a limit of its own steps, not of time, so that the outcome is the same on each machine. Exit status:
# 0 when all is proved, 1 when not, 77 where z3 is missing outside of the build environment.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

run=()
if [[ " $* " != *" --nestc "* ]]; then
    scripts/build.sh dev nestc
    run=(scripts/dev.sh)
    set -- --nestc build/dev/bin/nestc "$@"
fi
exec "${run[@]}" env PYTHONDONTWRITEBYTECODE=1 python3 scripts/proofs/prove.py "$@"
