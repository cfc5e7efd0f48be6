// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/parser.h"
#include "core/script/python/targets.h"

#include <QtTest>

using namespace nestwright::script;

namespace {

/// The targets with their values, "a=1 b=[2 3]"; the message of the refusal.
std::string given(const std::string &targets, int count)
{
    const py::Expr parsed = *py::parseExpression(targets, "t.py");
    std::vector<std::string> values;
    for (int i = 1; i <= count; ++i)
        values.push_back(std::to_string(i));
    std::string text;
    const auto list = [](const std::vector<std::string> &items) {
        std::string all = "[";
        for (const std::string &item : items)
            all += item + ' ';
        return all + ']';
    };
    const auto give = [&](const py::Expr &target, const std::string &value) {
        text += target->as<py::Name>()->id + '=' + value + ' ';
    };
    const auto result = py::unpack(*py::targetsOf(*parsed), values, list, give);
    return result ? text : result.error().message;
}

} // namespace

class TargetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unpacking()
    {
        QCOMPARE(given("(a, b)", 2), "a=1 b=2 ");
        QCOMPARE(given("[a, b]", 2), "a=1 b=2 ");
        QCOMPARE(given("(a, *b, c)", 4), "a=1 b=[2 3 ] c=4 ");
        QCOMPARE(given("(a, *b)", 1), "a=1 b=[] ");
        QCOMPARE(given("(*a,)", 2), "a=[1 2 ] ");
        QCOMPARE(given("(a, b, c)", 2), "3 names are given 2 values");
        QCOMPARE(given("(a,)", 2), "1 name is given 2 values");
        QCOMPARE(given("(a, *b, c)", 1), "2 names and a starred one are given 1 value");
        QCOMPARE(given("(*a, *b)", 2), "only one of several names may be starred");
    }

    void names()
    {
        std::vector<std::string> names;
        py::appendNames(**py::parseExpression("(a, [b, *c], d[0], e.f)", "t.py"), names);
        QCOMPARE(names, (std::vector<std::string>{"a", "b", "c"}));
        QVERIFY(!py::targetsOf(**py::parseExpression("a", "t.py")));
    }
};

QTEST_APPLESS_MAIN(TargetsTest)
#include "targets_test.moc"
