// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/diagnostic.h"

#include "core/support/errors/shortened.h"
#include "core/support/text/visible.h"

#include <utility>

namespace nestwright::support {

std::string Diagnostic::render() const
{
    std::string text;
    for (const Location &location : locations) {
        if (location.line == 0)
            continue;
        text = visibleName(location.file) + ':' + std::to_string(location.line) + ':'
               + std::to_string(location.column) + ": ";
        break;
    }
    text += "error: " + visible(shortened(message)); // it may have grown since it was made
    if (!code.empty())
        text += " [" + code + ']';
    if (!hint.empty())
        text += "\n  hint: " + visible(hint);
    return text;
}

Diagnostic &&Diagnostic::withHint(std::string text) &&
{
    hint = std::move(text);
    return std::move(*this);
}

Diagnostic &&Diagnostic::at(StmtId stmt, std::string label) &&
{
    locations.push_back({.file = {}, .line = 0, .column = 0, .stmt = stmt, .label = std::move(label)});
    return std::move(*this);
}

Diagnostic &&Diagnostic::at(std::string file, int line, int column) &&
{
    locations.push_back({.file = std::move(file), .line = line, .column = column, .stmt = {}, .label = {}});
    return std::move(*this);
}

namespace {

bool continuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

} // namespace

std::string shortened(std::string text)
{
    if (text.size() <= longestMessage)
        return text;
    std::size_t head = longestMessage * 3 / 4, tail = text.size() - longestMessage / 4;
    while (continuesCharacter(text[head])) // between characters
        --head;
    while (tail < text.size() && continuesCharacter(text[tail]))
        ++tail;
    return text.replace(head, tail - head, " … ");
}

std::string_view familyOf(const Diagnostic &diagnostic)
{
    return std::string_view(diagnostic.code).substr(0, diagnostic.code.find('.'));
}

Diagnostic diagnostic(std::string_view code, std::string message)
{
    message = shortened(std::move(message));
    return {.code = std::string(code), .message = std::move(message), .locations = {}, .hint = {}};
}

} // namespace nestwright::support
