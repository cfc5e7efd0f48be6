// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/export.h"

#include "core/backend/link/c_header.h"
#include "core/backend/link/runtime.h"
#include "core/backend/table/backend_table.h"
#include "core/support/errors/errors.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <utility>

namespace nestwright::backend {

using support::fail;
using support::Result;
using target::Target;

namespace {

constexpr std::string_view runtimeName = "nestwright_runtime.c";

/// One export: for which target, named how.
struct Export {
    ir::Module module;
    Target target;
    ProcessorNeeds needs; ///< that the code asks for
    std::string stem;
    std::stop_token stop;
    const ExternLibraries &libraries;
    Asks asks;
};

/// The header, and the runtime where `code` calls it.
void addCompanions(std::vector<ExportFile> &files, const std::vector<Entry> &entries, const Export &wanted,
                   std::string_view code)
{
    files.push_back({wanted.stem + ".h", cHeader(entries, wanted.stem, wanted.needs)});
    if (code.find("nestwright_") != std::string_view::npos)
        files.push_back({std::string(runtimeName), std::string(runtimeSource())});
}

/// The comment of a text that others compile on the processor that it was written for.
std::string madeFor(const Target &target)
{
    std::string text;
    for (const std::string &option : processorOptions(target))
        text += ' ' + option;
    return text.empty() ? text
                        : "/* For " + (target.mcpu.empty() ? target.mattr : target.mcpu) + ": compile it with"
                              + text + ". */\n";
}

Result<std::vector<ExportFile>> exportSource(const Export &wanted, const SourceFormat &format)
{
    auto text =
        exportedSource(wanted.module, wanted.target, format.kind, wanted.asks, wanted.stop, wanted.libraries);
    if (!text)
        return std::unexpected(text.error());
    const auto entries = entriesOf(wanted.module);
    if (!entries)
        return std::unexpected(entries.error());
    const target::Kind &kind = target::kindOf(wanted.target.kind);
    if (format.target && kind.takes(&Target::mcpu) && !kind.isForProcessorHere)
        text->text.insert(0, madeFor(wanted.target));
    std::vector<ExportFile> files{{wanted.stem + '.' + std::string(format.extension), text->text}};
    if (format.target && !kind.isOfDevices)
        addCompanions(files, *entries, wanted, text->text);
    return files;
}

Result<std::vector<ExportFile>> exportObject(const Export &wanted)
{
    auto artifact = exportedArtifact(wanted.module, wanted.target, wanted.stem + ".c", wanted.asks,
                                     wanted.stop, wanted.libraries);
    if (!artifact)
        return std::unexpected(artifact.error());
    std::vector<ExportFile> files{{wanted.stem + ".o", std::move(artifact->bytes)}};
    addCompanions(files, artifact->entries, wanted, std::string(files.front().bytes));
    return files;
}

Result<std::vector<ExportFile>> exportShared(const Export &wanted)
{
    if (auto links = checkLinks(wanted.target); !links)
        return fail(links.error());
    auto files = exportObject(wanted);
    if (!files)
        return files;
    std::vector<ExportFile> inputs{files->front()};
    const auto runtime = std::ranges::find(*files, runtimeName, &ExportFile::name);
    if (runtime != files->end()) {
        inputs.push_back(*runtime);
        files->erase(runtime);
    }
    auto library = linkShared(inputs, wanted.stop);
    if (!library)
        return std::unexpected(library.error());
    files->front() = {wanted.stem + ".so", std::move(*library)};
    return files;
}

} // namespace

std::vector<std::string_view> exportFormats()
{
    std::vector<std::string_view> names{"object", "shared"};
    for (const SourceFormat &format : sourceFormats())
        names.push_back(format.name);
    return names;
}

std::vector<std::filesystem::path> placesOf(const std::vector<ExportFile> &files,
                                            const std::filesystem::path &path)
{
    std::vector<std::filesystem::path> places;
    for (const ExportFile &file : files)
        places.push_back(places.empty() ? path : path.parent_path() / file.name);
    return places;
}

Result<Target> exportTarget(std::string_view format, const Target &target)
{
    Target wanted = target;
    if (const SourceFormat *text = findSourceFormat(format); text && text->target) {
        wanted = targetOf(*text, target);
        wanted.threads = target.threads;
        wanted.mcpu = target.mcpu;
        wanted.mattr = target.mattr;
        wanted.arch = target::kindOf(target.kind).hasArchitectures() ? wanted.arch : target.arch;
    }
    if (wanted.isGpu() && (!wanted.mcpu.empty() || !wanted.mattr.empty()))
        return fail(support::diagnostic("target.option", "'" + std::string(format)
                                                             + "' is code of a GPU, for which there is no "
                                                             + (wanted.mcpu.empty() ? "-mattr" : "-mcpu"))
                        .withHint("name the GPU's architecture by --arch"));
    if (!target::kindOf(wanted.kind).hasArchitectures() && !wanted.arch.empty())
        return fail(support::diagnostic("target.option", "'" + std::string(format) + "' for '" + wanted.str()
                                                             + "' has no architecture of a GPU")
                        .withHint("name the processor by --mcpu"));
    if (auto known = checkTarget(wanted); !known)
        return fail(known.error());
    return wanted;
}

Result<void> checkLinks(const Target &target)
{
    const Backend *names = firstBackend([](const Backend &each) { return each.processors.system; });
    if (!names)
        return {};
    if (const auto system = names->processors.system(target); system && !system->isHere)
        return fail(support::diagnostic("export.other-machine",
                                        "a shared library for " + system->name
                                            + " cannot be linked here: the C compiler is for this machine")
                        .withHint("export an object, and link it with a compiler for that system"));
    return {};
}

Result<std::string> linkShared(const std::vector<ExportFile> &inputs, const std::stop_token &stop)
{
    return compiledFiles(inputs, {"-std=c11", "-O2", "-fPIC", "-shared"}, "linked.so", stop);
}

Result<std::vector<ExportFile>> exportKernel(const ir::Module &scheduled, const Target &target,
                                             std::string_view format, const std::string &stem,
                                             std::stop_token stop, const ExternLibraries &libraries,
                                             Asks asks)
try {
    const SourceFormat *text = findSourceFormat(format);
    if (!text && format != "object" && format != "shared") {
        std::string known;
        for (const std::string_view name : exportFormats())
            known += (known.empty() ? "" : ", ") + std::string(name);
        return fail(
            support::diagnostic("export.format", "there is no export format '" + std::string(format) + '\'')
                .withHint("it can be one of " + known));
    }
    auto wanted = exportTarget(format, target);
    if (!wanted)
        return fail(wanted.error());
    auto needs = needsOf(*wanted);
    if (!needs)
        return fail(needs.error());
    const bool isText = text && !text->isAssembly;
    if (isText) // others compile it, for whatever they say
        needs = ProcessorNeeds{};
    const Export made{scheduled, *std::move(wanted), *std::move(needs), stem, std::move(stop), libraries,
                      asks};
    if (text)
        return exportSource(made, *text);
    return format == "object" ? exportObject(made) : exportShared(made);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
