// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/vector_scale.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/calls.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <array>
#include <functional>

namespace nestwright::schedule {

namespace {

class WithScale : public ir::Rewriter {
public:
    explicit WithScale(std::int64_t scale) : m_scale(scale) {}

    ir::Expr expr(const ir::Expr &e) override
    {
        const auto *call = e.as<ir::Call>();
        return call && call->callee == ir::intrinsics::vscale ? ir::intImm(m_scale, e.dtype()) : children(e);
    }

private:
    std::int64_t m_scale;
};

/// The text of a target's option, words of a list one after the other.
std::string textOf(const ir::AttrValue &value)
{
    if (const std::string *text = value.asString())
        return *text;
    std::string words;
    for (const ir::AttrValue &item : value.asList() ? *value.asList() : std::vector<ir::AttrValue>())
        words += ' ' + textOf(item);
    return words;
}

/// Whether `options`, as in "-mattr=+neon,+sve2", turn on a feature that `is` accepts.
bool hasFeature(const std::string &options, const std::function<bool(std::string_view)> &is)
{
    constexpr std::string_view separators = " ,=";
    for (std::size_t at = options.find('+'); at != std::string::npos; at = options.find('+', at + 1)) {
        const std::size_t end = std::min(options.find_first_of(separators, at), options.size());
        if (is(std::string_view(options).substr(at + 1, end - at - 1)))
            return true;
    }
    return false;
}

} // namespace

std::span<const std::int64_t> vectorScales(const ir::PrimFunc &function)
{
    // Arm: up to 2048 bits in granules of 128. RISC-V: powers of two up to 65536 bits, in granules of 64.
    static constexpr std::array<std::int64_t, 16> arm{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static constexpr std::array<std::int64_t, 11> riscv{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    const ir::AttrValue *attribute = ir::attribute(function.attrs, "target");
    const ir::AttrRecord *target = attribute ? attribute->asRecord() : nullptr;
    std::string options;
    for (const auto &[key, value] : target ? target->items : ir::Attrs())
        options += key == "host" ? std::string() : ' ' + textOf(value);
    if (options.find("aarch64") != std::string::npos
        && hasFeature(options, [](auto name) { return name.starts_with("sve"); }))
        return arm;
    if (options.find("riscv") != std::string::npos
        && hasFeature(options, [](auto name) { return name == "v"; }))
        return riscv;
    return {};
}

bool holdsForVectorScales(const ir::Expr &condition, const ir::PrimFunc &function)
{
    const std::span<const std::int64_t> scales = vectorScales(function);
    if (scales.empty() || !ir::calls(condition, ir::intrinsics::vscale))
        return false;
    arith::Analyzer analyzer;
    return std::ranges::all_of(
        scales, [&](std::int64_t scale) { return analyzer.canProve(WithScale(scale).expr(condition)); });
}

} // namespace nestwright::schedule
