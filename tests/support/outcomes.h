// SPDX-License-Identifier: Apache-2.0
/// Many small inputs and their outcomes, kept as text in a file beside the test.
#pragma once

#include <QFile>
#include <QtTest>

#include <functional>

namespace nestwright::tests {

/// Adds a row (`text`, `expected`, both QString) for each block of the file: an input, a line "=>", its
/// outcome, a line "----". Where NESTWRIGHT_WRITE_OUTCOMES is set the file is written anew with the present
/// outcomes: look at each difference.
inline void addOutcomes(const char *path, const std::function<QString(const QString &)> &outcomeOf)
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

} // namespace nestwright::tests
