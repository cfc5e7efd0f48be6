// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal.h"

#include "core/analysis/access/index_inputs.h"
#include "core/analysis/kernel/allocation_plan.h"
#include "core/explore/judge/seal_facts.h"
#include "core/explore/judge/seal_inputs.h"
#include "core/explore/judge/seal_sizes.h"
#include "core/explore/predict/vectors_across_rows.h"
#include "core/interp/codes.h"
#include "core/interp/field.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/walk.h"
#include "core/lower/custom_intrinsics.h"
#include "core/measure/verify/comparison.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <format>
#include <limits>
#include <random>
#include <set>

namespace nestwright::explore {

using support::Diagnostic;
using support::diagnostic;
using support::Result;

namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937_64;

/// Thrown inside; becomes the outcome.
struct Verdict {
    Seal::Outcome outcome = Seal::Outcome::Differs;
    Diagnostic reason{};
};

[[noreturn]] void doesNotApply(Diagnostic reason)
{
    throw Verdict{Seal::Outcome::DoesNotApply, std::move(reason)};
}

/// Whether the parameters' buffers are those of the other function: a step that lays a parameter out anew
/// makes a new one.
struct KeptBuffers {
    bool any = false, all = true;
};

KeptBuffers keptBuffers(const ir::PrimFunc &before, const ir::PrimFunc &after)
{
    KeptBuffers kept;
    for (std::size_t i = 0; i < before.params.size() && i < after.params.size(); ++i) {
        const ir::Buffer &buffer = before.params[i].buffer;
        const bool isSame = buffer && buffer == after.params[i].buffer;
        kept.any = kept.any || isSame;
        kept.all = kept.all && (isSame || !buffer);
    }
    return kept;
}

/// An error that says that the program is wrong, not that it cannot be run so.
bool isFault(const Diagnostic &reason)
{
    constexpr auto faults = std::to_array<std::string_view>(
        {"interp.out-of-bounds", "interp.out-of-domain", "interp.division-by-zero", "interp.assertion",
         "interp.undefined", "interp.divergent-barrier", "interp.inactive-lane", interp::codes::race,
         interp::codes::unwritten});
    return std::ranges::contains(faults, std::string_view(reason.code));
}

/// Loops that may run at the same time. Threads of devices get their barriers when they are lowered.
struct Concurrency {
    bool hasParallel = false, hasThreads = false;
};

Concurrency concurrencyOf(const ir::PrimFunc &function)
{
    Concurrency found;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        found.hasParallel = found.hasParallel || (loop && loop->forKind == ir::ForKind::Parallel);
        found.hasThreads =
            found.hasThreads || s.as<ir::AttrStmt>() || (loop && loop->forKind == ir::ForKind::ThreadBinding);
        return true;
    });
    return found;
}

/// Faults that a run looks for beside its results.
struct Sought {
    bool races = false;     ///< between iterations of parallel loops, which may run at the same time
    bool unwritten = false; ///< memory that is read and was not written: integers have no element that tells
};

/// The arguments of one draw.
struct Arguments {
    std::vector<ir::NdArray> arrays;
    std::vector<std::int64_t> scalars;
};

class Comparer {
public:
    Comparer(const ir::PrimFunc &unscheduled, const ir::PrimFunc &scheduled, const SealOptions &options,
             Seal &seal)
        : m_unscheduled(unscheduled)
        , m_scheduled(scheduled)
        , m_options(options)
        , m_seal(seal)
    {
    }

    /// Throws Verdict where they are not equal.
    void run()
    {
        const SealFacts before = sealFactsOf(m_unscheduled), after = sealFactsOf(m_scheduled);
        for (const SealFacts *facts : {&before, &after}) {
            if (facts->excluded)
                doesNotApply(*facts->excluded);
        }
        requireNoNarrowing(before, after);
        m_constants = before.constants;
        m_constants.insert(m_constants.end(), after.constants.begin(), after.constants.end());
        std::set<std::int64_t> integers = before.integers;
        integers.insert(after.integers.begin(), after.integers.end());
        m_integers.assign(integers.begin(), integers.end());
        m_seal.isOfOrder = m_seal.isOfOrder || before.comparesValues || after.comparesValues;
        m_testsValues = before.testsValues || after.testsValues;
        int draws = 1;
        for (int draw = 0; draw < draws; ++draw) {
            const std::int64_t elements = compareOnce(draw);
            if (draw == 0)
                draws = drawsOf(elements);
        }
    }

private:
    /// More where values or integers decide and little is compared or interpreted; some of each kind of sizes
    /// (m_hasSizes), with indices within what they index and beyond.
    int drawsOf(std::int64_t elements) const
    {
        constexpr double drawnElements = 16384, mostDraws = 64;
        const bool isDrawn = m_seal.isOfOrder || m_seal.isOfIntegers;
        const double wanted = isDrawn ? std::min(drawnElements / static_cast<double>(elements + 1),
                                                 littleWork / std::max(m_work, 1.))
                                      : 1;
        const double kinds = (m_hasSizes ? sealSizeKinds : 1) * (m_hasIndices ? 2 : 1);
        const double least = m_testsValues ? std::max(kinds, 2.) : kinds;
        return static_cast<int>(std::clamp(wanted, least, mostDraws));
    }

