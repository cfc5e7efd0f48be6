// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/device_json.h"

#include "core/support/text/json.h"

#include <QtTest>

using namespace nestwright;
using support::Json;

namespace {

class DeviceJsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFactComesBack()
    {
        const backend::DeviceFacts gpu{.name = "GPU",
                                       .driver = "CUDA 13",
                                       .architecture = "sm_90",
                                       .isGpu = true,
                                       .computeUnits = 132,
                                       .memoryBytes = std::int64_t{80} << 30,
                                       .sharedBytes = 227 << 10,
                                       .mostThreads = 1024,
                                       .cacheBytes = 50 << 20};
        const Json json = backend::toJson(gpu);
        QCOMPARE(json.size(), std::size_t(9));
        const backend::DeviceFacts again = backend::deviceFromJson(Json::parse(json.dump()));
        QCOMPARE(backend::toJson(again), json);
        QCOMPARE(again.sharedBytes, gpu.sharedBytes);
        QCOMPARE(again.mostThreads, gpu.mostThreads);
    }

    void whatIsNoDeviceThrows()
    {
        QVERIFY_THROWS_EXCEPTION(Json::exception, backend::deviceFromJson(Json::object()));
        QVERIFY_THROWS_EXCEPTION(Json::exception, backend::deviceFromJson(Json("a device")));
    }
};

} // namespace

QTEST_GUILESS_MAIN(DeviceJsonTest)
#include "device_json_test.moc"
