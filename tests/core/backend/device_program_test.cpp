// SPDX-License-Identifier: Apache-2.0
// The host's part of a module that was split: which kernels it launches, with what, on a device that notes
// it.
#include "core/backend/device/device_kernel.h"

#include "core/backend/backend.h"
#include "core/backend/device/device_program.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <bit>
#include <cstring>
#include <format>

using namespace nestwright;
using namespace nestwright::backend;

namespace {

struct NotedMemory final : DeviceMemory {
    std::vector<std::byte> bytes;
    int number = 0;
};

std::vector<std::byte> &bytesOf(DeviceMemory &memory) { return static_cast<NotedMemory &>(memory).bytes; }

/// A device whose kernels do nothing but add 1 to each byte of their first memory, and tell `code`.
class NotingDevice final : public Device {
public:
    explicit NotingDevice(QStringList &notes, std::int32_t code = 0) : m_notes(notes), m_code(code) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override
    {
        auto memory = std::make_unique<NotedMemory>();
        memory->bytes.resize(bytes);
        memory->number = m_count++;
        return memory;
    }
    void upload(DeviceMemory &to, std::span<const std::byte> from) override
    {
        std::ranges::copy(from, bytesOf(to).begin());
    }
    void download(std::span<std::byte> to, DeviceMemory &from) override
    {
        std::ranges::copy_n(bytesOf(from).begin(), static_cast<std::ptrdiff_t>(to.size()), to.begin());
    }
    /// "name(memory 1 of 32 bytes, 5 in 4 bytes) blocks 2 1 1 threads 4 1 1"
    void launch(const std::string &kernel, std::span<const LaunchArgument> arguments, const Extents &blocks,
                const Extents &threads) override
    {
        QStringList told;
        for (const LaunchArgument &argument : arguments) {
            if (const auto *memory = std::get_if<DeviceMemory *>(&argument)) {
                const auto &noted = static_cast<NotedMemory &>(**memory);
                told << QString("memory %1 of %2").arg(noted.number).arg(noted.bytes.size());
                continue;
            }
            const auto &bytes = std::get<std::vector<std::byte>>(argument);
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), bytes.size());
            told << QString("%1 in %2").arg(word).arg(bytes.size());
        }
        m_notes << QString("%1(%2) blocks %3 %4 %5 threads %6 %7 %8")
                       .arg(QString::fromStdString(kernel), told.join(", "))
                       .arg(blocks[0])
                       .arg(blocks[1])
                       .arg(blocks[2])
                       .arg(threads[0])
                       .arg(threads[1])
                       .arg(threads[2]);
        for (std::byte &each : bytesOf(*std::get<DeviceMemory *>(arguments.front())))
            each = static_cast<std::byte>(std::to_integer<int>(each) + 1);
        if (m_code != 0)
            std::memcpy(bytesOf(*std::get<DeviceMemory *>(arguments.back())).data(), &m_code, sizeof m_code);
    }
    void finish() override { m_notes << "finish"; }

private:
    QStringList &m_notes;
    std::int32_t m_code;
    int m_count = 0;
};

constexpr const char *header = R"(
@T.prim_func
def main(A: T.Buffer((8,), "uint8"), n: T.int32, b: T.handle, x: T.int64):
    m = T.int32()
    B = T.match_buffer(b, (m, 2), "uint8")
)";

ir::Module hostOf(const QString &body)
{
    QString text = QString::fromUtf8(header);
    for (const QString &line : body.split('\n'))
        text += "    " + line + '\n';
    return tests::parsed(text.toStdString());
}

ir::NdArray bytes(std::vector<std::int64_t> shape, double first = 0)
{
    ir::NdArray array(ir::DataType::uint(8), std::move(shape));
    array.set(0, first);
    return array;
}

/// Notes of a device about the host's `body` with n = 5, m = 3 and x = 2^40; arrays are of 8 and 6 bytes.
QStringList notesOf(const QString &body, bool tellsErrors = false)
{
    QStringList notes;
    DeviceProgram program{hostOf(body), "", {{"k", {4, 1, 1}, tellsErrors}, {"l", {-1, 1, 1}, false}}};
    const auto entries = entriesOf(program.host);
    if (!entries)
        qFatal("%s", entries.error().render().c_str());
    const DeviceKernel kernel(*entries, std::move(program), std::make_unique<NotingDevice>(notes));
    ir::NdArray a = bytes({8}), b = bytes({3, 2});
    const std::array arrays{&a, &b};
    const std::array scalars{std::int64_t{5}, std::int64_t{1} << 40};
    const auto called = call(kernel, "main", arrays, scalars);
    if (!called)
        notes << QString::fromStdString(called.error().code);
    return notes;
}

} // namespace

class DeviceProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesAreReadAgain()
    {
        const DeviceProgram program{hostOf("T.call_packed(\"k\", A.data, 1, 1, 1, 4, 1, 1)"),
                                    std::string("source \0\xff", 9),
                                    {{"k", {4, 2, 1}, true}, {"l", {-1, 1, 1}, false}}};
        const auto read = DeviceProgram::read(program.bytes());
        QVERIFY2(read, read ? "" : read.error().render().c_str());
        QCOMPARE(read->source, program.source);
        QVERIFY(read->kernels == program.kernels);
        QCOMPARE(script::print(read->host).text, script::print(program.host).text);
        QVERIFY(read->find("l") == &read->kernels[1]);
        QVERIFY(!read->find("m"));
    }

    void otherBytesAreRefused()
    {
        const std::string good = DeviceProgram{hostOf("T.evaluate(0)"), "", {}}.bytes();
        for (const std::string &bad :
             {std::string(), std::string("hello"), good.substr(0, good.size() - 3)}) {
            const auto read = DeviceProgram::read(bad);
            QVERIFY(!read);
            QCOMPARE(read.error().code, std::string("backend.load"));
        }
    }

    void launches_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QStringList>("notes");
        // Memory 0 is the status, 1 and 2 are the arrays.
        QTest::newRow("memory and numbers")
            << "T.call_packed(\"k\", B.data, A.data, n, x, T.int16(7), n * 2 + 1, 1, 2, 3, 4, 5, 6)"
            << QStringList{"k(memory 2 of 6, memory 1 of 8, 5 in 4, 1099511627776 in 8, 7 in 2, 11 in 4) "
                           "blocks 1 2 3 threads 4 5 6"};
        QTest::newRow("as many as an array says")
            << "T.call_packed(\"l\", A.data, m, n - m, 1, 1, m, 1, 1)"
            << QStringList{"l(memory 1 of 8, 3 in 4) blocks 2 1 1 threads 3 1 1"};
        QTest::newRow("no blocks") << "T.call_packed(\"k\", A.data, n - 5, 1, 1, 4, 1, 1)" << QStringList();
        QTest::newRow("no threads") << "T.call_packed(\"k\", A.data, 1, 1, 1, 4, 1, m - 3)" << QStringList();
        QTest::newRow("in loops") << "for i in range(3, n):\n"
                                     "    T.call_packed(\"k\", A.data, i, 1, 1, 1, 4, 1, 1)\n"
                                     "T.call_packed(\"l\", A.data, 1, 1, 1, 4, 1, 1)"
                                  << QStringList{"k(memory 1 of 8, 3 in 4) blocks 1 1 1 threads 4 1 1",
                                                 "k(memory 1 of 8, 4 in 4) blocks 1 1 1 threads 4 1 1",
                                                 "l(memory 1 of 8) blocks 1 1 1 threads 4 1 1"};
        QTest::newRow("under conditions")
            << "if n > 5:\n"
               "    T.call_packed(\"k\", A.data, 1, 1, 1, 1, 4, 1, 1)\n"
               "else:\n"
               "    T.call_packed(\"k\", A.data, 2, 1, 1, 1, 4, 1, 1)\n"
               "if n == 5:\n"
               "    T.call_packed(\"k\", A.data, 3, 1, 1, 1, 4, 1, 1)\n"
               "else:\n"
               "    T.call_packed(\"k\", A.data, 4, 1, 1, 1, 4, 1, 1)\n"
               "if n == 6:\n"
               "    T.call_packed(\"k\", A.data, 5, 1, 1, 1, 4, 1, 1)"
            << QStringList{"k(memory 1 of 8, 2 in 4) blocks 1 1 1 threads 4 1 1",
                           "k(memory 1 of 8, 3 in 4) blocks 1 1 1 threads 4 1 1"};
        QTest::newRow("with variables")
            << "y: T.int32 = n * m\n"
               "T.call_packed(\"k\", A.data, y, y + 1, 1, 1, 4, 1, 1)"
            << QStringList{"k(memory 1 of 8, 15 in 4) blocks 16 1 1 threads 4 1 1"};
        QTest::newRow("with memory of its own")
            << "for i in range(2):\n"
               "    C = T.allocate([n, 3], \"float32x2\", \"global\")\n"
               "    T.call_packed(\"k\", C, 1, 1, 1, 4, 1, 1)\n"
               "D = T.allocate([n - 5], \"int8\", \"global\")\n"
               "T.call_packed(\"k\", D, 1, 1, 1, 4, 1, 1)"
            << QStringList{"k(memory 3 of 120) blocks 1 1 1 threads 4 1 1",
                           "k(memory 3 of 120) blocks 1 1 1 threads 4 1 1",
                           "k(memory 4 of 1) blocks 1 1 1 threads 4 1 1"};
        QTest::newRow("with what cannot be computed")
            << "T.call_packed(\"k\", A.data, n // (m - 3), 1, 1, 4, 1, 1)" << QStringList{"device.launch"};
    }
    void launches()
    {
        QFETCH(QString, body);
        QFETCH(QStringList, notes);
        if (notes != QStringList{"device.launch"})
            notes << "finish";
        QCOMPARE(notesOf(body), notes);
    }

    void kernelsThatTellErrorsGetMemoryForThem()
    {
        QCOMPARE(notesOf("T.call_packed(\"k\", A.data, 1, 1, 1, 4, 1, 1)", true).front(),
                 QString("k(memory 1 of 8, memory 0 of 4) blocks 1 1 1 threads 4 1 1"));
    }

    /// Arrays go to the device when a call is bound, and come back when they are fetched.
    void arraysGoThereAndBack()
    {
        QStringList notes;
        DeviceProgram program{hostOf("T.call_packed(\"k\", A.data, 1, 1, 1, 4, 1, 1)"), "", {{"k"}}};
        const std::vector<Entry> entries = *entriesOf(program.host);
        const DeviceKernel kernel(entries, std::move(program), std::make_unique<NotingDevice>(notes));
        ir::NdArray a = bytes({8}, 7), b = bytes({3, 2}, 9);
        const std::array arrays{&a, &b};
        const std::array scalars{std::int64_t{5}, std::int64_t{6}};
        auto packed = PackedArguments::make(kernel.entries()[0], arrays, scalars);
        QVERIFY(packed);
        const auto bound = kernel.bind("main", *packed);
        QVERIFY(bound && !kernel.bind("other", *packed));
        QCOMPARE(bound->run(), 0);
        QCOMPARE(bound->run(), 0);
        QCOMPARE(a.at(0), 7.0); // not yet
        bound->fetch();
        QCOMPARE(a.at(0), 9.0);
        QCOMPARE(a.at(7), 2.0);
        QCOMPARE(b.at(0), 9.0);
        QCOMPARE(notes.count("finish"), 2);
    }

    void errorsOfKernelsAreCodes()
    {
        for (const bool tellsErrors : {false, true}) {
            QStringList notes;
            DeviceProgram program{hostOf("T.call_packed(\"k\", A.data, 1, 1, 1, 4, 1, 1)"),
                                  "",
                                  {{"k", {4, 1, 1}, tellsErrors}}};
            const std::vector<Entry> entries = *entriesOf(program.host);
            const DeviceKernel kernel(entries, std::move(program), std::make_unique<NotingDevice>(notes, 3));
            ir::NdArray a = bytes({8}), b = bytes({3, 2});
            const std::array arrays{&a, &b};
            const std::array scalars{std::int64_t{5}, std::int64_t{6}};
            const auto called = call(kernel, "main", arrays, scalars);
            QCOMPARE(!called, tellsErrors); // one that tells none is not asked
            if (!called)
                QCOMPARE(called.error().message, std::string("an assertion of the kernel failed"));
        }
    }

    void kernelsThatAreNotThere()
    {
        QVERIFY_THROWS_EXCEPTION(support::InternalError,
                                 notesOf("T.call_packed(\"none\", A.data, 1, 1, 1, 4, 1, 1)"));
    }
};

QTEST_GUILESS_MAIN(DeviceProgramTest)
#include "device_program_test.moc"
