// SPDX-License-Identifier: Apache-2.0
/// Identity of a loop or block, stable across rewrites; selections, links and diffs rest on it.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace nestwright::support {

/// The number a State's counter gave a loop or block; 0 means "none yet".
struct StmtId {
    std::uint32_t value = 0;

    explicit operator bool() const { return value != 0; }
    auto operator<=>(const StmtId &) const = default;
};

/// Hands out ids in order, so that replaying the same steps gives the same ids.
class IdCounter {
public:
    StmtId next() { return StmtId{++m_last}; }
    std::uint32_t last() const { return m_last; }
    /// Makes sure that later ids are greater than `id`.
    void reserve(StmtId id) { m_last = id.value > m_last ? id.value : m_last; }

private:
    std::uint32_t m_last = 0;
};

} // namespace nestwright::support

template <> struct std::hash<nestwright::support::StmtId> {
    std::size_t operator()(nestwright::support::StmtId id) const noexcept
    {
        return id.value * 0x9e3779b97f4a7c15ULL;
    }
};
