// SPDX-License-Identifier: Apache-2.0
// The family of Arm processors of 64 bits.
#include "core/backend/llvm/emit/vector_parts.h"
#include "core/backend/llvm/isa/processor_family.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::backend {

namespace {

constexpr auto armInstructions = std::to_array<ProcessorInstruction>({
    {"llvm.aarch64.neon.sdot", "+dotprod"},
    {"llvm.aarch64.neon.udot", "+dotprod"},
    {"llvm.aarch64.neon.smull", "+neon"},
    {"llvm.aarch64.neon.umull", "+neon"},
    {"llvm.aarch64.neon.saddlp", "+neon"},
    {"llvm.aarch64.neon.uaddlp", "+neon"},
    {"llvm.aarch64.neon.addp", "+neon"},
});

constexpr unsigned numbersOfNeon = 4; // of 32 bits in a register

/// Adds products of four unsigned and four signed bytes to each lane: by the instruction for both, or by the
/// one for signed bytes. u · s is (u − 128) · s + 128 · s, and the second term, twice 64 · s, is the same for
/// all u.
llvm::Value *dotOfBytes(llvm::IRBuilderBase &builder, Parts operands, const llvm::MCSubtargetInfo &processor)
{
    auto *bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), 4 * numbersOfNeon);
    const auto byteOf = [&](unsigned bits) { return llvm::ConstantInt::get(bytes, bits); };
    const bool hasBoth = processor.checkFeatures("+i8mm");
    return byParts(builder, operands, numbersOfNeon, [&](Parts part) {
        llvm::Value *u = builder.CreateBitCast(part[1], bytes), *s = builder.CreateBitCast(part[2], bytes);
        const auto dot = [&](llvm::Intrinsic::ID id, llvm::Value *sum, llvm::Value *a, llvm::Value *b) {
            return builder.CreateIntrinsic(id, {sum->getType(), bytes}, {sum, a, b});
        };
        if (hasBoth)
            return dot(llvm::Intrinsic::aarch64_neon_usdot, part[0], u, s);
        const auto id = llvm::Intrinsic::aarch64_neon_sdot;
        llvm::Value *none = llvm::Constant::getNullValue(part[0]->getType());
        llvm::Value *moved = dot(id, dot(id, none, s, byteOf(64)), s, byteOf(64));
        return dot(id, builder.CreateAdd(part[0], moved), builder.CreateXor(u, byteOf(128)), s);
    });
}

/// Lanes of "v12.4s" of NEON, of "z3.d" of SVE (of its least width, 128 bits); 0: no vector register.
int lanesArm(std::string_view operand)
{
    struct Element {
        std::string_view letter;
        int bits;
    };
    static constexpr std::array elements{Element{"b", 8}, Element{"h", 16}, Element{"s", 32},
                                         Element{"d", 64}};
    const bool isNeon = takePrefix(operand, "v");
    if ((!isNeon && !takePrefix(operand, "z")) || takeDigits(operand).empty() || !takePrefix(operand, "."))
        return 0;
    const std::string_view count = takeDigits(operand);
    if (isNeon && count.empty())
        return 0;
    const auto element =
        std::ranges::find_if(elements, [&](const Element &each) { return operand.starts_with(each.letter); });
    if (element == elements.end())
        return 0;
    int lanes = 0;
    for (const char digit : count)
        lanes = lanes * 10 + (digit - '0');
    return isNeon ? lanes : 128 / element->bits;
}

bool isScalarArm(std::string_view operand)
{
    const bool isFloat = takePrefix(operand, "s") || takePrefix(operand, "d") || takePrefix(operand, "h");
    return isFloat && !takeDigits(operand).empty() && operand.starts_with(',');
}

class Aarch64Family final : public ProcessorFamily {
public:
    std::string_view title() const override { return "AArch64"; }
    bool has(const llvm::Triple &triple) const override { return triple.isAArch64(); }

    std::string multiplyAdd(int sum, const llvm::MCSubtargetInfo &) const override
    {
        return std::format("fmla v{}.4s, v30.4s, v31.4s", sum);
    }
    std::string vectorLoad(int sum, const llvm::MCSubtargetInfo &) const override
    {
        return std::format("ldr q{}, [x0, #{}]", sum, 16 * sum);
    }

    std::span<const ProcessorInstruction> instructions() const override { return armInstructions; }
    llvm::Value *expanded(std::string_view name, std::span<llvm::Value *const> operands,
                          llvm::IRBuilderBase &builder, const llvm::MCSubtargetInfo &processor) const override
    {
        return name.contains("vpdpbusd") && areVectors(operands, 3, 32)
                       && (processor.checkFeatures("+dotprod") || processor.checkFeatures("+i8mm"))
                   ? dotOfBytes(builder, operands, processor)
                   : nullptr;
    }

    bool multipliesByLanes() const override { return true; }

    bool reads(const llvm::Triple &triple) const override
    {
        return triple.getArch() == llvm::Triple::aarch64;
    }
    std::string_view readingFeatures() const override { return "+all"; }
    std::size_t leastInstructionBytes() const override { return 4; }
    /// "[sp, #16]".
    std::string_view stackSlot(std::string_view instruction) const override
    {
        const std::size_t begin = instruction.find("[sp");
        if (begin == std::string_view::npos)
            return {};
        const std::string_view place = instruction.substr(begin, instruction.find(']', begin) + 1 - begin);
        const std::size_t comma = place.find(", ");
        return comma == std::string_view::npos || place.substr(comma + 2).starts_with('#')
                   ? place
                   : std::string_view();
    }
    std::string_view prefetchName() const override { return "prfm"; }
    /// "fmla v0.4s, …" (4 lanes).
    std::optional<Arithmetic> arithmeticOf(std::string_view line) const override
    {
        static constexpr std::string_view signs[] = {"s", "u"};
        static constexpr std::string_view fused[] = {"madd", "msub", "nmadd", "nmsub", "mla",
                                                     "mls",  "dot",  "usdot", "sudot"};
        static constexpr std::string_view plain[] = {"add", "sub", "mul", "div", "max", "min"};
        const auto words = wordsOf(line);
        if (!words)
            return std::nullopt;
        std::string_view rest = words->mnemonic;
        bool isFloat = takePrefix(rest, "f"), isFused = takeOneOf(rest, fused);
        if (!isFused && !takeOneOf(rest, plain)) {
            rest = words->mnemonic;
            isFloat = false;
            if (!takeOneOf(rest, signs))
                return std::nullopt;
            isFused = takeOneOf(rest, fused);
            if (!isFused && !takeOneOf(rest, plain))
                return std::nullopt;
        }
        if (const int lanes = lanesArm(words->operands); lanes > 0)
            return Arithmetic{lanes, isFloat, isFused};
        if (isFloat && isScalarArm(words->operands))
            return Arithmetic{1, true, isFused};
        return std::nullopt;
    }
};

} // namespace

const ProcessorFamily &aarch64Family()
{
    static const Aarch64Family family;
    return family;
}

} // namespace nestwright::backend
