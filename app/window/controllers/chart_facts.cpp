// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/chart_facts.h"

#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/peer_measuring.h"

namespace nestwright::app {

ChartFacts chartFactsOf(const document::Document &document, const document::Measuring &measuring,
                        const document::PeerMeasuring &peer)
{
    if (!document.isOpen())
        return {};
    return {.session = &document.session(),
            .running = measuring.current(),
            .peak = measuring.peak(),
            .library = peer.time()};
}

} // namespace nestwright::app
