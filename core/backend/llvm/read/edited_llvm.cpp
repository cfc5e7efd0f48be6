// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/edited_llvm.h"

#include "core/backend/llvm/llvm_unit.h"
#include "core/backend/llvm/machine.h"
#include "core/support/errors/codes.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <format>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

/// Errors of LLVM's readers, in the form that compilerError reads.
class Complaints {
public:
    void add(const llvm::SMDiagnostic &diagnostic)
    {
        if (diagnostic.getKind() != llvm::SourceMgr::DK_Error)
            return;
        if (diagnostic.getLineNo() > 0)
            m_text +=
                std::format("{}:{}:{}: ", fileName, diagnostic.getLineNo(), diagnostic.getColumnNo() + 1);
        m_text += "error: " + diagnostic.getMessage().str() + '\n';
    }
    void add(const std::string &message) { m_text += "error: " + message + '\n'; }
    bool empty() const { return m_text.empty(); }

    /// Without a place, in LLVM's own words.
    support::Diagnostic toDiagnostic(const EditedCode &code) const
    {
        support::Diagnostic error = compilerError(m_text, fileName, code);
        if (error.locations.empty()) {
            const std::string first = m_text.substr(0, m_text.find('\n'));
            error.message += first.empty() ? "" : ": " + first.substr(std::min<std::size_t>(first.size(), 7));
            error.locations.push_back({.file = code.name, .stmt = {}, .label = {}});
        }
        return error;
    }

private:
    static constexpr const char *fileName = "<edited>";
    std::string m_text;
};

/// Errors that LLVM finds while it translates: of assembly within LLVM IR, of what a processor lacks.
struct ComplaintHandler final : llvm::DiagnosticHandler {
    explicit ComplaintHandler(Complaints &to) : complaints(to) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override
    {
        if (info.getSeverity() == llvm::DS_Error) {
            std::string text;
            llvm::raw_string_ostream stream(text);
            llvm::DiagnosticPrinterRawOStream printer(stream);
            info.print(printer);
            complaints.add(text);
        }
        return true;
    }
    Complaints &complaints;
};

Result<std::string> objectOfIr(const TextUnit &unit, const Machine &machine, const std::stop_token &stop)
{
    Complaints complaints;
    llvm::LLVMContext context;
    context.setDiagnosticHandler(std::make_unique<ComplaintHandler>(complaints));
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(unit.code.text, error, context);
    if (!module)
        complaints.add(error);
    std::string broken;
    llvm::raw_string_ostream stream(broken);
    if (module && llvm::verifyModule(*module, &stream))
        complaints.add(broken.substr(0, broken.find('\n')));
    if (!complaints.empty())
        return fail(complaints.toDiagnostic(unit.code));
    module->setTargetTriple(machine.machine->getTargetTriple().str());
    module->setDataLayout(machine.machine->createDataLayout());
    if (unit.code.kind == SourceKind::UnoptimizedLlvmIr)
        optimize(*module, machine, stop);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    std::string object = emit(*module, machine, Emission::Object);
    if (!complaints.empty())
        return fail(complaints.toDiagnostic(unit.code));
    return object;
}

/// LLVM's assembler, with all that it is made of.
class Assembler {
public:
    explicit Assembler(const Machine &machine) : m_machine(machine) {}

    /// False where the text is wrong.
    bool assemble(std::string_view text, Complaints &complaints, std::string &object)
    {
        const llvm::Triple &triple = m_machine.machine->getTargetTriple();
        const llvm::Target &target = m_machine.machine->getTarget();
        llvm::SourceMgr sources;
        sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text), "edited"), {});
        sources.setDiagHandler(
            [](const llvm::SMDiagnostic &each, void *to) { static_cast<Complaints *>(to)->add(each); },
            &complaints);
        const llvm::MCTargetOptions options;
        const std::unique_ptr<llvm::MCRegisterInfo> registers(target.createMCRegInfo(triple.str()));
        const std::unique_ptr<llvm::MCAsmInfo> syntax(
            target.createMCAsmInfo(*registers, triple.str(), options));
        const std::unique_ptr<llvm::MCInstrInfo> instructions(target.createMCInstrInfo());
        const std::unique_ptr<llvm::MCSubtargetInfo> processor(
            target.createMCSubtargetInfo(triple.str(), m_machine.cpu, m_machine.features));
        llvm::MCContext context(triple, syntax.get(), registers.get(), processor.get(), &sources, &options);
        const std::unique_ptr<llvm::MCObjectFileInfo> sections(target.createMCObjectFileInfo(context, true));
        context.setObjectFileInfo(sections.get());
        llvm::SmallVector<char, 0> bytes;
        llvm::raw_svector_ostream stream(bytes);
        std::unique_ptr<llvm::MCAsmBackend> backend(
            target.createMCAsmBackend(*processor, *registers, options));
        std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
        std::unique_ptr<llvm::MCCodeEmitter> encoder(target.createMCCodeEmitter(*instructions, context));
        const std::unique_ptr<llvm::MCStreamer> streamer(target.createMCObjectStreamer(
            triple, context, std::move(backend), std::move(writer), std::move(encoder), *processor));
        const std::unique_ptr<llvm::MCAsmParser> parser(
            llvm::createMCAsmParser(sources, context, *streamer, *syntax));
        const std::unique_ptr<llvm::MCTargetAsmParser> reader(
            target.createMCAsmParser(*processor, *parser, *instructions, options));
        parser->setTargetParser(*reader);
        const bool isWrong = parser->Run(false) || !complaints.empty();
        object.assign(bytes.begin(), bytes.end());
        return !isWrong;
    }

private:
    const Machine &m_machine;
};

} // namespace

Result<Source> llvmEditableSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                  const std::stop_token &stop)
{
    const auto machine = machineFor(target);
    if (!machine)
        return fail(machine.error());
    auto made = kind == SourceKind::UnoptimizedLlvmIr ? emitUnit(unit, target, *machine)
                                                      : optimizedUnit(unit, target, *machine, stop);
    if (!made)
        return fail(made.error());
    llvm::StripDebugInfo(*made->module); // lines of statements
    Source source{.text = {}, .spans = {}, .kind = kind};
    if (kind == SourceKind::Asm || kind == SourceKind::IntelAsm) {
        source.text = emit(*made->module, *machine,
                           kind == SourceKind::Asm ? Emission::Assembly : Emission::IntelAssembly);
    } else {
        llvm::raw_string_ostream stream(source.text);
        made->module->print(stream, nullptr);
    }
    return source;
}

Result<Artifact> llvmCompileText(const TextUnit &unit, const std::stop_token &stop)
{
    const auto machine = machineFor(unit.target);
    if (!machine)
        return fail(machine.error());
    Artifact artifact;
    artifact.format = Format::Object;
    if (unit.code.kind == SourceKind::Asm || unit.code.kind == SourceKind::IntelAsm) {
        Complaints complaints;
        if (!Assembler(*machine).assemble(unit.code.text, complaints, artifact.bytes))
            return fail(complaints.toDiagnostic(unit.code));
        return artifact;
    }
    auto object = objectOfIr(unit, *machine, stop);
    if (!object)
        return fail(object.error());
    artifact.bytes = std::move(*object);
    return artifact;
}

} // namespace nestwright::backend
