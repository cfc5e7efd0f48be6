// SPDX-License-Identifier: Apache-2.0
/// The passes over graphs as a table, and the function that runs them.
///
/// To add one: a file of this folder with its function, declared in `declarations.h`, and a row of the table
/// in `passes.cpp`.
#pragma once

#include "core/graph/graph.h"
#include "core/support/pass_runner.h"
#include "core/target/context.h"

#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::graph {

struct GraphPass {
    std::string_view name;
    std::string_view summary;
    int level; ///< of optimisation, from which on it runs; 4: only where it is required
    /// May throw support::UserError.
    Function (*run)(Function function, const target::Context &context);
};

/// The passes in the order in which they run.
std::span<const GraphPass> graphPasses();

/// The choice of passes: those of the level and below, and the required ones; but not the disabled ones.
struct PassContext {
    int level = 3; ///< 0 the required ones, 1 fusion, 2 folding too, 3 all
    std::set<std::string, std::less<>> required, disabled;
    bool keepRecords = false;
    std::stop_token stop;
    target::Context target{}; ///< of the kernels

    bool runs(const GraphPass &pass) const;
};

using GraphPassRecord = support::PassRecord<Function>;

struct Optimized {
    Function function;
    std::vector<GraphPassRecord> records; ///< one per pass that ran, if they were asked for
};

/// Errors: "graph.pass" (a pass left a graph that is not well-formed: the message names it),
/// "graph.unknown-pass", "cancelled", and those of the passes.
support::Result<Optimized> optimize(Function function, const PassContext &context);

} // namespace nestwright::graph
