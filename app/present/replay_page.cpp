// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/replay_page.h"

#include "core/explore/trace/reduced_sizes.h"
#include "core/measure/machine/caches.h"
#include "widgets/document/text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace nestwright::app {

using document::toQt;
using explore::Replay;
using support::Result;

namespace {

struct ReplayText {
    Q_DECLARE_TR_FUNCTIONS(Replay)
};

std::vector<target::MemoryLevel> cachesFor(int share)
{
    std::vector<target::MemoryLevel> levels = measure::caches().levels;
    for (target::MemoryLevel &level : levels) {
        const std::int64_t sets = std::max<std::int64_t>(level.sets() / share, 1);
        level.bytes = sets * level.ways * level.lineBytes;
    }
    return levels;
}

Result<ReplayPage> record(const explore::StepPath &path, const target::Target &target, int share)
{
    const auto function = explore::traceableFunction(path.end().module, target);
    if (!function)
        return support::fail(function.error());
    auto replay = explore::recordReplay(**function, cachesFor(share));
    if (!replay)
        return support::fail(std::move(replay.error()));
    return ReplayPage{.replay = std::make_shared<const Replay>(*std::move(replay))};
}

void describe(ReplayPage &page, const explore::SizeMap &sizes, const std::optional<support::Diagnostic> &why)
{
    if (why) {
        page.title = ReplayText::tr("The program is shown as it is");
        page.text = document::sentence(why->message);
    } else if (sizes.empty()) {
        page.title = ReplayText::tr("The program is shown as it is");
    } else {
        page.title = ReplayText::tr("The program is shown with smaller extents");
        page.text = toQt(explore::textOf(sizes)) + u'.';
    }
    if (!page.replay->isWhole)
        page.text += (page.text.isEmpty() ? QString() : QStringLiteral(" "))
                     + ReplayText::tr("Its first %1 accesses are kept.")
                           .arg(QLocale().toString(static_cast<qlonglong>(page.replay->accesses.size())));
}

/// Indices of an element whose buffer lies in memory by descending strides.
std::vector<std::int64_t> indicesOf(const explore::TracedBuffer &buffer, std::int64_t element)
{
    std::vector<std::int64_t> indices(buffer.shape.size(), 0);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t stride = std::max<std::int64_t>(buffer.strides[i], 1);
        indices[i] = std::min(element / stride, std::max<std::int64_t>(buffer.shape[i] - 1, 0));
        element -= indices[i] * stride;
    }
    return indices;
}

/// The part of a buffer that a grid shows.
struct GridPart {
    std::int64_t base = 0; ///< element at the upper left
    std::int64_t rows = 1, columns = 1, rowStride = 0, columnStride = 1;
    std::int64_t count = 0; ///< of elements, where rows are pieces of one dimension; else 0
};

constexpr std::int64_t mostShown = 512, wrappedColumns = 64;

QString shapeText(const explore::TracedBuffer &buffer)
{
    QStringList extents;
    for (const std::int64_t extent : buffer.shape)
        extents << QString::number(extent);
    return extents.isEmpty() ? ReplayText::tr("one element") : extents.join(QStringLiteral(" × "));
}

/// "rows 512 … 1023", where not all of them are shown.
QString rangeText(const QString &what, std::int64_t first, std::int64_t shown, std::int64_t all)
{
    return shown == all ? QString()
                        : QStringLiteral(", %1 %2 … %3").arg(what).arg(first).arg(first + shown - 1);
}

GridPart partOf(const explore::TracedBuffer &buffer, std::int64_t last, QString &detail)
{
    detail = shapeText(buffer);
    const std::size_t rank = buffer.shape.size();
    if (rank == 0)
        return {};
    const std::vector<std::int64_t> indices = indicesOf(buffer, last);
    if (rank == 1) {
        const std::int64_t size = buffer.shape[0], most = mostShown * wrappedColumns;
        const std::int64_t first = indices[0] / most * most, count = std::min(size - first, most);
        detail += rangeText(ReplayText::tr("elements"), first, count, size);
        return {.base = first * buffer.strides[0],
                .rows = (count + wrappedColumns - 1) / wrappedColumns,
                .columns = std::min(count, wrappedColumns),
                .rowStride = wrappedColumns * buffer.strides[0],
                .columnStride = buffer.strides[0],
                .count = count};
    }
    GridPart part{.rowStride = buffer.strides[rank - 2], .columnStride = buffer.strides[rank - 1]};
    QStringList slice;
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        part.base += indices[i] * buffer.strides[i];
        slice << QString::number(indices[i]);
    }
    const auto window = [&](std::size_t dimension, std::int64_t &shown) {
        const std::int64_t first = indices[dimension] / mostShown * mostShown;
        shown = std::min(buffer.shape[dimension] - first, mostShown);
        part.base += first * buffer.strides[dimension];
        return first;
    };
    const std::int64_t row = window(rank - 2, part.rows), column = window(rank - 1, part.columns);
    if (!slice.isEmpty())
        detail = ReplayText::tr("[%1, :, :] of %2").arg(slice.join(QStringLiteral(", ")), detail);
    detail += rangeText(ReplayText::tr("rows"), row, part.rows, buffer.shape[rank - 2])
              + rangeText(ReplayText::tr("columns"), column, part.columns, buffer.shape[rank - 1]);
    return part;
}

