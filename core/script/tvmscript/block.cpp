// SPDX-License-Identifier: Apache-2.0
// Blocks and the statements that describe them: T.axis.*, T.reads, T.writes, T.where, T.block_attr,
// T.match_buffer.
#include "core/ir/build/builder.h"
#include "core/ir/node/equality.h"
#include "core/script/tvmscript/parser.h"
#include "core/script/tvmscript/stmt.h"

#include <array>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

Stmt StmtReader::block(const py::Call &call, const py::Body &statements)
{
    CallArgs args = m_exprs.callArgs(call, m_exprs.functionName(call.callee));
    BlockFrame frame;
    const Argument *name = args.take("name");
    if (name && !name->value.isNone())
        frame.block.name = toText(m_context, name->value, name->at, "the name of the block");
    frame.block.name += m_blockSuffix;
    args.takeNamed("no_realize");
    args.takeNamed("exec_scope");
    args.done();
    frame.block.predicate = ir::boolImm(true);
    m_blocks.push_back(&frame);
    frame.block.body = body(statements);
    m_blocks.pop_back();
    const int missing = (frame.hasReads ? 0 : 1) | (frame.hasWrites ? 0 : 2);
    if (missing != 0)
        frame.block.annotations[std::string(detectAccessKey)] = missing;
    return ir::make(std::move(frame.block));
}

BlockFrame &StmtReader::currentBlock(const std::string &function, py::Position at)
{
    if (m_blocks.back()->isImplied)
        m_context.fail(at, "script.block", "'" + function + "' stands outside of any block",
                       "put it into a 'with T.block(\"name\"):'");
    return *m_blocks.back();
}

Stmt StmtReader::init(const py::Body &statements, py::Position at)
{
    BlockFrame &frame = currentBlock("T.init", at);
    if (frame.block.init)
        m_context.fail(at, "script.block", "the block '" + frame.block.name + "' has two 'T.init'");
    frame.block.init = body(statements);
    return {};
}

/// Dictionaries are joined; any other key may be said again, but not with another value.
void StmtReader::mergeAttrs(ir::Attrs &attrs, const ir::Attrs &added, py::Position at)
{
    for (const auto &[key, value] : added) {
        const auto [known, isNew] = attrs.emplace(key, value);
        if (isNew)
            continue;
        const ir::AttrRecord *old = known->second.asRecord(), *more = value.asRecord();
        if (old && more && old->function.empty() && more->function.empty()) {
            ir::AttrRecord joined = *old;
            mergeAttrs(joined.items, more->items, at);
            known->second = ir::AttrValue(std::move(joined));
        } else if (!ir::structurallyEqual(known->second, value)) {
            m_context.fail(at, "script.block",
                           "the annotation \"" + key + "\" is given two different values");
        }
    }
}

bool StmtReader::blockCall(const std::string &function, const py::Call &call)
{
    if (function == "T.reads" || function == "T.writes") {
        regions(call, function, function == "T.reads");
    } else if (function == "T.where") {
        BlockFrame &frame = currentBlock(function, call.at);
        CallArgs args = m_exprs.callArgs(call, function);
        const Argument &predicate = args.need("predicate");
        args.done();
        if (frame.hasPredicate)
            m_context.fail(call.at, "script.block", "the block '" + frame.block.name + "' has two 'T.where'");
        frame.hasPredicate = true;
        frame.block.predicate = toCondition(m_context, predicate.value, predicate.at);
    } else if (function == "T.block_attr" || function == "T.sblock_attr") {
        BlockFrame &frame = currentBlock(function, call.at);
        CallArgs args = m_exprs.callArgs(call, function);
        const Argument &attrs = args.need("attrs");
        args.done();
        mergeAttrs(frame.block.annotations, toAttrs(m_context, attrs.value, attrs.at), attrs.at);
    } else if (function.starts_with("T.axis.")) {
        m_context.fail(call.at, "script.block",
                       "expected a name for the iteration variable of '" + function + '\'',
                       "write 'vi = " + function + "(…)'");
    } else {
        return false;
    }
    return true;
}

