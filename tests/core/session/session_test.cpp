// SPDX-License-Identifier: Apache-2.0
#include "core/session/project_file.h"
#include "core/session/session.h"
#include "core/session/step_json.h"
#include "core/support/atomic_file.h"
#include "core/support/json.h"

#include "core/analysis/index.h"
#include "core/ir/builder.h"
#include "core/ir/equality.h"
#include "core/ir/intrinsics.h"
#include "core/ir/walk.h"
#include "core/schedule/apply.h"
#include "core/schedule/primitive.h"
#include "core/schedule/script/reader.h"
#include "core/script/printer.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <format>
#include <fstream>
#include <functional>

using namespace nestwright;
using namespace nestwright::session;

namespace {

Session begin(const std::string &what = "op:matmul(M=16,N=16,K=16)")
{
    auto session = Session::open(what);
    if (!session)
        qFatal("%s", session.error().render().c_str());
    return std::move(*session);
}

ir::StmtId loopNamed(const schedule::State &state, std::string_view name)
{
    ir::StmtId found;
    ir::forEachStmt(state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (const auto *loop = s.as<ir::For>(); loop && loop->var.name() == name)
            found = loop->id;
        return true;
    });
    return found;
}

schedule::Step splitStep(const schedule::State &state, std::string_view loop, int factor)
{
    return schedule::makeStep("split", {{"loop", loopNamed(state, loop)},
                                        {"factors", schedule::ArgList{schedule::ArgValue(), factor}}})
        .value();
}

} // namespace

class SessionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A file with several schedules opens with one branch for each, named as the file names them.
    void schedulesOfTheFileBecomeBranches()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        std::ofstream(path) << R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="B")
for name, factor in [("four", 4), ("eight", 8), ("four again", 4)]:
    s = te.create_schedule(B.op)
    s[B].split(B.op.axis[1], factor=factor)
)";
        const Session session = begin(path);
        const VariantTree &tree = session.tree();
        QCOMPARE(tree.root().children.size(), 2U);
        QCOMPARE(tree.at(tree.root().children[0]).name, std::string("four, four again"));
        QCOMPARE(tree.at(tree.root().children[1]).name, std::string("eight"));
        QCOMPARE(tree.current().id, tree.root().children[0]);
        QVERIFY(tree.root().name.empty());
        // The names are kept in the session's file.
        const auto again = readProject(writeProject(session), "s.nest");
        QVERIFY(again);
        QCOMPARE(again->tree().at(tree.root().children[0]).name, std::string("four, four again"));
    }

    void theOnlyScheduleOfAFileHasNoName()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        std::ofstream(path) << R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="B")
s = te.create_schedule(B.op)
s[B].split(B.op.axis[1], factor=4)
)";
        const Session session = begin(path);
        QCOMPARE(session.tree().size(), 2);
        QVERIFY(session.tree().all().back().name.empty());
    }

    /// Programs that a script compares are variants: a schedule that does nothing is the unscheduled one, one
    /// that fails is none.
    void comparisonsOfVariants()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        const auto write = [&path](const char *second) {
            std::ofstream(path) << R"(from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
C = te.compute((32,), lambda i: B[i] + 1.0, name="C")
s1 = te.create_schedule(C.op)
before = tvm.lower(s1, [A, B, C])
s2 = te.create_schedule(C.op)
)" << second << R"(
after = tvm.lower(s2, [A, B, C])
def compare(a, b):
    print(a, b)
compare(str(before), str(after))
)";
        };
        write("s2[C].split(C.op.axis[0], factor=4)");
        const Session session = begin(path);
        QCOMPARE(session.comparisons().size(), 1U);
        const Comparison &comparison = session.comparisons()[0];
        QCOMPARE(comparison.before, session.tree().root().id);
        QCOMPARE(comparison.after, session.tree().current().id);
        QVERIFY(comparison.before != comparison.after);
        QCOMPARE(comparison.note.code, std::string("te.comparison"));
        write("s2[B].compute_at(s2[C], C.op.axis[0])"); // refused: B is an output
        QVERIFY(begin(path).comparisons().empty());
    }

    void errorsOfAnOwnScheduleNameItsLine()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        std::ofstream(path) << R"(from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
C = te.compute((32,), lambda i: B[i] + 1.0, name="C")
s = te.create_schedule(C.op)

