// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/export.h"

#include "core/backend/link/compiler.h"
#if NESTWRIGHT_HAS_LLVM
#include "core/backend/llvm/llvm_backend.h"
#endif
#include "core/backend/link/runtime.h"
#include "core/codegen/c_names.h"
#include "core/ir/node/attributes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cctype>
#include <format>
#include <utility>

namespace nestwright::backend {

using support::fail;
using support::Result;
using target::Target;
using target::TargetKind;

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

/// One export: for which target, named how.
struct Export {
    ir::Module module;
    Target target;
    ProcessorNeeds needs; ///< that the code asks for
    std::string stem;
    std::stop_token stop;
    const ExternLibraries &libraries;
    Asks asks;

    /// Whether functions of C ask: those of LLVM do by themselves.
    bool functionsAsk() const { return asks == Asks::Functions && !needs.extensions.empty(); }
};

/// The header, and the runtime where `code` calls it.
void addCompanions(std::vector<ExportFile> &files, const std::vector<Entry> &entries, const Export &wanted,
                   std::string_view code)
{
    files.push_back({wanted.stem + ".h", cHeader(entries, wanted.stem, wanted.needs)});
    if (code.find("nestwright_") != std::string_view::npos)
        files.push_back({std::string(runtimeName), std::string(runtimeSource())});
}

/// The comment of a C text on the processor that it was written for.
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
    if (format.target == TargetKind::C)
        text->text.insert(0, madeFor(wanted.target));
    std::vector<ExportFile> files{{wanted.stem + '.' + std::string(format.extension), text->text}};
    if (format.target == TargetKind::C || format.target == TargetKind::Llvm)
        addCompanions(files, *entries, wanted, text->text);
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
    options.insert(options.end(), {"-o", result.string()});
    if (!std::ranges::contains(options, "-r"))
        options.insert(options.end(), {"-lm", "-pthread"});
    if (const auto ran = runCompiler(options, stop); !ran)
        return std::unexpected(ran.error());
    return readFile(result);
}

constexpr std::string_view guardedSuffix = "__unguarded";

/// The module with the functions that those of guardSource call.
ir::Module withInnerNames(const ir::Module &module)
{
    std::vector<ir::Module::Entry> functions;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::PrimFunc function = *entry.function;
        function.attrs.insert_or_assign(std::string(ir::globalSymbolKey),
                                        ir::AttrValue(symbolOf(entry) + std::string(guardedSuffix)));
        functions.push_back({entry.name, std::make_shared<const ir::PrimFunc>(std::move(function))});
    }
    return ir::Module(std::move(functions));
}

/// Parameters of an entry as C declares them, and their names as a call passes them.
std::pair<std::string, std::string> parametersOf(const Entry &entry)
{
    std::string declared, passed;
    for (const Argument &argument : entry.arguments) {
        const bool isBuffer = argument.kind == Argument::Kind::Buffer;
        const std::string name = codegen::cIdentifier(argument.name), comma = declared.empty() ? "" : ", ";
        declared += comma + cType(argument.dtype) + (isBuffer ? " *" : " ") + name;
        passed += comma + name;
    }
    return {declared.empty() ? "void" : declared, passed};
}

/// Functions of C that ask for the processor before they call those that were compiled for it.
std::string guardSource(const std::vector<Entry> &entries, const ProcessorNeeds &needs)
{
    std::string text = "#include <stdint.h>\n" + lackingSource(needs) + R"(
static int nw_may_run(void)
{
    static int known; /* 1: yes, -1: no */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        answer = nw_lacking() ? -1 : 1;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer > 0;
}
)";
    const auto add = [&](const std::string &name, const std::string &inner, const std::string &declared,
                         const std::string &passed) {
        text +=
            std::format("\nint32_t {1}({2});\nint32_t {0}({2});\nint32_t {0}({2}) {{ return nw_may_run() ? "
                        "{1}({3}) : {4}; }}\n",
                        name, inner, declared, passed, static_cast<int>(KernelCode::ProcessorLacks));
    };
    for (const Entry &entry : entries) {
        const auto [declared, passed] = parametersOf(entry);
        const std::string inner = entry.symbol + std::string(guardedSuffix);
        add(entry.symbol, inner, declared, passed);
        add(entry.symbol + "__packed", inner + "__packed", "void **args", "args");
    }
    return text;
}

