// SPDX-License-Identifier: Apache-2.0
#include "core/backend/edited_code.h"

#include "core/backend/codes.h"
#include "core/backend/table/backend_table.h"
#include "core/ir/node/attributes.h"
#include "core/support/text/three_way_merge.h"

#include <algorithm>
#include <charconv>
#include <format>

namespace nestwright::backend {

using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;
using target::Target;

namespace {

/// The backend that makes machine code of such a text of a person's; null where none does.
const Backend *editingBackend(SourceKind kind)
{
    return firstBackend([&](const Backend &each) { return std::ranges::contains(each.edited.kinds, kind); });
}

Result<void> checkEditable(SourceKind kind, const Target &target)
{
    const SourceFormat &format = sourceFormat(kind);
    if (!isEditable(kind))
        return fail(diagnostic("edited.kind", std::format("{} cannot be edited", format.title))
                        .withHint("C, LLVM IR and assembly can"));
    if (target.isGpu() || !target.mtriple.empty())
        return fail(
            diagnostic("edited.kind", std::format("edited {} runs on this processor, which '{}' is not",
                                                  format.title, target.str()))
                .withHint("choose the target llvm or c"));
    return {};
}

struct PlacedError {
    int line = 0, column = 0;
    std::string_view message;
};

/// "FILE:LINE:COLUMN: error: …"
std::optional<PlacedError> errorIn(std::string_view line, std::string_view file)
{
    const std::size_t at = line.find(file);
    const std::size_t error = line.find("error: ");
    if (at == std::string_view::npos || error == std::string_view::npos || error < at)
        return {};
    const std::string_view place = line.substr(at + file.size(), error - at - file.size());
    PlacedError found{.message = line.substr(error + 7)};
    if (!place.starts_with(':'))
        return {};
    const char *const end = place.data() + place.size();
    const auto number = std::from_chars(place.data() + 1, end, found.line);
    if (number.ec != std::errc())
        return {};
    if (number.ptr != end && *number.ptr == ':')
        std::from_chars(number.ptr + 1, end, found.column);
    return found;
}

} // namespace

bool isEditable(SourceKind kind) { return editingBackend(kind) != nullptr; }

std::optional<SourceKind> editableKindOf(std::string_view fileName)
{
    const auto dot = fileName.rfind('.');
    const std::string_view extension = dot == std::string_view::npos ? "" : fileName.substr(dot + 1);
    for (const Backend *backend : backends()) {
        for (const SourceKind kind : backend->edited.kinds) {
            if (sourceFormat(kind).extension == extension)
                return kind;
        }
    }
    return {};
}

Result<Source> editableSource(const ir::Module &scheduled, const Target &target, SourceKind kind,
                              std::stop_token stop)
{
    if (const auto checked = checkEditable(kind, target); !checked)
        return fail(checked.error());
    const Target own = targetOf(sourceFormat(kind), target);
    const auto make = editingBackend(kind)->edited.source;
    if (!make)
        return source(scheduled, own, kind, std::move(stop));
    const auto unit = unitOf(scheduled, own, stop);
    if (!unit)
        return fail(unit.error());
    return make(*unit, own, kind, stop);
}

Result<TextUnit> textUnit(const ir::Module &scheduled, const Target &target, EditedCode code,
                          std::stop_token stop)
{
    if (const auto checked = checkEditable(code.kind, target); !checked)
        return fail(checked.error());
    if (const auto line = support::conflictAt(code.text))
        return fail(diagnostic("edited.conflict", std::format("{} of the edit's conflicts are not settled",
                                                              support::conflictsIn(code.text)))
                        .at(code.name, *line, 1)
                        .withHint("keep one side of each, or both, and delete the lines of marks"));
    auto entries = entriesOf(scheduled);
    if (!entries)
        return fail(entries.error());
    const Target own = targetOf(sourceFormat(code.kind), target);
    if (const auto check = editingBackend(code.kind)->edited.check) {
        const auto generated = source(scheduled, own, code.kind, std::move(stop));
        if (!generated)
            return fail(generated.error());
        if (const auto checked = check(code, *generated); !checked)
            return fail(checked.error());
    }
    const bool isFast = std::ranges::all_of(scheduled.functions(), [](const ir::Module::Entry &entry) {
        return ir::allowsFastMath(*entry.function);
    });
    return TextUnit{std::move(code), own, isFast, std::move(*entries)};
}

Result<Artifact> compileText(const TextUnit &unit, const std::stop_token &stop)
{
    const Backend *backend = editingBackend(unit.code.kind);
    if (!backend)
        return fail(codes::notBuilt, std::format("this program was built without what compiles {}",
                                                 sourceFormat(unit.code.kind).title));
    auto artifact = backend->edited.compile(unit, stop);
    if (artifact) {
        artifact->entries = unit.entries;
        artifact->target = unit.target.str();
        artifact->isEdited = true;
    }
    return artifact;
}

Diagnostic compilerError(std::string_view output, const std::string &file, const EditedCode &code)
{
    std::optional<PlacedError> first;
    int others = -1;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        if (const auto error = errorIn(output.substr(0, end), file)) {
            first = first ? first : error;
            ++others;
        }
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    const std::string title = (code.isPeers ? "" : "edited ") + std::string(sourceFormat(code.kind).title);
    const std::string_view errorCode = code.isPeers ? "code.compile" : "edited.compile";
    if (!first)
        return diagnostic(errorCode, "the " + title + " does not compile");
    std::string message(first->message);
    if (others > 0)
        message += std::format(" (and {} more {})", others, others == 1 ? "error" : "errors");
    return diagnostic(errorCode, "the " + title + " does not compile: " + message)
        .at(code.name, first->line, first->column);
}

} // namespace nestwright::backend
