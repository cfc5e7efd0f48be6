// SPDX-License-Identifier: Apache-2.0
// The family of x86 processors, of 64 bits and of 32.
#include "core/backend/link/runtime.h"
#include "core/backend/listing/listing.h"
#include "core/backend/llvm/emit/vector_parts.h"
#include "core/backend/llvm/isa/processor_family.h"
#include "core/backend/llvm/isa/x86_guard.h"
#include "core/backend/llvm/isa/x86_tiles.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::backend {

using llvm::Value;

namespace {

constexpr auto x86Instructions = std::to_array<ProcessorInstruction>({
    {"llvm.x86.avx512.vpdpbusd.512", "+avx512vnni"},
    {"llvm.x86.avx512.vpdpbusd.256", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.vpdpbusd.128", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.vpdpwssd.512", "+avx512vnni"},
    {"llvm.x86.avx512.vpdpwssd.256", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.vpdpwssd.128", "+avx512vnni,+avx512vl"},
    {"llvm.x86.avx512.pmaddubs.w.512", "+avx512bw"},
    {"llvm.x86.avx512.pmaddw.d.512", "+avx512bw"},
    {"llvm.x86.avx2.pmadd.ub.sw", "+avx2"},
    {"llvm.x86.avx2.pmadd.wd", "+avx2"},
    {"llvm.x86.ssse3.pmadd.ub.sw.128", "+ssse3"},
    {"llvm.x86.sse2.pmadd.wd", "+sse2"},
});

/// Multiplies neighbouring words and adds both products, in so many lanes of 32 bits.
struct PairsOfWords {
    llvm::Intrinsic::ID id;
    unsigned lanes;
};

/// The widest that the processor has.
PairsOfWords pairsOfWords(const llvm::MCSubtargetInfo &processor)
{
    if (processor.checkFeatures("+avx512bw"))
        return {llvm::Intrinsic::x86_avx512_pmaddw_d_512, 16};
    if (processor.checkFeatures("+avx2"))
        return {llvm::Intrinsic::x86_avx2_pmadd_wd, 8};
    return {llvm::Intrinsic::x86_sse2_pmadd_wd, 4};
}

/// Whether an instruction of 256 bits sums up four products of bytes in each lane.
bool hasDotsOf256(const llvm::MCSubtargetInfo &processor)
{
    return processor.checkFeatures("+avxvnni") || processor.checkFeatures("+avx512vnni,+avx512vl");
}

/// Adds products of four unsigned and four signed bytes to each lane. The even bytes of words and the odd
/// ones are multiplied apart, as words, so that no sum is saturated.
Value *dotOfBytes(llvm::IRBuilderBase &builder, Parts operands, const PairsOfWords &pairs)
{
    auto *words = llvm::FixedVectorType::get(builder.getInt16Ty(), 2 * pairs.lanes);
    const auto wordOf = [&](unsigned bits) { return llvm::ConstantInt::get(words, bits); };
    return byParts(builder, operands, pairs.lanes, [&](Parts part) {
        Value *u = builder.CreateBitCast(part[1], words), *s = builder.CreateBitCast(part[2], words);
        Value *even =
            builder.CreateIntrinsic(pairs.id, {},
                                    {builder.CreateAnd(u, wordOf(0xFF)),
                                     builder.CreateAShr(builder.CreateShl(s, wordOf(8)), wordOf(8))});
        Value *odd = builder.CreateIntrinsic(
            pairs.id, {}, {builder.CreateLShr(u, wordOf(8)), builder.CreateAShr(s, wordOf(8))});
        return builder.CreateAdd(builder.CreateAdd(part[0], even), odd);
    });
}

constexpr unsigned currentRounding = 4; // _MM_FROUND_CUR_DIRECTION
constexpr unsigned allLanes = 0xFFFF;

/// power · 2ⁿ by AVX-512's instruction; NaN stays NaN.
Value *scaledByX86(llvm::IRBuilderBase &builder, Value *power, Value *n)
{
    return builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                   {power, n, llvm::Constant::getNullValue(power->getType()),
                                    builder.getInt16(allLanes), builder.getInt32(currentRounding)});
}

/// x between −bound and bound by AVX-512's instruction; the bound for NaN.
Value *boundedByX86(llvm::IRBuilderBase &builder, Value *x, Value *bound)
{
    constexpr unsigned lesserWithSignOfFirst = 2;
    return builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_range_ps_512, {},
                                   {x, bound, builder.getInt32(lesserWithSignOfFirst),
                                    llvm::Constant::getNullValue(x->getType()), builder.getInt16(allLanes),
                                    builder.getInt32(currentRounding)});
}

/// Bits of the widest vector register that the operands name.
int registerBitsX86(std::string_view operands)
{
    return operands.contains("zmm") ? 512 : operands.contains("ymm") ? 256 : 128;
}

