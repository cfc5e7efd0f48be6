// SPDX-License-Identifier: Apache-2.0
/// Tensor intrinsics: a description in plain loops, and an implementation that does the same with special
/// instructions.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::schedule {

struct TensorIntrin {
    ir::Function description, implementation; ///< with the same parameters
};

/// Intrinsics that a schedule brings itself, by name; these hide standard ones.
using TensorIntrins = std::map<std::string, TensorIntrin, std::less<>>;

/// Two functions in a file of TVMScript: the description, then the implementation. Fails with "intrin.file"
/// when there are others, or their parameters differ.
support::Result<TensorIntrin> readTensorIntrin(std::string_view text, const std::string &fileName);

/// A standard intrinsic under TVM's name; null when there is none.
const TensorIntrin *findStandardIntrin(std::string_view name);
/// Names of all standard intrinsics.
std::vector<std::string_view> standardIntrinNames();

/// The text of a standard intrinsic: description, then implementation.
struct IntrinText {
    std::string name, text;
};
/// Dot products of four bytes: AVX-512, NEON, CUDA.
std::vector<IntrinText> dotProductIntrins();
/// Tiles of matrices on CUDA's tensor cores through wmma fragments: fill, load, multiply, store.
std::vector<IntrinText> wmmaIntrins();

} // namespace nestwright::schedule
