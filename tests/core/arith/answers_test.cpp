// SPDX-License-Identifier: Apache-2.0
/// Exact answers of the analyzer to questions: a rule that asks for more than it needs shows here.
#include "tests/core/arith/questions.h"
#include "tests/support/outcomes.h"

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

NW_OUTCOMES_TEST("tests/core/arith/answers.txt", outcomeOf)
