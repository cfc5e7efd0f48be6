// SPDX-License-Identifier: Apache-2.0
#include "core/backend/export.h"

#include "core/backend/compiler.h"
#include "core/backend/runtime.h"
#include "core/codegen/c_names.h"
#include "core/support/errors.h"

#include <algorithm>
#include <cctype>

namespace nestwright::backend {

using lower::Target;
using lower::TargetKind;
using support::fail;
using support::Result;

namespace {

constexpr std::string_view runtimeName = "nestwright_runtime.c";

/// As C declares it; 16-bit floats are passed as their bits.
std::string cType(ir::DataType type)
{
    if (type.isBool())
        return "uint8_t";
    if (type.isFloating())
        return type.bits == 64 ? "double" : type.bits == 32 ? "float" : "uint16_t";
    return (type.isUInt() ? "uint" : "int") + std::to_string(type.bits) + "_t";
}

std::string guardOf(const std::string &stem)
{
    std::string guard = stem + "_H";
    for (char &c : guard)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(c)) : '_';
    return guard;
}

std::string shapeComment(const Entry &entry)
{
    std::string text;
    for (const Argument &argument : entry.arguments) {
        text += text.empty() ? "" : "; ";
        text += codegen::cIdentifier(argument.name) + ": ";
        if (argument.kind != Argument::Kind::Buffer) {
            text += argument.kind == Argument::Kind::Size ? "size" : "scalar";
            continue;
        }
        for (std::size_t d = 0; d < argument.shape.size(); ++d)
            text += (d > 0 ? " x " : "")
                    + (argument.shape[d] < 0 ? std::string("?") : std::to_string(argument.shape[d]));
        text += (argument.shape.empty() ? "" : " ") + argument.dtype.str();
    }
    return text;
}

/// The header, and the runtime where `code` calls it.
void addCompanions(std::vector<ExportFile> &files, const std::vector<Entry> &entries, const std::string &stem,
                   std::string_view code)
{
    files.push_back({stem + ".h", cHeader(entries, stem)});
    if (code.find("nestwright_") != std::string_view::npos)
        files.push_back({std::string(runtimeName), std::string(runtimeSource())});
}

Result<std::vector<ExportFile>> exportSource(const ir::Module &module, const Target &target,
                                             const SourceFormat &format, const std::string &stem,
                                             std::stop_token stop, const ExternLibraries &libraries)
{
    Target wanted = targetOf(format, target);
    wanted.threads = target.threads;
    auto text = source(module, wanted, format.kind, std::move(stop), &libraries);
    if (!text)
        return std::unexpected(text.error());
    const auto entries = entriesOf(module);
    if (!entries)
        return std::unexpected(entries.error());
    std::vector<ExportFile> files{{stem + '.' + std::string(format.extension), text->text}};
    if (format.target == TargetKind::C || format.target == TargetKind::Llvm)
        addCompanions(files, *entries, stem, text->text);
    return files;
}

/// Runs the C compiler on `inputs` in a folder of its own; gives the bytes of `output`.
Result<std::string> compiled(const std::vector<ExportFile> &inputs, std::vector<std::string> options,
                             const std::string &output, const std::stop_token &stop)
{
    const TemporaryFolder folder;
    const std::filesystem::path result = folder.path() / output;
    // Where an assembler file finds data. A word for itself: -Wa, would part the path at its commas.
    options.insert(options.end(), {"-Xassembler", "-I" + folder.path().string()});
    for (const ExportFile &input : inputs) {
        writeFile(folder.path() / input.name, input.bytes);
        if (!input.name.ends_with(".bin") && !input.name.ends_with(".h"))
            options.push_back((folder.path() / input.name).string());
    }
    options.insert(options.end(), {"-o", result.string(), "-lm", "-pthread"});
    if (const auto ran = runCompiler(options, stop); !ran)
        return std::unexpected(ran.error());
    return readFile(result);
}

Result<std::vector<ExportFile>> exportObject(const ir::Module &module, const Target &target,
                                             const std::string &stem, const std::stop_token &stop,
                                             const ExternLibraries &libraries)
{
    if (target.kind == TargetKind::C) {
        auto files = exportSource(module, target, sourceFormat(SourceKind::C), stem, stop, libraries);
        if (!files)
            return files;
        auto object = compiled({files->front()}, {"-std=c11", "-O3", "-fPIC", "-c"}, stem + ".o", stop);
        if (!object)
            return std::unexpected(object.error());
        files->front() = {stem + ".o", std::move(*object)};
        return files;
    }
    auto artifact = compile(module, target, stop, libraries);
    if (!artifact)
        return std::unexpected(artifact.error());
    std::vector<ExportFile> files{{stem + ".o", std::move(artifact->bytes)}};
    addCompanions(files, artifact->entries, stem, std::string(files.front().bytes));
    return files;
}

Result<std::vector<ExportFile>> exportShared(const ir::Module &module, const Target &target,
                                             const std::string &stem, const std::stop_token &stop,
                                             const ExternLibraries &libraries)
{
    auto files = exportObject(module, target, stem, stop, libraries);
    if (!files)
        return files;
    std::vector<ExportFile> inputs{files->front()};
    const auto runtime = std::ranges::find(*files, runtimeName, &ExportFile::name);
    if (runtime != files->end()) {
        inputs.push_back(*runtime);
        files->erase(runtime);
    }
    auto library = linkShared(inputs, stop);
    if (!library)
        return std::unexpected(library.error());
    files->front() = {stem + ".so", std::move(*library)};
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

Result<std::string> linkShared(const std::vector<ExportFile> &inputs, const std::stop_token &stop)
{
    return compiled(inputs, {"-std=c11", "-O2", "-fPIC", "-shared"}, "linked.so", stop);
}

std::string cHeader(const std::vector<Entry> &entries, const std::string &stem)
{
    const std::string guard = guardOf(stem);
    std::string text =
        "/* Made by Nestwright. Functions return 0, or 1: an integer was divided by 0; 2: no memory; 3: an "
        "assertion failed.\n * Pointers to data must not be null: only packed functions notice, and return "
        "4. */\n#ifndef "
        + guard + "\n#define " + guard
        + "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const Entry &entry : entries) {
        std::string parameters;
        for (const Argument &argument : entry.arguments) {
            const bool isBuffer = argument.kind == Argument::Kind::Buffer;
            parameters += (parameters.empty() ? "" : ", ") + cType(argument.dtype) + (isBuffer ? " *" : " ")
                          + codegen::cIdentifier(argument.name);
        }
        text += "\n/* " + shapeComment(entry) + " */\nint32_t " + entry.symbol + '('
                + (parameters.empty() ? "void" : parameters) + ");\n"
                + "/* The same with the addresses of the arguments. */\nint32_t " + entry.symbol
                + "__packed(void **args);\n";
    }
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

Result<std::vector<ExportFile>> exportKernel(const ir::Module &scheduled, const Target &target,
                                             std::string_view format, const std::string &stem,
                                             std::stop_token stop, const ExternLibraries &libraries)
try {
    if (format == "object")
        return exportObject(scheduled, target, stem, stop, libraries);
    if (format == "shared")
        return exportShared(scheduled, target, stem, stop, libraries);
    if (const SourceFormat *text = findSourceFormat(format))
        return exportSource(scheduled, target, *text, stem, std::move(stop), libraries);
    std::string known;
    for (const std::string_view name : exportFormats())
        known += (known.empty() ? "" : ", ") + std::string(name);
    return fail(
        support::diagnostic("export.format", "there is no export format '" + std::string(format) + '\'')
            .withHint("it can be one of " + known));
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
