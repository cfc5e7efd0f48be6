// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for a recipe and values for its parameters; tries each choice on the current variant at once, and
/// says how many steps it gives or why it does not fit.
#pragma once

#include "core/session/history/variant_tree.h"
#include "core/session/reuse/recipe.h"

#include <QDialog>
#include <QTimer>

#include <cstdint>
#include <vector>

class QCheckBox;
class QFormLayout;
class QLabel;
class QListWidget;
class QPushButton;

namespace nestwright::document {
class Document;
}

namespace nestwright::app {

class RecipeDialog : public QDialog {
    Q_OBJECT
public:
    /// `ofModel`: the document is a kernel of a model, whose other kernels the recipe may be for as well.
    RecipeDialog(document::Document &document, std::vector<session::Recipe> recipes, bool ofModel,
                 QWidget *parent);

    /// The chosen recipe with its values.
    const session::Recipe &chosen() const { return m_chosen; }
    bool wantsMeasuring() const { return m_wantsMeasuring; }
    /// The variant that it is made on: the current one, or the unscheduled kernel.
    session::VariantId from() const;
    /// Whether it is to be tried on all kernels of the model, and not applied.
    bool wantsLikeKernels() const { return m_wantsLikeKernels; }

private:
    void addButtons(bool ofModel);
    /// Runs all of them as they are, dims those that do not fit, and chooses the first that does.
    void tryAll();
    void showRecipe(int row);
    void addField(schedule::ScriptParameter &parameter);
    /// Runs the recipe on that variant, off the UI thread.
    void tryOut();
    enum class Verdict : std::uint8_t { Open, Fits, Fails };
    void showVerdict(const QString &text, Verdict verdict);

    document::Document &m_document;
    std::vector<session::Recipe> m_recipes;
    session::Recipe m_chosen;
    QListWidget *m_list;
    QLabel *m_title, *m_verdict;
    QCheckBox *m_fromRoot;
    QWidget *m_fields = nullptr;
    QWidget *m_side;
    QPushButton *m_apply = nullptr, *m_measure = nullptr, *m_likeKernels = nullptr;
    QTimer m_wait;
    bool m_wasAsked = false; ///< for the unscheduled kernel, by a person or since nothing fits
    bool m_wantsMeasuring = false, m_wantsLikeKernels = false;
};

} // namespace nestwright::app