    static void requireNoNarrowing(const SealFacts &before, const SealFacts &after)
    {
        for (const auto &[from, to] : after.narrowings) {
            if (!before.narrowings.contains({from, to}) && !before.roundings.contains(to))
                doesNotApply(diagnostic(
                    "seal.narrowed",
                    std::format("the scheduled program rounds values of {} bits to {}, which the unscheduled "
                                "one does not",
                                from, to)));
        }
    }

    using Shape = std::vector<std::int64_t>;

    /// Lowered functions take flat buffers.
    static bool isSameMemory(const Shape &before, const Shape &after)
    {
        const auto count = [](const Shape &shape) {
            double elements = 1;
            for (const std::int64_t extent : shape)
                elements *= static_cast<double>(extent);
            return elements;
        };
        return before == after || (after.size() == 1 && count(before) == count(after));
    }

    SealSizes kindOfSizes(int draw) const
    {
        return static_cast<SealSizes>((m_hasIndices ? draw / 2 : draw) % sealSizeKinds);
    }

    /// Values that conditions may look for, in half of the draws; one more is that of several elements.
    std::vector<interp::Element> valuesFor(int draw, const interp::Field &field, Random &random) const
    {
        std::vector<interp::Element> values;
        if (!m_testsValues || draw % 4 == 0 || draw % 4 == 3)
            return values;
        constexpr double infinity = std::numeric_limits<double>::infinity();
        values = {0, field.constant(infinity), field.constant(-infinity), field.constant(std::nan("")),
                  random() % interp::fieldPrime};
        for (const double number : m_constants)
            values.push_back(field.constant(number));
        return values;
    }

    /// `keepsIndices`: integers that are indices stay within what they index.
    Arguments argumentsFor(int draw, const interp::Field &field, Random &random, bool keepsIndices)
    {
        const std::vector<interp::Element> values = valuesFor(draw, field, random);
        const interp::Sizes sizes =
            sealSizes(m_unscheduled, m_options.sizes, kindOfSizes(draw), m_integers, random);
        m_hasSizes = sizes.size() > m_options.sizes.size();
        const auto shapes = interp::argumentShapes(m_unscheduled, sizes);
        if (!shapes)
            doesNotApply(shapes.error());
        const auto others = interp::argumentShapes(m_scheduled, sizes);
        if (!others || !std::ranges::equal(*shapes, *others, isSameMemory))
            doesNotApply(
                diagnostic("seal.other-buffers", "the scheduled function takes buffers of other shapes"));
        const auto ranges = analysis::indexInputs(m_unscheduled, sizes);
        const std::vector<std::int64_t> integers = withSizes(m_integers, sizes);
        Arguments arguments;
        for (std::size_t i = 0; i < m_unscheduled.params.size(); ++i) {
            const ir::Param &param = m_unscheduled.params[i];
            if (!param.buffer) {
                arguments.scalars.push_back(param.var.dtype().isFloating()
                                                ? static_cast<std::int64_t>(random() % interp::fieldPrime)
                                                : sizes.at(param.var.name()));
                continue;
            }
            const auto range = ranges.find(i);
            const bool isIndex = range != ranges.end();
            m_hasIndices = m_hasIndices || isIndex;
            m_seal.isOfIntegers = m_seal.isOfIntegers || !param.buffer.dtype().isFloating();
            auto array = sealInput({.dtype = param.buffer.dtype(),
                                    .shape = (*shapes)[arguments.arrays.size()],
                                    .range = isIndex && keepsIndices ? &range->second : nullptr,
                                    .integers = integers,
                                    .values = values,
                                    .isSmall = draw % 4 == 1},
                                   random);
            if (!array)
                doesNotApply(array.error());
            arguments.arrays.push_back(*std::move(array));
        }
        return arguments;
    }

