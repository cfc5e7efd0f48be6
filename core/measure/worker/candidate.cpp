// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/candidate.h"

#include "core/measure/codes.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::measure {

using ir::NdArray;
using support::Diagnostic;
using support::Result;

namespace {

constexpr double firstLookSeconds = 0.02; ///< of the quick estimate that is shown at once
constexpr double auditSeconds = 0.002;
constexpr double longestAudited = 0.01; ///< of one call: its audits would take as long as its samples

/// Bytes that no kernel leaves by chance: NaN in every floating type, and -1; and a number of either kind.
constexpr std::byte patterns[] = {std::byte{0xff}, std::byte{0x55}};

} // namespace

Candidate::Candidate(const MeasureRequest &request, const KernelFile &file, Teller &teller)
    : m_request(request)
    , m_file(file)
    , m_teller(teller)
{
    result.flops = request.flops;
    result.threads = request.threads;
    for (const BufferSpec &buffer : request.sets.front().buffers)
        result.bytes += buffer.bytes();
}

bool Candidate::isReference() const { return m_file.isUnscheduled; }

void Candidate::failWith(const Diagnostic &reason)
{
    result.failed = failureOf(reason);
    result.failure = reason;
    result.verdict = result.failed == Failure::WrongResult ? Verdict::Wrong : Verdict::NotVerified;
    m_isRight = false;
    result.samples.clear();
    result.time = {};
    end();
}

Result<void> Candidate::start()
{
    auto process = KernelProcess::start(m_request, {m_file}, m_teller);
    if (!process)
        return std::unexpected(process.error());
    m_process.emplace(std::move(*process));
    return {};
}

Result<void> Candidate::compareShown(std::size_t set, const ReferenceResults &reference)
{
    std::vector<NdArray> after = emptyArrays(m_request.sets[set]);
    m_process->shown(after);
    const auto judgement = judged(m_request, m_file, set, reference, m_before, after);
    if (!judgement) {
        Diagnostic wrong = judgement.error();
        return support::fail(std::move(wrong).withHint(
            m_file.artifact.isEdited ? "look at the lines that were edited"
                                     : "undo the step that made it so: nestc bisect finds it, and the "
                                       "menu of the history"));
    }
    if (!isReference()) // which differs from itself by nothing that anybody asks for
        result.difference = std::max(result.difference.value_or(0), judgement->difference);
    if (judgement->share)
        result.boundShare = std::max(result.boundShare.value_or(0), *judgement->share);
    return {};
}

Result<void> Candidate::checkCall(std::size_t set, const ReferenceResults &reference, std::byte filling)
{
    if (auto called = m_process->call(set, m_before, filling); !called)
        return called;
    return compareShown(set, reference);
}

void Candidate::fill(std::size_t set, const ReferenceResults &reference, std::byte pattern)
{
    if (m_filled != set)
        m_before = filledArrays(m_request.sets[set]);
    m_filled = set;
    spoil(m_before, reference, pattern);
}

Result<void> Candidate::checkSet(std::size_t set, const ReferenceResults &reference, std::byte pattern)
{
    fill(set, reference, pattern);
    return checkCall(set, reference, pattern);
}

Result<void> Candidate::checkNearlyDone(std::size_t set, const ReferenceResults &reference)
{
    std::vector<NdArray> after = emptyArrays(m_request.sets[set]);
    m_process->shown(after);
    m_before = nearlyDone(std::move(m_before), after, reference);
    return checkCall(set, reference, patterns[0]);
}

