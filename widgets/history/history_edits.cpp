// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_edits.h"

#include "widgets/document/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace nestwright::history {

using session::VariantId;
using session::VariantTree;

namespace {
struct EditText {
    Q_DECLARE_TR_FUNCTIONS(HistoryEdits)
};

/// Right before `id` on the way to `tip`; `id` itself where that is the first.
VariantId behind(const VariantTree &tree, VariantId id, VariantId tip)
{
    const std::vector<VariantId> path = tree.path(tip);
    const auto at = std::ranges::find(path, id);
    return at == path.end() || std::next(at) == path.end() || tree.at(*std::next(at)).edit ? id
                                                                                           : *std::next(at);
}
} // namespace

std::vector<EditOffer> editsOf(const VariantTree &tree, VariantId variant)
{
    const session::Variant &chosen = tree.at(variant);
    std::vector<EditOffer> offers{
        {.id = QStringLiteral("drop"),
         .title = EditText::tr("Leave this step out"),
         .keys = QKeySequence(Qt::Key_Delete)},
        {.id = QStringLiteral("moveUp"),
         .title = EditText::tr("Move this step up"),
         .keys = QKeySequence(Qt::ALT | Qt::Key_Up)},
        {.id = QStringLiteral("moveDown"),
         .title = EditText::tr("Move this step down"),
         .keys = QKeySequence(Qt::ALT | Qt::Key_Down)},
    };
    if (chosen.isRoot() || !chosen.ok() || chosen.edit) {
        for (EditOffer &offer : offers)
            offer.unavailable = chosen.isRoot() ? EditText::tr("The unscheduled program has no step.")
                                : chosen.edit   ? EditText::tr("Edited code is no step of the schedule.")
                                              : EditText::tr("This step was refused, so it changes nothing.");
        return offers;
    }
    const VariantId tip = session::tipOf(tree, variant), next = behind(tree, variant, tip);
    offers[0].edit = session::dropStep(tree, variant, tip);
    if (tree.at(*chosen.parent).isRoot())
        offers[1].unavailable = EditText::tr("It is the first step.");
    else
        offers[1].edit = session::moveStep(tree, variant, *chosen.parent, tip);
    if (next == variant)
        offers[2].unavailable = EditText::tr("It is the last step.");
    else
        offers[2].edit = session::moveStep(tree, next, variant, tip);
    return offers;
}

std::vector<EditOffer> editsOnto(const VariantTree &tree, VariantId variant, VariantId onto)
{
    const session::Variant &chosen = tree.at(variant);
    if (chosen.isRoot() || !chosen.ok() || !tree.at(onto).ok() || *chosen.parent == onto || variant == onto)
        return {};
    if (tree.at(onto).edit)
        return {};
    if (chosen.edit)
        return {{.id = QStringLiteral("edit"),
                 .title = EditText::tr("Apply this edit here"),
                 .edit = session::rebase(tree, variant, variant, onto)}};
    std::vector<EditOffer> offers{{.id = QStringLiteral("step"),
                                   .title = EditText::tr("Take this step along"),
                                   .edit = session::rebase(tree, variant, variant, onto)}};
    const VariantId tip = session::tipOf(tree, variant);
    const std::vector<VariantId> to = tree.path(tip), base = tree.path(onto);
    const bool isOnWay = std::ranges::contains(to, onto) || std::ranges::contains(base, variant);
    const auto count = [](std::size_t n) {
        return document::counted(static_cast<int>(n), EditText::tr("step"));
    };
    if (!isOnWay) {
        if (auto branch = session::rebase(tree, variant, tip, onto); branch.steps.size() > 1)
            offers.push_back(
                {.id = QStringLiteral("branch"),
                 .title =
                     EditText::tr("Take the branch from here on along: %1").arg(count(branch.steps.size())),
                 .edit = std::move(branch)});
        const VariantId first = *std::ranges::mismatch(to, base).in1;
        if (auto way = session::rebase(tree, first, variant, onto); way.steps.size() > 1)
            offers.push_back(
                {.id = QStringLiteral("way"),
                 .title = EditText::tr("Take the way to here along: %1").arg(count(way.steps.size())),
                 .edit = std::move(way)});
    } else if (!tree.at(onto).isRoot()) {
        const VariantId end = std::ranges::contains(base, variant) ? session::tipOf(tree, onto) : tip;
        offers.push_back(
            {.id = QStringLiteral("before"),
             .title = EditText::tr("Move this step before %1").arg(document::toQt(tree.at(onto).label)),
             .edit = session::moveStep(tree, variant, onto, end)});
    }
    return offers;
}

} // namespace nestwright::history