/// The type at the end of a mnemonic: packed or scalar, and the bits of a number.
struct ElementX86 {
    std::string_view letters;
    int bits;
    bool isPacked;
};

/// SSE to AVX-512: "addps", "vfmadd231pd", "vaddss".
std::optional<Arithmetic> floatX86(std::string_view mnemonic, std::string_view operands)
{
    static constexpr std::string_view plain[] = {"add", "sub", "mul", "div", "min", "max", "sqrt"};
    static constexpr std::string_view fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub"};
    static constexpr std::array elements{ElementX86{"ps", 32, true},  ElementX86{"pd", 64, true},
                                         ElementX86{"ph", 16, true},  ElementX86{"ss", 32, false},
                                         ElementX86{"sd", 64, false}, ElementX86{"sh", 16, false}};
    takePrefix(mnemonic, "v");
    const bool isFused = takeOneOf(mnemonic, fused);
    if (isFused)
        takeDigits(mnemonic);
    else if (!takeOneOf(mnemonic, plain))
        return std::nullopt;
    const auto element = std::ranges::find(elements, mnemonic, &ElementX86::letters);
    if (element == elements.end())
        return std::nullopt;
    return Arithmetic{element->isPacked ? registerBitsX86(operands) / element->bits : 1, true, isFused};
}

/// "vpaddd", "vpmaddwd", "vpdpbusd", "vdpbf16ps". The last letter is of the result's type; dot products have
/// results of 32 bits.
std::optional<Arithmetic> packedX86(std::string_view mnemonic, std::string_view operands)
{
    static constexpr std::string_view integer[] = {"add", "sub", "mul", "max", "min", "sll", "srl", "sra"};
    static constexpr std::string_view dots[] = {"pdp", "pmadd"};
    takePrefix(mnemonic, "v");
    if (mnemonic == "dpbf16ps")
        return Arithmetic{registerBitsX86(operands) / 32, true, true};
    std::string_view rest = mnemonic;
    if (takeOneOf(rest, dots))
        return Arithmetic{registerBitsX86(operands) / (mnemonic.ends_with('w') ? 16 : 32), false, true};
    if (!takePrefix(rest, "p") || !takeOneOf(rest, integer))
        return std::nullopt;
    const char last = rest.empty() ? 'd' : rest.back();
    const int bits = last == 'b' ? 8 : last == 'w' ? 16 : last == 'q' ? 64 : 32;
    return Arithmetic{registerBitsX86(operands) / bits, false, false};
}

/// Whether a function has vectors of bfloat16 of 9, 17, 25 … lanes, which LLVM's optimizer makes of rows that
/// stay in registers. For AVX-512 BF16 LLVM 19 parts such a vector in eights and one number, and then ends
/// the program: "Do not know how to soft promote this operator's operand".
bool hasOneMoreThanEights(const llvm::Function &function)
{
    const auto isOne = [](const Value *value) {
        const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
        constexpr unsigned eight = 8; // of 128 bits
        return vector && vector->getElementType()->isBFloatTy() && vector->getNumElements() > eight
               && vector->getNumElements() % eight == 1;
    };
    return std::ranges::any_of(llvm::instructions(function), [&](const llvm::Instruction &instruction) {
        return isOne(&instruction)
               || std::ranges::any_of(instruction.operands(),
                                      [&](const llvm::Use &operand) { return isOne(operand.get()); });
    });
}

class X86Family final : public ProcessorFamily {
public:
    std::string_view title() const override { return "x86-64"; }
    bool has(const llvm::Triple &triple) const override { return triple.isX86(); }

    /// The system may not let this process use tile registers.
    bool isUsable(std::string_view feature) const override
    {
        return !feature.starts_with("amx-") || nestwright_has_tiles() != 0;
    }
    support::Result<void> check(const llvm::Triple &triple, const std::string &cpu,
                                const llvm::MCSubtargetInfo &processor) const override
    {
        if (triple.getArch() == llvm::Triple::x86_64 && !processor.checkFeatures("+64bit"))
            return support::fail(
                support::diagnostic("target.option",
                                    "'-mcpu=" + cpu + "' has no 64 bits, which " + triple.str() + " needs")
                    .withHint("choose a processor of 64 bits: x86-64 is the least of them"));
        return {};
    }
    int vectorBits(const llvm::MCSubtargetInfo &processor) const override
    {
        return processor.checkFeatures("+avx512f") ? 512 : processor.checkFeatures("+avx") ? 256 : 128;
    }
    FloatUnit floats(const llvm::MCSubtargetInfo &processor) const override
    {
        return processor.checkFeatures("+avx512f,+avx512dq") ? FloatUnit{16, scaledByX86, boundedByX86}
                                                             : FloatUnit{};
    }
    std::string multiplyAdd(int sum, const llvm::MCSubtargetInfo &processor) const override
    {
        const int bits = vectorBits(processor);
        const char kind = bits == 512 ? 'z' : bits == 256 ? 'y' : 'x';
        if (bits == 512 || processor.checkFeatures("+fma"))
            return std::format("vfmadd231ps %{0}mm14, %{0}mm13, %{0}mm{1}", kind, sum);
        return bits == 256
                   ? std::format("vmulps %ymm14, %ymm13, %ymm15\nvaddps %ymm15, %ymm{0}, %ymm{0}", sum)
                   : std::format("movaps %xmm14, %xmm15\nmulps %xmm13, %xmm15\naddps %xmm15, %xmm{}", sum);
    }
    std::string vectorLoad(int sum, const llvm::MCSubtargetInfo &processor) const override
    {
        const int bits = vectorBits(processor);
        return bits == 128
                   ? std::format("movups {}(%rax), %xmm{}", 16 * sum, sum)
                   : std::format("vmovups {}(%rax), %{}mm{}", bits / 8 * sum, bits == 512 ? 'z' : 'y', sum);
    }

