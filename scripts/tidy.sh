#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy, as .clang-tidy says.
#   scripts/tidy.sh              on what differs from the main branch (origin/main, else main), changes not
#                                committed too; with the compile commands of the dev preset
#   scripts/tidy.sh FILE...      on these files
#   scripts/tidy.sh --all        on every source file, those of a library a dozen at once: ten times as fast
#   scripts/tidy.sh --libraries  the same without the tests
# Exit status 1 when there is a finding.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

build=build/tidy unity=OFF options=()
case ${1:-} in
--all | --libraries)
    build=build/tidy-all unity=ON
    # The sources that another includes are meant too, but not what moc wrote, which names no parameter.
    options=("--header-filter=^$PWD/(core|widgets|app|tests)/.*"
        --checks=-readability-inconsistent-declaration-parameter-name)
    ;;
'')
    base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main)
    mapfile -t files < <({
        git diff --name-only --diff-filter=d "$base" -- '*.cpp'
        git ls-files --others --exclude-standard -- '*.cpp'
    } | sort -u)
    if ! ((${#files[@]})); then
        echo "tidy: no files"
        exit 0
    fi
    ;;
*) files=("$@") ;;
esac

# The GCC of the build precompiles headers, which clang cannot read; so a build without them says how to
# compile. Only its moc is run.
scripts/dev.sh cmake --preset dev -B "$build" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCMAKE_AUTOGEN_ORIGIN_DEPENDS=OFF -DNESTWRIGHT_UNITY=$unity >/dev/null 2>&1
mapfile -t mocs < <(scripts/dev.sh ninja -C "$build" -t targets all |
    sed -n 's/^\(.*_autogen\): phony$/\1/p; s/^\([^/].*\.moc\): CUSTOM_COMMAND$/\1/p')
scripts/dev.sh ninja --quiet -C "$build" "${mocs[@]}" >&2

if [[ $unity == ON ]]; then
    left_out='_autogen/|\.c$' # what moc and rcc wrote; C has other idioms
    [[ $1 == --all ]] || left_out+='|/tests/.*_test\.cpp$'
    mapfile -t files < <(sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$build/compile_commands.json" |
        grep -vE "$left_out" | sort -u)
fi
printf '%s\0' "${files[@]}" |
    scripts/dev.sh xargs -0 -n 1 -P "$(nproc)" \
        clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*' "${options[@]}"
