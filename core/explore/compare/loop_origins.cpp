// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/loop_origins.h"

#include "core/ir/build/walk.h"

#include <format>
#include <tuple>

namespace nestwright::explore {

LoopOrigins::LoopOrigins(const StepPath &path, std::size_t common)
    : m_common{path.state(common - 1).ids.last()}
{
    for (std::size_t i = common; i <= path.size(); ++i) {
        std::map<ir::StmtId, ir::Origin> made;
        const auto note = [&](ir::StmtId id, const ir::Origin &origin) {
            if (id.value > path.state(i - 1).ids.last())
                made.emplace(id, origin);
        };
        for (const ir::Module::Entry &entry : path.state(i).module.functions()) {
            ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
                if (const auto *loop = s.as<ir::For>())
                    note(loop->id, loop->origin);
                else if (const auto *block = s.as<ir::Block>())
                    note(block->id, block->origin);
                return true;
            });
        }
        std::map<std::tuple<ir::StmtId, std::string>, int> count;
        for (auto &[id, origin] : made) {
            const int position = count[{origin.parent, origin.part}]++;
            m_made.emplace(id, Made{std::move(origin), position});
        }
    }
}

std::string LoopOrigins::path(ir::StmtId id) const
{
    const auto found = m_made.find(id);
    if (found == m_made.end())
        return std::format("#{}", id.value);
    const Made &made = found->second;
    return std::format("{} {}:{}.{}", path(made.origin.parent), made.origin.step, made.origin.part,
                       made.position);
}

std::string LoopOrigins::part(ir::StmtId id) const
{
    const auto found = m_made.find(id);
    return found == m_made.end() ? std::string() : found->second.origin.part;
}

} // namespace nestwright::explore
