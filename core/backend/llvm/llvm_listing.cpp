// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/llvm_listing.h"

#include <array>
#include <unordered_map>

namespace nestwright::backend {

namespace {

using support::StmtId;

/// Directives that only tools read.
bool isNoise(std::string_view line)
{
    constexpr std::array<std::string_view, 10> directives{
        ".file", ".loc",   ".cfi_", ".section\t\".note", ".addrsig", ".type",
        ".size", ".ident", ".text", ".prefalign"};
    for (const std::string_view directive : directives) {
        if (line.starts_with(directive))
            return true;
    }
    return line.starts_with("# -- End") || line.starts_with("# %bb.");
}

/// Labels that nothing but directives refers to.
bool isToolLabel(std::string_view line)
{
    return line.starts_with(".Ltmp") || line.starts_with(".Lfunc_") || line.starts_with(".Lline_");
}

std::string_view withoutComment(std::string_view line)
{
    const std::size_t mark = line.find('#');
    const std::string_view code = mark == std::string_view::npos ? line : line.substr(0, mark);
    return code.substr(0, code.find_last_not_of(" \t") + 1);
}

} // namespace

Listing cleanAssembly(std::string_view text)
{
    ListingWriter writer;
    StmtId current;
    forEachLine(text, [&](std::string_view line) {
        const std::string_view words = trimmed(line);
        if (words.starts_with(".loc\t") || words.starts_with(".loc ")) { // .loc FILE LINE COLUMN
            const std::string_view rest = trimmed(words.substr(5));
            const std::size_t blank = rest.find_first_of(" \t");
            current = StmtId{blank == std::string_view::npos ? 0 : leadingNumber(rest.substr(blank + 1))};
            return;
        }
        if (words.empty() || isNoise(words) || isToolLabel(words))
            return;
        const bool isLabel = line.front() != '\t' && line.front() != ' ';
        const std::string_view code = withoutComment(line);
        if (trimmed(code).empty())
            return;
        const bool isFunction = isLabel && !code.starts_with(".L");
        if (isFunction)
            current = {};
        writer.line(code, isLabel || trimmed(code).starts_with('.') ? StmtId{} : current);
    });
    return writer.take();
}

Listing cleanLlvmIr(std::string_view text)
{
    std::unordered_map<std::uint32_t, StmtId> places; // metadata number → statement
    forEachLine(text, [&](std::string_view line) {
        const std::size_t at = line.find("!DILocation(line: ");
        if (line.starts_with('!') && at != std::string_view::npos)
            places[leadingNumber(line.substr(1))] = StmtId{leadingNumber(line.substr(at + 18))};
    });

    ListingWriter writer;
    bool wasBlank = true;
    forEachLine(text, [&](std::string_view line) {
        constexpr std::array<std::string_view, 6> noise{
            "!", "attributes #", "source_filename", "; ModuleID", "; Function Attrs", "target datalayout"};
        for (const std::string_view start : noise) {
            if (line.starts_with(start))
                return;
        }
        StmtId stmt;
        std::string shown(line);
        if (const std::size_t at = shown.find(", !dbg !"); at != std::string::npos) {
            const auto place = places.find(leadingNumber(std::string_view(shown).substr(at + 8)));
            stmt = place == places.end() ? StmtId{} : place->second;
            shown.erase(at);
        }
        if (shown.starts_with("define ")) { // … ) local_unnamed_addr #0 !dbg !5 {
            const std::size_t at = shown.find(" !dbg ");
            if (at != std::string::npos)
                shown = shown.substr(0, at) + " {";
        }
        for (const std::string_view attached :
             {", !noalias ", ", !alias.scope ", ", !range ", ", !llvm.loop "}) {
            if (const std::size_t at = shown.find(attached); at != std::string::npos)
                shown.erase(at);
        }
        const bool isBlank = trimmed(shown).empty();
        if (isBlank && wasBlank)
            return;
        wasBlank = isBlank;
        writer.line(shown, stmt);
    });
    return writer.take();
}

} // namespace nestwright::backend
