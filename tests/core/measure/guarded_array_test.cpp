// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/guarded_array.h"

#include <QtTest>

#include <cmath>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using measure::GuardedArray;
using measure::Side;

class GuardedArrayTest : public QObject {
    Q_OBJECT

    static GuardedArray ofFloats(std::vector<std::int64_t> shape)
    {
        return measure::guardedArray(ir::NdArray(ir::DataType::float32(), std::move(shape)));
    }

    /// Whether the system ends a process that does this.
    static bool isFatal(const std::function<void()> &deed)
    {
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            deed();
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }

private Q_SLOTS:
    void holdsZeros()
    {
        const GuardedArray made = ofFloats({7, 300});
        QCOMPARE(made.array.shape(), (std::vector<std::int64_t>{7, 300}));
        QCOMPARE(made.array.byteCount(), std::size_t{8400});
        for (std::int64_t i = 0; i < made.array.size(); ++i)
            QCOMPARE(made.array.at(i), 0.0);
    }

    void marginsTellWhatIsWritten()
    {
        constexpr auto pattern = std::byte{0xff};
        for (const std::int64_t count : {1, 37, 1000, 5000}) {
            GuardedArray made = ofFloats({count});
            made.margins.fill(pattern);
            auto *data = made.array.data<volatile float>();
            QVERIFY(std::isnan(data[count])); // what is read there is the pattern
            QVERIFY(std::isnan(data[-1]));
            for (std::int64_t i = 0; i < count; ++i)
                data[i] = 1;
            QCOMPARE(made.margins.written(pattern), Side::None);
            data[count] = 1;
            QCOMPARE(made.margins.written(pattern), Side::Behind);
            made = ofFloats({count});
            made.margins.fill(pattern);
            made.array.data<volatile float>()[-1] = 1;
            QCOMPARE(made.margins.written(pattern), Side::Before);
        }
    }

    void pagesAroundEndTheProcess()
    {
        for (const std::int64_t count : {0, 1, 16, 1024, 5000}) {
            GuardedArray made = ofFloats({count});
            auto *data = made.array.data<volatile float>();
            const std::int64_t behind = (count + 15) / 16 * 16; // of whole lines
            QVERIFY(isFatal([=] { data[behind] = 1; }));
            QVERIFY(isFatal([=] { (void)data[behind]; }));
            volatile const std::byte *first = made.margins.before.data();
            QVERIFY(isFatal([=] { (void)first[-1]; }));
            QVERIFY(count == 0 || !isFatal([=] { data[count - 1] = 1; }));
        }
    }
};

QTEST_APPLESS_MAIN(GuardedArrayTest)
#include "guarded_array_test.moc"
