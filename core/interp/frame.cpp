// SPDX-License-Identifier: Apache-2.0
#include "core/interp/frame.h"

#include "core/interp/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/stop.h"

#include <algorithm>

namespace nestwright::interp {

void stopWith(const CodePlace &place, std::string_view code, std::string message, std::string hint)
{
    support::Diagnostic diagnostic = support::diagnostic(code, std::move(message)).withHint(std::move(hint));
    if (place.stmt)
        diagnostic.locations.push_back({.file = {}, .stmt = place.stmt, .label = place.name()});
    throw support::UserError(std::move(diagnostic));
}

void Frame::refuel()
{
    // Many threads take little at a time, so that what one has not used is not missing for another.
    const std::int64_t chunk = group ? 1 << 8 : 1 << 16;
    support::checkStop();
    if (budget->stop.stop_requested())
        stopWith({}, codes::stopped, "the run was stopped");
    if (budget->steps <= 0) {
        stopWith({}, codes::stepLimit, "the function did not end within the steps allowed for one run",
                 "look for a loop that does not end, or allow more steps");
    }
    const std::int64_t given = std::min(budget->steps, chunk);
    budget->steps -= given;
    budget->given += given;
    if (budget->progress && *budget->progress)
        (*budget->progress)(budget->given);
    fuel = given - 1; // this step included
}

Precision precisionOf(ir::DataType dtype)
{
    if (dtype.code == ir::TypeCode::BFloat)
        return Precision::Brain;
    if (dtype.bits == 16)
        return Precision::Half;
    return dtype.bits == 32 ? Precision::Single : Precision::Double;
}

} // namespace nestwright::interp
