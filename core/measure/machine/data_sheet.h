// SPDX-License-Identifier: Apache-2.0
/// Peaks of NVIDIA's GPUs as their data sheets state them, for what is not measured here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright::measure {

struct MachinePeak;

/// Figures without sparsity, at the boost clock.
struct DataSheet {
    std::string_view architecture; ///< "sm_90"
    std::string_view device;       ///< as drivers name it, without the maker: "H100 PCIe"
    double float32Flops = 0;       ///< per second, outside of tensor cores
    double tensorFlops = 0;        ///< per second, products of half-precision numbers in tensor cores
    double bytesPerSecond = 0;     ///< of the device's memory
};

std::span<const DataSheet> dataSheets();
/// Data sheet of a device by its name, or the first of an architecture ("sm_90a" is sm_90); null where none
/// is known.
const DataSheet *dataSheetOfDevice(std::string_view name);
const DataSheet *dataSheetOfArchitecture(std::string_view architecture);

MachinePeak peakOf(const DataSheet &sheet);

} // namespace nestwright::measure
