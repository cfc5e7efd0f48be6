// SPDX-License-Identifier: Apache-2.0
/// Loops that are annotated "nontemporal_stores" or "software_prefetch": they compute the same wherever their
/// buffers lie, and use the instructions where these serve.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

constexpr int rows = 36, columns = 64;

/// C = 2 A + its row's sum, which lies in memory of the loop's own; a last row is cut off where `cut`.
ir::Module kernel(const std::string &kind, const std::string &annotations, bool cut = false)
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1}), "float32"), C: T.Buffer(({0}, {1}), "float32")):
    D = T.alloc_buffer(({0}, {1}))
    for i in T.{2}({3}, annotations={{{4}}}):
        for j0 in T.serial(4, annotations={{{5}}}):
            for j1 in T.vectorized(16):
                with T.block("D"):
                    vi = T.axis.spatial({0}, i)
                    vj = T.axis.spatial({1}, j0 * 16 + j1)
                    T.where(i < {0})
                    D[vi, vj] = A[vi, vj] + T.float32(1)
        for j0 in range(4):
            for j1 in T.vectorized(16):
                with T.block("C"):
                    vi = T.axis.spatial({0}, i)
                    vj = T.axis.spatial({1}, j0 * 16 + j1)
                    T.where(i < {0})
                    C[vi, vj] = D[vi, vj] * T.float32(2)
)",
                                     rows, columns, kind, cut ? rows + 3 : rows, annotations,
                                     annotations.contains("prefetch") ? annotations : ""));
}

std::string assemblyOf(const ir::Module &module, const char *target = "llvm -mcpu=znver4")
{
    const auto source = backend::source(module, *target::parseTarget(target), backend::SourceKind::Asm);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return source->text;
}

constexpr const char *stream = "\"nontemporal_stores\": 1", *fetch = "\"software_prefetch\": 256";

} // namespace

class MemoryAnnotationsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
    }

    void computeTheSame_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("annotations");
        QTest::addColumn<bool>("cut");
        for (const char *kind : {"serial", "parallel"}) {
            for (const auto &annotations :
                 {QString(stream), QString(fetch), QString("%1, %2").arg(stream, fetch)}) {
                for (const bool cut : {false, true})
                    QTest::addRow("%s %s %d", kind, qPrintable(annotations), cut)
                        << kind << annotations << cut;
            }
        }
    }
    /// At whatever place in a line of memory the buffers begin; nothing beside them is written.
    void computeTheSame()
    {
        QFETCH(QString, kind);
        QFETCH(QString, annotations);
        QFETCH(bool, cut);
        const auto artifact = backend::compile(kernel(kind.toStdString(), annotations.toStdString(), cut),
                                               *target::parseTarget("llvm"));
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
        const auto loaded = backend::load(*artifact);
        QVERIFY(loaded);
        constexpr int count = rows * columns, room = 32;
        for (const int offset : {0, 1, 4, 15}) {
            alignas(64) static float a[count + room], c[count + 2 * room];
            for (int i = 0; i < count + room; ++i)
                a[i] = static_cast<float>(i % 113);
            std::ranges::fill(c, -1.0F);
            void *arguments[] = {a + offset, c + room + offset};
            QCOMPARE((*loaded)->find("main")(arguments), 0);
            for (int i = 0; i < count; ++i)
                QCOMPARE(c[room + offset + i], 2 * (a[offset + i] + 1));
            QCOMPARE(c[room + offset - 1], -1.0F);
            QCOMPARE(c[room + offset + count], -1.0F);
        }
    }

    void useTheInstructions()
    {
        const std::string streamed = assemblyOf(kernel("serial", stream));
        QVERIFY(streamed.contains("vmovntps"));
        QVERIFY(streamed.contains("sfence"));
        const std::string fetched = assemblyOf(kernel("serial", fetch));
        QVERIFY(fetched.contains("prefetcht0"));
        QVERIFY(!fetched.contains("vmovntps"));
        const std::string plain = assemblyOf(kernel("serial", ""));
        QVERIFY(!plain.contains("prefetch") && !plain.contains("movnt") && !plain.contains("sfence"));
        QVERIFY(assemblyOf(kernel("parallel", stream)).contains("vmovntps"));
    }

    /// Vectors that lie apart, and those that begin anywhere, are stored as ever.
    void onlyWholeLines()
    {
        const auto of = [](const char *index, const char *annotations) {
            return assemblyOf(tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4096,), "float32"), C: T.Buffer((4096,), "float32")):
    for i in T.serial(64, annotations={{{1}}}):
        for j in T.vectorized(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[{0}] = A[vi * 16 + vj] + T.float32(1)
)",
                                                        index, annotations)));
        };
        QVERIFY(of("vi * 16 + vj", stream).contains("vmovntps"));
        QVERIFY(!of("vi * 16 + vj + 8", stream).contains("movnt"));
        QVERIFY(!of("vi * 17 + vj", stream).contains("movnt"));
        QVERIFY(!of("vi + vj * 64", stream).contains("movnt"));
        QVERIFY(of("vi * 16 + vj", fetch).contains("prefetch"));
    }

    /// Of a product that reads a line of B and a number of A for each term only B's are fetched; of a sum of
    /// numbers these are.
    void wholeLinesFirst()
    {
        const auto of = [](const char *term, int lanes) {
            return assemblyOf(tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64, 256), "float32"), B: T.Buffer((64, 256, {1}), "float32"),
         C: T.Buffer((64, {1}), "float32")):
    for i in T.serial(64):
        for k in T.serial(256, annotations={{"software_prefetch": 4096}}):
            for j in T.vectorized({1}):
                with T.block("C"):
                    vi, vk, vj = T.axis.remap("SRS", [i, k, j])
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + {0}
)",
                                                        term, lanes)));
        };
        const auto count = [](const std::string &text, std::string_view what) {
            int found = 0;
            for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
                ++found;
            return found;
        };
        for (const int lanes : {8, 16}) {
            const std::string product = of("A[vi, vk] * B[vi, vk, vj]", lanes);
            QVERIFY(product.contains("prefetcht0"));
            QVERIFY(count(product, "prefetcht0") <= count(product, "vfmadd"));
        }
        QVERIFY(of("A[vi, vk]", 16).contains("prefetcht0"));
    }

    void otherProcessors()
    {
        target::Target arm;
        arm.mtriple = "aarch64-linux-gnu";
        const auto source = backend::source(kernel("serial", stream), arm, backend::SourceKind::Asm);
        QVERIFY(source);
        QVERIFY(source->text.contains("stnp"));
        QVERIFY(!source->text.contains("sfence"));
        QVERIFY(source->text.contains("#16")); // what begins with # is no comment there
    }
};

QTEST_APPLESS_MAIN(MemoryAnnotationsTest)
#include "memory_annotations_test.moc"
