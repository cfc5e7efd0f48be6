// SPDX-License-Identifier: Apache-2.0
#include "core/measure/child_question.h"

#include "core/backend/link/compiler.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/measure/worker/worker_protocol.h"
#include "core/support/child_process.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/nestc_program.h"

#include <cstdlib>
#include <cstring>
#include <format>
#include <sys/wait.h>
#include <vector>

namespace nestwright::measure {

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

Result<Json> askChild(const ChildQuestion &asked, const std::stop_token &stop)
try {
    const support::TemporaryFolder folder;
    const std::string place = folder.path().string();
    std::string bytes;
    Json::to_cbor(asked.question, bytes);
    backend::writeFile(folder.path() / questionFile, bytes);
    support::ChildOptions child{
        .program = support::findNestc(), .arguments = {asked.command, place}, .environment = {}};
    if (asked.runsCompiler)
        child.environment = compilerEnvironment(place);
    auto process = support::ChildProcess::start(child);
    if (!process)
        return fail(process.error());
    const std::optional<int> status = process->wait(stop, asked.patience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "the work was cancelled");
    if (!status)
        return fail(asked.ended(std::format("did not end within {} s", asked.patience.count())));
    if (WIFSIGNALED(*status))
        return fail(asked.ended(std::format("crashed: {}", strsignal(WTERMSIG(*status)))));
    try {
        Json answer = Json::from_cbor(backend::readFile(folder.path() / answerFile));
        if (!answer.contains("error"))
            return answer;
        auto error = diagnosticFromAnswer(answer.at("error"));
        return fail(error ? *std::move(error) : asked.ended("gave an answer that cannot be read"));
    } catch (const Json::exception &) {
        return fail(asked.ended("ended without an answer"));
    }
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

int answerQuestion(const std::string &folder,
                   const std::function<Json(const Json &, const std::filesystem::path &)> &answer)
try {
    const std::filesystem::path place(folder);
    const Json question = Json::from_cbor(backend::readFile(place / questionFile));
    std::string bytes;
    Json::to_cbor(answer(question, place), bytes);
    backend::writeFile(place / answerFile, bytes);
    return 0;
} catch (const support::UserError &) {
    return 2; // the folder is not one that an answer can be written to
} catch (const Json::exception &) {
    return 2; // or has no question
}

} // namespace nestwright::measure
