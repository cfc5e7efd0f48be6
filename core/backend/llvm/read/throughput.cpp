// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/throughput.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>
#include <llvm/MCA/Support.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::backend {

namespace {

/// Iterations to simulate: enough for a steady state, and few enough for a long body.
constexpr std::size_t simulatedInstructions = 6000, leastIterations = 8, mostIterations = 200;
/// Loops that are longer are no inner loops any more.
constexpr std::size_t longestLoop = 4000;
/// A unit that works in this share of the cycles is what the loop waits for.
constexpr double busyShare = 0.9;
constexpr unsigned callLatency = 100;

/// Keeps the instructions that a parser reads.
class InstructionList final : public llvm::MCStreamer {
public:
    explicit InstructionList(llvm::MCContext &context) : MCStreamer(context) {}
    std::vector<llvm::MCInst> take() { return std::move(m_instructions); }

    void emitInstruction(const llvm::MCInst &inst, const llvm::MCSubtargetInfo &) override
    {
        m_instructions.push_back(inst);
    }
    bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
    void emitCommonSymbol(llvm::MCSymbol *, std::uint64_t, llvm::Align) override {}
    void emitZerofill(llvm::MCSection *, llvm::MCSymbol *, std::uint64_t, llvm::Align, llvm::SMLoc) override
    {
    }

private:
    std::vector<llvm::MCInst> m_instructions;
};

/// The instructions of lines of assembly; empty where one is not understood.
std::vector<llvm::MCInst> parsed(const std::vector<std::string_view> &lines, const Machine &machine,
                                 llvm::MCContext &context, llvm::SourceMgr &sources)
{
    const llvm::TargetMachine &target = *machine.machine;
    std::string text;
    for (const std::string_view line : lines)
        text.append(line).append("\n");
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
    InstructionList list(context);
    target.getTarget().createNullTargetStreamer(list);
    const std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources, context, list, *target.getMCAsmInfo()));
    const std::unique_ptr<llvm::MCTargetAsmParser> ofTarget(target.getTarget().createMCAsmParser(
        *target.getMCSubtargetInfo(), *parser, *target.getMCInstrInfo(), llvm::MCTargetOptions()));
    if (!ofTarget)
        return {};
    parser->setTargetParser(*ofTarget);
    if (parser->Run(false, true))
        return {};
    return list.take();
}

void addCounts(LoopCode &loop, const std::vector<llvm::MCInst> &instructions, const Machine &machine)
{
    const llvm::MCInstrInfo &info = *machine.machine->getMCInstrInfo();
    for (const llvm::MCInst &each : instructions) {
        const llvm::MCInstrDesc &kind = info.get(each.getOpcode());
        const llvm::StringRef name = info.getName(each.getOpcode());
        const bool isPrefetch = name.starts_with_insensitive(machine.family->prefetchName());
        const bool isAccess = !kind.isCall() && !isPrefetch;
        loop.counts.loads += kind.mayLoad() && isAccess ? 1 : 0;
        loop.counts.stores += kind.mayStore() && isAccess ? 1 : 0;
        loop.counts.branches += kind.isBranch() ? 1 : 0;
        loop.counts.calls += kind.isCall() ? 1 : 0;
    }
}

/// Counts the cycles of the second half of a simulation's iterations, and how long each unit worked.
class Observer final : public llvm::mca::HWEventListener {
public:
    Observer(std::size_t instructions, std::size_t iterations)
        : m_last(instructions * iterations - 1)
        , m_middle(instructions * (iterations / 2) - 1)
        , m_iterations(iterations - iterations / 2)
    {
    }

    void onCycleEnd() override { ++m_cycle; }
    void onEvent(const llvm::mca::HWInstructionEvent &event) override
    {
        const std::size_t index = event.IR.getSourceIndex();
        if (event.Type == llvm::mca::HWInstructionEvent::Retired) {
            if (index == m_middle)
                m_from = m_cycle;
            if (index == m_last)
                m_to = m_cycle;
        }
        if (index <= m_middle)
            return;
        if (event.Type == llvm::mca::HWInstructionEvent::Issued) {
            const auto &issued = static_cast<const llvm::mca::HWInstructionIssuedEvent &>(event);
            for (const llvm::mca::ResourceUse &use : issued.UsedResources)
                m_busy[use.first] += static_cast<double>(use.second);
        } else if (event.Type == llvm::mca::HWInstructionEvent::Dispatched) {
            m_microOps += static_cast<const llvm::mca::HWInstructionDispatchedEvent &>(event).MicroOpcodes;
        }
    }

