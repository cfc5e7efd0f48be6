// SPDX-License-Identifier: Apache-2.0
#include "core/support/stop.h"

#include <utility>

namespace nestwright::support {

namespace {

thread_local const std::stop_token *current = nullptr;

} // namespace

StopScope::StopScope(std::stop_token token)
    : m_token(std::move(token))
    , m_before(std::exchange(current, &m_token))
{
}

StopScope::~StopScope() { current = m_before; }

std::stop_token currentStop() { return current ? *current : std::stop_token(); }

void checkStop()
{
    if (current && current->stop_requested())
        throw Stopped();
}

} // namespace nestwright::support
