// SPDX-License-Identifier: Apache-2.0
/// Tables of bodies of functions before and after passes.
#pragma once

#include "core/ir/node/equality.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/programs.h"

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

/// Checks the current row in a function of these parameters. A changed function must compute the same.
inline void checkRow(std::string_view pass, const std::string &parameters)
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    const std::string head = "@T.prim_func\ndef main(" + parameters + "):";
    const ir::Module given = parsed(head + before.toStdString());
    const auto record = lower::runPass(*lower::findPass(pass), given, {});
    QVERIFY2(record, record ? "" : record.error().render().c_str());
    const auto difference =
        ir::firstDifference(record->after, after.isEmpty() ? given : parsed(head + after.toStdString()));
    QVERIFY2(!difference, (difference.value_or("") + "\ngot:\n" + script::print(record->after).text).c_str());
    if (ir::firstDifference(given, record->after))
        checkEquivalent(given, record->after);
}

} // namespace nestwright::tests
