// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal.h"

#include "core/analysis/access/index_inputs.h"
#include "core/analysis/kernel/allocation_plan.h"
#include "core/explore/judge/seal_draws.h"
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
#include <chrono>
#include <cstring>
#include <format>
#include <random>

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
        {interp::codes::outOfBounds, "interp.out-of-domain", "interp.division-by-zero", "interp.assertion",
         "interp.undefined", "interp.divergent-barrier", "interp.inactive-lane", interp::codes::race,
         interp::codes::unwritten});
    return std::ranges::contains(faults, std::string_view(reason.code));
}

/// A function that is compared, and which of its loops may run at the same time. Threads of devices get their
/// barriers when they are lowered.
class SealedProgram {
public:
    explicit SealedProgram(const ir::PrimFunc &function) : m_function(function)
    {
        ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
            const auto *loop = s.as<ir::For>();
            m_hasParallel = m_hasParallel || (loop && loop->forKind == ir::ForKind::Parallel);
            m_hasThreads =
                m_hasThreads || s.as<ir::AttrStmt>() || (loop && loop->forKind == ir::ForKind::ThreadBinding);
            return true;
        });
        if (m_hasParallel && !m_hasThreads)
            m_ownMemories = analysis::memoriesOfRounds(function);
    }

    /// Faults that a run looks for beside its results.
    struct Sought {
        bool races = false;     ///< between iterations of parallel loops, which may run at the same time
        bool unwritten = false; ///< memory that is read and was not written: integers have none that tells
    };

    Result<void> run(SealArguments &arguments, Sought sought, interp::Limits limits) const
    {
        std::vector<ir::NdArray *> pointers;
        for (ir::NdArray &array : arguments.arrays)
            pointers.push_back(&array);
        if (sought.races && m_hasParallel && !m_hasThreads) {
            limits.findRaces = true;
            limits.ownMemories = m_ownMemories;
        }
        limits.findUnwritten = sought.unwritten && !m_hasThreads;
        return interp::run(m_function, pointers, arguments.scalars, limits);
    }

private:
    const ir::PrimFunc &m_function;
    bool m_hasParallel = false, m_hasThreads = false;
    decltype(interp::Limits::ownMemories) m_ownMemories{};
};

class Comparer {
public:
    Comparer(const ir::PrimFunc &unscheduled, const ir::PrimFunc &scheduled, const SealOptions &options,
             Seal &seal)
        : m_unscheduled(unscheduled)
        , m_options(options)
        , m_seal(seal)
        , m_factsBefore(sealFactsOf(unscheduled))
        , m_factsAfter(sealFactsOf(scheduled))
        , m_draws(unscheduled, scheduled, m_factsBefore, m_factsAfter, options.sizes)
        , m_before(unscheduled)
        , m_after(scheduled)
        , m_work(workOf(unscheduled) + workOf(scheduled))
    {
    }

