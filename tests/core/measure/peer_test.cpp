// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/peer.h"

#include "core/support/text/json.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::measure;

class PeerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLibraryIsTimed_data()
    {
        QTest::addColumn<int>("library");
        QTest::addColumn<QString>("name");
        QTest::newRow("OpenBLAS") << int(PeerLibrary::OpenBlas) << "OpenBLAS ";
        QTest::newRow("oneDNN") << int(PeerLibrary::OneDnn) << "oneDNN ";
    }

    void theLibraryIsTimed()
    {
        QFETCH(int, library);
        QFETCH(QString, name);
        const analysis::MatrixProduct product{128, 96, 64, true, false, false};
        const auto time = timePeer(product, 1, static_cast<PeerLibrary>(library));
        if (!time && time.error().code == "peer.none")
            QSKIP("the library is not on this machine");
        QVERIFY(time);
        QVERIFY(time->library.starts_with(name.toStdString()));
        QCOMPARE(time->flops, 2.0 * 128 * 96 * 64);
        QVERIFY(time->seconds.low <= time->seconds.median && time->seconds.median <= time->seconds.high);
        QVERIFY2(time->gflops() > 0.1 && time->gflops() < 1e5, qPrintable(QString::number(time->gflops())));
        const auto again = peerTimeFromJson(toJson(*time));
        QVERIFY(again);
        QCOMPARE(toJson(*again), toJson(*time));
    }

    void otherKernelsAreTimed()
    {
        const analysis::Convolution convolution{1, 8, 16, {14, 14}, {3, 3}, {7, 7}, {2, 2}, {1, 1}, {1, 1}};
        const analysis::Convolution dense{1, 8, 16, {14, 14}, {3, 3}, {14, 14}, {1, 1}, {1, 1}, {1, 1}};
        const analysis::Softmax softmax{16, 32};
        for (const analysis::LibraryKernel &kernel :
             {analysis::LibraryKernel(convolution), analysis::LibraryKernel(dense), {softmax}}) {
            const auto time = timePeer(kernel, 1, PeerLibrary::OneDnn);
            if (!time && time.error().message.contains("not on this machine"))
                QSKIP("the library is not on this machine");
            QVERIFY2(time, time ? "" : time.error().message.c_str());
            QCOMPARE(time->flops, analysis::flopsOf(kernel));
            QVERIFY(time->seconds.median > 0);
            QCOMPARE(timePeer(kernel, 1, PeerLibrary::OpenBlas).error().code, std::string("peer.none"));
            QVERIFY(libraryKernelFromJson(toJson(kernel)) == kernel);
        }
        const analysis::MatrixProduct product{3, 4, 5, true, false, true};
        QVERIFY(libraryKernelFromJson(toJson(analysis::LibraryKernel(product)))
                == analysis::LibraryKernel(product));
    }

    void theFastestIsTaken()
    {
        const analysis::MatrixProduct product{256, 256, 256, false, false, false};
        const auto best = timeFastestPeer(product, 1);
        if (!best && best.error().code == "peer.none")
            QSKIP("no library is on this machine");
        QVERIFY(best);
        const auto doubles = timeFastestPeer(analysis::MatrixProduct{64, 64, 64, false, false, true}, 1);
        QVERIFY(!doubles || doubles->library.starts_with("OpenBLAS")); // the other has none
        QVERIFY(timePeer(analysis::MatrixProduct{64, 64, 64, false, false, true}, 1, PeerLibrary::OneDnn)
                    .error()
                    .code
                == "peer.none");
    }

    void hugeProductsAreRefused()
    {
        const std::int64_t much = std::int64_t{1} << 20;
        const auto time = timeFastestPeer(analysis::MatrixProduct{much, much, much, false, false, false}, 1);
        QVERIFY(!time);
        QVERIFY(time.error().code == "peer.size" || time.error().code == "peer.none");
    }

    void numbersThatCannotBeAreRefused()
    {
        const support::Json good = toJson(PeerTime{"OpenBLAS 0.3", {1, 2, 3}, 10, 0, false});
        QVERIFY(peerTimeFromJson(good));
        for (const char *name : {"library", "seconds", "seconds_low", "seconds_high", "flops"}) {
            support::Json bad = good;
            bad.erase(name);
            QVERIFY2(!peerTimeFromJson(bad), name);
            bad[name] = std::string(name) == "library" ? support::Json(1) : support::Json(-1);
            QVERIFY2(!peerTimeFromJson(bad), name);
        }
        QVERIFY(!peerTimeFromJson(support::Json()));
    }
};

QTEST_GUILESS_MAIN(PeerTest)
#include "peer_test.moc"
