// SPDX-License-Identifier: Apache-2.0
#include "core/measure/edited_compiler.h"

#include "core/backend/compiler.h"
#include "core/measure/sandbox.h"
#include "core/support/child_process.h"
#include "core/support/codes.h"
#include "core/support/errors.h"
#include "core/support/json.h"
#include "core/support/nestc_program.h"

#include <chrono>
#include <cstdlib>
#include <format>
#include <sys/wait.h>

namespace nestwright::measure {

using backend::Artifact;
using backend::EditedCode;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::chrono::seconds compilerPatience{60};
constexpr SandboxLimits compilerLimits{.memoryBytes = std::uint64_t{4} << 30, .cpuSeconds = 60};
constexpr const char *questionFile = "question", *answerFile = "answer";

Json questionOf(const backend::TextUnit &unit)
{
    return {{"kind", backend::sourceFormat(unit.code.kind).name},
            {"text", unit.code.text},
            {"name", unit.code.name},
            {"target", unit.target.str()},
            {"fast-math", unit.allowsFastMath}};
}

Json answerOf(const Result<Artifact> &artifact)
{
    if (artifact)
        return {{"object", Json::binary({artifact->bytes.begin(), artifact->bytes.end()})},
                {"shared", artifact->format == backend::Format::SharedObject}};
    const Diagnostic &error = artifact.error();
    Json answer = {{"code", error.code}, {"message", error.message}, {"hint", error.hint}};
    if (!error.locations.empty()) {
        answer["line"] = error.locations.front().line;
        answer["column"] = error.locations.front().column;
    }
    return answer;
}

Result<Artifact> artifactIn(const Json &answer, const backend::TextUnit &unit)
{
    if (!answer.contains("object")) {
        Diagnostic error =
            diagnostic(answer.at("code").get<std::string>(), answer.at("message").get<std::string>())
                .withHint(answer.at("hint").get<std::string>());
        if (answer.contains("line"))
            error.locations.push_back({.file = unit.code.name,
                                       .line = answer.at("line").get<int>(),
                                       .column = answer.at("column").get<int>(),
                                       .stmt = {},
                                       .label = {}});
        return fail(std::move(error));
    }
    const auto &bytes = answer.at("object").get_binary();
    Artifact artifact;
    artifact.format =
        answer.at("shared").get<bool>() ? backend::Format::SharedObject : backend::Format::Object;
    artifact.bytes.assign(bytes.begin(), bytes.end());
    artifact.entries = unit.entries;
    artifact.target = unit.target.str();
    artifact.isEdited = true;
    return artifact;
}

Diagnostic endedBy(const std::string &how, const EditedCode &code)
{
    return diagnostic("edited.compile", std::format("the compiler of the edited {} {}",
                                                    backend::sourceFormat(code.kind).title, how))
        .at(code.name, 0, 0)
        .withHint("look at what was changed last");
}

Result<Artifact> answerIn(const std::filesystem::path &folder, const backend::TextUnit &unit)
try {
    return artifactIn(Json::from_cbor(backend::readFile(folder / answerFile)), unit);
} catch (const Json::exception &) {
    return fail(endedBy("ended without an answer", unit.code));
}

} // namespace

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

Result<Artifact> compileEdited(const ir::Module &scheduled, const lower::Target &target,
                               const EditedCode &code, const std::stop_token &stop)
try {
    const auto unit = backend::textUnit(scheduled, target, code, stop);
    if (!unit)
        return fail(unit.error());
    const support::TemporaryFolder folder;
    std::string bytes;
    Json::to_cbor(questionOf(*unit), bytes);
    backend::writeFile(folder.path() / questionFile, bytes);
    auto process = support::ChildProcess::start({.program = support::findNestc(),
                                                 .arguments = {"edited-code", folder.path().string()},
                                                 .environment = compilerEnvironment(folder.path().string())});
    if (!process)
        return fail(process.error());
    const std::optional<int> status = process->wait(stop, compilerPatience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    if (!status)
        return fail(endedBy(std::format("did not end within {} s", compilerPatience.count()), code));
    if (WIFSIGNALED(*status))
        return fail(endedBy(std::format("crashed: {}", strsignal(WTERMSIG(*status))), code));
    return answerIn(folder.path(), *unit);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
} catch (const Json::exception &) {
    return fail(diagnostic("edited.text", "the edited text is no UTF-8").at(code.name, 0, 0));
}

int compileAsEdited(const std::string &folder)
try {
    const std::filesystem::path place(folder);
    const Json question = Json::from_cbor(backend::readFile(place / questionFile));
    const backend::SourceFormat *format = backend::findSourceFormat(question.at("kind").get<std::string>());
    const auto target = lower::parseTarget(question.at("target").get<std::string>());
    if (!format || !target)
        return 2;
    const backend::TextUnit unit{.code = {format->kind, question.at("text").get<std::string>(),
                                          question.at("name").get<std::string>()},
                                 .target = *target,
                                 .allowsFastMath = question.at("fast-math").get<bool>(),
                                 .entries = {}};
    const char *compiler = std::getenv("CC");
    confineCompiler(place, support::findProgram(compiler && *compiler ? compiler : "cc"), compilerLimits);
    std::string answer;
    Json::to_cbor(answerOf(backend::compileText(unit)), answer);
    backend::writeFile(place / answerFile, answer);
    return 0;
} catch (const support::UserError &) {
    return 2; // the folder is not one that an answer can be written to
} catch (const Json::exception &) {
    return 2; // or has no question
}

} // namespace nestwright::measure
