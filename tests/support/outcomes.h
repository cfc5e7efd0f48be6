// SPDX-License-Identifier: Apache-2.0
/// Many small inputs and their outcomes, kept as text in a file beside the test.
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace nestwright::tests {

/// Adds a row (`text`, `expected`, both QString) for each block of the file: an input, a line "=>", its
/// outcome, a line "----". Where NESTWRIGHT_WRITE_OUTCOMES is set the file is written anew with the present
/// outcomes: look at each difference.
void addOutcomes(const char *path, const std::function<QString(const QString &)> &outcomeOf);

/// A test of nothing else than a file of outcomes.
class OutcomesTest : public QObject {
    Q_OBJECT

public:
    OutcomesTest(const char *path, QString (*outcomeOf)(const QString &))
        : m_path(path)
        , m_outcomeOf(outcomeOf)
    {
    }

private Q_SLOTS:
    void outcomes_data();
    void outcomes();

private:
    const char *m_path;
    QString (*m_outcomeOf)(const QString &);
};

int runOutcomesTest(OutcomesTest &test, int argc, char **argv);

} // namespace nestwright::tests

/// The main function of a test that has only the outcomes of `path`.
#define NW_OUTCOMES_TEST(path, outcomeOf)                                                                    \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        nestwright::tests::OutcomesTest test(path, outcomeOf);                                               \
        return nestwright::tests::runOutcomesTest(test, argc, argv);                                         \
    }
