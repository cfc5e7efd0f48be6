// SPDX-License-Identifier: Apache-2.0
/// The table of intrinsics and the callees of calls: rows by name and by constant, names of no table.
#include "core/ir/build/intrinsics.h"

#include "core/ir/build/builder.h"
#include "core/ir/node/equality.h"
#include "core/support/errors/errors.h"

#include <QtTest>

#include <set>

using namespace nestwright;
using namespace nestwright::ir;

// A constant that is no row of the table does not compile; these are in the table itself.
static_assert(&intrinsics::exp == &intrinsics::table.front());
static_assert(intrinsics::ifThenElse.name == "if_then_else" && intrinsics::isNan.name == "isnan");
static_assert(&intrinsics::rowOf("vscale") == &intrinsics::vscale);

class IntrinsicsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsAreFoundByTheirNames()
    {
        std::set<std::string_view> names;
        for (const Intrinsic &row : intrinsics::table) {
            QVERIFY2(names.insert(row.name).second, std::string(row.name).c_str());
            QCOMPARE(findIntrinsic(row.name), &row);
            QCOMPARE(Callee(row.name).intrinsic(), &row);
            QVERIFY(Callee(row) == Callee(row.name) && Callee(row) == row);
            QCOMPARE(Callee(row).name(), std::string(row.name));
        }
        QVERIFY(!findIntrinsic("no_such_intrinsic"));
    }

    void constantsAreRowsOfTheTable()
    {
        for (const Intrinsic *constant :
             {&intrinsics::exp, &intrinsics::fma, &intrinsics::clz, &intrinsics::ifThenElse,
              &intrinsics::callPureExtern, &intrinsics::addressOf, &intrinsics::breakLoop})
            QCOMPARE(findIntrinsic(constant->name), constant);
    }

    void namesOfNoTable()
    {
        const Callee other("mylog");
        QVERIFY(!other.intrinsic());
        QCOMPARE(other.name(), std::string("mylog"));
        QVERIFY(other.isOther("mylog") && !other.isOther("exp"));
        QVERIFY(!Callee("exp").isOther("exp"));
        QVERIFY(other == Callee("mylog") && other != Callee("yourlog") && other != intrinsics::log);
    }

    void callsByNameAndByRowAreOne()
    {
        const Var x("x", DataType::float32());
        const Expr byRow = callIntrinsic(intrinsics::exp, {x}), byName = callIntrinsic("exp", {x});
        QVERIFY(structurallyEqual(byRow, byName));
        QCOMPARE(structuralHash(byRow), structuralHash(byName));
        QVERIFY(structurallyEqual(byRow, ir::call(DataType::float32(), "exp", {x})));
        QVERIFY(!structurallyEqual(byRow, callIntrinsic(intrinsics::exp2, {x})));
        QVERIFY(!structurallyEqual(byRow, ir::call(DataType::float32(), "mylog", {x})));
        QVERIFY_THROWS_EXCEPTION(support::UserError, callIntrinsic("mylog", {x}));
        QVERIFY_THROWS_EXCEPTION(support::UserError, callIntrinsic(intrinsics::exp, {x, x}));
    }
};

QTEST_APPLESS_MAIN(IntrinsicsTest)
#include "intrinsics_test.moc"
