// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/runtime.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/machine.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/shared_memory.h"
#include "core/support/errors/errors.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace nestwright::backend {

using llvm::Value;

namespace {

/// Unrolled loops whose memory is given become one long block of stores that stay: LLVM's time goes with the
/// square of its length (10 s for 800 loops of 8 iterations).
constexpr int mostUnrolledLoops = 100;

int loopsOf(const ir::PrimFunc &function)
{
    int loops = 0;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        loops += s.kind() == ir::StmtKind::For ? 1 : 0;
        return true;
    });
    return loops;
}

} // namespace

struct Emitter::Owned {
    explicit Owned(llvm::Module &unit) : builder(unit.getContext()), debug(unit) {}
    llvm::IRBuilder<> builder;
    llvm::DIBuilder debug;
    llvm::DIFile *file = nullptr;
    llvm::DISubroutineType *functionType = nullptr;
};

Emitter::Emitter(llvm::Module &unit, const Machine &machine, bool reassociate)
    : m_owned(std::make_unique<Owned>(unit))
    , m_unit(unit)
    , m_builder(m_owned->builder)
    , m_machine(machine)
    , m_reassociate(reassociate)
{
    unit.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    llvm::DIBuilder &debug = m_owned->debug;
    m_owned->file = debug.createFile("loops", "/");
    debug.createCompileUnit(llvm::dwarf::DW_LANG_C11, m_owned->file, "nestwright", true, "", 0, "",
                            llvm::DICompileUnit::DebugDirectivesOnly);
    m_owned->functionType = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
}

Emitter::~Emitter() = default;

void Emitter::finish() { m_owned->debug.finalize(); }

llvm::Function *Emitter::makeFunction(const std::string &name, llvm::Type *result,
                                      const std::vector<llvm::Type *> &parameters, bool isPublic)
{
    auto *type = llvm::FunctionType::get(result, parameters, false);
    const auto linkage = isPublic ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
    auto *function = llvm::Function::Create(type, linkage, name, m_unit);
    function->setDoesNotThrow();
    function->addFnAttr("target-cpu", m_machine.cpu);
    function->addFnAttr("target-features", m_machine.features);
    if (m_machine.vectorBits > 128)
        function->addFnAttr("prefer-vector-width", std::to_string(m_machine.vectorBits));
    if (m_isFast) // the processor's estimates, refined, make NaN of 1 / 0 and of 1 / infinity
        function->addFnAttr("reciprocal-estimates", "none");
    llvm::DIBuilder &debug = m_owned->debug;
    function->setSubprogram(debug.createFunction(m_owned->file, name, name, m_owned->file, 0,
                                                 m_owned->functionType, 0, llvm::DINode::FlagPrototyped,
                                                 llvm::DISubprogram::SPFlagDefinition));
    return function;
}

/// Products and sums are always rounded once. Real arithmetic is all that LLVM's flags allow but "nnan" and
/// "ninf": NaN and infinities of the arguments stay what they are.
void Emitter::setArithmetic(const ir::PrimFunc &function)
{
    m_isFast = ir::allowsFastMath(function);
    m_takesGiven = ir::numberAt(function.attrs, ir::givenMemoryKey) != 0;
    m_keepsLoops = m_takesGiven && loopsOf(function) > mostUnrolledLoops;
    llvm::FastMathFlags flags;
    flags.setAllowContract(true);
    flags.setAllowReassoc(m_reassociate || m_isFast);
    flags.setAllowReciprocal(m_isFast);
    flags.setNoSignedZeros(m_isFast);
    flags.setApproxFunc(m_isFast);
    m_builder.setFastMathFlags(flags);
}

void Emitter::beginFrame(llvm::Function *function)
{
    m_frame = Frame{};
    m_frame.reassociates = m_isFast;
    m_frame.function = function;
    m_frame.scope = function->getSubprogram();
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_builder.getContext(), "entry", function));
    setLocation(m_location);
    m_frame.errorSlot = m_builder.CreateAlloca(m_builder.getInt32Ty(), nullptr, "error");
    m_builder.CreateStore(m_builder.getInt32(0), m_frame.errorSlot);
}

void Emitter::endFrame()
{
    m_builder.CreateRet(m_builder.CreateLoad(m_builder.getInt32Ty(), m_frame.errorSlot));
}

void Emitter::setLocation(ir::StmtId id)
{
    m_location = id;
    m_builder.SetCurrentDebugLocation(
        llvm::DILocation::get(m_builder.getContext(), id.value, 0, m_frame.scope));
}

