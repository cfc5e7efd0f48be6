// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/about_dialog.h"

#include "app/window/controllers/program_facts.h"
#include "app/window/dialogs/fact_form.h"
#include "core/support/build_facts.h"
#include "widgets/document/text.h"
#include "widgets/look/fonts.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QIcon>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace nestwright::app {

using document::toQt;

namespace {
constexpr int iconSize = 64;

QString cell(const QString &text)
{
    return QStringLiteral("<td style='padding-right:16px;white-space:nowrap'>%1</td>")
        .arg(text.toHtmlEscaped());
}
} // namespace

AboutDialog::AboutDialog(QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("About Nestwright"));
    resize(740, 664);
    auto *tabs = new QTabWidget(this);
    tabs->setFocusPolicy(Qt::NoFocus); // its row of tabs has the focus
    tabs->addTab(makeLibraries(), tr("Libraries"));
    tabs->addTab(makeLicence(QStringLiteral("GPL-3.0-or-later")), tr("GNU GPL 3"));
    tabs->addTab(makeLicence(QStringLiteral("Apache-2.0")), tr("Apache License 2.0"));
    const std::vector<measure::MachineFact> facts = programFacts();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(16);
    layout->addWidget(makeHeader());
    layout->addWidget(new FactForm({facts.begin() + 1, facts.end()}, this)); // the header names the program
    layout->addWidget(tabs, 1);
    // A report of a bug wants the machine too.
    layout->addWidget(
        copyAndClose(this, QString::fromStdString(factsText(facts) + factsText(measure::machineFacts()))));
}

QWidget *AboutDialog::makeHeader()
{
    auto *header = new QWidget(this);
    auto *icon = new QLabel(header);
    icon->setPixmap(QIcon(QStringLiteral(":/nestwright/nestwright.svg")).pixmap(iconSize));
    icon->setFixedSize(iconSize, iconSize);
    icon->setAccessibleName(tr("Icon"));
    icon->setAccessibleDescription(tr("The icon of Nestwright"));
    auto *name = new QLabel(tr("Nestwright %1").arg(toQt(support::programVersion())), header);
    name->setFont(look::interfaceFont(20, QFont::DemiBold));
    auto *licences = new QLabel(
        tr("Schedules kernels by hand and measures the result.\n"
           "Free software without any warranty: the program is under the GNU General Public License, "
           "version 3 or later, the compiler in it and nestc also under the Apache License 2.0."),
        header);
    licences->setProperty("role", "secondary");
    licences->setWordWrap(true);
    for (QLabel *label : {name, licences})
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(4);
    texts->addWidget(name);
    texts->addWidget(licences);
    auto *layout = new QHBoxLayout(header);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(16);
    layout->addWidget(icon, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
    return header;
}

QWidget *AboutDialog::makeLibraries()
{
    auto *page = new QTextBrowser(this);
    page->setAccessibleName(tr("Libraries and their licences"));
    page->setTabChangesFocus(true);
    page->document()->setDocumentMargin(10);
    QString html = QStringLiteral("<table cellpadding='2' width='100%'><tr>");
    for (const QString &title : {tr("Library"), tr("Version"), tr("Licence"), tr("Used for")})
        html += QStringLiteral("<th align='left'>%1</th>").arg(title.toHtmlEscaped());
    html += QStringLiteral("</tr>");
    for (const support::LinkedLibrary &library : support::linkedLibraries())
        html += QStringLiteral("<tr>") + cell(toQt(library.name)) + cell(toQt(library.version))
                + cell(toQt(library.licence)) + cell(toQt(library.use)) + QStringLiteral("</tr>");
    page->setHtml(html + QStringLiteral("</table>"));
    return page;
}

QWidget *AboutDialog::makeLicence(const QString &licence)
{
    auto *page = new QPlainTextEdit(this);
    page->setAccessibleName(licence);
    page->setReadOnly(true);
    page->setTabChangesFocus(true);
    page->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    page->setFont(look::codeFont(11));
    QFile file(QStringLiteral(":/nestwright/licences/%1.txt").arg(licence));
    if (file.open(QIODevice::ReadOnly))
        page->setPlainText(QString::fromUtf8(file.readAll()));
    return page;
}

} // namespace nestwright::app
