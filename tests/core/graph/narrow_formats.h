// SPDX-License-Identifier: Apache-2.0
/// Floats of 8 bits by their bits, and the types that are narrower than a byte.
#pragma once

#include "core/ir/ndarray.h"
#include "core/support/errors/result.h"

#include <cmath>
#include <limits>
#include <vector>

namespace nestwright::tests {

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        noNumber = std::numeric_limits<double>::quiet_NaN();

inline ir::DataType type(const char *name) { return *ir::DataType::parse(name); }

/// A format of 8 bits, told another way than by the operator: by its bits.
struct Format {
    const char *name;
    unsigned number; ///< ONNX's
    int mantissaBits, bias;
    unsigned largest;    ///< the bits of the largest number
    bool isIeee;         ///< infinity and NaN behind the largest; else NaN is 0x7f
    bool isUnsignedZero; ///< what would be -0 is the only NaN
};

inline constexpr Format formats[] = {
    {"float8_e4m3fn", 17, 3, 7, 0x7e, false, false},
    {"float8_e4m3fnuz", 18, 3, 8, 0x7f, false, true},
    {"float8_e5m2", 19, 2, 15, 0x7b, true, false},
    {"float8_e5m2fnuz", 20, 2, 16, 0x7f, false, true},
};

/// The magnitude that seven bits stand for, as if none meant infinity or NaN.
inline double magnitudeOf(const Format &format, unsigned bits)
{
    double fraction = 0;
    for (int i = 0; i < format.mantissaBits; ++i)
        fraction += (bits >> i & 1U) != 0 ? std::pow(2.0, i - format.mantissaBits) : 0;
    const auto exponent = static_cast<int>(bits >> format.mantissaBits);
    return exponent == 0 ? fraction * std::pow(2.0, 1 - format.bias)
                         : (1 + fraction) * std::pow(2.0, exponent - format.bias);
}

inline double valueOf(const Format &format, unsigned byte)
{
    const unsigned bits = byte & 0x7fU;
    if (format.isUnsignedZero && byte == 0x80)
        return noNumber;
    double value = magnitudeOf(format, bits);
    if (bits > format.largest)
        value = format.isIeee && bits == format.largest + 1 ? infinity : noNumber;
    return byte >= 0x80 ? -value : value;
}

inline ir::NdArray everyHalf()
{
    ir::NdArray array(ir::DataType::float_(16), {65536});
    for (int i = 0; i < 65536; ++i)
        array.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
    return array;
}

inline bool isSame(double a, double b)
{
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

inline constexpr unsigned uint4 = 21, int4 = 22, complex = 14; // ONNX's numbers

inline std::vector<double> valuesOf(const support::Result<ir::NdArray> &array)
{
    std::vector<double> values;
    for (std::int64_t i = 0; array && i < array->size(); ++i)
        values.push_back(array->at(i));
    return values;
}

} // namespace nestwright::tests
