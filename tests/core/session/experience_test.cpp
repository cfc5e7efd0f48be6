// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/experience.h"

#include "core/explore/predict/prediction.h"
#include "core/measure/machine/this_machine.h"
#include "tests/core/session/sessions.h"

#include <QTest>

#include <cmath>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;

namespace {

measure::Measurement measured(double seconds)
{
    measure::Measurement measurement;
    measurement.time = {seconds, seconds, seconds};
    measurement.samples = {seconds, seconds};
    return measurement;
}

/// A product by vectors, then in parallel, then with a tile.
Session tiled()
{
    Session session = begin("op:matmul(M=256,N=256,K=256)");
    const auto made = session.importSchedule(R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  sch.reorder(i, k, j)
  j0, j1 = sch.split(j, [None, 16])
  sch.vectorize(j1)
)",
                                             "tiled.py");
    if (!made)
        qFatal("%s", made.error().render().c_str());
    return session;
}

} // namespace

class ExperienceTest : public QObject {
    Q_OBJECT

    const target::Machine m_machine = measure::thisMachine(2);

private Q_SLOTS:
    void nothingMeasuredSaysNothing()
    {
        const Session session = tiled();
        const auto experience = experienceOf(session.tree(), session.tree().current().id, m_machine);
        QCOMPARE(experience.compared, 0);
        QVERIFY(!experience.measuredGain);
        QCOMPARE(experience.corrected(3), 3.0);
        QVERIFY(explore::describe(experience).empty());
    }

    /// Half of the gain, as powers are counted, was measured.
    void predictionsAreCorrected()
    {
        Session session = tiled();
        VariantTree &tree = session.tree();
        const VariantId end = tree.current().id, root = tree.root().id;
        const double predicted = explore::predict(*tree.root().state, m_machine)->seconds
                                 / explore::predict(*tree.at(end).state, m_machine)->seconds;
        QVERIFY(predicted > 1.5);
        tree.setMeasurement(root, measured(1));
        tree.setMeasurement(end, measured(1 / std::sqrt(predicted)));
        const auto experience = experienceOf(tree, end, m_machine);
        QCOMPARE(experience.compared, 1);
        QVERIFY(std::abs(experience.strength - 0.5) < 1e-6);
        QVERIFY(std::abs(experience.tooGood - std::sqrt(predicted)) < 1e-6 * predicted);
        QVERIFY(std::abs(experience.corrected(4) - 2) < 1e-6);
        QVERIFY(explore::describe(experience).starts_with("the last was "));
        // Programs are known by what they are, whatever variant they were measured as.
        QVERIFY(std::abs(*experience.measuredGain(*tree.root().state) - 1 / std::sqrt(predicted)) < 1e-9);
        QVERIFY(!experience.measuredGain(*tree.at(*tree.at(end).parent).state));
    }

    /// The remedy of a finding is compared with the variant that it was a finding of.
    void oneActionIsComparedWithWhereItWasMade()
    {
        Session session = tiled();
        VariantTree &tree = session.tree();
        const VariantId end = tree.current().id;
        const int first = tree.size();
        const VariantId other = session.apply(tree.root().id, splitStep(*tree.root().state, "i", 8));
        tree.fold(first, other, end);
        tree.setMeasurement(tree.root().id, measured(4));
        tree.setMeasurement(end, measured(1));
        tree.setMeasurement(other, measured(2));
        const auto experience = experienceOf(tree, other, m_machine);
        QCOMPARE(experience.compared, 2);
        QVERIFY(std::abs(*experience.measuredGain(*tree.at(end).state) - 2) < 1e-9);
    }
};

QTEST_GUILESS_MAIN(ExperienceTest)
#include "experience_test.moc"
