// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/code_source.h"

#include "widgets/code/code_text.h"

#include <algorithm>

namespace nestwright::app {

namespace {

std::vector<code::Span> linked(const std::vector<script::LineSpan> &spans, const document::Nest &nest)
{
    std::vector<code::Span> result;
    result.reserve(spans.size());
    for (const script::LineSpan &span : spans) {
        if (const document::NestRow *row = nest.row(span.stmt))
            result.push_back({span.stmt, span.firstLine, span.lastLine, row->axis});
    }
    return result;
}

/// Characters before a column of the line that take two units of UTF-16.
int widerBefore(QStringView line, int column)
{
    int wider = 0;
    for (qsizetype i = 0; i < line.size() && i < column + wider; ++i)
        wider += line[i].isHighSurrogate() ? 1 : 0;
    return wider;
}

/// Columns of `uses` are characters, names of variables hold none that is wide.
std::vector<code::ColorSpan> colored(const std::vector<script::VarUse> &uses, const QString &text,
                                     const document::Nest &nest)
{
    const bool hasWide = std::ranges::any_of(text, [](QChar c) { return c.isHighSurrogate(); });
    const code::CodeText lines(hasWide ? text : QString());
    std::vector<code::ColorSpan> result;
    for (const script::VarUse &use : uses) {
        const document::NestRow *row = nest.row(use.loop);
        if (!row)
            continue;
        const int wider = hasWide ? widerBefore(lines.line(use.line), use.column) : 0;
        result.push_back({use.line, use.column + wider, use.length, row->axis, use.loop});
    }
    return result;
}

} // namespace

code::Language languageOf(backend::SourceKind kind)
{
    switch (kind) {
    case backend::SourceKind::Lowered: return code::Language::TvmScript;
    case backend::SourceKind::UnoptimizedLlvmIr:
    case backend::SourceKind::LlvmIr: return code::Language::LlvmIr;
    case backend::SourceKind::Asm:
    case backend::SourceKind::IntelAsm: return code::Language::Assembly;
    case backend::SourceKind::C: return code::Language::C;
    case backend::SourceKind::OpenCl: return code::Language::OpenCl;
    case backend::SourceKind::Cuda: return code::Language::Cuda;
    case backend::SourceKind::Ptx: return code::Language::Ptx;
    case backend::SourceKind::Sass: return code::Language::Sass;
    }
    return code::Language::Plain;
}

code::Source nestSource(const document::Nest &nest, bool splitsGrids)
{
    const script::Printed &printed = splitsGrids ? nest.apart : nest.printed;
    code::Source source;
    source.text = QString::fromStdString(printed.text);
    source.language = code::Language::TvmScript;
    source.spans = linked(printed.spans, nest);
    source.colors = colored(printed.varUses, source.text, nest);
    return source;
}

code::Source targetSource(const backend::Source &source, const document::Nest &nest)
{
    code::Source result;
    result.text = QString::fromStdString(source.text);
    result.language = languageOf(source.kind);
    result.spans = linked(source.spans, nest);
    result.colors = colored(source.varUses, result.text, nest);
    return result;
}

} // namespace nestwright::app
