// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/opening/opener.h"

#include "core/script/print/printer.h"
#include "core/session/files/project_file.h"
#include "core/workbench/opening/module_names.h"

#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace nestwright;
using workbench::Opener;

namespace {

constexpr std::string_view twoSchedules = R"(import tvm
from tvm import te

A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
func = te.create_prim_func([A, B])

first = tvm.tir.Schedule(func)
(i,) = first.get_loops(first.get_block("B"))
first.split(i, factors=[None, 4])

second = tvm.tir.Schedule(func)
(j,) = second.get_loops(second.get_block("B"))
second.split(j, factors=[None, 8])
)";
constexpr std::string_view splitBy16 = R"(def apply_trace(sch):
    (i,) = sch.get_loops(sch.get_block("B"))
    sch.split(i, factors=[None, 16])
)";

template <class T> T valueOf(support::Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return std::move(*result);
}

std::string textOf(const schedule::State &state) { return script::print(state.module).text; }

/// Collects what an Opener tells.
struct Heard {
    std::vector<std::string> notes, watched;
    int open = 0;

    workbench::OpeningHooks hooks()
    {
        return {.note = [this](const workbench::Note &note) { notes.push_back(note.text()); },
                .watch =
                    [this](const std::string &input) {
                        watched.push_back(input);
                        ++open;
                        return std::shared_ptr<void>(this, [](Heard *heard) { --heard->open; });
                    }};
    }
};

class OpenerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_module = write("two.py", twoSchedules);
        m_schedule = write("by16.py", splitBy16);
    }

    void aFileWithSchedules_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("loop"); // of the program, "" for none
        QTest::newRow("the last") << "" << "T.grid(8, 8)";
        QTest::newRow("the first by name") << "#first" << "T.grid(16, 4)";
        QTest::newRow("none") << "#unscheduled" << "range(64)";
    }
    void aFileWithSchedules()
    {
        QFETCH(QString, name);
        QFETCH(QString, loop);
        const auto state = valueOf(Opener().loadState(m_module + name.toStdString()));
        QVERIFY2(textOf(state).contains(loop.toStdString()), textOf(state).c_str());
    }

    void aScheduleThatIsNotThere()
    {
        const auto state = Opener().loadState(m_module + "#secnod");
        QVERIFY(!state);
        QCOMPARE(state.error().code, std::string("open.no-variant"));
        QVERIFY(state.error().hint.contains("second"));
    }

    void variantsHaveNames()
    {
        const auto all = valueOf(Opener().loadVariants(m_module));
        std::vector<std::string> names;
        for (const workbench::NamedState &each : all)
            names.push_back(each.name);
        QCOMPARE(names, (std::vector<std::string>{"unscheduled", "first", "second"}));
        const auto one = valueOf(Opener().loadVariants(m_module + "#first"));
        QCOMPARE(one.size(), std::size_t(2));
        QCOMPARE(one.back().name, std::string("as scheduled"));
    }

    void aScheduleStandsBehindTheModules()
    {
        const auto state = valueOf(Opener().loadScheduled(m_module + "#unscheduled", m_schedule));
        QVERIFY(textOf(state).contains("T.grid(4, 16)"));
        const auto path = valueOf(Opener().loadPath(m_module + "#unscheduled", m_schedule));
        QCOMPARE(path.size(), std::size_t(1)); // queries are left out
        const auto written = valueOf(Opener().loadWritten(m_module + "#unscheduled", m_schedule));
        QCOMPARE(written.lines, std::vector<int>{3});
        const auto nothing = Opener().loadWritten(m_module, {});
        QVERIFY(!nothing);
        QCOMPARE(nothing.error().code, std::string("usage.schedule"));
    }

    /// Scripts have the numbers of the machine that the target is for.
    void scriptsFollowTheMachine()
    {
        const std::string script = m_folder.filePath(QStringLiteral("lanes.py")).toStdString();
        std::ofstream(script) << "def apply_trace(sch, lanes=2, own=2):\n"
                                 "  i, j, k = sch.get_loops(\"C\")\n"
                                 "  j0, j1 = sch.split(j, [None, lanes])\n"
                                 "  k0, k1 = sch.split(k, [None, own])\n";
        Opener opener;
        opener.setTarget(target::parseTarget("llvm -mcpu=haswell").value());
        const auto state = valueOf(opener.loadScheduled("op:matmul(M=16,N=16,K=16)", script));
        QVERIFY2(textOf(state).contains("T.grid(16, 2, 8, 8, 2)"), textOf(state).c_str());
    }

    void namesOfSchedules()
    {
        QCOMPARE(workbench::nameOfSchedule("a/b/fast.py"), std::string("fast"));
        QCOMPARE(workbench::nameOfSchedule("recipe:gemm:rows=6"), std::string("gemm:rows=6"));
        QCOMPARE(workbench::fileAndSchedule("x/gemm.py#s2"),
                 std::pair(std::string("x/gemm.py"), std::string("s2")));
        QCOMPARE(workbench::fileAndSchedule("gemm.py"), std::pair(std::string("gemm.py"), std::string()));
        QVERIFY(workbench::isSession("k.nest") && workbench::isSession("k.nest#best"));
        QVERIFY(!workbench::isSession("k.py#best"));
    }

    void aSessionsVariants()
    {
        const std::string file = session();
        Opener opener;
        const auto current = valueOf(opener.loadState(file));
        QVERIFY(textOf(current).contains("T.grid(8, 8)"));
        const auto named = valueOf(opener.loadState(file + "#first"));
        QVERIFY(textOf(named).contains("T.grid(16, 4)"));
        const auto numbered = valueOf(opener.loadState(file + "##1"));
        QCOMPARE(textOf(numbered), textOf(named));
        const auto root = valueOf(opener.loadUnscheduled(file));
        // A schedule begins at the unscheduled program where no variant is named, else behind that.
        const auto start = valueOf(opener.loadStart(file, m_schedule));
        QCOMPARE(textOf(start), textOf(root));
        const auto behind = valueOf(opener.loadStart(file + "#first", m_schedule));
        QCOMPARE(textOf(behind), textOf(named));
        QVERIFY(!opener.loadState(file + "#nobody"));
    }

    void remarksAreToldNotPrinted()
    {
        const std::string file = write(
            "failing.py", std::string(twoSchedules).replace(twoSchedules.find("[None, 4]"), 9, "[3, 5]   "));
        Heard heard;
        Opener opener(heard.hooks());
        const auto all = valueOf(opener.loadVariants(file));
        QCOMPARE(all.size(), std::size_t(2)); // the first fails, the last is there
        QCOMPARE(heard.notes.size(), std::size_t(1));
        QVERIFY2(heard.notes.front().starts_with(file + ":10:"), heard.notes.front().c_str());
        QVERIFY(heard.notes.front().contains(": note: "));
        QVERIFY(heard.notes.front().ends_with('\n'));
    }

    void readingIsWatched()
    {
        Heard heard;
        Opener opener(heard.hooks());
        valueOf(opener.loadScheduled(m_module + "#unscheduled", m_schedule));
        QVERIFY(std::ranges::contains(heard.watched, m_module));
        QVERIFY(std::ranges::contains(heard.watched, m_schedule));
        QCOMPARE(heard.open, 0);
    }

    void noScriptIsAModule()
    {
        const auto state = Opener().loadState(m_schedule);
        QVERIFY(!state);
        QCOMPARE(state.error().code, std::string("open.not-a-kernel"));
    }

private:
    std::string write(const std::string &name, std::string_view text) const
    {
        const std::string path = m_folder.filePath(QString::fromStdString(name)).toStdString();
        std::ofstream(path) << text;
        return path;
    }

    /// On the file with two schedules, saved.
    std::string session() const
    {
        const auto opened = session::Session::open(m_module);
        return opened ? write("two.nest", session::writeProject(*opened)) : std::string();
    }

    QTemporaryDir m_folder;
    std::string m_module, m_schedule;
};

} // namespace

QTEST_GUILESS_MAIN(OpenerTest)
#include "opener_test.moc"
