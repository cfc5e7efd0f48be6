// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/stop.h"

#include <QtTest>

using namespace nestwright::support;

class StopTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingStopsWithoutAScope()
    {
        checkStop();
        QVERIFY(!currentStop().stop_possible());
    }

    void scopesNest()
    {
        std::stop_source outer, inner;
        const StopScope first(outer.get_token());
        {
            const StopScope second(inner.get_token());
            outer.request_stop();
            checkStop(); // the inner one counts
            inner.request_stop();
            QVERIFY_THROWS_EXCEPTION(Stopped, checkStop());
        }
        QVERIFY_THROWS_EXCEPTION(Stopped, checkStop());
        QVERIFY(currentStop() == outer.get_token());
    }
};

QTEST_GUILESS_MAIN(StopTest)
#include "stop_test.moc"
