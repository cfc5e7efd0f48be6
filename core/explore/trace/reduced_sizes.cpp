// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/reduced_sizes.h"

#include "core/analysis/verify/verify.h"
#include "core/explore/step_numbers.h"
#include "core/interp/codes.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <format>
#include <set>

namespace nestwright::explore {

using support::Result;

namespace {

constexpr std::int64_t nearby = 16; ///< a kernel of convolution reaches so far
constexpr std::int64_t trialSteps = 2'000'000;

std::set<std::int64_t> extentsOf(const ir::Module &module)
{
    std::set<std::int64_t> extents;
    const auto note = [&](const ir::Expr &extent) {
        if (const std::int64_t *value = ir::asInt(extent))
            extents.insert(*value);
    };
    for (const ir::Module::Entry &entry : module.functions()) {
        for (const ir::Param &param : entry.function->params) {
            if (param.buffer)
                std::ranges::for_each(param.buffer.shape(), note);
        }
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            if (const auto *loop = s.as<ir::For>())
                note(loop->extent);
            if (const auto *block = s.as<ir::Block>()) {
                for (const ir::IterVar &iter : block->iterVars)
                    note(iter.domain.extent);
                for (const ir::Buffer &buffer : block->allocBuffers)
                    std::ranges::for_each(buffer.shape(), note);
            }
            return true;
        });
    }
    return extents;
}

/// The largest with the same remainders by the factors that are no larger; 0 where there is none.
std::int64_t smallerAlike(std::int64_t size, std::int64_t largest, std::span<const std::int64_t> factors)
{
    const auto isAlike = [&](std::int64_t other, bool exactly) {
        return std::ranges::all_of(factors, [&](std::int64_t factor) {
            const std::int64_t was = size % factor, is = other % factor;
            return factor > largest || (exactly ? was == is : (was == 0) == (is == 0));
        });
    };
    for (const bool exactly : {true, false}) {
        for (std::int64_t other = largest; 2 * other > largest; --other) {
            if (isAlike(other, exactly))
                return other;
        }
    }
    return 0;
}

std::int64_t smaller(std::int64_t size, std::int64_t largest, std::span<const std::int64_t> factors)
{
    if (const std::int64_t alike = factors.empty() ? 0 : smallerAlike(size, largest, factors))
        return alike;
    for (std::int64_t divisor = largest; 2 * divisor > largest; --divisor) {
        if (size % divisor == 0)
            return divisor;
    }
    return largest;
}

/// Reduced product of two other extents that multiply to `size`; 0 where there are none that become smaller.
std::int64_t smallerProduct(std::int64_t size, const std::set<std::int64_t> &extents, const SizeMap &sizes)
{
    const auto now = [&](std::int64_t old) { return sizes.contains(old) ? sizes.at(old) : old; };
    for (const std::int64_t a : extents) {
        if (a < 2 || a * a > size || size % a != 0 || !extents.contains(size / a))
            continue;
        if (const std::int64_t product = now(a) * now(size / a); product < size)
            return product;
    }
    return 0;
}

class Resizer final : public ir::Rewriter {
public:
    explicit Resizer(const SizeMap &sizes) : m_sizes(sizes) {}

    ir::Expr expr(const ir::Expr &e) override
    {
        const auto *constant = e.as<ir::IntImm>();
        if (!constant || e.dtype().isBool())
            return children(e);
        const std::int64_t value = resized(constant->value);
        return value == constant->value ? e : ir::intImm(value, e.dtype());
    }

    ir::Buffer buffer(const ir::Buffer &b) override
    {
        const auto known = m_buffers.find(b);
        if (known != m_buffers.end())
            return known->second;
        ir::BufferNode node = *b.get();
        for (std::vector<ir::Expr> *exprs : {&node.shape, &node.strides}) {
            for (ir::Expr &each : *exprs)
                each = expr(each);
        }
        return m_buffers.emplace(b, ir::Buffer(std::move(node))).first->second;
    }

private:
    std::int64_t resized(std::int64_t value) const
    {
        const std::int64_t amount = std::abs(value);
        if (amount <= nearby)
            return value;
        std::int64_t best = value, distance = nearby + 1;
        for (const auto &[old, now] : m_sizes) {
            const std::int64_t moved = now + amount - old;
            if (std::abs(amount - old) < distance && moved > 0) {
                distance = std::abs(amount - old);
                best = value < 0 ? -moved : moved;
            }
        }
        return best;
    }

    const SizeMap &m_sizes;
    ir::BufferMap<ir::Buffer> m_buffers;
};

} // namespace

