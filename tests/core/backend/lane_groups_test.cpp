// SPDX-License-Identifier: Apache-2.0
/// Vectors whose lanes lie in one group of elements: the group is read whole, and its elements are exchanged.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// C[i, l] = A[the index], 16 lanes; A has `size` elements.
ir::Module kernel(const std::string &index, int size = 64)
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer(({1},), "float32"), C: T.Buffer((4, 16), "float32")):
    for i in range(4):
        for l in T.vectorized(16):
            C[i, l] = A[{0}]
)",
                                     index, size));
}

std::string assemblyOf(const ir::Module &module)
{
    const auto source =
        backend::source(module, *target::parseTarget("llvm -mcpu=znver4"), backend::SourceKind::Asm);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return source->text;
}

} // namespace

class LaneGroupsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
    }

    void areReadWhole_data()
    {
        QTest::addColumn<QString>("index");
        QTest::addColumn<int>("size");
        QTest::addColumn<bool>("whole");
        QTest::newRow("the first of four") << "i * 16 + l // 4 * 4" << 64 << true;
        QTest::newRow("the third of four") << "i * 16 + l // 4 * 4 + 2" << 64 << true;
        QTest::newRow("pairs exchanged") << "i * 16 + l // 2 * 2 + 1 - l % 2" << 64 << true;
        QTest::newRow("from behind") << "i * 16 + 15 - l" << 64 << true;
        QTest::newRow("of two groups") << "i * 12 + l // 4 * 4" << 64 << false;
        QTest::newRow("further apart") << "i * 16 % 32 + l * 2" << 64 << false;
        QTest::newRow("of a part of a group") << "i * 16 % 48 + l // 4 * 4 + 1" << 62 << false;
    }

    void areReadWhole()
    {
        QFETCH(const QString, index);
        QFETCH(const int, size);
        QFETCH(const bool, whole);
        const ir::Module module = kernel(index.toStdString(), size);
        QCOMPARE(assemblyOf(module).contains("gather"), !whole);
        ir::NdArray a(ir::DataType::float32(), {size}), c(ir::DataType::float32(), {4, 16}), expected = c;
        for (int k = 0; k < size; ++k)
            a.set(k, k);
        QVERIFY(interp::run(*module.mainEntry()->function, std::vector{&a, &expected}));
        const auto artifact = backend::compile(module, *target::parseTarget("llvm"));
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
        const auto loaded = backend::load(*artifact);
        QVERIFY(loaded);
        void *arguments[] = {a.bytes().data(), c.bytes().data()};
        QCOMPARE((*loaded)->find("main")(arguments), 0);
        QVERIFY(std::ranges::equal(c.bytes(), expected.bytes()));
    }
};

QTEST_GUILESS_MAIN(LaneGroupsTest)
#include "lane_groups_test.moc"
