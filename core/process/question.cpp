// SPDX-License-Identifier: Apache-2.0
#include "core/process/question.h"

#include "core/process/child_process.h"
#include "core/process/environment.h"
#include "core/process/error_json.h"
#include "core/process/nestc_program.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/files/whole_file.h"

#include <cstdlib>
#include <cstring>
#include <format>
#include <sys/wait.h>
#include <vector>

namespace nestwright::process {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr const char *questionFile = "question", *answerFile = "answer";

/// Environment of the compiler, which keeps its files in `folder`.
std::vector<std::string> compilerEnvironment(const std::string &folder)
{
    std::vector<std::string> variables = cleanEnvironment();
    std::erase_if(variables, [](const std::string &each) { return each.starts_with("TMPDIR="); });
    variables.push_back("TMPDIR=" + folder);
    variables.emplace_back("CCACHE_DISABLE=1");
    if (const char *compiler = std::getenv("CC"))
        variables.push_back(std::string("CC=") + compiler);
    return variables;
}

} // namespace

Json errorAnswer(const support::Diagnostic &error) { return {{"error", toJson(error)}}; }

Result<Json> ask(const Question &asked, const std::stop_token &stop)
try {
    const support::TemporaryFolder folder;
    const std::string place = folder.path().string();
    std::string bytes;
    Json::to_cbor(asked.content, bytes);
    support::writeFile(folder.path() / questionFile, bytes);
    ChildOptions child{.program = findNestc(), .arguments = {asked.command, place}, .environment = {}};
    if (asked.runsCompiler)
        child.environment = compilerEnvironment(place);
    auto process = ChildProcess::start(child);
    if (!process)
        return fail(process.error());
    const std::optional<int> status = process->wait(stop, asked.patience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "the work was cancelled");
    if (!status)
        return fail(asked.ended(std::format("did not end within {} s", asked.patience.count())));
    if (WIFSIGNALED(*status))
        return fail(asked.ended(std::format("crashed: {}", strsignal(WTERMSIG(*status)))));
    if (!std::filesystem::exists(folder.path() / answerFile))
        return fail(asked.ended("ended without an answer"));
    try {
        Json answer = Json::from_cbor(support::readFile(folder.path() / answerFile));
        if (!answer.contains("error"))
            return answer;
        auto error = process::errorFromJson(answer.at("error"));
        return fail(error ? *std::move(error) : asked.ended("gave an answer that cannot be read"));
    } catch (const Json::exception &) {
        return fail(asked.ended("ended without an answer"));
    }
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

int answer(const std::string &folder,
           const std::function<Json(const Json &, const std::filesystem::path &)> &answerTo)
try {
    const std::filesystem::path place(folder);
    const Json question = Json::from_cbor(support::readFile(place / questionFile));
    std::string bytes;
    Json::to_cbor(answerTo(question, place), bytes);
    support::writeFile(place / answerFile, bytes);
    return 0;
} catch (const support::UserError &) {
    return 2; // the folder is not one that an answer can be written to
} catch (const Json::exception &) {
    return 2; // or has no question
}

} // namespace nestwright::process
