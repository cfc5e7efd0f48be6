// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/code_source.h"

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

code::Language languageOf(backend::SourceKind kind)
{
    switch (kind) {
    case backend::SourceKind::LlvmIr: return code::Language::LlvmIr;
    case backend::SourceKind::Asm: return code::Language::Assembly;
    case backend::SourceKind::C: return code::Language::C;
    case backend::SourceKind::OpenCl: return code::Language::OpenCl;
    case backend::SourceKind::Cuda: return code::Language::Cuda;
    case backend::SourceKind::Ptx: return code::Language::Ptx;
    }
    return code::Language::Plain;
}

} // namespace

code::Source nestSource(const document::Nest &nest)
{
    code::Source source;
    source.text = QString::fromStdString(nest.printed.text);
    source.language = code::Language::TvmScript;
    source.spans = linked(nest.printed.spans, nest);
    for (const script::VarUse &use : nest.printed.varUses) {
        if (const document::NestRow *row = nest.row(use.loop))
            source.colors.push_back({use.line, use.column, use.length, row->axis, use.loop});
    }
    return source;
}

code::Source targetSource(const backend::Source &source, const document::Nest &nest)
{
    code::Source result;
    result.text = QString::fromStdString(source.text);
    result.language = languageOf(source.kind);
    result.spans = linked(source.spans, nest);
    return result;
}

} // namespace nestwright::app
