// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/peer_code.h"

#include "core/backend/edited_code.h"
#include "core/backend/link/compiler.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/measure/peers/library_code.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/process/child_process.h"
#include "core/process/question.h"
#include "core/support/errors/errors.h"
#include "core/support/files/input_file.h"
#include "core/support/text/json.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <format>

namespace nestwright::measure {

using analysis::LibraryKernel;
using backend::MachineCode;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::chrono::seconds readerPatience{120};
constexpr SandboxLimits readerLimits{.memoryBytes = std::uint64_t{6} << 30, .cpuSeconds = 100};
constexpr std::size_t mostFileBytes = std::size_t{1} << 30;

/// Machine code is made and read by LLVM, whatever the variant's target is.
target::Target ofMachineCode(const target::Target &target)
{
    return backend::targetOf(backend::sourceFormat(backend::SourceKind::Asm), target);
}

std::string fileNameOf(const std::string &path) { return std::filesystem::path(path).filename().string(); }

Json binary(const std::string &bytes) { return Json::binary({bytes.begin(), bytes.end()}); }
std::string bytesOf(const Json &json)
{
    const auto &bytes = json.get_binary();
    return {bytes.begin(), bytes.end()};
}

Json answerWith(const MachineCode &code)
{
    Json functions = Json::array(), samples = Json::array();
    for (const backend::FunctionBytes &each : code.functions)
        functions.push_back({{"name", each.name}, {"address", each.address}, {"bytes", binary(each.bytes)}});
    for (const auto &[place, count] : code.samples)
        samples.push_back({place, count});
    return {{"functions", functions}, {"samples", samples}};
}

MachineCode codeIn(const Json &json)
{
    MachineCode code;
    for (const Json &each : json.at("functions"))
        code.functions.push_back({each.at("name").get<std::string>(), each.at("address").get<std::uint64_t>(),
                                  bytesOf(each.at("bytes"))});
    for (const Json &each : json.at("samples"))
        code.samples.emplace(each.at(0).get<std::uint64_t>(), each.at(1).get<int>());
    return code;
}

/// Asks a process of its own. `subject`: "sgemm.c", "OpenBLAS".
Result<Json> asked(Json question, const std::string &subject, const std::stop_token &stop)
{
    const bool isFile = question.contains("file");
    return process::ask({.command = "peer-code",
                         .content = std::move(question),
                         .patience = readerPatience,
                         .runsCompiler = isFile,
                         .ended =
                             [&](const std::string &how) {
                                 return diagnostic("code.process",
                                                   std::format("the process that reads {} {}", subject, how));
                             }},
                        stop);
}

Result<Json> askedOfFile(const PeerFile &file, bool wantsNames, const target::Target &target,
                         const std::stop_token &stop)
{
    if (target.isGpu())
        return fail(diagnostic("code.processor",
                               std::format("the code of '{}' is compared on a processor, but the target is "
                                           "'{}'",
                                           file.path, target.str()))
                        .withHint("choose the target llvm"));
    const auto bytes = support::readText(file.path, mostFileBytes);
    if (!bytes)
        return fail(bytes.error());
    return asked({{"file", binary(*bytes)},
                  {"name", file.path},
                  {"function", file.function},
                  {"wants-names", wantsNames},
                  {"target", ofMachineCode(target).str()}},
                 '\'' + fileNameOf(file.path) + '\'', stop);
}

/// Whether code for `target` runs here.
bool isThisProcessor(const target::Target &target)
{
#if defined(__x86_64__)
    constexpr std::string_view here = "x86_64";
#elif defined(__aarch64__)
    constexpr std::string_view here = "aarch64";
#else
    constexpr std::string_view here = "none that is known";
#endif
    return target.mtriple.empty() || target.mtriple.starts_with(here);
}

/// An object file of a text; other files as they are.
Result<std::string> objectOf(const std::string &bytes, const std::string &name, const target::Target &target)
{
    const auto kind = backend::editableKindOf(name);
    if (!kind)
        return bytes;
    const backend::TextUnit unit{.code = {*kind, bytes, name, /*isPeers=*/true},
                                 .target = backend::targetOf(backend::sourceFormat(*kind), target),
                                 .allowsFastMath = false,
                                 .entries = {}};
    auto artifact = backend::compileText(unit);
    if (!artifact) {
        Diagnostic error = artifact.error();
        if (error.hint.empty() && *kind == backend::SourceKind::C)
            error.hint =
                "headers of the system are found, others are not: give an object file where it needs "
                "some";
        return fail(std::move(error));
    }
    return std::move(artifact->bytes);
}

Json answerOfFile(const Json &question, const std::filesystem::path &folder)
{
    const auto text = [&](const char *key) { return question.at(key).get<std::string>(); };
    const std::string name = text("name");
    const auto target = target::parseTarget(text("target"));
    if (!target)
        return process::errorAnswer(target.error());
    const char *compiler = std::getenv("CC");
    confineCompiler(folder, process::findProgram(compiler && *compiler ? compiler : "cc"), readerLimits);
    const auto object = objectOf(bytesOf(question.at("file")), name, *target);
    if (!object)
        return process::errorAnswer(object.error());
    if (question.at("wants-names").get<bool>()) {
        const auto names = backend::functionNames(*object, name, *target);
        return names ? Json{{"names", *names}} : process::errorAnswer(names.error());
    }
    const auto code = backend::functionsIn(*object, name, text("function"), *target);
    return code ? answerWith(*code) : process::errorAnswer(code.error());
}

Json answerOfLibrary(const Json &question, const std::filesystem::path &folder)
{
    const auto library = static_cast<PeerLibrary>(question.at("library").get<int>());
    const LibraryKernel kernel = libraryKernelFromJson(question.at("kernel"));
    const auto call = peerCall(kernel, 1, library);
    if (!call)
        return process::errorAnswer(call.error());
    const auto code = codeThatRuns(*call, library, folder);
    if (!code)
        return process::errorAnswer(code.error());
    Json answer = answerWith(*code);
    const std::string core = coreOf(*call, library);
    answer["name"] = call->library + (core.empty() ? "" : ' ' + core);
    if (question.at("timed").get<bool>()) {
        const auto time = timePeer(kernel, question.at("threads").get<int>(), library);
        if (!time)
            return process::errorAnswer(time.error());
        answer["time"] = toJson(*time);
    }
    return answer;
}

} // namespace

