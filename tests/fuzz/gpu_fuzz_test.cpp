// SPDX-License-Identifier: Apache-2.0
/// Random programs under random schedules for GPUs: once its threads wait for each other, the lowered program
/// computes in the interpreter what the program does, without races, and so it does by OpenCL and as CUDA's
/// text (every hundredth program each: their compilers are slow; NESTWRIGHT_FUZZ_COMPILED says how many of a
/// hundred). NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the programs,
/// NESTWRIGHT_FUZZ_OUT a folder for what fails.
#include "core/backend/backend.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/writer.h"
#include "core/script/printer.h"
#include "tests/support/backends.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_gpu_schedule.h"
#include "tests/support/random_program.h"
#include "tests/support/shrink.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::State;

namespace {

int refused = 0;

/// What a user is told about a schedule that no device can run.
bool isRefusal(std::string_view code) { return code.starts_with("lower."); }

using Compilers = std::vector<std::string>; ///< "opencl", "cuda"

/// What is wrong, first of all in the interpreter, then by `compilers`; empty where nothing is.
std::string firstFault(const ir::Module &scheduled, const Compilers &compilers)
{
    lower::Target target;
    target.kind = lower::TargetKind::OpenCl;
    const auto lowered = lower::lower(scheduled, target, {.keepRecords = true, .stop = {}});
    if (!lowered) {
        ++refused;
        if (qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_SHOW"))
            qInfo("refused: %s", lowered.error().render().c_str());
        return isRefusal(lowered.error().code) ? std::string() : lowered.error().render();
    }
    bool isSynced = false;
    for (const lower::PassRecord &record : lowered->records) {
        isSynced = isSynced || record.name == "thread-storage-sync";
        if (record.name == "split-host-device")
            break; // the interpreter launches nothing
        if (!isSynced)
            continue;
        if (const auto why = whyNotEquivalent(scheduled, record.after, {.findRaces = true}))
            return std::format("after {}: {}\n{}", record.name, *why, script::print(record.after).text);
    }
    for (const std::string &compiler : compilers) {
        const auto why = whyNotCompiledRight(*scheduled.mainEntry()->function, scheduled, compiler, {});
        if (why && !why->contains("[backend.unsupported]") && !why->contains("[lower.device-limit]"))
            return compiler + ": " + *why;
    }
    return {};
}

std::string smallest(const State &initial, const std::vector<schedule::Step> &steps, const std::string &why,
                     int seed)
{
    const std::string name = "gpu_seed_" + std::to_string(seed);
    const auto script = schedule::writeScheduleScript(initial, steps);
    if (!script)
        return report({initial, script.error().render(), why}, name);
    const std::string by = why.substr(0, why.find(':'));
    const Compilers compilers = by == "opencl" || by == "cuda" ? Compilers{by} : Compilers{};
    return report(shrunk({initial, *script, why},
                         [&](const State &, const schedule::ScriptRun &run) {
                             return firstFault(run.state.module, compilers);
                         }),
                  name);
}

} // namespace

class GpuFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomSchedules()
    {
        const int first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        const int count = given ? wanted : 2000;
        const int ofHundred = qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_COMPILED")
                                  ? qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COMPILED")
                                  : 1;
        Compilers built;
        if (backend::isBuilt(lower::TargetKind::OpenCl))
            built.emplace_back("opencl");
        if (backend::isBuilt(lower::TargetKind::Cuda))
            built.emplace_back("cuda");
        const auto compilersOf = [&](int seed) {
            Compilers chosen;
            for (std::size_t i = 0; i < built.size(); ++i) { // they take turns
                if ((seed + static_cast<int>(i)) * ofHundred % 100 < ofHundred)
                    chosen.push_back(built[i]);
            }
            return chosen;
        };
        for (int seed = first; seed < first + count; ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            const State initial = tests::scheduled(randomProgram(random));
            const GpuSchedule result = randomGpuSchedule(initial, random);
            if (qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_SHOW"))
                qInfo("seed %d:\n%s", seed, script::print(result.state.module).text.c_str());
            const std::string wrong = firstFault(result.state.module, compilersOf(seed));
            if (!wrong.empty())
                QFAIL(smallest(initial, result.steps, wrong, seed).c_str());
        }
        qInfo("%d of %d refused", refused, count);
        QVERIFY(refused * 3 < count);
    }
};

QTEST_GUILESS_MAIN(GpuFuzzTest)
#include "gpu_fuzz_test.moc"
