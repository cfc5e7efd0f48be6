// SPDX-License-Identifier: Apache-2.0
/// Calls made to fail, one after the other: all with NESTWRIGHT_FAULT_ALL=1, else a sample spread over them.
#pragma once

#include <QtGlobal>

namespace nestwright::tests {

class FaultPlaces {
public:
    int current() const { return m_place; }
    void next()
    {
        if (!m_all && ++m_sinceStep == runsOfEach) {
            m_sinceStep = runsOfEach / 2;
            m_step *= 2;
        }
        m_place += m_step;
    }

private:
    static constexpr int runsOfEach = 4; ///< before the step is doubled

    bool m_all = qEnvironmentVariableIsSet("NESTWRIGHT_FAULT_ALL");
    int m_place = 1, m_step = 1, m_sinceStep = 0;
};

} // namespace nestwright::tests
