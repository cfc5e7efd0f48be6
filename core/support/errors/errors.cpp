// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/errors.h"

namespace nestwright::support {

void internalError(const char *file, int line, const char *condition, const std::string &message)
{
    throw InternalError(std::string("internal error at ") + file + ':' + std::to_string(line) + ": "
                        + condition + ": " + message);
}

} // namespace nestwright::support
