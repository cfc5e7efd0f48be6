// SPDX-License-Identifier: Apache-2.0
#include "core/interp/access_tracer.h"

#include <utility>

namespace nestwright::interp {

void AccessTracer::flush()
{
    const std::size_t count = std::exchange(m_count, 0);
    if (count > 0 && !m_listener.take({m_events.data(), count}))
        throw Ended();
}

} // namespace nestwright::interp
