// SPDX-License-Identifier: Apache-2.0
/// A copy of this process in which generated code runs, and nothing else of it can be reached.
///
/// All that such code can do is to compute, to write into memory that was shared with it beforehand, and to
/// send small messages. It shares nothing with the process that judges its results, and never runs in that.
#pragma once

#include "core/ir/ndarray.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/support/errors/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace nestwright::measure {

/// Zeroed memory that stays the same memory in copies of this process.
class SharedMemory {
public:
    /// Throws std::bad_alloc.
    explicit SharedMemory(std::size_t bytes);
    SharedMemory(SharedMemory &&other) noexcept;
    SharedMemory &operator=(SharedMemory &&) = delete;
    ~SharedMemory();
    std::span<std::byte> bytes() const { return m_bytes; }

private:
    std::span<std::byte> m_bytes;
};

/// Memory for the elements of the arrays, one after the other.
std::size_t bytesOf(std::span<const ir::NdArray> arrays);
/// Copies the elements there, and back into arrays of the same types and shapes.
void copyInto(const SharedMemory &memory, std::span<const ir::NdArray> arrays);
void copyFrom(const SharedMemory &memory, std::span<ir::NdArray> arrays);

/// Message to the enclosed process and back: fixed in size, and with nothing in it to be parsed.
struct Message {
    std::int32_t kind = 0;
    std::int32_t number = 0;
    std::int64_t count = 0;
    double seconds = 0;
    std::uint64_t order = 0; ///< drawn for each question; an answer repeats it: none can be given before
    char text[512] = {};     ///< ends with 0

    void setText(std::string_view said);
    /// The text without characters that could mislead a terminal or a table.
    std::string cleanText() const;
};

/// The enclosed process's end of the line.
class Line {
public:
    explicit Line(int socket) : m_socket(socket) {}
    /// False when the other end is gone.
    bool receive(Message &message) const;
    void send(const Message &message) const;

private:
    int m_socket;
};

class Enclosure {
public:
    /// Runs in the copy; its result is the exit status. It loads the files that it needs and then calls
    /// enterSandbox.
    using Body = std::function<int(const Line &line)>;

    Enclosure() = default;
    Enclosure(Enclosure &&other) noexcept { *this = std::move(other); }
    Enclosure &operator=(Enclosure &&other) noexcept;
    ~Enclosure() { kill(); }

    /// Error "worker.start".
    static support::Result<Enclosure> start(const Body &body);

    void send(const Message &message) const;
    /// The process's next message. `silence`: how long it may compute without a word (as Silence counts);
    /// `wait` is called several times a second meanwhile. Errors: "worker.crash" (it died: names the signal),
    /// "worker.time-out", "cancelled".
    support::Result<Message> receive(std::chrono::nanoseconds silence, const std::function<void()> &wait,
                                     const std::stop_token &stop = {});
    void kill();
    /// Stops the process with all its threads, and lets it go on: what runs in it takes nothing from others
    /// meanwhile. Error "worker.crash".
    support::Result<void> pause();
    void resume();
    pid_t process() const { return m_process; }

private:
    support::Diagnostic howItDied();

    pid_t m_process = -1;
    int m_socket = -1;
};

/// The message to a person about a process that ran generated code and died of `signal`.
std::string describeSignal(int signal);

} // namespace nestwright::measure
