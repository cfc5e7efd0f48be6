// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/bisect.h"

#include "core/support/errors/stop.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;

namespace {

Opinion opinion(char judgement)
{
    switch (judgement) {
    case 'g': return {};
    case 'b': return {Judgement::Bad, support::diagnostic("test.bad", "it is bad")};
    default: return {Judgement::Unknown, support::diagnostic("test.unknown", "it is not known")};
    }
}

/// Bisects a way whose positions are judged as the letters say.
support::Result<std::optional<Turn>> found(const std::string &way)
{
    return bisect(way.size() - 1, [&](std::size_t position, Round) { return opinion(way.at(position)); });
}

} // namespace

class BisectTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPlaceIsFound()
    {
        constexpr std::size_t last = 60;
        for (std::size_t bad = 1; bad <= last; ++bad) {
            const auto turn = found(std::string(bad, 'g') + std::string(last + 1 - bad, 'b')).value();
            QVERIFY(turn);
            QCOMPARE(turn->good, bad - 1);
            QCOMPARE(turn->bad, bad);
            QVERIFY(turn->isConfirmed && turn->isMonotone);
            QVERIFY(turn->judgements <= 2 + 6 + 2 + 4); // ends, halves, confirmation, probes
            QCOMPARE(turn->reason.code, std::string("test.bad"));
        }
    }

    void nothingIsWrong()
    {
        QVERIFY(!found("ggg").value());
        QVERIFY(!found("gbg").value());
        QVERIFY(!found("g").value());
    }

    void endsMustBeJudged()
    {
        QCOMPARE(found("bgb").error().code, std::string("explore.bad-begin"));
        QCOMPARE(found("ugb").error().code, std::string("explore.unknown"));
        QCOMPARE(found("ggu").error().code, std::string("explore.unknown"));
        QCOMPARE(found("b").error().code, std::string("explore.bad-begin"));
    }

    void unknownIsGoneAround()
    {
        const auto turn = found("ggguuugbbbb").value();
        QVERIFY(turn);
        QCOMPARE(turn->good, 6U);
        QCOMPARE(turn->bad, 7U);
        const auto open = found("gguuuubb").value();
        QVERIFY(open);
        QCOMPARE(open->good, 1U);
        QCOMPARE(open->bad, 6U);
        QCOMPARE(open->unknown, (std::vector<std::size_t>{2, 3, 4, 5}));
    }

    void whatComesBackIsSaid()
    {
        const std::string way = "gggbbbggggggggggggbb";
        const auto turn = found(way).value();
        QVERIFY(turn);
        QCOMPARE(way.at(turn->good), 'g');
        QCOMPARE(turn->bad, turn->good + 1);
        QCOMPARE(way.at(turn->bad), 'b');
        QVERIFY(!turn->isMonotone);
    }

    /// Inputs of the search that do not show a fault: those of the confirmation do.
    void theConfirmationCorrects()
    {
        const auto turn = bisect(16, [](std::size_t position, Round round) {
                              const bool isSeen = round == Round::Confirmation || position > 9;
                              return opinion(position >= 5 && isSeen ? 'b' : 'g');
                          }).value();
        QVERIFY(turn);
        QVERIFY(turn->bad <= 9 && turn->bad >= 5);
        QVERIFY(!turn->isConfirmed || turn->good == 4);
    }

    void stops()
    {
        std::stop_source source;
        const support::StopScope scope(source.get_token());
        int judged = 0;
        QVERIFY_EXCEPTION_THROWN(bisect(1000,
                                        [&](std::size_t position, Round) {
                                            if (++judged == 4)
                                                source.request_stop();
                                            return opinion(position > 700 ? 'b' : 'g');
                                        }),
                                 support::Stopped);
        QCOMPARE(judged, 4);
    }
};

QTEST_GUILESS_MAIN(BisectTest)
#include "bisect_test.moc"
