// SPDX-License-Identifier: Apache-2.0
/// Functions and modules of functions.
#pragma once

#include "core/ir/node/stmt.h"

#include <string_view>

namespace nestwright::ir {

/// A scalar parameter (`buffer` null), or a handle through which a buffer is passed.
struct Param {
    Var var;
    Buffer buffer;
    static constexpr auto fields() { return std::tuple{def(&Param::var), def(&Param::buffer)}; }
};

/// A TensorIR function. Before lowering `body` is always a Block without iteration variables, the root block,
/// whose allocBuffers are the function-level buffers. Symbolic sizes are free Vars of the parameters' shapes.
struct PrimFunc {
    std::vector<Param> params;
    Attrs attrs; ///< attributes.h says what several passes read
    DataType returnType = DataType::void_();
    Stmt body;
    static constexpr auto fields()
    {
        return std::tuple{&PrimFunc::params, &PrimFunc::attrs, &PrimFunc::returnType, &PrimFunc::body};
    }

    /// The root block, or null after lowering.
    const Block *root() const { return body.as<Block>(); }
};

using Function = std::shared_ptr<const PrimFunc>;

/// Functions by name in the order of the file; copying is O(1).
class Module {
public:
    struct Entry {
        std::string name;
        Function function;
    };

    Module();
    explicit Module(std::vector<Entry> functions, Attrs attrs = {});

    const std::vector<Entry> &functions() const { return m_data->functions; }
    const Attrs &attrs() const { return m_data->attrs; }
    /// Null when there is none of that name.
    Function find(std::string_view name) const;
    /// The function that steps without a function name work on: "main", or the only one; null when there is
    /// neither.
    const Entry *mainEntry() const;
    /// A module with `name` replaced or added.
    Module with(std::string_view name, Function function) const;
    bool same(const Module &other) const { return m_data == other.m_data; }

private:
    struct Data {
        std::vector<Entry> functions;
        Attrs attrs;
    };
    std::shared_ptr<const Data> m_data;
};

/// The greatest StmtId in the module (0 when it has none).
StmtId lastId(const Module &module);

/// Gives every loop and block that has no id yet one from `ids`, in pre-order.
Module assignIds(const Module &module, IdCounter &ids);

} // namespace nestwright::ir
