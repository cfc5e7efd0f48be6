// SPDX-License-Identifier: Apache-2.0
/// Exact answers of the analyzer to questions: a rule that asks for more than it needs shows here.
#include "tests/core/arith/questions.h"
#include "tests/support/outcomes.h"

#include <QtTest>

using namespace nestwright;

namespace {

QString outcomeOf(const QString &text)
{
    QString answers;
    for (const QString &question : text.split('\n')) // each with an analyzer of its own
        answers += QString::fromStdString(arith::testing::Questions().answer(question.toStdString())) + '\n';
    return answers.trimmed();
}

} // namespace

class AnswersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answers_data() { tests::addOutcomes("tests/core/arith/answers.txt", outcomeOf); }
    void answers()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(outcomeOf(text), expected);
    }
};

QTEST_APPLESS_MAIN(AnswersTest)
#include "answers_test.moc"
