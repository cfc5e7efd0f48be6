// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/isa/x86_guard.h"

#include "core/backend/link/runtime.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <map>
#include <tuple>

namespace nestwright::backend {

namespace {

using llvm::Value;

/// The global that the answer is kept in.
enum ProcessorAnswer : std::uint32_t { NotAsked = 0, HasAll = 1, Lacks = 2 };

/// Bits that must be set in one register of one leaf.
using CpuidLeaf = std::tuple<std::uint32_t, std::uint32_t, CpuidRegister>;

std::map<CpuidLeaf, std::uint32_t> masksOf(const std::vector<const Extension *> &needs)
{
    std::map<CpuidLeaf, std::uint32_t> masks;
    for (const Extension *each : needs)
        masks[{each->leaf, each->subleaf, each->answer}] |= std::uint32_t{1} << each->bit;
    return masks;
}

/// Compiles a function for every x86-64, whatever the module is for.
void makePlain(llvm::Function &function)
{
    for (const char *key : {"prefer-vector-width", "reciprocal-estimates"})
        function.removeFnAttr(key);
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("target-features", "");
}

class ProcessorGuard {
public:
    ProcessorGuard(llvm::Module &module, const std::vector<const Extension *> &needs)
        : m_module(module)
        , m_builder(module.getContext())
        , m_needs(needs)
        , m_state(new llvm::GlobalVariable(module, m_builder.getInt32Ty(), false,
                                           llvm::GlobalValue::InternalLinkage, m_builder.getInt32(NotAsked),
                                           "nw_processor_state"))
        , m_ask(plainFunction("nw_ask_processor", llvm::Type::getInt32Ty(module.getContext())))
    {
        writeAsk();
    }

    /// `function` becomes an inner one behind one of its name that asks.
    void putBefore(llvm::Function &function)
    {
        const std::string name = function.getName().str();
        function.setName(name + "__unguarded");
        auto *asking = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                              name, m_module);
        asking->setDoesNotThrow();
        makePlain(*asking);
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
        function.addFnAttr(llvm::Attribute::NoInline);
        auto *known = block(asking, "entry"), *ask = block(asking, "ask"), *run = block(asking, "run"),
             *refuse = block(asking, "refuse");
        m_builder.SetInsertPoint(known);
        m_builder.CreateCondBr(m_builder.CreateICmpEQ(loadState(), m_builder.getInt32(HasAll)), run, ask);
        m_builder.SetInsertPoint(ask);
        m_builder.CreateCondBr(
            m_builder.CreateICmpEQ(m_builder.CreateCall(m_ask), m_builder.getInt32(HasAll)), run, refuse);
        m_builder.SetInsertPoint(run);
        std::vector<Value *> arguments;
        for (llvm::Argument &argument : asking->args())
            arguments.push_back(&argument);
        llvm::CallInst *result = m_builder.CreateCall(&function, arguments);
        result->setTailCall();
        m_builder.CreateRet(result);
        m_builder.SetInsertPoint(refuse);
        m_builder.CreateRet(m_builder.getInt32(static_cast<std::uint32_t>(KernelCode::ProcessorLacks)));
    }

private:
    llvm::BasicBlock *block(llvm::Function *function, const char *name)
    {
        return llvm::BasicBlock::Create(m_module.getContext(), name, function);
    }

    llvm::Function *plainFunction(const char *name, llvm::Type *result)
    {
        auto *function = llvm::Function::Create(llvm::FunctionType::get(result, {}, false),
                                                llvm::GlobalValue::InternalLinkage, name, m_module);
        function->setDoesNotThrow();
        function->addFnAttr(llvm::Attribute::NoInline);
        makePlain(*function);
        return function;
    }

    Value *loadState()
    {
        llvm::LoadInst *state = m_builder.CreateLoad(m_builder.getInt32Ty(), m_state);
        state->setAlignment(llvm::Align(4));
        state->setAtomic(llvm::AtomicOrdering::Monotonic);
        return state;
    }