    Result<void> interpret(const ir::PrimFunc &function, Arguments &arguments, const interp::Field &field,
                           Sought sought)
    {
        std::vector<ir::NdArray *> pointers;
        for (ir::NdArray &array : arguments.arrays)
            pointers.push_back(&array);
        interp::Limits limits;
        limits.steps = m_options.steps;
        limits.stop = m_options.stop;
        limits.field = &field;
        const Concurrency concurrency = concurrencyOf(function);
        if (sought.races && concurrency.hasParallel && !concurrency.hasThreads) {
            limits.findRaces = true;
            limits.ownMemories = analysis::memoriesOfRounds(function);
        }
        limits.findUnwritten = sought.unwritten && !concurrency.hasThreads;
        auto done = interp::run(function, pointers, arguments.scalars, limits);
        if (m_options.stop.stop_requested())
            throw support::Stopped();
        return done;
    }

    /// The elements of all arguments; 0 where the unscheduled program does not hold for the sizes.
    std::int64_t compareOnce(int draw)
    {
        Random random(m_options.seed * 1000003 + static_cast<std::uint64_t>(draw));
        const interp::Field field(random(), m_constants);
        // Guards of indices show only where some lie beyond; where nothing guards them, none may.
        const bool keepsIndices = draw % 2 == 0;
        Arguments expected, actual;
        // A program need not hold for every size.
        const bool mayFail = m_hasSizes && isUnusual(kindOfSizes(draw));
        try {
            expected = actual = argumentsFor(draw, field, random, keepsIndices);
        } catch (const Verdict &) {
            if (mayFail)
                return 0;
            throw;
        }
        const bool looksClosely = draw < watchedDraws || m_work < littleWork;
        auto done = interpret(m_unscheduled, expected, field, {.races = looksClosely});
        if (!done && !keepsIndices && m_hasIndices) {
            expected = actual = argumentsFor(draw, field, random, true);
            done = interpret(m_unscheduled, expected, field, {.races = looksClosely});
        }
        if (!done && mayFail)
            return 0;
        if (!done)
            doesNotApply(std::move(done.error()));
        ++m_seal.draws;
        Sought sought{.races = looksClosely, .unwritten = looksClosely && m_seal.isOfIntegers};
        if (sought.unwritten) {
            Arguments again = actual;
            sought.unwritten = interpret(m_unscheduled, again, field, {.unwritten = true}).has_value();
        }
        if (auto done = interpret(m_scheduled, actual, field, sought); !done)
            throw Verdict{isFault(done.error()) ? Seal::Outcome::Differs : Seal::Outcome::DoesNotApply,
                          std::move(done.error())};
        std::int64_t elements = 0;
        for (std::size_t i = 0; i < expected.arrays.size(); ++i) {
            compare(i, expected.arrays[i], actual.arrays[i]);
            elements += expected.arrays[i].size();
        }
        return elements;
    }

    /// "C[3, 5]" of the buffer that is the `number`th.
    std::string elementName(std::size_t number, std::int64_t flat,
                            const std::vector<std::int64_t> &shape) const
    {
        for (const ir::Param &param : m_unscheduled.params) {
            if (param.buffer && number-- == 0)
                return param.buffer.name() + measure::elementIndices(flat, shape);
        }
        return {};
    }

    void compare(std::size_t number, const ir::NdArray &expected, const ir::NdArray &actual) const
    {
        const auto a = expected.bytes(), b = actual.bytes();
        const auto width = std::max<std::size_t>(
            1, static_cast<std::size_t>(expected.dtype().bytes() * expected.dtype().lanes));
        const bool isField = expected.dtype().isFloating();
        for (std::size_t at = 0; at < a.size(); at += width) {
            const bool isSame = std::memcmp(&a[at], &b[at], width) == 0;
            if (isSame && !isField)
                continue;
            const std::string element =
                elementName(number, static_cast<std::int64_t>(at / width), expected.shape());
            if (isField && !isWritten(a.subspan(at, width)))
                doesNotApply(
                    diagnostic("seal.unwritten", std::format("'{}' is computed of memory that nobody "
                                                             "has written, in the unscheduled program",
                                                             element)));
            if (!isSame)
                throw Verdict{Seal::Outcome::Differs,
                              difference(element, !isField || isWritten(b.subspan(at, width)))};
        }
    }

