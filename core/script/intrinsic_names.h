// SPDX-License-Identifier: Apache-2.0
/// Intrinsics that later versions of TVM call by another name.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace nestwright::script {

/// The name in TVM 0.23, which is that of core/ir's table, and the latest one.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 12> renamedIntrinsics{{
    {"ptx_mma", "ptx_legacy.mma"},
    {"ptx_ldmatrix", "ptx_legacy.ldmatrix"},
    {"mma_fill", "cuda.mma_fill_legacy"},
    {"mma_store", "cuda.mma_store_legacy"},
    {"ptx_cp_async", "s_tir.cp_async_raw"},
    {"make_filled_simdgroup_matrix", "metal.make_filled_simdgroup_matrix"},
    {"simdgroup_load", "metal.simdgroup_load"},
    {"simdgroup_store", "metal.simdgroup_store"},
    {"simdgroup_multiply_accumulate", "metal.simdgroup_multiply_accumulate"},
    {"simd_shuffle", "metal.simd_shuffle"},
    {"simd_shuffle_up", "metal.simd_shuffle_up"},
    {"simd_shuffle_down", "metal.simd_shuffle_down"},
}};

inline std::string_view latestIntrinsicName(std::string_view name)
{
    const auto *found = std::ranges::find(renamedIntrinsics, name, [](const auto &row) { return row.first; });
    return found == renamedIntrinsics.end() ? name : found->second;
}

inline std::string_view firstIntrinsicName(std::string_view name)
{
    const auto *found =
        std::ranges::find(renamedIntrinsics, name, [](const auto &row) { return row.second; });
    return found == renamedIntrinsics.end() ? name : found->first;
}

} // namespace nestwright::script
