// SPDX-License-Identifier: Apache-2.0
// Nests that sum up products of matrices, in the processor's tile registers (Intel AMX).
#include "core/analysis/kernel/tile_product.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/machine.h"
#include "core/ir/node/attributes.h"

#include <array>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::backend {

using analysis::TileOperand;
using analysis::TileProduct;
using analysis::TileSteps;
using llvm::BasicBlock;
using llvm::Value;

namespace {

void setForm(TileForms &forms, std::int64_t tile, std::int64_t rows, std::int64_t rowBytes)
{
    constexpr std::size_t firstWidth = 16, firstHeight = 48;
    const auto number = static_cast<std::size_t>(tile);
    forms[firstWidth + 2 * number] = static_cast<std::uint8_t>(rowBytes); // of two bytes; 64 at most
    forms[firstHeight + number] = static_cast<std::uint8_t>(rows);
}

/// The numbers of the registers of a block: those of C, then those of A, then those of B.
class TileNumbers {
public:
    explicit TileNumbers(const TileProduct &product)
        : m_rows(product.rowTiles.extent)
        , m_columns(product.columnTiles.extent)
    {
    }
    std::int64_t c(std::int64_t row, std::int64_t column) const { return row * m_columns + column; }
    std::int64_t a(std::int64_t row) const { return m_rows * m_columns + row; }
    std::int64_t b(std::int64_t column) const { return m_rows * m_columns + m_rows + column; }

private:
    std::int64_t m_rows, m_columns;
};

constexpr std::int64_t wordBytes = 4;

TileForms formsOf(const TileProduct &product)
{
    TileForms forms{1}; // the only palette that there is
    const TileNumbers number(product);
    for (std::int64_t row = 0; row < product.rowTiles.extent; ++row) {
        setForm(forms, number.a(row), product.rows, product.words * wordBytes);
        for (std::int64_t column = 0; column < product.columnTiles.extent; ++column)
            setForm(forms, number.c(row, column), product.rows, product.columns * wordBytes);
    }
    for (std::int64_t column = 0; column < product.columnTiles.extent; ++column)
        setForm(forms, number.b(column), product.words, product.columns * wordBytes);
    return forms;
}

void setForms(llvm::IRBuilderBase &builder, llvm::Module &unit, const TileForms &forms)
{
    auto *image = llvm::ConstantDataArray::get(unit.getContext(), llvm::ArrayRef(forms));
    auto *memory = new llvm::GlobalVariable(unit, image->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                            image, "tile.forms");
    memory->setAlignment(llvm::Align(sizeof(TileForms)));
    memory->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    builder.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {}, {memory});
}

/// The instruction that adds the product of two tiles to a third, and the feature that it is of.
struct TileInstruction {
    llvm::Intrinsic::ID id;
    const char *features;
};

TileInstruction instructionFor(const TileProduct &product)
{
    if (product.a.buffer.dtype() == ir::DataType::bfloat16())
        return {llvm::Intrinsic::x86_tdpbf16ps, "+amx-tile,+amx-bf16"};
    const bool isSignedA = product.a.buffer.dtype().isInt(), isSignedB = product.b.buffer.dtype().isInt();
    return {isSignedA ? (isSignedB ? llvm::Intrinsic::x86_tdpbssd : llvm::Intrinsic::x86_tdpbsud)
                      : (isSignedB ? llvm::Intrinsic::x86_tdpbusd : llvm::Intrinsic::x86_tdpbuud),
            "+amx-tile,+amx-int8"};
}

/// The sums that the product is added to.
enum class Begin : std::uint8_t { AsInMemory, AtZero };

/// How far the loops have come in A, B and C, in elements.
using Places = std::array<Value *, 3>;

/// Emits a product between the forms of the registers being set and their release.
class TileLoops {
public:
    using Address = std::function<Value *(const ir::Buffer &buffer, Value *index)>;

    TileLoops(llvm::IRBuilderBase &builder, const TileProduct &product, const Places &first, Address address)
        : m_builder(builder)
        , m_product(product)
        , m_first(first)
        , m_address(std::move(address))
        , m_number(product)
    {
    }

    void emit(Begin begin)
    {
        loops(m_product.outer, 0, m_first, [&](const Places &block) {
            if (begin == Begin::AtZero)
                clear();
            else
                eachOfC(block, llvm::Intrinsic::x86_tileloadd64);
            loops(m_product.inner, 0, block, [&](const Places &terms) { products(terms); });
            eachOfC(block, llvm::Intrinsic::x86_tilestored64);
        });
    }

private:
    using Body = std::function<void(const Places &places)>;

