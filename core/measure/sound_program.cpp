// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sound_program.h"

#include "core/analysis/parallel_conflicts.h"
#include "core/analysis/unwritten.h"
#include "core/ir/walk.h"
#include "core/script/printer.h"

#include <algorithm>
#include <string_view>

namespace nestwright::measure {

namespace {

/// The diagnostic with the lines of its loops and blocks in the program as `nestc print` writes it: where a
/// schedule has changed it, the file has no line for them.
support::Diagnostic withLines(support::Diagnostic reason, const ir::Module &module)
{
    const script::Printed program = script::print(module, {.columns = script::readableColumns});
    for (support::Location &location : reason.locations) {
        const auto span = std::ranges::find(program.spans, location.stmt, &script::LineSpan::stmt);
        if (!location.stmt || span == program.spans.end())
            continue;
        std::string_view rest = program.text;
        for (int line = 0; line < span->firstLine; ++line)
            rest.remove_prefix(rest.find('\n') + 1);
        location.file = "printed program";
        location.line = span->firstLine + 1;
        location.column = static_cast<int>(rest.find_first_not_of(' ')) + 1;
    }
    return reason;
}

} // namespace

support::Result<void> requireSound(const ir::Module &module, const std::string &function)
{
    const ir::Function found = module.find(function);
    if (!found)
        return {};
    if (auto conflict = analysis::parallelConflict(*found))
        return support::fail(withLines(std::move(*conflict), module));
    if (auto unwritten = analysis::unwrittenRead(*found))
        return support::fail(withLines(std::move(*unwritten), module));
    return {};
}

bool hasOwnMemory(const ir::PrimFunc &function)
{
    bool takes = false;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *block = s.as<ir::Block>();
        takes = takes || s.as<ir::Allocate>() || (block && !block->allocBuffers.empty());
        return !takes;
    });
    return takes;
}

} // namespace nestwright::measure
