// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/machine.h"

#include "core/backend/llvm/emit/lane_loads.h"
#include "core/backend/llvm/emit/prefetch.h"

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include <limits>
#include <map>
#include <utility>

namespace nestwright::backend {

using support::fail;
using support::Result;

void initializeTargets()
{
    static const bool done = [] {
        llvm::InitializeAllTargetInfos();
        llvm::InitializeAllTargets();
        llvm::InitializeAllTargetMCs();
        llvm::InitializeAllAsmPrinters();
        llvm::InitializeAllAsmParsers();
        llvm::InitializeAllDisassemblers();
        return true;
    }();
    (void)done;
}

namespace {

/// Those that this process may use.
std::string hostFeatures(const ProcessorFamily &family)
{
    llvm::SubtargetFeatures features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
        features.AddFeature(feature.first(), feature.second && family.isUsable(feature.first()));
    return features.getString();
}

/// The first of `features` that is not written "+name" or "-name" with a name LLVM knows; empty when all are.
std::string unknownFeature(const std::string &features, const llvm::MCSubtargetInfo &info)
{
    const llvm::SubtargetFeatures parsed(features);
    for (const std::string &feature : parsed.getFeatures()) {
        const bool isKnown =
            llvm::any_of(info.getAllProcessorFeatures(), [&](const llvm::SubtargetFeatureKV &row) {
                return llvm::StringRef(feature).drop_front() == row.Key;
            });
        if (!isKnown || (feature.front() != '+' && feature.front() != '-'))
            return feature;
    }
    return {};
}

/// The key of the row that takes the fewest changes to get from `name`.
std::string nearestKey(const std::string &name, const auto &rows)
{
    std::string nearest;
    unsigned least = std::numeric_limits<unsigned>::max();
    for (const auto &row : rows) {
        const unsigned changes = llvm::StringRef(name).edit_distance(row.Key);
        if (changes < least) {
            least = changes;
            nearest = row.Key;
        }
    }
    return nearest;
}

/// The processor of that name. Error: "target.option".
Result<void> checkProcessor(const std::string &cpu, const std::string &triple,
                            const llvm::MCSubtargetInfo *info)
{
    if (!info || (cpu != "generic" && !info->isCPUStringValid(cpu))) {
        const std::string hint =
            info ? "perhaps -mcpu=" + nearestKey(cpu, info->getAllProcessorDescriptions()) : std::string();
        return fail(
            support::diagnostic("target.option", "'-mcpu=" + cpu + "' names no processor of " + triple)
                .withHint(hint));
    }
    return {};
}

Result<Machine> makeMachine(const target::Target &target)
{
    initializeTargets();
    const std::string host = llvm::sys::getProcessTriple();
    const std::string triple = target.mtriple.empty() ? host : llvm::Triple::normalize(target.mtriple);
    const bool isHost = llvm::Triple(triple).getArch() == llvm::Triple(host).getArch()
                        && (target.mcpu.empty() || target.mcpu == "native");
    std::string error;
    const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!found)
        return fail("target.option", "'-mtriple=" + target.mtriple + "' names no system that LLVM knows");

