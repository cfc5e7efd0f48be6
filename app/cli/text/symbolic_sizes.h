// SPDX-License-Identifier: Apache-2.0
/// `--size n=1000` on the command line.
#pragma once

#include "core/support/errors/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright::cli {

/// Sizes by name. Error: "usage.size" for anything that is not NAME=POSITIVE_INTEGER.
support::Result<std::map<std::string, std::int64_t>> parseSizes(const std::vector<std::string> &options);

/// "NAME=VALUE" taken apart; the error has the given code and names the expected form.
support::Result<std::pair<std::string, std::string>> parseAssignment(const std::string &text,
                                                                     const std::string &code);

} // namespace nestwright::cli
