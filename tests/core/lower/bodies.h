// SPDX-License-Identifier: Apache-2.0
/// Tables of what passes make of the bodies of functions.
#pragma once

#include "tests/support/passes.h"

#include <QtTest>

#include <string>

namespace nestwright::tests {

/// Columns of bodies before and after a pass; one that is empty after it stays as it is.
inline void addBodyColumns()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
}

inline void row(const char *name, const char *before, const char *after = "")
{
    QTest::newRow(name) << before << after;
}

/// Checks the current row in a function of these parameters.
inline void checkRow(const char *pass, const std::string &parameters)
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    const std::string head = "@T.prim_func\ndef main(" + parameters + "):";
    checkPass(pass, head + before.toStdString(), head + (after.isEmpty() ? before : after).toStdString());
}

} // namespace nestwright::tests