PeerFile parsePeerFile(const std::string &text)
{
    const std::size_t colon = text.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || colon == 0 || std::filesystem::exists(text, ignored))
        return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<PeerCode> codeOfFile(const PeerFile &file, const target::Target &target, const std::stop_token &stop)
try {
    const auto answer = askedOfFile(file, false, target, stop);
    if (!answer)
        return fail(answer.error());
    auto code = backend::disassemble(codeIn(*answer), ofMachineCode(target), stop);
    if (!code)
        return fail(code.error());
    return PeerCode{fileNameOf(file.path) + (file.function.empty() ? "" : ':' + file.function),
                    *std::move(code)};
} catch (const Json::exception &) {
    return fail("code.process", "the answer on '" + file.path + "' cannot be read");
}

Result<std::vector<std::string>> functionsOfFile(const std::string &path, const target::Target &target,
                                                 const std::stop_token &stop)
try {
    const auto answer = askedOfFile({path, {}}, true, target, stop);
    if (!answer)
        return fail(answer.error());
    return answer->at("names").get<std::vector<std::string>>();
} catch (const Json::exception &) {
    return fail("code.process", "the answer on '" + path + "' cannot be read");
}

Result<PeerCode> codeOfLibrary(PeerLibrary library, const LibraryKernel &kernel, const target::Target &target,
                               bool isTimed, const std::stop_token &stop)
try {
    const std::string name(nameOf(library));
    if (target.isGpu() || !isThisProcessor(target))
        return fail(diagnostic("code.processor",
                               std::format("{} runs on this machine, which '{}' is not", name, target.str()))
                        .withHint("choose the target llvm"));
    const auto answer = asked({{"library", static_cast<int>(library)},
                               {"kernel", toJson(kernel)},
                               {"timed", isTimed},
                               {"threads", threadsOf(target)}},
                              name, stop);
    if (!answer)
        return fail(answer.error());
    auto code = backend::disassemble(codeIn(*answer), ofMachineCode(target), stop);
    if (!code)
        return fail(code.error());
    PeerCode peer{answer->at("name").get<std::string>(), *std::move(code)};
    if (answer->contains("time")) {
        auto time = peerTimeFromJson(answer->at("time"));
        if (!time)
            return fail(time.error());
        peer.time = *std::move(time);
    }
    return peer;
} catch (const Json::exception &) {
    return fail("code.process", "the answer on the library cannot be read");
}

int answerPeerCode(const std::string &folder)
{
    return process::answer(folder, [](const Json &question, const std::filesystem::path &place) {
        return question.contains("file") ? answerOfFile(question, place) : answerOfLibrary(question, place);
    });
}

} // namespace nestwright::measure
