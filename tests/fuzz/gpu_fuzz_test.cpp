// SPDX-License-Identifier: Apache-2.0
/// Random programs under random schedules for GPUs: once its threads wait for each other, the lowered program
/// computes in the interpreter what the program does, without races, and so it does as CUDA's text, many
/// compiled at once; of every twentieth OpenCL does too, whose compiler is slow, and LLVM makes PTX
/// (NESTWRIGHT_FUZZ_COMPILED says of how many of a hundred). NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT
/// choose the programs, NESTWRIGHT_FUZZ_OUT a folder for what fails, and NESTWRIGHT_FUZZ_PTX one for the PTX.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/backends.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_gpu_schedule.h"
#include "tests/support/random_program.h"
#include "tests/support/shrink.h"

#include <QtTest>

#include <format>
#include <fstream>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::State;

namespace {

int refused = 0;

/// Message to a user about a schedule that no device can run.
bool isRefusal(std::string_view code) { return code.starts_with("lower."); }

using Compilers = std::vector<std::string>; ///< "opencl", "cuda"

/// First fault, found by the interpreter, then by `compilers`; empty where there is none.
std::string firstFault(const ir::Module &scheduled, const Compilers &compilers)
{
    target::Target target;
    target.kind = target::TargetKind::OpenCl;
    const auto lowered = lower::lower(scheduled, target, {.keepRecords = true, .stop = {}});
    if (!lowered) {
        ++refused;
        if (qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_SHOW"))
            qInfo("refused: %s", lowered.error().render().c_str());
        return isRefusal(lowered.error().code) ? std::string() : lowered.error().render();
    }
    bool isSynced = false;
    for (const lower::PassRecord &record : lowered->records) {
        isSynced = isSynced || record.name == "thread-sync";
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

/// The program of a seed; some compute in half precision, whose elements devices move in pairs.
std::string programOf(int seed, Random &random)
{
    std::string text = randomProgram(random, Breadth::All);
    constexpr std::string_view single = "float32";
    if (seed % 7 == 3) {
        for (std::size_t at = 0; (at = text.find(single, at)) != std::string::npos;)
            text.replace(at, single.size(), "float16");
    }
    return text;
}

/// A program that the interpreter found right.
struct Checked {
    int seed = 0;
    State initial;
    std::vector<schedule::Step> steps;
    ir::Module scheduled;
};

std::string nameOf(const Checked &program) { return "seed_" + std::to_string(program.seed); }

bool isNotForIt(std::string_view why)
{
    return why.contains("[backend.unsupported]") || why.contains("[lower.device-limit]");
}

/// Compiles all programs at once by `compiler` and runs each. Gives the one that is wrong, and why.
std::optional<std::pair<const Checked *, std::string>> firstWrong(const std::vector<Checked> &programs,
                                                                  const std::string &compiler)
{
    const target::Target target = *target::parseTarget(compiler);
    const auto kind =
        target.kind == target::TargetKind::Cuda ? backend::SourceKind::Cuda : backend::SourceKind::OpenCl;
    std::vector<const Checked *> taken;
    std::vector<ir::Module::Entry> functions;
    for (const Checked &program : programs) {
        const auto source = backend::source(program.scheduled, target, kind);
        if (!source && !isNotForIt(source.error().render()))
            return std::pair(&program, source.error().render());
        if (!source)
            continue;
        taken.push_back(&program);
        ir::PrimFunc function = *program.scheduled.mainEntry()->function;
        function.attrs.erase("global_symbol"); // it is that of its name
        functions.push_back({nameOf(program), std::make_shared<const ir::PrimFunc>(std::move(function))});
    }
    if (taken.empty())
        return std::nullopt;
    // Read again, so that no two loops have one number.
    const auto all = script::parseTvmScript(script::print(ir::Module(std::move(functions))).text, "all.py");
    if (!all)
        return std::pair(taken.front(), all.error().render());
    const auto artifact = target.kind == target::TargetKind::Cuda ? backend::compileEmulated(*all, target)
                                                                  : backend::compile(*all, target);
    const auto kernel = artifact ? backend::load(*artifact) : std::unexpected(artifact.error());
    if (!kernel)
        return std::pair(taken.front(), kernel.error().render());
    for (const Checked *program : taken) {
        const auto why = whyNotRight(*program->scheduled.mainEntry()->function, **kernel, nameOf(*program));
        if (why && !isNotForIt(*why))
            return std::pair(program, *why);
    }
    return std::nullopt;
}

/// Why LLVM makes no PTX of a program, which it may refuse; empty where all is well.
std::string whyNoPtx(const Checked &program)
{
    target::Target target;
    target.kind = target::TargetKind::Cuda;
    const auto source = backend::source(program.scheduled, target, backend::SourceKind::Ptx);
    if (!source)
        return isNotForIt(source.error().render()) ? std::string() : source.error().render();
    if (const QString folder = qEnvironmentVariable("NESTWRIGHT_FUZZ_PTX"); !folder.isEmpty())
        std::ofstream((folder + "/" + QString::fromStdString(nameOf(program)) + ".ptx").toStdString())
            << source->text;
    return {};
}

} // namespace

class GpuFuzzTest : public QObject {
    Q_OBJECT

    static constexpr std::size_t atOnce = 100;

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("NESTWRIGHT_NVRTC", "/nowhere"); // so that LLVM makes the PTX
        qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc");
    }

    void randomSchedules()
    {
        const int first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        const int count = given ? wanted : 1000;
        const int ofHundred = qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_COMPILED")
                                  ? qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COMPILED")
                                  : 5;
        std::vector<Checked> toCompile, ofMore;
        for (int seed = first; seed < first + count; ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            const State initial = tests::scheduled(programOf(seed, random));
            const GpuSchedule result = randomGpuSchedule(initial, random);
            if (qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_SHOW"))
                qInfo("seed %d:\n%s", seed, script::print(result.state.module).text.c_str());
            const int before = refused;
            const std::string wrong = firstFault(result.state.module, {});
            if (!wrong.empty())
                QFAIL(smallest(initial, result.steps, wrong, seed).c_str());
            if (refused == before) {
                toCompile.push_back({seed, initial, result.steps, result.state.module});
                if (seed * ofHundred % 100 < ofHundred)
                    ofMore.push_back(toCompile.back());
            }
            if (toCompile.size() < atOnce && seed + 1 < first + count)
                continue;
            for (const std::string &fault :
                 {compiledFault("cuda", toCompile), compiledFault("opencl", ofMore), ptxFault(ofMore)}) {
                if (!fault.empty())
                    QFAIL(fault.c_str());
            }
            toCompile.clear();
            ofMore.clear();
        }
        qInfo("%d of %d refused", refused, count);
        QVERIFY(refused * 3 < count);
    }

private:
    static std::string compiledFault(const char *compiler, const std::vector<Checked> &programs)
    {
        if (!backend::isBuilt(target::parseTarget(compiler)->kind))
            return {};
        const auto wrong = firstWrong(programs, compiler);
        return wrong ? smallest(wrong->first->initial, wrong->first->steps,
                                std::string(compiler) + ": " + wrong->second, wrong->first->seed)
                     : std::string();
    }

    static std::string ptxFault(const std::vector<Checked> &programs)
    {
        for (const Checked &program : programs) {
            if (const std::string why = whyNoPtx(program); !why.empty())
                return smallest(program.initial, program.steps, "ptx: " + why, program.seed);
        }
        return {};
    }
};

QTEST_GUILESS_MAIN(GpuFuzzTest)
#include "gpu_fuzz_test.moc"