void Emitter::bindScalar(const ir::Var &var, Value *value)
{
    if (var->dtype.element().isIndex())
        m_frame.wide[var] = m_builder.CreateSExt(value, m_builder.getInt64Ty());
    m_frame.values[var] = var->dtype.isBool() ? m_builder.CreateICmpNE(value, m_builder.getInt8(0)) : value;
}

void Emitter::bindParameters(const ir::PrimFunc &function, const Signature &signature)
{
    for (unsigned i = 0; i < signature.arguments.size(); ++i) {
        llvm::Argument *argument = m_frame.function->getArg(i);
        argument->setName(signature.arguments[i].name);
        if (i < function.params.size()) {
            const ir::Param &param = function.params[i];
            if (param.buffer) {
                if (ir::isNoAlias(function, i))
                    argument->addAttr(llvm::Attribute::NoAlias);
                m_frame.values[param.buffer->data] = argument;
                m_frame.values[param.var] = argument;
                continue;
            }
        }
        bindScalar(signature.variables[i], argument);
    }
}

void Emitter::function(const ir::Module::Entry &entry, const Signature &signature)
{
    m_symbol = symbolOf(entry);
    m_parallelCount = 0;
    m_noalias = ir::isNoAlias(*entry.function);
    setArithmetic(*entry.function);
    std::vector<llvm::Type *> types;
    for (const Argument &argument : signature.arguments) {
        const bool isPointer = argument.kind == Argument::Kind::Buffer || argument.dtype.isHandle();
        types.push_back(isPointer ? llvm::PointerType::getUnqual(m_builder.getContext())
                                  : memoryType(argument.dtype));
    }
    llvm::Function *natural = makeFunction(m_symbol, m_builder.getInt32Ty(), types, true);
    m_location = {};
    beginFrame(natural);
    bindParameters(*entry.function, signature);
    stmt(entry.function->body);
    endFrame();
    packedFunction(m_symbol, natural, signature.arguments);
}

/// The addresses of the arguments. A null pointer among them, or for them, ends the function with its code.
std::vector<Value *> Emitter::argumentPlaces(llvm::Function *packed, std::size_t count)
{
    std::vector<Value *> places;
    if (count == 0)
        return places;
    auto *pointer = llvm::PointerType::getUnqual(m_builder.getContext());
    const auto block = [&](const char *name) {
        return llvm::BasicBlock::Create(m_builder.getContext(), name, packed);
    };
    llvm::BasicBlock *slots = block("slots"), *call = block("call"), *refused = block("refused");
    m_builder.CreateCondBr(m_builder.CreateIsNull(packed->getArg(0)), refused, slots);
    m_builder.SetInsertPoint(refused);
    m_builder.CreateRet(m_builder.getInt32(static_cast<std::uint32_t>(KernelCode::NullArgument)));
    m_builder.SetInsertPoint(slots);
    Value *isNull = m_builder.getFalse();
    for (unsigned i = 0; i < count; ++i) {
        Value *slot = m_builder.CreateConstInBoundsGEP1_64(pointer, packed->getArg(0), i);
        places.push_back(m_builder.CreateLoad(pointer, slot));
        isNull = m_builder.CreateOr(isNull, m_builder.CreateIsNull(places.back()));
    }
    m_builder.CreateCondBr(isNull, refused, call);
    m_builder.SetInsertPoint(call);
    return places;
}

void Emitter::packedFunction(const std::string &symbol, llvm::Function *natural,
                             const std::vector<Argument> &arguments)
{
    auto *pointer = llvm::PointerType::getUnqual(m_builder.getContext());
    llvm::Function *packed = makeFunction(symbol + "__packed", m_builder.getInt32Ty(), {pointer}, true);
    packed->addFnAttr(llvm::Attribute::NoInline);
    m_location = {};
    m_frame = Frame{};
    m_frame.scope = packed->getSubprogram();
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_builder.getContext(), "entry", packed));
    setLocation({});
    const std::vector<Value *> places = argumentPlaces(packed, arguments.size());
    std::vector<Value *> values;
    for (unsigned i = 0; i < arguments.size(); ++i) {
        Value *place = places[i];
        const bool isScalar = arguments[i].kind != Argument::Kind::Buffer && !arguments[i].dtype.isHandle();
        values.push_back(isScalar ? m_builder.CreateLoad(natural->getArg(i)->getType(), place) : place);
    }
    llvm::CallInst *result = m_builder.CreateCall(natural, values);
    result->setIsNoInline(); // one copy of the kernel is enough to read
    m_builder.CreateRet(result);
}

} // namespace nestwright::backend