/// Marks what the last step touched.
void markNow(const explore::ReplayCursor &cursor, std::size_t buffer, const GridPart &part,
             player::GridCells &grid)
{
    if (cursor.position() == 0)
        return;
    const explore::Replay &replay = cursor.replay();
    for (const explore::ReplayAccess &access : replay.accessesOf(cursor.position() - 1)) {
        const explore::TracedAccess &traced = replay.tables.accesses[access.access];
        const std::int64_t offset = access.element - part.base;
        if (traced.buffer != buffer || offset < 0)
            continue;
        const std::int64_t row = part.rowStride > 0 ? offset / part.rowStride : 0;
        const std::int64_t column =
            (offset - row * part.rowStride) / std::max<std::int64_t>(part.columnStride, 1);
        if (row < part.rows && column < part.columns)
            grid.cells[static_cast<std::size_t>(row * part.columns + column)] |=
                traced.isWrite ? player::WrittenNow : player::ReadNow;
    }
}

} // namespace

Result<ReplayPage> replayOf(const explore::StepPath &path, const target::Target &target,
                            const ReplayWish &wish)
{
    constexpr int leastLargest = 8;
    int largest = wish.largest.value_or(usualLargest);
    while (true) {
        auto smaller = explore::reduced(path, largest);
        auto page = record(smaller ? smaller->path : path, target, wish.cacheShare);
        if (!page)
            return page;
        const bool isLast = wish.largest || !smaller || largest <= leastLargest;
        if (page->replay->isWhole || isLast) {
            page->largest = largest;
            describe(*page, smaller ? smaller->sizes : explore::SizeMap(),
                     smaller ? std::nullopt : std::optional(smaller.error()));
            return page;
        }
        largest /= 2;
    }
}

std::vector<std::size_t> shownBuffers(const Replay &replay)
{
    std::vector<std::size_t> buffers;
    for (std::size_t i = 0; i < replay.tables.buffers.size(); ++i) {
        const auto isOf = [i](const explore::TracedAccess &access) { return access.buffer == i; };
        if (replay.tables.buffers[i].bytes > 0 && std::ranges::any_of(replay.tables.accesses, isOf))
            buffers.push_back(i);
    }
    return buffers;
}

player::GridCells gridOf(const explore::ReplayCursor &cursor, std::size_t buffer)
{
    constexpr std::uint32_t leastRecent = 64, runsShare = 200;
    const Replay &replay = cursor.replay();
    const explore::TracedBuffer &traced = replay.tables.buffers[buffer];
    player::GridCells grid{.title = toQt(traced.name)};
    const GridPart part = partOf(traced, cursor.lastElement(buffer), grid.detail);
    grid.rows = static_cast<int>(part.rows);
    grid.columns = static_cast<int>(part.columns);
    grid.cells.assign(static_cast<std::size_t>(part.rows * part.columns), player::untouchedCell);
    const std::span<const std::uint32_t> touches = cursor.lastTouches(buffer);
    const std::uint32_t made = replay.firstAccess[cursor.position()];
    const auto recent = std::max(leastRecent, static_cast<std::uint32_t>(replay.accesses.size()) / runsShare);
    std::size_t next = 0;
    for (std::int64_t row = 0; row < part.rows; ++row) {
        std::int64_t element = part.base + row * part.rowStride;
        for (std::int64_t column = 0; column < part.columns; ++column, ++next, element += part.columnStride) {
            if (part.count > 0 && std::cmp_greater_equal(next, part.count)) {
                grid.cells[next] = player::absentCell;
                continue;
            }
            const std::uint32_t touch = touches[static_cast<std::size_t>(element)];
            if (touch == 0)
                continue;
            const bool isRecent = touch + recent > made;
            grid.cells[next] = static_cast<quint8>(replay.accesses[touch - 1].reuse | player::Touched
                                                   | (isRecent ? player::Recent : 0));
        }
    }
    markNow(cursor, buffer, part, grid);
    return grid;
}

QStringList reuseTexts()
{
    QStringList texts;
    for (std::uint8_t i = 0; i < explore::reuseClasses; ++i)
        texts << toQt(explore::reuseText(i));
    return texts;
}

} // namespace nestwright::app
