// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/counts.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;

Counts &Counts::operator+=(const Counts &other)
{
    flops += other.flops;
    integerOps += other.integerOps;
    transcendental += other.transcendental;
    bytesRead += other.bytesRead;
    bytesWritten += other.bytesWritten;
    return *this;
}

Counts Counts::operator*(double factor) const
{
    return {.flops = flops * factor,
            .integerOps = integerOps * factor,
            .transcendental = transcendental * factor,
            .bytesRead = bytesRead * factor,
            .bytesWritten = bytesWritten * factor};
}

namespace {

Counts operator+(Counts a, const Counts &b) { return a += b; }

double total(const Counts &counts) { return counts.flops + counts.integerOps + counts.transcendental; }

const Counts &dearer(const Counts &a, const Counts &b) { return total(a) >= total(b) ? a : b; }

bool loads(const Expr &e)
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        found = found || part.as<ir::BufferLoad>() != nullptr;
        return !found;
    });
    return found;
}

class Counter {
public:
    explicit Counter(const std::map<std::string, std::int64_t> &sizes) : m_sizes(sizes) {}

    Counts stmt(const ir::Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::For: return loop(*s.as<ir::For>());
        case ir::StmtKind::Block: return block(*s.as<ir::Block>());
        case ir::StmtKind::BufferStore: return value(s.as<ir::BufferStore>()->value) * m_runs;
        case ir::StmtKind::Seq: {
            Counts sum;
            for (const ir::Stmt &part : s.as<ir::Seq>()->stmts)
                sum += stmt(part);
            return sum;
        }
        case ir::StmtKind::IfThenElse: {
            const auto &node = *s.as<ir::IfThenElse>();
            const Counts no = node.elseCase ? stmt(node.elseCase) : Counts{};
            return condition(node.condition) * m_runs + dearer(stmt(node.thenCase), no);
        }
        case ir::StmtKind::Evaluate: return value(s.as<ir::Evaluate>()->value) * m_runs;
        case ir::StmtKind::LetStmt: {
            const auto &node = *s.as<ir::LetStmt>();
            const Counts bound = loads(node.value) ? value(node.value) * m_runs : Counts{};
            return bound + stmt(node.body);
        }
        case ir::StmtKind::AttrStmt: return attribute(*s.as<ir::AttrStmt>());
        case ir::StmtKind::Allocate: return stmt(s.as<ir::Allocate>()->body);
        case ir::StmtKind::DeclBuffer: return stmt(s.as<ir::DeclBuffer>()->body);
        case ir::StmtKind::While: return stmt(s.as<ir::While>()->body);
        case ir::StmtKind::AssertStmt: return stmt(s.as<ir::AssertStmt>()->body);
        }
        std::unreachable();
    }

    /// A block runs once per point of its domain in each run of the block around it, whatever the loops
    /// between; one without a domain as often as the loops say.
    Counts block(const ir::Block &node)
    {
        double points = 1;
        for (const ir::IterVar &iter : node.iterVars) {
            points *= extentOf(iter.domain.extent);
            m_analyzer.bind(iter.var, iter.domain);
            m_loops.insert(iter.var);
        }
        const double outerRuns = m_runs, outerBlockRuns = m_blockRuns;
        if (!node.iterVars.empty())
            m_runs = m_blockRuns * points;
        m_blockRuns = m_runs;
        const Counts counts = stmt(node.body);
        m_runs = outerRuns;
        m_blockRuns = outerBlockRuns;
        return counts;
    }

    /// An extent as a number, where it depends on loops the greatest it may be; 1 where it depends on data.
    double extentOf(const Expr &extent)
    {
        if (loads(extent)) {
            m_isConstant = false;
            return 1;
        }
        ir::VarMap<Expr> values;
        for (const ir::Var &var : ir::variablesOf(extent)) {
            if (m_loops.contains(var))
                continue;
            const auto known = m_sizes.find(var.name());
            values.emplace(var, ir::intImm(known == m_sizes.end() ? 1 : known->second, var.dtype()));
        }
        const Expr simple = m_analyzer.simplify(substitute(extent, values));
        const std::int64_t *number = ir::asInt(simple);
        m_isConstant = m_isConstant && number && values.empty();
        if (number)
            return static_cast<double>(std::max<std::int64_t>(*number, 0));
        return static_cast<double>(std::max<std::int64_t>(m_analyzer.constBound(simple).max, 0));
    }

    /// Whether every extent so far was a constant, neither symbolic nor one that depends on loops.
    bool isConstant() const { return m_isConstant; }

