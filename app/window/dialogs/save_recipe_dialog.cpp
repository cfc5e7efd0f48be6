// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/save_recipe_dialog.h"

#include "app/present/comparison_page.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/fonts.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyle>
#include <QTableWidget>
#include <QVBoxLayout>

#include <format>

namespace nestwright::app {

using document::toQt;

namespace {
constexpr int textWaitMs = 150; ///< after a key, before the text is written
const QString numbersJob = QStringLiteral("recipe numbers"), recipeTextJob = QStringLiteral("recipe text");

/// A name for the recipe of a variant: the one that a person gave it, as far as it is one.
QString proposedName(const session::Variant &variant)
{
    QString name = toQt(variant.name).toLower();
    for (QChar &c : name) {
        if (!c.isLetterOrNumber() || c.unicode() > 127)
            c = u'_';
    }
    if (name.isEmpty())
        return QStringLiteral("my_recipe");
    return session::isIdentifier(name.toStdString()) ? name : QStringLiteral("recipe_") + name;
}
} // namespace

SaveRecipeDialog::SaveRecipeDialog(document::Document &document, session::VariantId variant, QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_path(std::make_shared<const explore::StepPath>(document.tree().steps(variant)))
    , m_origin(std::format("Recorded on {}.", document.session().source().name))
    , m_name(new QLineEdit(proposedName(document.tree().at(variant)), this))
    , m_table(new QTableWidget(0, 3, this))
    , m_preview(new QPlainTextEdit(this))
    , m_verdict(new QLabel(this))
{
    setWindowTitle(tr("Save as a recipe: %1").arg(titleOf(document.tree().at(variant))));
    resize(980, 560);
    m_wait.setSingleShot(true);
    m_wait.setInterval(textWaitMs);
    connect(&m_wait, &QTimer::timeout, this, &SaveRecipeDialog::writeText);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    auto *form = new QFormLayout;
    m_name->setAccessibleName(tr("Name of the recipe"));
    form->addRow(tr("&Name"), m_name);
    layout->addLayout(form);
    auto *row = new QHBoxLayout;
    row->setSpacing(10);
    m_table->setTabKeyNavigation(false); // Tab leaves it, arrows go through it
    m_table->setAccessibleName(tr("Parameters"));
    m_table->setHorizontalHeaderLabels({tr("Parameter"), tr("Value"), tr("Step")});
    m_table->verticalHeader()->hide();
    m_table->setFixedWidth(400);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setColumnWidth(0, 140);
    m_table->setColumnWidth(1, 60);
    row->addWidget(m_table);
    m_preview->setAccessibleName(tr("Text of the recipe"));
    m_preview->setReadOnly(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setFont(look::codeFont(12));
    row->addWidget(m_preview, 1);
    layout->addLayout(row, 1);
    auto *hint =
        new QLabel(tr("Ticked numbers become parameters; a name can be edited. Numbers that follow from "
                      "extents or from other parameters are formulas."),
                   this);
    hint->setWordWrap(true);
    hint->setProperty("role", "secondary");
    layout->addWidget(hint);
    m_verdict->setWordWrap(true);
    layout->addWidget(m_verdict);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_save = buttons->addButton(tr("Save"), QDialogButtonBox::AcceptRole);
    m_save->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &SaveRecipeDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    const auto changed = [this] {
        m_save->setEnabled(false);
        m_wait.start();
    };
    connect(m_name, &QLineEdit::textChanged, this, changed);
    connect(m_table, &QTableWidget::itemChanged, this, changed);
    connect(&document, &document::Document::leaving, this, &QDialog::reject);
    connect(this, &QDialog::finished, this, [this] {
        m_document.jobs().cancel(numbersJob);
        m_document.jobs().cancel(recipeTextJob);
    });
    m_save->setEnabled(false);
    m_name->selectAll();
    m_document.jobs().run(
        numbersJob, this, [path = m_path](const jobs::Job &) { return session::recipeNumbers(*path); },
        [this](const std::shared_ptr<const support::Result<Numbers>> &numbers) { takeNumbers(*numbers); });
}

void SaveRecipeDialog::takeNumbers(const support::Result<Numbers> &numbers)
{
    if (!numbers) {
        showVerdict(document::explanation(numbers.error()), false);
        return;
    }
    m_numbers = *numbers;
    m_table->setRowCount(static_cast<int>(numbers->size()));
    for (int i = 0; i < m_table->rowCount(); ++i) {
        const session::RecipeNumber &number = (*numbers)[static_cast<std::size_t>(i)];
        auto *name = new QTableWidgetItem(toQt(number.name));
        name->setFlags(name->flags() | Qt::ItemIsUserCheckable);
        name->setCheckState(number.isParameter ? Qt::Checked : Qt::Unchecked);
        m_table->setItem(i, 0, name);
        auto *value = new QTableWidgetItem(QString::number(number.value));
        value->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto *place = new QTableWidgetItem(toQt(number.place));
        place->setToolTip(toQt(number.place));
        for (QTableWidgetItem *each : {value, place})
            each->setFlags(each->flags() & ~Qt::ItemIsEditable);
        m_table->setItem(i, 1, value);
        m_table->setItem(i, 2, place);
    }
    writeText();
}

SaveRecipeDialog::Numbers SaveRecipeDialog::chosenNumbers() const
{
    Numbers numbers = *m_numbers;
    for (int i = 0; i < m_table->rowCount(); ++i) {
        session::RecipeNumber &number = numbers[static_cast<std::size_t>(i)];
        number.name = m_table->item(i, 0)->text().trimmed().toStdString();
        number.isParameter = m_table->item(i, 0)->checkState() == Qt::Checked;
    }
    return numbers;
}

void SaveRecipeDialog::writeText()
{
    if (!m_numbers)
        return;
    m_wait.stop(); // filling the table in has started it
    m_document.jobs().run(
        recipeTextJob, this,
        [path = m_path, name = m_name->text().trimmed().toStdString(), title = m_origin,
         numbers = chosenNumbers()](const jobs::Job &) {
            return session::writeRecipe(*path, name, title, numbers);
        },
        [this](const std::shared_ptr<const support::Result<std::string>> &text) {
            m_text = *text ? **text : std::string();
            if (!*text) {
                showVerdict(document::explanation(text->error()), false);
                return;
            }
            m_preview->setPlainText(toQt(m_text));
            showVerdict(tr("It makes the program of this variant again."), true);
        });
}

void SaveRecipeDialog::showVerdict(const QString &text, bool isGood)
{
    m_verdict->setText(text);
    m_verdict->setProperty("role", isGood ? "secondary" : "bad");
    m_verdict->style()->unpolish(m_verdict);
    m_verdict->style()->polish(m_verdict);
    m_save->setEnabled(isGood);
}

void SaveRecipeDialog::save()
{
    const auto saved = session::saveRecipe(m_name->text().trimmed().toStdString(), m_text);
    if (!saved) {
        showVerdict(document::explanation(saved.error()), false);
        return;
    }
    m_file = toQt(*saved);
    accept();
}

void addSaveRecipeCommand(document::CommandRegistry &commands, document::Document &document, QWidget *window,
                          const std::function<void(const QString &)> &saved)
{
    commands.add({.id = QStringLiteral("history.recipe"),
                  .title = SaveRecipeDialog::tr("Save as a recipe…"),
                  .group = SaveRecipeDialog::tr("History"),
                  .run =
                      [&document, window, saved] {
                          auto *dialog = new SaveRecipeDialog(document, document.currentId(), window);
                          dialog->setAttribute(Qt::WA_DeleteOnClose);
                          QObject::connect(dialog, &QDialog::accepted, window,
                                           [dialog, saved] { saved(dialog->file()); });
                          dialog->open();
                      },
                  .unavailable =
                      [&document] {
                          if (!document.isOpen() || !document.tree().current().ok())
                              return SaveRecipeDialog::tr("Open a kernel first.");
                          return document.tree().current().isRoot()
                                     ? SaveRecipeDialog::tr(
                                           "Schedule the kernel first: its steps are recorded.")
                                     : QString();
                      }});
}

} // namespace nestwright::app
