// SPDX-License-Identifier: Apache-2.0
/// The loads and stores of a run in the order in which it makes them, for simulations of memory.
#pragma once

#include "core/interp/interpreter.h"
#include "core/ir/node/stmt.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright::interp {

/// A load or store in the text of a program.
struct AccessSite {
    ir::Buffer buffer;
    bool isWrite = false;
    support::StmtId stmt{};  ///< nearest block, or loop where there is none
    std::string blockName{}; ///< empty where there is none
    std::size_t memory = 0;  ///< number of the memory that the buffer lies in; a run may lay it over another
};

/// A loop in the text of a program, with its variable.
struct LoopSite {
    support::StmtId loop;
    std::string variable;
};

struct TraceSites {
    std::vector<AccessSite> accesses;
    std::vector<LoopSite> loops;        ///< outer ones before those within
    std::vector<std::size_t> arguments; ///< memories of the buffer parameters, in order
    std::size_t memories = 0;
};

struct TraceEvent {
    enum Kind : std::uint8_t {
        Access,    ///< of one element
        Iteration, ///< begins
        Memory     ///< is allocated
    };
    std::uint32_t kind : 2 = Access;
    std::uint32_t site : 30 = 0; ///< number of the access or the loop
    std::uint32_t memory = 0;    ///< of an access or an allocation
    std::int64_t value = 0;      ///< bytes from the begin of the memory; of the variable; bytes of the memory
};

/// Receives what a run does.
class TraceListener {
public:
    virtual ~TraceListener() = default;
    /// Called before anything runs.
    virtual void begin(const TraceSites &sites) = 0;
    /// Some events, in order. False ends the run.
    virtual bool take(std::span<const TraceEvent> events) = 0;
};

/// Runs `function` as `run` does and tells `listener` of it; a run that it ends is no error. Codes: those of
/// `run`.
support::Result<void> trace(const ir::PrimFunc &function, std::span<ir::NdArray *const> buffers,
                            TraceListener &listener, const Limits &limits = {});

/// Gathers events of a run and hands them on many at a time.
class AccessTracer {
public:
    /// Thrown where the listener ends the run; no std::exception, as support::Stopped.
    struct Ended {};

    explicit AccessTracer(TraceListener &listener) : m_listener(listener) {}

    void access(std::uint32_t site, std::size_t memory, std::int64_t offset)
    {
        add({.kind = TraceEvent::Access,
             .site = site,
             .memory = static_cast<std::uint32_t>(memory),
             .value = offset});
    }
    void iteration(std::uint32_t loop, std::int64_t value)
    {
        add({.kind = TraceEvent::Iteration, .site = loop, .memory = 0, .value = value});
    }
    void allocation(std::size_t memory, std::int64_t bytes)
    {
        add({.kind = TraceEvent::Memory,
             .site = 0,
             .memory = static_cast<std::uint32_t>(memory),
             .value = bytes});
    }
    void flush();

private:
    void add(const TraceEvent &event)
    {
        m_events[m_count++] = event;
        if (m_count == m_events.size())
            flush();
    }

    TraceListener &m_listener;
    std::size_t m_count = 0;
    std::array<TraceEvent, 1024> m_events;
};

} // namespace nestwright::interp
