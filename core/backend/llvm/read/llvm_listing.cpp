// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/llvm_listing.h"

#include "core/backend/llvm/read/assembly.h"

#include <array>
#include <unordered_map>

namespace nestwright::backend {

using support::StmtId;

Listing cleanAssembly(std::string_view text, std::string_view comment)
{
    ListingWriter writer;
    forEachAssemblyLine(text, comment, [&](const AssemblyLine &line) {
        if (line.kind != AssemblyLine::Kind::Nothing)
            writer.line(line.code, line.stmt);
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
