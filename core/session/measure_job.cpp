// SPDX-License-Identifier: Apache-2.0
#include "core/session/measure_job.h"

#include "core/measure/measurer.h"

namespace nestwright::session {

support::Result<void> addTo(measure::MeasureJob &job, const Variant &variant)
{
    if (variant.edit) {
        auto code = runnable(*variant.edit);
        if (!code)
            return support::fail(code.error());
        job.edits.emplace(job.variants.size(), std::move(*code));
    }
    job.variants.push_back(variant.state->module);
    return {};
}

} // namespace nestwright::session
