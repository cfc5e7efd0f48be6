// SPDX-License-Identifier: GPL-3.0-or-later
/// The elements of a buffer as cells: how long ago the line of each was touched before its last touch, and
/// which are touched now.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace nestwright::player {

/// A cell is a class of the legend, with these marks.
enum CellMark : quint8 {
    ClassBits = 0x0f,
    Touched = 0x10,
    Recent = 0x20, ///< within the last steps
    ReadNow = 0x40,
    WrittenNow = 0x80
};
inline constexpr quint8 untouchedCell = 0, absentCell = ClassBits; ///< absent: behind the last element

struct GridCells {
    QString title{};  ///< "A"
    QString detail{}; ///< "64 × 64", or the slice that is shown: "[3, 0, :, :] of 64 × 3 × 56 × 56"
    int rows = 0, columns = 0;
    std::vector<quint8> cells{}; ///< row by row
};

} // namespace nestwright::player
