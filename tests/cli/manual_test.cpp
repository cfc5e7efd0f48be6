// SPDX-License-Identifier: Apache-2.0
/// The manual of nestc has every command, with the summary that its help gives, and no other; docs/nestc.md
/// ends with the help of each.

#include "app/cli/command.h"
#include "tests/cli/nestc_runner.h"

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

/// Commands that other commands start.
bool isInternal(const cli::Command &command)
{
    return command.summary.contains("for the other commands") || command.name == "worker";
}

/// The help of all commands, as docs/nestc.md has it.
QString helpOfCommands()
{
    test::NestcRunner nestc;
    QString text;
    for (const cli::Command &command : cli::commands()) {
        if (isInternal(command))
            continue;
        const QString name = QString::fromStdString(std::string(command.name));
        const QString help =
            nestc.run({name, QStringLiteral("--help")}).out.section(QStringLiteral("\n\nMODULE is "), 0, 0);
        text += QStringLiteral("\n### %1\n\n```\n%2\n```\n").arg(name, help.trimmed());
    }
    return text;
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
        QCOMPARE(described.keys(), QStringList());
    }

    /// NESTWRIGHT_WRITE_OUTCOMES writes it anew.
    void referenceIsTheHelp()
    {
        QFile file(QStringLiteral("docs/nestc.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        file.close();
        const QString heading = QStringLiteral("## All options\n");
        const qsizetype begin = text.indexOf(heading) + heading.size();
        QVERIFY(begin >= heading.size());
        const QString help = helpOfCommands();
        if (qEnvironmentVariableIsSet("NESTWRIGHT_WRITE_OUTCOMES")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write((text.left(begin) + help).toUtf8());
            return;
        }
        QCOMPARE(text.mid(begin), help);
    }
};

QTEST_GUILESS_MAIN(ManualTest)
#include "manual_test.moc"
