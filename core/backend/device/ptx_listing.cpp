// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/ptx_listing.h"

#include <algorithm>

namespace nestwright::backend {

using support::StmtId;

namespace {

/// The line of ".loc FILE LINE COLUMN"; of code of a helper, the line that calls it ("…, inlined_at FILE
/// LINE COLUMN").
std::uint32_t lineOf(std::string_view directive)
{
    constexpr std::string_view caller = "inlined_at ";
    const std::size_t at = directive.rfind(caller);
    std::string_view words = directive.substr(at == std::string_view::npos ? 0 : at + caller.size());
    words.remove_prefix(std::min(words.find_first_of(" \t"), words.size()));
    return leadingNumber(trimmed(words));
}

/// Labels that only directives of the debugger refer to.
bool isToolLabel(std::string_view words)
{
    return words.starts_with("$L__tmp") || words.starts_with("$L__func_");
}

} // namespace

StmtId statementAt(std::uint32_t line, std::span<const script::LineSpan> spans)
{
    StmtId found;
    int least = 0;
    for (const script::LineSpan &span : spans) {
        const int at = static_cast<int>(line) - 1, lines = span.lastLine - span.firstLine + 1;
        if (span.firstLine <= at && at <= span.lastLine && (!found || lines <= least)) {
            found = span.stmt;
            least = lines;
        }
    }
    return found;
}

Listing cleanPtx(std::string_view ptx, std::string_view comment,
                 const std::function<StmtId(std::uint32_t line)> &statementOf)
{
    ListingWriter writer;
    writer.line("// " + std::string(comment), {});
    StmtId current;
    bool isOfDebugger = false, wasBlank = true;
    forEachLine(ptx, [&](std::string_view line) {
        constexpr std::string_view location = ".loc";
        const std::string_view words = trimmed(line);
        isOfDebugger = isOfDebugger || words.starts_with(".section"); // the last of a listing
        if (isOfDebugger || words.starts_with(".file") || words.starts_with("//") || isToolLabel(words))
            return;
        const bool isLocation = words.starts_with(location) && !words.starts_with(".local");
        if (isLocation) {
            current = statementOf(lineOf(trimmed(words.substr(location.size()))));
            return;
        }
        const bool isBlank = words.empty();
        if (isBlank && wasBlank)
            return;
        wasBlank = isBlank;
        const bool isCode = words.ends_with(';') && !words.starts_with('.');
        if (words.starts_with(".visible"))
            current = {};
        writer.line(line, isCode ? current : StmtId{});
    });
    return writer.take();
}

} // namespace nestwright::backend