    std::span<const ProcessorInstruction> instructions() const override { return x86Instructions; }
    Value *expanded(std::string_view name, std::span<Value *const> operands, llvm::IRBuilderBase &builder,
                    const llvm::MCSubtargetInfo &processor) const override
    {
        if (!name.contains("vpdpbusd") || !areVectors(operands, 3, 32) || !processor.checkFeatures("+sse2"))
            return nullptr;
        if (hasDotsOf256(processor)) {
            const bool isWide = lanesOf(operands[0]) % 8 == 0;
            const auto id =
                isWide ? llvm::Intrinsic::x86_avx512_vpdpbusd_256 : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
            return byParts(builder, operands, isWide ? 8 : 4, [&](Parts part) {
                return builder.CreateIntrinsic(id, {}, {part[0], part[1], part[2]});
            });
        }
        return dotOfBytes(builder, operands, pairsOfWords(processor));
    }
    const TileUnit *tiles() const override { return &x86Tiles(); }
    void orderStreamedStores(llvm::IRBuilderBase &builder) const override
    {
        builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    }
    /// Stores to scattered places are slow: vectors that the optimizer makes by itself store rows.
    std::string_view optimizerFeatures() const override { return ",+prefer-no-scatter"; }
    void makeSelectable(llvm::Module &module) const override
    {
        constexpr const char *key = "target-features";
        for (llvm::Function &function : module) {
            if (hasOneMoreThanEights(function))
                function.addFnAttr(key,
                                   function.getFnAttribute(key).getValueAsString().str() + ",-avx512bf16");
        }
    }
    bool hasIntelSyntax() const override { return true; }

    std::vector<const Extension *> extensionsOf(const llvm::TargetMachine &machine) const override
    {
        std::vector<const Extension *> needed;
        if (machine.getTargetTriple().getArch() != llvm::Triple::x86_64)
            return needed;
        const llvm::MCSubtargetInfo &has = *machine.getMCSubtargetInfo();
        for (const Extension &each : extensions()) {
            if (has.checkFeatures("+" + std::string(each.feature)))
                needed.push_back(&each);
        }
        return needed;
    }
    void guard(llvm::Module &module, const std::vector<const Extension *> &needs) const override
    {
        guardProcessor(module, needs);
    }

    bool reads(const llvm::Triple &triple) const override { return triple.getArch() == llvm::Triple::x86_64; }
    /// Stack slot in AT&T syntax: "16(%rsp)".
    std::string_view stackSlot(std::string_view instruction) const override
    {
        const std::size_t end = instruction.find("(%rsp)");
        if (end == std::string_view::npos)
            return {};
        const std::size_t blank = instruction.find_last_of(" \t,", end);
        const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
        return instruction.substr(begin, end + 6 - begin);
    }
    /// In AT&T or Intel syntax: "vfmadd231ps %ymm0, …" (8 lanes).
    std::optional<Arithmetic> arithmeticOf(std::string_view line) const override
    {
        constexpr std::string_view encoding = "{vex}"; // where two encodings have one name
        line = trimmed(line);
        const auto words = wordsOf(takePrefix(line, encoding) ? trimmed(line) : line);
        if (!words)
            return std::nullopt;
        auto found = floatX86(words->mnemonic, words->operands);
        return found ? found : packedX86(words->mnemonic, words->operands);
    }
    int vectorBitsOf(std::string_view instruction) const override
    {
        return instruction.contains("%zmm") ? 512 : instruction.contains("%ymm") ? 256 : 128;
    }
};

} // namespace

const ProcessorFamily &x86Family()
{
    static const X86Family family;
    return family;
}

} // namespace nestwright::backend
