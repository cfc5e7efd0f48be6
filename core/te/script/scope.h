// SPDX-License-Identifier: Apache-2.0
/// Names and their values while a TE script is read.
#pragma once

#include "core/te/script/value.h"

#include <string_view>
#include <unordered_map>

namespace nestwright::te {

/// A function's names, or a module's; what it has not is looked for in the scope around it.
class Scope {
public:
    explicit Scope(std::shared_ptr<Scope> outer = nullptr) : m_outer(std::move(outer)) {}

    const Value *find(const std::string &name) const
    {
        for (const Scope *scope = this; scope; scope = scope->m_outer.get()) {
            if (const auto found = scope->m_names.find(name); found != scope->m_names.end())
                return &found->second;
        }
        return nullptr;
    }
    void set(const std::string &name, Value value) { m_names[name] = std::move(value); }
    void erase(const std::string &name) { m_names.erase(name); }

    void clear() { m_names.clear(); }

    /// All names that can be seen from here.
    std::vector<std::string_view> names() const
    {
        std::vector<std::string_view> all;
        for (const Scope *scope = this; scope; scope = scope->m_outer.get()) {
            for (const auto &[name, value] : scope->m_names)
                all.push_back(name);
        }
        return all;
    }

private:
    std::shared_ptr<Scope> m_outer;
    std::unordered_map<std::string, Value> m_names;
};

} // namespace nestwright::te
