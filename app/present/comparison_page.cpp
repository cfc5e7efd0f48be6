// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/comparison_page.h"

#include "app/present/code_source.h"
#include "core/explore/compare/source_alignment.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "widgets/code/code_text.h"
#include "widgets/document/text.h"

#include <algorithm>
#include <span>
#include <utility>

namespace nestwright::app {

namespace {

/// Equal lines that are seen around those that differ.
constexpr int context = 3;

std::vector<code::LinePair> linePairs(const std::vector<explore::AlignedLine> &lines, int firstCount,
                                      int secondCount)
{
    std::vector<code::LinePair> pairs;
    pairs.reserve(lines.size());
    for (const explore::AlignedLine &line : lines) {
        // The empty line behind the last line break is none of a view's.
        const int first = line.first < firstCount ? line.first : -1,
                  second = line.second < secondCount ? line.second : -1;
        if (first >= 0 || second >= 0)
            pairs.push_back({first, second, line.isSame && first >= 0 && second >= 0});
    }
    return pairs;
}

/// The loop of each line; spans within others come behind them.
std::vector<support::StmtId> loopsOfLines(std::span<const script::LineSpan> spans)
{
    std::vector<support::StmtId> loops;
    for (const script::LineSpan &span : spans) {
        loops.resize(std::max(loops.size(), static_cast<std::size_t>(span.lastLine) + 1));
        std::fill(loops.begin() + span.firstLine, loops.begin() + span.lastLine + 1, span.stmt);
    }
    return loops;
}

/// Lines of a pair of loops that follow each other, some of the first alone and then some of the second
/// alone, stand beside each other: code that has nothing in common is read so.
std::vector<explore::AlignedLine> besideEachOther(const std::vector<explore::AlignedLine> &lines,
                                                  std::span<const script::LineSpan> first,
                                                  std::span<const script::LineSpan> second,
                                                  const std::vector<explore::LoopPair> &pairs)
{
    const std::vector<support::StmtId> one = loopsOfLines(first), other = loopsOfLines(second);
    const auto loopAt = [](const std::vector<support::StmtId> &loops, int line) {
        const auto place = static_cast<std::size_t>(line);
        return line >= 0 && place < loops.size() ? loops[place] : support::StmtId();
    };
    std::vector<explore::AlignedLine> result;
    for (std::size_t i = 0; i < lines.size();) {
        const support::StmtId loop = lines[i].second < 0 ? loopAt(one, lines[i].first) : support::StmtId();
        const auto pair = std::ranges::find(pairs, loop, &explore::LoopPair::first);
        std::size_t middle = i;
        while (loop && middle < lines.size() && lines[middle].second < 0
               && loopAt(one, lines[middle].first) == loop)
            ++middle;
        std::size_t end = middle;
        while (loop && pair != pairs.end() && pair->second && end < lines.size() && lines[end].first < 0
               && loopAt(other, lines[end].second) == pair->second)
            ++end;
        for (std::size_t row = 0; row < std::max(middle - i, end - middle); ++row)
            result.push_back({row < middle - i ? lines[i + row].first : -1,
                              row < end - middle ? lines[middle + row].second : -1, false});
        if (middle == i)
            result.push_back(lines[end++]);
        i = end;
    }
    return result;
}

code::Difference differenceOf(const std::vector<explore::AlignedLine> &lines, code::Source older,
                              code::Source newer)
{
    const std::vector<code::LinePair> pairs =
        linePairs(lines, code::CodeText(older.text).lineCount(), code::CodeText(newer.text).lineCount());
    const bool isSame = std::ranges::all_of(pairs, &code::LinePair::isCommon);
    return code::differenceOf(std::move(older), std::move(newer),
                              isSame ? pairs : code::folded(pairs, context));
}

code::Difference aligned(const ComparisonPage &page, const explore::SpannedText &first, code::Source older,
                         const explore::SpannedText &second, code::Source newer, explore::LineFilter filter)
{
    std::vector<explore::LoopPair> statements = page.comparison.pairs;
    statements.insert(statements.end(), page.comparison.blocks.begin(), page.comparison.blocks.end());
    return differenceOf(explore::alignLines(first, second, statements, filter), std::move(older),
                        std::move(newer));
}

/// The loops' lines of machine code, those around first: of each from its first instruction to its last.
std::vector<script::LineSpan> linesOfLoops(const explore::VariantFacts &facts)
{
    std::vector<script::LineSpan> spans;
    for (const explore::LoopView &view : facts.loops) {
        if (view.code)
            spans.push_back({view.loop, view.code->firstLine, view.code->lastLine});
    }
    std::ranges::stable_sort(
        spans, {}, [](const script::LineSpan &each) { return std::pair(each.firstLine, -each.lastLine); });
    return spans;
}

/// Lines of no axis of ours.
code::Source peerSource(const backend::Disassembly &code)
{
    code::Source source;
    source.text = QString::fromStdString(code.text);
    source.language = code::Language::Assembly;
    for (const script::LineSpan &span : code.spans)
        source.spans.push_back({span.stmt, span.firstLine, span.lastLine, -1});
    return source;
}

support::Result<code::Difference> alignedWithPeer(const ComparisonPage &page, const target::Target &target,
                                                  const std::stop_token &stop)
{
    constexpr backend::SourceKind kind = backend::SourceKind::Asm;
    const auto first = backend::source(page.first->loops.state().module,
                                       backend::targetOf(backend::sourceFormat(kind), target), kind, stop);
    if (!first)
        return std::unexpected(first.error());
    const backend::Disassembly &code = page.peer->code;
    backend::Source own = *first;
    own.spans = linesOfLoops(page.comparison.first);
    const auto lines = explore::alignLines({own.text, own.spans}, {code.text, code.spans},
                                           page.comparison.pairs, explore::filterFor(kind));
    return differenceOf(besideEachOther(lines, own.spans, code.spans, page.comparison.pairs),
                        targetSource(own, *page.first), peerSource(code));
}

} // namespace

std::string shortNameOf(const session::Variant &variant)
{
    return variant.name.empty() ? '#' + std::to_string(variant.id.value) : variant.name;
}

QString titleOf(const session::Variant &variant)
{
    return QStringLiteral("#%1 %2").arg(QString::number(variant.id.value),
                                        document::toQt(variant.name.empty() ? variant.label : variant.name));
}

explore::Side sideOf(const session::VariantTree &tree, session::VariantId variant)
{
    return {shortNameOf(tree.at(variant)), tree.steps(variant)};
}

std::optional<double> secondsOf(const session::VariantTree &tree, session::VariantId variant)
{
    const auto &measurement = tree.at(variant).measurement;
    return measurement && measurement->ok() ? std::optional(measurement->time.median) : std::nullopt;
}

support::Result<ComparisonPage> compareVariants(const explore::Side &first, const explore::Side &second,
                                                const target::Target &target, const std::stop_token &stop)
{
    auto comparison = explore::compare(first, second, target, measure::threadsOf(target), stop);
    if (!comparison)
        return std::unexpected(comparison.error());
    return ComparisonPage{*std::move(comparison), document::makeNest(first.path.end()),
                          document::makeNest(second.path.end())};
}

support::Result<ComparisonPage> compareWithPeer(const explore::Side &first,
                                                std::shared_ptr<const measure::PeerCode> peer,
                                                const target::Target &target, const std::stop_token &stop)
{
    auto comparison = explore::compareWithPeer(first, *peer, target, stop);
    if (!comparison)
        return std::unexpected(comparison.error());
    return ComparisonPage{*std::move(comparison), document::makeNest(first.path.end()), nullptr,
                          std::move(peer)};
}

support::Result<code::Difference> alignedSources(const ComparisonPage &page,
                                                 std::optional<backend::SourceKind> kind,
                                                 const target::Target &target, const std::stop_token &stop)
{
    if (page.peer)
        return alignedWithPeer(page, target, stop);
    if (!kind) {
        const script::Printed &first = page.first->apart, &second = page.second->apart;
        return aligned(page, {first.text, first.spans}, nestSource(*page.first, true),
                       {second.text, second.spans}, nestSource(*page.second, true),
                       explore::LineFilter::Indentation);
    }
    const target::Target of = backend::targetOf(backend::sourceFormat(*kind), target);
    const auto first = backend::source(page.first->loops.state().module, of, *kind, stop);
    if (!first)
        return std::unexpected(first.error());
    const auto second = backend::source(page.second->loops.state().module, of, *kind, stop);
    if (!second)
        return std::unexpected(second.error());
    return aligned(page, {first->text, first->spans}, targetSource(*first, *page.first),
                   {second->text, second->spans}, targetSource(*second, *page.second),
                   explore::filterFor(*kind));
}

} // namespace nestwright::app
