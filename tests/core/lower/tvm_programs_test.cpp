// SPDX-License-Identifier: Apache-2.0
/// Programs of Apache TVM's tests of its passes (tests/tvm/pass_programs.py writes them): each is read and
/// lowered, and computes then what it computed before, and what TVM's pass made of it. NESTWRIGHT_TVM_PASSES
/// names their folder; without one nothing is tested.
#include "core/analysis/complete_regions.h"
#include "core/lower/pipeline.h"
#include "core/script/tvmscript_parser.h"
#include "tests/support/backends.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

using namespace nestwright;
namespace fs = std::filesystem;

namespace {

fs::path folder() { return qEnvironmentVariable("NESTWRIGHT_TVM_PASSES").toStdString(); }

support::Result<ir::Module> readFrom(const fs::path &path)
{
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return script::parseTvmScript(text, path.filename().string());
}

/// Lowered for this processor, or for the threads of a device where it has such.
support::Result<ir::Module> loweredSomehow(const ir::Module &module)
{
    auto here = lower::lower(module, lower::Target{});
    if (here)
        return std::move(here->module);
    lower::Target device;
    device.kind = lower::TargetKind::OpenCl;
    auto threads = lower::lowerToThreads(module, device);
    return threads ? std::move(threads) : support::fail(here.error());
}

/// What is wrong with a program, or nothing.
QString faultOf(const std::string &name)
{
    const auto said = [](const support::Diagnostic &error) { return QString::fromStdString(error.render()); };
    const auto before = readFrom(folder() / (name + ".before.py"));
    if (!before)
        return said(before.error());
    const ir::Module complete = analysis::completeRegions(*before);
    const auto lowered = loweredSomehow(complete);
    if (!lowered)
        return said(lowered.error());
    if (const auto wrong = tests::whyNotEquivalent(complete, *lowered))
        return QString::fromStdString("lowered: " + *wrong);
    const fs::path theirs = folder() / (name + ".after.py");
    if (!fs::exists(theirs))
        return {};
    const auto after = readFrom(theirs);
    if (!after)
        return said(after.error());
    if (const auto wrong = tests::whyNotEquivalent(*after, *lowered))
        return QString::fromStdString("beside TVM's: " + *wrong);
    return {};
}

} // namespace

class TvmProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computeTheSame_data()
    {
        QTest::addColumn<std::string>("name");
        if (folder().empty())
            QSKIP("NESTWRIGHT_TVM_PASSES names no folder");
        std::vector<std::string> names;
        for (const auto &entry : fs::directory_iterator(folder())) {
            const std::string file = entry.path().filename().string();
            if (file.ends_with(".before.py"))
                names.push_back(file.substr(0, file.size() - std::string_view(".before.py").size()));
        }
        std::ranges::sort(names);
        for (const std::string &name : names)
            QTest::newRow(name.c_str()) << name;
    }

    void computeTheSame()
    {
        QFETCH(std::string, name);
        QCOMPARE(faultOf(name), QString());
    }
};

QTEST_APPLESS_MAIN(TvmProgramsTest)
#include "tvm_programs_test.moc"
