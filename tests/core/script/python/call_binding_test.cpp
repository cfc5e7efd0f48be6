// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/call_binding.h"
#include "core/script/python/parser.h"

#include <QtTest>

using namespace nestwright::script;

namespace {

/// For each parameter of `lambda` the arguments it gets, "0 1,2 "; the message of the refusal.
std::string bound(const std::string &lambda, const std::vector<std::string> &arguments)
{
    const py::Expr parsed = *py::parseExpression(lambda, "t.py");
    std::vector<py::Given> given;
    for (const std::string &name : arguments)
        given.push_back({name, {}});
    const auto parameters = py::parametersOf(parsed->as<py::Lambda>()->params);
    const auto binding = py::bindArguments({"f()", '"'}, parameters, given);
    if (!binding)
        return binding.error().message;
    std::string text;
    for (const std::vector<std::size_t> &own : *binding) {
        for (const std::size_t place : own)
            text += (place == own.front() ? "" : ",") + std::to_string(place);
        text += ' ';
    }
    return text;
}

} // namespace

class CallBindingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bindings()
    {
        QCOMPARE(bound("lambda a, b: 0", {"", ""}), "0 1 ");
        QCOMPARE(bound("lambda a, b: 0", {"b", "a"}), "1 0 ");
        QCOMPARE(bound("lambda a, b=1: 0", {""}), "0  ");
        QCOMPARE(bound("lambda a, *b: 0", {"", "", ""}), "0 1,2 ");
        QCOMPARE(bound("lambda a, *b, c: 0", {"", "", "c"}), "0 1 2 ");
        QCOMPARE(bound("lambda a, *, c=1: 0", {"", "c"}), "0  1 ");
        QCOMPARE(bound("lambda a, **k: 0", {"", "x", "y"}), "0 1,2 ");
    }

    void refusals()
    {
        QCOMPARE(bound("lambda a, b: 0", {""}), "f() needs the argument \"b\"");
        QCOMPARE(bound("lambda a: 0", {"", ""}), "f() takes 1 argument, but 2 are given");
        QCOMPARE(bound("lambda: 0", {""}), "f() takes 0 arguments, but 1 is given");
        QCOMPARE(bound("lambda a, b=1: 0", {"", "", ""}), "f() takes at most 2 arguments, but 3 are given");
        QCOMPARE(bound("lambda a, *, c: 0", {"", ""}), "f() takes 1 argument, but 2 are given");
        QCOMPARE(bound("lambda a: 0", {"", "x"}), "f() has no argument \"x\"");
        QCOMPARE(bound("lambda a: 0", {"", "a"}), "f() is given its argument \"a\" twice");
        QCOMPARE(bound("lambda a: 0", {"a", "a"}), "f() is given its argument \"a\" twice");
        QCOMPARE(bound("lambda **k: 0", {"x", "x"}), "f() is given its argument \"x\" twice");
    }

    void anUnknownArgumentIsPlacedAndHinted()
    {
        const std::vector<py::Parameter> parameters{{"factor"}};
        const std::vector<py::Given> given{{"", {1, 2}}, {"facter", {1, 9}}};
        const auto binding = py::bindArguments({"'split'"}, parameters, given);
        QVERIFY(!binding && binding.error().kind == py::FaultKind::Argument);
        QCOMPARE(binding.error().message, "'split' has no argument 'facter'");
        QCOMPARE(binding.error().hint, "did you mean 'factor'?");
        QCOMPARE(binding.error().at.column, 9);
    }
};

QTEST_APPLESS_MAIN(CallBindingTest)
#include "call_binding_test.moc"
