// SPDX-License-Identifier: Apache-2.0
/// The cores of this machine that the program may use, their kinds and caches, as hwloc finds them.
#pragma once

#include "core/support/errors/result.h"
#include "core/target/machine.h"

#include <string>
#include <vector>

namespace nestwright::measure {

struct Topology {
    std::vector<target::CoreKind> kinds; ///< that may be used, fastest first
    std::vector<target::MemoryLevel>
        caches;    ///< of data, of a core of the first kind; nearest first, no rates
    int nodes = 1; ///< of memory

    int cores() const;
    int threads() const;
};

/// Topology of this machine, read once.
const Topology &topology();

/// One of hwloc's words: "pack:2 l3:1 l2:8 l1d:1 core:1 pu:2". Error: "usage.topology".
support::Result<Topology> topologyOf(const std::string &words);

/// Processors' worth of time that the system grants this process, where a container has a quota; 0: all.
/// `root` is the folder of control groups, `groups` the list of those of the process.
double processorQuota(const std::string &root = "/sys/fs/cgroup",
                      const std::string &groups = "/proc/self/cgroup");

/// Threads that run at the same time: processors that this process may use, as many as its quota pays for.
int usableThreads();

} // namespace nestwright::measure