void StmtReader::regions(const py::Call &call, const std::string &function, bool isReads)
{
    BlockFrame &frame = currentBlock(function, call.at);
    bool &given = isReads ? frame.hasReads : frame.hasWrites;
    if (given)
        m_context.fail(call.at, "script.block",
                       "the block '" + frame.block.name + "' has two '" + function + '\'');
    given = true;
    std::vector<ir::BufferRegion> &target = isReads ? frame.block.reads : frame.block.writes;
    CallArgs args = m_exprs.callArgs(call, function);
    for (const Argument &argument : args.takeRest()) {
        const auto *list = argument.value.as<ListValue>();
        if (!list) {
            target.push_back(toRegion(m_context, argument.value, argument.at));
            continue;
        }
        for (const Value &item : list->items)
            target.push_back(toRegion(m_context, item, argument.at));
    }
    args.done();
}

// Iteration variables.

ir::IterKind StmtReader::iterKind(const std::string &function, py::Position at) const
{
    static constexpr std::array<std::pair<std::string_view, ir::IterKind>, 6> table{{
        {"T.axis.spatial", ir::IterKind::Spatial},
        {"T.axis.S", ir::IterKind::Spatial},
        {"T.axis.reduce", ir::IterKind::Reduce},
        {"T.axis.R", ir::IterKind::Reduce},
        {"T.axis.scan", ir::IterKind::Scan},
        {"T.axis.opaque", ir::IterKind::Opaque},
    }};
    for (const auto &[name, kind] : table) {
        if (name == function)
            return kind;
    }
    m_context.fail(at, "script.unknown-function", "there is no '" + function + '\'',
                   "the kinds of axes are spatial, reduce, scan, opaque and remap");
}

void StmtReader::axis(const std::string &name, const std::string &function, const py::Call &call)
{
    const ir::IterKind kind = iterKind(function, call.at);
    currentBlock(function, call.at);
    CallArgs args = m_exprs.callArgs(call, function);
    const Argument &domain = args.need("dom");
    const Argument &binding = args.need("binding");
    args.take("dtype"); // follows from the domain
    args.done();
    Expr value = toExpr(m_context, binding.value, binding.at);
    const std::vector<Expr> bounds = toExprList(m_context, domain.value, domain.at);
    if (bounds.empty() || bounds.size() > 2)
        m_context.fail(domain.at, "script.argument",
                       "expected an extent or (begin, end) as the domain of '" + name + '\'');
    for (const Expr &e : {bounds.front(), bounds.back(), value}) {
        if (!e.dtype().isIntegral() || e.dtype().isVector())
            m_context.fail(call.at, "script.type",
                           "the domain and the value of '" + name + "' must be integers, but one is "
                               + e.dtype().str());
    }
    ir::Range range;
    if (bounds.size() == 1) {
        range.extent = bounds[0];
        range.min = ir::constant(0, range.extent.dtype());
    } else {
        Expr begin = bounds[0], end = bounds[1];
        unifyTypes(begin, end);
        range = {begin, ir::cast(begin.dtype(), difference(end, begin))};
    }
    // Literals of the domain adapt to a value of another width, and the other way round.
    if (ir::asInt(range.extent) && ir::asInt(range.min) && !ir::asInt(value)
        && range.extent.dtype() == ir::DataType::int32())
        range = {ir::cast(value.dtype(), range.min), ir::cast(value.dtype(), range.extent)};
    else if (ir::asInt(value))
        value = ir::cast(range.extent.dtype(), value);
    addIterVar(name, kind, std::move(range), value, call.at);
}

