// SPDX-License-Identifier: Apache-2.0
// Facts told about this machine.
#include "core/measure/machine/machine_facts.h"

#include "core/backend/backend.h"
#include "core/measure/machine/caches.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/support/host.h"
#include "core/support/text/bytes_text.h"

#include <QTemporaryDir>
#include <QTest>

#include <format>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

/// Values by name.
std::map<std::string, std::string> facts()
{
    std::map<std::string, std::string> values;
    for (const MachineFact &fact : machineFacts())
        values[fact.name] = fact.value;
    return values;
}

} // namespace

class MachineFactsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_cache;

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8()); }

    void theProcessorAndItsCaches()
    {
        const auto told = facts();
        QCOMPARE(told.at("processor"), support::processorName());
        QCOMPARE(told.at("threads"), std::to_string(threadsOf({})));
        const Caches own = caches();
        for (const target::MemoryLevel &level : own.levels) {
            const auto cache = told.find("cache-" + level.name);
            QVERIFY(cache != told.end());
            QVERIFY(cache->second.starts_with(support::bytesText(static_cast<double>(level.bytes)) + ", "));
            QCOMPARE(cache->second.contains("as is usual"), own.isAssumed);
        }
    }

    void targetsThatAreBuilt()
    {
        std::string expected;
        for (const char *name : {"llvm", "c", "opencl", "cuda"}) {
            if (backend::isBuilt(target::parseTarget(name)->kind))
                expected += (expected.empty() ? "" : ", ") + std::string(name);
        }
        QCOMPARE(facts().at("targets"), expected);
    }

    void thePeakIsToldOnceItIsKnown()
    {
        QVERIFY(facts().at("peak").starts_with("not measured yet"));
        MachinePeak peak;
        peak.processor = support::processorName();
        peak.threads = threadsOf({});
        peak.float32Flops = 123.44e9;
        peak.float64Flops = 61e9;
        peak.levels = {{"L1", 32768, 200e9}, {"DRAM", 0, 20.25e9}};
        storeCachedPeak(peak);
        const auto told = facts();
        QVERIFY(!told.contains("peak"));
        QCOMPARE(told.at("peak-float32"), std::string("123.4 GFLOPS"));
        QCOMPARE(told.at("peak-float64"), std::string("61.0 GFLOPS"));
        QCOMPARE(told.at("bandwidth-L1"), std::string("200.0 GB/s"));
        QCOMPARE(told.at("bandwidth-DRAM"), std::string("20.2 GB/s"));
    }

    void theSandboxIsToldPartByPart()
    {
        const Sandbox sandbox = probeSandbox();
        const auto told = facts();
        for (const auto &[name, isApplied] : {std::pair{"sandbox-files", sandbox.files},
                                              {"sandbox-limits", sandbox.limits},
                                              {"sandbox-system-calls", sandbox.systemCalls},
                                              {"sandbox-environment", true}})
            QCOMPARE(told.at(name) == "applied", isApplied);
    }
};

QTEST_GUILESS_MAIN(MachineFactsTest)
#include "machine_facts_test.moc"
