// SPDX-License-Identifier: Apache-2.0
// Random programs under random steps, always the same ones: every pass keeps their results, and leaves
// nothing for itself to do again. The fuzzers (tests/fuzz) meet many more.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/extremes.h"
#include "tests/support/random_step.h"

#include <QtTest>

#include <array>
#include <format>
#include <set>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr int programCount = 120;

/// The first construct that must not be left in a lowered function, or nothing.
std::string leftIn(const ir::PrimFunc &function)
{
    std::string left;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        const auto *branch = s.as<ir::IfThenElse>();
        if (loop && loop->forKind == ir::ForKind::Vectorized)
            left = "a vectorized loop over " + loop->var.name();
        else if (loop && ir::isConstInt(loop->extent, 1) && loop->forKind != ir::ForKind::ThreadBinding)
            left = "a loop that runs once over " + loop->var.name();
        else if (branch && (ir::isTrue(branch->condition) || ir::isFalse(branch->condition)))
            left = "a condition that is known";
        return left.empty();
    });
    return left;
}

/// Leaves some serial loops, or their iterations, before or behind what they do, at some of their turns.
class Leaving : public ir::Rewriter {
public:
    explicit Leaving(Random *random) : m_random(*random) {}
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt changed = children(s);
        const auto *loop = changed.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::Serial || m_random.below(3) == 0)
            return changed;
        const ir::Stmt jump = ir::evaluate(ir::callIntrinsic(
            m_random.below(2) ? ir::intrinsics::breakLoop : ir::intrinsics::continueLoop, {}));
        const ir::Expr turn = ir::constant(m_random.below(5), loop->var.dtype());
        const ir::Stmt leave = ir::ifThenElse(ir::eq(loop->var - loop->min, turn), jump);
        ir::For made = *loop;
        made.body = m_random.below(2) ? ir::seq({leave, loop->body}) : ir::seq({loop->body, leave});
        return ir::make(std::move(made));
    }

private:
    Random &m_random;
};

/// Fills all memory when it is made: a program that is left early may read what it has not written.
class Filling : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const ir::Stmt changed = children(s);
        const auto *view = changed.as<ir::DeclBuffer>();
        if (!view)
            return changed;
        std::vector<ir::Var> vars;
        for (const ir::Expr &extent : view->buffer.shape())
            vars.emplace_back("fill", extent.dtype());
        ir::Stmt fill =
            ir::store(view->buffer, ir::constant(0, view->buffer.dtype()), {vars.begin(), vars.end()});
        for (std::size_t d = vars.size(); d-- > 0;)
            fill = ir::serialFor(vars[d], view->buffer.shape()[d], fill);
        ir::DeclBuffer made = *view;
        made.body = ir::seq({fill, view->body});
        return ir::make(std::move(made));
    }
};

/// Loops count in 64 bits, and so are indices and comparisons computed.
class Widening : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        const auto *load = e.as<ir::BufferLoad>();
        if (!load)
            return ir::cast(e.dtype(), wide(e));
        ir::BufferLoad made = *load;
        for (ir::Expr &index : made.indices)
            index = index.dtype().isVector() ? expr(index) : wide(index);
        return ir::make(std::move(made));
    }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            ir::For made = *loop;
            made.var = m_wide[loop->var] = ir::Var(loop->var.name(), ir::DataType::int64());
            made.min = ir::cast(ir::DataType::int64(), wide(loop->min));
            made.extent = ir::cast(ir::DataType::int64(), wide(loop->extent));
            made.body = stmt(loop->body);
            return ir::make(std::move(made));
        }
        const auto *store = s.as<ir::BufferStore>();
        if (!store || store->indices.front().dtype().isVector())
            return children(s);
        return ir::store(store->buffer, expr(store->value), {wide(store->indices.front())});
    }

private:
    ir::Expr wide(const ir::Expr &e)
    {
        if (const auto found = m_wide.find(ir::Var::from(e)); found != m_wide.end())
            return found->second;
        const auto *node = e.as<ir::Binary>();
        return node ? ir::binary(node->op, wide(node->a), wide(node->b)) : children(e);
    }

    ir::VarMap<ir::Var> m_wide;
};

} // namespace

class RandomProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPassKeepsWhatIsComputed()
    {
        std::set<std::string> acted;
        for (std::uint64_t seed = 0; seed < programCount; ++seed) {
            const ir::Module scheduled = randomlyScheduled(600'000'000 + seed).module;
            const auto lowered = lower::lower(scheduled, {}, {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            const Equivalence options{.extremes = bearsExtremes(scheduled)};
            for (const lower::PassRecord &record : lowered->records) {
                if (record.unchanged)
                    continue;
                acted.insert(record.name);
                const auto why = whyNotEquivalent(scheduled, record.after, options);
                QVERIFY2(!why, std::format("seed {}, after {}: {}\n{}", seed, record.name, why.value_or(""),
                                           script::print(record.after).text)
                                   .c_str());
            }
            for (const ir::Module::Entry &entry : lowered->module.functions()) {
                const std::string left = leftIn(*entry.function);
                QVERIFY2(left.empty(), std::format("seed {}: {} is left\n{}", seed, left,
                                                   script::print(lowered->module).text)
                                           .c_str());
            }
        }
        std::set<std::string_view> all;
        for (const lower::Pass *pass : lower::pipeline({}))
            all.insert(pass->name);
        // Tiles are staged in large programs only, parallel loops seldom follow each other, and nothing there
        // is left early or open.
        QVERIFY(acted.size() + 4 >= all.size());
    }

    void passesByThemselves()
    {
        ir::Module (*const given[])(const ir::Module &) = {
            [](const ir::Module &module) { return module; },
            [](const ir::Module &module) { return ir::rewriteModule<Widening>(module); }};
        const std::array names{"common-subexpr-elim", "narrow-data-type"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            int acted = 0;
            for (std::uint64_t seed = 0; seed < programCount; ++seed) {
                const ir::Module scheduled = randomlyScheduled(900'000'000 + seed).module;
                const auto lowered = lower::lower(scheduled, {});
                QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
                const auto record = lower::runPass(*lower::findPass(names[i]), given[i](lowered->module), {});
                QVERIFY2(record, record ? "" : record.error().render().c_str());
                acted += record->unchanged ? 0 : 1;
                const auto why =
                    whyNotEquivalent(scheduled, record->after, {.extremes = bearsExtremes(scheduled)});
                QVERIFY2(!why, std::format("seed {}, after {}: {}\n{}", seed, names[i], why.value_or(""),
                                           script::print(record->after).text)
                                   .c_str());
            }
            QVERIFY(acted >= 10);
        }
    }

    void loopsThatAreLeftAtRandom()
    {
        int left = 0;
        for (std::uint64_t seed = 0; seed < programCount; ++seed) {
            const auto lowered = lower::lower(randomlyScheduled(800'000'000 + seed).module, {},
                                              {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            const auto blocks = std::ranges::find(lowered->records, "lower-blocks", &lower::PassRecord::name);
            if (blocks == lowered->records.end())
                continue;
            Random random(seed);
            const ir::Module jumping = ir::rewriteModule<Leaving>(blocks->after, &random);
            const ir::Module leaving = ir::rewriteModule<Filling>(jumping);
            if (whyNotEquivalent(leaving, leaving)) // does not run any more
                continue;
            left += ir::firstDifference(jumping, blocks->after) ? 1 : 0;
            const auto again = lower::lower(leaving, {});
            QVERIFY2(again, again ? "" : again.error().render().c_str());
            const auto why = whyNotEquivalent(leaving, again->module);
            QVERIFY2(
                !why,
                std::format("seed {}: {}\n{}", seed, why.value_or(""), script::print(leaving).text).c_str());
        }
        QVERIFY(left > static_cast<int>(programCount) / 2);
    }

    void passesLeaveNothingForThemselves()
    {
        for (std::uint64_t seed = 0; seed < programCount / 2; ++seed) {
            const auto lowered = lower::lower(randomlyScheduled(700'000'000 + seed).module, {},
                                              {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            for (const lower::PassRecord &record : lowered->records) {
                if (record.name == "simplify" || record.name == "lower-blocks"
                    || record.name == "loop-partition")
                    continue;
                const lower::Pass *pass = lower::findPass(record.name);
                const ir::Module again = pass->run(record.after, {});
                const auto difference = ir::firstDifference(record.after, again);
                QVERIFY2(!difference, std::format("seed {}, {} again: {}\n{}", seed, record.name,
                                                  difference.value_or(""), script::print(record.after).text)
                                          .c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(RandomProgramsTest)
#include "random_programs_test.moc"
