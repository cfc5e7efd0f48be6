// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/mapped_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace nestwright::support;

namespace {

constexpr std::size_t page = 4096;

} // namespace

class MappedFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const char *name, std::size_t bytes)
    {
        const std::string path = m_folder.filePath(name).toStdString();
        std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
        return path;
    }
    static std::shared_ptr<MappedFile> mapped(const std::string &path)
    {
        const auto opened = InputFile::open(path);
        return opened ? MappedFile::share(*opened) : nullptr;
    }

    static QString changed()
    {
        QStringList paths;
        for (const auto &each : mappedFiles()) {
            if (each->isChanged())
                paths << QString::fromStdString(each->path());
        }
        return paths.join(u' ');
    }

private Q_SLOTS:
    void bytesOfTheFile()
    {
        const auto whole = mapped(file("a", 3 * page + 5));
        QVERIFY(whole);
        QCOMPARE(whole->bytes().size(), 3 * page + 5);
        QVERIFY(std::ranges::all_of(whole->bytes(), [](std::byte b) { return b == std::byte{'x'}; }));
    }

    void oneMappingForAll()
    {
        const std::string path = file("b", page);
        const auto first = mapped(path);
        QCOMPARE(mapped(path).get(), first.get());
        QVERIFY(mapped(file("c", page)).get() != first.get());
    }

    void whatIsWrittenStaysHere()
    {
        const std::string path = file("d", page);
        mapped(path)->bytes()[0] = std::byte{'y'};
        std::ifstream in(path);
        QCOMPARE(in.get(), int{'x'});
    }

    void nothingOfAnEmptyFile() { QVERIFY(!mapped(file("e", 0))); }

    /// A file that is cut off is read as zeros from there on, by any thread.
    void filesThatAreCutOff()
    {
        const std::string path = file("f", 4 * page);
        const auto whole = mapped(path);
        QCOMPARE(changed(), QString());
        std::filesystem::resize_file(path, page);
        QCOMPARE(whole->bytes()[0], std::byte{'x'});
        std::byte last{'x'};
        std::thread([&] { last = whole->bytes()[3 * page]; }).join();
        QCOMPARE(last, std::byte{});
        QCOMPARE(whole->bytes()[3 * page + 1], std::byte{});
        QCOMPARE(whole->bytes()[page], std::byte{});
        QCOMPARE(changed(), QString::fromStdString(path));
    }

    void filesThatAreReplaced()
    {
        const std::string path = file("g", page);
        auto whole = mapped(path);
        std::filesystem::remove(path);
        QCOMPARE(changed(), QString::fromStdString(path));
        file("g", page);
        QCOMPARE(changed(), QString::fromStdString(path));
        QVERIFY(mapped(path).get() != whole.get());
        whole.reset(); // nobody has it any more
        QCOMPARE(changed(), QString());
    }
};

QTEST_APPLESS_MAIN(MappedFileTest)
#include "mapped_file_test.moc"
