// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/packed_arithmetic.h"

#include <algorithm>
#include <span>

namespace nestwright::suggest {

namespace {

using Words = std::span<const std::string_view>;

bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Removes a prefix; false where it is not there.
bool take(std::string_view &text, std::string_view prefix)
{
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool takeOne(std::string_view &text, Words words)
{
    return std::ranges::any_of(words, [&](std::string_view word) { return take(text, word); });
}

std::string_view takeDigits(std::string_view &text)
{
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(digits.size());
    return digits;
}

/// SSE to AVX-512: "addps", "vfmadd231pd", "vpmaddwd", "vpdpbusd". Scalar ones end with ss and sd.
bool isPackedX86(std::string_view mnemonic)
{
    static constexpr std::string_view plain[] = {"add", "sub", "mul", "div", "min", "max", "sqrt"};
    static constexpr std::string_view fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub"};
    static constexpr std::string_view integer[] = {"add", "sub", "mul", "madd", "max",
                                                   "min", "sll", "srl", "sra",  "dp"};
    static constexpr std::string_view types[] = {"ps", "pd", "ph"};
    const bool isVex = take(mnemonic, "v");
    if (isVex && mnemonic.starts_with("dp"))
        return true;
    if (std::string_view rest = mnemonic; take(rest, "p") && takeOne(rest, integer))
        return true;
    std::string_view rest = mnemonic;
    if (takeOne(rest, fused))
        takeDigits(rest);
    else if (!takeOne(rest, plain))
        return false;
    return std::ranges::find(types, rest) != std::end(types);
}

/// "v12.4s" of NEON, "z3.d" of SVE.
bool isVectorRegister(std::string_view operand)
{
    static constexpr std::string_view elements[] = {"b", "h", "s", "d"};
    const bool isNeon = take(operand, "v");
    if ((!isNeon && !take(operand, "z")) || takeDigits(operand).empty() || !take(operand, "."))
        return false;
    if (isNeon && takeDigits(operand).empty())
        return false;
    return takeOne(operand, elements);
}

bool isPackedArm(std::string_view mnemonic, std::string_view operands)
{
    static constexpr std::string_view types[] = {"f", "s", "u"};
    static constexpr std::string_view arithmetic[] = {"add", "sub", "mul", "div", "mla", "mls", "max", "min"};
    std::string_view typed = mnemonic;
    const bool computes =
        takeOne(mnemonic, arithmetic) || (takeOne(typed, types) && takeOne(typed, arithmetic));
    return computes && isVectorRegister(operands);
}

} // namespace

bool isPackedArithmetic(std::string_view line)
{
    const auto begin = std::ranges::find_if_not(line, isBlank);
    const auto end = std::find_if(begin, line.end(), isBlank);
    const auto operands = std::find_if_not(end, line.end(), isBlank);
    if (end == line.end())
        return false;
    const std::string_view mnemonic(begin, end);
    return isPackedX86(mnemonic) || isPackedArm(mnemonic, {operands, line.end()});
}

} // namespace nestwright::suggest
