// SPDX-License-Identifier: Apache-2.0
// Intrinsics of LLVM that stand for an instruction of one family of processors.
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/machine.h"
#include "core/ir/intrinsic_meaning.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>

namespace nestwright::backend {

using llvm::Value;

namespace {

struct Instruction {
    std::string_view name;
    std::string_view family;
    const char *features;
};
/// Intrinsics that programs use, with the feature that the processor must have: LLVM ends the program at an
/// intrinsic that it cannot select.
constexpr auto table = std::to_array<Instruction>({
    {"llvm.x86.avx512.vpdpbusd.512", "x86", "+avx512vnni"},
    {"llvm.x86.avx512.vpdpbusd.256", "x86", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.vpdpbusd.128", "x86", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.vpdpwssd.512", "x86", "+avx512vnni"},
    {"llvm.x86.avx512.vpdpwssd.256", "x86", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.vpdpwssd.128", "x86", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.pmaddubs.w.512", "x86", "+avx512bw"},
    {"llvm.x86.avx512.pmaddw.d.512", "x86", "+avx512bw"},
    {"llvm.x86.avx2.pmadd.ub.sw", "x86", "+avx2"},
    {"llvm.x86.avx2.pmadd.wd", "x86", "+avx2"},
    {"llvm.x86.ssse3.pmadd.ub.sw.128", "x86", "+ssse3"},
    {"llvm.x86.sse2.pmadd.wd", "x86", "+sse2"},
    {"llvm.aarch64.neon.sdot", "aarch64", "+dotprod"},
    {"llvm.aarch64.neon.udot", "aarch64", "+dotprod"},
    {"llvm.aarch64.neon.smull", "aarch64", "+neon"},
    {"llvm.aarch64.neon.umull", "aarch64", "+neon"},
    {"llvm.aarch64.neon.saddlp", "aarch64", "+neon"},
    {"llvm.aarch64.neon.uaddlp", "aarch64", "+neon"},
    {"llvm.aarch64.neon.addp", "aarch64", "+neon"},
});

bool has(const llvm::TargetMachine &machine, const Instruction &instruction)
{
    const llvm::Triple &triple = machine.getTargetTriple();
    const bool isFamily = instruction.family == "x86" ? triple.isX86() : triple.isAArch64();
    return isFamily && machine.getMCSubtargetInfo()->checkFeatures(instruction.features);
}

} // namespace

/// The instruction, where the processor has it and its operands are of the right types; else null.
Value *Emitter::ofProcessor(const ir::Call &node)
{
    const std::string name = ir::llvmIntrinsicName(node);
    const auto *found = std::ranges::find(table, std::string_view(name), &Instruction::name);
    if (found == table.end() || !has(*m_machine.machine, *found))
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
    return m_builder.CreateCall(llvm::Intrinsic::getDeclaration(&m_unit, id, overloads), values);
}

} // namespace nestwright::backend
