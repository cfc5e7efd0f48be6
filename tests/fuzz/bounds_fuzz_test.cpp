// SPDX-License-Identifier: Apache-2.0
/// Random programs under random legal schedules, compiled for several processors and by a C compiler: the
/// judge calls none of them wrong, and none takes more than the bound on its rounding errors but those with
/// the unscheduled program's own results. How much of the bounds right results take is printed, by type.
/// NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the programs, NESTWRIGHT_FUZZ_OUT a folder for what
/// fails; with NESTWRIGHT_FUZZ_ALL=1 failures are counted, and the test goes on.
#include "core/explore/judge/seal.h"
#include "core/ir/build/walk.h"
#include "core/lower/pipeline.h"
#include "core/measure/verify/comparison.h"
#include "core/measure/verify/error_bounds.h"
#include "core/schedule/apply.h"
#include "core/schedule/script/writer.h"
#include "core/schedule/state_index.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "tests/core/measure/worker_fixture.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_arithmetic.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"
#include "tests/support/seeded_fault.h"
#include "tests/support/size_bounds.h"

#include <array>
#include <fstream>
#include <map>
#include <ranges>

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;
using schedule::State;
using schedule::StmtId;

namespace {

constexpr int schedulesPerProgram = 8;
constexpr double bearableIterations = 3e7; // of a compiled program
constexpr double bearableCopies = 64;      // of LLVM

struct Variant {
    State state;
    std::vector<schedule::Step> steps;
};

class VariantMaker {
public:
    VariantMaker(const State &initial, Random &random) : m_variant{initial, {}}, m_random(random) {}

    Variant make()
    {
        if (m_random.chance(60)) {
            for (std::int64_t i = m_random.between(1, 6); i > 0; --i)
                reassociate();
        }
        constexpr int mostTries = 40;
        const std::int64_t wanted = m_random.between(0, 6);
        int taken = 0;
        for (int tries = 0; tries < mostTries && taken < wanted; ++tries)
            taken += apply(randomStep(m_variant.state, m_random)) ? 1 : 0;
        return m_variant;
    }

private:
    const analysis::FunctionIndex &index() const { return *m_variant.state.index->function("main"); }

    std::optional<schedule::Applied> apply(const schedule::Step &step)
    {
        auto applied = schedule::apply(m_variant.state, step);
        if (!applied || mostIterations(applied->state.module) > bearableIterations
            || mostCopies(applied->state.module) > bearableCopies)
            return std::nullopt;
        m_variant.steps.push_back(step);
        m_variant.state = applied->state;
        return std::move(*applied);
    }
    std::optional<schedule::Applied>
    apply(std::string_view name, const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args)
    {
        const auto step = schedule::makeStep(name, args);
        return step ? apply(*step) : std::nullopt;
    }

    /// One of the steps that change in which order terms are added, on a nest by chance.
    void reassociate()
    {
        std::vector<StmtId> blocks;
        for (const StmtId id : index().all()) {
            if (!index().loop(id) && id != index().root())
                blocks.push_back(id);
        }
        const StmtId block = m_random.pick(blocks);
        const std::vector<StmtId> loops = index().loopsOf(block);
        if (loops.empty())
            return;
        const StmtId loop = m_random.chance(60) ? loops.back() : m_random.pick(loops);
        switch (m_random.below(7)) {
        case 0: apply("decompose_reduction", {{"block", block}, {"loop", m_random.pick(loops)}}); break;
        case 1: apply("unroll", {{"loop", loop}}); break;
        case 2: apply("parallel", {{"loop", loops.front()}}); break;
        case 3:
            if (!takesExtremes(block)) // of NaN and numbers these depend on the order
                apply("annotate",
                      {{"block_or_loop", loop}, {"ann_key", std::string("reassociate")}, {"ann_val", 1}});
            break;
        case 4: apply("rfactor", {{"loop", loop}, {"factor_axis", 0}}); break;
        default: split(loop); break;
        }
    }

