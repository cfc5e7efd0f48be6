// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/comparison.h"

#include "core/backend/backend.h"
#include "core/explore/compare/reasons.h"

#include <algorithm>
#include <format>

namespace nestwright::explore {

namespace {

/// Whether both became the same instructions. Loops that count differently need no look at the text.
support::Result<bool> haveSameCode(const Comparison &comparison, const target::Target &target,
                                   const std::stop_token &stop)
{
    const auto sameCounts = [](const backend::LoopCode &a, const backend::LoopCode &b) {
        return a.counts == b.counts;
    };
    const backend::SourceFormat &code = backend::usualFormat(target.kind);
    if (!code.isAssembly || !std::ranges::equal(comparison.first.code, comparison.second.code, sameCounts))
        return false;
    std::string texts[2];
    const VariantFacts *sides[] = {&comparison.first, &comparison.second};
    for (std::size_t i = 0; i < 2; ++i) {
        auto source = backend::source(sides[i]->nest.state().module, target, code.kind, stop);
        if (!source)
            return std::unexpected(source.error());
        texts[i] = std::move(source->text);
    }
    return texts[0] == texts[1];
}

std::string sentenceOf(const Comparison &comparison, int threads)
{
    if (comparison.isSameCode)
        return "the machine code of both is the same";
    std::string reason = mainReason(comparison.first, comparison.second, {.threads = threads});
    if (!reason.empty())
        return reason;
    return comparison.first.cycles && comparison.second.cycles
               ? std::format("no difference is known to cost a tenth of the time: {} cycles in '{}', "
                             "{} in '{}'",
                             cyclesText(*comparison.first.cycles), comparison.first.name,
                             cyclesText(*comparison.second.cycles), comparison.second.name)
               : "no difference is known to cost time";
}

} // namespace

MetricPair Comparison::metricPair(const Metric &metric, const LoopPair &loops) const
{
    return pairOf(metric, first.loop(loops.first), second.loop(loops.second));
}

std::vector<const Metric *> Comparison::metrics() const
{
    std::vector<const Metric *> known;
    for (const Metric &metric : explore::metrics()) {
        const bool isKnown = std::ranges::any_of(pairs, [&](const LoopPair &loops) {
            const MetricPair values = metricPair(metric, loops);
            return values.first.value_or(0) != 0 || values.second.value_or(0) != 0;
        });
        if (isKnown)
            known.push_back(&metric);
    }
    return known;
}

support::Result<Comparison> compare(const Side &first, const Side &second, const target::Target &target,
                                    int threads, const std::stop_token &stop)
{
    auto one = factsOf(first.name, first.path.end(), target, stop);
    if (!one)
        return std::unexpected(one.error());
    auto other = factsOf(second.name, second.path.end(), target, stop);
    if (!other)
        return std::unexpected(other.error());
    Comparison comparison{*std::move(one), *std::move(other), {}, {}, {}, false};
    comparison.pairs = pairLoops(first.path, comparison.first.nest, second.path, comparison.second.nest);
    comparison.blocks = pairBlocks(first.path, comparison.first.nest, second.path, comparison.second.nest);
    const auto same = haveSameCode(comparison, target, stop);
    if (!same)
        return std::unexpected(same.error());
    comparison.isSameCode = *same;
    comparison.sentence = sentenceOf(comparison, threads);
    return comparison;
}

} // namespace nestwright::explore
