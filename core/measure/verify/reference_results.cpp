// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/reference_results.h"

#include "core/measure/codes.h"
#include "core/measure/sandbox/withheld_memory.h"

#include <algorithm>
#include <random>

namespace nestwright::measure {

using ir::NdArray;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

std::vector<NdArray> withheldLike(const std::vector<NdArray> &arrays)
{
    std::vector<NdArray> result;
    for (const NdArray &array : arrays)
        result.push_back(withheldArray(array.dtype(), array.shape()));
    return result;
}

/// Neither a candidate's nor each other: what reads memory of its own that it has not written shows.
constexpr auto fillingOfReference = std::byte{0x37}, otherFilling = std::byte{0x5a};

/// All arguments after one call of `run`, in a process that ends with it.
Result<std::vector<NdArray>> afterCall(const MeasureRequest &request, const KernelRun &run, std::size_t set,
                                       const std::vector<NdArray> &before, Teller &teller,
                                       std::byte filling = fillingOfReference)
{
    auto process = KernelProcess::start(request, run, teller);
    if (!process)
        return std::unexpected(process.error());
    if (auto called = process->call(set, before, filling); !called)
        return std::unexpected(called.error());
    std::vector<NdArray> after = withheldLike(before);
    process->shown(after);
    return after;
}

bool areEqual(const NdArray &a, const NdArray &b) { return std::ranges::equal(a.bytes(), b.bytes()); }

constexpr auto plainPattern = std::byte{0x35}; ///< a small number of either kind

/// Arguments before another call, with other values in what is written.
std::vector<NdArray> withOtherValues(std::vector<NdArray> arrays, const MeasureRequest &request,
                                     const std::vector<bool> &changes)
{
    for (std::size_t i = 0; i < request.sets.front().buffers.size(); ++i) {
        if (changes[i])
            spoil(arrays[i], plainPattern);
    }
    return arrays;
}

class SetMaker {
public:
    SetMaker(const MeasureRequest &request, std::size_t set, Teller &teller)
        : m_request(request)
        , m_set(set)
        , m_teller(teller)
        , m_before(filledArrays(request.sets[set]))
    {
    }

    Result<ReferenceResults> make()
    {
        ReferenceResults made;
        auto plain = afterCall(m_request, {m_request.reference}, m_set, m_before, m_teller);
        if (!plain)
            return std::unexpected(plain.error());
        made.results = std::move(*plain);
        if (m_set == 0 && m_request.mayReadUnknown) {
            const auto again =
                afterCall(m_request, {m_request.reference}, m_set, m_before, m_teller, otherFilling);
            if (again && !std::ranges::equal(*again, made.results, areEqual))
                return fail(
                    diagnostic("measure.unwritten",
                               "the unscheduled program has no certain result: it changes with what is in "
                               "memory that it reads and that nobody has written: its own, or beside "
                               "its arguments")
                        .withHint("nestc verify --how interpreter names the buffer and the block"));
        }
        const std::vector<BufferSpec> &buffers = m_request.sets[m_set].buffers;
        for (std::size_t i = 0; i < buffers.size(); ++i)
            made.changes.push_back(buffers[i].written || !areEqual(m_before[i], made.results[i]));
        const std::vector<NdArray> other = withOtherValues(m_before, m_request, made.changes);
        if (m_request.bounds && takeBounds(made, other)) {
            made.overwritesAll = agrees(made);
            if (made.overwritesAll || takeBounds(made, m_before))
                return made;
        }
        made.precise.clear();
        made.bounds.clear();
        const auto again = afterCall(m_request, {m_request.reference}, m_set, other, m_teller);
        made.overwritesAll = again && std::ranges::equal(*again, made.results, areEqual);
        return made;
    }

private:
    /// False where the program with bounds does not run.
    bool takeBounds(ReferenceResults &made, const std::vector<NdArray> &before)
    {
        const BoundsFile &file = *m_request.bounds;
        const std::vector<NdArray> wide = inDouble(before, m_request.sets[m_set], file.bounded);
        auto after =
            afterCall(m_request, {file.kernel, Precision::Bounded, file.bounded}, m_set, wide, m_teller);
        if (!after)
            return false;
        const auto bounds = after->begin() + static_cast<std::ptrdiff_t>(before.size());
        made.bounds.assign(std::make_move_iterator(bounds), std::make_move_iterator(after->end()));
        after->erase(bounds, after->end());
        made.precise = std::move(*after);
        return true;
    }

    /// Whether the plain results are those in double precision, though other values were there before.
    bool agrees(const ReferenceResults &made) const
    {
        for (std::size_t i = 0; i < made.results.size(); ++i) {
            if (made.changes[i] && !isWithin(made.of(i, m_request), i, made))
                return false;
        }
        return true;
    }

    static bool isWithin(const Expected &expected, std::size_t i, const ReferenceResults &made)
    {
        if (!expected.bounds)
            return areEqual(made.precise[i], made.results[i]); // integers that are exact
        const Tolerance none{.relative = 0, .absolute = 0, .terms = 1};
        const Expected alone{*expected.precise, expected.precise, expected.bounds};
        return !firstExcess(alone, made.results[i], none);
    }

    const MeasureRequest &m_request;
    std::size_t m_set;
    Teller &m_teller;
    std::vector<NdArray> m_before;
};

/// The set's own part of an error's sentence; empty for the one that is timed.
std::string ofSet(const ArgumentSet &set)
{
    std::string text;
    if (set.values != Values::Small)
        text = " for " + std::string(describe(set.values));
    if (!set.sizes.empty())
        text += " with " + set.sizes;
    return text;
}

/// Error of an argument that is only read.
Result<void> unchanged(const NdArray &before, const NdArray &after, const std::string &name)
{
    if (areEqual(before, after))
        return {};
    return fail(
        diagnostic(codes::wrongResult,
                   "wrong result: '" + name + "' is changed, but the unscheduled program only reads it"));
}

} // namespace

