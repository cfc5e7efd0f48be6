// SPDX-License-Identifier: Apache-2.0
// Opening tells its phase, and stops in whatever phase it is asked to.
#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"
#include "tests/support/long_session.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <set>

using namespace nestwright;

namespace {

/// "step 3 of 7" is of the phase "step".
std::string kindOf(std::string_view phase) { return std::string(phase.substr(0, phase.find_first_of(" :"))); }

std::vector<std::string> phasesOf(const std::function<void()> &work)
{
    std::vector<std::string> phases;
    const support::PhaseScope scope([&](std::string_view phase) {
        if (phases.empty() || phases.back() != kindOf(phase))
            phases.push_back(kindOf(phase));
    });
    work();
    return phases;
}

} // namespace

class OpeningPhasesTest : public QObject {
    Q_OBJECT

    std::string m_session = tests::longSessionText(40);

    void openModel() const
    {
        const std::string file =
            (QDir::currentPath() + "/examples/models/transformer_encoder.onnx").toStdString();
        const auto model = session::openModel(file, {});
        QVERIFY(model.has_value() && session::beginKernel(*model, 0).has_value());
    }
    void openSession() const { QVERIFY(session::readProject(m_session, "long.nest").has_value()); }

private Q_SLOTS:
    void phasesAreToldInOrder()
    {
        const std::vector<std::string> model{"reading",  "importing", "optimising",
                                             "lowering", "counting",  "scheduling"};
        QVERIFY(phasesOf([this] { openModel(); }) == model);
        QVERIFY(phasesOf([this] { openSession(); }) == std::vector<std::string>{"step"});
        support::tellPhase("nobody listens");
        std::vector<std::string> told;
        const support::PhaseScope scope([&](std::string_view phase) { told.emplace_back(phase); });
        openSession();
        QVERIFY(told.front() == "step 1 of 41" && told.back() == "step 41 of 41");
    }

    void eachCanBeStopped_data()
    {
        QTest::addColumn<bool>("isModel");
        QTest::addColumn<QByteArray>("phase");
        for (const char *phase : {"reading", "importing", "optimising", "lowering", "scheduling"})
            QTest::newRow(phase) << true << QByteArray(phase);
        QTest::newRow("step") << false << QByteArray("step");
    }
    /// Asked to stop when the phase has begun, the work ends before the next one.
    void eachCanBeStopped()
    {
        QFETCH(const bool, isModel);
        QFETCH(const QByteArray, phase);
        std::stop_source stop;
        std::set<std::string> later;
        const support::PhaseScope phases([&](std::string_view told) {
            if (kindOf(told) == phase.toStdString())
                stop.request_stop();
            else if (stop.stop_requested())
                later.insert(kindOf(told));
        });
        bool stopped = false;
        try {
            const support::StopScope scope(stop.get_token());
            isModel ? openModel() : openSession();
        } catch (const support::Stopped &) {
            stopped = true;
        }
        QVERIFY(stopped);
        QVERIFY2(later.empty(), later.empty() ? "" : later.begin()->c_str());
    }
};

QTEST_GUILESS_MAIN(OpeningPhasesTest)
#include "opening_phases_test.moc"