/// By the system's C compiler, with the question for the processor as a part of its own.
Result<std::vector<ExportFile>> exportCompiledC(const Export &wanted)
{
    const std::string object = wanted.stem + ".o";
    std::vector<std::string> options = processorOptions(wanted.target);
    options.insert(options.end(), {"-std=c11", "-O3", "-fPIC", "-c"});
    const auto entries = entriesOf(wanted.module);
    if (!entries)
        return fail(entries.error());
    Export source = wanted;
    if (wanted.functionsAsk())
        source.module = withInnerNames(wanted.module);
    auto files = exportSource(source, sourceFormat(SourceKind::C));
    if (!files)
        return files;
    auto code = compiled({files->front()}, options, object, wanted.stop);
    if (code && wanted.functionsAsk()) {
        auto guard = compiled({{"guard.c", guardSource(*entries, wanted.needs)}},
                              {"-std=c11", "-O2", "-fPIC", "-c"}, "guard.o", wanted.stop);
        code = guard ? compiled({{"code.o", std::move(*code)}, {"asks.o", std::move(*guard)}},
                                {"-r", "-nostdlib"}, object, wanted.stop)
                     : std::move(guard);
    }
    if (!code)
        return fail(code.error());
    files->clear();
    files->push_back({object, std::move(*code)});
    addCompanions(*files, *entries, wanted, files->front().bytes);
    return files;
}

Result<std::vector<ExportFile>> exportObject(const Export &wanted)
{
    if (wanted.target.kind == TargetKind::C)
        return exportCompiledC(wanted);
    auto artifact =
        exportedArtifact(wanted.module, wanted.target, wanted.asks, wanted.stop, wanted.libraries);
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
        wanted.arch = target.kind == TargetKind::Cuda ? wanted.arch : target.arch;
    }
    if (wanted.isGpu() && (!wanted.mcpu.empty() || !wanted.mattr.empty()))
        return fail(support::diagnostic("target.option", "'" + std::string(format)
                                                             + "' is code of a GPU, for which there is no "
                                                             + (wanted.mcpu.empty() ? "-mattr" : "-mcpu"))
                        .withHint("name the GPU's architecture by --arch"));
    if (wanted.kind != TargetKind::Cuda && !wanted.arch.empty())
        return fail(support::diagnostic("target.option", "'" + std::string(format) + "' for '" + wanted.str()
                                                             + "' has no architecture of a GPU")
                        .withHint("name the processor by --mcpu"));
    if (auto known = checkTarget(wanted); !known)
        return fail(known.error());
    return wanted;
}

Result<void> checkLinks(const Target &target)
{
#if NESTWRIGHT_HAS_LLVM
    if (const auto system = llvmSystem(target); system && !system->isHere)
        return fail(support::diagnostic("export.other-machine",
                                        "a shared library for " + system->name
                                            + " cannot be linked here: the C compiler is for this machine")
                        .withHint("export an object, and link it with a compiler for that system"));
#else
    (void)target;
#endif
    return {};
}

Result<std::string> linkShared(const std::vector<ExportFile> &inputs, const std::stop_token &stop)
{
    return compiled(inputs, {"-std=c11", "-O2", "-fPIC", "-shared"}, "linked.so", stop);
}

std::string cHeader(const std::vector<Entry> &entries, const std::string &stem, const ProcessorNeeds &needs)
{
    const std::string guard = guardOf(stem), made = describe(needs);
    std::string text =
        "/* Made by Nestwright. Functions return 0, or 1: an integer was divided by 0; 2: no memory; 3: an "
        "assertion failed.\n * Pointers to data must not be null: only packed functions notice, and return "
        "4.\n"
        + (made.empty() ? "" : " * For the processor " + made + ".\n")
        + (needs.extensions.empty() ? ""
                                    : " * Where the processor lacks one of these, functions do nothing and "
                                      "return 5.\n")
        + " */\n#ifndef " + guard + "\n#define " + guard
        + "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const Entry &entry : entries) {
        text += "\n/* " + shapeComment(entry) + " */\nint32_t " + entry.symbol + '('
                + parametersOf(entry).first + ");\n"
                + "/* The same with the addresses of the arguments. */\nint32_t " + entry.symbol
                + "__packed(void **args);\n";
    }
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
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
    const bool isText = text && text->kind != SourceKind::Asm && text->kind != SourceKind::IntelAsm;
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
