// SPDX-License-Identifier: GPL-3.0-or-later
/// The charts' data, taken from a session.
#pragma once

#include "widgets/charts/chart_data.h"

namespace nestwright::document {
class Document;
class Measuring;
class PeerMeasuring;
} // namespace nestwright::document

namespace nestwright::app {

/// "llvm · 2 threads": where the open kernel is measured.
QString targetText(const document::Document &document);

/// Every measured variant in the order made, with the machine's peak and the throughput of a tuned library.
charts::BarData barsOf(const document::Document &document, const document::Measuring &measuring,
                       const document::PeerMeasuring &peer);

/// The measured variants on the way to the current one, and whether that is drawn. Bytes are the compulsory
/// traffic of all arguments; where a kernel has no operations they are all that counts.
charts::RooflineData rooflineOf(const document::Document &document, const document::Measuring &measuring,
                                bool showsWay);

} // namespace nestwright::app
