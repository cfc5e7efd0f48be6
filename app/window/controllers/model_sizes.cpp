// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/model_sizes.h"

#include "app/window/dialogs/sizes_dialog.h"
#include "app/window/frame/window_settings.h"
#include "app/window/frame/work_line.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/model.h"

#include <QVariantMap>

#include <algorithm>

namespace nestwright::app {

namespace {
const QString sizesKey = QStringLiteral("sizesOfModels"); ///< by file, then by name
constexpr qsizetype sizesKept = 100;                      ///< files
} // namespace

ModelSizes::ModelSizes(document::Model &model, WindowSettings &settings, WorkLine &workLine, QWidget *window)
    : m_model(model)
    , m_settings(settings)
    , m_workLine(workLine)
    , m_window(window)
{
    connect(&model, &document::Model::sizesNeeded, this, &ModelSizes::open);
}

void ModelSizes::addCommands(document::CommandRegistry &commands)
{
    commands.add({.id = QStringLiteral("graph.sizes"),
                  .title = tr("Sizes of the model…"),
                  .group = tr("Graph"),
                  .run =
                      [this] {
                          const frontend::Sizes &sizes = m_model.model().settings.sizes;
                          QStringList names;
                          for (const auto &[name, size] : sizes)
                              names << QString::fromStdString(name);
                          ask(QString::fromStdString(m_model.model().path), names, sizes);
                      },
                  .unavailable =
                      [this] {
                          if (!m_model.isOpen())
                              return tr("Open a model first.");
                          return m_model.model().settings.sizes.empty()
                                     ? tr("The model leaves no sizes open.")
                                     : QString();
                      }});
}

frontend::Sizes ModelSizes::remembered(const QString &path) const
{
    frontend::Sizes sizes;
    const QVariantMap all = m_settings.value(sizesKey).toMap(), own = all.value(path).toMap();
    for (auto each = own.cbegin(); each != own.cend(); ++each)
        sizes[each.key().toStdString()] = each.value().toLongLong();
    return sizes;
}

void ModelSizes::remember(const QString &path, const frontend::Sizes &sizes)
{
    QVariantMap all = m_settings.value(sizesKey).toMap(), own;
    for (const auto &[name, size] : sizes)
        own.insert(QString::fromStdString(name), QVariant::fromValue<qlonglong>(size));
    all.remove(path);
    while (all.size() >= sizesKept)
        all.erase(all.begin());
    all.insert(path, own);
    m_settings.setValue(sizesKey, all);
}

/// Asks once for each file: later it opens with the same sizes, and a link leads to others.
void ModelSizes::open(const QString &path, const QStringList &names, const frontend::Sizes &proposed)
{
    const frontend::Sizes known = remembered(path);
    const bool isComplete =
        std::ranges::all_of(names, [&](const QString &name) { return known.contains(name.toStdString()); });
    if (!isComplete)
        return ask(path, names, proposed);
    QStringList texts;
    for (const QString &name : names)
        texts << QStringLiteral("%1 = %2").arg(name).arg(known.at(name.toStdString()));
    m_model.open(path, {.sizes = known});
    m_workLine.tell(tr("Opened with %1").arg(texts.join(QStringLiteral(", "))), tr("Other sizes…"),
                    [this, path, names, known] { ask(path, names, known); });
}

void ModelSizes::ask(const QString &path, const QStringList &names, const frontend::Sizes &proposed)
{
    auto *dialog = new SizesDialog(names, proposed, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, path] {
        remember(path, dialog->sizes());
        m_model.open(path, {.sizes = dialog->sizes()});
    });
    dialog->open();
}

} // namespace nestwright::app
