// SPDX-License-Identifier: GPL-3.0-or-later
/// The charts' facts, gathered from the open document and what is measured of it.
#pragma once

#include "app/present/chart_pages.h"

namespace nestwright::document {
class Document;
class Measuring;
class PeerMeasuring;
} // namespace nestwright::document

namespace nestwright::app {

/// Valid until the session changes.
ChartFacts chartFactsOf(const document::Document &document, const document::Measuring &measuring,
                        const document::PeerMeasuring &peer);

} // namespace nestwright::app
