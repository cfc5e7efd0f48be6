// SPDX-License-Identifier: GPL-3.0-or-later
// Types of tensors and buffers as the window writes them.
#include "app/present/type_text.h"

#include "core/ir/build/builder.h"

#include <QtTest>

using namespace nestwright;
using app::typeText;
using ir::DataType;

class TypeTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapeAndType_data()
    {
        QTest::addColumn<std::vector<ir::Expr>>("shape");
        QTest::addColumn<DataType>("type");
        QTest::addColumn<QString>("text");
        using Shape = std::vector<ir::Expr>;
        const ir::Var n("n"), m("m");
        QTest::newRow("matrix") << Shape{64, 32} << DataType::float32() << "64×32 f32";
        QTest::newRow("scalar") << Shape{} << DataType::int_(8) << "i8";
        QTest::newRow("empty") << Shape{0, 3} << DataType::uint(8) << "0×3 u8";
        QTest::newRow("bfloat16") << Shape{2} << DataType::bfloat16() << "2 bf16";
        QTest::newRow("bool") << Shape{1, 1} << DataType::boolean() << "1×1 bool";
        QTest::newRow("symbolic") << Shape{n, 4} << DataType::float_(16) << "n×4 f16";
        QTest::newRow("computed") << Shape{n + 1, m * 2} << DataType::float32() << "n+1×m*2 f32";
        QTest::newRow("a sum times") << Shape{(n + 1) * 2} << DataType::float32() << "(n+1)*2 f32";
        QTest::newRow("divided") << Shape{ir::floorDiv(n - (m - 1), 2)} << DataType::float32()
                                 << "(n-(m-1))//2 f32";
        QTest::newRow("the lesser") << Shape{ir::min(n, 4) + 1} << DataType::float32() << "T.min(n,4)+1 f32";
    }
    void shapeAndType()
    {
        QFETCH(std::vector<ir::Expr>, shape);
        QFETCH(DataType, type);
        QTEST(typeText(shape, type), "text");
        QTEST(typeText(graph::TensorType{shape, type}), "text");
    }
};

QTEST_GUILESS_MAIN(TypeTextTest)
#include "type_text_test.moc"