Result<void> tryRun(const ir::Module &module, std::int64_t steps)
{
    if (auto sound = analysis::verify(module, analysis::Level::Block, analysis::Undeclared::Allowed); !sound)
        return sound;
    const ir::Module::Entry *entry = module.mainEntry();
    if (!entry)
        return {};
    auto arrays = interp::makeArguments(*entry->function, 1);
    if (!arrays)
        return support::fail(arrays.error());
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    interp::Limits limits;
    limits.steps = steps;
    auto done = interp::run(*entry->function, pointers, {}, limits);
    return done || done.error().code == interp::codes::stepLimit ? Result<void>() : done;
}

namespace {

/// A split whose factors are too large for the new extent, with the largest one that can be made smaller such
/// that the part without a factor stays as it is.
schedule::Step fitted(const schedule::Step &step, const schedule::State &before, const schedule::State &now)
{
    const auto old = iterationsOf(before, step), extent = iterationsOf(now, step);
    std::vector<StepNumber> factors = numbersOf(step);
    std::erase_if(factors, [&](const StepNumber &each) { return !each.element; });
    if (!old || !extent || *old <= *extent || factors.empty())
        return step;
    std::int64_t product = 1;
    for (const StepNumber &each : factors)
        product *= std::max<std::int64_t>(each.value, 1);
    if (*old % product != 0 || *extent % product == 0)
        return step;
    const std::int64_t rest = *old / product;
    std::ranges::sort(factors, std::ranges::greater(), &StepNumber::value);
    for (const StepNumber &factor : factors) {
        const std::int64_t others = rest * (product / factor.value);
        if (*extent % others == 0)
            return withNumber(step, factor, *extent / others);
    }
    return step;
}

Result<StepPath> runnablePath(const StepPath &path, const SizeMap &sizes)
{
    auto resized = withSizes(path, sizes);
    if (!resized)
        return resized;
    if (auto runs = tryRun(resized->end().module, trialSteps); !runs)
        return support::fail(std::move(runs.error()));
    return resized;
}

} // namespace

SizeMap smallerSizes(const ir::Module &module, std::int64_t largest, bool areProducts,
                     std::span<const std::int64_t> factors)
{
    const std::set<std::int64_t> extents = extentsOf(module);
    SizeMap sizes;
    for (const std::int64_t size : extents) { // ascending
        if (size <= largest)
            continue;
        const std::int64_t product = areProducts ? smallerProduct(size, extents, sizes) : 0;
        if (!sizes.empty() && size - sizes.rbegin()->first <= nearby)
            sizes[size] = sizes.rbegin()->second + size - sizes.rbegin()->first;
        else
            sizes[size] = product > 0 ? product : smaller(size, largest, factors);
    }
    return sizes;
}

ir::Module withSizes(const ir::Module &module, const SizeMap &sizes)
{
    return ir::rewriteModule<Resizer>(module, sizes);
}

Result<StepPath> withSizes(const StepPath &path, const SizeMap &sizes, bool fitsFactors)
{
    const auto root = schedule::makeState(withSizes(path.state(0).module, sizes));
    if (!root)
        return support::fail(root.error());
    schedule::State initial = *root;
    initial.intrins = path.state(0).intrins;
    initial.random = path.state(0).random;
    StepPath resized(initial);
    for (std::size_t place = 0; place < path.size(); ++place) {
        support::checkStop();
        schedule::Step step = path.step(place);
        if (fitsFactors)
            step = fitted(step, path.state(place), resized.end());
        if (auto made = resized.add(std::move(step)); !made)
            return support::fail(std::move(made.error()));
    }
    return resized;
}

Result<Reduced> reduced(const StepPath &path, std::int64_t largest)
{
    const ir::Module &module = path.state(0).module;
    support::Diagnostic why;
    for (const bool areProducts : {true, false}) {
        const SizeMap sizes = smallerSizes(module, largest, areProducts);
        if (sizes.empty())
            return Reduced{path, {}};
        auto smaller = runnablePath(path, sizes);
        if (smaller)
            return Reduced{*std::move(smaller), sizes};
        why = std::move(smaller.error());
    }
    return support::fail(
        support::diagnostic(
            "explore.not-reducible",
            std::format("the program does not hold with extents up to {}: {}", largest, why.message))
            .withHint("take larger extents, or the program as it is"));
}

std::string textOf(const SizeMap &sizes)
{
    std::string text;
    for (const auto &[old, now] : sizes)
        text += std::format("{}{} → {}", text.empty() ? "" : ", ", old, now);
    return text;
}

} // namespace nestwright::explore
