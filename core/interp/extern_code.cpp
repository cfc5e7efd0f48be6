// SPDX-License-Identifier: Apache-2.0
#include "core/interp/extern_code.h"

#include "core/interp/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace nestwright::interp {

namespace {

/// The other functions of math.h that take and give floating-point numbers.
constexpr auto unaryExterns = std::to_array<std::pair<std::string_view, UnaryFunction>>({
    {"cbrt", [](double x) { return std::cbrt(x); }},
    {"erfc", [](double x) { return std::erfc(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"j0", [](double x) { return ::j0(x); }},
    {"j1", [](double x) { return ::j1(x); }},
    {"lgamma", [](double x) { return std::lgamma(x); }},
    {"logb", [](double x) { return std::logb(x); }},
    {"rint", roundToEven},
    {"tgamma", [](double x) { return std::tgamma(x); }},
    {"y0", [](double x) { return ::y0(x); }},
    {"y1", [](double x) { return ::y1(x); }},
});
constexpr auto binaryExterns = std::to_array<std::pair<std::string_view, BinaryFunction>>({
    {"fdim", [](double x, double y) { return std::fdim(x, y); }},
    {"fmax", [](double x, double y) { return std::fmax(x, y); }},
    {"fmin", [](double x, double y) { return std::fmin(x, y); }},
    {"remainder", [](double x, double y) { return std::remainder(x, y); }},
});

/// The function of one of these tables, "f" behind its name or not; null where there is none.
template <class Table> auto externIn(const Table &table, std::string_view name)
{
    const auto isNamed = [&](const auto &row) {
        return row.first == name || (name.ends_with('f') && row.first == name.substr(0, name.size() - 1));
    };
    const auto found = std::ranges::find_if(table, isNamed);
    return found == table.end() ? nullptr : found->second;
}

} // namespace

std::optional<ValueCode> otherExtern(const ir::Call &call, std::string_view name,
                                     std::vector<ValueCode> &args)
{
    const bool allFloating = std::ranges::all_of(args, [](const ValueCode &arg) { return arg.f != nullptr; });
    if (name.starts_with("scalbn") && call.dtype.isFloating() && args.size() == 2 && args[0].f && args[1].i) {
        return floatFunction([precision = precisionOf(call.dtype), x = std::move(args[0].f),
                              y = std::move(args[1].i)](Frame &frame) {
            const double first = x->eval(frame);
            const auto power = std::clamp<std::int64_t>(y->eval(frame), -5000, 5000);
            return roundTo(precision, std::scalbn(first, static_cast<int>(power)));
        });
    }
    if (name.starts_with("ilogb") && call.dtype.isInt() && args.size() == 1 && allFloating) {
        return intFunction(
            [x = std::move(args[0].f)](Frame &frame) -> std::int64_t { return std::ilogb(x->eval(frame)); });
    }
    if (!call.dtype.isFloating() || !allFloating)
        return std::nullopt;
    const Precision precision = precisionOf(call.dtype);
    if (const UnaryFunction function = args.size() == 1 ? externIn(unaryExterns, name) : nullptr) {
        return floatFunction([precision, function, x = std::move(args[0].f)](Frame &frame) {
            return roundTo(precision, function(x->eval(frame)));
        });
    }
    if (const BinaryFunction function = args.size() == 2 ? externIn(binaryExterns, name) : nullptr) {
        return floatFunction(
            [precision, function, x = std::move(args[0].f), y = std::move(args[1].f)](Frame &frame) {
                const double first = x->eval(frame);
                return roundTo(precision, function(first, y->eval(frame)));
            });
    }
    return std::nullopt;
}

} // namespace nestwright::interp
