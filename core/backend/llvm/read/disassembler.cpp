// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/disassembler.h"

#include "core/backend/listing/flow_loops.h"
#include "core/backend/listing/listing.h"
#include "core/backend/llvm/read/throughput.h"
#include "core/support/errors/codes.h"

#include <algorithm>
#include <format>
#include <set>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::backend {

using support::fail;
using support::Result;
using support::StmtId;

namespace {

/// Limit for all functions together: no kernel has more.
constexpr std::size_t mostInstructions = 200'000;

struct DecodedInstruction {
    llvm::MCInst instruction;
    std::uint64_t address = 0;
    std::string text; ///< "vmovups (%rdi), %zmm0"
    FlowStep flow;
    bool isKnown = true; ///< false: bytes that are no instruction
};

class FunctionReader {
public:
    FunctionReader(const Machine &machine, Disassembly &into);
    /// False where LLVM reads no code of this processor.
    bool canRead() const { return m_disassembler && m_printer; }
    Result<void> read(const FunctionBytes &function, const MachineCode &sampled, const std::stop_token &stop);
    void finish();

private:
    Result<std::vector<DecodedInstruction>> decoded(const FunctionBytes &function,
                                                    const std::stop_token &stop);
    std::size_t decode(const FunctionBytes &function, std::size_t offset, DecodedInstruction &into) const;
    void setFlow(DecodedInstruction &each, std::size_t size, const FunctionBytes &function) const;
    void findTargets(std::vector<DecodedInstruction> &code, const FunctionBytes &function) const;
    void write(const FunctionBytes &function, const std::vector<DecodedInstruction> &code,
               const std::vector<FlowLoop> &loops, const std::vector<bool> &shown);
    void writeInstruction(const std::vector<DecodedInstruction> &code, std::size_t i, StmtId loop);
    void writeLine(std::string_view text, StmtId loop);
    void addLoop(const FunctionBytes &function, const std::vector<DecodedInstruction> &code,
                 const FlowLoop &loop, int base, int samples);
    void countStack(LoopCode &loop, const DecodedInstruction &each) const;
    void findSlots(const std::vector<DecodedInstruction> &code);

    const Machine &m_machine;
    Disassembly &m_into;
    const llvm::TargetMachine &m_target;
    std::unique_ptr<llvm::MCSubtargetInfo> m_processor; ///< that knows all instructions
    llvm::MCContext m_context;
    std::unique_ptr<llvm::MCDisassembler> m_disassembler;
    std::unique_ptr<llvm::MCInstPrinter> m_printer;
    std::unique_ptr<llvm::MCInstrAnalysis> m_analysis;
    ListingWriter m_listing;
    int m_lines = 0, m_labels = 0;
    std::size_t m_instructions = 0;
    std::map<std::size_t, std::string> m_labelOf; ///< by the position of an instruction of this function
    std::vector<int> m_lineOf;                    ///< of each instruction of this function
    std::set<std::string, std::less<>> m_slots;   ///< of this function: written and read
};

std::unique_ptr<llvm::MCSubtargetInfo> processorWithAll(const Machine &machine)
{
    const llvm::Triple &triple = machine.machine->getTargetTriple();
    const std::string_view all = machine.family->readingFeatures();
    const std::string_view comma = machine.features.empty() || all.empty() ? "" : ",";
    const std::string features = machine.features + std::string(comma) + std::string(all);
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        machine.machine->getTarget().createMCSubtargetInfo(triple.str(), machine.cpu, features));
}

FunctionReader::FunctionReader(const Machine &machine, Disassembly &into)
    : m_machine(machine)
    , m_into(into)
    , m_target(*machine.machine)
    , m_processor(processorWithAll(machine))
    , m_context(m_target.getTargetTriple(), m_target.getMCAsmInfo(), m_target.getMCRegisterInfo(),
                m_processor.get())
    , m_disassembler(m_target.getTarget().createMCDisassembler(*m_processor, m_context))
    , m_printer(m_target.getTarget().createMCInstPrinter(m_target.getTargetTriple(), 0,
                                                         *m_target.getMCAsmInfo(), *m_target.getMCInstrInfo(),
                                                         *m_target.getMCRegisterInfo()))
    , m_analysis(m_target.getTarget().createMCInstrAnalysis(m_target.getMCInstrInfo()))
{
    if (m_printer)
        m_printer->setPrintBranchImmAsAddress(true);
}