    Places moved(const Places &places, const TileSteps &loop, Value *count)
    {
        Places result = places;
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (loop.steps[i] != 0)
                result[i] = m_builder.CreateNSWAdd(
                    places[i], m_builder.CreateNSWMul(count, m_builder.getInt64(loop.steps[i])));
        }
        return result;
    }

    Places moved(const Places &places, const TileSteps &loop, std::int64_t count)
    {
        return moved(places, loop, m_builder.getInt64(static_cast<std::uint64_t>(count)));
    }

    void loops(const std::vector<TileSteps> &list, std::size_t from, const Places &places, const Body &body)
    {
        if (from == list.size())
            return body(places);
        llvm::Function *function = m_builder.GetInsertBlock()->getParent();
        BasicBlock *before = m_builder.GetInsertBlock();
        auto *block = BasicBlock::Create(m_builder.getContext(), "tiles", function);
        auto *after = BasicBlock::Create(m_builder.getContext(), "end.tiles", function);
        m_builder.CreateBr(block);
        m_builder.SetInsertPoint(block);
        llvm::PHINode *counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2);
        counter->addIncoming(m_builder.getInt64(0), before);
        loops(list, from + 1, moved(places, list[from], counter), body);
        Value *next = m_builder.CreateAdd(counter, m_builder.getInt64(1), "", true, true);
        counter->addIncoming(next, m_builder.GetInsertBlock());
        auto *extent = m_builder.getInt64(static_cast<std::uint64_t>(list[from].extent));
        m_builder.CreateCondBr(m_builder.CreateICmpSLT(next, extent), block, after);
        m_builder.SetInsertPoint(after);
    }

    /// Loads or stores the tile of that number.
    void move(llvm::Intrinsic::ID id, std::int64_t number, const analysis::TiledMatrix &matrix, Value *place)
    {
        const std::int64_t bytes = matrix.rowStep * matrix.buffer.dtype().bytes();
        m_builder.CreateIntrinsic(id, {},
                                  {tile(number), m_address(matrix.buffer, place), m_builder.getInt64(bytes)});
    }

    void eachOfC(const Places &block, llvm::Intrinsic::ID id)
    {
        for (std::int64_t row = 0; row < m_product.rowTiles.extent; ++row) {
            for (std::int64_t column = 0; column < m_product.columnTiles.extent; ++column) {
                const Places place =
                    moved(moved(block, m_product.rowTiles, row), m_product.columnTiles, column);
                move(id, m_number.c(row, column), m_product.c, of(place, TileOperand::C));
            }
        }
    }

    void clear()
    {
        for (std::int64_t number = 0; number < m_number.a(0); ++number)
            m_builder.CreateIntrinsic(llvm::Intrinsic::x86_tilezero, {}, {tile(number)});
    }

    /// Each tile is loaded before its first product, so that products of the others hide the time.
    void products(const Places &terms)
    {
        const llvm::Intrinsic::ID multiply = instructionFor(m_product).id;
        for (std::int64_t row = 0; row < m_product.rowTiles.extent; ++row) {
            move(llvm::Intrinsic::x86_tileloadd64, m_number.a(row), m_product.a,
                 of(moved(terms, m_product.rowTiles, row), TileOperand::A));
            for (std::int64_t column = 0; column < m_product.columnTiles.extent; ++column) {
                if (row == 0)
                    move(llvm::Intrinsic::x86_tileloadd64, m_number.b(column), m_product.b,
                         of(moved(terms, m_product.columnTiles, column), TileOperand::B));
                m_builder.CreateIntrinsic(
                    multiply, {},
                    {tile(m_number.c(row, column)), tile(m_number.a(row)), tile(m_number.b(column))});
            }
        }
    }

    static Value *of(const Places &places, TileOperand operand)
    {
        return places[static_cast<std::size_t>(operand)];
    }
    Value *tile(std::int64_t number) { return m_builder.getInt8(static_cast<std::uint8_t>(number)); }

    llvm::IRBuilderBase &m_builder;
    const TileProduct &m_product;
    Places m_first;
    Address m_address;
    TileNumbers m_number;
};

} // namespace

