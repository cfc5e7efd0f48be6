// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/inputs_dialog.h"

#include "app/window/dialogs/file_edit.h"
#include "core/frontend/model_forms.h"
#include "core/ir/npy.h"
#include "core/measure/build/given_inputs.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/label.h"

#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <ranges>

namespace nestwright::app {

using support::Result;

namespace {

constexpr int typingMs = 150, inputsDialogWidth = 620, mostHeight = 380;
constexpr int secondLine = 20; ///< room for that of a problem

Result<ir::ArrayType> typeOf(const std::string &file)
{
    if (!file.ends_with(".pb"))
        return ir::readNpyType(file);
    const auto array = frontend::readTensorFile(file);
    if (!array)
        return support::fail(array.error());
    return ir::ArrayType{array->dtype(), array->shape()};
}

/// Faults of given files, by the input's name.
std::map<std::string, QString> problemsOf(const std::vector<std::pair<ir::Buffer, std::string>> &given)
{
    std::map<std::string, QString> problems;
    std::map<std::string, std::int64_t> sizes; // those that one array has, the others must have too
    for (const auto &[buffer, file] : given) {
        const auto type = typeOf(file);
        const auto fits = type ? measure::bindInput(buffer, *type, sizes) : support::fail(type.error());
        if (!fits)
            problems[buffer.name()] = document::explanation(fits.error());
    }
    return problems;
}

void setRole(QLabel *label, const char *role)
{
    label->setProperty("role", role);
    label->style()->unpolish(label);
    label->style()->polish(label);
}

} // namespace

InputsDialog::InputsDialog(jobs::JobRunner &jobs, const InputTexts &texts, const std::vector<InputRow> &rows,
                           const QString &folder, QWidget *parent)
    : QDialog(parent)
    , m_jobs(jobs)
    , m_filter(texts.filter)
    , m_folder(folder)
    , m_wait(new QTimer(this))
{
    setWindowTitle(texts.title);
    setMinimumWidth(inputsDialogWidth);
    setAcceptDrops(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(16);
    auto *text = new QLabel(rows.empty() ? texts.empty : texts.explanation, this);
    text->setWordWrap(true);
    layout->addWidget(text);

    auto *list = new QWidget;
    auto *grid = new QGridLayout(list);
    grid->setContentsMargins(0, 0, 12, 0); // beside the scroll bar
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    for (const InputRow &row : rows)
        addRow(row, grid);
    auto *scroll = new QScrollArea(this);
    scroll->setFocusPolicy(Qt::NoFocus); // what is in it has the focus, and brings itself into view
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(list);
    scroll->setMinimumHeight(std::min(list->sizeHint().height() + secondLine, mostHeight));
    scroll->setVisible(!rows.empty());
    layout->addWidget(scroll, 1);

    auto *buttons = new QDialogButtonBox(this);
    m_reset = buttons->addButton(tr("Clear all"), QDialogButtonBox::ResetRole);
    m_reset->setAutoDefault(false);
    buttons->addButton(QDialogButtonBox::Cancel)->setAutoDefault(false);
    m_accept = buttons->addButton(texts.accept, QDialogButtonBox::AcceptRole);
    m_accept->setDefault(true);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        for (const Field &field : m_fields)
            field.edit->clear();
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &InputsDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);

    m_wait->setSingleShot(true);
    m_wait->setInterval(typingMs);
    connect(m_wait, &QTimer::timeout, this, &InputsDialog::check);
    for (const Field &field : m_fields)
        connect(field.edit, &QLineEdit::textChanged, this, &InputsDialog::filesChanged);
    m_reset->setEnabled(!files().empty());
    if (!files().empty())
        check(); // they may have changed since they were given
    if (!m_fields.empty())
        m_fields.front().edit->setFocus();
}

void InputsDialog::addRow(const InputRow &row, QGridLayout *grid)
{
    const int line = grid->rowCount();
    auto *name = new QVBoxLayout;
    name->setSpacing(0);
    name->addWidget(
        look::plainLabel(document::toQt(row.name), look::codeFont(12.5, QFont::DemiBold), "title", this));
    name->addWidget(look::plainLabel(row.type, look::codeFont(11.5), "secondary", this));
    name->addStretch();
    name->setContentsMargins(0, 3, 16, 10);
    grid->addLayout(name, line, 0, 2, 1);
    auto *note = look::plainLabel(row.otherwise, look::interfaceFont(12), "secondary", this);
    note->setWordWrap(true);
    note->setContentsMargins(1, 0, 0, 10);
    grid->addWidget(note, line + 1, 1, 1, 2);
    if (!row.buffer) {
        note->setAlignment(Qt::AlignTop);
        note->setContentsMargins(1, 3, 0, 10);
        grid->addWidget(note, line, 1, 2, 2);
        return;
    }
    auto *edit = new FileEdit(row.file, this);
    edit->setPlaceholderText(tr("no file"));
    edit->setClearButtonEnabled(true);
    edit->setAccessibleName(tr("File for %1").arg(document::toQt(row.name)));
    grid->addWidget(edit, line, 1);
    auto *button = new look::Button(tr("Choose…"), this);
    button->setAutoDefault(false);
    button->setAccessibleName(tr("Choose the file for %1").arg(document::toQt(row.name)));
    grid->addWidget(button, line, 2);
    connect(button, &QPushButton::clicked, this, [this, edit] { choose(edit); });
    m_fields.push_back({row, edit, note});
}

void InputsDialog::choose(FileEdit *edit)
{
    const QString path = QFileDialog::getOpenFileName(this, tr("The input's numbers"), m_folder, m_filter);
    if (path.isEmpty())
        return;
    edit->setText(path);
    m_folder = QFileInfo(path).absolutePath();
}

InputsDialog::Files InputsDialog::files() const
{
    Files files;
    for (const Field &field : m_fields) {
        if (const QString file = field.edit->text().trimmed(); !file.isEmpty())
            files[field.row.name] = QFileInfo(file).absoluteFilePath();
    }
    return files;
}

void InputsDialog::filesChanged()
{
    m_isChecked = false;
    m_acceptsThen = false;
    m_accept->setEnabled(true); // until it is known that one does not fit
    m_reset->setEnabled(!files().empty());
    m_wait->start();
}

void InputsDialog::check()
{
    m_wait->stop();
    m_isChecked = false;
    std::vector<std::pair<ir::Buffer, std::string>> given;
    const Files all = files();
    for (const Field &field : m_fields) {
        if (const auto file = all.find(field.row.name); file != all.end())
            given.emplace_back(field.row.buffer, file->second.toStdString());
    }
    m_jobs.run(
        QStringLiteral("check inputs"), this, [given](const jobs::Job &) { return problemsOf(given); },
        [this](const std::shared_ptr<const std::map<std::string, QString>> &problems) { show(*problems); });
}

void InputsDialog::show(const std::map<std::string, QString> &problems)
{
    m_problems = problems;
    m_isChecked = true;
    for (const Field &field : m_fields) {
        const auto problem = problems.find(field.row.name);
        const bool isWrong = problem != problems.end();
        const bool isGiven = !field.edit->text().trimmed().isEmpty();
        field.note->setText(isWrong ? problem->second : isGiven ? tr("fits") : field.row.otherwise);
        setRole(field.note, isWrong ? "bad" : isGiven ? "good" : "secondary");
        field.edit->setAccessibleDescription(field.note->text());
        field.edit->setProperty("wrong", isWrong);
        field.edit->style()->unpolish(field.edit);
        field.edit->style()->polish(field.edit);
    }
    m_accept->setEnabled(problems.empty());
    if (std::exchange(m_acceptsThen, false))
        accept();
}

void InputsDialog::accept()
{
    if (!m_isChecked) {
        m_acceptsThen = true;
        check();
        return;
    }
    if (m_problems.empty()) {
        QDialog::accept();
        return;
    }
    const auto wrong =
        std::ranges::find_if(m_fields, [&](const Field &f) { return m_problems.contains(f.row.name); });
    wrong->edit->setFocus();
    wrong->edit->selectAll();
}

void InputsDialog::dragEnterEvent(QDragEnterEvent *event)
{
    if (!m_fields.empty() && !filesOf(*event).isEmpty())
        event->acceptProposedAction();
}

void InputsDialog::dropEvent(QDropEvent *event)
{
    for (const QString &file : filesOf(*event))
        dropped(file);
    event->acceptProposedAction();
}

/// Goes to the input that is called as the file is, else to the first without a file.
void InputsDialog::dropped(const QString &file)
{
    const std::string name = QFileInfo(file).completeBaseName().toStdString();
    auto field = std::ranges::find_if(m_fields, [&](const Field &each) { return each.row.name == name; });
    if (field == m_fields.end())
        field = std::ranges::find_if(m_fields, [](const Field &each) { return each.edit->text().isEmpty(); });
    if (field == m_fields.end())
        return;
    field->edit->setText(file);
    field->edit->setFocus();
}

} // namespace nestwright::app