/// Gives the bytes that were taken.
std::size_t FunctionReader::decode(const FunctionBytes &function, std::size_t offset,
                                   DecodedInstruction &into) const
{
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(function.bytes.data());
    const llvm::ArrayRef<std::uint8_t> rest(bytes + offset, function.bytes.size() - offset);
    into.address = function.address + offset;
    std::uint64_t size = 0;
    llvm::raw_null_ostream comments;
    if (m_disassembler->getInstruction(into.instruction, size, rest, into.address, comments)
        != llvm::MCDisassembler::Success) {
        const std::size_t step = m_machine.family->leastInstructionBytes();
        into.isKnown = false;
        into.text = std::format(".byte\t{:#04x}", bytes[offset]);
        return std::min(step, rest.size());
    }
    llvm::raw_string_ostream stream(into.text);
    m_printer->printInst(&into.instruction, into.address, "", *m_processor, stream);
    into.text = std::string(trimmed(into.text));
    std::ranges::replace(into.text, '\t', ' ');
    setFlow(into, static_cast<std::size_t>(size), function);
    return static_cast<std::size_t>(size);
}

/// `target` becomes the distance from the function's first byte, to be replaced by a position.
void FunctionReader::setFlow(DecodedInstruction &each, std::size_t size, const FunctionBytes &function) const
{
    const llvm::MCInstrDesc &kind = m_target.getMCInstrInfo()->get(each.instruction.getOpcode());
    each.flow.endsBlock = kind.isBranch() || kind.isReturn();
    each.flow.goesOn =
        !kind.isReturn() && !kind.isUnconditionalBranch() && !kind.isIndirectBranch() && !kind.isBarrier();
    std::uint64_t target = 0;
    if (!kind.isBranch() || kind.isIndirectBranch() || !m_analysis
        || !m_analysis->evaluateBranch(each.instruction, each.address, size, target))
        return;
    if (target >= function.address && target - function.address < function.bytes.size())
        each.flow.target = static_cast<int>(target - function.address);
}

void FunctionReader::findTargets(std::vector<DecodedInstruction> &code, const FunctionBytes &function) const
{
    for (DecodedInstruction &each : code) {
        if (each.flow.target < 0)
            continue;
        const std::uint64_t address = function.address + static_cast<std::uint64_t>(each.flow.target);
        const auto found = std::ranges::lower_bound(code, address, {}, &DecodedInstruction::address);
        const bool isThere = found != code.end() && found->address == address;
        each.flow.target = isThere ? static_cast<int>(found - code.begin()) : -1;
    }
}

Result<std::vector<DecodedInstruction>> FunctionReader::decoded(const FunctionBytes &function,
                                                                const std::stop_token &stop)
{
    std::vector<DecodedInstruction> code;
    for (std::size_t offset = 0; offset < function.bytes.size();) {
        if (++m_instructions > mostInstructions)
            return fail("code.too-large", std::format("the code of '{}' is too long to be read: above {} "
                                                      "instructions",
                                                      function.name, mostInstructions));
        if (m_instructions % 1024 == 0 && stop.stop_requested())
            return fail(support::codes::cancelled, "reading the machine code was cancelled");
        code.emplace_back();
        offset += std::max<std::size_t>(1, decode(function, offset, code.back()));
    }
    findTargets(code, function);
    return code;
}

/// Places on the stack that the function both writes and reads.
void FunctionReader::findSlots(const std::vector<DecodedInstruction> &code)
{
    std::set<std::string, std::less<>> written, read;
    m_slots.clear();
    for (const DecodedInstruction &each : code) {
        const std::string_view slot = m_machine.family->stackSlot(each.text);
        if (slot.empty() || !each.isKnown)
            continue;
        const llvm::MCInstrDesc &kind = m_target.getMCInstrInfo()->get(each.instruction.getOpcode());
        if (kind.mayStore())
            written.emplace(slot);
        if (kind.mayLoad())
            read.emplace(slot);
    }
    std::ranges::set_intersection(written, read, std::inserter(m_slots, m_slots.end()));
}