    static bool isWritten(std::span<const std::byte> element)
    {
        for (std::size_t at = 0; at < element.size(); at += sizeof(interp::Element)) {
            interp::Element value = 0;
            std::memcpy(&value, &element[at], sizeof value);
            if (!interp::isElement(value))
                return false;
        }
        return true;
    }

    static Diagnostic difference(const std::string &element, bool isWritten)
    {
        return diagnostic("seal.differs",
                          std::format("'{}' is {} in the unscheduled program", element,
                                      isWritten ? "another formula of the inputs than"
                                                : "computed of memory that nobody has written, but not"));
    }

    const ir::PrimFunc &m_unscheduled, &m_scheduled;
    const SealOptions &m_options;
    Seal &m_seal;
    std::vector<double> m_constants;
    std::vector<std::int64_t> m_integers;
    static constexpr double littleWork = 2e6;
    static constexpr int watchedDraws = 2; ///< at least; symbolic sizes are larger in the second
    double m_work = workOf(m_unscheduled) + workOf(m_scheduled);
    bool m_hasSizes = false; ///< symbolic ones that were chosen here
    bool m_hasIndices = false;
    bool m_testsValues = false;
};

} // namespace

bool keepsBuffers(const ir::Module &before, const ir::Module &after)
{
    return std::ranges::all_of(before.functions(), [&](const ir::Module::Entry &entry) {
        const ir::Function other = after.find(entry.name);
        return !other || keptBuffers(*entry.function, *other).all;
    });
}

void withdraw(Seal &seal)
{
    seal.outcome = Seal::Outcome::DoesNotApply;
    seal.reason =
        diagnostic("seal.other-buffers", "the schedule lays a parameter out anew: it takes other arrays")
            .withHint("seal the steps before");
}

std::string Seal::claim() const
{
    switch (outcome) {
    case Outcome::Differs: return "differs";
    case Outcome::DoesNotApply: return "does not apply";
    case Outcome::Equal: break;
    }
    const std::string drawn = std::format("{} draw{}", draws, draws == 1 ? "" : "s");
    if (isOfIntegers || isOfOrder)
        return std::format("equal for every input (with the {} of {})",
                           isOfIntegers && isOfOrder ? "integers and the order of values"
                           : isOfIntegers            ? "integers"
                                                     : "order of values",
                           drawn);
    return "equal for every input";
}

namespace {

/// Makes `result` that of these programs.
void sealInto(Seal &result, const ir::Module &before, const ir::Module &after, const SealOptions &options)
{
    bool mayDiffer = false;
    result = {};
    try {
        bool isAny = false;
        for (const ir::Module::Entry &entry : before.functions()) {
            const ir::Function other = after.find(entry.name);
            if (!other)
                continue;
            isAny = true;
            const KeptBuffers kept = keptBuffers(*entry.function, *other);
            mayDiffer = mayDiffer || (kept.any && !kept.all);
            Comparer(*entry.function, *other, options, result).run();
        }
        if (!isAny)
            doesNotApply(diagnostic("seal.nothing", "the modules have no function of the same name"));
    } catch (Verdict &verdict) {
        result.outcome = verdict.outcome;
        result.reason = std::move(verdict.reason);
        if (mayDiffer && result.outcome == Seal::Outcome::Differs)
            withdraw(result);
    } catch (const support::UserError &error) {
        result.outcome = Seal::Outcome::DoesNotApply;
        result.reason = error.diagnostic();
    }
}

} // namespace

Result<Seal> seal(const ir::Module &unscheduled, const ir::Module &scheduled, const SealOptions &options)
{
    const auto start = Clock::now();
    Seal result;
    try {
        const auto before = lower::lowerCustomIntrinsics(unscheduled, options.target);
        const auto after = lower::lowerCustomIntrinsics(scheduled, options.target);
        if (before && after) {
            sealInto(result, *before, withVectorsAcrossRows(*after), options);
        } else {
            result.outcome = Seal::Outcome::DoesNotApply;
            result.reason = (before ? after : before).error();
        }
    } catch (const support::Stopped &) {
        return support::fail(support::codes::cancelled, "sealing was cancelled");
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

} // namespace nestwright::explore
