// SPDX-License-Identifier: Apache-2.0
#include "tests/support/outcomes.h"

#include <QFile>
#include <QtTest>

namespace nestwright::tests {

void addOutcomes(const char *path, const std::function<QString(const QString &)> &outcomeOf)
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", path);
    const QStringList blocks = QString::fromUtf8(file.readAll()).split("\n----\n", Qt::SkipEmptyParts);
    file.close();
    QString written;
    for (const QString &block : blocks) {
        const qsizetype arrow = block.indexOf("\n=>\n");
        const QString text = block.left(arrow);
        const QString expected = arrow < 0 ? QString() : block.mid(arrow + 4);
        QTest::newRow(qPrintable(text.left(200))) << text << expected;
        if (qEnvironmentVariableIsSet("NESTWRIGHT_WRITE_OUTCOMES"))
            written += text + "\n=>\n" + outcomeOf(text) + "\n----\n";
    }
    if (!written.isEmpty() && (!file.open(QIODevice::WriteOnly) || file.write(written.toUtf8()) < 0))
        qFatal("cannot write %s", path);
}

void OutcomesTest::outcomes_data() { addOutcomes(m_path, m_outcomeOf); }

void OutcomesTest::outcomes()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(m_outcomeOf(text), expected);
}

int runOutcomesTest(OutcomesTest &test, int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    return QTest::qExec(&test, argc, argv);
}

} // namespace nestwright::tests