void FunctionReader::countStack(LoopCode &loop, const DecodedInstruction &each) const
{
    const std::string_view slot = m_machine.family->stackSlot(each.text);
    if (slot.empty() || !m_slots.contains(slot))
        return;
    const llvm::MCInstrDesc &kind = m_target.getMCInstrInfo()->get(each.instruction.getOpcode());
    loop.counts.spills += kind.mayStore() ? 1 : 0;
    loop.counts.reloads += kind.mayLoad() ? 1 : 0;
}

/// Samples in a loop's own instructions. A sample names an instruction, whose last byte is before the next
/// one.
int samplesIn(const FlowLoop &loop, const std::vector<DecodedInstruction> &code, const MachineCode &sampled)
{
    int samples = 0;
    for (const std::size_t step : loop.steps) {
        const auto from = sampled.samples.lower_bound(code[step].address);
        const auto to = step + 1 < code.size() ? sampled.samples.lower_bound(code[step + 1].address)
                                               : sampled.samples.upper_bound(code[step].address);
        for (auto i = from; i != to; ++i)
            samples += i->second;
    }
    return samples;
}

/// Instructions to show: all where nothing was sampled, else those of loops that stand in no other and were
/// seen at work, with what is within them.
std::vector<bool> shownSteps(const std::vector<FlowLoop> &loops, const std::vector<int> &samples,
                             std::size_t count, bool isSampled)
{
    std::vector<bool> shown(count, !isSampled);
    std::vector<std::size_t> outermost(loops.size());
    std::vector<bool> isBusy(loops.size(), false);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        outermost[i] = loops[i].parent < 0 ? i : outermost[static_cast<std::size_t>(loops[i].parent)];
        isBusy[outermost[i]] = isBusy[outermost[i]] || samples[i] > 0;
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
        for (const std::size_t step : loops[i].steps)
            shown[step] = shown[step] || isBusy[outermost[i]];
    }
    return shown;
}

/// The text of the function; branches within it name labels.
void FunctionReader::write(const FunctionBytes &function, const std::vector<DecodedInstruction> &code,
                           const std::vector<FlowLoop> &loops, const std::vector<bool> &shown)
{
    const int base = static_cast<int>(m_into.loops.size());
    std::vector<StmtId> loopOf(code.size());
    for (std::size_t i = 0; i < loops.size(); ++i) {
        for (const std::size_t step : loops[i].steps)
            loopOf[step] = StmtId{static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(i) + 1};
    }
    m_labelOf.clear();
    for (const DecodedInstruction &each : code) {
        if (each.flow.target >= 0)
            m_labelOf.try_emplace(static_cast<std::size_t>(each.flow.target));
    }
    for (const FlowLoop &loop : loops)
        m_labelOf.try_emplace(loop.header);
    for (auto &[_, label] : m_labelOf)
        label = std::format("L{}", ++m_labels);
    writeLine(function.name + ':', {});
    m_lineOf.clear();
    for (std::size_t i = 0, hidden = 0; i < code.size(); ++i) {
        m_lineOf.push_back(m_lines);
        hidden = shown[i] ? 0 : hidden + 1;
        const bool endsHidden = hidden > 0 && (i + 1 == code.size() || shown[i + 1]);
        if (endsHidden)
            writeLine(std::format("\t... {} instructions that were not seen running", hidden), {});
        if (shown[i])
            writeInstruction(code, i, loopOf[i]);
    }
}

void FunctionReader::writeLine(std::string_view text, StmtId loop)
{
    m_listing.line(text, loop);
    ++m_lines;
}

