// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/vector_arithmetic.h"

#include "core/backend/listing/listing.h"

#include <algorithm>
#include <array>
#include <span>

namespace nestwright::backend {

namespace {

using Words = std::span<const std::string_view>;

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

/// Bits of the widest vector register that an x86 instruction names.
int widthOf(std::string_view operands)
{
    return operands.contains("zmm") ? 512 : operands.contains("ymm") ? 256 : 128;
}

/// The type at the end of a mnemonic: packed or scalar, and the bits of a number.
struct Element {
    std::string_view letters;
    int bits;
    bool isPacked;
};

/// SSE to AVX-512: "addps", "vfmadd231pd", "vaddss".
std::optional<Arithmetic> floatX86(std::string_view mnemonic, std::string_view operands)
{
    static constexpr std::string_view plain[] = {"add", "sub", "mul", "div", "min", "max", "sqrt"};
    static constexpr std::string_view fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub"};
    static constexpr std::array elements{Element{"ps", 32, true},  Element{"pd", 64, true},
                                         Element{"ph", 16, true},  Element{"ss", 32, false},
                                         Element{"sd", 64, false}, Element{"sh", 16, false}};
    take(mnemonic, "v");
    const bool isFused = takeOne(mnemonic, fused);
    if (isFused)
        takeDigits(mnemonic);
    else if (!takeOne(mnemonic, plain))
        return std::nullopt;
    const auto element = std::ranges::find(elements, mnemonic, &Element::letters);
    if (element == elements.end())
        return std::nullopt;
    return Arithmetic{element->isPacked ? widthOf(operands) / element->bits : 1, true, isFused};
}

/// "vpaddd", "vpmaddwd", "vpdpbusd", "vdpbf16ps". The last letter is of the result's type; dot products have
/// results of 32 bits.
std::optional<Arithmetic> packedX86(std::string_view mnemonic, std::string_view operands)
{
    static constexpr std::string_view integer[] = {"add", "sub", "mul", "max", "min", "sll", "srl", "sra"};
    static constexpr std::string_view dots[] = {"pdp", "pmadd"};
    take(mnemonic, "v");
    if (mnemonic == "dpbf16ps")
        return Arithmetic{widthOf(operands) / 32, true, true};
    std::string_view rest = mnemonic;
    if (takeOne(rest, dots))
        return Arithmetic{widthOf(operands) / (mnemonic.ends_with('w') ? 16 : 32), false, true};
    if (!take(rest, "p") || !takeOne(rest, integer))
        return std::nullopt;
    const char last = rest.empty() ? 'd' : rest.back();
    const int bits = last == 'b' ? 8 : last == 'w' ? 16 : last == 'q' ? 64 : 32;
    return Arithmetic{widthOf(operands) / bits, false, false};
}

/// Lanes of "v12.4s" of NEON, of "z3.d" of SVE (of its least width, 128 bits); 0: no vector register.
int lanesArm(std::string_view operand)
{
    static constexpr std::array elements{Element{"b", 8, true}, Element{"h", 16, true},
                                         Element{"s", 32, true}, Element{"d", 64, true}};
    const bool isNeon = take(operand, "v");
    if ((!isNeon && !take(operand, "z")) || takeDigits(operand).empty() || !take(operand, "."))
        return 0;
    const std::string_view count = takeDigits(operand);
    if (isNeon && count.empty())
        return 0;
    const auto element = std::ranges::find_if(
        elements, [&](const Element &each) { return operand.starts_with(each.letters); });
    if (element == elements.end())
        return 0;
    int lanes = 0;
    for (const char digit : count)
        lanes = lanes * 10 + (digit - '0');
    return isNeon ? lanes : 128 / element->bits;
}

bool isScalarArm(std::string_view operand)
{
    const bool isFloat = take(operand, "s") || take(operand, "d") || take(operand, "h");
    return isFloat && !takeDigits(operand).empty() && operand.starts_with(',');
}

std::optional<Arithmetic> arm(std::string_view mnemonic, std::string_view operands)
{
    static constexpr std::string_view signs[] = {"s", "u"};
    static constexpr std::string_view fused[] = {"madd", "msub", "nmadd", "nmsub", "mla", "mls", "dot"};
    static constexpr std::string_view plain[] = {"add", "sub", "mul", "div", "max", "min"};
    std::string_view rest = mnemonic;
    bool isFloat = take(rest, "f"), isFused = takeOne(rest, fused);
    if (!isFused && !takeOne(rest, plain)) {
        rest = mnemonic;
        isFloat = false;
        if (!takeOne(rest, signs))
            return std::nullopt;
        isFused = takeOne(rest, fused);
        if (!isFused && !takeOne(rest, plain))
            return std::nullopt;
    }
    if (const int lanes = lanesArm(operands); lanes > 0)
        return Arithmetic{lanes, isFloat, isFused};
    if (isFloat && isScalarArm(operands))
        return Arithmetic{1, true, isFused};
    return std::nullopt;
}

} // namespace

std::optional<Arithmetic> arithmeticOf(std::string_view line)
{
    line = trimmed(line);
    const std::size_t end = line.find_first_of(" \t");
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::string_view mnemonic = line.substr(0, end), operands = trimmed(line.substr(end));
    if (auto found = floatX86(mnemonic, operands))
        return found;
    if (auto found = packedX86(mnemonic, operands))
        return found;
    return arm(mnemonic, operands);
}

bool isPackedArithmetic(std::string_view line)
{
    const auto found = arithmeticOf(line);
    return found && found->lanes > 1;
}

} // namespace nestwright::backend
