// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/source_file.h"

#include "widgets/document/document.h"
#include "widgets/document/model.h"

#include <QDir>
#include <QFileInfo>

namespace nestwright::app {

QString sourceFile(const document::Document &document, const document::Model &model)
{
    return QString::fromStdString(model.kernel() >= 0 ? model.model().path
                                                      : document.session().source().path);
}

QString sourceFolder(const document::Document &document, const document::Model &model)
{
    const QString path = document.isOpen() ? sourceFile(document, model) : QString();
    return path.isEmpty() ? QDir::currentPath() : QFileInfo(path).absolutePath();
}

} // namespace nestwright::app
