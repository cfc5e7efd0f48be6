// SPDX-License-Identifier: Apache-2.0
/// Values of expressions of TVMScript while it is read.
#pragma once

#include "core/ir/node/attr.h"
#include "core/script/python/call_binding.h"
#include "core/script/python/scope.h"
#include "core/script/python/values.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nestwright::script {

struct Value;
using Scope = py::Scope<Value>;
using ValueList = std::vector<Value>;

using NoneValue = py::None;
/// A number such as `1.5`, whose type follows from the other operand; float32 when alone.
struct FloatValue {
    double number = 0;
};
/// `T.float32` itself, before it is called or where a type is wanted.
struct TypeValue {
    ir::DataType dtype;
};
/// A function or module by its canonical name: "T.grid", "T.axis.spatial", "range". A function that the file
/// itself defines, as a macro or to compute indices, has its definition here.
struct FunctionValue {
    std::string name;
    const py::FunctionDef *definition = nullptr;
    std::weak_ptr<Scope> scope{}; ///< of one defined inside a function: the names it sees
};
/// A class that the file defines, which is no module.
struct ClassValue {
    const py::ClassDef *definition = nullptr;
};
struct Instance;
/// An object of such a class, made by calling it; the Context keeps it.
struct InstanceValue {
    Instance *instance = nullptr;
};
/// A function of the module, as another one calls it.
struct GlobalFunction {
    std::string name;
    ir::DataType returnType;
};
/// A value that only attributes may hold: T.target(…).
struct ObjectValue {
    ir::AttrValue attr;
};
/// A tuple or a list; the difference matters nowhere.
struct ListValue {
    ValueList items;
};
struct DictValue {
    std::vector<std::pair<Value, Value>> items;
};
/// A member that must be called: `A.access_ptr`, `x.astype`.
struct MethodValue {
    std::shared_ptr<const Value> object;
    std::string name;
};

/// Integers and strings are constant expressions; `A[i, 0:4]` is a region until an expression is wanted.
struct Value {
    std::variant<NoneValue, ir::Expr, FloatValue, ir::Buffer, ir::BufferRegion, TypeValue, FunctionValue,
                 ListValue, DictValue, MethodValue, GlobalFunction, ObjectValue, ClassValue, InstanceValue>
        data;

    template <class T> const T *as() const { return std::get_if<T>(&data); }
    bool isNone() const { return as<NoneValue>() != nullptr; }
};

/// The class and members of an object.
struct Instance {
    const py::ClassDef *type = nullptr;
    std::map<std::string, Value> members;

    /// The function of this name in the class, or null.
    const py::FunctionDef *method(const std::string &name) const;
};

using Argument = py::Argument<Value>;

/// "an integer", "the buffer 'A'", …: the found value in a message.
std::string describe(const Value &value);

} // namespace nestwright::script
