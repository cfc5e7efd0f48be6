// SPDX-License-Identifier: GPL-3.0-or-later
/// The file that the open document was read from: of a model's kernel it is the model's.
#pragma once

#include <QString>

namespace nestwright::document {
class Document;
class Model;
} // namespace nestwright::document

namespace nestwright::app {

/// Empty where it came from no file. Only while a document is open.
QString sourceFile(const document::Document &document, const document::Model &model);

/// The folder that dialogs for files begin in; the current one where there is no file.
QString sourceFolder(const document::Document &document, const document::Model &model);

} // namespace nestwright::app
