// SPDX-License-Identifier: Apache-2.0
/// A parallel loop becomes a function of a piece of the loop, called through the runtime's thread pool:
///   i32 NAME.loop(captured values…, i64 begin, i64 end)   the loop itself; pointers stay noalias parameters
///   where they were i32 NAME.piece(ptr context, i64 begin, i64 end)       unpacks the captured values
#include "core/backend/llvm/emit/emitter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace nestwright::backend {

using ir::Var;
using llvm::Value;

namespace {

/// The variables and buffer pointers that a statement uses, in order of first use.
class UsedValues : public ir::Visitor {
public:
    std::vector<Var> found;

    void expr(const ir::Expr &e) override
    {
        if (e.as<ir::VarNode>())
            add(Var::from(e));
        children(e);
    }
    void buffer(const ir::Buffer &b) override
    {
        add(b->data);
        if (b->elemOffset)
            expr(b->elemOffset);
    }

private:
    void add(const Var &var)
    {
        if (m_seen.insert(var).second)
            found.push_back(var);
    }
    ir::VarSet m_seen;
};

/// Whether the pointer is a parameter without the promise that nothing else points there.
bool mayOverlap(const Value *pointer)
{
    const auto *argument = llvm::dyn_cast<llvm::Argument>(pointer);
    return argument && !argument->hasNoAliasAttr();
}

} // namespace

std::vector<Var> Emitter::captures(const ir::For &node) const
{
    UsedValues used;
    used.stmt(node.body);
    used.expr(node.min);
    std::vector<Var> captured;
    for (const Var &var : used.found) {
        if (m_frame.values.contains(var) || m_frame.wide.contains(var))
            captured.push_back(var);
    }
    return captured;
}

llvm::Function *Emitter::outlinedBody(const ir::For &node, const std::vector<Var> &captured)
{
    std::vector<llvm::Type *> types;
    types.reserve(captured.size() + 2);
    for (const Var &var : captured)
        types.push_back(m_frame.wide.contains(var) ? m_builder.getInt64Ty()
                                                   : m_frame.values.at(var)->getType());
    types.insert(types.end(), 2, m_builder.getInt64Ty());
    llvm::Function *body = makeFunction(m_symbol + ".loop" + std::to_string(m_parallelCount),
                                        m_builder.getInt32Ty(), types, false);

    Frame outer = std::move(m_frame);
    const auto place = m_builder.saveIP();
    beginFrame(body);
    m_frame.inParallel = true;
    for (std::size_t i = 0; i < captured.size(); ++i) {
        llvm::Argument *argument = body->getArg(static_cast<unsigned>(i));
        argument->setName(captured[i].name());
        (outer.wide.contains(captured[i]) ? m_frame.wide : m_frame.values)[captured[i]] = argument;
        if (argument->getType()->isPointerTy() && m_noalias && !mayOverlap(outer.values.at(captured[i])))
            argument->addAttr(llvm::Attribute::NoAlias);
    }
    llvm::Argument *begin = body->getArg(static_cast<unsigned>(captured.size()));
    llvm::Argument *end = body->getArg(static_cast<unsigned>(captured.size()) + 1);
    Value *first = index(node.min);
    Value *from = m_builder.CreateNSWAdd(first, begin);
    iterations(node, from, m_builder.CreateNSWAdd(first, end));
    endFrame();
    m_frame = std::move(outer);
    m_builder.restoreIP(place);
    return body;
}

llvm::Function *Emitter::outlinedEntry(llvm::Function *body, const std::vector<Var> &captured,
                                       llvm::Type *context)
{
    auto *pointer = llvm::PointerType::getUnqual(m_builder.getContext());
    llvm::Function *entry =
        makeFunction(m_symbol + ".piece" + std::to_string(m_parallelCount), m_builder.getInt32Ty(),
                     {pointer, m_builder.getInt64Ty(), m_builder.getInt64Ty()}, false);
    Frame outer = std::move(m_frame);
    const auto place = m_builder.saveIP();
    beginFrame(entry);
    std::vector<Value *> arguments;
    for (unsigned i = 0; i < captured.size(); ++i) {
        Value *field = m_builder.CreateStructGEP(context, entry->getArg(0), i);
        arguments.push_back(m_builder.CreateLoad(body->getArg(i)->getType(), field));
    }
    arguments.push_back(entry->getArg(1));
    arguments.push_back(entry->getArg(2));
    recordError(m_builder.CreateCall(body, arguments));
    endFrame();
    m_frame = std::move(outer);
    m_builder.restoreIP(place);
    return entry;
}

void Emitter::parallelLoop(const ir::For &node)
{
    const std::vector<Var> captured = captures(node);
    llvm::Function *body = outlinedBody(node, captured);
    std::vector<llvm::Type *> types;
    types.reserve(captured.size());
    for (unsigned i = 0; i < captured.size(); ++i)
        types.push_back(body->getArg(i)->getType());
    auto *contextType = llvm::StructType::get(m_builder.getContext(), types);
    llvm::Function *entry = outlinedEntry(body, captured, contextType);
    ++m_parallelCount;

    setLocation(m_location);
    llvm::BasicBlock &first = m_frame.function->getEntryBlock();
    auto *context = llvm::IRBuilder<>(&first, first.begin()).CreateAlloca(contextType, nullptr, "context");
    for (unsigned i = 0; i < captured.size(); ++i) {
        const bool isWide = m_frame.wide.contains(captured[i]);
        Value *value = isWide ? m_frame.wide.at(captured[i]) : m_frame.values.at(captured[i]);
        m_builder.CreateStore(value, m_builder.CreateStructGEP(contextType, context, i));
    }
    auto *pointer = llvm::PointerType::getUnqual(m_builder.getContext());
    auto run = m_unit.getOrInsertFunction("nestwright_parallel_for", m_builder.getInt32Ty(), pointer, pointer,
                                          m_builder.getInt64Ty());
    recordError(m_builder.CreateCall(run, {entry, context, index(node.extent)}));
}

} // namespace nestwright::backend