    bool takesExtremes(StmtId block) const
    {
        bool takes = false;
        ir::forEachExpr(index().block(block)->body, [&](const ir::Expr &e) {
            const auto *binary = e.as<ir::Binary>();
            takes = takes || (binary && (binary->op == ir::BinaryOp::Max || binary->op == ir::BinaryOp::Min));
            return !takes;
        });
        return takes;
    }

    void split(StmtId loop)
    {
        const schedule::ArgList factors{{}, m_random.pick<std::int64_t>({2, 4, 7, 8, 16, 32})};
        const auto parts = apply("split", {{"loop", loop}, {"factors", factors}});
        if (!parts)
            return;
        const StmtId chosen = parts->id(m_random.chance(70) ? 1 : 0);
        switch (m_random.below(4)) {
        case 0: apply("vectorize", {{"loop", parts->id(1)}}); break;
        case 1: apply("rfactor", {{"loop", chosen}, {"factor_axis", 0}}); break;
        case 2: apply("reorder", {{"loops", schedule::ArgList{parts->id(1), parts->id(0)}}}); break;
        default: break;
        }
    }

    Variant m_variant;
    Random &m_random;
};

/// Number of variants that took at most so much of their bounds.
struct Shares {
    static constexpr std::array limits{0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0};
    std::array<int, limits.size() + 1> counts{}; ///< the last: more than all
    int without = 0;                             ///< results that have no bounds
    double most = 0;

    void note(const std::optional<double> &share)
    {
        if (!share) {
            ++without;
            return;
        }
        most = std::max(most, *share);
        ++counts[static_cast<std::size_t>(std::ranges::lower_bound(limits, *share) - limits.begin())];
    }
    std::string text() const
    {
        std::string line;
        for (const int count : counts)
            line += std::format("{:>7}", count);
        return line + std::format("{:>8}{:>10.3g}", without, most);
    }
};

std::string typeOfResult(const ir::Module &module)
{
    for (const ir::Param &param : module.find("main")->params | std::views::reverse) {
        if (param.buffer)
            return param.buffer.dtype().str();
    }
    return "";
}

target::Target targetOf(std::string_view text) { return target::parseTarget(text).value(); }

} // namespace

class BoundsFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool isGiven = false;
        const int given = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &isGiven);
        m_count = isGiven ? given : 6;
    }

    /// Of twenty times as many programs, which are not compiled: those with bounds are lowered.
    void programsWithBoundsAreWellFormed()
    {
        int bounded = 0;
        for (int seed = m_first; seed < m_first + 20 * m_count; ++seed) {
            const ir::Module module = programOf(static_cast<std::uint64_t>(seed)).module;
            const auto made = measure::withErrorBounds(module, "main");
            bounded += made ? 1 : 0;
            const std::string wrong = made ? faultOfLowering(made->module) : "";
            if (!wrong.empty())
                QFAIL(std::format("seed {}: {}\n{}", seed, wrong, script::print(module).text).c_str());
        }
        qInfo("%d of %d programs have bounds", bounded, 20 * m_count);
    }

    void rightResultsAreWithinTheirBounds()
    {
        for (int seed = m_first; seed < m_first + m_count; ++seed) {
            if (seed % 50 == 0) { // what was compiled takes room
                m_measurer.reset();
                if (seed > m_first)
                    show();
            }
            oneProgram(static_cast<std::uint64_t>(seed));
            if (m_wrong > 0 && qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ALL") == 0)
                break;
        }
        show();
        QCOMPARE(m_wrong, 0);
        QVERIFY(m_verified > m_count);
    }

    /// Programs with a fault that the seal sees: few are near enough for rounding to explain what is wrong.
    /// In 16 bits that is so of a term that a sum of hundreds lacks: these are shown alone.
    void faultsAreBeyondTheirBounds()
    {
        std::map<std::string, Faults> faults; // by type
        for (int seed = m_first; seed < m_first + m_count; ++seed) {
            if (seed % 50 == 0)
                m_measurer.reset();
            countFaults(static_cast<std::uint64_t>(seed), faults);
        }
        Faults wide;
        for (const auto &[type, counts] : faults) {
            qInfo("%-9s %d faults, %d are called verified", type.c_str(), counts.all, counts.verified);
            if (type.ends_with("16"))
                continue;
            wide.all += counts.all;
            wide.verified += counts.verified;
        }
        QVERIFY(wide.all > 0 && wide.verified * 20 <= wide.all);
    }

private:
    static State programOf(std::uint64_t seed)
    {
        Random random(seed);
        const bool isArithmetic = random.chance(70);
        return scheduled(isArithmetic ? randomArithmetic(random) : randomProgram(random));
    }

    /// Why the module cannot be lowered, or nothing.
    static std::string faultOfLowering(const ir::Module &module)
    try {
        const auto lowered = lower::lower(module, {});
        return lowered ? "" : lowered.error().message;
    } catch (const support::InternalError &error) {
        return error.what();
    }

    /// Whether the seal sees it in the loops that are compiled.
    static bool isWrong(const ir::Module &right, const ir::Module &faulty)
    {
        const auto lowered = lower::lower(faulty, {});
        if (!lowered)
            return false;
        explore::SealOptions options;
        options.steps = 20'000'000;
        const auto seal = explore::seal(right, lowered->module, options);
        return seal && seal->outcome == explore::Seal::Outcome::Differs;
    }

    struct Faults {
        int all = 0, verified = 0;
    };

    /// Adds the faults that change the results of a program to those of its type.
    void countFaults(std::uint64_t seed, std::map<std::string, Faults> &faults)
    {
        Random random(seed);
        const State initial = scheduled(randomArithmetic(random));
        measure::MeasureJob job = jobOn(initial, "llvm", seed);
        std::vector<std::string> abouts;
        for (int i = 0; i < schedulesPerProgram; ++i) {
            const SeededFault fault = withFault(VariantMaker(initial, random).make().state.module, random);
            if (fault.about.empty() || !isWrong(initial.module, fault.module))
                continue;
            job.variants.push_back(fault.module);
            abouts.push_back(fault.about);
        }
        const auto results = job.variants.empty() ? support::Result<std::vector<Measurement>>()
                                                  : measurer().measure(job, ignore);
        Faults &counts = faults[typeOfResult(initial.module)];
        for (std::size_t i = 0; results && i < results->size(); ++i) {
            if ((*results)[i].failed == Failure::Compile)
                continue;
            ++counts.all;
            if (!(*results)[i].isVerified())
                continue;
            ++counts.verified;
            if (qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_ALL"))
                qInfo("seed %d: %s (%s)\n%s", int(seed), abouts[i].c_str(), (*results)[i].evidence.c_str(),
                      script::print(job.variants[i]).text.c_str());
        }
    }

    /// One that could not be judged, with the first reason of its kind.
    void noteOther(const support::Diagnostic &reason, std::uint64_t seed)
    {
        if (++m_others[reason.code] == 1)
            qInfo("seed %llu: %s", static_cast<unsigned long long>(seed), reason.render().c_str());
    }

    static measure::MeasureJob jobOn(const State &initial, const char *processor, std::uint64_t seed)
    {
        measure::MeasureJob job;
        job.reference = initial.module;
        job.target = targetOf(processor);
        job.verifyOnly = true;
        job.wantPeak = false;
        job.defaultSize = 20;
        job.seed = seed + 1;
        return job;
    }

    void oneProgram(std::uint64_t seed)
    {
        Random random(seed + 1'000'000);
        const State initial = programOf(seed);
        std::vector<Variant> variants;
        for (int i = 0; i < schedulesPerProgram; ++i) {
            Variant variant = VariantMaker(initial, random).make();
            if (const std::string wrong = faultOfLowering(variant.state.module); wrong.contains("internal"))
                report(seed, initial, variant, "any", wrong);
            else if (explore::keepsBuffers(initial.module, variant.state.module)) // else others are compared
                variants.push_back(std::move(variant));
        }
        for (const char *processor : {"llvm", "llvm -mcpu=haswell", "llvm -mcpu=x86-64", "c"}) {
            const bool isSlow = std::string_view(processor) == "c"; // to compile
            if (!random.chance(isSlow ? 5 : 60))
                continue;
            std::vector<Variant> compiled = variants;
            compiled.push_back({initial, {}}); // by another compiler it is another program
            judge(initial, compiled, processor, seed);
        }
    }

    void judge(const State &initial, const std::vector<Variant> &variants, const char *processor,
               std::uint64_t seed)
    {
        measure::MeasureJob job = jobOn(initial, processor, seed);
        for (const Variant &variant : variants)
            job.variants.push_back(variant.state.module);
        const auto results = measurer().measure(job, ignore);
        if (!results) {
            noteOther(results.error(), seed);
            return;
        }
        const std::string type = typeOfResult(initial.module);
        for (std::size_t i = 0; i < results->size(); ++i) {
            const Measurement &result = (*results)[i];
            if (result.failed == Failure::WrongResult) {
                report(seed, initial, variants[i], processor, result.failure->message);
            } else if (!result.isVerified()) {
                noteOther(result.failure.value_or(measure::tellNothing()), seed);
                if (qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_ALL") && result.failure
                    && result.failure->code != "backend.unsupported")
                    qInfo("seed %d: %s", int(seed), result.failure->message.c_str());
            } else {
                ++m_verified;
                m_shares[type].note(result.boundShare);
                // Sums of many equal numbers are rounded the same way each time, by the program itself, too.
                if (result.boundShare.value_or(0) > 1 && result.difference.value_or(0) > 0)
                    report(seed, initial, variants[i], processor,
                           std::format("it takes {:.3g} of its bound", *result.boundShare));
            }
        }
    }

    measure::Measurer &measurer()
    {
        if (!m_measurer) {
            measure::WorkerOptions options;
            options.program = thisProgram();
            m_measurer = std::make_unique<measure::Measurer>(options);
        }
        return *m_measurer;
    }

    void report(std::uint64_t seed, const State &initial, const Variant &variant, const char *processor,
                const std::string &why)
    {
        ++m_wrong;
        const auto script = schedule::writeScheduleScript(initial, variant.steps);
        const std::string program = script::print(initial.module).text;
        const std::string schedule = script ? *script : script.error().render();
        qWarning("seed %d, %s: %s\n%s\n%s", int(seed), processor, why.c_str(), program.c_str(),
                 schedule.c_str());
        const QString folder = qEnvironmentVariable("NESTWRIGHT_FUZZ_OUT");
        if (folder.isEmpty())
            return;
        const std::string stem = std::format("{}/bounds_{}_{}", folder.toStdString(), seed, m_wrong);
        std::ofstream(stem + ".py") << program;
        std::ofstream(stem + "_schedule.py") << schedule;
    }

    void show() const
    {
        qInfo("%d variants are right, %d are called wrong", m_verified, m_wrong);
        for (const auto &[code, times] : m_others)
            qInfo("  %s: %d", code.c_str(), times);
        std::string head;
        for (const double limit : Shares::limits)
            head += std::format("{:>6}%", 100 * limit);
        qInfo("  takes at most %s   more  without      most", head.c_str());
        for (const auto &[type, shares] : m_shares)
            qInfo("  %-14s%s", type.c_str(), shares.text().c_str());
    }

    int m_first = 0, m_count = 0, m_verified = 0, m_wrong = 0;
    std::map<std::string, int> m_others; ///< why others could not be judged
    std::map<std::string, Shares> m_shares;
    std::unique_ptr<measure::Measurer> m_measurer;
};

int main(int argc, char *argv[]) { return runTestOrWorker<BoundsFuzzTest>(argc, argv); }

#include "bounds_fuzz_test.moc"
