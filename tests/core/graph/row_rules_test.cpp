// SPDX-License-Identifier: Apache-2.0
/// The default schedule of stages that go along rows, and of those that go across them: softmax,
/// normalisations, reductions, transpositions.
#include "core/graph/strategy/strategy.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/schedule/primitive.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

struct Found {
    int outermost = 0; ///< loops of the function's body
    int parallel = 0, vectors = 0, reassociated = 0, streamed = 0;
    std::vector<std::int64_t> fetched; ///< bytes ahead
    bool copiesToRegisters = false;
};

Found loopsOf(const ir::Module &module)
{
    Found found;
    const ir::Block &root = *module.mainEntry()->function->root();
    const auto *sequence = root.body.as<ir::Seq>();
    found.outermost = sequence ? static_cast<int>(sequence->stmts.size()) : 1;
    for (const ir::Buffer &buffer : root.allocBuffers)
        found.copiesToRegisters = found.copiesToRegisters || buffer->scope == "local";
    ir::forEachStmt(root.body, [&](const ir::Stmt &s) {
        if (const auto *loop = s.as<ir::For>()) {
            found.parallel += loop->forKind == ir::ForKind::Parallel;
            found.vectors += loop->forKind == ir::ForKind::Vectorized;
            found.streamed += ir::attribute(loop->annotations, ir::streamKey) != nullptr;
            if (const ir::AttrValue *ahead = ir::attribute(loop->annotations, ir::prefetchKey))
                found.fetched.push_back(*ahead->asInt());
            found.reassociated += ir::attribute(loop->annotations, ir::reassociateKey) != nullptr;
        }
        return true;
    });
    return found;
}

/// Of the default schedule, which computes the same as the program on this processor.
Found scheduled(const std::string &text)
{
    const ir::Module module = tests::parsed(text);
    const auto schedule = graph::defaultSchedule(module, target::tunedMachine());
    if (!schedule)
        qFatal("%s", schedule.error().render().c_str());
    if (const auto wrong =
            tests::whyNotCompiledRight(*module.mainEntry()->function, schedule->state.module, "llvm", {}))
        qFatal("%s", wrong->c_str());
    return loopsOf(schedule->state.module);
}

std::string softmax(int rows, int columns)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1}), "float32"), B: T.Buffer(({0}, {1}), "float32")):
    M = T.alloc_buffer(({0}, 1))
    E = T.alloc_buffer(({0}, {1}))
    S = T.alloc_buffer(({0}, 1))
    for i, k in T.grid({0}, {1}):
        with T.block("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                M[vi, 0] = T.float32(-1000)
            M[vi, 0] = T.max(M[vi, 0], A[vi, vk])
    for i, j in T.grid({0}, {1}):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = T.exp(A[vi, vj] - M[vi, 0])
    for i, k in T.grid({0}, {1}):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi, 0] = T.float32(0)
            S[vi, 0] = S[vi, 0] + E[vi, vk]
    for i, j in T.grid({0}, {1}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = E[vi, vj] * (T.float32(1) / S[vi, 0])
)",
                       rows, columns);
}

/// B = a sum of A over its last `reduced` dimensions, of the expression `term`.
std::string sum(const std::vector<int> &shape, int reduced, const std::string &term)
{
    std::string sizes, letters, kinds, loops, result, written;
    const int rank = static_cast<int>(shape.size());
    for (int i = 0; i < rank; ++i) {
        const std::string comma = i ? ", " : "";
        sizes += comma + std::to_string(shape[static_cast<std::size_t>(i)]);
        letters += std::format("{}v{}", comma, i);
        loops += std::format("{}l{}", comma, i);
        const bool isSpatial = i < rank - reduced;
        kinds += isSpatial ? "S" : "R";
        if (isSpatial) {
            written += std::format("v{}, ", i);
            result += std::format("{}, ", shape[static_cast<std::size_t>(i)]);
        }
    }
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}), "float32"), W: T.Buffer(({5},), "float32"), B: T.Buffer(({1}), "float32")):
    for {2} in T.grid({0}):
        with T.block("B"):
            {3} = T.axis.remap("{4}", [{2}])
            with T.init():
                B[{6}] = T.float32(0)
            B[{6}] = B[{6}] + {7}
)",
                       sizes, result, loops, letters, kinds, shape.back(), written, term);
}

std::string elementwise(int rows, int columns)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1}), "float32"), B: T.Buffer(({0}, {1}), "float32")):
    for i, j in T.grid({0}, {1}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.max(A[vi, vj], T.float32(0))
)",
                       rows, columns);
}

std::string transposed(int rows, int columns, const std::string &more = "")
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({1}, {0}), "float32"), W: T.Buffer(({1},), "float32"),
         B: T.Buffer(({0}, {1}), "float32")):
    for i, j in T.grid({0}, {1}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]{2}
)",
                       rows, columns, more);
}

/// Channels in blocks of 16 as one dimension again.
std::string outOfBlocks(int channels, int columns)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({1}, {2}, 16), "float32"), B: T.Buffer(({0}, {2}), "float32")):
    for i, j in T.grid({0}, {2}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi // 16, vj, vi % 16]
)",
                       channels, channels / 16, columns);
}

/// Sums of three neighbours below each other.
std::string sumsOfNeighbours(int rows, int columns)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {2}), "float32"), B: T.Buffer(({1}, {2}), "float32")):
    for i, j, k in T.grid({1}, {2}, 3):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vi + vk, vj] * A[vi + vk, vj]
)",
                       rows + 2, rows, columns);
}

} // namespace

class RowRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allStagesOfARowAtATime()
    {
        for (const int columns : {1024, 197, 5}) {
            const Found found = scheduled(softmax(40, columns));
            QCOMPARE(found.outermost, 1);
            QCOMPARE(found.reassociated, 2);
            QCOMPARE(found.parallel, columns == 1024 ? 1 : 0); // small ones are not worth waking a thread
            QCOMPARE(found.vectors, 2);
        }
    }

    /// Rows beyond the second cache are fetched ahead, terms beyond the third, and results that no cache can
    /// keep go past them.
    void memory()
    {
        const Found small = loopsOf(
            graph::defaultSchedule(tests::parsed(softmax(40, 1024)), target::tunedMachine())->state.module);
        QVERIFY(small.fetched.empty() && small.streamed == 0);
        const auto made = [](const std::string &text) {
            return loopsOf(graph::defaultSchedule(tests::parsed(text), target::tunedMachine())->state.module);
        };
        QCOMPARE(made(softmax(1024, 1024)).fetched, std::vector<std::int64_t>{16384}); // four rows on
        QCOMPARE(made(softmax(1031, 1024)).fetched, std::vector<std::int64_t>{4096});
        QCOMPARE(made(softmax(1024, 1024)).streamed, 0);
        QCOMPARE(made(softmax(64, 65536)).fetched, std::vector<std::int64_t>{}); // too much at a time
        QCOMPARE(made(softmax(8192, 1024)).streamed, 1);
        QCOMPARE(made(sum({4096, 4096}, 1, "A[v0, v1]")).fetched, std::vector<std::int64_t>{8192});
        QVERIFY(made(sum({1024, 4096}, 1, "A[v0, v1]")).fetched.empty());
        QCOMPARE(made(elementwise(4096, 4096)).streamed, 1);
        QCOMPARE(made(elementwise(512, 4096)).streamed, 0);
    }

    /// Each stage takes several of many short rows one after the other.
    void rowsTogether()
    {
        const auto loopsOfRows = [](int rows, int columns, int together) {
            const auto schedule =
                graph::defaultSchedule(tests::parsed(softmax(rows, columns)), target::tunedMachine());
            int count = 0;
            ir::forEachStmt(schedule->state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
                const auto *loop = s.as<ir::For>();
                count += loop && ir::isConstInt(loop->extent, together) ? 1 : 0;
                return true;
            });
            return count;
        };
        QCOMPARE(loopsOfRows(256, 100, 4), 4);
        QCOMPARE(loopsOfRows(259, 197, 4), 0);
        QCOMPARE(loopsOfRows(258, 197, 3), 4);
        QCOMPARE(loopsOfRows(252, 100, 4), 0);  // few
        QCOMPARE(loopsOfRows(256, 1025, 4), 0); // long
        QCOMPARE(scheduled(softmax(258, 197)).outermost, 1);
        QCOMPARE(scheduled(softmax(260, 33)).outermost, 1);
    }

    void termsSideBySide()
    {
        QCOMPARE(scheduled(sum({40, 500}, 1, "A[v0, v1]")).reassociated, 1);
        QCOMPARE(scheduled(sum({40, 500}, 1, "A[v0, v1] * W[v1]")).reassociated, 1);
        QCOMPARE(scheduled(sum({3, 40, 7, 7}, 2, "A[v0, v1, v2, v3]")).reassociated, 1);
        QCOMPARE(scheduled(sum({3, 40, 1}, 1, "A[v0, v1, v2]")).reassociated, 1);
        QVERIFY(scheduled(softmax(3, 1)).outermost > 0); // rows of one element
    }

    /// Along another dimension than the rows vectors hold several results.
    void termsBelowEachOther()
    {
        const std::string columns = R"(
@T.prim_func
def main(A: T.Buffer((50, 64), "float32"), B: T.Buffer((64,), "float32")):
    for j, k in T.grid(64, 50):
        with T.block("B"):
            vj, vk = T.axis.remap("SR", [j, k])
            with T.init():
                B[vj] = T.float32(0)
            B[vj] = B[vj] + A[vk, vj]
)";
        const Found found = scheduled(columns);
        QCOMPARE(found.reassociated, 0);
        QVERIFY(found.vectors > 0);
    }

    void productsStayTiles()
    {
        const std::string product = R"(
@T.prim_func
def main(A: T.Buffer((48, 64), "float32"), B: T.Buffer((32, 64), "float32"),
         C: T.Buffer((48, 32), "float32")):
    for i, j, k in T.grid(48, 32, 64):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
)";
        QCOMPARE(scheduled(product).reassociated, 0);
    }

    void transpositionByTiles()
    {
        QVERIFY(scheduled(transposed(256, 128)).copiesToRegisters);
        QVERIFY(scheduled(transposed(48, 16, " + W[vj]")).copiesToRegisters);
        QVERIFY(!scheduled(transposed(20, 128)).copiesToRegisters); // no whole tiles
        QVERIFY(!scheduled(transposed(128, 20)).copiesToRegisters);
        QVERIFY(scheduled(transposed(48, 109)).copiesToRegisters); // the last is filled in part
    }

    void blocksByTiles()
    {
        QVERIFY(scheduled(outOfBlocks(64, 96)).copiesToRegisters);
        QVERIFY(scheduled(outOfBlocks(32, 109)).copiesToRegisters);
        QVERIFY(!scheduled(outOfBlocks(32, 25)).copiesToRegisters);
    }

    void oddRowsInVectors()
    {
        for (const int columns : {67, 109})
            QVERIFY(scheduled(sumsOfNeighbours(12, columns)).vectors > 0);
    }
};

QTEST_APPLESS_MAIN(RowRulesTest)
#include "row_rules_test.moc"
