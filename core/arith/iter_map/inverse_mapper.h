// SPDX-License-Identifier: Apache-2.0
/// Carrying the values of an affine map's indices back to its variables.
#pragma once

#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"

#include <algorithm>

namespace nestwright::arith {

/// The values of one kind (expressions, intervals) at the marks of a map. `Rules` say how such values are
/// taken apart and added: `Value part(split, isOutermost, values of the sum without its base)`, times the
/// split's lower factor; `Value without(values, base)`; `Value plus(Value, Value)`. Fused marks are taken
/// apart once all that is known of them has come in.
template <class Value, class Rules> class InverseMapper {
public:
    explicit InverseMapper(Rules rules) : m_rules(std::move(rules)) {}

    void sum(const IterSum &sum, const Value &output)
    {
        const Value positions = m_rules.without(output, sum.base);
        for (std::size_t i = 0; i < sum.args.size(); ++i)
            add(sum.args[i].source, m_rules.part(sum.args[i], i == 0, positions));
    }

    ir::VarMap<Value> finish()
    {
        while (!m_fused.empty()) {
            const auto next = std::ranges::find_if(
                m_fused, [&](const Known &entry) { return !isPartOfAnother(entry.first); });
            const Known known = *next;
            m_fused.erase(next);
            sum(known.first->sum, known.second);
        }
        return std::move(m_values);
    }

private:
    using Known = std::pair<IterMarkPtr, Value>;

    void add(const IterMarkPtr &mark, const Value &part)
    {
        if (mark->var) {
            const auto known = m_values.find(mark->var);
            if (known != m_values.end())
                known->second = m_rules.plus(known->second, part);
            else // the mark counts from the variable's first value
                m_values.emplace(mark->var,
                                 ir::isConstInt(mark->start, 0) ? part : m_rules.without(part, -mark->start));
            return;
        }
        const auto known = std::ranges::find(m_fused, mark, &Known::first);
        if (known == m_fused.end())
            m_fused.emplace_back(mark, part);
        else
            known->second = m_rules.plus(known->second, part);
    }

    bool isPartOfAnother(const IterMarkPtr &mark) const
    {
        return std::ranges::any_of(
            m_fused, [&](const Known &other) { return other.first != mark && isPartOf(mark, *other.first); });
    }

    static bool isPartOf(const IterMarkPtr &mark, const IterMark &whole)
    {
        return std::ranges::any_of(whole.sum.args, [&](const IterSplit &split) {
            return split.source == mark || isPartOf(mark, *split.source);
        });
    }

    Rules m_rules;
    ir::VarMap<Value> m_values;
    std::vector<Known> m_fused;
};

} // namespace nestwright::arith
