#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command on a private display (Xvfb) that ends with it:  scripts/with_display.sh COMMAND [ARGUMENT...]
set -euo pipefail

folder=$(mktemp -d)
server=
cleanup() {
    [[ -z $server ]] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
    rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# Xvfb picks a free display and writes its number when it is ready to be used.
mkfifo "$folder/number"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$folder/number" >"$folder/log" 2>&1 &
server=$!
if ! read -r -t 30 number <"$folder/number"; then
    cat "$folder/log" >&2
    echo "with_display: Xvfb did not start" >&2
    exit 1
fi
export DISPLAY=:$number QT_QPA_PLATFORM=xcb
unset WAYLAND_DISPLAY
"$@"