void Candidate::check(References &references)
{
    if (isReference()) {
        m_isRight = true;
        result.verdict = Verdict::Verified; // by itself
        result.evidence = "the unscheduled program itself";
        return;
    }
    if (auto started = start(); !started)
        return failWith(started.error());
    std::vector<const ReferenceResults *> found;
    for (std::size_t set = 0; set < m_request.sets.size(); ++set) {
        const auto reference = references.find(m_request, set, m_teller);
        found.push_back(reference ? *reference : nullptr);
        if (!reference && set == 0)
            return failWith(reference.error());
        if (!reference)
            continue; // the unscheduled program does not take such arguments
        Result<void> right = checkSet(set, **reference, patterns[set % 2]);
        if (right && set == 0)
            right = checkSet(set, **reference, patterns[1]);
        if (right && set == 0)
            right = checkNearlyDone(set, **reference);
        if (!right)
            return failWith(right.error());
        if (set == 0)
            result.writtenBytes = (*reference)->overwrittenBytes();
    }
    Evidence evidence = evidenceOf(m_request, found);
    result.evidence = std::move(evidence.text);
    if (result.boundShare.value_or(0) > 0) {
        const double percent = std::min(100.0, 100 * *result.boundShare); // what the reference takes, it may
        result.evidence += "; rounding takes at most "
                           + (percent < 10 ? std::format("{:.2g}", percent) : std::format("{:.0f}", percent))
                           + " % of what it may";
    }
    m_isRight = true;
    result.verdict = evidence.tells ? Verdict::Verified : Verdict::NotVerified;
}

Result<void> Candidate::takeSpoiled(References &references, std::byte pattern)
{
    const auto reference = references.find(m_request, 0, m_teller);
    if (!reference)
        return std::unexpected(reference.error());
    fill(0, **reference, pattern);
    return m_process->take(0, m_before);
}

Result<void> Candidate::prepare(References &references)
{
    if (!m_process) {
        if (auto started = start(); !started)
            return started;
    }
    result.samples.clear();
    return takeSpoiled(references, patterns[0]);
}

Result<void> Candidate::firstLook(References &references)
{
    const auto first = m_process->time(firstLookSeconds, 0);
    if (!first)
        return std::unexpected(first.error());
    if (auto right = checkLastCall(references); !right)
        return right;
    const double call = std::max(*first, 1e-9);
    const double wanted = m_request.secondsPerRepetition / call;
    m_iterations = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(wanted)));
    result.time = {*first, *first, *first};
    const double all = m_request.repetitions;
    const double fitting = m_iterations == 1 ? m_request.secondsPerVariant / call : all;
    m_isSlow = fitting < all;
    m_samples = static_cast<std::size_t>(std::clamp(fitting, std::min(2.0, all), all));
    if (m_isSlow)
        result.samples.push_back(*first);
    if (auto right = audit(references); !right)
        return right;
    return takeSpoiled(references, patterns[1]);
}

Result<void> Candidate::repeat(References &references)
{
    const auto seconds = timed(m_iterations);
    if (!seconds)
        return std::unexpected(seconds.error());
    result.samples.push_back(*seconds);
    result.time = bootstrapMedian(result.samples);
    return audit(references);
}

Result<void> Candidate::audit(References &references)
{
    const auto reference = references.find(m_request, 0, m_teller);
    if (!reference)
        return std::unexpected(reference.error());
    const auto buffer = drawnOverwritten(**reference);
    if (!buffer || result.time.median > longestAudited)
        return {};
    const auto element = m_process->audit(*buffer, auditSeconds);
    if (!element)
        return std::unexpected(element.error());
    if (*element < 0)
        return {};
    const std::vector<std::int64_t> &shape = m_request.sets.front().buffers[*buffer].shape;
    return support::fail(leftAsItWas(m_file, *buffer, elementIndices(*element, shape)));
}

Result<void> Candidate::checkLastCall(References &references)
{
    const auto reference = references.find(m_request, 0, m_teller);
    if (!reference)
        return std::unexpected(reference.error());
    if (auto shown = m_process->show(); !shown)
        return shown;
    if ((*reference)->overwritesAll)
        return compareShown(0, **reference);
    // A kernel that adds to its results grows them with each call: one more shows whether it still works.
    return checkSet(0, **reference, patterns[0]);
}

} // namespace nestwright::measure
