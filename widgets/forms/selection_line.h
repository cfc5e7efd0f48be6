// SPDX-License-Identifier: GPL-3.0-or-later
/// The selected loop or block in a line: its name in its axis' color, and as many facts as there is room for.
#pragma once

#include <QLabel>

namespace nestwright::document {
class Document;
}

namespace nestwright::forms {

class SelectionLine : public QLabel {
    Q_OBJECT
public:
    explicit SelectionLine(const document::Document &document, QWidget *parent = nullptr);

    /// Shows the selection as it is now, in the width of now.
    void refresh();

protected:
    void changeEvent(QEvent *event) override;

private:
    const document::Document &m_document;
};

} // namespace nestwright::forms
