// SPDX-License-Identifier: Apache-2.0
// Tiles of matrices that a warp loads: their shapes in memory, and which lane holds which element.
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/intrin/tensor_intrin.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace nestwright;

namespace {

using Shape = std::pair<std::int64_t, std::int64_t>;

Shape shapeOf(const ir::Function &function, std::string_view buffer)
{
    const auto found = std::ranges::find_if(
        function->params, [&](const ir::Param &param) { return param.buffer.name() == buffer; });
    const std::vector<ir::Expr> &shape = found->buffer.shape();
    return {*ir::asInt(shape.at(0)), *ir::asInt(shape.at(1))};
}

/// The block that copies one element.
const ir::Block *copyingBlock(const ir::Function &function)
{
    const ir::Block *block = nullptr;
    ir::forEachStmt(function->body, [&](const ir::Stmt &s) {
        if (const auto *inner = s.as<ir::Block>(); inner && inner->iterVars.size() == 2)
            block = inner;
        return true;
    });
    return block;
}

} // namespace

class MatrixTilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The instruction adds up 16 products of halves or 32 of bytes, so that A is 16 rows of as many
    /// elements; B is as many rows of 16, transposed the other way round.
    void loads_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        const auto row = [](const std::string &name, int rows, int columns) {
            QTest::newRow(("mma_ldmatrix_" + name).c_str()) << rows << columns;
        };
        for (const char *name :
             {"f16_a", "f16_a_trans", "f16_b", "f16_b_trans", "f16_a_dyn", "f16_a_trans_dyn", "f16_b_dyn",
              "f16_b_trans_dyn", "bf16_a", "bf16_a_trans", "bf16_b", "bf16_b_trans"})
            row(name, 16, 16);
        for (const std::string type : {"i8", "e4m3", "e5m2"}) {
            row(type + "_a", 16, 32);
            row(type + "_b", 32, 16);
            row(type + "_b_trans", 16, 32);
        }
    }
    void loads()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        const schedule::TensorIntrin *intrin = schedule::findStandardIntrin(QTest::currentDataTag());
        QVERIFY(intrin);
        const Shape warp(32, rows * columns / 32);
        for (const ir::Function &function : {intrin->description, intrin->implementation}) {
            QCOMPARE(shapeOf(function, "shared"), Shape(rows, columns));
            QCOMPARE(shapeOf(function, "warp"), warp);
        }
        // Each element has a place of its own.
        const ir::Block *block = copyingBlock(intrin->description);
        const auto *store = block ? block->body.as<ir::BufferStore>() : nullptr;
        QVERIFY(store && store->indices.size() == 2);
        std::set<Shape> places;
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                const auto valueOf = [&](const ir::Expr &index) {
                    return *ir::asInt(
                        arith::simplify(ir::substitute(index, {{block->iterVars[0].var, ir::Expr(r)},
                                                               {block->iterVars[1].var, ir::Expr(c)}})));
                };
                const Shape place(valueOf(store->indices[0]), valueOf(store->indices[1]));
                QVERIFY(place.first >= 0 && place.first < warp.first);
                QVERIFY(place.second >= 0 && place.second < warp.second);
                places.insert(place);
            }
        }
        QCOMPARE(int(places.size()), rows * columns);
    }
};

QTEST_APPLESS_MAIN(MatrixTilesTest)
#include "matrix_tiles_test.moc"
