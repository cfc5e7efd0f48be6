// SPDX-License-Identifier: Apache-2.0
#include "core/support/phase.h"

#include "core/support/errors/stop.h"

#include <QtTest>

#include <thread>

using namespace nestwright::support;

namespace {

/// A sink that remembers what it was told.
PhaseSink to(QStringList &phases)
{
    return [&phases](std::string_view phase) { phases << QString::fromUtf8(phase); };
}

} // namespace

class PhaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theInnermostScopeIsTold()
    {
        QStringList outer, inner;
        tellPhase("nobody hears");
        {
            const PhaseScope first(to(outer));
            tellPhase("one");
            {
                const PhaseScope second(to(inner));
                tellPhase("two");
            }
            tellPhase("three");
            std::thread([] { tellPhase("another thread's"); }).join();
        }
        tellPhase("nobody hears");
        QCOMPARE(outer, QStringList({"one", "three"}));
        QCOMPARE(inner, QStringList({"two"}));
    }

    void workThatIsToStopBeginsNoPhase()
    {
        QStringList phases;
        const PhaseScope phase(to(phases));
        std::stop_source source;
        const StopScope stop(source.get_token());
        tellPhase("one");
        source.request_stop();
        QVERIFY_THROWS_EXCEPTION(Stopped, tellPhase("two"));
        QCOMPARE(phases, QStringList({"one"}));
    }
};

QTEST_GUILESS_MAIN(PhaseTest)
#include "phase_test.moc"
