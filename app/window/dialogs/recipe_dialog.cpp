// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/recipe_dialog.h"

#include "core/schedule/script/values.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/look/tokens.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

namespace {
constexpr int waitMs = 150; ///< after a key, before the recipe is tried
const QString trialKey = QStringLiteral("recipe"), allKey = QStringLiteral("recipes");

/// The value as a person types it: strings without quotes.
QString typed(const schedule::ArgValue &value)
{
    const std::string *text = value.as<std::string>();
    return QString::fromStdString(text ? *text : schedule::str(value));
}
} // namespace

RecipeDialog::RecipeDialog(document::Document &document, std::vector<session::Recipe> recipes, bool ofModel,
                           QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_recipes(std::move(recipes))
    , m_list(new QListWidget(this))
    , m_title(new QLabel(this))
    , m_verdict(new QLabel(this))
    , m_fromRoot(new QCheckBox(tr("From the unscheduled kernel"), this))
    , m_side(new QWidget(this))
{
    setWindowTitle(tr("Apply a recipe"));
    setMinimumSize(620, 380);
    m_wait.setSingleShot(true);
    m_wait.setInterval(waitMs);
    connect(&m_wait, &QTimer::timeout, this, &RecipeDialog::tryOut);

    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *row = new QHBoxLayout;
    row->setSpacing(16);
    m_list->setAccessibleName(tr("Recipes"));
    m_list->setFixedWidth(150);
    for (const session::Recipe &recipe : m_recipes)
        m_list->addItem(QString::fromStdString(recipe.name));
    row->addWidget(m_list);
    auto *side = new QVBoxLayout(m_side);
    side->setContentsMargins(0, 0, 0, 0);
    side->setSpacing(12);
    for (QLabel *label : {m_title, m_verdict}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    }
    side->addWidget(m_title);
    side->addStretch(1);
    side->addWidget(m_fromRoot);
    side->addWidget(m_verdict);
    m_fromRoot->setVisible(!m_document.tree().current().isRoot());
    m_fromRoot->setToolTip(tr("Leaves the steps so far out: kernels of models open with a schedule"));
    connect(m_fromRoot, &QCheckBox::toggled, this, &RecipeDialog::tryAll);
    row->addWidget(m_side, 1);
    layout->addLayout(row, 1);

    addButtons(ofModel);
    connect(m_list, &QListWidget::currentRowChanged, this, &RecipeDialog::showRecipe);
    connect(this, &QDialog::finished, this, [this] {
        m_document.jobs().cancel(trialKey);
        m_document.jobs().cancel(allKey);
    });
    if (m_recipes.empty())
        showVerdict(tr("The recipes were not found beside the program."), Verdict::Fails);
    else
        tryAll();
}

void RecipeDialog::addButtons(bool ofModel)
{
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_apply = buttons->addButton(tr("Apply"), QDialogButtonBox::AcceptRole);
    m_measure = buttons->addButton(tr("Apply and measure"), QDialogButtonBox::AcceptRole);
    m_measure->setDefault(true);
    m_likeKernels = buttons->addButton(tr("All like kernels…"), QDialogButtonBox::ActionRole);
    m_likeKernels->setToolTip(tr("Try it on all kernels of the model, and keep it where it is faster"));
    m_likeKernels->setVisible(ofModel);
    m_likeKernels->setEnabled(false);                  // until a recipe is chosen
    connect(buttons, &QDialogButtonBox::clicked, this, // which comes before accepted
            [this](const QAbstractButton *button) { m_wantsMeasuring = button == m_measure; });
    connect(m_likeKernels, &QPushButton::clicked, this, [this] {
        m_wantsLikeKernels = true;
        accept();
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout()->addWidget(buttons);
}

void RecipeDialog::tryAll()
{
    showVerdict(tr("Trying the recipes…"), Verdict::Open);
    using Reasons = std::vector<QString>; // why each does not fit; empty where it does
    m_document.jobs().run(
        allKey, this,
        [recipes = m_recipes, state = *m_document.tree().at(from()).state](const jobs::Job &job) {
            Reasons reasons;
            for (const session::Recipe &recipe : recipes) {
                if (job.stopped())
                    break;
                const auto run = session::runRecipe(state, recipe);
                reasons.push_back(run ? QString() : document::sentence(run.error().message));
            }
            return reasons;
        },
        [this](const std::shared_ptr<const Reasons> &reasons) {
            for (qsizetype i = 0; i < std::ssize(*reasons); ++i) {
                QListWidgetItem *item = m_list->item(static_cast<int>(i));
                item->setToolTip((*reasons)[static_cast<std::size_t>(i)]);
                item->setForeground(palette().brush(
                    item->toolTip().isEmpty() ? QPalette::Active : QPalette::Disabled, QPalette::Text));
            }
            const auto fits = std::ranges::find_if(*reasons, &QString::isEmpty);
            if (fits == reasons->end() && !m_fromRoot->isHidden() && !m_wasAsked) {
                m_wasAsked = true;
                m_fromRoot->setChecked(true); // which tries them anew
                return;
            }
            const auto first = static_cast<int>(fits == reasons->end() ? 0 : fits - reasons->begin());
            const QListWidgetItem *current = m_list->currentItem(); // the first, where the list has the focus
            const bool fitsNot = current && !current->toolTip().isEmpty() && m_list->row(current) != first;
            if (current && !fitsNot)
                tryOut(); // the variant may be another
            else
                m_list->setCurrentRow(first);
        });
}

void RecipeDialog::showRecipe(int row)
{
    if (row < 0)
        return;
    m_chosen = m_recipes[static_cast<std::size_t>(row)];
    m_likeKernels->setEnabled(true);
    m_title->setText(QString::fromStdString(m_chosen.title));
    delete m_fields;
    m_fields = new QWidget(m_side);
    auto *form = new QFormLayout(m_fields);
    form->setContentsMargins(0, 0, 0, 0);
    for (schedule::ScriptParameter &parameter : m_chosen.parameters)
        addField(parameter);
    static_cast<QVBoxLayout *>(m_side->layout())->insertWidget(1, m_fields);
    tryOut();
}

void RecipeDialog::addField(schedule::ScriptParameter &parameter)
{
    auto *form = static_cast<QFormLayout *>(m_fields->layout());
    const QString name = QString::fromStdString(parameter.name);
    if (parameter.name == session::blockParameter) {
        auto *box = new QComboBox(m_fields);
        box->setAccessibleName(name);
        box->addItem(tr("the first that fits"), QString());
        for (const document::NestRow &each : m_document.nest()->rows) {
            if (each.kind == document::RowKind::Block)
                box->addItem(each.name, each.name);
        }
        box->setCurrentIndex(std::max(0, box->findData(typed(parameter.value))));
        connect(box, &QComboBox::currentIndexChanged, this, [this, box, &parameter] {
            parameter.value = box->currentData().toString().toStdString();
            m_wait.start();
        });
        form->addRow(name, box);
        return;
    }
    auto *edit = new QLineEdit(typed(parameter.value), m_fields);
    edit->setAccessibleName(name);
    const bool isText = parameter.value.as<std::string>() != nullptr;
    connect(edit, &QLineEdit::textChanged, this, [this, isText, &parameter](const QString &text) {
        auto value = isText ? support::Result<schedule::ArgValue>(text.toStdString())
                            : schedule::readValue(text.toStdString());
        m_wait.stop();
        if (!value) {
            m_document.jobs().cancel(trialKey);
            showVerdict(document::sentence(value.error().message), Verdict::Fails);
            return;
        }
        parameter.value = std::move(*value);
        m_wait.start();
    });
    form->addRow(name, edit);
}

session::VariantId RecipeDialog::from() const
{
    const session::VariantTree &tree = m_document.tree();
    return m_fromRoot->isChecked() ? tree.root().id : tree.programOf(tree.current().id);
}

void RecipeDialog::tryOut()
{
    m_document.jobs().run(
        trialKey, this,
        [recipe = m_chosen, state = *m_document.tree().at(from()).state](const jobs::Job &) {
            return session::runRecipe(state, recipe);
        },
        [this](const std::shared_ptr<const support::Result<schedule::ScriptRun>> &run) {
            if (!*run) {
                const support::Diagnostic &why = run->error();
                showVerdict(document::sentence(why.message)
                                + (why.hint.empty() ? QString() : u' ' + document::sentence(why.hint)),
                            Verdict::Fails);
                return;
            }
            const auto steps = std::ranges::count_if((*run)->steps, [](const schedule::ScriptStep &each) {
                return !each.step.primitive->isQuery;
            });
            showVerdict(steps == 1 ? tr("It fits, in one step.") : tr("It fits, in %1 steps.").arg(steps),
                        Verdict::Fits);
        });
}

void RecipeDialog::showVerdict(const QString &text, Verdict verdict)
{
    const bool fits = verdict == Verdict::Fits;
    m_verdict->setText(text);
    m_verdict->setProperty("role", verdict == Verdict::Fails ? "bad" : "secondary");
    m_verdict->style()->unpolish(m_verdict);
    m_verdict->style()->polish(m_verdict);
    m_apply->setEnabled(fits);
    m_measure->setEnabled(fits);
}

} // namespace nestwright::app
