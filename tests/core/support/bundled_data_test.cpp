// SPDX-License-Identifier: Apache-2.0
// Where a bundle lies around the program, its libraries are told of the files that it brings. The test's own
// program, copied into a bundle, tells what it has told them.
#include "core/support/files/bundled_data.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr auto variables = std::to_array<const char *>({"FONTCONFIG_FILE", "XKB_CONFIG_ROOT", "XLOCALEDIR"});

int tellVariables()
{
    nestwright::support::useBundledData();
    for (const char *name : variables) {
        const char *value = std::getenv(name);
        std::printf("%s=%s\n", name, value ? value : "");
    }
    return 0;
}

/// The variables of a program in `folder`/bin that is started with `given` ones.
QMap<QString, QString> variablesIn(const QString &folder, const QStringList &given = {})
{
    QProcess process;
    QStringList environment = QProcess::systemEnvironment();
    environment.removeIf([](const QString &each) {
        return std::ranges::any_of(variables, [&](const char *name) { return each.startsWith(name); });
    });
    process.setEnvironment(environment + given);
    process.start(folder + "/bin/program", {"tell"});
    QMap<QString, QString> told;
    if (!process.waitForFinished() || process.exitCode() != 0)
        return told;
    for (const QString &line : QString::fromUtf8(process.readAllStandardOutput()).split('\n'))
        told[line.section('=', 0, 0)] = line.section('=', 1);
    return told;
}

} // namespace

class BundledDataTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QDir().mkpath(m_folder.filePath("bin")));
        QVERIFY(QFile::copy(QCoreApplication::applicationFilePath(), m_folder.filePath("bin/program")));
    }

    void programsOutsideOfBundlesTellNothing()
    {
        const auto told = variablesIn(m_folder.path());
        QCOMPARE(told.value("FONTCONFIG_FILE", "none"), QString());
        QCOMPARE(told.value("XKB_CONFIG_ROOT", "none"), QString());
        QCOMPARE(told.value("XLOCALEDIR", "none"), QString());
    }

    void bundlesBringWhatTheSystemLacks()
    {
        const QString data = m_folder.filePath("share/nestwright/bundle");
        QVERIFY(QDir().mkpath(data));
        const auto told = variablesIn(m_folder.path());
        QCOMPARE(told.value("FONTCONFIG_FILE"), data + "/fonts.conf");
        QCOMPARE(told.value("XKB_CONFIG_ROOT"),
                 QFile::exists("/usr/share/X11/xkb") ? QString() : data + "/xkb");
        QCOMPARE(told.value("XLOCALEDIR"),
                 QFile::exists("/usr/share/X11/locale") ? QString() : data + "/locale");
        QCOMPARE(variablesIn(m_folder.path(), {"FONTCONFIG_FILE=/own.conf"}).value("FONTCONFIG_FILE"),
                 QString("/own.conf"));
    }
};

int main(int argc, char *argv[])
{
    if (argc == 2 && std::string_view(argv[1]) == "tell")
        return tellVariables();
    QCoreApplication app(argc, argv);
    BundledDataTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "bundled_data_test.moc"
