#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy, as .clang-tidy says, with the compile commands of the dev preset.
#   scripts/tidy.sh              on what differs from the main branch (origin/main, else main), changes not
#                                committed too
#   scripts/tidy.sh --all        on every source file
#   scripts/tidy.sh FILE...
# Exit status 1 when there is a finding.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

if [[ ${1:-} == --all ]]; then
    mapfile -t files < <(git ls-files -- '*.cpp')
elif (($#)); then
    files=("$@")
else
    base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main)
    mapfile -t files < <({
        git diff --name-only --diff-filter=d "$base" -- '*.cpp'
        git ls-files --others --exclude-standard -- '*.cpp'
    } | sort -u)
fi
if ! ((${#files[@]})); then
    echo "tidy: no files"
    exit 0
fi

# The GCC of the build precompiles headers, which clang cannot read; so a build without them says how to
# compile. Only its moc is run.
scripts/dev.sh cmake --preset dev -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCMAKE_AUTOGEN_ORIGIN_DEPENDS=OFF >/dev/null 2>&1
mapfile -t mocs < <(scripts/dev.sh ninja -C build/tidy -t targets all |
    sed -n 's/^\(.*_autogen\): phony$/\1/p; s/^\([^/].*\.moc\): CUSTOM_COMMAND$/\1/p')
scripts/dev.sh ninja --quiet -C build/tidy "${mocs[@]}" >&2
printf '%s\0' "${files[@]}" |
    scripts/dev.sh xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 -p build/tidy --quiet --warnings-as-errors='*'
