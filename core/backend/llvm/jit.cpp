// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/jit.h"

#include "core/backend/link/runtime.h"
#include "core/backend/llvm/machine.h"

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <memory>
#include <string>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

class JitKernel : public LoadedKernel {
public:
    JitKernel(std::vector<Entry> entries, std::unique_ptr<llvm::orc::LLJIT> jit,
              std::vector<Packed> functions)
        : LoadedKernel(std::move(entries))
        , m_jit(std::move(jit))
        , m_functions(std::move(functions))
    {
    }
    Packed find(std::string_view name) const override
    {
        for (std::size_t i = 0; i < m_functions.size(); ++i) {
            if (entries()[i].name == name)
                return m_functions[i];
        }
        return nullptr;
    }

private:
    std::unique_ptr<llvm::orc::LLJIT> m_jit; ///< owns the memory of the functions
    std::vector<Packed> m_functions;
};

/// Kernels come as objects: there is nothing to compile, and no machine to ask for that.
class NoCompiler : public llvm::orc::IRCompileLayer::IRCompiler {
public:
    NoCompiler() : IRCompiler(llvm::orc::IRSymbolMapper::ManglingOptions()) {}
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module &) override
    {
        return llvm::createStringError("a kernel is no object");
    }
};

/// Facts of this machine that a linker needs; asking for them takes longer than linking a kernel.
struct Host {
    llvm::orc::JITTargetMachineBuilder machine;
    llvm::DataLayout layout;
};

std::unexpected<support::Diagnostic> loadError(llvm::Error error)
{
    return fail("backend.load", "the kernel cannot be linked: " + llvm::toString(std::move(error)));
}

Result<Host> askedHost()
{
    initializeTargets();
    auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!machine)
        return loadError(machine.takeError());
    auto layout = machine->getDefaultDataLayoutForTarget();
    if (!layout)
        return loadError(layout.takeError());
    return Host{std::move(*machine), *layout};
}

/// Finds no functions of the process by itself: addSymbols gives those that there are.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> makeLinker(const Host &host)
{
    return llvm::orc::LLJITBuilder()
        .setJITTargetMachineBuilder(host.machine)
        .setDataLayout(host.layout)
        .setCompileFunctionCreator([](const llvm::orc::JITTargetMachineBuilder &) {
            return llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>>(
                std::make_unique<NoCompiler>());
        })
        .setLinkProcessSymbolsByDefault(false)
        .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
        .create();
}

/// Only symbols of the process that compiled code may call: a name alone must not reach the others.
llvm::Error addSymbols(llvm::orc::LLJIT &jit, const std::vector<std::string> &externs,
                       const std::vector<void *> &addresses)
{
    llvm::orc::SymbolMap symbols;
    for (std::size_t i = 0; i < externs.size(); ++i) {
        symbols[jit.mangleAndIntern(externs[i])] = {llvm::orc::ExecutorAddr::fromPtr(addresses[i]),
                                                    llvm::JITSymbolFlags::Exported};
    }
    for (const auto &[name, address] : runtimeSymbols()) {
        symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                              llvm::JITSymbolFlags::Exported};
    }
    if (auto error = jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
        return error;
    auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit.getDataLayout().getGlobalPrefix(),
        [](const llvm::orc::SymbolStringPtr &name) { return isAllowedSymbol(llvm::StringRef(*name)); });
    if (!process)
        return process.takeError();
    jit.getMainJITDylib().addGenerator(std::move(*process));
    return llvm::Error::success();
}

} // namespace

Result<std::unique_ptr<LoadedKernel>> loadObject(const Artifact &artifact)
{
    static const Result<Host> host = askedHost();
    if (!host)
        return std::unexpected(host.error());
    auto jit = makeLinker(*host);
    if (!jit)
        return loadError(jit.takeError());
    // The reason is told to a reporter, which would print it; the lookup that fails then says only which
    // symbols there are not.
    auto reason = std::make_shared<std::string>();
    (*jit)->getExecutionSession().setErrorReporter(
        [reason](llvm::Error error) { *reason = llvm::toString(std::move(error)); });
    const auto externs = findInLibraries(artifact.libraries, artifact.externs);
    if (!externs)
        return std::unexpected(externs.error());
    if (auto error = addSymbols(**jit, artifact.externs, *externs))
        return loadError(std::move(error));
    auto object = llvm::MemoryBuffer::getMemBufferCopy(artifact.bytes, "kernel");
    if (auto error = (*jit)->addObjectFile(std::move(object)))
        return loadError(std::move(error));
    std::vector<LoadedKernel::Packed> functions;
    for (const Entry &entry : artifact.entries) {
        auto address = (*jit)->lookup(entry.symbol + "__packed");
        if (!address && !reason->empty()) {
            llvm::consumeError(address.takeError());
            return fail("backend.load", "the kernel cannot be linked: " + *reason);
        }
        if (!address)
            return loadError(address.takeError());
        functions.push_back(address->toPtr<LoadedKernel::Packed>());
    }
    return std::make_unique<JitKernel>(artifact.entries, std::move(*jit), std::move(functions));
}

} // namespace nestwright::backend