    /// Throws Verdict where they are not equal.
    void run()
    {
        for (const SealFacts *facts : {&m_factsBefore, &m_factsAfter}) {
            if (facts->excluded)
                doesNotApply(*facts->excluded);
        }
        requireNoNarrowing(m_factsBefore, m_factsAfter);
        m_seal.isOfOrder = m_seal.isOfOrder || m_factsBefore.comparesValues || m_factsAfter.comparesValues;
        int draws = 1;
        for (int draw = 0; draw < draws; ++draw) {
            const std::int64_t elements = compareOnce(draw);
            if (draw == 0)
                draws = drawsOf(elements);
        }
    }

private:
    /// More where values or integers decide and little is compared or interpreted; some of each kind.
    int drawsOf(std::int64_t elements) const
    {
        constexpr double drawnElements = 16384, mostDraws = 64;
        const bool isDrawn = m_seal.isOfOrder || m_seal.isOfIntegers;
        const double wanted = isDrawn ? std::min(drawnElements / static_cast<double>(elements + 1),
                                                 littleWork / std::max(m_work, 1.))
                                      : 1;
        const double kinds = m_draws.kinds();
        const double least = m_draws.testsValues() ? std::max(kinds, 2.) : kinds;
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

    Result<void> interpret(const SealedProgram &program, SealArguments &arguments, const interp::Field &field,
                           SealedProgram::Sought sought) const
    {
        interp::Limits limits;
        limits.steps = m_options.steps;
        limits.stop = m_options.stop;
        limits.field = &field;
        auto done = program.run(arguments, sought, limits);
        if (m_options.stop.stop_requested())
            throw support::Stopped();
        return done;
    }

    /// The arguments after a run of the unscheduled program. `sought.unwritten` is cleared where it reads
    /// what nobody wrote.
    Result<SealArguments> expectedOf(const SealArguments &inputs, const interp::Field &field,
                                     SealedProgram::Sought &sought) const
    {
        SealArguments results = inputs;
        auto done = interpret(m_before, results, field, sought);
        if (!done && sought.unwritten && done.error().code == interp::codes::unwritten) {
            sought.unwritten = false;
            results = inputs;
            done = interpret(m_before, results, field, sought);
        }
        if (!done)
            return std::unexpected(std::move(done.error()));
        return results;
    }

    /// The elements of all arguments; 0 where the unscheduled program does not hold for the sizes.
    std::int64_t compareOnce(int draw)
    {
        try {
            return compareRead(draw, interp::Field::Constants::Exact);
        } catch (const Verdict &verdict) {
            if (verdict.reason.code != differs)
                throw;
            // A step may have brought constants together, and a pass may then have computed them.
            try {
                return compareRead(draw, interp::Field::Constants::Rounded);
            } catch (const Verdict &) {
                throw verdict;
            }
        }
    }

    std::int64_t compareRead(int draw, interp::Field::Constants reading)
    {
        Random random(m_options.seed * 1000003 + static_cast<std::uint64_t>(draw));
        const interp::Field field(random(), m_draws.constants(), reading);
        // Guards of indices show only where some lie beyond; where nothing guards them, none may.
        const bool keepsIndices = draw % 2 == 0;
        const bool mayFail = m_draws.mayFail(draw); // a program need not hold for every size
        auto inputs = m_draws.arguments(draw, field, random, keepsIndices);
        m_seal.isOfIntegers = m_seal.isOfIntegers || m_draws.hasIntegers();
        if (!inputs && mayFail)
            return 0;
        if (!inputs)
            doesNotApply(std::move(inputs.error()));
        const bool looksClosely = draw < watchedDraws || m_work < littleWork;
        const SealedProgram::Sought wanted{.races = looksClosely,
                                           .unwritten = looksClosely && m_seal.isOfIntegers};
        SealedProgram::Sought sought = wanted;
        auto expected = expectedOf(*inputs, field, sought);
        if (!expected && !keepsIndices && m_draws.hasIndices()) {
            inputs = m_draws.arguments(draw, field, random, true);
            if (!inputs)
                doesNotApply(std::move(inputs.error()));
            sought = wanted;
            expected = expectedOf(*inputs, field, sought);
        }
        if (!expected && mayFail)
            return 0;
        if (!expected)
            doesNotApply(std::move(expected.error()));
        ++m_seal.draws;
        if (auto done = interpret(m_after, *inputs, field, sought); !done)
            throw Verdict{isFault(done.error()) ? Seal::Outcome::Differs : Seal::Outcome::DoesNotApply,
                          std::move(done.error())};
        std::int64_t elements = 0;
        for (std::size_t i = 0; i < expected->arrays.size(); ++i) {
            compare(i, expected->arrays[i], inputs->arrays[i]);
            elements += expected->arrays[i].size();
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
        for (std::size_t place = 0, at = 0; at < a.size(); ++place, at += width) {
            const bool isSame = std::memcmp(&a[at], &b[at], width) == 0;
            if (isSame && !isField)
                continue;
            const std::string element =
                elementName(number, static_cast<std::int64_t>(place), expected.shape());
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
        return diagnostic(std::string(differs),
                          std::format("'{}' is {} in the unscheduled program", element,
                                      isWritten ? "another formula of the inputs than"
                                                : "computed of memory that nobody has written, but not"));
    }

    static constexpr std::string_view differs = "seal.differs";
    static constexpr double littleWork = 2e6;
    static constexpr int watchedDraws = 2; ///< at least; symbolic sizes are larger in the second
    const ir::PrimFunc &m_unscheduled;
    const SealOptions &m_options;
    Seal &m_seal;
    const SealFacts m_factsBefore, m_factsAfter;
    SealDraws m_draws;
    const SealedProgram m_before, m_after;
    const double m_work;
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
