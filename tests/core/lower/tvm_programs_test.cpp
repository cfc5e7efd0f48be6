// SPDX-License-Identifier: Apache-2.0
/// Programs of Apache TVM's tests of its passes (tests/tvm/pass_programs.py writes them): each is read and
/// lowered, and computes then what it computed before, and what TVM's pass made of it. NESTWRIGHT_TVM_PASSES
/// names their folder; without one nothing is tested.
#include "core/analysis/complete_regions.h"
#include "core/ir/intrinsics.h"
#include "core/ir/walk.h"
#include "core/lower/pipeline.h"
#include "core/script/tvmscript_parser.h"
#include "tests/support/backends.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <map>

using namespace nestwright;
namespace fs = std::filesystem;

namespace {

/// Programs whose result TVM's test does not give, with the reason.
const std::map<std::string, QString, std::less<>> known{
    {"compact_buffer_region.TestSymbolicDiagMaskCase",
     "the loop in TVM's text hides the thread of the same name, so that it computes something else"}};

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

/// Why a program cannot be run as it stands: TVM compares its programs as texts, and some read beyond their
/// arrays or call functions that nobody has.
std::optional<std::string> whyNotRun(const ir::Module &module)
{
    const auto why = tests::whyNotEquivalent(module, module);
    const bool isOfProgram = why && (why->contains("expected function") || why->starts_with("no arguments"));
    return isOfProgram ? why : std::nullopt;
}

/// Why what TVM's pass makes of a program says nothing about its results.
std::optional<std::string> whyNotComparable(const ir::Module &before, const ir::Module &after)
{
    const auto parameters = [](const ir::Module &module) {
        std::string text;
        for (const auto &entry : module.functions()) {
            for (const ir::Param &param : entry.function->params)
                text += std::format(" {}", param.buffer ? param.buffer.shape().size() : 0);
        }
        return text;
    };
    bool assumes = false;
    for (const auto &entry : before.functions()) {
        ir::forEachExpr(entry.function->body, [&](const ir::Expr &e) {
            const auto *call = e.as<ir::Call>();
            assumes = assumes || (call && call->callee == ir::intrinsics::assume);
            return !assumes;
        });
    }
    if (assumes)
        return "the arguments do not keep to what the program assumes of them";
    if (parameters(before) != parameters(after))
        return "the pass changes the parameters";
    return std::nullopt;
}

/// The fault of a program; empty where it has none. Some are read and lowered only.
QString faultOf(const std::string &name, QString &notRun)
{
    const auto said = [](const support::Diagnostic &error) { return QString::fromStdString(error.render()); };
    const auto before = readFrom(folder() / (name + ".before.py"));
    if (!before)
        return said(before.error());
    const ir::Module complete = analysis::completeRegions(*before);
    const auto lowered = loweredSomehow(complete);
    if (!lowered)
        return said(lowered.error());
    if (const auto why = whyNotRun(complete)) {
        notRun = QString::fromStdString(*why);
        return {};
    }
    if (const auto wrong = tests::whyNotEquivalent(complete, *lowered))
        return QString::fromStdString("lowered: " + *wrong);
    const fs::path theirs = folder() / (name + ".after.py");
    if (!fs::exists(theirs))
        return {};
    const auto after = readFrom(theirs);
    if (!after)
        return said(after.error());
    if (const auto why = whyNotComparable(*before, *after)) {
        notRun = QString::fromStdString(*why);
        return {};
    }
    if (const auto why = whyNotRun(*after)) {
        notRun = QString::fromStdString("TVM's: " + *why);
        return {};
    }
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
        if (const auto found = known.find(name); found != known.end())
            QSKIP(qPrintable(found->second));
        QString notRun;
        QCOMPARE(faultOf(name, notRun), QString());
        if (!notRun.isEmpty())
            QSKIP(qPrintable(notRun));
    }
};

QTEST_APPLESS_MAIN(TvmProgramsTest)
#include "tvm_programs_test.moc"