s[B].compute_at(s[C], C.op.axis[0])
f = tvm.lower(s, [A, B, C])
)";
        const Session session = begin(path);
        const auto error =
            std::ranges::find(session.notes(), "schedule.output-block", &support::Diagnostic::code);
        QVERIFY(error != session.notes().end());
        QCOMPARE(error->locations[0].line, 7);
        QCOMPARE(session.tree().size(), 1);
    }

    void applyingMakesChildrenAndUndoKeepsTheBranch()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId root = tree.root().id;
        const VariantId four = session.apply(root, splitStep(*tree.root().state, "i", 4));
        QVERIFY(tree.at(four).ok());
        QCOMPARE(tree.current().id.value, four.value);
        QVERIFY(tree.setCurrent(*tree.undoTarget()));
        const VariantId eight = session.apply(root, splitStep(*tree.root().state, "i", 8));
        QVERIFY(eight != four);
        QCOMPARE(tree.root().children.size(), 2UL);
        QVERIFY(tree.setCurrent(root));
        QCOMPARE(tree.redoTarget()->value, eight.value);
        QVERIFY(tree.setCurrent(four));
        QVERIFY(tree.setCurrent(root));
        QCOMPARE(tree.redoTarget()->value, four.value);
    }

    void theSameStepTwiceIsOneVariant()
    {
        Session session = begin();
        const auto step = splitStep(*session.tree().root().state, "j", 4);
        const VariantId once = session.apply(session.tree().root().id, step);
        const VariantId twice = session.apply(session.tree().root().id, step);
        QCOMPARE(twice.value, once.value);
        QCOMPARE(session.tree().size(), 2);
    }

    void aRefusedStepStaysRedAndChangesNothing()
    {
        Session session = begin();
        const auto before = session.tree().root().state->module;
        const VariantId bad =
            session.apply(session.tree().root().id, splitStep(*session.tree().root().state, "i", 0));
        QVERIFY(!session.tree().at(bad).ok());
        QVERIFY(!session.tree().at(bad).state.error().message.empty());
        QCOMPARE(session.tree().current().id.value, 0);
        QVERIFY(!session.tree().setCurrent(bad));
        QVERIFY(ir::structurallyEqual(before, session.tree().root().state->module));
    }

    void projectsOpenAsTheyWereSaved()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId a = session.apply(tree.root().id, splitStep(*tree.root().state, "i", 4));
        const VariantId b = session.apply(a, splitStep(*tree.at(a).state, "j", 8));
        session.apply(tree.root().id, splitStep(*tree.root().state, "i", 0)); // a red one
        measure::Measurement measurement;
        measurement.samples = {1, 2};
        measurement.time = {1, 1.5, 2};
        measurement.verdict = measure::Verdict::Verified;
        tree.setMeasurement(b, measurement);
        tree.setCurrent(a);

        const auto read = readProject(writeProject(session), "test.nest");
        QVERIFY2(read.has_value(), read ? "" : read.error().render().c_str());
        QCOMPARE(read->tree().size(), tree.size());
        QCOMPARE(read->tree().current().id.value, a.value);
        QVERIFY(read->notes().empty());
        for (int i = 0; i < tree.size(); ++i) {
            const Variant &was = tree.at({i}), &is = read->tree().at({i});
            QCOMPARE(is.ok(), was.ok());
            QCOMPARE(is.label, was.label);
            QVERIFY(!was.ok() || ir::structurallyEqual(was.state->module, is.state->module));
            QVERIFY(!was.ok() || ir::lastId(was.state->module) == ir::lastId(is.state->module));
        }
        QCOMPARE(read->tree().at(b).measurement->time.median, 1.5);
        QCOMPARE(writeProject(*read), writeProject(session));
    }

    /// Whatever a file says of a variant, it was not checked by this program.
    /// Each target has measurements of its own, which a saved session keeps.
    void measurementsBelongToTheirTarget()
    {
        Session session = Session::open("op:matmul(M=8,N=8,K=8)").value();
        measure::Measurement measurement;
        measurement.time = {1, 1, 1};
        session.setMeasurement({0}, measurement);
        session.setTarget(lower::parseTarget("llvm -num-cores=1").value());
        QVERIFY(!session.tree().root().measurement);
        measurement.time = {2, 2, 2};
        session.setMeasurement({0}, measurement);
        session.setTarget(lower::parseTarget("c").value());
        auto read = readProject(writeProject(session), "saved.nest");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        for (Session *each : {&session, &*read}) {
            QVERIFY(!each->tree().root().measurement);
            QCOMPARE(each->tree().root().elsewhere.size(), 2u);
            each->setTarget(lower::parseTarget("llvm").value());
            QCOMPARE(each->tree().root().measurement->time.median, 1);
            each->setTarget(lower::parseTarget("llvm  -num-cores=1").value());
            QCOMPARE(each->tree().root().measurement->time.median, 2);
        }
        QVERIFY(read->tree().root().measurement->stored);
        // What is no target is left out.
        std::string text = writeProject(session);
        const auto at = text.find("\"llvm\": {");
        QVERIFY(at != std::string::npos);
        read = readProject(text.replace(at, 6, "\"pascal\""), "saved.nest");
        QVERIFY(read);
        QVERIFY(read->tree().root().elsewhere.empty());
    }

    void storedMeasurementsAreNotVerified()
    {
        Session session = begin();
        measure::Measurement measurement;
        measurement.time = {1, 1.5, 2};
        measurement.verdict = measure::Verdict::Verified;
        session.setMeasurement({0}, measurement);
        QVERIFY(session.tree().root().measurement->isVerified() && session.isMeasured({0}));

        auto forged = support::Json::parse(writeProject(session));
        forged["variants"][0]["measurement"]["stored"] = false;
        auto read = readProject(forged.dump(), "forged.nest");
        QVERIFY(read.has_value());
        const auto &stored = read->tree().root().measurement;
        QVERIFY(stored && stored->ok());
        QVERIFY(stored->stored && !stored->isVerified() && !read->isMeasured({0}));
        // Saving and reading again makes it no better; measuring does.
        const auto again = readProject(writeProject(*read), "again.nest");
        QVERIFY(!again->tree().root().measurement->isVerified());
        read->setMeasurement({0}, measurement);
        QVERIFY(read->tree().root().measurement->isVerified() && read->isMeasured({0}));
    }

    void givenInputsAreKept()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("a.npy").toStdString();
        Session session = begin();
        session.setInputs({{"A", {path}}});
        measure::Measurement measurement;
        measurement.time = {1, 1.5, 2};
        session.setMeasurement({0}, measurement); // with random ones
        QVERIFY(session.hasOtherInputs(measurement) && !session.isMeasured({0}));
        measurement.inputs = {{"A", {path, 7}}};
        session.setMeasurement({0}, measurement); // now it is known what the file holds
        QCOMPARE(session.inputs().at("A").content, 7U);
        QVERIFY(session.isMeasured({0}));
        measurement.inputs = {{"A", {path, 8}}};
        session.setMeasurement({0}, measurement); // the file was changed
        QVERIFY(session.isMeasured({0}) && session.inputs().at("A").content == 8);

        const auto read = readProject(writeProject(session), "x.nest");
        QVERIFY(read && read->notes().empty());
        QVERIFY(read->inputs() == session.inputs());
        QVERIFY(read->tree().root().measurement->inputs == session.inputs());
        QCOMPARE(writeProject(*read), writeProject(session));
        // Where the file is gone, but lies beside the session, that one is taken.
        std::ofstream(path) << "numbers";
        auto moved = support::Json::parse(writeProject(session));
        moved["inputs"]["A"]["path"] = "/nowhere/a.npy";
        QCOMPARE(readProject(moved.dump(), folder.filePath("x.nest").toStdString())->inputs().at("A").path,
                 path);
    }

    void inputsThatAreNoneAreLeftOut()
    {
        using json = support::Json;
        const auto project = json::parse(writeProject(begin()));
        const std::pair<json, int> cases[] = {
            {json::object({{"nobody", {{"path", "/a.npy"}}}}), 1},
            {json::object({{"A", 5}, {"B", {{"path", ""}}}, {"C", {{"path", {1}}}}}), 3},
            {json::object({{"A", {{"path", "/a\nb.npy"}}}}), 1},
            {json::object({{"A", {{"path", std::string("/a\0.npy", 7)}}}}), 1},
            {json::object({{"A", json::object()}, {"B", json::array()}}), 2},
            {json::array({1, 2}), 1},
            {json("A"), 1},
            {nullptr, 1}};
        for (const auto &[inputs, notes] : cases) {
            json hostile = project;
            hostile["inputs"] = inputs;
            const auto read = readProject(hostile.dump(), "x.nest");
            QVERIFY2(read.has_value(), inputs.dump().c_str());
            QVERIFY(read->inputs().empty());
            QCOMPARE(int(read->notes().size()), notes);
            QCOMPARE(read->notes()[0].code, std::string("session.input"));
        }
        for (const json &content : {json(-1), json(1.5), json("7"), json(nullptr)}) {
            json hostile = project;
            hostile["inputs"] = {{"A", {{"path", "/a.npy"}, {"content", content}}}};
            const auto read = readProject(hostile.dump(), "x.nest");
            QVERIFY(read && read->notes().empty());
            QCOMPARE(read->inputs().at("A").content, 0U);
        }
    }

    void aTruncatedProjectNamesThePlace()
    {
        const std::string text = writeProject(begin());
        for (const std::size_t length : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 3}) {
            const auto read = readProject(text.substr(0, length), "cut.nest");
            QVERIFY(!read.has_value());
            QCOMPARE(read.error().code, std::string("session.syntax"));
            QVERIFY(read.error().locations.at(0).line >= 1);
            QVERIFY(!read.error().hint.empty());
        }
    }

    void faultsAreNamedWithTheirPlaceAndReason()
    {
        const auto error = [](const std::string &text) { return readProject(text, "x.nest").error(); };
        const auto wrong = error("{\n  \"format\": nestwright\n}");
        QCOMPARE(wrong.message, "the session file is no valid JSON here");
        QCOMPARE(wrong.locations.at(0).line, 2);
        QCOMPARE(wrong.locations.at(0).column, 14);
        // At its very end too, as long as it is not the end that is missed.
        QCOMPARE(error("{x").message, "the session file is no valid JSON here");
        QCOMPARE(error("{").message, "the session file ends in the middle; it is not complete");
        QCOMPARE(error(R"({"version": 1e999})").message,
                 "the session file holds a number that is greater than any that can be kept");
        QCOMPARE(error(R"({"format": "nestwright-session"})").message,
                 "'x.nest' is no complete session: its version is no number from 1 on");
        QCOMPARE(error(R"({"format": "nestwright-session", "version": 1})").message,
                 "'x.nest' is no complete session: key 'source' not found");
    }

    /// What builds on a step that is refused or lost is lost too, and told; the rest opens.
    void whatCannotBeReplayedIsLeftOut()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId a = session.apply(tree.root().id, splitStep(*tree.root().state, "i", 4));
        const VariantId b = session.apply(a, splitStep(*tree.at(a).state, "j", 8));
        tree.setCurrent(b);
        const auto project = support::Json::parse(writeProject(session));
        const auto read = [&](const std::function<void(support::Json &)> &change) {
            support::Json changed = project;
            change(changed);
            auto result = readProject(changed.dump(), "x.nest");
            if (!result)
                qFatal("%s", result.error().render().c_str());
            return std::move(*result);
        };
        QCOMPARE(read([](auto &) {}).tree().size(), 3);
        const auto compare = [](const Session &opened, int size, int current,
                                const std::vector<std::string> &codes) {
            QCOMPARE(opened.tree().size(), size);
            QCOMPARE(opened.tree().current().id.value, current);
            std::vector<std::string> found;
            for (const support::Diagnostic &note : opened.notes())
                found.push_back(note.code);
            QCOMPARE(found, codes);
        };
        compare(read([](auto &json) { json["variants"][2]["parent"] = 7; }), 2, 0, {"session.lost-step"});
        compare(read([](auto &json) { json["variants"][2]["parent"] = 2; }), 2, 0, {"session.lost-step"});
        compare(read([](auto &json) { json["variants"][1]["step"] = 5; }), 1, 0,
                {"session.step", "session.lost-step"});
        compare(read([](auto &json) { json["variants"][1]["step"]["args"]["factors"][1] = 0; }), 2, 0,
                {"session.lost-step"});
        compare(read([](auto &json) { json["current"] = 3; }), 3, 0, {});
        compare(read([](auto &json) { json["current"] = 1; }), 3, 1, {});
        compare(read([](auto &json) { json["current"] = 1000000000; }), 3, 0, {});
    }

    void otherJsonIsRefused()
    {
        for (
            const char *text :
            {"[]", "{}", "42", "null", R"({"format": 5})", R"({"format": null, "version": 1})",
             R"({"format": ["nestwright-session"], "version": 1})", R"({"format": "nestwright-session"})",
             R"({"format": "nestwright-session", "version": 0})",
             R"({"format": "nestwright-session", "version": -1})",
             R"({"format": "nestwright-session", "version": 1.5})",
             R"({"format": "nestwright-session", "version": "1"})",
             R"({"format": "nestwright-session", "version": 1})",
             R"({"format": "nestwright-session", "version": 1, "source": 3})",
             R"({"format": "nestwright-session", "version": 1, "source": {}, "module": 3, "variants": []})"}) {
            const auto read = readProject(text, "x.nest");
            QVERIFY(!read.has_value());
            QCOMPARE(read.error().code, std::string("session.format"));
            QVERIFY2(!read.error().message.contains("exception"), read.error().message.c_str());
            QVERIFY(!read.error().hint.empty());
        }
        for (const char *version : {"2", "5", "4294967297", "18446744073709551615"}) {
            const auto read = readProject(
                std::format(R"({{"format": "nestwright-session", "version": {}}})", version), "x.nest");
            QVERIFY(!read.has_value());
            QCOMPARE(read.error().code, std::string("session.version"));
            QVERIFY2(read.error().message.contains(version), read.error().message.c_str());
        }
        const auto deep = readProject(std::string(100'000, '['), "x.nest");
        QVERIFY(!deep.has_value());
        QCOMPARE(deep.error().code, std::string("session.syntax"));
        auto later = support::Json::parse(writeProject(begin()));
        later["version"] = 99;
        const auto read = readProject(later.dump(), "x.nest");
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, std::string("session.version"));
    }

    /// A comment in another encoding is no reason not to save.
    void sourcesOfAnyBytesAreSaved()
    {
        auto kernel = session::openKernel("op:matmul(M=8,N=8,K=8)");
        kernel->text += "# caf\xe9 \xff\n";
        kernel->name = "caf\xe9.py";
        const Session session = *Session::begin(std::move(*kernel), "/tmp/caf\xe9.py");
        const auto again = readProject(writeProject(session), "x.nest");
        QVERIFY(again.has_value());
        QVERIFY(again->source().text.contains("# caf"));
    }

    void savingReplacesTheFileWhole()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("a.nest").toStdString();
        Session session = begin();
        QVERIFY(support::writeAtomically(path, writeProject(session)).has_value());
        session.apply(session.tree().root().id, splitStep(*session.tree().root().state, "i", 4));
        QVERIFY(support::writeAtomically(path, writeProject(session)).has_value());
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"a.nest"});
        QCOMPARE(loadProject(path)->tree().size(), 2);
        const auto refused = support::writeAtomically(folder.filePath("no/such/folder.nest").toStdString(),
                                                      writeProject(session));
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().code, std::string("file.write"));
    }

    void exportedSchedulesComeBack()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId a = session.apply(tree.root().id, splitStep(*tree.root().state, "i", 4));
        const auto script = session.exportSchedule(a);
        QVERIFY2(script.has_value(), script ? "" : script.error().render().c_str());
        Session other = begin();
        const auto imported = other.importSchedule(*script, "exported.py");
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().render().c_str());
        QVERIFY(ir::structurallyEqual(other.tree().current().state->module, tree.at(a).state->module));
    }

    /// A step that scripts write as others is one variant, and what comes behind it goes on from there.
    void whatIsThereAlreadyIsNotMadeAgain()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const auto tile = schedule::makeStep("tile", {{"x_loop", loopNamed(*tree.root().state, "i")},
                                                      {"y_loop", loopNamed(*tree.root().state, "j")},
                                                      {"x_factor", 2},
                                                      {"y_factor", 4}});
        QVERIFY(tile);
        const VariantId a = session.apply(tree.root().id, *tile);
        QVERIFY(tree.at(a).ok());
        const auto script = session.exportSchedule(a);
        QVERIFY(script && script->contains("sch.split"));
        tree.setCurrent(tree.root().id);
        const auto imported = session.importSchedule(*script, "exported.py");
        QVERIFY(imported);
        QVERIFY(*imported == a);
        QCOMPARE(tree.size(), 2);
        const auto more = session.importSchedule(
            *script + "  sch.parallel(sch.get_loops(sch.get_block(\"C\"))[0])\n", "longer.py");
        QVERIFY2(more, more ? "" : more.error().message.c_str());
        QCOMPARE(tree.size(), 3);
        QVERIFY(*tree.at(*more).parent == a);
    }

    void importKeepsWhatWasLegal()
    {
        Session session = begin();
        const auto imported = session.importSchedule("def apply_trace(sch):\n"
                                                     "  b0 = sch.get_block(name=\"C\", func_name=\"main\")\n"
                                                     "  l1, l2, l3 = sch.get_loops(block=b0)\n"
                                                     "  l4, l5 = sch.split(loop=l1, factors=[None, 4])\n"
                                                     "  l6, l7 = sch.split(loop=l2, factors=[None, 0])\n",
                                                     "bad.py");
        QVERIFY(!imported.has_value());
        QVERIFY2(session.tree().size() >= 2, imported.error().render().c_str());
        QVERIFY(session.tree().current().id.value == 1);
    }

    void aScheduleScriptIsNoKernel()
    {
        session::OpenedKernel kernel;
        kernel.kind = session::KernelSource::ScheduleScript;
        kernel.name = "s.py";
        const auto session = Session::begin(std::move(kernel), {});
        QVERIFY(!session.has_value());
        QCOMPARE(session.error().code, std::string("session.not-a-kernel"));
    }

    void stepsWithMapsAndFormulasComeBack()
    {
        schedule::IndexMap map{{ir::Var("i"), ir::Var("j")}, {}};
        map.outputs = {map.inputs[1], map.inputs[0] * ir::Expr(2)};
        const auto layout = schedule::makeStep(
            "transform_layout",
            {{"block", ir::StmtId{3}}, {"buffer", schedule::ArgList{"write", 0}}, {"index_map", map}});
        const schedule::Formula length{ir::callIntrinsic("vscale", {}) * ir::Expr(4)};
        const auto split = schedule::makeStep(
            "split", {{"loop", ir::StmtId{2}}, {"factors", schedule::ArgList{{}, length}}});
        for (const auto &step : {layout, split}) {
            QVERIFY(step.has_value());
            const auto again = stepFromJson(toJson(*step));
            QVERIFY2(again.has_value(), again ? "" : again.error().render().c_str());
            QCOMPARE(*again, *step);
        }
    }

    void stepsWithDictionariesComeBack()
    {
        schedule::ArgMap map;
        map.set("a", std::int64_t{1});
        map.set("b", schedule::ArgList{std::string("x"), 2.5, true});
        const auto step = schedule::makeStep(
            "annotate",
            {{"block_or_loop", ir::StmtId{2}}, {"ann_key", std::string("pragma")}, {"ann_val", map}});
        QVERIFY2(step.has_value(), step ? "" : step.error().render().c_str());
        const auto again = stepFromJson(toJson(*step));
        QVERIFY2(again.has_value(), again ? "" : again.error().render().c_str());
        QCOMPARE(*again, *step);
        QCOMPARE(toJson(*again), toJson(*step));
    }

    void stepsOfOtherFormsAreRefused()
    {
        for (const char *text : {"[]", "3", "{}", R"({"args": {}})", R"({"primitive": 5})",
                                 R"({"primitive": "split", "args": {"loop": {}}})",
                                 R"({"primitive": "split", "args": {"loop": {"id": "x"}}})",
                                 R"({"primitive": "split", "args": {"loop": {"other": 1}}})",
                                 R"({"primitive": "split", "args": {"loop": {"dict": 1}}})",
                                 R"({"primitive": "split", "args": {"loop": {"map": 1}}})",
                                 R"({"primitive": "split", "args": {"loop": [{"id": -1}]}})"}) {
            const auto step = stepFromJson(support::Json::parse(text));
            QVERIFY2(!step.has_value(), text);
            QCOMPARE(step.error().code, std::string("session.step"));
        }
    }

    void stepsOfUnknownPrimitivesAreRefused()
    {
        const auto step = stepFromJson({{"primitive", "teleport"}, {"args", support::Json::object()}});
        QVERIFY(!step.has_value());
        QVERIFY(!stepFromJson(support::Json::array()).has_value());
    }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "core/support/json.h"
#include "session_test.moc"
