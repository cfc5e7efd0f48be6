// SPDX-License-Identifier: Apache-2.0
/// The default schedule of sums over windows of few terms: the stage that pads stands in the loop over rows
/// of results, for some of them at a time.
#include "core/graph/strategy/strategy.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/script/print/printer.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// A depthwise convolution of 4 channels in blocks of 16, windows of `size`, padded so that with stride 1 the
/// image keeps its size; `channels`: terms more than that of a window.
std::string depthwise(int rows, int columns, int size, int stride, int channels = 1)
{
    const int before = size / 2, paddedRows = rows + 2 * before, paddedColumns = columns + 2 * before;
    const int outRows = (paddedRows - size) / stride + 1, outColumns = (paddedColumns - size) / stride + 1;
    return std::format(R"(
@T.prim_func
def main(X: T.Buffer((1, 4, {0}, {1}, 16), "float32"),
         W: T.Buffer((4, {2}, {2}, {8}, 16), "float32"),
         Y: T.Buffer((1, 4, {6}, {7}, 16), "float32")):
    P = T.alloc_buffer((1, 4, {4}, {5}, 16))
    C = T.alloc_buffer((1, 4, {6}, {7}, 16))
    for n, c, h, w, b in T.grid(1, 4, {4}, {5}, 16):
        with T.block("P"):
            vn, vc, vh, vw, vb = T.axis.remap("SSSSS", [n, c, h, w, b])
            P[vn, vc, vh, vw, vb] = T.if_then_else(
                {3} <= vh and vh < {0} + {3} and {3} <= vw and vw < {1} + {3},
                X[vn, vc, vh - {3}, vw - {3}, vb], T.float32(0))
    for n, c, h, w, b, r, s, k in T.grid(1, 4, {6}, {7}, 16, {2}, {2}, {8}):
        with T.block("C"):
            vn, vc, vh, vw, vb, vr, vs, vk = T.axis.remap("SSSSSRRR", [n, c, h, w, b, r, s, k])
            with T.init():
                C[vn, vc, vh, vw, vb] = T.float32(0)
            C[vn, vc, vh, vw, vb] = C[vn, vc, vh, vw, vb] + (
                P[vn, vc, vh * {9} + vr, vw * {9} + vs, vb] * W[vc, vr, vs, vk, vb])
    for n, c, h, w, b in T.grid(1, 4, {6}, {7}, 16):
        with T.block("Y"):
            vn, vc, vh, vw, vb = T.axis.remap("SSSSS", [n, c, h, w, b])
            Y[vn, vc, vh, vw, vb] = T.max(C[vn, vc, vh, vw, vb], T.float32(0))
)",
                       rows, columns, size, before, paddedRows, paddedColumns, outRows, outColumns, channels,
                       stride);
}

/// The same with rows of the image side by side in memory, without a stage behind.
std::string inRows(int channels)
{
    return std::format(R"(
@T.prim_func
def main(X: T.Buffer((1, 4, 20, 32), "float32"), W: T.Buffer((4, {0}, 3, 3), "float32"),
         C: T.Buffer((1, 4, 20, 32), "float32")):
    P = T.alloc_buffer((1, 4, 22, 34))
    for n, c, h, w in T.grid(1, 4, 22, 34):
        with T.block("P"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            P[vn, vc, vh, vw] = T.if_then_else(1 <= vh and vh < 21 and 1 <= vw and vw < 33,
                                               X[vn, vc, vh - 1, vw - 1], T.float32(0))
    for n, c, h, w, k, r, s in T.grid(1, 4, 20, 32, {0}, 3, 3):
        with T.block("C"):
            vn, vc, vh, vw, vk, vr, vs = T.axis.remap("SSSSRRR", [n, c, h, w, k, r, s])
            with T.init():
                C[vn, vc, vh, vw] = T.float32(0)
            C[vn, vc, vh, vw] = C[vn, vc, vh, vw] + P[vn, vc, vh + vr, vw + vs] * W[vc, vk, vr, vs]
)",
                       channels);
}

