// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands for further windows. Each is a program of its own: what one measures, or fails at, leaves the
/// others alone, and no two write one file of changes.
#pragma once

#include <QString>

namespace nestwright::document {
class CommandRegistry;
class Document;
class OpenDocuments;
} // namespace nestwright::document

namespace nestwright::app {

void addWindowCommands(document::CommandRegistry &commands, document::Document &document,
                       document::OpenDocuments &documents);

} // namespace nestwright::app
