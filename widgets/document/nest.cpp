// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/nest.h"

#include "core/analysis/access/footprint.h"
#include "core/ir/node/attributes.h"
#include "core/measure/machine/caches.h"
#include "core/schedule/state_index.h"
#include "core/suggest/kernel_memory.h"
#include "core/suggest/loop_facts.h"
#include "core/support/text/bytes_text.h"
#include "widgets/document/text.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::document {

namespace {
constexpr double muchOfLines = 1.5; ///< times the bytes: the lines are told, too

/// Badge of a serial loop with an annotation, which is not split or fused before that is gone.
QString annotationBadge(const ir::For &loop)
{
    using Name = std::pair<std::string_view, const char *>;
    constexpr std::array names{Name{ir::prefetchKey, "prefetch"}, Name{ir::streamKey, "stream"},
                               Name{ir::reassociateKey, "any order"}, Name{ir::tileKey, "tiles"}};
    for (const auto &[key, name] : names) {
        if (ir::attribute(loop.annotations, key))
            return QString::fromLatin1(name);
    }
    return loop.annotations.empty() ? QString() : QStringLiteral("annotated");
}

QString iterKinds(const ir::Block &block)
{
    QStringList kinds;
    for (const ir::IterVar &iter : block.iterVars) {
        switch (iter.kind) {
        case ir::IterKind::Spatial: kinds << QStringLiteral("S"); break;
        case ir::IterKind::Reduce: kinds << QStringLiteral("R"); break;
        case ir::IterKind::Scan: kinds << QStringLiteral("scan"); break;
        case ir::IterKind::Opaque: kinds << QStringLiteral("O"); break;
        }
    }
    return kinds.join(u' ');
}

QString iterTip(const ir::Block &block)
{
    QStringList lines{QStringLiteral("Block %1").arg(QString::fromStdString(block.name))};
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        const QString kind = iter.kind == ir::IterKind::Spatial  ? QStringLiteral("spatial")
                             : iter.kind == ir::IterKind::Reduce ? QStringLiteral("reduction")
                                                                 : QStringLiteral("opaque");
        lines << QStringLiteral("%1: %2 of %3, at %4")
                     .arg(QString::fromStdString(iter.var.name()), kind,
                          QString::fromStdString(script::printExpr(iter.domain.extent)),
                          QString::fromStdString(script::printExpr(block.iterValues[i])));
    }
    const auto regions = [&](const char *title, const std::vector<ir::BufferRegion> &list) {
        QStringList names;
        for (const ir::BufferRegion &region : list)
            names << QString::fromStdString(script::printRegion(region));
        if (!names.isEmpty())
            lines << QStringLiteral("%1 %2").arg(QLatin1String(title), names.join(QStringLiteral(", ")));
    };
    regions("reads", block.reads);
    regions("writes", block.writes);
    return lines.join(u'\n');
}

/// The block's first result in memory of blocks or threads; null where there is none.
const ir::Buffer *ownResultOf(const ir::Block &block)
{
    const auto found = std::ranges::find_if(block.writes, [](const ir::BufferRegion &write) {
        return ir::memoryRankOf(write.buffer->scope) != ir::MemoryRank::Device;
    });
    return found == block.writes.end() ? nullptr : &found->buffer;
}

class Maker {
public:
    explicit Maker(Nest &nest) : m_nest(nest) {}

    void addFunction(const std::string &name, const analysis::FunctionIndex &index, bool named)
    {
        m_index = &index;
        int parent = -1;
        if (named && index.root()) {
            NestRow row;
            row.id = index.root();
            row.kind = RowKind::Function;
            row.name = QString::fromStdString(name);
            row.badge = QStringLiteral("function");
            row.axis = -3;
            parent = add(std::move(row), -1);
        }
        if (index.root()) {
            addChildren(index.root(), parent);
            return;
        }
        for (const StmtId id : index.all()) { // a lowered function has no root block
            if (!index.parent(id))
                addChildren(id, add(makeRow(id), parent));
        }
    }

private:
    int add(NestRow row, int parent)
    {
        const int position = static_cast<int>(m_nest.rows.size());
        row.parent = parent;
        row.depth = parent < 0 ? 0 : m_nest.rows[static_cast<std::size_t>(parent)].depth + 1;
        m_nest.rowOf.emplace(row.id, position);
        m_nest.rows.push_back(std::move(row));
        if (parent < 0)
            m_nest.roots.push_back(position);
        else
            m_nest.rows[static_cast<std::size_t>(parent)].children.push_back(position);
        return position;
    }

    void addChildren(StmtId id, int parent)
    {
        for (const StmtId child : m_index->children(id))
            addChildren(child, add(makeRow(child), parent));
    }

    NestRow makeRow(StmtId id) const
    {
        NestRow row;
        row.id = id;
        if (const ir::For *loop = m_index->loop(id)) {
            row.name = toQt(m_nest.loops.name(id));
            row.run = loop->forKind;
            row.badge = QString::fromStdString(suggest::kindBadge(*loop));
            if (row.badge.isEmpty())
                row.badge = annotationBadge(*loop);
            if (const std::optional<ir::ThreadAxis> axis = ir::threadAxisOf(*loop))
                row.threads = axis->rank;
            row.extent = QString::fromStdString(script::printExpr(loop->extent));
            row.iterations = m_nest.loops.iterations(id).value_or(-1);
            setAxis(row);
            setMemory(row);
            setOrigin(row, loop->origin);
        } else if (const ir::Block *block = m_index->block(id)) {
            row.kind = RowKind::Block;
            row.name = QString::fromStdString(block->name);
            const ir::Buffer *own = ownResultOf(*block);
            row.badge = own ? toQt((*own)->scope) : QStringLiteral("block");
            row.extent = iterKinds(*block);
            row.axis = -3;
            row.tip = iterTip(*block);
            setOrigin(row, block->origin);
        }
        return row;
    }

