// SPDX-License-Identifier: Apache-2.0
/// Programs of Apache TVM's tests of its passes (tests/tvm/pass_programs.py writes them): each is read and
/// lowered, and computes then what it computed before, and what TVM's pass made of it. NESTWRIGHT_TVM_PASSES
/// names their folder; without one nothing is tested.
#include "core/analysis/access/complete_regions.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/lower/pipeline.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/backends.h"
#include "tests/support/work.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <map>

using namespace nestwright;
using namespace nestwright::tests;
namespace fs = std::filesystem;

namespace {

/// Programs whose result TVM's test does not give, with the reason.
const std::map<std::string, QString, std::less<>> known{
    {"compact_buffer_region.TestSymbolicDiagMaskCase",
     "the loop in TVM's text hides the thread of the same name, so that it computes something else"}};

/// Reasons why what TVM's pass makes of a program may do less than what we lower it to.
constexpr std::string_view jumps = "TVM leaves the jump, which we turn into a flag",
                           contents =
                               "TVM follows what memory holds from statement to statement, which its "
                               "own pipeline does not ask for either: no schedule leaves such programs",
                           hoisted =
                               "for processors we leave it to the compiler behind us to take conditions "
                               "out of loops: a product with guards is as fast with them inside",
                           assumed = "what the program assumes is not used";

/// Programs of which that holds, by their names or what these begin with.
const std::map<std::string, std::string_view, std::less<>> doesLess{
    {"annotate_irregular_loop.", jumps},
    {"compact_buffer_region.TestAnnotatedOpaqueAccess", "we do not take the word of a region's annotation"},
    {"compact_buffer_region.TestNonBoolCondition", "one element, left out by a condition that is no bound"},
    {"hoist_expression.", hoisted},
    {"loop_partition.test_equation_on_floordiv", "an equation is no guard that a schedule leaves"},
    {"loop_partition.test_ignore_loop_partition_hint", "we cut one guard's loop, TVM the other's"},
    {"remove_no_op.TestKeep", contents},
    {"remove_no_op.TestRemoveOverwritten", contents},
    {"remove_no_op.TestRemoveSeparatedOverwrite", contents},
    {"remove_no_op.TestRemoveUnusedWrite", contents},
    {"remove_no_op.TestRemoveWriteIntoTemporary", contents},
    {"remove_no_op.TestRemoveWritingOfKnownValue", contents},
    {"remove_weight_layout_rewrite_block.", "TVM's weights come in another layout from elsewhere"},
    {"simplify.TestAlteredBufferContents", contents},
    {"simplify.TestLeftCeilLog2LowerBound", "bounds of logarithms are not known"},
    {"simplify.TestLoadStoreNoopAfterSimplify", "a sum with 0 is another number where it is −0"},
    {"simplify.TestProveConditionUsingLet", "a condition is not looked for in a variable"},
    {"simplify.TestSimplifyBufferStore", contents},
    {"simplify.TestSimplifyConditional", contents},
    {"simplify.TestSimplifyElementWiseUsingPreLoopBufferValue", contents},
    {"simplify.TestSimplifyInputAssumption", assumed},
    {"simplify.TestSimplifyNonConditional", contents},
    {"simplify.TestSimplifyPriorToOverwrittenValue", contents},
    {"simplify.TestSimplifyRamp", contents},
    {"simplify.TestSimplifyUsingBufferAssumption", assumed},
    {"simplify.TestSimplifyUsingPartiallyProvenBufferValue", contents},
    {"simplify.TestSimplifyUsingTransitiveKnownBufferValue", contents},
    {"vectorize.test_vectorize_and_predicate_invalid_conditions",
     "a store under a mask counts as one of all lanes"}};

/// The reason for this program, or null.
const std::string_view *reasonOf(std::string_view name)
{
    auto next = doesLess.upper_bound(name);
    return next != doesLess.begin() && name.starts_with((--next)->first) ? &next->second : nullptr;
}

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
    auto here = lower::lower(module, target::Target{});
    if (here)
        return std::move(here->module);
    target::Target device;
    device.kind = target::TargetKind::OpenCl;
    auto threads = lower::lowerToThreads(module, device);
    return threads ? std::move(threads) : support::fail(here.error());
}

/// Why a program cannot be run as it stands: TVM compares its programs as texts, and some read beyond their
/// arrays or call functions that nobody has.
std::optional<std::string> whyNotRun(const ir::Module &module)
{
    const auto why = whyNotEquivalent(module, module);
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
    if (const auto wrong = whyNotEquivalent(complete, *lowered))
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
    if (const auto wrong = whyNotEquivalent(*after, *lowered))
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

    /// Whether what we lower a program to loads, stores, tests and allocates no more than what TVM's pass
    /// makes of it.
    void doNoMoreThanTheirs_data() { computeTheSame_data(); }
    void doNoMoreThanTheirs()
    {
        QFETCH(std::string, name);
        const fs::path theirs = folder() / (name + ".after.py");
        const auto before = readFrom(folder() / (name + ".before.py"));
        if (!before || !fs::exists(theirs))
            QSKIP("TVM's test does not say what comes of it");
        const auto after = readFrom(theirs);
        const auto ours = loweredSomehow(analysis::completeRegions(*before));
        if (!after || !ours || after->functions().size() != ours->functions().size())
            QSKIP("there is nothing to compare");
        for (std::size_t i = 0; i < ours->functions().size(); ++i) {
            const auto mine = workOf(*ours->functions()[i].function);
            const auto other = workOf(*after->functions()[i].function);
            if (!mine || !other)
                QSKIP("how much it does depends on data");
            const bool isMore = mine->loads > other->loads || mine->stores > other->stores
                                || mine->branches > other->branches || mine->bytes > other->bytes;
            const std::string text = mine->text() + "; TVM's: " + other->text();
            QVERIFY2(!isMore || reasonOf(name), text.c_str());
            QVERIFY2(isMore || !doesLess.contains(name), "it is among those that do more, but does not");
        }
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
