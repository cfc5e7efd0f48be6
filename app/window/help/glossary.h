// SPDX-License-Identifier: GPL-3.0-or-later
/// The terms that the window uses, as resources/help/glossary.md explains them.
#pragma once

#include <QList>
#include <QString>

namespace nestwright::app {

struct Term {
    QString id;         ///< for links: "reduction-axis"
    QString name;       ///< "Reduction axis"
    QString otherNames; ///< "R, reduce axis"; may be empty
    QString group;      ///< "Loops and blocks"
    QString text;       ///< Markdown
};

/// The terms in the order of the file.
const QList<Term> &glossary();

} // namespace nestwright::app
