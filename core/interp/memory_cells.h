// SPDX-License-Identifier: Apache-2.0
/// Notes on the elements of a memory, for as much of it as is touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace nestwright::interp {

/// A cell for each piece of a memory, made with others of its page when the first of them is asked for. Cells
/// of an earlier era count as new ones, so that forgetting all of them takes no time. A piece is as large as
/// all accesses allow: none touches a part of one.
template <class Cell> class MemoryCells {
public:
    /// Calls `visit` with the cell of each piece of the bytes from `first`, until it gives false.
    template <class Visit> void visit(std::size_t first, std::size_t bytes, std::uint64_t era, Visit &&visit)
    {
        fit(first, bytes);
        for (std::size_t i = first / m_unit; i < (first + bytes) / m_unit; ++i) {
            if (!visit(at(i, era)))
                return;
        }
    }

    /// The cell of a byte; null where none was touched since that era.
    const Cell *find(std::size_t byte, std::uint64_t era) const
    {
        const std::size_t index = m_unit == 0 ? 0 : byte / m_unit, page = index / pageSize;
        if (page >= m_pages.size() || !m_pages[page])
            return nullptr;
        const Entry &entry = (*m_pages[page])[index % pageSize];
        return entry.era < era ? nullptr : &entry.cell;
    }

private:
    static constexpr std::size_t pageSize = 256;
    struct Entry {
        std::uint64_t era = 0;
        Cell cell;
    };
    using Page = std::array<Entry, pageSize>;

    Cell &at(std::size_t index, std::uint64_t era)
    {
        const std::size_t page = index / pageSize;
        if (page >= m_pages.size())
            m_pages.resize(page + 1);
        if (!m_pages[page])
            m_pages[page] = std::make_unique<Page>();
        Entry &entry = (*m_pages[page])[index % pageSize];
        if (entry.era < era)
            entry = {.era = era, .cell = {}};
        return entry.cell;
    }

    void fit(std::size_t first, std::size_t bytes)
    {
        const std::size_t unit = std::gcd(std::gcd(m_unit, bytes), first);
        if (unit != m_unit && m_unit != 0)
            refine(m_unit / unit);
        m_unit = unit;
    }

    /// `parts` cells in place of each, with what is known of it.
    void refine(std::size_t parts)
    {
        const std::vector<std::unique_ptr<Page>> coarse = std::exchange(m_pages, {});
        for (std::size_t i = 0; i < coarse.size() * pageSize; ++i) {
            const Page *page = coarse[i / pageSize].get();
            const Entry entry = page ? (*page)[i % pageSize] : Entry{};
            for (std::size_t part = 0; entry.era > 0 && part < parts; ++part)
                at(i * parts + part, entry.era) = entry.cell;
        }
    }

    std::size_t m_unit = 0;                     ///< bytes for one cell; 0: nothing was touched yet
    std::vector<std::unique_ptr<Page>> m_pages; ///< null where nothing was touched
};

} // namespace nestwright::interp
