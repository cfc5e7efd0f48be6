// SPDX-License-Identifier: Apache-2.0
/// Values of annotations and attributes: an expression (constant or string), a buffer, a list or a record of
/// such values.
#pragma once

#include "core/ir/node/buffer.h"

#include <map>
#include <variant>

namespace nestwright::ir {

struct AttrRecord;

struct AttrValue {
    std::variant<Expr, std::vector<AttrValue>, Buffer, std::shared_ptr<const AttrRecord>> value;

    AttrValue() = default;
    AttrValue(Expr e) : value(std::move(e)) {}
    AttrValue(Buffer buffer) : value(std::move(buffer)) {}
    AttrValue(std::int64_t number) : value(Expr(number)) {}
    AttrValue(int number) : value(Expr(number)) {}
    AttrValue(const std::string &text);
    AttrValue(std::vector<AttrValue> list) : value(std::move(list)) {}
    AttrValue(AttrRecord record);

    /// The constant integer or string, where it is one.
    const std::int64_t *asInt() const;
    const std::string *asString() const;
    const Expr *asExpr() const { return std::get_if<Expr>(&value); }
    const std::vector<AttrValue> *asList() const { return std::get_if<std::vector<AttrValue>>(&value); }
    const Buffer *asBuffer() const { return std::get_if<Buffer>(&value); }
    const AttrRecord *asRecord() const
    {
        const auto *record = std::get_if<std::shared_ptr<const AttrRecord>>(&value);
        return record ? record->get() : nullptr;
    }
};

/// Sorted by key, so that printing and hashing are stable.
using Attrs = std::map<std::string, AttrValue>;

/// A dictionary, or an object that a function of TVMScript makes of one: T.target({"kind": "cuda"}).
struct AttrRecord {
    std::string function; ///< "target"; empty for a plain dictionary
    Attrs items;          ///< the key "" holds an argument that is no dictionary: T.target("cuda")
    static constexpr auto fields() { return std::tuple{&AttrRecord::function, &AttrRecord::items}; }
};

} // namespace nestwright::ir