/// Writes an instruction, after its label if it has one.
void FunctionReader::writeInstruction(const std::vector<DecodedInstruction> &code, std::size_t i, StmtId loop)
{
    if (const auto label = m_labelOf.find(i); label != m_labelOf.end())
        writeLine('.' + label->second + ':', loop);
    m_lineOf.back() = m_lines;
    std::string text = code[i].text;
    if (const int target = code[i].flow.target; target >= 0)
        text =
            text.substr(0, text.find_last_of(' ') + 1) + '.' + m_labelOf.at(static_cast<std::size_t>(target));
    const std::size_t blank = std::min(text.find(' '), text.size());
    writeLine('\t' + text.substr(0, blank)
                  + (blank < text.size() ? '\t' + std::string(trimmed(text.substr(blank))) : std::string()),
              loop);
}

void FunctionReader::addLoop(const FunctionBytes &function, const std::vector<DecodedInstruction> &code,
                             const FlowLoop &loop, int base, int samples)
{
    LoopCode made{.loop = StmtId{static_cast<std::uint32_t>(m_into.loops.size()) + 1},
                  .function = function.name,
                  .parent = loop.parent < 0 ? -1 : base + loop.parent};
    made.statements = {made.loop};
    for (const std::size_t step : loop.steps) {
        const DecodedInstruction &each = code[step];
        countInstruction(made, each.text, *m_machine.family);
        if (each.isKnown)
            countStack(made, each);
    }
    made.firstLine = m_lineOf[loop.steps.front()];
    made.lastLine = m_lineOf[loop.steps.back()];
    m_into.labels.push_back(m_labelOf.at(loop.header));
    m_into.samples.push_back(samples);
    m_into.loops.push_back(std::move(made));
}

Result<void> FunctionReader::read(const FunctionBytes &function, const MachineCode &sampled,
                                  const std::stop_token &stop)
{
    auto code = decoded(function, stop);
    if (!code)
        return fail(code.error());
    std::vector<FlowStep> steps;
    for (const DecodedInstruction &each : *code)
        steps.push_back(each.flow);
    const std::vector<FlowLoop> loops = flowLoops(steps);
    std::vector<int> samples;
    for (const FlowLoop &loop : loops)
        samples.push_back(samplesIn(loop, *code, sampled));
    findSlots(*code);
    write(function, *code, loops, shownSteps(loops, samples, code->size(), !sampled.samples.empty()));
    const int base = static_cast<int>(m_into.loops.size());
    for (std::size_t i = 0; i < loops.size(); ++i) {
        addLoop(function, *code, loops[i], base, samples[i]);
        if (loops[i].parent >= 0)
            m_into.loops[static_cast<std::size_t>(base) + static_cast<std::size_t>(loops[i].parent)]
                .isInnermost = false;
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (stop.stop_requested())
            return fail(support::codes::cancelled, "reading the machine code was cancelled");
        const bool isIdle =
            !sampled.samples.empty() && m_into.samples[static_cast<std::size_t>(base) + i] == 0;
        if (isIdle && m_into.loops[static_cast<std::size_t>(base) + i].isInnermost)
            continue; // its time is of no interest, and such code has very many
        std::vector<llvm::MCInst> instructions;
        for (const std::size_t step : loops[i].steps) {
            if ((*code)[step].isKnown)
                instructions.push_back((*code)[step].instruction);
        }
        addThroughput(m_into.loops[static_cast<std::size_t>(base) + i], instructions, m_machine);
    }
    const auto from = sampled.samples.lower_bound(function.address);
    const auto to = sampled.samples.lower_bound(function.address + function.bytes.size());
    for (auto i = from; i != to; ++i)
        m_into.allSamples += i->second;
    return {};
}

void FunctionReader::finish()
{
    Listing listing = m_listing.take();
    m_into.text = std::move(listing.text);
    m_into.spans = std::move(listing.spans);
}

} // namespace

Result<Disassembly> llvmDisassemble(const MachineCode &code, const target::Target &target,
                                    const std::stop_token &stop)
{
    const auto machine = machineFor(target);
    if (!machine)
        return fail(machine.error());
    Disassembly result;
    FunctionReader reader(*machine, result);
    if (!reader.canRead())
        return fail("code.processor", std::format("LLVM reads no machine code of '{}'", target.str()));
    for (const FunctionBytes &function : code.functions) {
        if (const auto read = reader.read(function, code, stop); !read)
            return fail(read.error());
    }
    reader.finish();
    return result;
}

} // namespace nestwright::backend