    double cycles() const { return static_cast<double>(m_to - m_from) / static_cast<double>(m_iterations); }
    double microOps() const { return m_microOps / static_cast<double>(m_iterations); }
    /// By resource and unit of it: cycles of one iteration that it works.
    std::map<llvm::mca::ResourceRef, double> busy() const
    {
        std::map<llvm::mca::ResourceRef, double> result = m_busy;
        for (auto &[unit, cycles] : result)
            cycles /= static_cast<double>(m_iterations);
        return result;
    }

private:
    std::size_t m_last, m_middle, m_iterations;
    std::size_t m_cycle = 0, m_from = 0, m_to = 0;
    double m_microOps = 0;
    std::map<llvm::mca::ResourceRef, double> m_busy;
};

std::string_view nameOf(const llvm::MCSchedModel &model, unsigned resource)
{
    return model.getProcResource(resource)->Name;
}

/// The length of what the names of all units begin with: 3 of "Zn4FP0" and "Zn4ALU1".
std::size_t commonPrefix(const llvm::MCSchedModel &model)
{
    const std::string_view first = nameOf(model, 1); // 0 is none
    std::size_t length = first.size();
    for (unsigned i = 2; i < model.getNumProcResourceKinds(); ++i)
        length = static_cast<std::size_t>(std::ranges::mismatch(first.substr(0, length), nameOf(model, i)).in1
                                          - first.begin());
    return length;
}

/// Names of the units that work in nearly every cycle: "FP0, FP1".
std::string busyUnits(const Observer &observer, const llvm::MCSchedModel &model)
{
    const std::size_t prefix = commonPrefix(model);
    std::string names;
    std::string_view before;
    for (const auto &[unit, busy] : observer.busy()) {
        if (busy < busyShare * observer.cycles())
            continue;
        const std::string_view name = nameOf(model, static_cast<unsigned>(unit.first)).substr(prefix);
        if (name == before)
            continue;
        names.append(names.empty() ? "" : ", ").append(name);
        before = name;
    }
    return names;
}

/// Cycles that the busiest units, or the taking on of instructions, need for `sequence` in whatever order.
double leastCycles(const std::vector<std::unique_ptr<llvm::mca::Instruction>> &sequence,
                   const llvm::MCSchedModel &model)
{
    llvm::SmallVector<std::uint64_t> masks(model.getNumProcResourceKinds());
    llvm::mca::computeProcResourceMasks(model, masks);
    llvm::SmallVector<unsigned> usage(model.getNumProcResourceKinds());
    unsigned microOps = 0;
    for (const auto &instruction : sequence) {
        const llvm::mca::InstrDesc &kind = instruction->getDesc();
        microOps += kind.NumMicroOps;
        for (const auto &[mask, use] : kind.Resources)
            usage[static_cast<std::size_t>(std::ranges::find(masks, mask) - masks.begin())] += use.size();
    }
    return llvm::mca::computeBlockRThroughput(model, model.IssueWidth, microOps, usage);
}

