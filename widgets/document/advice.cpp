// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/advice.h"

#include "core/backend/backend.h"
#include "core/schedule/apply.h"
#include "widgets/document/actions.h"

#include <QRegularExpression>

#include <algorithm>
#include <ranges>

namespace nestwright::document {

using schedule::ArgList;
using schedule::Step;

namespace {

constexpr std::int64_t longestVector = 64;

const NestRow &at(const Nest &nest, int row) { return nest.rows[static_cast<std::size_t>(row)]; }

/// The row of the block that runs most often; -1 where no size is known.
int busiestBlock(const Nest &nest)
{
    int busiest = -1;
    double most = 1;
    for (int row = 0; row < static_cast<int>(nest.rows.size()); ++row) {
        if (at(nest, row).kind != RowKind::Block)
            continue;
        double runs = 1;
        for (const int loop : nest.loopsTo(row))
            runs *= static_cast<double>(std::max<std::int64_t>(1, at(nest, loop).iterations));
        if (runs > most) {
            most = runs;
            busiest = row;
        }
    }
    return busiest;
}

bool isSerial(const NestRow &row) { return row.badge.isEmpty(); }

std::optional<Step> legalStep(const Nest &nest, std::string_view primitive, const NestRow &loop)
{
    auto step = schedule::makeStep(primitive, {{"loop", loop.id}});
    if (step && schedule::check(nest.state, *step))
        return *step;
    return {};
}

/// Brings the innermost spatial loop of the nest within the reduction.
std::optional<Advice> reductionInnermost(const Nest &nest, int innermost)
{
    const NestRow &reduction = at(nest, innermost);
    if (reduction.role != u"reduction" || !isSerial(reduction))
        return {};
    const std::vector<int> chain = perfectNest(nest, innermost);
    int best = -1;
    for (const int loop : chain) { // the last axis of the output is the one that lies dense in memory
        if (at(nest, loop).role == u"spatial" && isSerial(at(nest, loop))
            && (best < 0 || at(nest, loop).axis >= at(nest, best).axis))
            best = loop;
    }
    if (best < 0)
        return {};
    ArgList order;
    for (auto loop = std::ranges::find(chain, best) + 1; loop != chain.end(); ++loop)
        order.emplace_back(at(nest, *loop).id);
    order.emplace_back(at(nest, best).id);
    const Step step{schedule::findPrimitive("reorder"), {order}};
    if (!schedule::check(nest.state, step))
        return {};
    return Advice{QStringLiteral("%1 is a reduction: its iterations wait for each other").arg(reduction.name),
                  QStringLiteral("Reorder %1 innermost").arg(at(nest, best).name), step};
}

std::optional<Advice> noVector(const Nest &nest, int innermost)
{
    const NestRow &loop = at(nest, innermost);
    if (loop.role != u"spatial" || !isSerial(loop) || loop.iterations < 2)
        return {};
    if (loop.iterations > longestVector) {
        const auto step = schedule::makeStep("split", {{"loop", loop.id}, {"factors", ArgList{{}, 32}}});
        if (!step || !schedule::check(nest.state, *step))
            return {};
        return Advice{QStringLiteral("%1 is too long for a vector").arg(loop.name),
                      QStringLiteral("Split %1 by 32").arg(loop.name), *step};
    }
    const auto step = legalStep(nest, "vectorize", loop);
    if (!step)
        return {};
    return Advice{QStringLiteral("%1 computes one element at a time").arg(loop.name),
                  QStringLiteral("Vectorize %1").arg(loop.name), *step};
}

std::optional<Advice> noThreads(const Nest &nest, const std::vector<int> &loops, int threads)
{
    if (threads < 2
        || std::ranges::any_of(loops, [&](int loop) { return at(nest, loop).badge == u"parallel"; }))
        return {};
    const NestRow &outermost = at(nest, loops.front());
    const auto step = isSerial(outermost) ? legalStep(nest, "parallel", outermost) : std::nullopt;
    if (!step)
        return {};
    return Advice{QStringLiteral("Only one of %1 threads works").arg(threads),
                  QStringLiteral("Run %1 in parallel").arg(outermost.name), *step};
}

/// Whether the machine code of the block, or of the loop right around it, computes with vectors.
bool hasVectors(const Nest &nest, const lower::Target &target, int block, int innermost,
                const std::stop_token &stop)
{
    if (target.kind != lower::TargetKind::Llvm)
        return false;
    const auto source = backend::source(nest.state.module, target, backend::SourceKind::Asm, stop);
    if (!source)
        return false;
    std::vector<std::string_view> lines;
    for (const auto line : std::views::split(std::string_view(source->text), '\n'))
        lines.emplace_back(line);
    for (const script::LineSpan &span : source->spans) {
        if (span.stmt != at(nest, block).id && span.stmt != at(nest, innermost).id)
            continue;
        for (int line = span.firstLine; line <= span.lastLine; ++line) {
            const auto i = static_cast<std::size_t>(line);
            if (i < lines.size() && computesSeveral(lines[i]))
                return true;
        }
    }
    return false;
}

} // namespace

bool computesSeveral(std::string_view line)
{
    static const QRegularExpression packed(
        QStringLiteral("^\\s*(v?(add|sub|mul|div|min|max|sqrt|fn?m(add|sub)[0-9]*)p[sdh]|"
                       "v?p(add|sub|mul|madd|max|min|sll|srl|sra|dp)[a-z0-9]*|vdp[a-z0-9]+)\\s|"
                       "^\\s*(f|s|u)?(add|sub|mul|div|mla|mls|max|min)[a-z0-9]*\\s+(v[0-9]+\\.[0-9]+[bhsd]|z["
                       "0-9]+\\.[bhsd])"));
    return packed.match(QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()))).hasMatch();
}

std::optional<Advice> adviceFor(const Nest &nest, const lower::Target &target, int threads,
                                const std::stop_token &stop)
{
    const int block = busiestBlock(nest);
    const std::vector<int> loops = block < 0 ? std::vector<int>() : nest.loopsTo(block);
    if (loops.empty() || stop.stop_requested())
        return {};
    auto advice = reductionInnermost(nest, loops.back());
    if (!advice)
        advice = noVector(nest, loops.back());
    if (advice && !hasVectors(nest, target, block, loops.back(), stop))
        return advice;
    return noThreads(nest, loops, threads);
}

} // namespace nestwright::document
