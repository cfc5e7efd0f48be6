// SPDX-License-Identifier: Apache-2.0
/// The processes in which kernels run: one kernel each, called and timed on demand.
#pragma once

#include "core/measure/sandbox/enclosure.h"
#include "core/measure/worker/kernel_arrays.h"
#include "core/measure/worker/worker_protocol.h"

#include <vector>

namespace nestwright::measure {

/// Kinds of Message between the worker and a process that runs a kernel.
enum class Word : std::int32_t {
    NotLoaded, ///< from the process: `text` says why
    NoMemory,  ///< from it: the arguments do not fit
    Ready,     ///< from it: everything is loaded
    Call,      ///< to it: take the arguments of set `number`, call the kernel once with `count` in every byte
               ///< of its own memory, show them
    Returned,  ///< from it: the kernel returned the code `number`; beside argument `count`, from 1 on, it has
               ///< written something, before it where `count` is negative; 0: beside none
    Take,      ///< to it: take the arguments of set `number`
    Taken,     ///< from it
    Time,      ///< to it: call it `count` times, or as often as takes `seconds` where that is 0
    Timed,     ///< from it: `count` calls took `seconds` each
    Show,      ///< to it: show the arguments as they are
    Shown,     ///< from it
    Audit,     ///< to it: call it for `seconds`, each time with an element of buffer `number` spoiled before
    Audited,   ///< from it: the element `count` was left so by a call; -1: none was
    Counted,   ///< from it: events of `count` calls lie in the shared memory
};

/// A kernel with the form in which it takes arguments.
struct KernelRun {
    const KernelFile &kernel;
    Precision precision = Precision::AsDeclared;
    std::span<const std::size_t> bounded{}; ///< as emptyArrays has it
};

/// Memory through which arguments of any of the request's sets are passed, as copyInto lays them.
std::size_t exchangeBytes(const MeasureRequest &request, const KernelRun &run);

/// Loads one kernel, says Ready, and does as it is told, with arguments taken from `exchange` and shown
/// there. No other kernel is in that process, nor any result of one.
Enclosure::Body running(const MeasureRequest &request, const KernelRun &run, const SharedMemory &exchange);

/// Calls the kernel once, and then so often with counters of kernelEvents, whose CountsInMemory it leaves in
/// `counts`; says Counted.
Enclosure::Body counting(const MeasureRequest &request, const KernelFile &kernel, std::int64_t calls,
                         std::span<std::byte> counts);

} // namespace nestwright::measure
