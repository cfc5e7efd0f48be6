// SPDX-License-Identifier: Apache-2.0
#include "core/support/phase.h"

#include "core/support/stop.h"

#include <utility>

namespace nestwright::support {

namespace {

thread_local const PhaseSink *current = nullptr;

} // namespace

PhaseScope::PhaseScope(PhaseSink sink) : m_sink(std::move(sink)), m_before(std::exchange(current, &m_sink)) {}

PhaseScope::~PhaseScope() { current = m_before; }

void tellPhase(std::string_view phase)
{
    checkStop();
    if (current)
        (*current)(phase);
}

} // namespace nestwright::support
