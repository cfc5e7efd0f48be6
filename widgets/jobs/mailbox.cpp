// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jobs/mailbox.h"

#include <atomic>

namespace nestwright::jobs {

namespace {
std::atomic<int> abandoned = 0;
}

int abandonedThreads() { return abandoned; }

void countAbandonedThreads(int more) { abandoned += more; }

} // namespace nestwright::jobs
