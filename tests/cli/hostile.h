// SPDX-License-Identifier: Apache-2.0
/// Inputs that are meant to exhaust memory, stack or time: their commands and the answers allowed.
#pragma once

#include "tests/cli/nestc_runner.h"
#include "tests/support/sanitized.h"

#include <sys/resource.h>

#include <functional>

namespace nestwright::tests {

using nestwright::test::NestcRunner;

constexpr int mostMilliseconds = 200'000; // of the clock, on a machine that does other things

/// In the child, before nestc runs: 10 s of processor time, 2 GB.
inline void limitResources()
{
    if (isSanitized)
        return;
    // Commands take 9 s at most where they have a core to themselves; one that is shared counts more.
    const rlimit seconds{25, 26}, none{0, 0}, memory{rlim_t{2'000'000} * 1024, rlim_t{2'000'000} * 1024};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
}

using Make = std::function<QStringList(const NestcRunner &)>;

struct Case {
    QString name;
    Make arguments; ///< writes the files that they name
};

inline QByteArray bytes(const std::string &text) { return QByteArray::fromStdString(text); }

inline Make command(const QStringList &arguments)
{
    return [=](const NestcRunner &) { return arguments; };
}

inline QByteArray tvmScript(const QByteArray &body,
                            const QByteArray &parameters = "A: T.Buffer((8,), \"float32\")")
{
    return "from tvm.script import tir as T\n@T.prim_func\ndef main(" + parameters + "):\n" + body;
}

/// `count` times `text`, the place of `%` being the number.
inline QByteArray numbered(const QByteArray &text, int count)
{
    QByteArray all;
    for (int i = 0; i < count; ++i)
        all += QByteArray(text).replace('%', QByteArray::number(i));
    return all;
}

/// Runs nestc under the limits: it ends by itself, with one sentence unless it succeeds.
inline void checkAnswer(const Case &hostile)
{
    NestcRunner nestc;
    nestc.process().setChildProcessModifier(limitResources);
    QElapsedTimer clock;
    const QStringList arguments = hostile.arguments(nestc);
    clock.start();
    const auto outcome = nestc.run(arguments, {}, mostMilliseconds);
    const QString told = QString("status %1 after %2 ms\n%3")
                             .arg(outcome.status)
                             .arg(clock.elapsed())
                             .arg(outcome.err.left(2000));
    QVERIFY2(outcome.status >= 0 && outcome.status <= 2, qPrintable(told));
    for (const char *word : {"bug in nestc", "internal error", "std::", "json.exception", "terminate"})
        QVERIFY2(!outcome.err.contains(word), qPrintable(told));
    if (outcome.status == 0)
        return;
    int sentences = 0;
    for (const QString &line : outcome.err.split('\n', Qt::SkipEmptyParts))
        sentences +=
            line.startsWith("  ") || line.contains("note: ") || line.startsWith("Run with --help") ? 0 : 1;
    QVERIFY2(sentences == 1, qPrintable(told));
    QVERIFY2(outcome.err.size() < 4000, qPrintable(told));
}

/// A row for each, and the body of a row's test function.
inline void addRows(const std::vector<Case> &cases)
{
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < cases.size(); ++i)
        QTest::newRow(qPrintable(cases[i].name)) << static_cast<int>(i);
}
inline void checkRow(const std::vector<Case> &cases)
{
    QFETCH(int, number);
    checkAnswer(cases[static_cast<std::size_t>(number)]);
}

} // namespace nestwright::tests
