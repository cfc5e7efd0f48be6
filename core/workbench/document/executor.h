// SPDX-License-Identifier: Apache-2.0
/// Whoever runs the long work of a document: a thread of its own in a window, the caller's in a command.
#pragma once

#include <functional>

namespace nestwright::workbench {

class Executor {
public:
    virtual ~Executor() = default;

    /// Use of the result of work, on the thread of the document.
    using Then = std::function<void()>;

    /// Runs `work`, which may look at support::throwIfStopped, and then calls what it gives, on the thread
    /// that asked. A document asks for one piece of work at a time.
    virtual void run(std::function<Then()> work) = 0;
    /// Stops the work; nothing that it gives is called any more.
    virtual void cancel() = 0;
};

/// Runs work at once, on the caller's thread.
class AtOnce final : public Executor {
public:
    void run(std::function<Then()> work) override { work()(); }
    void cancel() override {}
};

} // namespace nestwright::workbench
