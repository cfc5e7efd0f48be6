#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats the C++ files that git tracks, as .clang-format says.
#   scripts/format.sh            rewrites them
#   scripts/format.sh --check    changes nothing; exit status 1 and a list where one is not formatted
#   scripts/format.sh [--check] FILE...
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

mode=-i
if [[ ${1:-} == --check ]]; then
    mode=--dry-run
    shift
fi
if (($#)); then
    files=("$@")
else
    mapfile -t files < <(git ls-files -- '*.cpp' '*.h')
fi
((${#files[@]})) || exit 0

if [[ $mode == -i ]]; then
    exec scripts/dev.sh clang-format-19 -i -- "${files[@]}"
fi
if ! scripts/dev.sh clang-format-19 --dry-run --Werror -- "${files[@]}" 2>/dev/null; then
    for file in "${files[@]}"; do
        scripts/dev.sh clang-format-19 --dry-run --Werror -- "$file" 2>/dev/null || echo "$file"
    done
    echo "format: the files above differ from .clang-format; scripts/format.sh rewrites them" >&2
    exit 1
fi
