// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/scope.h"

#include <QtTest>

using namespace nestwright::script;

class ScopeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void missingNamesAreThoseAround()
    {
        const auto file = std::make_shared<py::Scope<int>>();
        file->set("b", 1);
        file->set("a", 2);
        py::Scope<int> function(file);
        function.set("a", 3);
        QCOMPARE(*function.find("a"), 3);
        QCOMPARE(*function.find("b"), 1);
        QVERIFY(!function.find("c"));
        QVERIFY(!function.holds("b"));
        QCOMPARE(*file->find("a"), 2);
        QCOMPARE(function.names(), (std::vector<std::string_view>{"a", "b", "a"}));
        function.erase("a");
        QCOMPARE(*function.find("a"), 2);
    }
};

QTEST_APPLESS_MAIN(ScopeTest)
#include "scope_test.moc"
