// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts programs and target texts for a code pane.
#pragma once

#include "core/backend/backend.h"
#include "widgets/code/source.h"
#include "widgets/document/nest.h"

namespace nestwright::app {

/// The printed program, its loops linked and coloured by axis; each on a line of its own where `splitsGrids`.
code::Source nestSource(const document::Nest &nest, bool splitsGrids);

code::Language languageOf(backend::SourceKind kind);

/// A target's text; loops have the colours that they have in `nest`.
code::Source targetSource(const backend::Source &source, const document::Nest &nest);

} // namespace nestwright::app
