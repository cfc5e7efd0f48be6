// SPDX-License-Identifier: Apache-2.0
/// Names and their values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::script::py {

/// The names of a file, a function or a block; missing ones are looked up in the enclosing scope.
template <class Value> class Scope {
public:
    explicit Scope(std::shared_ptr<Scope> outer = nullptr) : m_outer(std::move(outer)) {}

    /// Null where neither this scope nor those around it know the name.
    const Value *find(const std::string &name) const
    {
        for (const Scope *scope = this; scope; scope = scope->m_outer.get()) {
            if (const auto found = scope->m_names.find(name); found != scope->m_names.end())
                return &found->second;
        }
        return nullptr;
    }
    /// Whether the name is one of this scope itself.
    bool holds(const std::string &name) const { return m_names.contains(name); }
    void set(const std::string &name, Value value) { m_names.insert_or_assign(name, std::move(value)); }
    void erase(const std::string &name) { m_names.erase(name); }
    void clear() { m_names.clear(); }

    /// All names that can be seen from here, those of the outermost scope first.
    std::vector<std::string_view> names() const
    {
        std::vector<std::string_view> all = m_outer ? m_outer->names() : std::vector<std::string_view>();
        for (const auto &[name, value] : m_names)
            all.push_back(name);
        return all;
    }

private:
    std::shared_ptr<Scope> m_outer;
    std::map<std::string, Value> m_names;
};

} // namespace nestwright::script::py
