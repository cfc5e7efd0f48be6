// SPDX-License-Identifier: Apache-2.0
// Cores and caches of machines that hwloc makes up, and quotas of control groups.
#include "core/measure/machine/topology.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using measure::Topology;

class TopologyTest : public QObject {
    Q_OBJECT

    static void write(const QString &path, const QByteArray &text)
    {
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

private Q_SLOTS:
    void coresThreadsAndWhoSharesCaches()
    {
        const auto found = measure::topologyOf(
            "pack:2 l3:1(size=33554432) l2:8(size=1048576) l1d:1(size=32768) core:1 pu:2");
        QVERIFY2(found.has_value(), found ? "" : found.error().message.c_str());
        QCOMPARE(found->cores(), 16);
        QCOMPARE(found->threads(), 32);
        QCOMPARE(found->kinds.size(), std::size_t{1});
        QCOMPARE(found->kinds[0].threadsOfCore, 2);
        QCOMPARE(found->caches.size(), std::size_t{3});
        QCOMPARE(found->caches[0].name, std::string("L1"));
        QCOMPARE(found->caches[0].bytes, 32768);
        QCOMPARE(found->caches[0].sharers, 1);
        QCOMPARE(found->caches[2].bytes, 33554432);
        QCOMPARE(found->caches[2].sharers, 8);
    }

    void clustersShareTheSecondCache()
    {
        const auto found = measure::topologyOf("l2:2(size=1048576) l1d:4(size=32768) core:1 pu:1");
        QVERIFY(found.has_value());
        QCOMPARE(found->cores(), 8);
        QCOMPARE(found->caches[1].sharers, 4);
        target::Machine machine;
        machine.cores = found->kinds;
        machine.levels = found->caches;
        machine.threads = 1;
        QCOMPARE(machine.bytesOfThread(machine.levels[1]), 1 << 20);
        machine.threads = 8;
        QCOMPARE(machine.bytesOfThread(machine.levels[1]), 1 << 18);
        machine.threads = 16; // two of a core
        QCOMPARE(machine.bytesOfThread(machine.levels[0]), 1 << 14);
    }

    void nodesOfMemory()
    {
        const auto found = measure::topologyOf("numa:4 core:2 pu:1");
        QVERIFY(found.has_value());
        QCOMPARE(found->nodes, 4);
    }

    void wordsThatDescribeNothing()
    {
        const auto none = measure::topologyOf("core:0 what");
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("usage.topology"));
    }

    void thisMachine()
    {
        const Topology &here = measure::topology();
        QVERIFY(here.cores() >= 1);
        QVERIFY(here.threads() >= here.cores());
        QVERIFY(measure::usableThreads() >= 1);
    }

    void quotas()
    {
        QTemporaryDir folder;
        const auto path = [&](const char *name) { return folder.filePath(QString::fromLatin1(name)); };
        const auto quota = [&] {
            return measure::processorQuota(path("cgroup").toStdString(), path("groups").toStdString());
        };
        QCOMPARE(quota(), 0.0);
        write(path("groups"), "0::/a/b\n");
        write(path("cgroup/a/cpu.max"), "150000 100000\n");
        write(path("cgroup/a/b/cpu.max"), "max 100000\n");
        QCOMPARE(quota(), 1.5);
        write(path("cgroup/cpu.max"), "50000 100000\n");
        QCOMPARE(quota(), 0.5);
        write(path("groups"), "no group at all\n1:name=x:relative\n");
        QCOMPARE(quota(), 0.0);
        write(path("groups"), "4:cpu,cpuacct:/box\n");
        write(path("cgroup/cpu/box/cpu.cfs_quota_us"), "300000\n");
        write(path("cgroup/cpu/box/cpu.cfs_period_us"), "100000\n");
        QCOMPARE(quota(), 3.0);
        write(path("cgroup/cpu/box/cpu.cfs_quota_us"), "-1\n");
        QCOMPARE(quota(), 0.0);
    }
};

QTEST_GUILESS_MAIN(TopologyTest)
#include "topology_test.moc"
