// SPDX-License-Identifier: Apache-2.0
/// Peaks of GPUs: of data sheets, and measured by kernels, here on the processor that OpenCL's driver uses.
#include "core/measure/machine/data_sheet.h"
#include "core/measure/machine/device_peak.h"
#include "core/support/text/json.h"
#include "tests/core/measure/worker_fixture.h"

#include <algorithm>

using namespace nestwright;
using namespace nestwright::measure;

class DevicePeakTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sheetOfADevice_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("sheet");
        const auto row = [](const char *name, const char *sheet) { QTest::newRow(name) << name << sheet; };
        row("NVIDIA H100 80GB HBM3", "H100");
        row("NVIDIA H100 PCIe", "H100 PCIe");
        row("NVIDIA A100-SXM4-80GB", "A100");
        row("NVIDIA A10", "A10");
        row("NVIDIA A10G", "");
        row("NVIDIA L40S", "L40S");
        row("NVIDIA L4", "L4");
        row("Tesla V100-SXM2-16GB", "V100");
        row("NVIDIA GeForce RTX 4090", "RTX 4090");
        row("NVIDIA GeForce RTX 4060", "");
        row("", "");
    }
    void sheetOfADevice()
    {
        QFETCH(QString, name);
        QFETCH(QString, sheet);
        const DataSheet *found = dataSheetOfDevice(name.toStdString());
        QCOMPARE(found ? QString::fromUtf8(found->device.data(), qsizetype(found->device.size())) : QString(),
                 sheet);
    }

    void sheetsHaveRightUnits()
    {
        for (const DataSheet &sheet : dataSheets()) {
            const std::string name(sheet.device);
            QVERIFY2(sheet.float32Flops > 5e12 && sheet.float32Flops < 2e14, name.c_str());
            QVERIFY2(sheet.tensorFlops > 1.5 * sheet.float32Flops, name.c_str());
            QVERIFY2(sheet.bytesPerSecond > 1e11 && sheet.bytesPerSecond < 1e13, name.c_str());
            QVERIFY2(dataSheetOfDevice("NVIDIA " + name) == &sheet, name.c_str());
            QVERIFY2(dataSheetOfArchitecture(sheet.architecture)->architecture == sheet.architecture,
                     name.c_str());
        }
    }

    void aGpuThatIsNotHere()
    {
        const auto peak = knownPeak(*target::parseTarget("cuda -arch=sm_90a"));
        QVERIFY(peak && peak->isGpu && peak->isOfDataSheet);
        QCOMPARE(peak->processor, std::string("H100"));
        QCOMPARE(peak->levels.size(), std::size_t{1});
        QCOMPARE(peak->levels.front().bytesPerSecond, 3350e9);
        QCOMPARE(knownPeak(*target::parseTarget("cuda"))->processor, std::string("A100"));
        const auto none = knownPeak(*target::parseTarget("cuda -arch=sm_87"));
        QVERIFY(!none && none.error().message.contains("sm_87"));
    }

    /// The probes give the results that they define (else they are errors), and times.
    void measuredByKernels()
    {
        const target::Target target = *target::parseTarget("opencl");
        if (!backend::checkDevice(target))
            QSKIP("no OpenCL device");
        backend::DeviceFacts gpu;
        gpu.name = "NVIDIA H100 PCIe";
        gpu.computeUnits = 1;
        gpu.sharedBytes = 1 << 15;
        gpu.cacheBytes = 1 << 20;
        Measurer measurer({.program = tests::thisProgram()});
        const auto peak = measureDevicePeak(measurer, target, gpu);
        QVERIFY2(peak, peak ? "" : peak.error().render().c_str());
        QVERIFY(peak->isGpu && !peak->isOfDataSheet);
        QCOMPARE(peak->tensorFlops, 756.4e12);
        const auto isLikely = [](double rate) { return rate > 1e7 && rate < 1e14; };
        QVERIFY(isLikely(peak->float32Flops) && isLikely(peak->float64Flops));
        std::vector<std::string> names;
        for (const target::MemoryLevel &level : peak->levels) {
            names.push_back(level.name);
            QVERIFY2(isLikely(level.bytesPerSecond), level.name.c_str());
        }
        QCOMPARE(names, (std::vector<std::string>{"shared", "L2", "DRAM"}));
        storeCachedPeak(*peak);
        const auto kept = loadCachedPeak(gpu.name);
        QVERIFY(kept && kept->isGpu);
        QCOMPARE(kept->tensorFlops, peak->tensorFlops);
        QVERIFY(!loadCachedPeak(std::string("NVIDIA H100-PCIe"))); // the same file, another device
    }

    void withoutACacheOrDoubles()
    {
        const target::Target target = *target::parseTarget("cuda");
        Measurer measurer({.program = "/nonexistent/nestc"});
        const auto peak = measureDevicePeak(measurer, target, {});
        QVERIFY(!peak && !peak.error().code.empty());
        MachinePeak known;
        known.processor = "a GPU";
        known.isGpu = true;
        known.float32Flops = 1e12;
        known.levels = {{"DRAM", 0, 1e11}};
        QVERIFY(machinePeakFromJson(toJson(known)));
        known.isGpu = false;
        QVERIFY(!machinePeakFromJson(toJson(known)));
    }
};

int main(int argc, char *argv[]) { return tests::runTestOrWorker<DevicePeakTest>(argc, argv); }
#include "device_peak_test.moc"
