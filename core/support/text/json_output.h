// SPDX-License-Identifier: Apache-2.0
/// JSON as text whatever its strings hold: names of files and of models need not be UTF-8, JSON must.
#pragma once

#include "core/support/text/json.h"

namespace nestwright::support {

/// The text of a Json or an OrderedJson; bytes that are no UTF-8 become U+FFFD. `indent`: columns a level;
/// negative: all on one line.
template <class J> std::string jsonText(const J &json, int indent = -1)
{
    return json.dump(indent, ' ', false, J::error_handler_t::replace);
}

} // namespace nestwright::support
