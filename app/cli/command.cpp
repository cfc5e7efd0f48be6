// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include "app/cli/codes.h"
#include "app/cli/input.h"
#include "app/cli/text/visible_output.h"
#include "core/backend/tool_version.h"
#include "core/measure/codes.h"
#include "core/measure/machine/this_machine.h"
#include "core/support/build_facts.h"
#include "core/support/errors/crash_report.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/shortened.h"
#include "core/support/files/atomic_file.h"
#include "core/support/files/reading.h"
#include "core/support/files/standard_streams.h"

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>

namespace nestwright::cli {

namespace {

constexpr auto commandTable = std::to_array<Command>({
    {"print", "Parse a module and print it as TVMScript", declarePrint},
    {"equal", "Compare two modules; names do not count", declareEqual},
    {"apply", "Run a schedule script on a module and print the result", declareApply},
    {"verify", "Run the scheduled program against the unscheduled one on random inputs", declareVerify},
    {"bisect", "Find the step of a schedule that made the result wrong, or that lost the speed",
     declareBisect},
    {"ablate", "Measure what each step of a schedule brings, added or left out one by one", declareAblate},
    {"suggest", "Print the bottlenecks, and the legal next steps of each loop and block", declareSuggest},
    {"run", "Run a kernel on NumPy files", declareRun},
    {"lower", "Run the lowering pipeline and print the result", declareLower},
    {"pass", "Run single lowering passes", declarePass},
    {"simplify", "Simplify expressions", declareSimplify},
    {"source", "Print the target source", declareSource},
    {"loops", "Print what each loop touches, and what its machine code does", declareLoops},
    {"cache", "Print which caches hold the accesses of each statement", declareCache},
    {"layout", "Print where elements lie in memory before and after steps on layouts", declareLayout},
    {"resources", "Print what the kernels of a GPU use, and how many blocks run side by side",
     declareResources},
    {"measure", "Measure variants of a kernel", declareMeasure},
    {"sweep",
     "Give one or two numbers of steps other values, or a loop other places: predicted, and measured",
     declareSweep},
    {"transfer", "Measure a schedule on other shapes, threads and targets", declareTransfer},
    {"scaling", "Measure a schedule with 1, 2, 4 … threads, beside the ideal and the roofline",
     declareScaling},
    {"recipe", "Write a schedule as a recipe with parameters", declareRecipe},
    {"report", "Write a session as one HTML page: figures, loops and code, linked", declareReport},
    {"compare", "Compare two variants of a kernel loop by loop", declareCompare},
    {"peer", "Time a tuned library on the computation of a kernel", declarePeer},
    {"export", "Write files to link or to read", declareExport},
    {"graph", "Print a model's graph or its kernels", declareGraph},
    {"run-model", "Run a model on files", declareRunModel},
    {"bench-model", "Time a model and its kernels", declareBenchModel},
    {"schedule-model", "Try a schedule on all kernels of a model, and keep it where it is faster",
     declareScheduleModel},
    {"course", "Print the lessons of the course, and check a schedule against the goals of one",
     declareCourse},
    {"list",
     "List primitives, operators, targets, passes, the rewriting rules of the simplifier or facts about the "
     "machine",
     declareList},
    {"request", "Answer a request of another program, in JSON", declareRequest},
    {"driver", "Compilers and drivers of devices in a process of their own, for the other commands",
     declareDriver},
    {"edited-code", "The compiler of edited code in a process of its own, for the other commands",
     declareEditedCode},
    {"peer-code", "The reader of others' machine code in a process of its own, for the other commands",
     declarePeerCode},
    {"worker", "The measuring worker: requests on standard input, answers on standard output", declareWorker},
});

} // namespace

std::span<const Command> commands() { return commandTable; }

Status exitStatus(const support::Diagnostic &diagnostic)
{
    // A step that the rules refuse and a kernel that fails are answers; everything else is input that makes
    // no sense.
    static constexpr auto families =
        std::to_array<std::string_view>({"schedule", "analysis", "kernel", "worker", "interp"});
    static constexpr auto answers = std::to_array<std::string_view>(
        {measure::codes::wrongResult, codes::wrongResult, measure::codes::tooLarge, measure::codes::untold});
    const bool isAnswer = std::ranges::contains(families, support::familyOf(diagnostic))
                          || std::ranges::contains(answers, diagnostic.code);
    return isAnswer ? No : BadInput;
}

int report(const support::Diagnostic &diagnostic)
{
    std::cerr << diagnostic.render() << '\n';
    return exitStatus(diagnostic);
}

support::Result<void> writeText(const std::string &path, std::string_view text)
{
    if (path.empty() || path == "-") {
        std::cout << text;
        return support::flushStandardOutput();
    }
    if (auto written = support::writeAtomically(path, text); !written)
        return support::fail(written.error());
    return {};
}

int writeOutput(const std::string &path, std::string_view text)
{
    const auto written = writeText(path, text);
    return written ? Done : report(written.error());
}

namespace {

constexpr int bugFound = 70; ///< exit status

std::string programName() { return "nestc " + std::string(support::programVersion()); }

/// Not in the worker, where kernels crash and that is an answer, nor where the code of others makes a
/// compiler crash.
void startCrashReports(int argc, char **argv)
{
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (command == "worker" || command == "edited-code" || command == "peer-code")
        return;
    support::writeCrashReports(support::crashFolder(), "Program: " + programName() + "\nCompiler of kernels: "
                                                           + backend::toolVersion(target::TargetKind::Llvm)
                                                           + '\n');
    std::string line = "nestc";
    for (int i = 1; i < argc; ++i)
        line += ' ' + std::string(argv[i]);
    support::noteStep(line);
}

/// Lets recipes have the numbers of the machine that a command makes code for.
void followTarget(const CLI::App &command)
{
    const auto given = [&](const char *name) {
        const CLI::Option *option = command.get_option_no_throw(name);
        return option && option->count() > 0 ? option->results().front() : std::string();
    };
    auto target = target::parseTarget(given("--target").empty() ? "llvm" : given("--target"));
    if (!target)
        return; // the command says what is wrong
    if (const std::string mcpu = given("--mcpu"); !mcpu.empty())
        target->mcpu = mcpu;
    if (const std::string mattr = given("--mattr"); !mattr.empty())
        target->mattr = mattr;
    opener().setTarget(*target);
}

/// Parses the command line and runs the command; gives the exit status.
int runCommand(int argc, char **argv)
{
    CLI::App app("Nestwright on the command line: schedule kernels, see their code, measure them.", "nestc");
    app.set_version_flag("--version", programName());
    app.require_subcommand(1);
    app.failure_message([](const CLI::App *command, const CLI::Error &error) {
        return support::shortened(CLI::FailureMessage::simple(command, error));
    });
    app.footer(
        "MODULE is a TVMScript or TE script (.py), a session (.nest), or an operator such as\n"
        "op:matmul(M=256,N=256,K=256).\n"
        "Exit status: 0 done; 1 a clean no (illegal step, not equal, wrong result); 2 bad usage or input.");
    startCrashReports(argc, argv);
    std::function<int()> run;
    for (const Command &command : commandTable) {
        CLI::App *sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
        sub->final_callback([&run, sub, action = command.declare(*sub)] {
            followTarget(*sub);
            run = action;
        });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? Done : BadInput;
    }
    if (const auto machine = measure::givenMachine(); !machine)
        return report(machine.error());
    try {
        const auto done = support::withinMemory(argv[1], [&]() -> support::Result<int> { return run(); });
        return done ? *done : report(done.error());
    } catch (const support::UserError &error) {
        return report(error.diagnostic());
    } catch (const std::exception &error) { // a bug of ours: say so, with what is known
        std::cerr << "nestc: " << error.what()
                  << "\nThis is a bug in nestc; please report it with the input.\n";
        return bugFound;
    }
}

} // namespace

int runCommandLine(int argc, char **argv)
{
    support::holdStandardStreams();
    support::outliveFileLimit();
    const VisibleOutput errors(std::cerr);
    int status = Done;
    {
        const VisibleOutput output(std::cout);
        status = runCommand(argc, argv);
    }
    if (status != Done && status != No)
        return status; // it has said why
    const auto printed = support::flushStandardOutput();
    return printed ? status : report(printed.error());
}

} // namespace nestwright::cli
