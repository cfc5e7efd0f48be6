// SPDX-License-Identifier: GPL-3.0-or-later
/// The words in which a line differs from the one it stands for.
#pragma once

#include <QStringView>

#include <utility>
#include <vector>

namespace nestwright::code {

/// Columns and lengths of words; neighbours are joined.
struct WordDifference {
    std::vector<std::pair<int, int>> older, newer;
};

/// Words that differ; none where the lines have too little in common for single words to say anything.
WordDifference differentWords(QStringView older, QStringView newer);

} // namespace nestwright::code
