// SPDX-License-Identifier: Apache-2.0
/// Flat programs to LLVM IR, one statement and expression at a time.
#pragma once

#include "core/analysis/device/shared_layout.h"
#include "core/backend/link/artifact.h"
#include "core/backend/llvm/isa/tile_unit.h"
#include "core/ir/node/function.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class AllocaInst;
class BasicBlock;
class DISubprogram;
class Function;
class GlobalVariable;
class IRBuilderBase;
class Module;
class Type;
class Value;
} // namespace llvm

namespace nestwright::backend {

struct Machine;

/// Emits the functions of a flat module into an LLVM module ("unit"). Throws support::UserError
/// "backend.unsupported" for constructs without a meaning on a processor.
///
/// Conventions: loop variables and index arithmetic are 64 bits wide whatever their type, so that addresses
/// need no sign extensions. Bool is i1 as a value and one byte in memory. Errors found while running are put
/// into a slot that the function returns at its end, so that no statement needs a second way out.
class Emitter {
public:
    Emitter(llvm::Module &unit, const Machine &machine, bool reassociate);
    ~Emitter();

    /// The natural and the packed function of one entry.
    void function(const ir::Module::Entry &entry, const Signature &signature);
    /// A kernel of a GPU, which split-host-device left; for a machine of NVPTX.
    void kernel(const ir::Module::Entry &entry);
    /// Call once when all functions are there.
    void finish();

private:
    /// Whether tile registers may be used here: asked when the kernel runs.
    enum class Tiles : std::uint8_t { Unasked, Ready, Absent };

    /// The state of the LLVM function being filled; saved and replaced while the body of a parallel loop is
    /// outlined.
    struct Frame {
        llvm::Function *function = nullptr;
        llvm::AllocaInst *errorSlot = nullptr;
        llvm::DISubprogram *scope = nullptr;
        ir::VarMap<llvm::Value *> values; ///< in the type of the variable; pointers for handles
        ir::VarMap<llvm::Value *> wide;   ///< integer variables as i64
        llvm::Value *lanes = nullptr; ///< those of a vector for which the expression is computed; null: all
        std::uint64_t stackBytes = 0;
        bool inParallel = false;
        Tiles tiles = Tiles::Unasked;
        bool reassociates = false;        ///< within a loop that is annotated so
        std::vector<ir::Buffer> streamed; ///< stored past the caches: they begin at lines of memory
    };

    // function.cpp
    llvm::Function *makeFunction(const std::string &name, llvm::Type *result,
                                 const std::vector<llvm::Type *> &parameters, bool isPublic);
    void beginFrame(llvm::Function *function);
    void endFrame();
    std::vector<llvm::Value *> argumentPlaces(llvm::Function *packed, std::size_t count);
    void packedFunction(const std::string &symbol, llvm::Function *natural,
                        const std::vector<Argument> &arguments);
    void bindScalar(const ir::Var &var, llvm::Value *value);
    void bindParameters(const ir::PrimFunc &function, const Signature &signature);
    void setArithmetic(const ir::PrimFunc &function);
    void setLocation(ir::StmtId id);

    // kernel.cpp
    void kernel(const std::string &name, const ir::PrimFunc &function, bool tellsErrors);
    void storeError(llvm::Value *place);
    void annotate(llvm::Function *kernel, const ir::Stmt &body);
    void threadLoop(const ir::For &node);
    void makeSharedPiece(const ir::Stmt &kernel);
    void kernelMemory(const ir::Allocate &node);
    bool isUnrolledInKernel(const ir::For &node) const;
    llvm::Value *exchanged(const ir::Call &node, unsigned exchange, llvm::Value *clamp);
    llvm::Value *ofKernel(const ir::Call &node);

    // types.cpp
    llvm::Type *valueType(ir::DataType type);
    llvm::Type *memoryType(ir::DataType type); ///< of one lane
    llvm::Value *convert(llvm::Value *value, ir::DataType from, ir::DataType to);
    llvm::Value *toInteger(llvm::Value *value, ir::DataType from, ir::DataType to);
    llvm::Value *splat(llvm::Value *value, int lanes);

    // streaming.cpp
    void streamedLoop(const ir::For &node, llvm::Value *begin, llvm::Value *end);
    void storeLine(llvm::Value *lanes, llvm::Value *place);

    // tiles.cpp
    std::optional<analysis::TileProduct> tileProduct(const ir::Stmt &nest) const;
    bool isCleared(const ir::Stmt &before, const ir::Stmt &nest) const;
    /// The forms that all products within a statement have which does nothing else.
    std::optional<TileForms> formsWithin(const ir::Stmt &s) const;
    /// Emits `body` twice: with registers of these forms, and for processes that get none.
    void withTiles(const TileForms &forms, const std::function<void()> &body);
    /// Whether it emits the nest for tile registers, which its annotation allows; nothing is emitted else.
    /// A statement `before`, if any, clears the result, which then starts as 0 in the registers.
    bool productOfTiles(const ir::Stmt &nest, const ir::Stmt &before = {});
    bool clearedProduct(const ir::Stmt &before, const ir::Stmt &nest);

