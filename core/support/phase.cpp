// SPDX-License-Identifier: Apache-2.0
#include "core/support/phase.h"

#include "core/support/errors/stop.h"

#include <utility>

namespace nestwright::support {

namespace {

thread_local const PhaseSink *currentSink = nullptr;

} // namespace

PhaseScope::PhaseScope(PhaseSink sink)
    : m_sink(std::move(sink))
    , m_before(std::exchange(currentSink, &m_sink))
{
}

PhaseScope::~PhaseScope() { currentSink = m_before; }

void tellPhase(std::string_view phase)
{
    checkStop();
    if (currentSink)
        (*currentSink)(phase);
}

} // namespace nestwright::support
