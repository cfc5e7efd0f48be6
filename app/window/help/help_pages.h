// SPDX-License-Identifier: GPL-3.0-or-later
/// The pages of the help: one for each primitive, made from its description, one for each term of the
/// glossary, and one for each domain of operators of models.
#pragma once

#include "core/schedule/primitive.h"

#include <QList>
#include <QString>

namespace nestwright::app {

struct HelpPage {
    QString address;  ///< target of links: "primitive:split", "term:extent", "onnx:ai.onnx"
    QString name;     ///< "split", "Extent"
    QString group;    ///< the heading that it stands under in the list
    QString summary;  ///< one sentence
    QString searched; ///< other words that it is found by
    QString markdown;
    bool isPrimitive = false;
};

/// Primitives by group, then the terms, then the operators of models.
const QList<HelpPage> &helpPages();
/// Null where there is none.
const HelpPage *findHelpPage(const QString &address);
QString helpAddress(const schedule::Primitive &primitive);

/// Its call in a script: `split(loop, factors, preserve_unit_iters=True, disable_predication=False)`.
QString signature(const schedule::Primitive &primitive);

} // namespace nestwright::app
