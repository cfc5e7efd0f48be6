// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/loop_code.h"
#include "core/script/print/printer.h"
#include "core/workbench/answers/loop_rows.h"
#include "core/workbench/requests/declarations.h"
#include "core/workbench/requests/program_parameters.h"

#include <array>

namespace nestwright::workbench {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::array loopsParameters{moduleParameter, scheduleParameter, targetParameter};

Result<Json> loopsOf(Opener &opener, const Parameters &parameters)
{
    const auto target = targetOf(parameters);
    if (!target)
        return fail(target.error());
    const auto path = pathOf(opener, parameters);
    if (!path)
        return fail(path.error());
    const auto code = backend::loopCode(path->end().module, *target);
    if (!code)
        return fail(code.error());
    const suggest::LoopNest nest(path->end(), script::print(path->end().module));
    return toJson(loopRows(nest, *code));
}

} // namespace

constinit const Request loopsRequest{"loops", "Tell what each loop touches, and what its machine code does",
                                     loopsParameters, "a list of loops, as nestc loops --json prints it",
                                     loopsOf};

} // namespace nestwright::workbench
