// SPDX-License-Identifier: Apache-2.0
/// The catalogue of kernels that `op:NAME(…)` names: parameters, a builder of tensor expressions, and a plain
/// reference.
#pragma once

#include "core/ir/ndarray.h"
#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/te/create_prim_func.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nestwright::catalog {

/// A parameter's value: a size, or a type.
using Value = std::variant<std::int64_t, ir::DataType>;

struct Parameter {
    std::string_view name;
    Value defaultValue;
    std::int64_t least; ///< smallest size allowed; without meaning for types
    std::string_view help;
};

/// The values of all parameters of one preset, by name.
class Values {
public:
    explicit Values(std::map<std::string, Value, std::less<>> values) : m_values(std::move(values)) {}
    std::int64_t size(std::string_view name) const;
    ir::DataType dtype(std::string_view name = "dtype") const;
    const std::map<std::string, Value, std::less<>> &all() const { return m_values; }

private:
    std::map<std::string, Value, std::less<>> m_values;
};

/// One kernel of the catalogue.
struct Preset {
    std::string_view name;
    std::string_view title;
    std::string_view summary;
    std::span<const Parameter> parameters;
    /// Checks conditions on parameters together ("the kernel is larger than the padded image"); empty when
    /// they are fine.
    std::string (*check)(const Values &);
    /// The tensors that are the kernel's arguments, inputs first.
    std::vector<te::Argument> (*build)(te::Builder &, const Values &);
    /// The reference by plain loops in double precision: fills the last of `arguments` from those before it.
    void (*reference)(const Values &, std::span<ir::NdArray *const> arguments);
};

std::span<const Preset *const> presets();
/// Errors: "ops.unknown-operator".
support::Result<const Preset *> findPreset(std::string_view name);

using Settings = std::map<std::string, Value, std::less<>>;

/// `settings` completed by the defaults and checked. Errors: "ops.unknown-parameter", "ops.bad-value".
support::Result<Values> completeValues(const Preset &preset, const Settings &settings);

/// A module with the preset as function "main", with ids. Errors: those of findPreset and completeValues.
support::Result<ir::Module> makeModule(std::string_view name, const Settings &settings = {});

/// A preset and its values, as written "op:matmul(M=1024,N=1024,K=1024,dtype=float32)".
struct Invocation {
    const Preset *preset = nullptr;
    Values values;
};
bool isInvocation(std::string_view text);
/// Errors: "ops.syntax" (with the column in the message), and those of makeModule.
support::Result<Invocation> parseInvocation(std::string_view text);
support::Result<ir::Module> makeModule(const Invocation &invocation);

} // namespace nestwright::catalog
