// SPDX-License-Identifier: GPL-3.0-or-later
/// Findings of the current variant, with the predicted gain of each remedy; choosing one tries it out.
#pragma once

#include <QTreeWidget>

namespace nestwright::document {
class Document;
class FindingList;
} // namespace nestwright::document

namespace nestwright::history {

class FindingsView : public QTreeWidget {
    Q_OBJECT
public:
    FindingsView(document::Document &document, document::FindingList &findings, QWidget *parent = nullptr);

protected:
    void changeEvent(QEvent *event) override;

private:
    void rebuild();
    void addOrigin();
    void addHint(const QString &text);
    /// Goes to the loop that the row is about.
    void follow(const QTreeWidgetItem *item);
    void tryOut(const QTreeWidgetItem *item);

    document::Document &m_document;
    document::FindingList &m_findings;
};

} // namespace nestwright::history
