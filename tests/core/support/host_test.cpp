// SPDX-License-Identifier: Apache-2.0
#include "core/support/host.h"

#include <QtTest>

#include <cstring>
#include <filesystem>
#include <memory>

using namespace nestwright::support;

class HostTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldersFollowTheVariables()
    {
        qputenv("HOME", "/home/somebody");
        qputenv("XDG_CACHE_HOME", "/cache");
        qputenv("XDG_STATE_HOME", "");
        QCOMPARE(cacheFolder(), std::filesystem::path("/cache/nestwright"));
        QCOMPARE(stateFolder(), std::filesystem::path("/home/somebody/.local/state/nestwright"));
        qunsetenv("XDG_CACHE_HOME");
        QCOMPARE(cacheFolder(), std::filesystem::path("/home/somebody/.cache/nestwright"));
        qputenv("HOME", "");
        QVERIFY(cacheFolder().empty() && stateFolder().empty());
        qunsetenv("HOME");
        QVERIFY(cacheFolder().empty());
    }

    void memoryGrowsWithWhatIsHeld()
    {
        const ResidentMemory before = residentMemory();
        QVERIFY(before.now > 1'000'000 && before.most >= before.now / 2);
        constexpr std::size_t bytes = 64 << 20;
        auto held = std::make_unique<char[]>(bytes);
        std::memset(held.get(), 1, bytes);
        const ResidentMemory with = residentMemory();
        QVERIFY(with.now - before.now > 48 << 20 && with.now - before.now < 96 << 20);
        QVERIFY(with.most >= before.now + (48 << 20));
        held.reset();
        QVERIFY(residentMemory().now < with.now - (32 << 20));
        QVERIFY(residentMemory().most >= with.now / 1024 * 1024 - (8 << 20));
    }

    void processorHasAName()
    {
        QVERIFY(!processorName().empty() && !processorName().starts_with(' '));
        QVERIFY(!processorName().contains('\n') && !processorName().contains("model name"));
        QVERIFY(!processorFeatures().empty() && !processorFeatures().contains(": "));
    }

    /// The first line that has the fact, not the first with any.
    void processorFactsAreTheSystems()
    {
        QFile file(QStringLiteral("/proc/cpuinfo"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        const auto factOf = [&](const char *name, const char *otherwise) {
            const QRegularExpression line(QStringLiteral("^%1[^:\n]*: (.*)$").arg(QLatin1String(name)),
                                          QRegularExpression::MultilineOption);
            const auto found = line.match(text);
            return found.hasMatch() ? found.captured(1) : QString::fromUtf8(otherwise);
        };
        QCOMPARE(QString::fromStdString(processorName()), factOf("model name", "unknown CPU"));
        QCOMPARE(QString::fromStdString(processorFeatures()), factOf("(?:flags|Features)", ""));
    }
};

QTEST_GUILESS_MAIN(HostTest)
#include "host_test.moc"
