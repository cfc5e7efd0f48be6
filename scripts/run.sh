#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Opens the explorer; sets up what is missing and builds first.
#   scripts/run.sh                 on the bundled matrix multiplication
#   scripts/run.sh ARGUMENT...     the rest goes to nestwright: a file to open, --help
# Without a display it does the same job headless: it measures the bundled schedules of matmul and leaves the
# table (out/ladder.txt), the chart (out/ladder.svg) and a picture of the window (out/window.png).
set -euo pipefail
here=$PWD
start=${EPOCHREALTIME/[.,]/}
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
project=$PWD
bin=$project/build/release/bin

scripts/build.sh release nestwright nestc

if [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]; then
    if (($#)); then
        cd "$here" # so that relative file names mean what the user typed
    else
        set -- examples/matmul.py
    fi
    exec "$project/scripts/dev.sh" "$bin/nestwright" "$@"
fi

echo "run: no display, so the window is drawn on a virtual one"
mkdir -p out
scripts/dev.sh scripts/with_display.sh "$bin/nestwright" examples/matmul.py --screenshot out/window.png
taken=$(((${EPOCHREALTIME/[.,]/} - start) / 10000))
printf 'run: the window stood there after %d.%02d s\n' $((taken / 100)) $((taken % 100))
scripts/dev.sh "$bin/nestc" measure examples/matmul.py --schedule examples/schedules/matmul/*.py \
    --chart out/ladder.svg | tee out/ladder.txt
echo "run: see out/window.png, out/ladder.svg and out/ladder.txt"
