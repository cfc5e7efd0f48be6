// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/data_sheet.h"

#include "core/measure/machine/machine_peak.h"
#include "core/target/multiprocessor.h"

#include <algorithm>
#include <array>

namespace nestwright::measure {

namespace {

constexpr double tera = 1e12, giga = 1e9;

/// Figures from NVIDIA's data sheets and architecture white papers; the usual device of an architecture
/// first.
constexpr std::array table{
    DataSheet{"sm_70", "V100", 15.7 * tera, 125 * tera, 900 * giga},
    DataSheet{"sm_75", "T4", 8.1 * tera, 65 * tera, 320 * giga},
    DataSheet{"sm_75", "RTX 2080 Ti", 13.4 * tera, 107 * tera, 616 * giga},
    DataSheet{"sm_80", "A100", 19.5 * tera, 312 * tera, 2039 * giga},
    DataSheet{"sm_80", "A30", 10.3 * tera, 165 * tera, 933 * giga},
    DataSheet{"sm_86", "A10", 31.2 * tera, 125 * tera, 600 * giga},
    DataSheet{"sm_86", "A40", 37.4 * tera, 149.7 * tera, 696 * giga},
    DataSheet{"sm_86", "RTX 3090", 35.6 * tera, 142 * tera, 936 * giga},
    DataSheet{"sm_89", "L40S", 91.6 * tera, 362 * tera, 864 * giga},
    DataSheet{"sm_89", "L40", 90.5 * tera, 181 * tera, 864 * giga},
    DataSheet{"sm_89", "L4", 30.3 * tera, 121 * tera, 300 * giga},
    DataSheet{"sm_89", "RTX 4090", 82.6 * tera, 330.3 * tera, 1008 * giga},
    DataSheet{"sm_90", "H100", 66.9 * tera, 989.4 * tera, 3350 * giga},
    DataSheet{"sm_90", "H100 PCIe", 51.2 * tera, 756.4 * tera, 2039 * giga},
    DataSheet{"sm_90", "H200", 66.9 * tera, 989.4 * tera, 4800 * giga},
    DataSheet{"sm_100", "B200", 75 * tera, 2250 * tera, 8000 * giga},
    DataSheet{"sm_120", "RTX 5090", 104.8 * tera, 419 * tera, 1792 * giga},
};

/// Whether `word` stands in `text` by itself: "A10" does not in "A100".
bool hasWord(std::string_view text, std::string_view word)
{
    const auto isPart = [&](std::size_t at) {
        return at < text.size()
               && ((text[at] >= '0' && text[at] <= '9') || (text[at] >= 'A' && text[at] <= 'Z'));
    };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        if ((at == 0 || !isPart(at - 1)) && !isPart(at + word.size()))
            return true;
    }
    return false;
}

} // namespace

std::span<const DataSheet> dataSheets() { return table; }

const DataSheet *dataSheetOfDevice(std::string_view name)
{
    const DataSheet *longest = nullptr;
    for (const DataSheet &sheet : table) {
        if (hasWord(name, sheet.device) && (!longest || sheet.device.size() > longest->device.size()))
            longest = &sheet;
    }
    return longest;
}

const DataSheet *dataSheetOfArchitecture(std::string_view architecture)
{
    const target::Multiprocessor *known = target::multiprocessorOf(architecture);
    const auto found =
        known ? std::ranges::find(table, known->architecture, &DataSheet::architecture) : table.end();
    return found == table.end() ? nullptr : &*found;
}

MachinePeak peakOf(const DataSheet &sheet)
{
    MachinePeak peak;
    peak.processor = sheet.device;
    peak.isGpu = true;
    peak.float32Flops = sheet.float32Flops;
    peak.tensorFlops = sheet.tensorFlops;
    peak.levels = {{"DRAM", 0, sheet.bytesPerSecond}};
    peak.isOfDataSheet = true;
    return peak;
}

} // namespace nestwright::measure
