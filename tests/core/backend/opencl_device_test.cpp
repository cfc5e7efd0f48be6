// SPDX-License-Identifier: Apache-2.0
// Kernels on the first OpenCL device, where there is one: what it says of itself, and of what it cannot do.
#include "core/backend/backend.h"
#include "core/backend/device/device_program.h"
#include "core/backend/link/loaded_kernel.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::backend;

namespace {

/// A[i] = 1 by `threads` threads in one block, by way of memory of its own whose elements lie so far apart.
ir::Module storing(const std::string &threads, const std::string &apart = "1")
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((T.int64({1}) * T.int64(4),), "float32")
    for t in T.thread_binding({0}, thread="threadIdx.x"):
        B[T.Cast("int64", t % 4) * T.int64({1})] = T.float32(1)
    for t in T.thread_binding({0}, thread="threadIdx.x"):
        A[t % 4] = B[T.Cast("int64", t % 4) * T.int64({1})]
)",
                                     threads, apart));
}

Artifact compiled(const ir::Module &module)
{
    auto artifact = compile(module, *target::parseTarget("opencl"));
    if (!artifact)
        qFatal("%s", artifact.error().render().c_str());
    return std::move(*artifact);
}

/// The artifact with another program.
Artifact with(Artifact artifact, const std::function<void(DeviceProgram &)> &change)
{
    DeviceProgram program = DeviceProgram::read(artifact.bytes).value();
    change(program);
    artifact.bytes = program.bytes();
    return artifact;
}

std::string errorOf(const Artifact &artifact)
{
    const auto kernel = load(artifact);
    if (!kernel)
        return kernel.error().code + ": " + kernel.error().message;
    ir::NdArray a(ir::DataType::float32(), {4});
    const auto called = call(**kernel, "main", std::array{&a});
    if (!called)
        return called.error().code + ": " + called.error().message;
    return a.at(0) == 1 && a.at(3) == 1 ? "" : "other results";
}

} // namespace

class OpenClDeviceTest : public QObject {
    Q_OBJECT

    std::vector<DeviceFacts> m_devices;

private Q_SLOTS:
    void initTestCase()
    {
        if (qgetenv("NESTWRIGHT_TEST_OPENCL") == "0")
            QSKIP("NESTWRIGHT_TEST_OPENCL is 0");
        m_devices = devices(target::TargetKind::OpenCl);
        if (m_devices.empty())
            QSKIP("there is no OpenCL device here");
    }

    void devicesDescribeThemselves()
    {
        for (const DeviceFacts &device : m_devices) {
            QVERIFY(!device.name.empty() && !device.name.ends_with('\0'));
            QVERIFY2(device.driver.starts_with("OpenCL "), device.driver.c_str());
            QVERIFY(device.computeUnits > 0 && device.memoryBytes > 0 && device.sharedBytes > 0);
            QVERIFY(device.mostThreads > 0);
        }
        QVERIFY(std::ranges::is_partitioned(m_devices, &DeviceFacts::isGpu)); // those that are used first
        QVERIFY(checkDevice(*target::parseTarget("opencl")));
    }

    void whatItCannotDoIsSaid()
    {
        QCOMPARE(errorOf(compiled(storing("4"))), std::string());
        const std::string threads = errorOf(compiled(storing(std::to_string(m_devices[0].mostThreads * 4))));
        QVERIFY2(threads.starts_with("device.launch: the kernel 'main_kernel' cannot be launched: "),
                 threads.c_str());
        const std::string memory = errorOf(compiled(storing("4", "4398046511104")));
        QVERIFY2(memory.starts_with("device.memory: ")
                     && memory.contains(" bytes cannot be had on the device: the device "),
                 memory.c_str());
    }

    void codeThatIsNoneIsRefused()
    {
        const Artifact good = compiled(storing("4"));
        const std::string text =
            errorOf(with(good, [](DeviceProgram &program) { program.source = "no OpenCL C"; }));
        QVERIFY2(text.starts_with("backend.compiler: the compiler of '" + m_devices[0].name + "' says:\n"),
                 text.c_str());
        QVERIFY2(text.contains("error"), text.c_str()); // in its own words
        const std::string kernel =
            errorOf(with(good, [](DeviceProgram &program) { program.kernels[0].name = "nw_other"; }));
        QVERIFY2(kernel.contains("the driver's compiler left no kernel 'nw_other': "), kernel.c_str());
    }
};

QTEST_GUILESS_MAIN(OpenClDeviceTest)
#include "opencl_device_test.moc"