    void setAxis(NestRow &row) const
    {
        const analysis::LoopAxis *found = m_nest.loops.axis(row.id);
        if (!found)
            return;
        const analysis::LoopAxis &axis = *found;
        row.axis = axis.mixed() ? -2 : axis.single();
        QStringList kinds;
        if (axis.spatial)
            kinds << QStringLiteral("spatial");
        if (axis.reduce)
            kinds << QStringLiteral("reduction");
        if (axis.opaque)
            kinds << QStringLiteral("opaque");
        row.role = kinds.join(QStringLiteral(" and "));
        row.isReduction = axis.reduce && !axis.spatial && !axis.opaque;
        QStringList names;
        for (const std::string &name : axis.names)
            names << QString::fromStdString(name);
        if (const ir::Block *block = m_index->block(axis.block); block && !names.isEmpty())
            row.tip = QStringLiteral("%1 runs over %2 of block %3 (%4)")
                          .arg(row.name, names.join(QStringLiteral(", ")),
                               QString::fromStdString(block->name), row.role);
    }

    void setMemory(NestRow &row) const
    {
        const std::vector<analysis::Footprint> parts = analysis::footprintOfLoop(*m_index, row.id);
        for (const analysis::Footprint &part : parts) {
            if (part.bytes)
                row.tip += QStringLiteral("\n%1 of %2")
                               .arg(bytesText(*part.bytes), QString::fromStdString(part.buffer.name()));
        }
        const std::optional<double> bytes = analysis::totalBytes(parts);
        if (!bytes)
            return;
        row.bytes = *bytes;
        if (const auto flops = suggest::flopsOf(m_nest.loops, row.id); flops > 0.0 && *bytes > 0)
            row.tip += QStringLiteral("\n%1 operations a byte").arg(*flops / *bytes, 0, 'g', 3);
        const double lines = analysis::totalLineBytes(parts).value_or(*bytes);
        if (lines > muchOfLines * *bytes)
            row.tip += QStringLiteral("\n%1 of cache lines").arg(bytesText(lines));
        row.memoryLevel = measure::cacheHolding(lines);
    }

    static void setOrigin(NestRow &row, const ir::Origin &origin)
    {
        if (!origin.step.empty())
            row.origin = QStringLiteral("from %1").arg(QString::fromStdString(origin.step));
    }

    Nest &m_nest;
    const analysis::FunctionIndex *m_index = nullptr;
};

/// Blocks that fill memory of blocks or threads show how much of it there is.
void addKernelMemory(Nest &nest, const ir::Module &module)
{
    target::Target target;
    target.kind = target::TargetKind::Cuda;
    const auto buffers = suggest::kernelMemory(module, target);
    for (NestRow &row : nest.rows) {
        row.memoryLevel = 0; // the caches are this processor's
        const ir::Block *block = nest.loops.block(row.id);
        const ir::Buffer *own = block ? ownResultOf(*block) : nullptr;
        if (!own || !buffers)
            continue;
        const auto found = std::ranges::find(*buffers, own->name(), &suggest::BufferMemory::buffer);
        if (found == buffers->end())
            continue;
        row.bytes = static_cast<double>(found->bytes);
        row.tip += u'\n' + toQt(suggest::memorySentence(*found));
    }
}

} // namespace

const NestRow *Nest::row(StmtId id) const
{
    const auto found = rowOf.find(id);
    return found == rowOf.end() ? nullptr : &rows[static_cast<std::size_t>(found->second)];
}

std::vector<StmtId> Nest::within(StmtId id) const
{
    std::vector<StmtId> ids;
    const auto found = rowOf.find(id);
    if (found == rowOf.end())
        return ids;
    const auto first = static_cast<std::size_t>(found->second);
    ids.push_back(id);
    for (std::size_t i = first + 1; i < rows.size() && rows[i].depth > rows[first].depth; ++i)
        ids.push_back(rows[i].id);
    return ids;
}

NestPtr makeNest(const schedule::State &state)
{
    auto nest = std::make_shared<Nest>();
    script::PrintStyle style{.columns = script::readableColumns};
    nest->printed = script::print(state.module, style);
    nest->loops = suggest::LoopNest(state, nest->printed);
    style.splitsGrids = true;
    nest->apart = script::print(state.module, style);
    Maker maker(*nest);
    const auto &functions = state.module.functions();
    for (const ir::Module::Entry &entry : functions) {
        if (const analysis::FunctionIndex *index = state.index->function(entry.name))
            maker.addFunction(entry.name, *index, functions.size() > 1);
    }
    nest->hasThreads =
        std::ranges::any_of(nest->rows, [](const NestRow &row) { return row.threads.has_value(); });
    if (nest->hasThreads)
        addKernelMemory(*nest, state.module);
    return nest;
}

QString bytesText(double bytes) { return bytes < 0 ? QString() : toQt(support::bytesText(bytes)); }

} // namespace nestwright::document
