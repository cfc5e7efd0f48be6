#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds everything, runs every test, starts packages of it in bare systems; sets up the environment first.
#   scripts/test.sh                     the ci preset, which is quick to build from nothing
#   scripts/test.sh --preset dev        what is built every day; asan and tsan are others
#   scripts/test.sh [--preset P] ARGUMENT...   the rest goes to ctest: -L core, -R split, -LE e2e; no packages
# Exit status: 0 when all tests passed, else not 0; no test at all is a failure too.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

preset=ci
if [[ ${1:-} == --preset ]]; then
    preset=${2:?"--preset needs a name: dev, ci, release, asan or tsan"}
    shift 2
fi
build=build/$preset

started=$SECONDS
scripts/build.sh "$preset" all bench
echo "test: built in $((SECONDS - started)) s"

# Beside other tests no peak of the machine is calm enough to be kept, and each that measures looks for it
# again; so it is found before them, with the cache that tests have. Whether measuring works they say.
scripts/dev.sh env XDG_CACHE_HOME="$PWD/$build/cache" \
    "$build/bin/nestc" measure op:add_relu >/dev/null 2>&1 || true

log=$build/ctest.log
status=0
scripts/dev.sh ctest --test-dir "$build" --output-on-failure --no-tests=error -j2 "$@" 2>&1 |
    tee "$log" || status=$?

# A test that cannot run here (no device) skips its cases and says why; ctest counts it as passed.
skipped=$(sed -nE 's/^SKIP *: *//p' "$build/Testing/Temporary/LastTest.log" 2>/dev/null || true)
if [[ -n $skipped ]]; then
    echo "Skipped here, $(wc -l <<<"$skipped") cases:"
    while read -r case; do echo "  $case"; done <<<"$skipped"
    sed -n '/tests passed, .* tests failed/,$p' "$log" # ctest's closing lines once more, to end with them
fi

if ((status == 0 && $# == 0)) && [[ $preset != asan && $preset != tsan ]]; then
    started=$SECONDS
    scripts/package.sh --build-dir "$build" --output "$build/package" --quick --check || status=$?
    echo "test: packages made and checked in $((SECONDS - started)) s"
fi
exit "$status"
