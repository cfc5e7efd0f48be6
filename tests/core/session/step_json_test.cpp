// SPDX-License-Identifier: Apache-2.0
#include "core/session/files/step_json.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/schedule/primitive.h"
#include "core/support/text/json.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::session;

class StepJsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsWithMapsAndFormulasComeBack()
    {
        schedule::IndexMap map{{ir::Var("i"), ir::Var("j")}, {}};
        map.outputs = {map.inputs[1], map.inputs[0] * ir::Expr(2)};
        const auto layout = schedule::makeStep(
            "transform_layout",
            {{"block", ir::StmtId{3}}, {"buffer", schedule::ArgList{"write", 0}}, {"index_map", map}});
        const schedule::Formula length{ir::callIntrinsic("vscale", {}) * ir::Expr(4)};
        const auto split = schedule::makeStep(
            "split", {{"loop", ir::StmtId{2}}, {"factors", schedule::ArgList{{}, length}}});
        for (const auto &step : {layout, split}) {
            QVERIFY(step.has_value());
            const auto again = stepFromJson(toJson(*step));
            QVERIFY2(again.has_value(), again ? "" : again.error().render().c_str());
            QCOMPARE(*again, *step);
        }
    }

    void stepsWithDictionariesComeBack()
    {
        schedule::ArgMap map;
        map.set("a", std::int64_t{1});
        map.set("b", schedule::ArgList{std::string("x"), 2.5, true});
        const auto step = schedule::makeStep(
            "annotate",
            {{"block_or_loop", ir::StmtId{2}}, {"ann_key", std::string("pragma")}, {"ann_val", map}});
        QVERIFY2(step.has_value(), step ? "" : step.error().render().c_str());
        const auto again = stepFromJson(toJson(*step));
        QVERIFY2(again.has_value(), again ? "" : again.error().render().c_str());
        QCOMPARE(*again, *step);
        QCOMPARE(toJson(*again), toJson(*step));
    }

    void stepsOfOtherFormsAreRefused()
    {
        for (const char *text : {"[]", "3", "{}", R"({"args": {}})", R"({"primitive": 5})",
                                 R"({"primitive": "split", "args": {"loop": {}}})",
                                 R"({"primitive": "split", "args": {"loop": {"id": "x"}}})",
                                 R"({"primitive": "split", "args": {"loop": {"other": 1}}})",
                                 R"({"primitive": "split", "args": {"loop": {"dict": 1}}})",
                                 R"({"primitive": "split", "args": {"loop": {"map": 1}}})",
                                 R"({"primitive": "split", "args": {"loop": [{"id": -1}]}})"}) {
            const auto step = stepFromJson(support::Json::parse(text));
            QVERIFY2(!step.has_value(), text);
            QCOMPARE(step.error().code, std::string("session.step"));
        }
    }

    void stepsOfUnknownPrimitivesAreRefused()
    {
        const auto step = stepFromJson({{"primitive", "teleport"}, {"args", support::Json::object()}});
        QVERIFY(!step.has_value());
        QVERIFY(!stepFromJson(support::Json::array()).has_value());
    }
};

QTEST_GUILESS_MAIN(StepJsonTest)
#include "step_json_test.moc"
