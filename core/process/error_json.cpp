// SPDX-License-Identifier: Apache-2.0
#include "core/process/error_json.h"

#include "core/support/text/json.h"

#include <algorithm>
#include <array>

namespace nestwright::process {

using json = support::Json;
using support::Diagnostic;

namespace {

constexpr std::size_t longestText = 8000;

} // namespace

std::string shownText(std::string text)
{
    text.resize(std::min(text.size(), longestText));
    std::ranges::replace_if(
        text, [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 127; }, ' ');
    return text;
}

json toJson(const Diagnostic &diagnostic)
{
    json value{{"code", diagnostic.code}, {"message", diagnostic.message}, {"hint", diagnostic.hint}};
    if (!diagnostic.locations.empty()) {
        const support::Location &place = diagnostic.locations.front();
        value["place"] = {{"file", place.file}, {"line", place.line}, {"column", place.column}};
    }
    return value;
}

namespace {

/// The place where it is, if it is said in a way that can be.
void readPlace(const json &value, Diagnostic &diagnostic)
{
    const auto place = value.find("place");
    if (place == value.end() || !place->is_object())
        return;
    const auto number = [&](const char *name) {
        const auto found = place->find(name);
        const bool isInt = found != place->end() && found->is_number_integer();
        return isInt ? std::max(0, found->get<int>()) : 0;
    };
    const auto file = place->find("file");
    if (file != place->end() && file->is_string())
        diagnostic.locations.push_back({.file = shownText(file->get<std::string>()),
                                        .line = number("line"),
                                        .column = number("column"),
                                        .stmt = {},
                                        .label = {}});
}

} // namespace

std::optional<Diagnostic> errorFromJson(const json &value)
{
    if (!value.is_object())
        return std::nullopt;
    std::array<std::string, 3> texts;
    constexpr std::array names{"code", "message", "hint"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = value.find(names[i]);
        if (found == value.end())
            continue;
        if (!found->is_string())
            return std::nullopt;
        texts[i] = shownText(found->get<std::string>());
    }
    if (texts[0].empty() || texts[1].empty())
        return std::nullopt;
    Diagnostic diagnostic = support::diagnostic(texts[0], texts[1]).withHint(texts[2]);
    readPlace(value, diagnostic);
    return diagnostic;
}

} // namespace nestwright::process
