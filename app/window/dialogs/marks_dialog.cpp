// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/marks_dialog.h"

#include "widgets/document/text.h"
#include "widgets/look/tokens.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::app {

using document::toQt;

namespace {
/// A disc of the colour; a ring where there is none.
QIcon discOf(int color, const look::Tokens &t, double scale)
{
    constexpr int size = 16;
    QPixmap picture(QSize(size, size) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(color == 0 ? QPen(t.nodeBorder, 1.2) : QPen(Qt::NoPen));
    painter.setBrush(color == 0 ? QBrush(Qt::NoBrush) : QBrush(t.axes[static_cast<std::size_t>(color - 1)]));
    painter.drawEllipse(QRectF(3, 3, size - 6, size - 6));
    return QIcon(picture);
}
} // namespace

MarksDialog::MarksDialog(const session::Variant &variant, QWidget *parent)
    : QDialog(parent)
    , m_name(new QLineEdit(toQt(variant.name), this))
    , m_tags(new QLineEdit(this))
    , m_star(new QCheckBox(tr("Starred"), this))
    , m_colors(new QButtonGroup(this))
    , m_note(new QPlainTextEdit(toQt(variant.marks.note), this))
{
    setWindowTitle(tr("Name and note"));
    setMinimumWidth(420);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *step = new QLabel(toQt(variant.label), this);
    step->setWordWrap(true);
    layout->addWidget(step);
    auto *form = new QFormLayout;
    QStringList tags;
    for (const std::string &tag : variant.marks.tags)
        tags << toQt(tag);
    m_tags->setText(tags.join(QStringLiteral(", ")));
    m_tags->setPlaceholderText(tr("apart by commas"));
    m_star->setChecked(variant.marks.star);
    m_note->setTabChangesFocus(true);
    m_note->setFixedHeight(90);
    m_note->setAccessibleName(tr("Note"));
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Tags"), m_tags);
    form->addRow(tr("Colour"), colorRow(variant.marks.color));
    form->addRow(QString(), m_star);
    form->addRow(tr("Note"), m_note);
    layout->addLayout(form);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    m_name->setFocus();
}

QWidget *MarksDialog::colorRow(int chosen)
{
    static const std::array<QString, session::VariantMarks::colorCount + 1> names{
        tr("none"), tr("first"), tr("second"), tr("third"), tr("fourth"), tr("fifth"), tr("sixth")};
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    for (int color = 0; color <= session::VariantMarks::colorCount; ++color) {
        auto *button = new QToolButton(row);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setIcon(discOf(color, look::tokens(this), devicePixelRatioF()));
        button->setChecked(color == chosen);
        button->setAccessibleName(tr("Colour: %1").arg(names[static_cast<std::size_t>(color)]));
        button->setToolTip(color == 0 ? tr("No colour") : button->accessibleName());
        m_colors->addButton(button, color);
        layout->addWidget(button);
    }
    layout->addStretch(1);
    return row;
}

QString MarksDialog::name() const { return m_name->text().trimmed(); }

session::VariantMarks MarksDialog::marks() const
{
    session::VariantMarks marks{.star = m_star->isChecked(),
                                .color = std::max(0, m_colors->checkedId()),
                                .note = m_note->toPlainText().trimmed().toStdString()};
    const QStringList tags = m_tags->text().split(u',');
    for (const QString &tag : tags) {
        if (!tag.trimmed().isEmpty())
            marks.tags.push_back(tag.trimmed().toStdString());
    }
    return marks;
}

} // namespace nestwright::app