/// A convolution of `channels` blocks of 16 with windows of `size`, to `blocks` blocks of 16 filters.
std::string ofBlocks(int blocks, int size, int channels = 2)
{
    const int before = size / 2, rows = 14 + 2 * before, columns = 28 + 2 * before;
    const std::string padding = std::format(R"(
    P = T.alloc_buffer((1, {3}, {0}, {1}, 16))
    for n, c, h, w, b in T.grid(1, {3}, {0}, {1}, 16):
        with T.block("P"):
            vn, vc, vh, vw, vb = T.axis.remap("SSSSS", [n, c, h, w, b])
            P[vn, vc, vh, vw, vb] = T.if_then_else(
                {2} <= vh and vh < 14 + {2} and {2} <= vw and vw < 28 + {2},
                X[vn, vc, vh - {2}, vw - {2}, vb], T.float32(0))
)",
                                            rows, columns, before, channels);
    return std::format(R"(
@T.prim_func
def main(X: T.Buffer((1, {4}, 14, 28, 16), "float32"), W: T.Buffer(({0}, {4}, {1}, {1}, 16, 16), "float32"),
         C: T.Buffer((1, {0}, 14, 28, 16), "float32")):
{2}
    for n, f, h, w, i, c, r, s, b in T.grid(1, {0}, 14, 28, 16, {4}, {1}, {1}, 16):
        with T.block("C"):
            vn, vf, vh, vw, vi, vc, vr, vs, vb = T.axis.remap("SSSSSRRRR", [n, f, h, w, i, c, r, s, b])
            with T.init():
                C[vn, vf, vh, vw, vi] = T.float32(0)
            C[vn, vf, vh, vw, vi] = (C[vn, vf, vh, vw, vi]
                                     + {3}[vn, vc, vh + vr, vw + vs, vb] * W[vf, vc, vr, vs, vb, vi])
)",
                       blocks, size, size > 1 ? padding : "", size > 1 ? "P" : "X", channels);
}

/// The nests of the default schedule, which computes the same as the program.
int nestsOf(const std::string &text)
{
    const ir::Module module = tests::parsed(text);
    const auto schedule = graph::defaultSchedule(module, target::tunedMachine());
    if (!schedule)
        qFatal("%s", schedule.error().render().c_str());
    const ir::PrimFunc &reference = *module.mainEntry()->function;
    if (const auto wrong = tests::whyNotCompiledRight(reference, schedule->state.module, "llvm", {}))
        qFatal("%s", wrong->c_str());
    const auto *sequence = schedule->state.module.mainEntry()->function->root()->body.as<ir::Seq>();
    return sequence ? static_cast<int>(sequence->stmts.size()) : 1;
}

bool isCopied(const std::string &text)
{
    const auto schedule = graph::defaultSchedule(tests::parsed(text), target::tunedMachine());
    bool found = false;
    ir::forEachStmt(schedule->state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        const auto *block = s.as<ir::Block>();
        found = found || (block && block->name == "P");
        return true;
    });
    return found;
}

/// The value of a variable of the sum in its loops.
std::string place(const std::string &text, std::size_t dimension)
{
    const auto schedule = graph::defaultSchedule(tests::parsed(text), target::tunedMachine());
    std::string found;
    ir::forEachStmt(schedule->state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (const auto *block = s.as<ir::Block>(); block && block->name == "C_update")
            found = script::printExpr(block->iterValues[dimension]);
        return true;
    });
    return found;
}

} // namespace

class WindowRuleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withTheStageBehind()
    {
        QCOMPARE(nestsOf(depthwise(14, 14, 3, 1)), 1);
        QCOMPARE(nestsOf(depthwise(112, 20, 3, 2)), 1);
        QCOMPARE(nestsOf(depthwise(13, 11, 5, 1)), 1); // no whole tiles
        QCOMPARE(nestsOf(depthwise(60, 60, 7, 1)), 1); // several blocks of rows
    }

    /// Where all lanes of a vector are padding, or none, rows are not copied.
    void paddedWhereItIsRead()
    {
        QVERIFY(!isCopied(depthwise(112, 20, 3, 2)));
        QVERIFY(!isCopied(depthwise(7, 7, 5, 1)));
        QVERIFY(!isCopied(depthwise(8, 8, 3, 1, 8)));
        QVERIFY(isCopied(inRows(1)));
        QCOMPARE(nestsOf(inRows(1)), 1);
    }

    /// Vectors of two blocks of filters share what is read of the image; their loop stands next to that of
    /// the vector.
    void blocksOfFiltersBesideEachOther_data()
    {
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("size");
        QTest::addColumn<QString>("extents");
        QTest::newRow("two of four") << 4 << 1 << "14 2 16";
        QTest::newRow("within rows, where borders are asked for") << 4 << 3 << "7 2 16";
        QTest::newRow("none of three") << 3 << 3 << "14 16";
    }
    void blocksOfFiltersBesideEachOther()
    {
        QFETCH(int, blocks);
        QFETCH(int, size);
        QFETCH(QString, extents);
        const std::string text = ofBlocks(blocks, size);
        QVERIFY(nestsOf(text) > 0); // computes the same
        const auto schedule = graph::defaultSchedule(tests::parsed(text), target::tunedMachine());
        QStringList unrolled;
        QString tile;
        ir::forEachStmt(schedule->state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
            const auto *loop = s.as<ir::For>();
            const bool isTile =
                loop && (loop->forKind == ir::ForKind::Unrolled || loop->forKind == ir::ForKind::Vectorized);
            if (const auto *block = s.as<ir::Block>(); block && block->name == "C_update")
                tile = unrolled.join(' ');
            if (isTile)
                unrolled << QString::number(*ir::asInt(loop->extent));
            else
                unrolled.clear();
            return true;
        });
        QCOMPARE(tile, extents);
    }
    /// The loop over filters is the inner one of those that run in parallel where the image is large and the
    /// filters are not. Where both are, some rows of the image are done for all filters: here one, of two
    /// tiles.
    void filtersThatStayInTheCache()
    {
        constexpr std::size_t filter = 1, row = 2;
        const auto isInner = [&](const std::string &text) { return place(text, filter).contains("% 2 * 2"); };
        QVERIFY(isInner(ofBlocks(4, 1, 64)));  // 1.6 MB beside 256 KB
        QVERIFY(!isInner(ofBlocks(4, 1, 16))); // the image stays too
        // 660 KB of filters, 1.3 MB of image
        QVERIFY(place(ofBlocks(12, 1, 54), filter).contains("% 24 // 4 * 2"));
        QVERIFY(place(ofBlocks(12, 1, 54), row).contains("// 24 * 2"));
    }

    /// Of so many terms that the columns of a tile do not stay in the cache close by, some come first for all
    /// tiles of some rows: of 56 blocks of them eight, in windows of nine one of seven.
    void manyTermsInChunks()
    {
        constexpr std::size_t filter = 1, row = 2, channel = 5;
        QCOMPARE(nestsOf(ofBlocks(4, 1, 56)), 1);
        QCOMPARE(nestsOf(ofBlocks(4, 3, 7)), 1);
        QCOMPARE(place(ofBlocks(4, 1, 55), channel), "c");
        QCOMPARE(place(ofBlocks(4, 1, 56), channel), "c_0 * 8 + c_1");
        QCOMPARE(place(ofBlocks(4, 3, 7), channel), "c");
        QVERIFY(place(ofBlocks(4, 1, 56), filter).ends_with("% 2 * 2 + f_1"));
        QVERIFY(place(ofBlocks(4, 1, 56), row).ends_with("// 2 * 2 + h_1"));   // 56 results
        QVERIFY(place(ofBlocks(32, 1, 56), row).ends_with("// 16 * 2 + h_1")); // of 1.4 MB
        QVERIFY(place(ofBlocks(16, 3, 7), row).ends_with("// 8 * 7 + h_1"));   // twice 8 pieces
        QCOMPARE(place(ofBlocks(32, 3, 7), row), "h");
        QVERIFY(!place(ofBlocks(4, 3, 6), row).contains("h_1"));
    }

    /// Where a size is symbolic nothing is known of the caches.
    void anyNumberOfRows()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(x: T.handle, W: T.Buffer((4, 56, 16, 16), "float32"), c: T.handle):
    h = T.int32()
    X = T.match_buffer(x, (1, 56, h, 28, 16))
    C = T.match_buffer(c, (1, 4, h, 28, 16))
    for n, f, y, w, i, k, b in T.grid(1, 4, h, 28, 16, 56, 16):
        with T.block("C"):
            vn, vf, vy, vw, vi, vk, vb = T.axis.remap("SSSSSRR", [n, f, y, w, i, k, b])
            with T.init():
                C[vn, vf, vy, vw, vi] = T.float32(0)
            C[vn, vf, vy, vw, vi] = C[vn, vf, vy, vw, vi] + X[vn, vk, vy, vw, vb] * W[vf, vk, vb, vi]
)");
        QVERIFY(graph::defaultSchedule(module, target::tunedMachine()));
    }

    /// From 1 MB on weights come from memory in each run of a model.
    void weightsAreFetchedAhead()
    {
        const auto isFetched = [](const std::string &text) {
            const auto schedule = graph::defaultSchedule(tests::parsed(text), target::tunedMachine());
            bool found = false;
            ir::forEachStmt(schedule->state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
                const auto *loop = s.as<ir::For>();
                found = found || (loop && ir::attribute(loop->annotations, ir::prefetchKey) != nullptr);
                return true;
            });
            return found;
        };
        QVERIFY(isFetched(ofBlocks(32, 1, 32)));  // tiles of all terms
        QVERIFY(!isFetched(ofBlocks(31, 1, 32))); // 992 KB
        QVERIFY(!isFetched(ofBlocks(4, 1, 64)));  // an image of 1.6 MB
        QVERIFY(isFetched(ofBlocks(16, 1, 64)));  // in chunks
        QVERIFY(!isFetched(ofBlocks(14, 1, 64)));
    }

    /// Rows of 13 results, of which few registers hold no part: tiles of 12, and the last one.
    void rowsThatNoTileDivides()
    {
        const std::string text = R"(
@T.prim_func
def main(X: T.Buffer((1, 4, 13, 13, 8), "float32"), W: T.Buffer((5, 4, 8, 8), "float32"),
         C: T.Buffer((1, 5, 13, 13, 8), "float32")):
    for n, f, h, w, i, c, b in T.grid(1, 5, 13, 13, 8, 4, 8):
        with T.block("C"):
            vn, vf, vh, vw, vi, vc, vb = T.axis.remap("SSSSSRR", [n, f, h, w, i, c, b])
            with T.init():
                C[vn, vf, vh, vw, vi] = T.float32(0)
            C[vn, vf, vh, vw, vi] = C[vn, vf, vh, vw, vi] + X[vn, vc, vh, vw, vb] * W[vf, vc, vb, vi]
)";
        target::Machine few = target::tunedMachine();
        few.vectors.bytes = 32;
        few.vectors.registers = 16;
        target::fitSizes(few);
        const auto unrolledIn = [&](const target::Machine &machine) {
            const ir::Module module = tests::parsed(text);
            const auto schedule = graph::defaultSchedule(module, machine);
            if (const auto wrong = tests::whyNotCompiledRight(*module.mainEntry()->function,
                                                              schedule->state.module, "llvm", {}))
                qFatal("%s", wrong->c_str());
            std::int64_t most = 1;
            ir::forEachStmt(schedule->state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
                const auto *loop = s.as<ir::For>();
                if (loop && loop->forKind == ir::ForKind::Unrolled)
                    most = std::max(most, *ir::asInt(loop->extent));
                return true;
            });
            return most;
        };
        QCOMPARE(unrolledIn(few), 12);
        QCOMPARE(unrolledIn(target::tunedMachine()), 13);
    }

    void inAPassOfItsOwnBeforeLongSums()
    {
        QCOMPARE(nestsOf(inRows(7)), 1);                     // 63 terms
        QVERIFY(nestsOf(inRows(8)) > 1);                     // 72
        QVERIFY(nestsOf(depthwise(16, 16, 1, 1, 100)) >= 1); // no padding at all
    }
};

QTEST_APPLESS_MAIN(WindowRuleTest)
#include "window_rule_test.moc"
