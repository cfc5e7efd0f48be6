// SPDX-License-Identifier: Apache-2.0
/// Calls that are made ready in C++ and timed from Python, and the tensors that they are given.
#pragma once
#include <cstdint>
#include <functional>

namespace peers {

using Call = std::function<void()>;

/// A call that is ready to run, or nothing where the library refuses; the reason goes to standard error.
Call *made(const std::function<Call()> &make);

/// DLPack's, compact and in this machine's memory (`strides` is null).
struct DLTensor {
    void *data;
    std::int32_t device[2], ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t offset;
};

} // namespace peers
