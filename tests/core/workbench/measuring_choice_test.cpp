// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/measuring/choice.h"

#include "core/session/files/project_file.h"
#include "core/workbench/measuring/measured_programs.h"
#include "tests/core/session/sessions.h"

#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace nestwright;
using session::VariantId;
using workbench::MeasuredPrograms;
using workbench::MeasureQuestion;

namespace {

measure::Measurement figure(double seconds, bool isStored = false)
{
    measure::Measurement made;
    made.time = {seconds, seconds, seconds};
    made.samples = {seconds};
    made.stored = isStored;
    return made;
}

class MeasuringChoiceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Root 0, a split 1, a refused step 2, a second split 3 and edited code of a stranger 4.
    void init()
    {
        m_session = tests::begin();
        const schedule::State root = *m_session->tree().root().state;
        const VariantId first = m_session->apply({0}, tests::splitStep(root, "i", 4));
        const schedule::Step again = tests::splitStep(root, "i", 4);
        m_session->apply(first, again); // the loop is no more
        m_session->apply({0}, tests::splitStep(root, "j", 8));
        m_session->tree().addEdit(first, {backend::SourceKind::C, "int a;\n", "int b;\n", true});
        m_session->tree().setName(first, "rows");
        QVERIFY(!m_session->tree().at({2}).ok());
    }

    void everyProgramWithoutAFigure()
    {
        QCOMPARE(workbench::unmeasured(*m_session), (std::vector<VariantId>{{0}, {1}, {3}, {4}}));
        m_session->tree().setMeasurement({1}, figure(0.1));
        m_session->tree().setMeasurement({3}, figure(0.1, true)); // a file says so
        QCOMPARE(workbench::unmeasured(*m_session), (std::vector<VariantId>{{0}, {3}, {4}}));
        m_session->setInputs({{"A", {"a.npy"}}});
        QCOMPARE(workbench::unmeasured(*m_session), (std::vector<VariantId>{{0}, {1}, {3}, {4}}));
    }

    void theReferenceIsMeasuredOnce()
    {
        QCOMPARE(workbench::missingReference(*m_session), std::optional(VariantId{0}));
        m_session->tree().setMeasurement({0}, figure(0.1, true));
        QVERIFY(!workbench::missingReference(*m_session));
        m_session->setInputs({{"A", {"a.npy"}}});
        QVERIFY(workbench::missingReference(*m_session));
    }

    void theRivalIsAParentThatRunsQuickly()
    {
        const session::VariantTree &tree = m_session->tree();
        QVERIFY(!workbench::rivalOf(tree, {0}));
        QVERIFY(!workbench::rivalOf(tree, {1})); // nobody knows how long it takes
        m_session->tree().setMeasurement({0}, figure(0.2));
        QVERIFY(!workbench::rivalOf(tree, {1}));
        m_session->tree().setMeasurement({0}, figure(0.001));
        QCOMPARE(workbench::rivalOf(tree, {1}), std::optional(VariantId{0}));
    }

    void jobs()
    {
        const auto alone = workbench::jobBesideRival(*m_session, {1}, nullptr, {5, 0.1});
        QVERIFY(alone && alone->variants.size() == 1 && alone->repetitions == 5 && alone->counters);
        m_session->tree().setMeasurement({0}, figure(0.001));
        const auto beside = workbench::jobBesideRival(*m_session, {1}, nullptr, {5, 0.1});
        QVERIFY(beside && beside->variants.size() == 2);
        const auto reference = workbench::jobBesideRival(*m_session, {0}, nullptr, {5, 0.1});
        QVERIFY(reference && reference->variants.size() == 1 && reference->repetitions == 3);
        // Nobody has agreed to run it.
        QVERIFY(!workbench::jobBesideRival(*m_session, {4}, nullptr, {}));
        m_session->tree().allowEdits();
        const auto edited = workbench::jobBesideRival(*m_session, {4}, nullptr, {});
        QVERIFY(edited && edited->edits.contains(edited->variants.size() - 1));
        const std::vector<VariantId> few{{0}, {1}}, many(20, VariantId{1});
        QVERIFY(workbench::rankingJob(*m_session, few, {})->counters);
        QVERIFY(!workbench::rankingJob(*m_session, many, {})->counters);
    }

    void allOfASession()
    {
        const MeasuredPrograms all = chosen({.module = file()});
        QCOMPARE(all.names(), (std::vector<std::string>{"unscheduled", "rows", nameOfThird()}));
        QCOMPARE(all.foreignEdits, 1);
        QVERIFY(all.job().edits.empty());
        const MeasuredPrograms agreed = chosen({.module = file(), .runsForeignEdits = true});
        QCOMPARE(agreed.programs.size(), std::size_t(4));
        QVERIFY(agreed.job().edits.contains(3));
        QCOMPARE(agreed.programs.back().name, "#4 " + m_session->tree().at({4}).label);
    }

    void oneOfASession()
    {
        const MeasuredPrograms one = chosen({.module = file() + "#rows"});
        QCOMPARE(one.names(), (std::vector<std::string>{"unscheduled", "rows"}));
        QCOMPARE(one.last, std::size_t(1));
        QCOMPARE(chosen({.module = file() + "#unscheduled"}).programs.size(), std::size_t(1));
    }

    void onTheSessionsTargetWithItsInputs()
    {
        m_session->setTarget(target::parseTarget("c").value());
        const MeasuredPrograms own = chosen({.module = file()});
        QCOMPARE(own.target.str(), std::string("c"));
        const MeasuredPrograms other =
            chosen({.module = file(), .target = target::parseTarget("llvm").value()});
        QCOMPARE(other.target.kind, target::TargetKind::Llvm);
    }

    void ofAModule()
    {
        const MeasuredPrograms plain = chosen({.module = "op:matmul(M=16,N=16,K=16)"});
        QCOMPARE(plain.names(), std::vector<std::string>{"as it is"});
        const std::string steps = write("outer.py", "i, j, k = sch.get_loops(\"C\")\nsch.parallel(i)\n");
        const MeasuredPrograms scheduled =
            chosen({.module = "op:matmul(M=16,N=16,K=16)", .schedules = {steps, "recipe:gemm"}});
        QCOMPARE(scheduled.names(), (std::vector<std::string>{"outer", "gemm"}));
        QCOMPARE(scheduled.last, std::size_t(1));
    }

private:
    std::string write(const std::string &name, const std::string &text) const
    {
        const std::string path = m_folder.filePath(QString::fromStdString(name)).toStdString();
        std::ofstream(path) << text;
        return path;
    }
    std::string file() const { return write("K.nest", session::writeProject(*m_session)); }

    /// A refused step is read again as one.
    std::string nameOfThird() const { return "#3 " + m_session->tree().at({3}).label; }

    static MeasuredPrograms chosen(const MeasureQuestion &question)
    {
        workbench::Opener opener;
        auto programs = workbench::measuredPrograms(opener, question);
        if (!programs)
            qFatal("%s", programs.error().render().c_str());
        return std::move(*programs);
    }

    QTemporaryDir m_folder;
    std::optional<session::Session> m_session;
};

} // namespace

QTEST_GUILESS_MAIN(MeasuringChoiceTest)
#include "measuring_choice_test.moc"
