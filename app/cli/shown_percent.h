// SPDX-License-Identifier: Apache-2.0
/// Progress of long work on a terminal.
#pragma once

namespace nestwright::cli {

/// Shows on a terminal how much is done, while it lives.
class ShownPercent {
public:
    ShownPercent();
    ~ShownPercent();
    ShownPercent(const ShownPercent &) = delete;
    ShownPercent &operator=(const ShownPercent &) = delete;

    /// `fraction`: 0 … 1.
    void tell(double fraction) const;

private:
    bool m_isShown;
};

} // namespace nestwright::cli
