// SPDX-License-Identifier: GPL-3.0-or-later
/// The menu of a variant in the history.
#pragma once

#include <QMenu>

namespace nestwright::document {
class Document;
class Measuring;
} // namespace nestwright::document

namespace nestwright::app {

class ExportController;
class NestPane;
class StepSearchCommands;

class VariantMenu : public QMenu {
    Q_OBJECT
public:
    VariantMenu(int variant, document::Document &document, document::Measuring &measuring, NestPane &nestPane,
                ExportController &exports, StepSearchCommands &search, QWidget *parent);
};

} // namespace nestwright::app
