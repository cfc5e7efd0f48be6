#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks the kernels for GPUs on an NVIDIA GPU: every example and the ladder of matmul on every rung of trust,
# their times, and cuBLAS beside the ladder. Needs nestc and NVIDIA's driver only; NVRTC by the toolkit or a
# wheel (`nestc list targets` says which was found).
#   scripts/gpu_check.sh [--nestc PROGRAM] [--size N] [--quick] [--only FOLDER]
#     --nestc  the program, else build/*/bin/nestc; one of the bundle (scripts/package.sh) runs anywhere
#     --size   of the matrices of the ladder that is measured: 4096
#     --quick  no measurements
#     --only   the schedules of one folder: gpu_softmax
# Without nestc, and with nothing but a compiler of C++23, CMake, CLI11 and nlohmann-json:
#   cmake -S . -B build/bare -DNESTWRIGHT_GUI=OFF -DNESTWRIGHT_LLVM=OFF -DNESTWRIGHT_UNITY=ON
#   cmake --build build/bare --target nestc
# Exit status: 0 when every rung that is there holds.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

nestc='' size=4096 quick=0 only='gpu_*'
while (($# > 0)); do
    case $1 in
    --nestc) nestc=${2:?"--nestc needs a program"}; shift 2 ;;
    --size) size=${2:?"--size needs a number"}; shift 2 ;;
    --quick) quick=1; shift ;;
    --only) only=${2:?"--only needs a folder of examples/schedules"}; shift 2 ;;
    *) echo "gpu_check: unknown option '$1'; see the head of the script" >&2; exit 2 ;;
    esac
done
if [[ -z $nestc ]]; then
    for found in build/*/bin/nestc; do
        [[ -x $found ]] && nestc=$found
    done
fi
[[ -x $nestc ]] || { echo "gpu_check: no nestc; build it, or name it by --nestc" >&2; exit 2; }

"$nestc" list targets | grep -E '^(cuda|opencl)' || true

# The program that a folder of schedules is for.
program_of() {
    case $1 in
    gpu_matmul) echo examples/matmul.py ;;
    gpu_conv2d) echo examples/conv2d.py ;;
    gpu_softmax) echo examples/softmax.py ;;
    gpu_row_sum) echo examples/row_sum.py ;;
    *) echo "examples/gpu/${1#gpu_}.py" ;;
    esac
}

failed=0
printf '\n%-42s %s\n' "schedule" "rungs of trust"
for schedule in examples/schedules/$only/*.py; do
    [[ -f $schedule ]] || { echo "gpu_check: no schedules in examples/schedules/$only" >&2; exit 2; }
    folder=$(basename "$(dirname "$schedule")")
    program=$(program_of "$folder")
    case $folder in gpu_matmul) program="op:matmul(M=128,N=128,K=128)" ;; esac
    status=0
    rungs=$("$nestc" verify "$program" --schedule "$schedule" --target cuda --how all 2>&1) || status=$?
    ((status == 0)) || failed=1
    printf '%-42s %s\n' "$folder/$(basename "$schedule" .py)" \
        "$(awk '/^[a-z]/ { printf "%s%s %s", n++ ? " · " : "", $1, $2 == "not" ? "not here" : $2 }' \
            <<<"$rungs")"
    ((status == 0)) || sed 's/^/    /' <<<"$rungs"
done

if ((!quick)); then
    product="op:matmul(M=$size,N=$size,K=$size)"
    echo
    "$nestc" measure "$product" --target cuda \
        $(printf -- '--schedule %s ' examples/schedules/gpu_matmul/*.py) || failed=1
    "$nestc" peer "$product" --target cuda || true # for comparison only
    for schedule in examples/schedules/gpu_{softmax,layer_norm,row_sum,transpose}/*.py; do
        program=$(program_of "$(basename "$(dirname "$schedule")")")
        echo
        echo "$(basename "$(dirname "$schedule")")"
        "$nestc" measure "$program" --schedule "$schedule" --target cuda || failed=1
    done
fi
exit $failed