double ReferenceResults::overwrittenBytes() const
{
    double bytes = 0;
    for (std::size_t i = 0; overwritesAll && i < changes.size(); ++i)
        bytes += changes[i] ? static_cast<double>(results[i].bytes().size()) : 0;
    return bytes;
}

Expected ReferenceResults::of(std::size_t buffer, const MeasureRequest &request) const
{
    return precise.empty() ? Expected{results[buffer]}
                           : expectedOf(buffer, results, precise, bounds, request.bounds->bounded);
}

Result<const ReferenceResults *> References::find(const MeasureRequest &request, std::size_t set,
                                                  Teller &teller)
{
    const std::string key = request.reference.path + '/' + request.referenceKey;
    if (m_key != key) {
        m_key = key;
        m_sets.clear();
    }
    m_sets.resize(std::max(m_sets.size(), request.sets.size()));
    if (!m_sets[set]) {
        auto made = SetMaker(request, set, teller).make();
        if (!made)
            return std::unexpected(made.error());
        m_sets[set] = std::make_unique<ReferenceResults>(std::move(*made));
    }
    return m_sets[set].get();
}

void spoil(std::vector<NdArray> &arguments, const ReferenceResults &reference, std::byte pattern)
{
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (reference.overwritesAll && reference.changes[i])
            spoil(arguments[i], pattern);
    }
}

std::vector<NdArray> nearlyDone(std::vector<NdArray> before, const std::vector<NdArray> &after,
                                const ReferenceResults &reference)
{
    static std::random_device device;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!reference.overwritesAll || !reference.changes[i] || before[i].size() == 0)
            continue;
        std::ranges::copy(after[i].bytes(), before[i].bytes().begin());
        invertElement(before[i], device() % static_cast<std::size_t>(before[i].size()));
    }
    return before;
}

std::optional<std::size_t> drawnOverwritten(const ReferenceResults &reference)
{
    static std::random_device device;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; reference.overwritesAll && i < reference.changes.size(); ++i) {
        if (reference.changes[i] && reference.results[i].size() > 0)
            all.push_back(i);
    }
    if (all.empty())
        return std::nullopt;
    return all[device() % all.size()];
}

support::Diagnostic leftAsItWas(const KernelFile &kernel, std::size_t buffer, const std::string &indices)
{
    const std::string name = bufferName(kernel, buffer);
    return diagnostic(codes::wrongResult, "wrong result: a call among many left '" + name + indices
                                              + "' as it was before: not every call does its work");
}

Result<Judgement> judged(const MeasureRequest &request, const KernelFile &kernel, std::size_t set,
                         const ReferenceResults &reference, const std::vector<NdArray> &before,
                         const std::vector<NdArray> &after)
{
    Judgement judgement;
    Tolerance tolerance{.relative = request.relativeTolerance.value_or(1e-4),
                        .absolute = 1e-5,
                        .terms = request.reductionLength};
    for (std::size_t i = 0; i < after.size(); ++i) {
        const std::string name = bufferName(kernel, i);
        if (!reference.changes[i]) {
            if (auto same = unchanged(before[i], after[i], name); !same)
                return std::unexpected(same.error());
            continue;
        }
        const Expected expected = reference.of(i, request);
        if (expected.bounds)
            tolerance.relative = request.relativeTolerance.value_or(0);
        const auto [excess, share] = compared(expected, after[i], tolerance);
        if (!excess) {
            judgement.difference =
                std::max(judgement.difference, largestRelativeDifference(expected.results, after[i]));
            if (expected.bounds)
                judgement.share = std::max(judgement.share.value_or(0), share);
            continue;
        }
        const ir::DataType dtype = request.sets[set].buffers[i].dtype;
        const std::string element = name + elementIndices(excess->index, after[i].shape());
        return fail(diagnostic(codes::wrongResult,
                               describe(*excess, element, dtype, tolerance) + ofSet(request.sets[set])));
    }
    return judgement;
}

Evidence evidenceOf(const MeasureRequest &request, const std::vector<const ReferenceResults *> &references)
{
    Evidence evidence;
    for (std::size_t set = 0; set < references.size(); ++set) {
        const ReferenceResults *reference = references[set];
        const ArgumentSet &arguments = request.sets[set];
        const bool isGiven =
            std::ranges::any_of(arguments.buffers, [](const BufferSpec &b) { return !b.file.empty(); });
        std::string words(set == 0 && isGiven ? "the inputs that were given" : describe(arguments.values));
        if (!arguments.sizes.empty())
            words += " with " + arguments.sizes;
        if (!reference) {
            words += " (the unscheduled program does not take them)";
        } else {
            Telling all;
            for (std::size_t i = 0; i < reference->results.size(); ++i) {
                if (reference->changes[i])
                    all.add(tellingOf(reference->of(i, request)));
            }
            evidence.tells = evidence.tells || all.tells();
            if (!all.tells())
                words += " (which tell nothing: any result may be rounding)";
            else if (all.allEqual && all.elements > 1)
                words += " (which tell little: all results are equal)";
        }
        evidence.text += (evidence.text.empty() ? "" : "; ") + words;
    }
    return evidence;
}

} // namespace nestwright::measure
