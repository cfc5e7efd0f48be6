// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shown_percent.h"

#include <cstdio>
#include <unistd.h>

namespace nestwright::cli {

ShownPercent::ShownPercent() : m_isShown(isatty(STDERR_FILENO) != 0) {}

ShownPercent::~ShownPercent()
{
    if (m_isShown)
        std::fprintf(stderr, "\r      \r");
}

void ShownPercent::tell(double fraction) const
{
    if (m_isShown)
        std::fprintf(stderr, "\r%3.0f %% ", fraction * 100);
}

} // namespace nestwright::cli