/// The product that a nest computes, where the processor has the instructions for it.
std::optional<TileProduct> Emitter::tileProduct(const ir::Stmt &nest) const
{
    const auto *node = nest.as<ir::For>();
    const llvm::TargetMachine &machine = *m_machine.machine;
    if (!node || ir::numberAt(node->annotations, ir::tileKey) == 0 || m_isKernel || !m_noalias
        || machine.getTargetTriple().getArch() != llvm::Triple::x86_64)
        return {};
    auto product = analysis::tileProductOf(nest);
    if (!product || !machine.getMCSubtargetInfo()->checkFeatures(instructionFor(*product).features))
        return {};
    return product;
}

bool Emitter::isCleared(const ir::Stmt &before, const ir::Stmt &nest) const
{
    const auto product = tileProduct(nest);
    return product && analysis::clearsResult(before, *product);
}

std::optional<TileForms> Emitter::formsWithin(const ir::Stmt &s) const
{
    if (const auto *loop = s.as<ir::For>()) {
        if (const auto product = tileProduct(s))
            return formsOf(*product);
        const bool isOutlined = loop->forKind == ir::ForKind::Parallel && !m_frame.inParallel;
        return isOutlined ? std::nullopt : formsWithin(loop->body); // threads have registers of their own
    }
    if (const auto *mark = s.as<ir::AttrStmt>())
        return formsWithin(mark->body);
    if (const auto *let = s.as<ir::LetStmt>())
        return formsWithin(let->body);
    const auto *parts = s.as<ir::Seq>();
    std::optional<TileForms> common;
    for (std::size_t i = 0; parts && i < parts->stmts.size(); ++i) {
        if (i + 1 < parts->stmts.size() && isCleared(parts->stmts[i], parts->stmts[i + 1]))
            continue;
        const auto forms = formsWithin(parts->stmts[i]);
        if (!forms || (common && *common != *forms))
            return {};
        common = forms;
    }
    return common;
}

/// Setting the forms takes as long as some ten products.
void Emitter::withTiles(const TileForms &forms, const std::function<void()> &body)
{
    llvm::LLVMContext &context = m_builder.getContext();
    auto *tiles = BasicBlock::Create(context, "tiles", m_frame.function);
    auto *plain = BasicBlock::Create(context, "plain", m_frame.function);
    auto *join = BasicBlock::Create(context, "join", m_frame.function);
    auto ask = m_unit.getOrInsertFunction("nestwright_has_tiles", m_builder.getInt32Ty());
    auto *asked = llvm::cast<llvm::Function>(ask.getCallee());
    asked->setDoesNotThrow();
    asked->setOnlyAccessesInaccessibleMemory();
    m_builder.CreateCondBr(m_builder.CreateIsNotNull(m_builder.CreateCall(ask)), tiles, plain,
                           llvm::MDBuilder(context).createBranchWeights(1000, 1));
    m_builder.SetInsertPoint(tiles);
    setForms(m_builder, m_unit, forms);
    m_frame.tiles = Tiles::Ready;
    body();
    m_builder.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {}, {});
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(plain);
    m_frame.tiles = Tiles::Absent;
    body();
    m_frame.tiles = Tiles::Unasked;
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
}

bool Emitter::productOfTiles(const ir::Stmt &nest, const ir::Stmt &before)
{
    const auto product = tileProduct(nest);
    if (!product || m_frame.tiles == Tiles::Absent)
        return false;
    const auto emit = [&] {
        const Places first{index(product->a.first), index(product->b.first), index(product->c.first)};
        TileLoops(m_builder, *product, first, [&](const ir::Buffer &buffer, Value *place) {
            return address(buffer, place);
        }).emit(before ? Begin::AtZero : Begin::AsInMemory);
    };
    if (m_frame.tiles == Tiles::Ready) {
        emit();
        return true;
    }
    withTiles(formsOf(*product), [&] {
        if (m_frame.tiles == Tiles::Ready)
            return emit();
        if (before)
            stmt(before);
        stmt(nest);
    });
    return true;
}

bool Emitter::clearedProduct(const ir::Stmt &before, const ir::Stmt &nest)
{
    if (!isCleared(before, nest))
        return false;
    const ir::StmtId outer = m_location, own = nest.as<ir::For>()->id;
    setLocation(own ? own : outer);
    const bool isDone = productOfTiles(nest, before);
    setLocation(outer);
    return isDone;
}

} // namespace nestwright::backend