    Machine result;
    result.family = &familyOf(llvm::Triple(triple));
    result.cpu = isHost ? llvm::sys::getHostCPUName().str() : target.mcpu.empty() ? "generic" : target.mcpu;
    result.features = isHost ? hostFeatures(*result.family) : std::string();
    if (!target.mattr.empty())
        result.features += (result.features.empty() ? "" : ",") + target.mattr;
    const std::unique_ptr<llvm::MCSubtargetInfo> info(found->createMCSubtargetInfo(triple, "", ""));
    if (const auto known = checkProcessor(result.cpu, triple, info.get()); !known)
        return fail(known.error());
    if (const std::string unknown = unknownFeature(target.mattr, *info); !unknown.empty())
        return fail(support::diagnostic("target.option", "'-mattr' names the feature '" + unknown
                                                             + "', which " + triple + " does not have")
                        .withHint("write features as +avx2,-fma; perhaps +"
                                  + nearestKey(llvm::StringRef(unknown).ltrim("+-").str(),
                                               info->getAllProcessorFeatures())));
    const std::unique_ptr<llvm::MCSubtargetInfo> chosen(
        found->createMCSubtargetInfo(triple, result.cpu, result.features));
    if (const auto runs = result.family->check(llvm::Triple(triple), result.cpu, *chosen); !runs)
        return fail(runs.error());
    result.vectorBits = result.family->vectorBits(*chosen);
    result.floats = result.family->floats(*chosen);
    result.machine.reset(found->createTargetMachine(triple, result.cpu, result.features,
                                                    llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                                    llvm::CodeGenOptLevel::Aggressive));
    if (!result.machine)
        return fail("target.option", "LLVM makes no code for '" + triple + '\'');
    return result;
}

/// Reaches the number by which a machine's own MCAsmInfo chooses the syntax of assembly: LLVM has no setting
/// for it but one of the whole process.
struct AsmSyntax : llvm::MCAsmInfo {
    static constexpr unsigned intel = 1;
    static unsigned &of(const llvm::TargetMachine &machine)
    {
        return const_cast<llvm::MCAsmInfo *>(machine.getMCAsmInfo())->*&AsmSyntax::AssemblerDialect;
    }
};

/// Adds features that only the optimizer is told, for as long as the object lives.
class OptimizerFeatures {
public:
    OptimizerFeatures(llvm::Module &unit, std::string_view added) : m_unit(unit), m_added(added)
    {
        change([this](llvm::StringRef features) { return features.str() + std::string(m_added); });
    }
    ~OptimizerFeatures()
    {
        change([this](llvm::StringRef features) {
            features.consume_back(m_added);
            return features.str();
        });
    }
    OptimizerFeatures(const OptimizerFeatures &) = delete;
    OptimizerFeatures &operator=(const OptimizerFeatures &) = delete;

private:
    static constexpr const char *key = "target-features";

    void change(const auto &toOther)
    {
        for (llvm::Function &function : m_unit) {
            if (!m_added.empty() && function.hasFnAttribute(key))
                function.addFnAttr(key, toOther(function.getFnAttribute(key).getValueAsString()));
        }
    }

    llvm::Module &m_unit;
    std::string_view m_added;
};

} // namespace

Result<Machine> machineFor(const target::Target &target)
{
    // A target machine costs milliseconds to make and may be used by one thread at a time.
    thread_local std::map<std::string, Machine> known;
    const std::string key = target.mtriple + '\n' + target.mcpu + '\n' + target.mattr;
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    auto made = makeMachine(target);
    if (made)
        known[key] = *made;
    return made;
}

int vectorRegisters(const Machine &machine)
{
    llvm::LLVMContext context;
    llvm::Module unit("registers", context);
    const llvm::Function *function =
        llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                               llvm::Function::ExternalLinkage, "f", unit);
    const llvm::TargetTransformInfo info = machine.machine->getTargetTransformInfo(*function);
    return static_cast<int>(info.getNumberOfRegisters(info.getRegisterClassForType(true)));
}

void optimize(llvm::Module &unit, const Machine &machine, const std::stop_token &stop)
{
    const OptimizerFeatures features(unit, machine.family->optimizerFeatures());
    llvm::PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback(
        [&stop](llvm::StringRef, const llvm::Any &) { return !stop.stop_requested(); });
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = true;
    tuning.SLPVectorization = false; // wrong in LLVM 19, and of no use to loops that are scheduled
    tuning.LoopInterleaving = true;
    llvm::PassBuilder builder(machine.machine.get(), tuning, std::nullopt, &callbacks);
    addPrefetching(builder);
    if (machine.family->multipliesByLanes())
        addLaneLoads(builder, machine.vectorBits);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(unit, modules);
}

std::string emit(llvm::Module &unit, const Machine &machine, Emission what)
{
    machine.family->makeSelectable(unit);
    unsigned &syntax = AsmSyntax::of(*machine.machine);
    const bool isIntel = what == Emission::IntelAssembly && machine.family->hasIntelSyntax();
    const unsigned before = std::exchange(syntax, isIntel ? AsmSyntax::intel : syntax);
    machine.machine->Options.MCOptions.AsmVerbose = what == Emission::CommentedAssembly;
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    const auto kind =
        what == Emission::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
    machine.machine->addPassesToEmitFile(passes, stream, nullptr, kind);
    passes.run(unit);
    syntax = before;
    return {bytes.begin(), bytes.end()};
}

std::string commentMark(const Machine &machine)
{
    return machine.machine->getMCAsmInfo()->getCommentString().str();
}

} // namespace nestwright::backend
