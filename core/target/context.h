// SPDX-License-Identifier: Apache-2.0
/// The target of a compilation and the machine that it is for, as passes and schedules get them.
#pragma once

#include "core/target/machine.h"
#include "core/target/target.h"

#include <utility>

namespace nestwright::target {

struct Context {
    Target target{};
    Machine machine = tunedMachine();

    Context() = default;
    /// For the machine that schedules are tuned for.
    Context(Target of) : target(std::move(of)) {} // NOLINT(google-explicit-constructor): a target says enough
    Context(Target of, Machine on) : target(std::move(of)), machine(std::move(on)) {}
};

} // namespace nestwright::target
