// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/stack_room.h"

#include <QtTest>

#include <thread>

using namespace nestwright::support;

namespace {

/// How deep it gets before it is stopped, or `most`.
int depthReached(int most, volatile char *outer = nullptr)
{
    volatile char frame[1000];
    frame[0] = outer ? outer[0] : char(0);
    checkStackRoom();
    return most == 0 ? 0 : 1 + depthReached(most - 1, frame) + frame[0];
}

} // namespace

class StackRoomTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shallowTextsPass() { QCOMPARE(depthReached(100), 100); }

    void endlessRecursionIsAnError()
    {
        for (int again = 0; again < 2; ++again) { // and does no harm to later work
            try {
                depthReached(1'000'000'000);
                QFAIL("no end");
            } catch (const UserError &error) {
                QCOMPARE(error.diagnostic().code, std::string(codes::tooDeep));
                QVERIFY(!error.diagnostic().hint.empty());
            }
        }
        QCOMPARE(depthReached(100), 100);
    }

    void everyThreadHasItsOwn()
    {
        bool isStopped = false;
        std::thread([&] {
            try {
                depthReached(1'000'000'000);
            } catch (const UserError &) {
                isStopped = true;
            }
        }).join();
        QVERIFY(isStopped);
    }
};

QTEST_GUILESS_MAIN(StackRoomTest)
#include "stack_room_test.moc"
