// SPDX-License-Identifier: Apache-2.0
// Intrinsics of LLVM that stand for an instruction of one family of processors.
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/isa/processor_family.h"
#include "core/backend/llvm/machine.h"
#include "core/ir/intrinsic_meaning.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>

namespace nestwright::backend {

using llvm::Value;

namespace {

/// An intrinsic of any family.
struct KnownInstruction {
    const ProcessorFamily *family = nullptr; ///< null: of none
    std::string features{};
};

KnownInstruction instructionNamed(const std::string &name)
{
    for (const ProcessorFamily *family : processorFamilies()) {
        const auto known = family->instructions();
        if (const auto found = std::ranges::find(known, name, &ProcessorInstruction::name);
            found != known.end())
            return {family, found->features};
    }
    return {};
}

} // namespace

/// The instruction, where the processor has it and its operands are of the right types, or what the family
/// does in its place; else null.
Value *Emitter::ofProcessor(const ir::Call &node)
{
    const std::string name = ir::llvmIntrinsicName(node);
    const KnownInstruction known = instructionNamed(name);
    if (!known.family)
        return nullptr;
    const llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
    if (id == llvm::Intrinsic::not_intrinsic)
        return nullptr;
    const std::vector<ir::Expr> args = ir::llvmArguments(node);
    std::vector<llvm::Type *> types;
    for (const ir::Expr &arg : args)
        types.push_back(valueType(arg.dtype()));
    auto *type = llvm::FunctionType::get(valueType(node.dtype), types, false);
    llvm::SmallVector<llvm::Intrinsic::IITDescriptor, 8> descriptors;
    llvm::Intrinsic::getIntrinsicInfoTableEntries(id, descriptors);
    llvm::ArrayRef<llvm::Intrinsic::IITDescriptor> left(descriptors);
    llvm::SmallVector<llvm::Type *, 4> overloads;
    const bool fits = llvm::Intrinsic::matchIntrinsicSignature(type, left, overloads)
                          == llvm::Intrinsic::MatchIntrinsicTypes_Match
                      && left.empty();
    if (!fits)
        return nullptr;
    std::vector<Value *> values;
    for (const ir::Expr &arg : args)
        values.push_back(value(arg));
    const llvm::MCSubtargetInfo &processor = *m_machine.machine->getMCSubtargetInfo();
    if (known.family != m_machine.family || !processor.checkFeatures(known.features))
        return m_machine.family->expanded(name, values, m_builder, processor);
    return m_builder.CreateCall(llvm::Intrinsic::getDeclaration(&m_unit, id, overloads), values);
}

} // namespace nestwright::backend
