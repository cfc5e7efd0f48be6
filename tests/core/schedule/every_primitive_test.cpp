// SPDX-License-Identifier: Apache-2.0
// One trace with every primitive there is. tests/tvm/compare.py replays the same one in TVM.
#include "core/ir/node/equality.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <fstream>
#include <set>
#include <sstream>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

std::string textOf(const std::string &file)
{
    std::ifstream in("tests/tvm/cases/" + file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

} // namespace

class EveryPrimitiveTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_initial = scheduled(textOf("every_primitive.py"));
        auto run = schedule::runScheduleScript(m_initial, textOf(scheduleFile), scheduleFile);
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        m_run = std::move(*run);
        for (const schedule::ScriptStep &step : m_run.steps)
            m_steps.push_back(step.step);
    }

    void holdsThemAll()
    {
        std::set<std::string_view> used;
        for (const schedule::Step &step : m_steps)
            used.insert(step.primitive->name);
        const std::string script = textOf(scheduleFile);
        for (const schedule::Primitive &primitive : schedule::primitives()) {
            const std::string call = "sch." + std::string(primitive.name) + '(';
            QVERIFY2(primitive.expand ? script.contains(call) : used.contains(primitive.name),
                     primitive.name.data());
        }
    }

    void computesTheSame()
    {
        for (const ir::Module::Entry &entry : m_initial.module.functions()) {
            if (entry.name == "dot") // its intrinsic is one of the processor's
                continue;
            const auto why = whyNotEquivalent(*entry.function, *m_run.state.module.find(entry.name));
            QVERIFY2(!why, (entry.name + ": " + why.value_or("")).c_str());
        }
    }

    void replaysFromItsScripts()
    {
        for (const script::Dialect dialect : script::allDialects) {
            const auto script = schedule::writeScheduleScript(m_initial, m_steps, dialect);
            QVERIFY2(script, script ? "" : script.error().render().c_str());
            const auto again = schedule::runScheduleScript(m_initial, *script, "again.py");
            QVERIFY2(again, again ? "" : again.error().render().c_str());
            compare(again->state.module);
        }
    }

    void replaysFromItsTraces()
    {
        for (const script::Dialect dialect : script::allDialects) {
            const auto json = schedule::writeTraceJson(m_initial, m_steps, dialect);
            QVERIFY2(json, json ? "" : json.error().render().c_str());
            const auto again = schedule::runTraceJson(m_initial, *json, "again.json");
            QVERIFY2(again, again ? "" : again.error().render().c_str());
            compare(again->state.module);
        }
    }

    void readsWhatItPrints()
    {
        for (const script::Dialect dialect : script::allDialects)
            compare(parsed(script::print(m_run.state.module, dialect).text));
    }

private:
    static constexpr const char *scheduleFile = "every_primitive_schedule.py";

    void compare(const ir::Module &again) const
    {
        const auto difference = ir::firstDifference(m_run.state.module, again);
        QVERIFY2(!difference, difference.value_or("").c_str());
    }

    schedule::State m_initial;
    schedule::ScriptRun m_run;
    std::vector<schedule::Step> m_steps;
};

QTEST_GUILESS_MAIN(EveryPrimitiveTest)
#include "every_primitive_test.moc"
