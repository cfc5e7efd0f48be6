#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The part of scripts/package_check.sh that runs in a bare system:  FOLDER-OF-PROGRAMS NAME-OF-PICTURE
set -euo pipefail
bin=$1 picture=/tmp/pictures/$2.png
export HOME=/tmp/home QT_QPA_PLATFORM=xcb
mkdir -p "$HOME"
fail() {
    printf '%s\n' "package: $*" >&2
    exit 1
}

"$bin/nestc" --version
"$bin/nestwright" --version

# A bundle takes no library from elsewhere.
if [[ $bin != /usr/bin ]]; then
    LD_TRACE_LOADED_OBJECTS=1 "$bin/nestwright" >/tmp/libraries
    own="linux-vdso|=> ${bin%/bin}/lib/|=> $bin/../lib/|/lib64/ld-linux-x86-64"
    foreign=$(grep -vE "$own" /tmp/libraries || true)
    [[ -z $foreign ]] || fail "libraries from outside the bundle: $foreign"
fi

# The worker is found, its sandbox is what the system allows, and a kernel that LLVM compiled is verified and
# timed.
"$bin/nestc" list machine | grep ^sandbox- | tee /tmp/sandbox
grep -q '^sandbox-system-calls .*: applied$' /tmp/sandbox || fail "kernels run without a list of system calls"
"$bin/nestc" measure 'op:matmul(M=64,N=64,K=64)' --repetitions 3 --seconds 0.01 | tee /tmp/measured
grep -q 'verified$' /tmp/measured || fail "the kernel is not verified"

# The window stands on a real display, with its fonts and icons.
timeout 60 "$bin/nestwright" 'op:matmul(M=64,N=64,K=64)' --screenshot "$picture" 2>/tmp/errors || {
    cat /tmp/errors >&2
    fail "the window does not start"
}
cat /tmp/errors
size=$(stat -c %s "$picture")
((size > 50000)) || fail "the picture of the window has only $size bytes"
echo "package: the window is up; its picture has $size bytes"
