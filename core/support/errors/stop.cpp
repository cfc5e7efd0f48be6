// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/stop.h"

#include <utility>

namespace nestwright::support {

namespace {

thread_local const std::stop_token *currentToken = nullptr;

} // namespace

StopScope::StopScope(std::stop_token token)
    : m_token(std::move(token))
    , m_before(std::exchange(currentToken, &m_token))
{
}

StopScope::~StopScope() { currentToken = m_before; }

std::stop_token currentStop() { return currentToken ? *currentToken : std::stop_token(); }

void checkStop()
{
    if (currentToken && currentToken->stop_requested())
        throw Stopped();
}

} // namespace nestwright::support
