// SPDX-License-Identifier: Apache-2.0
/// The lowering pipeline: from scheduled blocks to flat loops, as a table of passes run by one function.
///
/// The flat form: buffers are one-dimensional and compact; statements are For, IfThenElse, LetStmt,
/// BufferStore, Evaluate, Allocate with a DeclBuffer inside, While, AssertStmt, and AttrStmt
/// `ir::blockMarker`. Vectors are Ramp and Broadcast; Parallel loops are kept; loops keep their StmtIds.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/pass_runner.h"
#include "core/target/context.h"

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace nestwright::lower {

/// The form of a program before and after a pass.
enum class Form : std::uint8_t {
    Blocks, ///< blocks with regions; multi-dimensional buffers
    Loops,  ///< no blocks; multi-dimensional buffers
    Flat,   ///< no blocks; one-dimensional buffers
};

/// One row of the table. `run` may throw support::UserError.
struct Pass {
    std::string_view name;
    std::string_view summary;
    Form from;              ///< the least lowered form that it takes
    std::optional<Form> to; ///< nothing where it keeps the form
    ir::Module (*run)(const ir::Module &module, const target::Context &context);
};

/// Every pass, each once.
std::span<const Pass> passes();
/// Null when there is none of that name.
const Pass *findPass(std::string_view name);
/// The passes in the order in which `lower` runs them for `target`.
std::vector<const Pass *> pipeline(const target::Target &target);

using PassRecord = support::PassRecord<ir::Module>;

struct Lowered {
    ir::Module module;
    std::vector<PassRecord> records; ///< one per pass, if they were asked for
};

/// Errors: those of analysis::verify where the program is ill-formed to begin with, "lower.unsupported",
/// "cancelled", and those of the passes. A pass that leaves an ill-formed program is an InternalError.
support::Result<Lowered> lower(const ir::Module &module, const target::Context &context,
                               const support::PassOptions &options = {});

/// Like `lower`, but a device's kernels stay in place in the host's code: the program that the threads run,
/// with their barriers, as the interpreter runs it.
support::Result<ir::Module> lowerToThreads(const ir::Module &module, const target::Context &context,
                                           std::stop_token stop = {});

/// One pass with the checks of the pipeline. The record holds both modules. Error besides: "lower.form"
/// where the program is not lowered as far as the pass asks for; the hint names the passes to run before.
support::Result<PassRecord> runPass(const Pass &pass, const ir::Module &module,
                                    const target::Context &context);

} // namespace nestwright::lower
