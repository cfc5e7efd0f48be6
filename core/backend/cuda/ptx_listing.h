// SPDX-License-Identifier: Apache-2.0
/// Makes NVRTC's PTX readable, and maps its lines to statements by those of the CUDA text.
#pragma once

#include "core/backend/listing.h"

#include <span>

namespace nestwright::backend {

/// `ptx` without directives of the debugger; `cuda`: the spans of the text that it was made from.
Listing cleanPtx(std::string_view ptx, std::span<const script::LineSpan> cuda);

} // namespace nestwright::backend
