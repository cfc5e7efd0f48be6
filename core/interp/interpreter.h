// SPDX-License-Identifier: Apache-2.0
/// The reference interpreter: the semantics of functions, as the oracle of every test.
#pragma once

#include "core/ir/ndarray.h"
#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright::interp {

class Field;

/// Limits of one run, and the machine it runs on.
struct Limits {
    std::int64_t steps = 4'000'000'000;         ///< loop iterations, blocks and stores
    std::int64_t bytes = std::int64_t{4} << 30; ///< of the buffers that the function allocates at one time
    std::stop_token stop{};
    std::function<void(std::int64_t stepsDone)> progress{}; ///< told now and then; may be null
    std::int64_t vectorScale = 2;                           ///< value of T.vscale()
    bool findRaces = false; ///< between threads of loops bound to them, and iterations of parallel loops
    /// Values of elements that nobody wrote may not get to the caller, nor decide what is done. Buffer
    /// parameters are written from the start, but for those of `outputs` (by their numbers).
    bool findUnwritten = false;
    std::vector<std::size_t> outputs{};
    /// Memories that lowering gives to each iteration for itself (by their pointers), for each loop, where
    /// races are looked for.
    std::unordered_map<support::StmtId, std::vector<ir::Var>> ownMemories{};
    /// The field whose elements stand for floating-point numbers, each in the bits of a float64: arrays for
    /// buffers of any floating-point type have that type. Null: numbers. Code: "interp.beyond-field".
    const Field *field = nullptr;
};

/// Runs `function`, with blocks or lowered. `buffers` holds one compact array per buffer parameter in order;
/// `scalars` one value per other parameter (a floating-point one as the bits of a double). Symbolic sizes
/// follow from the arrays' shapes. A buffer of one dimension takes an array of any shape with as many
/// elements.
///
/// Loops run in program order whatever their kind, lanes of vectors together; threads of a block that meet at
/// barriers or exchange values run in step. A reduction block's init runs where all its reduction variables
/// are at the start of their domains. Floating-point results are rounded to
/// their type; integers wrap. Allocated memory is filled with NaN or a large number each time, so that
/// reading it before writing shows.
///
/// Codes: "interp.argument", "interp.out-of-bounds", "interp.division-by-zero", "interp.step-limit",
/// "interp.memory-limit", "interp.stopped", "interp.out-of-domain" (a block runs outside an iteration
/// variable's domain), "interp.assertion", "interp.unknown-extern", "interp.undefined", "interp.unsupported",
/// "interp.divergent-barrier", "interp.inactive-lane", "interp.race", "interp.unwritten".
support::Result<void> run(const ir::PrimFunc &function, std::span<ir::NdArray *const> buffers,
                          std::span<const std::int64_t> scalars = {}, const Limits &limits = {});

/// One element of a buffer parameter.
struct ArgumentElement {
    std::size_t buffer = 0; ///< number of the buffer parameter
    std::int64_t index = 0; ///< of the compact array
};

/// Runs `function` as `run` does, looking for races, and gives the place whose thread changed `element` last
/// in the last launch; nothing where no thread did. Tells where a wrong result comes from.
support::Result<std::optional<support::Location>> lastWriteTo(const ArgumentElement &element,
                                                              const ir::PrimFunc &function,
                                                              std::span<ir::NdArray *const> buffers,
                                                              std::span<const std::int64_t> scalars = {},
                                                              Limits limits = {});

/// Sizes of symbolic dimensions by the names of their variables.
using Sizes = std::map<std::string, std::int64_t>;

/// One seeded random array per buffer parameter, in order. A symbolic size that `sizes` does not name is 7,
/// 8, 9, … in order of appearance, so that no factor divides them all. Codes "interp.argument",
/// "interp.unsupported", "interp.memory-limit" (as `bytes` says).
support::Result<std::vector<ir::NdArray>> makeArguments(const ir::PrimFunc &function, std::uint64_t seed,
                                                        const Sizes &sizes = {},
                                                        std::int64_t bytes = Limits{}.bytes);

/// The shapes of the buffer parameters in order, by the same rules.
support::Result<std::vector<std::vector<std::int64_t>>> argumentShapes(const ir::PrimFunc &function,
                                                                       const Sizes &sizes = {});

} // namespace nestwright::interp