void StmtReader::remap(const std::vector<std::string> &names, const py::Call &call)
{
    currentBlock("T.axis.remap", call.at);
    CallArgs args = m_exprs.callArgs(call, "T.axis.remap");
    const Argument &kinds = args.need("kinds");
    const Argument &bindings = args.need("bindings");
    args.done();
    const std::string letters = toText(m_context, kinds.value, kinds.at, "the kinds of the axes");
    const std::vector<Expr> loops = toExprList(m_context, bindings.value, bindings.at);
    if (letters.size() != names.size() || loops.size() != names.size())
        m_context.fail(call.at, "script.argument",
                       "T.axis.remap needs one letter and one loop for each of its "
                           + std::to_string(names.size()) + " variables, but has "
                           + std::to_string(letters.size()) + " letters and " + std::to_string(loops.size())
                           + " loops");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const ir::Var loop = ir::Var::from(loops[i]);
        const auto range = loop ? m_context.loops.find(loop) : m_context.loops.end();
        if (range == m_context.loops.end())
            m_context.fail(bindings.at, "script.type",
                           "expected the variable of a loop as item " + std::to_string(i + 1) + " but found "
                               + describe({loops[i]}));
        const char letter = letters[i];
        if (letter != 'S' && letter != 'R')
            m_context.fail(kinds.at, "script.argument",
                           std::string("expected the letters S and R but found '") + letter + '\'');
        addIterVar(names[i], letter == 'S' ? ir::IterKind::Spatial : ir::IterKind::Reduce, range->second,
                   loop, call.at);
    }
}

void StmtReader::addIterVar(const std::string &name, ir::IterKind kind, ir::Range domain, Expr value,
                            py::Position at)
{
    ir::Block &block = m_blocks.back()->block;
    ir::IterVar iter;
    iter.var = ir::Var(name, domain.extent.dtype());
    iter.kind = kind;
    iter.domain = std::move(domain);
    m_context.defineOnce(name, {Expr(iter.var)}, at);
    block.iterVars.push_back(std::move(iter));
    block.iterValues.push_back(std::move(value));
}

// Buffers.

/// The region must have the type and shape of the buffer, but for leading dimensions of one element.
void StmtReader::requireShape(const ir::MatchBuffer &match, py::Position at) const
{
    const std::vector<ir::Range> &region = match.source.region;
    const std::vector<Expr> &shape = match.buffer.shape();
    if (match.buffer.dtype() != match.source.buffer.dtype())
        m_context.fail(at, "script.type",
                       "'" + match.buffer.name() + "' holds " + match.buffer.dtype().str() + ", but '"
                           + match.source.buffer.name() + "' holds " + match.source.buffer.dtype().str());
    if (shape.size() > region.size())
        m_context.fail(at, "script.rank",
                       "'" + match.buffer.name() + "' has " + std::to_string(shape.size())
                           + " dimensions, but the region has " + std::to_string(region.size()));
    const std::size_t leading = region.size() - shape.size();
    for (std::size_t i = 0; i < region.size(); ++i) {
        const std::int64_t *found = ir::asInt(region[i].extent);
        const Expr one = 1;
        const std::int64_t *wanted = ir::asInt(i < leading ? one : shape[i - leading]);
        if (found && wanted && *found != *wanted)
            m_context.fail(at, "script.type",
                           "dimension " + std::to_string(i) + " of the region has " + std::to_string(*found)
                               + " elements, but '" + match.buffer.name() + "' has "
                               + std::to_string(*wanted));
    }
}

void StmtReader::matchBuffer(const std::string &name, const py::Call &call)
{
    CallArgs args = m_exprs.callArgs(call, "T.match_buffer");
    const Argument &param = args.need("param");
    const auto *e = param.value.as<Expr>();
    const ir::Var handle = e ? ir::Var::from(*e) : ir::Var();
    if (!handle) { // a region: inside a block
        ir::MatchBuffer match;
        match.source = toRegion(m_context, param.value, param.at);
        match.buffer = readBuffer(args, name, &match.source);
        requireShape(match, param.at);
        m_context.defineOnce(name, {match.buffer}, call.at);
        currentBlock("T.match_buffer", call.at).block.matchBuffers.push_back(std::move(match));
        return;
    }
    for (ir::Param &known : *m_params) {
        if (!(known.var == handle))
            continue;
        if (known.buffer || !handle.dtype().isHandle())
            m_context.fail(param.at, "script.type",
                           known.buffer
                               ? "the parameter '" + handle.name() + "' is matched to a buffer already"
                               : "expected a parameter of type T.handle but found " + describe(param.value));
        known.buffer = readBuffer(args, name);
        m_context.defineOnce(name, {known.buffer}, call.at);
        return;
    }
    m_context.fail(param.at, "script.type",
                   "expected a parameter of the function or a region of a buffer but found "
                       + describe(param.value));
}

} // namespace nestwright::script
