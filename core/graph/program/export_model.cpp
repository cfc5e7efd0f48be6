// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/export_model.h"

#include "core/graph/program/model_source.h"
#include "core/graph/program/weight_files.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/node/attributes.h"

#include <cctype>
#include <format>

namespace nestwright::graph {

using backend::ExportFile;
using support::fail;
using support::Result;

namespace {

/// Takes the ids of loops and blocks away: those of different kernels are the same.
class WithoutIds : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            return without(*loop);
        if (const auto *block = s.as<ir::Block>())
            return without(*block);
        return children(s);
    }

private:
    template <class Node> ir::Stmt without(Node copy)
    {
        copy.id = {};
        return children(ir::make(std::move(copy)));
    }
};

/// All kernels as functions of one module, under the names that the model's source calls.
ir::Module joinedModule(const std::vector<ir::Module> &kernels, const std::string &stem)
{
    std::vector<ir::Module::Entry> functions;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        ir::PrimFunc function = *kernels[i].mainEntry()->function;
        const std::string name = kernelSymbol(stem, static_cast<int>(i));
        function.body = WithoutIds().stmt(function.body);
        function.attrs.insert_or_assign(std::string(ir::globalSymbolKey), ir::AttrValue(name));
        functions.push_back({name, std::make_shared<const ir::PrimFunc>(std::move(function))});
    }
    ir::IdCounter ids;
    return ir::assignIds(ir::Module(std::move(functions)), ids);
}

/// The weights one after the other, each at the beginning of a line of 64 bytes.
std::string weightBytes(const Function &function)
{
    std::string bytes;
    for (const Node &node : function.nodes) {
        if (!node.isConstant())
            continue;
        bytes.resize(static_cast<std::size_t>(wholeLines(static_cast<std::int64_t>(bytes.size()))));
        const auto data = node.data->bytes();
        bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
    }
    return bytes;
}

/// Makes the linker take in a file of data.
std::string weightsAssembly(const std::string &stem)
{
    return std::format(
        "    .section .rodata\n    .balign 64\n    .globl {0}_weights\n    .hidden "
        "{0}_weights\n{0}_weights:\n"
        "    .incbin \"{0}_weights.bin\"\n    .byte 0\n    .section .note.GNU-stack,\"\",%progbits\n",
        stem);
}

} // namespace

std::string symbolStem(std::string_view name)
{
    std::string stem(name);
    for (char &c : stem)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return stem.empty() || std::isdigit(static_cast<unsigned char>(stem[0])) != 0 ? "model_" + stem : stem;
}

Result<std::vector<ExportFile>> exportModel(Program program, const target::Target &target,
                                            std::string_view format, const std::string &stem,
                                            const Schedules &schedules, std::stop_token stop)
{
    if (format != "shared" && format != "c") {
        return fail(
            support::diagnostic("export.format", std::format("a model cannot be exported as \"{}\"", format))
                .withHint("use shared or c"));
    }
    const auto wanted = backend::exportTarget(format, target);
    if (!wanted)
        return fail(wanted.error());
    const auto needs = backend::needsOf(*wanted);
    if (!needs)
        return fail(needs.error());
    const bool shared = format == "shared";
    if (const auto links = shared ? backend::checkLinks(*wanted) : Result<void>(); !links)
        return fail(links.error());
    const auto modules = scheduleKernels(program, schedules);
    if (!modules)
        return fail(modules.error());
    auto kernels =
        backend::exportKernel(joinedModule(*modules, stem), *wanted, shared ? "object" : "c",
                              stem + "_kernels", stop, {}, backend::Asks::Caller); // it asks itself
    if (!kernels)
        return fail(kernels.error());
    std::vector<ExportFile> files{{stem + ".c", modelSource(program, stem, shared, *needs)}};
    files.insert(files.end(), kernels->begin(), kernels->end());
    files.push_back({stem + ".h", modelHeader(program, stem, shared, *needs)});
    const std::string weights = weightBytes(program.function);
    if (auto unchanged = WeightFiles(program.function).check(); !unchanged)
        return fail(unchanged.error());
    if (!shared) {
        files.push_back({stem + ".weights", weights});
        return files;
    }
    files.push_back({stem + "_weights.S", weightsAssembly(stem)});
    files.push_back({stem + "_weights.bin", weights});
    auto library = backend::linkShared(files, stop);
    if (!library)
        return fail(library.error());
    return std::vector<ExportFile>{{stem + ".so", std::move(*library)},
                                   {stem + ".h", modelHeader(program, stem, shared, *needs)}};
}

} // namespace nestwright::graph
