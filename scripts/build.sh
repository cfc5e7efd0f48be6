#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sets up what is missing, configures a preset where needed and builds it into build/PRESET.
#   scripts/build.sh PRESET [TARGET...]    preset: dev, ci, release, asan, tsan; without a target, everything
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

preset=${1:?"which preset? dev, ci, release, asan or tsan"}
shift
build=build/$preset

scripts/dev.sh --setup-only

# A cache that was made elsewhere (the checkout was moved or copied) is of no use.
if [[ -f $build/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$build/CMakeCache.txt"; then
    rm -rf "$build"
fi
if [[ ! -f $build/build.ninja || CMakePresets.json -nt $build/build.ninja ]]; then
    mkdir -p "$build"
    if ! scripts/dev.sh cmake --preset "$preset" >"$build/configure.log" 2>&1; then
        cat "$build/configure.log" >&2
        exit 1
    fi
fi
export NINJA_STATUS="[%f/%t, %P, %W left] "
exec scripts/dev.sh cmake --build "$build" ${1:+--target "$@"}
