// SPDX-License-Identifier: Apache-2.0
/// The manual of nestc has every command, with the summary that its help gives, and no other.

#include "app/cli/command.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

using namespace nestwright;

namespace {

/// The first line that the manual says of each command, by its name.
QMap<QString, QString> describedCommands()
{
    QFile file(QStringLiteral("docs/man/nestc.1"));
    const QString manual = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    const qsizetype begin = manual.indexOf(QStringLiteral(".SH COMMANDS"));
    const QString section = manual.mid(begin, manual.indexOf(QStringLiteral(".SH ENVIRONMENT")) - begin);
    static const QRegularExpression entry(QStringLiteral(R"(^\.TP\n\.BI? ([a-z-]+)[^\n]*\n([^\n]*))"),
                                          QRegularExpression::MultilineOption);
    QMap<QString, QString> found;
    for (const QRegularExpressionMatch &match : entry.globalMatch(section))
        found[match.captured(1)] = match.captured(2);
    return found;
}

} // namespace

class ManualTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commandsAreThoseOfTheHelp()
    {
        QMap<QString, QString> described = describedCommands();
        for (const cli::Command &command : cli::commands()) {
            const QString name = QString::fromStdString(std::string(command.name));
            const QString summary = QString::fromStdString(std::string(command.summary)) + u'.';
            QVERIFY2(described.contains(name), qPrintable("docs/man/nestc.1 lacks the command " + name));
            const QString said = described.take(name);
            QVERIFY2(said.startsWith(summary),
                     qPrintable(name + ": \"" + said + "\" for \"" + summary + '"'));
        }
#if NESTWRIGHT_HAS_ONNX
        QCOMPARE(described.keys(), QStringList()); // a build without ONNX has fewer commands
#endif
    }
};

QTEST_GUILESS_MAIN(ManualTest)
#include "manual_test.moc"
