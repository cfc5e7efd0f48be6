// SPDX-License-Identifier: GPL-3.0-or-later
/// Where what is dragged may be dropped in the tree of loops; only what is legal.
#pragma once

#include "core/schedule/step.h"
#include "widgets/document/nest.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace nestwright::document {

/// A place where what is dragged may be dropped.
struct DropSlot {
    int row = 0;        ///< of Nest::rows: below which the line is drawn, or the loop that a block goes into
    bool into = false;  ///< what is dragged goes into the loop `row`
    bool above = false; ///< the line is drawn above `row` instead
    std::vector<schedule::Step> steps; ///< each on what the one before gives
    QString label;                     ///< "drop here: ki, ii, ji"
};

/// Where a loop may go within its nest (reorder), or a block (compute_at, reverse_compute_at).
std::vector<DropSlot> dropSlots(const Nest &nest, StmtId dragged, const std::stop_token &stop);

/// Which copies of a buffer are asked for.
enum class BufferUse : std::uint8_t { ReadOrWritten, Written };

/// The loops that may hold a copy of the part of a buffer that they work on: cache_read and compute_at where a block below
/// reads it, cache_write and reverse_compute_at where one writes it.
std::vector<DropSlot> dropSlotsOfBuffer(const Nest &nest, const QString &buffer, BufferUse use,
                                        const std::stop_token &stop);

/// What a drag carries that comes from a buffer of the graph, or from an output: its name, in UTF-8.
inline constexpr char bufferMimeType[] = "application/x-nestwright-buffer";
inline constexpr char outputMimeType[] = "application/x-nestwright-output";

} // namespace nestwright::document