    /// {eax, ebx, ecx, edx} of a leaf.
    Value *cpuid(std::uint32_t leaf, std::uint32_t subleaf)
    {
        auto *number = m_builder.getInt32Ty();
        auto *four = llvm::StructType::get(m_module.getContext(), {number, number, number, number});
        auto *type = llvm::FunctionType::get(four, {number, number}, false);
        return m_builder.CreateCall(
            llvm::InlineAsm::get(type, "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}", true),
            {m_builder.getInt32(leaf), m_builder.getInt32(subleaf)});
    }

    Value *answerOf(Value *four, CpuidRegister answer)
    {
        return m_builder.CreateExtractValue(four, {static_cast<unsigned>(answer)});
    }

    Value *hasAll(Value *bits, std::uint32_t mask)
    {
        return m_builder.CreateICmpEQ(m_builder.CreateAnd(bits, m_builder.getInt32(mask)),
                                      m_builder.getInt32(mask));
    }

    /// Goes on in a new block where `holds`, else to `lacks`.
    void require(Value *holds, llvm::BasicBlock *lacks)
    {
        llvm::BasicBlock *next = block(m_ask, "next");
        m_builder.CreateCondBr(holds, next, lacks);
        m_builder.SetInsertPoint(next);
    }

    void finish(ProcessorAnswer answer)
    {
        llvm::StoreInst *store = m_builder.CreateStore(m_builder.getInt32(answer), m_state);
        store->setAlignment(llvm::Align(4));
        store->setAtomic(llvm::AtomicOrdering::Monotonic);
        m_builder.CreateRet(m_builder.getInt32(answer));
    }

    /// A leaf is asked for only behind the one that tells how far leaves go.
    void writeAsk()
    {
        llvm::BasicBlock *entry = block(m_ask, "entry"), *lacks = block(m_ask, "lacks");
        m_builder.SetInsertPoint(lacks);
        finish(Lacks);
        m_builder.SetInsertPoint(entry);
        for (const auto &[leaf, mask] : masksOf(m_needs)) {
            const auto &[number, subleaf, answer] = leaf;
            Value *last = answerOf(cpuid(number & 0x80000000U, 0), CpuidRegister::Eax);
            require(m_builder.CreateICmpUGE(last, m_builder.getInt32(number)), lacks);
            if (subleaf > 0) {
                Value *lastSubleaf = answerOf(cpuid(number, 0), CpuidRegister::Eax);
                require(m_builder.CreateICmpUGE(lastSubleaf, m_builder.getInt32(subleaf)), lacks);
            }
            require(hasAll(answerOf(cpuid(number, subleaf), answer), mask), lacks);
        }
        requireSavedState(lacks);
        finish(HasAll);
    }

    /// The system saves the registers.
    void requireSavedState(llvm::BasicBlock *lacks)
    {
        std::uint32_t state = 0;
        for (const Extension *each : m_needs)
            state |= each->state;
        if (state == 0)
            return;
        constexpr std::uint32_t osxsave = std::uint32_t{1} << 27;
        require(hasAll(answerOf(cpuid(1, 0), CpuidRegister::Ecx), osxsave), lacks);
        auto *number = m_builder.getInt32Ty();
        auto *two = llvm::StructType::get(m_module.getContext(), {number, number});
        auto *type = llvm::FunctionType::get(two, {number}, false);
        Value *saved = m_builder.CreateCall(llvm::InlineAsm::get(type, "xgetbv", "={ax},={dx},{cx}", true),
                                            {m_builder.getInt32(0)});
        require(hasAll(m_builder.CreateExtractValue(saved, {0U}), state), lacks);
    }

    llvm::Module &m_module;
    llvm::IRBuilder<> m_builder;
    const std::vector<const Extension *> &m_needs;
    llvm::GlobalVariable *m_state;
    llvm::Function *m_ask;
};

} // namespace

void guardProcessor(llvm::Module &module, const std::vector<const Extension *> &needs)
{
    if (needs.empty())
        return;
    std::vector<llvm::Function *> offered;
    for (llvm::Function &function : module) {
        if (!function.isDeclaration() && function.hasExternalLinkage())
            offered.push_back(&function);
    }
    ProcessorGuard guard(module, needs);
    for (llvm::Function *function : offered)
        guard.putBefore(*function);
}

} // namespace nestwright::backend
