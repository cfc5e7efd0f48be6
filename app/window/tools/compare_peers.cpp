// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/compare_peers.h"

#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/jobs/job_runner.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>

#include <array>
#include <utility>

namespace nestwright::app {

using document::Document;
using document::toQt;
using measure::PeerFile;
using measure::PeerLibrary;

namespace {

struct PeerText {
    Q_DECLARE_TR_FUNCTIONS(ComparePeers)
};

constexpr std::array libraries{PeerLibrary::OpenBlas, PeerLibrary::OneDnn};
const QString functionsJob = QStringLiteral("functions of a file");

QString libraryName(PeerLibrary library) { return QString::fromUtf8(measure::nameOf(library).data()); }

QString whyNoLibrary(const Document &document, PeerLibrary library)
{
    if (!document.isOpen())
        return PeerText::tr("Open a kernel first.");
    const auto kernel = document::libraryKernelOf(document);
    if (!kernel)
        return PeerText::tr(
            "Libraries have functions for products of two matrices, convolutions and softmax.");
    if (document.session().target().isGpu())
        return PeerText::tr("It runs on the processor: choose the target llvm.");
    const auto *product = std::get_if<analysis::MatrixProduct>(&*kernel);
    if (library == PeerLibrary::OneDnn && product && product->isDouble)
        return PeerText::tr("It multiplies float32.");
    if (library == PeerLibrary::OpenBlas && !product)
        return PeerText::tr("It multiplies matrices.");
    return {};
}

} // namespace

QVariant peerData(const PeerChoice &peer)
{
    if (const auto *library = std::get_if<PeerLibrary>(&peer))
        return QStringList{libraryName(*library)};
    const auto &file = std::get<PeerFile>(peer);
    return QStringList{toQt(file.path), toQt(file.function)};
}

std::optional<PeerChoice> peerOf(const QVariant &data)
{
    if (data.typeId() != QMetaType::QStringList)
        return {};
    const QStringList words = data.toStringList();
    if (words.size() == 2)
        return PeerFile{words[0].toStdString(), words[1].toStdString()};
    return words.front() == libraryName(PeerLibrary::OpenBlas) ? PeerLibrary::OpenBlas : PeerLibrary::OneDnn;
}

void addPeers(QComboBox &sides, const Document &document, const std::optional<PeerFile> &file)
{
    sides.insertSeparator(sides.count());
    for (const PeerLibrary library : libraries) {
        if (whyNoLibrary(document, library).isEmpty())
            sides.addItem(PeerText::tr("%1, at work").arg(libraryName(library)), peerData(library));
    }
    if (file)
        sides.addItem(QFileInfo(toQt(file->path)).fileName()
                          + (file->function.empty() ? QString() : u':' + toQt(file->function)),
                      peerData(*file));
}

PeerResult readPeer(const PeerChoice &peer, const std::optional<analysis::LibraryKernel> &kernel,
                    const target::Target &target, bool isTimed, const std::stop_token &stop)
{
    const auto *file = std::get_if<PeerFile>(&peer);
    if (!file && !kernel)
        return std::unexpected(measure::noLibraryFor("the kernel"));
    auto read = file ? measure::codeOfFile(*file, target, stop)
                     : measure::codeOfLibrary(std::get<PeerLibrary>(peer), *kernel, target, isTimed, stop);
    if (!read)
        return std::unexpected(read.error());
    return std::make_shared<const measure::PeerCode>(*std::move(read));
}

void choosePeerFile(Document &document, QWidget *parent, const std::function<void(const PeerFile &)> &chosen,
                    const std::function<void(const support::Diagnostic &)> &failed)
{
    const QString path = QFileDialog::getOpenFileName(
        parent, PeerText::tr("Code to compare with"), {},
        PeerText::tr("C, LLVM IR, assembly, object files and libraries (*.c *.ll *.s *.o *.so *.so.*);;All "
                     "files (*)"));
    if (path.isEmpty())
        return;
    using Names = support::Result<std::vector<std::string>>;
    document.jobs().run(
        functionsJob, parent,
        [path = path.toStdString(), target = document.session().target()](const jobs::Job &job) {
            return measure::functionsOfFile(path, target, job.stopToken());
        },
        [parent, path, chosen, failed](const std::shared_ptr<const Names> &names) {
            if (!*names)
                return failed(names->error());
            QString function;
            if ((*names)->size() > 1) {
                QStringList items;
                for (const std::string &each : **names)
                    items << toQt(each);
                bool isChosen = false;
                function = QInputDialog::getItem(
                    parent, PeerText::tr("Function"),
                    PeerText::tr("Function of %1 to compare with:").arg(QFileInfo(path).fileName()), items, 0,
                    /*editable=*/true, &isChosen);
                if (!isChosen)
                    return;
            }
            chosen({path.toStdString(), function.toStdString()});
        });
}

void addPeerCommands(document::CommandRegistry &commands, const Document &document,
                     const std::function<void(std::optional<PeerLibrary>)> &compare)
{
    const QString group = PeerText::tr("History");
    commands.add(
        {.id = QStringLiteral("history.compareFile"),
         .title = PeerText::tr("Compare with the code in a file…"),
         .group = group,
         .keys = {QKeySequence(QStringLiteral("Ctrl+Alt+F"))},
         .icon = QStringLiteral("table"),
         .run = [compare] { compare({}); },
         .unavailable =
             [&document] { return document.isOpen() ? QString() : PeerText::tr("Open a kernel first."); }});
    static constexpr std::array keys{"Ctrl+Alt+B", "Ctrl+Alt+N"};
    for (std::size_t i = 0; i < libraries.size(); ++i) {
        const PeerLibrary library = libraries[i];
        commands.add({.id = QStringLiteral("history.compare") + libraryName(library),
                      .title = PeerText::tr("Compare with %1 at work").arg(libraryName(library)),
                      .group = group,
                      .keys = {QKeySequence(QString::fromLatin1(keys[i]))},
                      .run = [compare, library] { compare(library); },
                      .unavailable = [&document, library] { return whyNoLibrary(document, library); }});
    }
}

} // namespace nestwright::app