private:
    /// Sums the statements below over all iterations.
    Counts loop(const ir::For &node)
    {
        m_analyzer.bind(node.var, ir::Range{node.min, node.extent});
        m_loops.insert(node.var);
        return times(extentOf(node.extent), node.body);
    }

    Counts attribute(const ir::AttrStmt &node)
    {
        return times(node.key == ir::threadExtentKey ? extentOf(node.value) : 1, node.body);
    }

    Counts times(double extent, const ir::Stmt &body)
    {
        const double outer = m_runs;
        m_runs *= extent;
        const Counts counts = stmt(body);
        m_runs = outer;
        return counts;
    }

    /// A test of indices (padding, guards) is no part of the computation; a test of values is.
    Counts condition(const Expr &e) { return loads(e) ? value(e) : Counts{}; }

    Counts value(const Expr &e)
    {
        switch (e.kind()) {
        case ir::ExprKind::IntImm:
        case ir::ExprKind::FloatImm:
        case ir::ExprKind::StringImm:
        case ir::ExprKind::Var:
        case ir::ExprKind::BufferLoad:
        case ir::ExprKind::Ramp: return {};
        case ir::ExprKind::Cast: return value(e.as<ir::Cast>()->value);
        case ir::ExprKind::Broadcast: return value(e.as<ir::Broadcast>()->value);
        case ir::ExprKind::Binary: {
            const auto &node = *e.as<ir::Binary>();
            return operation(node.a.dtype()) + value(node.a) + value(node.b);
        }
        case ir::ExprKind::Not: return value(e.as<ir::Not>()->a);
        case ir::ExprKind::Select: {
            const auto &node = *e.as<ir::Select>();
            return condition(node.condition) + dearer(value(node.trueValue), value(node.falseValue));
        }
        case ir::ExprKind::Let: {
            const auto &node = *e.as<ir::Let>();
            return (loads(node.value) ? value(node.value) : Counts{}) + value(node.body);
        }
        case ir::ExprKind::Call: return call(*e.as<ir::Call>());
        }
        std::unreachable();
    }

    Counts call(const ir::Call &node)
    {
        if (node.callee == ir::intrinsics::ifThenElse)
            return condition(node.args[0]) + dearer(value(node.args[1]), value(node.args[2]));
        Counts sum;
        for (const Expr &arg : node.args)
            sum += value(arg);
        const ir::Intrinsic *intrinsic = node.callee.intrinsic();
        const bool computes = intrinsic && intrinsic->type == ir::TypeRule::SameAsFirst
                              && node.callee != ir::intrinsics::likely;
        if (!computes)
            return sum;
        if (intrinsic->transcendental && node.dtype.isFloating())
            sum.transcendental += node.dtype.lanes;
        else
            sum += operation(node.dtype) * (node.callee == ir::intrinsics::fma ? 2 : 1);
        return sum;
    }

    static Counts operation(ir::DataType dtype)
    {
        Counts one;
        if (dtype.isFloating())
            one.flops = dtype.lanes;
        else if (!dtype.isBool() && !dtype.isHandle())
            one.integerOps = dtype.lanes;
        return one;
    }

    const std::map<std::string, std::int64_t> &m_sizes;
    arith::Analyzer m_analyzer;
    ir::VarSet m_loops;     ///< loop and block variables met, as opposed to symbolic sizes
    double m_runs = 1;      ///< how often the statement we are at runs in all
    double m_blockRuns = 1; ///< how often the block we are in runs
    bool m_isConstant = true;
};

/// The buffers that blocks read and write by their regions, or that a lowered function loads from and stores
/// to.
class TrafficFinder : public ir::Visitor {
public:
    std::unordered_map<const ir::VarNode *, std::pair<bool, bool>> touched; ///< by pointer: read, written

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *store = s.as<ir::BufferStore>())
            touched[store->buffer->data.get()].second = true;
        if (const auto *block = s.as<ir::Block>(); block && block->init)
            stmtsOf(*block);
        else
            children(s);
    }
    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>(); load && !m_own.contains(load->buffer))
            touched[load->buffer->data.get()].first = true;
        children(e);
    }

private:
    /// A reduction reads its own output again and again; that is no traffic of the kernel as such.
    void stmtsOf(const ir::Block &block)
    {
        const auto saved = m_own;
        for (const ir::BufferRegion &write : block.writes)
            m_own.insert(write.buffer);
        stmt(block.init);
        stmt(block.body);
        m_own = saved;
    }

    std::unordered_set<ir::Buffer, ir::BufferHash> m_own;
};

} // namespace

Counts countsOf(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes)
{
    Counter counter(sizes);
    Counts counts = counter.stmt(function.body);
    TrafficFinder traffic;
    traffic.stmt(function.body);
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        double bytes = param.buffer.dtype().bytes() * param.buffer.dtype().lanes;
        for (const Expr &extent : param.buffer.shape())
            bytes *= counter.extentOf(extent);
        const auto touched = traffic.touched.find(param.buffer->data.get());
        if (touched == traffic.touched.end())
            continue;
        counts.bytesRead += touched->second.first ? bytes : 0;
        counts.bytesWritten += touched->second.second ? bytes : 0;
    }
    return counts;
}

std::optional<Counts> operationsOf(const ir::Block &block)
{
    const std::map<std::string, std::int64_t> noSizes;
    Counter counter(noSizes);
    const Counts counts = counter.block(block);
    return counter.isConstant() ? std::optional(counts) : std::nullopt;
}

std::string flopsText(double flops)
{
    static constexpr const char *units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
    std::size_t unit = 0;
    // 999.6 is written 1.00 of the next unit.
    while (flops >= 999.5 && unit + 1 < std::size(units)) {
        flops /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || flops >= 100 ? 0 : flops >= 10 ? 1 : 2;
    return std::format("{:.{}f} {}", flops, decimals, units[unit]);
}

} // namespace nestwright::analysis
