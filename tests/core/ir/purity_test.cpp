// SPDX-License-Identifier: Apache-2.0
/// Expressions that depend on nothing but their variables, and those that read memory or call.
#include "core/ir/purity.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/buffer.h"

#include <QtTest>

using namespace nestwright::ir;

class PurityTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void expressions()
    {
        const Var x("x", DataType::float32()), i("i");
        const Buffer a("A", {Expr(4)}, DataType::float32());
        QVERIFY(isPure({}));
        QVERIFY(isPure(Expr(i) * 3 + 1));
        QVERIFY(isPure(callIntrinsic("exp", {x})));
        QVERIFY(isPure(callIntrinsic("exp", {callIntrinsic("abs", {x})})));
        QVERIFY(!isPure(load(a, {i})));
        QVERIFY(!isPure(load(a, {Expr(0)}) + x));
        QVERIFY(!isPure(callIntrinsic("exp", {load(a, {i})})));
        Call unknown;
        unknown.callee = Callee("no_such_intrinsic");
        unknown.dtype = DataType::float32();
        unknown.args = {x};
        QVERIFY(!isPure(make(unknown)));
        QVERIFY(!isPure(make(unknown) + x));
        Call outside = unknown;
        outside.callee = intrinsics::callExtern;
        outside.args = {stringImm("f"), x};
        QVERIFY(!isPure(make(outside)));
    }
};

QTEST_APPLESS_MAIN(PurityTest)
#include "purity_test.moc"
