// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/code_source.h"

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

std::vector<code::ColorSpan> colored(const std::vector<script::VarUse> &uses, const document::Nest &nest)
{
    std::vector<code::ColorSpan> result;
    for (const script::VarUse &use : uses) {
        if (const document::NestRow *row = nest.row(use.loop))
            result.push_back({use.line, use.column, use.length, row->axis, use.loop});
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
    source.colors = colored(printed.varUses, nest);
    return source;
}

code::Source targetSource(const backend::Source &source, const document::Nest &nest)
{
    code::Source result;
    result.text = QString::fromStdString(source.text);
    result.language = languageOf(source.kind);
    result.spans = linked(source.spans, nest);
    result.colors = colored(source.varUses, nest);
    return result;
}

} // namespace nestwright::app
