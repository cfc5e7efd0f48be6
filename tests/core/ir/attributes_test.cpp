// SPDX-License-Identifier: Apache-2.0
/// Attributes of functions and statements by their accessors.
#include "core/ir/node/attributes.h"

#include "core/ir/build/builder.h"

#include <QtTest>

using namespace nestwright::ir;

class AttributesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void functions()
    {
        PrimFunc function;
        QVERIFY(!attribute(function.attrs, globalSymbolKey));
        QVERIFY(!globalSymbol(function));
        QVERIFY(isNoAlias(function));
        function.attrs.emplace(globalSymbolKey, 3);
        QVERIFY(attribute(function.attrs, globalSymbolKey) && !globalSymbol(function));
        function.attrs["global_symbol"] = std::string("gemm");
        QCOMPARE(*globalSymbol(function), std::string("gemm"));
        function.attrs["tir.noalias"] = boolImm(true);
        QVERIFY(isNoAlias(function));
        function.attrs["tir.noalias"] = boolImm(false);
        QVERIFY(!isNoAlias(function));
        function.attrs["tir.noalias"] = std::string("no number");
        QVERIFY(isNoAlias(function));
    }

    void launchesOfThreads()
    {
        const Var thread("threadIdx.x");
        AttrStmt node;
        node.key = threadExtentKey;
        QVERIFY(!launchedThread(node));
        node.node = thread;
        QVERIFY(launchedThread(node) == thread);
        node.key = realizeScopeKey;
        QVERIFY(!launchedThread(node));
    }
};

QTEST_APPLESS_MAIN(AttributesTest)
#include "attributes_test.moc"
