// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/edited_compiler.h"

#include "core/backend/link/compiler.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/process/child_process.h"
#include "core/process/question.h"
#include "core/support/errors/errors.h"
#include "core/support/text/json.h"

#include <chrono>
#include <cstdlib>
#include <format>

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
    if (!artifact)
        return process::errorAnswer(artifact.error());
    return {{"object", Json::binary({artifact->bytes.begin(), artifact->bytes.end()})},
            {"shared", artifact->format == backend::Format::SharedObject}};
}

Artifact artifactIn(const Json &answer, const backend::TextUnit &unit)
{
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

} // namespace

Result<Artifact> compileEdited(const ir::Module &scheduled, const target::Target &target,
                               const EditedCode &code, const std::stop_token &stop)
try {
    const auto unit = backend::textUnit(scheduled, target, code, stop);
    if (!unit)
        return fail(unit.error());
    const auto answer = process::ask({.command = "edited-code",
                                      .content = questionOf(*unit),
                                      .patience = compilerPatience,
                                      .runsCompiler = true,
                                      .ended = [&](const std::string &how) { return endedBy(how, code); }},
                                     stop);
    if (!answer)
        return fail(answer.error());
    if (!answer->contains("object") || !answer->contains("shared"))
        return fail(endedBy("gave an answer that cannot be read", code));
    return artifactIn(*answer, *unit);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
} catch (const Json::exception &) {
    return fail(diagnostic("edited.text", "the edited text is no UTF-8").at(code.name, 0, 0));
}

int compileAsEdited(const std::string &folder)
{
    return process::answer(folder, [](const Json &question, const std::filesystem::path &place) {
        const backend::SourceFormat *format =
            backend::findSourceFormat(question.at("kind").get<std::string>());
        const auto target = target::parseTarget(question.at("target").get<std::string>());
        if (!target)
            return process::errorAnswer(target.error());
        if (!format)
            return process::errorAnswer(diagnostic("edited.kind", "this kind of text cannot be compiled"));
        const backend::TextUnit unit{.code = {format->kind, question.at("text").get<std::string>(),
                                              question.at("name").get<std::string>()},
                                     .target = *target,
                                     .allowsFastMath = question.at("fast-math").get<bool>(),
                                     .entries = {}};
        const char *compiler = std::getenv("CC");
        confineCompiler(place, process::findProgram(compiler && *compiler ? compiler : "cc"), compilerLimits);
        return answerOf(backend::compileText(unit));
    });
}

} // namespace nestwright::measure
