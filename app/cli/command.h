// SPDX-License-Identifier: Apache-2.0
/// The commands of nestc: each declares its options and the function to run.
#pragma once

#include "core/support/errors/result.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace CLI { // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace nestwright::cli {

/// Exit status of nestc.
enum Status : int {
    Done = 0,
    No = 1,      ///< a clean "no": an illegal step, modules that are not equal, a wrong result
    BadInput = 2 ///< bad usage or input
};

/// One command. `declare` puts its options on `app` and returns the function to run once they are parsed;
/// results go to standard output or `-o`, errors to standard error.
struct Command {
    std::string_view name;
    std::string_view summary;
    std::function<int()> (*declare)(CLI::App &app);
};

/// Every command, in the order of the help text.
std::span<const Command> commands();

/// Parses the command line and runs the command.
int runCommandLine(int argc, char **argv);

/// The exit status that goes with an error.
Status exitStatus(const support::Diagnostic &diagnostic);

/// Prints the error and gives its exit status.
int report(const support::Diagnostic &diagnostic);

/// Writes to the file, or to standard output when `path` is empty or "-". Error: "file.write".
support::Result<void> writeText(const std::string &path, std::string_view text);
/// Writes as above and reports the error. Gives the exit status.
int writeOutput(const std::string &path, std::string_view text);

std::function<int()> declarePrint(CLI::App &app);
std::function<int()> declareEqual(CLI::App &app);
std::function<int()> declareApply(CLI::App &app);
std::function<int()> declareVerify(CLI::App &app);
std::function<int()> declareBisect(CLI::App &app);
std::function<int()> declareAblate(CLI::App &app);
std::function<int()> declareSuggest(CLI::App &app);
std::function<int()> declareRun(CLI::App &app);
std::function<int()> declareLower(CLI::App &app);
std::function<int()> declarePass(CLI::App &app);
std::function<int()> declareSimplify(CLI::App &app);
std::function<int()> declareSource(CLI::App &app);
std::function<int()> declareMeasure(CLI::App &app);
std::function<int()> declareCompare(CLI::App &app);
std::function<int()> declareLoops(CLI::App &app);
std::function<int()> declareCache(CLI::App &app);
std::function<int()> declareLayout(CLI::App &app);
std::function<int()> declareSweep(CLI::App &app);
std::function<int()> declareTransfer(CLI::App &app);
std::function<int()> declareScaling(CLI::App &app);
std::function<int()> declareRecipe(CLI::App &app);
std::function<int()> declareResources(CLI::App &app);
std::function<int()> declareReport(CLI::App &app);
std::function<int()> declarePeer(CLI::App &app);
std::function<int()> declareCourse(CLI::App &app);
std::function<int()> declareExport(CLI::App &app);
std::function<int()> declareGraph(CLI::App &app);
std::function<int()> declareRunModel(CLI::App &app);
std::function<int()> declareBenchModel(CLI::App &app);
std::function<int()> declareScheduleModel(CLI::App &app);
std::function<int()> declareList(CLI::App &app);
std::function<int()> declareRequest(CLI::App &app);
std::function<int()> declareDriver(CLI::App &app);
std::function<int()> declareEditedCode(CLI::App &app);
std::function<int()> declarePeerCode(CLI::App &app);
std::function<int()> declareWorker(CLI::App &app);

} // namespace nestwright::cli
