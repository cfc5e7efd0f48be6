// SPDX-License-Identifier: Apache-2.0
/// The callee of a call: a row of the table of intrinsics, or a name that no table has.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::ir {

struct Intrinsic;

class Callee {
public:
    Callee() = default;
    Callee(const Intrinsic &row) : m_row(&row) {}
    Callee(const Intrinsic &&row) = delete; // rows are told apart by their place in the table
    /// The callee of that name in a text.
    explicit Callee(std::string_view name);

    /// Null for a name that no table has.
    const Intrinsic *intrinsic() const { return m_row; }
    std::string name() const;
    /// Whether it is called `name`, which no table has.
    bool isOther(std::string_view name) const { return !m_row && m_other == name; }

    bool operator==(const Callee &other) const = default;
    bool operator==(const Intrinsic &row) const { return m_row == &row; }

private:
    const Intrinsic *m_row = nullptr;
    std::string m_other; ///< empty for a row of the table
};

} // namespace nestwright::ir
