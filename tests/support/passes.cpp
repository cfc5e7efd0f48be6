// SPDX-License-Identifier: Apache-2.0
#include "tests/support/passes.h"

#include "core/analysis/access/complete_regions.h"
#include "core/ir/node/equality.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/programs.h"

#include <QtTest>

namespace nestwright::tests {

bool checkPass(std::string_view name, std::string_view before, std::string_view expected,
               std::source_location where)
{
    const auto failed = [&](const std::string &why) {
        QTest::qFail(why.c_str(), where.file_name(), static_cast<int>(where.line()));
        return false;
    };
    const lower::Pass *pass = lower::findPass(name);
    if (!pass)
        return failed("there is no pass '" + std::string(name) + '\'');
    const ir::Module input = analysis::completeRegions(parsed(before));
    const auto record = lower::runPass(*pass, input, target::Target{});
    if (!record)
        return failed(record.error().render());
    const ir::Module wanted = analysis::completeRegions(parsed(expected));
    if (const auto difference = ir::firstDifference(record->after, wanted))
        return failed(*difference + "\ngot:\n" + script::print(record->after).text);
    return checkEquivalent(input, record->after, {}, where);
}

ir::Module lowered(const ir::Module &module)
{
    const auto result = lower::lower(module, target::Target{});
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return result->module;
}

ir::Module asThreadsRun(const ir::Module &module)
{
    target::Target target;
    target.kind = target::TargetKind::OpenCl;
    auto result = lower::lowerToThreads(module, target);
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return std::move(*result);
}

} // namespace nestwright::tests
