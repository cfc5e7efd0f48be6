// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/isa/x86_tiles.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
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

/// Layout that LDTILECFG reads: a palette, row lengths of the registers from byte 16, row counts from byte
/// 48.
constexpr std::size_t formBytes = 64;

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

TileForms formsOfTiles(const TileProduct &product)
{
    TileForms forms(formBytes);
    forms.front() = 1; // the only palette that there is
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

void setTileForms(llvm::IRBuilderBase &builder, llvm::Module &unit, const TileForms &forms)
{
    auto *image = llvm::ConstantDataArray::get(unit.getContext(), llvm::ArrayRef(forms));
    auto *memory = new llvm::GlobalVariable(unit, image->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                            image, "tile.forms");
    memory->setAlignment(llvm::Align(formBytes));
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

using Places = TilePlaces;

/// Emits a product between the forms of the registers being set and their release.
class TileLoops {
public:
    TileLoops(llvm::IRBuilderBase &builder, const TileProduct &product, const Places &first,
              TileUnit::Address address)
        : m_builder(builder)
        , m_product(product)
        , m_first(first)
        , m_address(std::move(address))
        , m_number(product)
    {
    }

    void emit(TileBegin begin)
    {
        loops(m_product.outer, 0, m_first, [&](const Places &block) {
            if (begin == TileBegin::AtZero)
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
    TileUnit::Address m_address;
    TileNumbers m_number;
};

class X86Tiles final : public TileUnit {
public:
    bool has(const llvm::TargetMachine &machine, const TileProduct &product) const override
    {
        return machine.getTargetTriple().getArch() == llvm::Triple::x86_64
               && machine.getMCSubtargetInfo()->checkFeatures(instructionFor(product).features);
    }
    const char *question() const override { return "nestwright_has_tiles"; }
    TileForms formsOf(const TileProduct &product) const override { return formsOfTiles(product); }
    void setForms(llvm::IRBuilderBase &builder, llvm::Module &unit, const TileForms &forms) const override
    {
        setTileForms(builder, unit, forms);
    }
    void product(llvm::IRBuilderBase &builder, const TileProduct &product, const TilePlaces &first,
                 TileBegin begin, const Address &address) const override
    {
        TileLoops(builder, product, first, address).emit(begin);
    }
    void release(llvm::IRBuilderBase &builder) const override
    {
        builder.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {}, {});
    }
};

} // namespace

const TileUnit &x86Tiles()
{
    static const X86Tiles unit;
    return unit;
}

} // namespace nestwright::backend
