// SPDX-License-Identifier: Apache-2.0
/// The phase of long work, for people who wait for it.
#pragma once

#include <functional>
#include <string_view>

namespace nestwright::support {

using PhaseSink = std::function<void(std::string_view phase)>;

/// While it lives, phases told by this thread's work (tellPhase) go to `sink`.
class PhaseScope {
public:
    explicit PhaseScope(PhaseSink sink);
    ~PhaseScope();
    PhaseScope(const PhaseScope &) = delete;
    PhaseScope &operator=(const PhaseScope &) = delete;

private:
    PhaseSink m_sink;
    const PhaseSink *m_before;
};

/// "importing", "step 12 of 400": to the innermost scope, else to nobody. Work that is to stop begins no
/// phase (checkStop). For steps and nodes, not for turns of a loop.
void tellPhase(std::string_view phase);

} // namespace nestwright::support
