// SPDX-License-Identifier: Apache-2.0
/// Forms of TE scripts, each with the program and the schedule that it makes, or with its error.
#include "core/frontend/te_script/te_script.h"
#include "core/script/print/printer.h"
#include "tests/support/outcomes.h"
#include "tests/support/steps_text.h"

using namespace nestwright;

namespace {

constexpr const char *imports = "import tvm\nfrom tvm import te, tir\n";
constexpr const char *tensors =
    "A = te.placeholder((8, 4), name=\"A\")\nI = te.placeholder((8,), \"int32\", name=\"I\")\n"
    "B = te.placeholder((4, 8), name=\"B\")\nk = te.reduce_axis((0, 4), name=\"k\")\n";
constexpr const char *scheduled =
    "A = te.placeholder((16, 8), name=\"A\")\nB = te.placeholder((8, 16), name=\"B\")\n"
    "D = te.compute((16, 8), lambda i, j: A[i, j] * 2, name=\"D\")\nk = te.reduce_axis((0, 8), name=\"k\")\n"
    "C = te.compute((16, 16), lambda i, j: te.sum(D[i, k] * B[k, j], axis=k), name=\"C\")\n"
    "s = te.create_schedule(C.op)\n";

/// `text` is the value of an element D[i] ("value …"), steps of a schedule ("schedule" on a line of its own),
/// or statements.
QString outcomeOf(const QString &text)
{
    const bool isValue = text.startsWith("value "), isSchedule = text.startsWith("schedule\n");
    const QString statements = isValue ? "D = te.compute((8,), lambda i: " + text.mid(6) + ", name=\"D\")"
                               : isSchedule ? text.mid(9)
                                            : text;
    const QString script = QString(imports) + (isSchedule ? scheduled : tensors) + statements + '\n';
    const auto read = te::readTeScript(script.toStdString(), "t.py");
    if (!read)
        return QString::fromStdString(read.error().render());
    QString outcome;
    if (!isSchedule) {
        const QString printed = QString::fromStdString(script::print(read->module).text);
        for (const QString &line :
             printed.mid(printed.indexOf(isValue ? "T.reads" : "def ")).split('\n', Qt::SkipEmptyParts))
            outcome += line.trimmed() + '\n';
    }
    for (const support::Diagnostic &note : read->notes)
        outcome += QString::fromStdString("note: " + note.render()) + '\n';
    for (const te::ScheduleSteps &steps : read->schedules) {
        outcome += QString::fromStdString("schedule " + steps.name + ":\n");
        int number = 0;
        for (const QString &line : QString::fromStdString(tests::stepsText(steps)).split('\n')) {
            ++number;
            if (!line.isEmpty())
                outcome += QString("%1: %2\n").arg(tests::sourceLineOfText(steps, number)).arg(line);
        }
    }
    return outcome.trimmed();
}

} // namespace

NW_OUTCOMES_TEST("tests/core/te/outcomes.txt", outcomeOf)
