// SPDX-License-Identifier: GPL-3.0-or-later
/// The menu of a variant in the history.
#pragma once

#include "core/session/history/variant_tree.h"

#include <QMenu>

#include <functional>

namespace nestwright::document {
class Document;
class Measuring;
} // namespace nestwright::document

namespace nestwright::app {

class ExportController;
class NestPane;
class StepSearchCommands;

/// `compare` shows the comparison of a variant with the current one, loop by loop.
class VariantMenu : public QMenu {
    Q_OBJECT
public:
    VariantMenu(int variant, document::Document &document, document::Measuring &measuring, NestPane &nestPane,
                ExportController &exports, StepSearchCommands &search,
                const std::function<void(session::VariantId)> &compare, QWidget *parent);
};

} // namespace nestwright::app
