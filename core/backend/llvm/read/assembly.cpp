// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/assembly.h"

#include "core/backend/listing/listing.h"

#include <algorithm>
#include <array>

namespace nestwright::backend {

namespace {

using support::StmtId;

/// Directives that only tools read.
bool isNoise(std::string_view words)
{
    constexpr std::array<std::string_view, 10> directives{
        ".file", ".loc",   ".cfi_", ".section\t\".note", ".addrsig", ".type",
        ".size", ".ident", ".text", ".prefalign"};
    return std::ranges::any_of(directives, [&](std::string_view each) { return words.starts_with(each); });
}

/// Labels that nothing but directives refers to.
bool isToolLabel(std::string_view words)
{
    return words.starts_with(".Ltmp") || words.starts_with(".Lfunc_") || words.starts_with(".Lline_");
}

/// The statement of ".loc FILE LINE COLUMN".
StmtId locationOf(std::string_view words)
{
    const std::string_view rest = trimmed(words.substr(std::string_view(".loc ").size()));
    const std::size_t blank = rest.find_first_of(" \t");
    return StmtId{blank == std::string_view::npos ? 0 : leadingNumber(rest.substr(blank + 1))};
}

AssemblyLine::Kind kindOf(std::string_view code)
{
    using enum AssemblyLine::Kind;
    const std::string_view words = trimmed(code);
    if (words.empty() || isNoise(words) || isToolLabel(words))
        return Nothing;
    const bool isLabel = code.front() != '\t' && code.front() != ' ';
    if (isLabel)
        return words.starts_with(".L") ? Label : Function;
    return words.starts_with('.') ? Directive : Instruction;
}

} // namespace

void forEachAssemblyLine(std::string_view text, std::string_view comment,
                         const std::function<void(const AssemblyLine &line)> &visit)
{
    StmtId current;
    forEachLine(text, [&](std::string_view line) {
        const std::string_view words = trimmed(line);
        if (words.starts_with(".loc\t") || words.starts_with(".loc ")) {
            current = locationOf(words);
            return;
        }
        AssemblyLine found;
        const std::size_t mark = line.find(comment);
        found.code = line.substr(0, mark);
        found.code = found.code.substr(0, found.code.find_last_not_of(" \t") + 1);
        if (mark != std::string_view::npos)
            found.comment = line.substr(mark + comment.size());
        found.kind = kindOf(found.code);
        if (found.kind == AssemblyLine::Kind::Function)
            current = {};
        if (found.kind == AssemblyLine::Kind::Instruction)
            found.stmt = current;
        visit(found);
    });
}

} // namespace nestwright::backend
