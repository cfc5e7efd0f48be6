// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/examples.h"

#include "core/support/files/examples_folder.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <algorithm>

namespace nestwright::app {

namespace {
/// The one of examples/models that opens without a question: a file of ONNX has no comment at its top.
Example encoder(const QString &folder)
{
    return {QStringLiteral("transformer_encoder"),
            folder + QStringLiteral("/models/transformer_encoder.onnx"),
            QCoreApplication::translate("Examples",
                                        "Two layers of a transformer: attention, GELU and layer "
                                        "normalisation, fused to 7 kernels. Measure it to see which to "
                                        "schedule."),
            true};
}

QString descriptionOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString text;
    while (!file.atEnd()) {
        const QString line = QString::fromUtf8(file.readLine()).trimmed();
        if (!line.startsWith(u'#'))
            break;
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + line.mid(1).trimmed();
    }
    return text;
}

std::vector<Example> scriptsIn(const QString &folder)
{
    std::vector<Example> found;
    for (const QFileInfo &file :
         QDir(folder).entryInfoList({QStringLiteral("*.py")}, QDir::Files, QDir::Name))
        found.push_back(
            {file.completeBaseName(), file.absoluteFilePath(), descriptionOf(file.absoluteFilePath())});
    return found;
}

/// "3 vector loads" for 3_vector_loads.py.
std::vector<Example> rungsIn(const QString &folder)
{
    std::vector<Example> rungs = scriptsIn(folder);
    for (Example &rung : rungs)
        rung.name.replace(u'_', u' ');
    return rungs;
}
} // namespace

QString examplesFolder() { return QString::fromStdString(support::examplesFolder().string()); }

std::vector<Example> examples()
{
    std::vector<Example> found;
    const QString folder = examplesFolder();
    if (folder.isEmpty())
        return found;
    static const QStringList first{QStringLiteral("matmul"), QStringLiteral("mm_relu"),
                                   QStringLiteral("transformer_encoder"), QStringLiteral("conv2d"),
                                   QStringLiteral("softmax")};
    found = scriptsIn(folder);
    if (Example model = encoder(folder); QFile::exists(model.path))
        found.push_back(std::move(model));
    std::ranges::stable_sort(found, {}, [](const Example &example) {
        const auto place = first.indexOf(example.name);
        return place < 0 ? first.size() : place;
    });
    return found;
}

std::vector<Example> gpuExamples()
{
    const QString folder = examplesFolder();
    return folder.isEmpty() ? std::vector<Example>() : scriptsIn(folder + QStringLiteral("/gpu"));
}

ExampleSchedules schedulesOf(const QString &file)
{
    const QString folder = examplesFolder();
    const QFileInfo kernel(file);
    const QString place = kernel.canonicalPath();
    if (folder.isEmpty() || (place != folder && place != folder + QStringLiteral("/gpu")))
        return {};
    const QString schedules = folder + QStringLiteral("/schedules/");
    return {rungsIn(schedules + kernel.completeBaseName()),
            rungsIn(schedules + QStringLiteral("gpu_") + kernel.completeBaseName())};
}

} // namespace nestwright::app
