// SPDX-License-Identifier: Apache-2.0
/// Values of expressions of TE scripts.
#pragma once

#include "core/script/python/ast.h"
#include "core/script/python/scope.h"
#include "core/script/python/values.h"
#include "core/te/tensor.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace nestwright::te {

namespace py = script::py;

class LegacySchedule;
class Value;
using Scope = py::Scope<Value>;

using NoneValue = py::None;
/// The result of a line that is not carried out (NumPy, building, timing); whatever is made from it is
/// skipped too.
struct SkippedValue {
    std::string what; ///< "numpy", say
};
/// A Python module of TVM by its full name: "tvm.te".
struct ModuleValue {
    std::string name;
};
/// A function that the reader provides, by the name it has in its table ("te.compute", "len").
struct BuiltinValue {
    std::string name;
};
struct ListValue {
    std::shared_ptr<std::vector<Value>> items;
    bool isTuple = false;
};
struct DictValue {
    std::shared_ptr<std::vector<std::pair<Value, Value>>> items;
};
/// A `def` or `lambda` of the script, with the scope it closes over and the values of its defaults.
struct ClosureValue {
    std::string name;
    const std::vector<py::Param> *params = nullptr;
    const py::ExprNode *lambdaBody = nullptr; ///< null for a `def`
    const py::Body *body = nullptr;           ///< null for a `lambda`
    std::shared_ptr<Scope> scope;
    std::shared_ptr<std::vector<Value>> defaults; ///< one per parameter; None where there is none
};
/// A method found on a value but not yet called.
struct MethodValue {
    std::shared_ptr<Value> self;
    std::string name;
};
/// `C.op`
struct OperationValue {
    std::shared_ptr<const Operation> operation;
};
/// `A[i]` of a tensor that has more dimensions.
struct TensorSliceValue {
    Tensor tensor;
    std::vector<Expr> indices;
    py::Position at;
};
/// A reducer of te.comm_reducer.
struct ReducerValue {
    std::string name;
    std::shared_ptr<Value> combine, identity;
};
/// A function made by te.create_prim_func; `index` is its place in the list of kernels.
struct KernelValue {
    std::size_t index = 0;
};
struct ThreadAxisValue {
    std::string tag; ///< "blockIdx.x"
};
/// A schedule of te.create_schedule.
struct ScheduleValue {
    std::shared_ptr<LegacySchedule> schedule;
};
/// The result of tvm.lower for a schedule, or its text: it is shown anyway, whatever the script does with it.
struct LoweredValue {
    std::shared_ptr<LegacySchedule> schedule;
};
/// `s[C]`
struct StageValue {
    std::shared_ptr<LegacySchedule> schedule;
    int stage = 0;
};
/// An axis that a schedule step made, or one of the stage's own.
struct StageAxisValue {
    std::shared_ptr<LegacySchedule> schedule;
    int axis = 0;
};

class Value {
public:
    using Variant =
        py::ValueOf<SkippedValue, Expr, Tensor, TensorSliceValue, IterVar, Reduction, ListValue, DictValue,
                    ClosureValue, BuiltinValue, MethodValue, ModuleValue, OperationValue, ReducerValue,
                    KernelValue, ThreadAxisValue, ScheduleValue, LoweredValue, StageValue, StageAxisValue>;

    Value() = default;
    template <class T>
        requires std::constructible_from<Variant, T &&>
    Value(T &&value) : m_value(std::forward<T>(value))
    {
    }

    static Value of(const py::Number &number)
    {
        return std::visit([](auto held) { return Value(held); }, number);
    }
    static Value list(std::vector<Value> items)
    {
        return Value(ListValue{std::make_shared<std::vector<Value>>(std::move(items)), false});
    }
    static Value tuple(std::vector<Value> items)
    {
        return Value(ListValue{std::make_shared<std::vector<Value>>(std::move(items)), true});
    }

    template <class T> const T *as() const { return std::get_if<T>(&m_value); }
    bool isNone() const { return as<NoneValue>(); }
    bool isSkipped() const { return as<SkippedValue>(); }
    const Variant &variant() const { return m_value; }

    /// "a tensor", "an int", "a string": for messages.
    std::string kindText() const;

private:
    Variant m_value;
};

/// A Python number; bools count as ints.
std::optional<std::int64_t> asInteger(const Value &value);
std::optional<double> asNumber(const Value &value);
/// Python's str() of an int, a bool or a string; nothing for other values.
std::optional<std::string> textOf(const Value &value);

/// The element or loop variable or constant that `value` is (Python numbers become int32, int64 and float32
/// constants); null when it is none.
Expr toExpr(const Value &value);

} // namespace nestwright::te