std::optional<CycleCount> simulated(const std::vector<llvm::MCInst> &instructions, const Machine &machine)
{
    const llvm::TargetMachine &target = *machine.machine;
    const llvm::MCSubtargetInfo &processor = *target.getMCSubtargetInfo();
    const llvm::MCInstrInfo &info = *target.getMCInstrInfo();
    const llvm::MCRegisterInfo &registers = *target.getMCRegisterInfo();
    const llvm::MCSchedModel &model = processor.getSchedModel();
    const std::unique_ptr<llvm::MCInstrAnalysis> analysis(target.getTarget().createMCInstrAnalysis(&info));
    llvm::mca::InstrumentManager instruments(processor, info);
    llvm::mca::InstrBuilder builder(processor, info, registers, analysis.get(), instruments, callLatency);
    const std::unique_ptr<llvm::mca::InstrPostProcess> mended(
        target.getTarget().createInstrPostProcess(processor, info));
    std::vector<std::unique_ptr<llvm::mca::Instruction>> sequence;
    for (const llvm::MCInst &each : instructions) {
        auto made = builder.createInstruction(each, {});
        if (!made) {
            llvm::consumeError(made.takeError());
            return std::nullopt;
        }
        if (mended)
            mended->postProcessInstruction(*made, each);
        sequence.push_back(std::move(*made));
    }
    const std::size_t iterations =
        std::clamp(simulatedInstructions / sequence.size(), leastIterations, mostIterations);
    llvm::mca::CircularSourceMgr source(sequence, static_cast<unsigned>(iterations));
    llvm::mca::CustomBehaviour behaviour(processor, source, info);
    llvm::mca::Context context(registers, processor);
    const llvm::mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
    const auto pipeline = model.isOutOfOrder() ? context.createDefaultPipeline(options, source, behaviour)
                                               : context.createInOrderPipeline(options, source, behaviour);
    Observer observer(sequence.size(), iterations);
    pipeline->addEventListener(&observer);
    if (auto cycles = pipeline->run(); !cycles) {
        llvm::consumeError(cycles.takeError());
        return std::nullopt;
    }
    CycleCount result{observer.cycles(), leastCycles(sequence, model), CycleLimit::Latency,
                      busyUnits(observer, model)};
    if (!result.units.empty())
        result.limit = CycleLimit::Units;
    else if (observer.microOps() >= busyShare * observer.cycles() * model.IssueWidth)
        result.limit = CycleLimit::Dispatch;
    return result;
}

} // namespace

void addThroughput(LoopCode &loop, const std::vector<llvm::MCInst> &instructions, const Machine &machine)
{
    addCounts(loop, instructions, machine);
    if (!instructions.empty() && instructions.size() <= longestLoop && loop.isInnermost
        && loop.counts.calls == 0
        && machine.machine->getMCSubtargetInfo()->getSchedModel().hasInstrSchedModel())
        loop.time = simulated(instructions, machine);
}

void addThroughput(AssemblyLoop &loop, const Machine &machine)
{
    const llvm::TargetMachine &target = *machine.machine;
    const llvm::MCSubtargetInfo &processor = *target.getMCSubtargetInfo();
    if (loop.instructions.empty() || loop.instructions.size() > longestLoop)
        return;
    llvm::SourceMgr sources;
    sources.setDiagHandler([](const llvm::SMDiagnostic &, void *) {});
    llvm::MCContext context(target.getTargetTriple(), target.getMCAsmInfo(), target.getMCRegisterInfo(),
                            &processor, &sources);
    const std::unique_ptr<llvm::MCObjectFileInfo> sections(
        target.getTarget().createMCObjectFileInfo(context, true));
    context.setObjectFileInfo(sections.get());
    const std::vector<llvm::MCInst> instructions = parsed(loop.instructions, machine, context, sources);
    addThroughput(loop.code, instructions, machine);
}

void addVectorRates(VectorUnit &unit, const Machine &machine)
{
    constexpr int independent = 12; // enough for two units and six cycles
    const llvm::MCSubtargetInfo &processor = *machine.machine->getMCSubtargetInfo();
    const auto cyclesOf = [&](int count, auto ProcessorFamily::*line) {
        std::vector<std::string> lines;
        for (int i = 0; i < count; ++i)
            lines.push_back((machine.family->*line)(i, processor));
        AssemblyLoop loop;
        loop.instructions.assign(lines.begin(), lines.end());
        if (!lines.front().empty())
            addThroughput(loop, machine);
        return loop.code.time ? loop.code.time->cycles : 0;
    };
    const auto inCycle = [](double cycles) {
        return cycles > 0 ? std::max(1, static_cast<int>(std::lround(independent / cycles))) : 0;
    };
    unit.multiplyAdds = inCycle(cyclesOf(independent, &ProcessorFamily::multiplyAdd));
    unit.latency = static_cast<int>(std::lround(cyclesOf(1, &ProcessorFamily::multiplyAdd)));
    unit.loads = inCycle(cyclesOf(independent, &ProcessorFamily::vectorLoad));
}

} // namespace nestwright::backend
