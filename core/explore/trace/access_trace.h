// SPDX-License-Identifier: Apache-2.0
/// The accesses of a scheduled program in the order in which it makes them, with the memory they go to.
#pragma once

#include "core/interp/access_tracer.h"
#include "core/target/target.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nestwright::explore {

/// The accesses of a statement to a buffer.
struct TracedAccess {
    support::StmtId stmt{};
    std::string statement; ///< name of the block; empty where there is none
    std::size_t buffer = 0;
    bool isWrite = false;
};

/// Memory of the program. Each lies at a page of its own, parameters first.
struct TracedBuffer {
    std::string name;
    std::vector<std::int64_t> shape;   ///< one dimension where it is not known
    std::vector<std::int64_t> strides; ///< elements
    std::int64_t elementBytes = 1;
    std::int64_t bytes = 0;    ///< 0 before it is allocated
    std::uint64_t address = 0; ///< of the simulated memory
};

struct TraceTables {
    std::vector<TracedAccess> accesses;
    std::vector<TracedBuffer> buffers; ///< by memory; some may be of no use
    std::vector<interp::LoopSite> loops;
    std::vector<std::uint32_t> accessOfSite; ///< by TraceEvent::site

    std::uint32_t accessOf(const interp::TraceEvent &event) const { return accessOfSite[event.site]; }
    std::uint64_t addressOf(const interp::TraceEvent &event) const
    {
        return buffers[event.memory].address + static_cast<std::uint64_t>(event.value);
    }
};

inline constexpr std::uint64_t pageBytes = 4096;

/// The main function with buffers as large as they are kept, and its loops: lowered up to where buffers
/// become one-dimensional. Kernels of a GPU stay as they are: their threads run one after the other. Errors
/// are those of lowering; "explore.no-function".
support::Result<ir::Function> traceableFunction(const ir::Module &module, const target::Target &target);

/// Receives events in their order; false ends the run. The tables hold all memory that the events go to.
using TakeEvents = std::function<bool(const TraceTables &tables, std::span<const interp::TraceEvent> events)>;

/// Runs the function on random inputs. Symbolic sizes as interp::makeArguments has them. Errors are those of
/// the interpreter: elements whose place depends on data are those of these inputs.
support::Result<TraceTables> traceAccesses(const ir::PrimFunc &function, const interp::Sizes &sizes,
                                           const TakeEvents &take);

} // namespace nestwright::explore