    // statements.cpp
    void stmt(const ir::Stmt &s);
    void sequence(const ir::Seq &node);
    std::int64_t registerBytes() const;
    void loop(const ir::For &node);
    /// The iterations from `begin` to `end`, in whatever way they store.
    void iterations(const ir::For &node, llvm::Value *begin, llvm::Value *end);
    void loopBody(const ir::For &node, llvm::Value *begin, llvm::Value *end);
    void branch(const ir::IfThenElse &node);
    void whileLoop(const ir::While &node);
    void assertion(const ir::AssertStmt &node);
    void allocate(const ir::Allocate &node);
    void marked(const ir::AttrStmt &node);
    void withVar(ir::VarMap<llvm::Value *> &bound, const ir::Var &var, llvm::Value *value,
                 const std::function<void()> &body);
    void recordError(llvm::Value *code);
    void guarded(llvm::Value *condition, int code, const ir::Stmt &body);

    // parallel.cpp
    void parallelLoop(const ir::For &node);
    std::vector<ir::Var> captures(const ir::For &node) const;
    llvm::Function *outlinedBody(const ir::For &node, const std::vector<ir::Var> &captured);
    llvm::Function *outlinedEntry(llvm::Function *body, const std::vector<ir::Var> &captured,
                                  llvm::Type *context);

    // expressions.cpp
    llvm::Value *value(const ir::Expr &e);
    llvm::Value *index(const ir::Expr &e); ///< an integer, scalar or vector, in 64 bits
    llvm::Value *indexBinary(const ir::Binary &node);
    llvm::Value *variable(const ir::Expr &e);
    llvm::Value *binary(const ir::Binary &node);
    llvm::Value *reassociated(const ir::BufferStore &node);
    llvm::Value *comparison(ir::BinaryOp op, ir::DataType type, llvm::Value *a, llvm::Value *b);
    llvm::Value *logical(const ir::Binary &node);
    llvm::Value *underLanes(llvm::Value *lanes, const ir::Expr &e);
    llvm::Value *runningLanes(int lanes);
    llvm::Value *choose(const ir::Expr &condition, const ir::Expr &whenTrue, const ir::Expr &whenFalse,
                        bool lazily);
    llvm::Value *ramp(const ir::Ramp &node, llvm::Value *base, llvm::Value *stride);

    // division.cpp
    llvm::Value *divide(ir::BinaryOp op, llvm::Value *a, llvm::Value *b, bool isSigned);
    llvm::Value *checkedDivisor(llvm::Value *divisor, bool isSigned);

    // memory.cpp
    llvm::Value *address(const ir::Buffer &buffer, llvm::Value *index);
    llvm::Value *load(const ir::BufferLoad &node);
    void store(const ir::BufferStore &node);
    llvm::Value *loadLanes(const ir::Buffer &buffer, const ir::Expr &index, llvm::Value *mask);
    void storeLanes(const ir::Buffer &buffer, const ir::Expr &index, llvm::Value *lanes, llvm::Value *mask);

    // processor_calls.cpp
    llvm::Value *ofProcessor(const ir::Call &node);

    // calls.cpp, math.cpp
    llvm::Value *call(const ir::Call &node);
    llvm::Value *externCall(const ir::Call &node);
    llvm::Value *bitwise(const ir::Call &node);
    llvm::Value *shift(const ir::Call &node);
    llvm::Value *floatTest(const ir::Call &node);
    llvm::Value *math(const ir::Call &node);
    llvm::Value *libraryCall(const ir::Intrinsic &intrinsic, ir::DataType type,
                             const std::vector<llvm::Value *> &args);

    struct Owned;
    std::unique_ptr<Owned> m_owned;
    llvm::Module &m_unit;
    llvm::IRBuilderBase &m_builder;
    const Machine &m_machine;
    Frame m_frame;
    bool m_noalias = true;
    bool m_reassociate = false;                    ///< the target allows it everywhere
    bool m_isFast = false;                         ///< the function's arithmetic is that of real numbers
    bool m_takesGiven = false;                     ///< all of the function's memory is given at run time
    bool m_keepsLoops = false;                     ///< none is unrolled
    analysis::SharedLayout m_sharedLayout;         ///< of the kernel
    llvm::GlobalVariable *m_sharedPiece = nullptr; ///< that its shared arrays lie in
    bool m_isKernel = false;                       ///< what is emitted runs on a GPU
    bool m_recordsError = false;                   ///< it may
    ir::StmtId m_location;
    int m_parallelCount = 0;
    std::string m_symbol;
};

/// Whether a store of a vector at `index` fills whole lines of memory where the buffer begins at one.
bool fillsLines(const ir::Buffer &buffer, const ir::Expr &index);

/// Throws "backend.unsupported": "`what` cannot be compiled for a processor".
[[noreturn]] void unsupported(const std::string &what);

} // namespace nestwright::backend
