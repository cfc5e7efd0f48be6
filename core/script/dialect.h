// SPDX-License-Identifier: Apache-2.0
/// The versions of TVM whose forms programs, schedule scripts and traces are written in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::script {

/// Dialects from the oldest to the newest, each named after the first version that writes it. All can be
/// read.
enum class Dialect : std::uint8_t {
    Tvm023, ///< `tir`, `T.block`
    Tvm024, ///< `tirx`, `T.sblock`, `T.sblock_alloc_buffer`
    Tvm025, ///< `@T.prim_func(s_tir=True)`, `T.let`, variables that are assigned; 0.26 is the same
    Tvm027, ///< sizes declared before the functions: `n = TypeVar("n")`
    Latest = Tvm027,
};

inline constexpr std::array allDialects{Dialect::Tvm023, Dialect::Tvm024, Dialect::Tvm025, Dialect::Tvm027};

/// "0.23"
std::string_view dialectName(Dialect dialect);

/// The dialect called `name`, also "0.26" and "latest"; nothing where there is none.
std::optional<Dialect> findDialect(std::string_view name);

/// All that findDialect knows.
std::vector<std::string> dialectNames();

/// Whether the package of programs is `tirx` and blocks are `T.sblock`.
inline bool usesTirx(Dialect dialect) { return dialect >= Dialect::Tvm024; }

} // namespace nestwright::script
