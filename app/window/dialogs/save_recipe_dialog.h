// SPDX-License-Identifier: GPL-3.0-or-later
/// Records the steps of a variant as a recipe: its name, which numbers become parameters and how they are
/// called, and the text that is saved.
#pragma once

#include "core/session/history/variant_tree.h"
#include "core/session/reuse/recipe_writer.h"

#include <QDialog>
#include <QTimer>

#include <memory>
#include <optional>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document

namespace nestwright::app {

class SaveRecipeDialog : public QDialog {
    Q_OBJECT
public:
    /// `variant` must not be a refused one.
    SaveRecipeDialog(document::Document &document, session::VariantId variant, QWidget *parent);

    /// File of the recipe, once it was saved.
    const QString &file() const { return m_file; }

    /// For tests.
    QLineEdit *name() const { return m_name; }
    QTableWidget *numbers() const { return m_table; }
    QPlainTextEdit *preview() const { return m_preview; }
    QLabel *verdict() const { return m_verdict; }

private:
    using Numbers = std::vector<session::RecipeNumber>;

    void takeNumbers(const support::Result<Numbers> &numbers);
    /// The numbers as edited in the table.
    Numbers chosenNumbers() const;
    void writeText();
    void showVerdict(const QString &text, bool isGood);
    void save();

    document::Document &m_document;
    std::shared_ptr<const explore::StepPath> m_path;
    std::string m_origin; ///< "recorded on matmul"
    std::optional<Numbers> m_numbers;
    std::string m_text; ///< empty while it cannot be saved
    QString m_file;
    QLineEdit *m_name;
    QTableWidget *m_table;
    QPlainTextEdit *m_preview;
    QLabel *m_verdict;
    QPushButton *m_save;
    QTimer m_wait;
};

/// The command that opens the dialog for the current variant; `saved` hears of the file.
void addSaveRecipeCommand(document::CommandRegistry &commands, document::Document &document, QWidget *window,
                          const std::function<void(const QString &)> &saved);

} // namespace nestwright::app
