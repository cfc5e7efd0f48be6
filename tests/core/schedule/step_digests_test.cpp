// SPDX-License-Identifier: Apache-2.0
/// Random steps on random programs: the legal ones, and a digest of the modules that they give and of the
/// sentences that refuse the others. A step that becomes legal, is refused for another reason or gives
/// another form shows here.
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/digest.h"
#include "tests/support/outcomes.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

#include <QFile>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr int tries = 30;

/// `text` is "SEED", or "PRIMITIVE SEED" for steps every other one of which is of that primitive.
QString outcomeOf(const QString &text)
{
    const schedule::Primitive *about = schedule::findPrimitive(text.section(' ', 0, -2).toStdString());
    Random random(text.section(' ', -1).toULongLong());
    schedule::State state = scheduled(randomProgram(random));
    std::string legal, all;
    for (int i = 0; i < tries; ++i) {
        const schedule::Step step = lastingStep(state, random, about);
        auto applied = schedule::apply(state, step);
        all += step.primitive->name;
        if (applied) {
            state = std::move(applied->state);
            (legal += step.primitive->name) += ' ';
            all += script::print(state.module).text;
        } else {
            all += applied.error().render();
        }
    }
    return QString::fromStdString(legal + digest(all));
}

constexpr const char *path = "tests/core/schedule/step_digests.txt";

} // namespace

class StepDigestsTest : public OutcomesTest {
    Q_OBJECT

public:
    StepDigestsTest() : OutcomesTest(path, outcomeOf) {}

private Q_SLOTS:
    void everyPrimitiveHasSeeds()
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        for (const schedule::Primitive &primitive : schedule::primitives()) {
            const auto name = QString::fromUtf8(primitive.name.data(), qsizetype(primitive.name.size()));
            QVERIFY2(primitive.isQuery || primitive.isUnsafe || isDrawnForAll(primitive)
                         || text.contains(u'\n' + name + u' '),
                     qPrintable("add rows \"" + name + " 7000\" and so on, and have them written"));
        }
    }
};

int main(int argc, char **argv)
{
    StepDigestsTest test;
    return runOutcomesTest(test, argc, argv);
}
#include "step_digests_test.moc"
