// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend.h"
#include "core/backend/link/export.h"
#include "core/workbench/requests/declarations.h"
#include "core/workbench/requests/program_parameters.h"

#include <array>

namespace nestwright::workbench {

using support::fail;
using support::Json;
using support::Result;

namespace {

std::vector<std::string_view> formatNames()
{
    std::vector<std::string_view> names;
    for (const backend::SourceFormat &format : backend::sourceFormats())
        names.push_back(format.name);
    return names;
}

constexpr Parameter formatParameter{"format", ParameterKind::Text, "kind of text", true, formatNames};
constexpr std::array sourceParameters{moduleParameter, scheduleParameter, formatParameter};

Result<Json> sourceText(Opener &opener, const Parameters &parameters)
{
    const backend::SourceFormat *format = backend::findSourceFormat(parameters.text(formatParameter.name));
    const auto path = pathOf(opener, parameters);
    if (!path)
        return fail(path.error());
    const auto target = backend::exportTarget(format->name, {});
    if (!target)
        return fail(target.error());
    const auto source = backend::source(path->end().module, *target, format->kind);
    if (!source)
        return fail(source.error());
    Json spans = Json::array();
    for (const script::LineSpan &each : source->spans)
        spans.push_back(
            {{"id", each.stmt.value}, {"first", each.firstLine + 1}, {"last", each.lastLine + 1}});
    return Json{{"format", format->name}, {"text", source->text}, {"spans", std::move(spans)}};
}

} // namespace

constinit const Request sourceRequest{
    "source", "Generate the source of a program", sourceParameters,
    "format, text; spans: the lines, from 1, that belong to a loop or block: id, first, last", sourceText};

} // namespace nestwright::workbench
