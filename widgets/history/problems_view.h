// SPDX-License-Identifier: GPL-3.0-or-later
/// Errors and notes, one line each; clicking one goes to its subject.
#pragma once

#include <QListWidget>

namespace nestwright::document {
class Document;
}
namespace nestwright::workbench {
struct Problem;
}

namespace nestwright::history {

class ProblemsView : public QListWidget {
    Q_OBJECT
public:
    explicit ProblemsView(document::Document &document, QWidget *parent = nullptr);

    /// Goes to the loop, block or variant of a problem.
    void follow(const workbench::Problem &problem);

Q_SIGNALS:
    /// A problem was followed that is about the difference between the variant `before` and the one gone to.
    void comparisonChosen(int before);

private:
    void rebuild();

    document::Document &m_document;
};

} // namespace nestwright::history
