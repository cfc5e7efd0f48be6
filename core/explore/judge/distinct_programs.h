// SPDX-License-Identifier: Apache-2.0
/// Programs that are measured together, each different one once.
#pragma once

#include "core/ir/node/function.h"

#include <map>
#include <span>
#include <vector>

namespace nestwright::explore {

class DistinctPrograms {
public:
    /// The place of `program` among the different ones; a new one comes last.
    std::size_t add(const ir::Module &program);

    std::size_t size() const { return m_programs.size(); }
    const ir::Module &at(std::size_t place) const { return m_programs.at(place); }
    const std::vector<ir::Module> &all() const { return m_programs; }

private:
    std::vector<ir::Module> m_programs;
    std::multimap<std::uint64_t, std::size_t> m_places; ///< by hash
};

} // namespace nestwright::explore
