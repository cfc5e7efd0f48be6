// SPDX-License-Identifier: GPL-3.0-or-later
/// MIME types of buffers that are dragged from the graph.
#pragma once

namespace nestwright::document {

/// The data is the buffer's name in UTF-8; an output can only be copied where it is written.
inline constexpr char bufferMimeType[] = "application/x-nestwright-buffer";
inline constexpr char outputMimeType[] = "application/x-nestwright-output";

} // namespace nestwright::document
