// SPDX-License-Identifier: Apache-2.0
// Sessions saved and read again; files that are cut, changed or none.
#include "core/session/files/project_file.h"

#include "core/ir/node/equality.h"
#include "core/support/files/atomic_file.h"
#include "core/support/text/json.h"
#include "tests/core/session/sessions.h"

#include <QTemporaryDir>
#include <QTest>
#include <format>
#include <fstream>
#include <functional>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;

class ProjectFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        measurement.difference = 2e-7;
        measurement.counters = measure::Counters{.counts = {{"cycles", 300}}, .absent = "no others"};
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
        QCOMPARE(read->tree().at(b).measurement->difference, std::optional(2e-7));
        QCOMPARE(read->tree().at(b).measurement->counters->counts.at("cycles"), 300);
        QCOMPARE(read->tree().at(b).measurement->counters->absent, "no others");
        QCOMPARE(writeProject(*read), writeProject(session));
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

    /// Variants on top of a step that is refused or lost are lost too, and told; the rest opens.
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
        for (const char *text :
             {"[]", "{}", "42", "null", R"({"format": 5})", R"({"format": null, "version": 1})",
              R"({"format": ["nestwright-session"], "version": 1})", R"({"format": "nestwright-session"})",
              R"({"format": "nestwright-session", "version": 0})",
              R"({"format": "nestwright-session", "version": -1})",
              R"({"format": "nestwright-session", "version": 1.5})",
              R"({"format": "nestwright-session", "version": "1"})",
              R"({"format": "nestwright-session", "version": 1})",
              R"({"format": "nestwright-session", "version": 1, "source": 3})",
              R"({"format": "nestwright-session", "version": 1,
                 "source": {}, "module": 3, "variants": []})"}) {
            const auto read = readProject(text, "x.nest");
            QVERIFY(!read.has_value());
            QCOMPARE(read.error().code, std::string("session.format"));
            QVERIFY2(!read.error().message.contains("exception"), read.error().message.c_str());
            QVERIFY(!read.error().hint.empty());
        }
        for (const char *version : {"3", "5", "4294967297", "18446744073709551615"}) {
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
        auto kernel = frontend::openKernel("op:matmul(M=8,N=8,K=8)");
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

    /// Whatever a file says of a variant, it was not checked by this program.
    /// Each target has measurements of its own, which a saved session keeps.
    void measurementsBelongToTheirTarget()
    {
        Session session = Session::open("op:matmul(M=8,N=8,K=8)").value();
        measure::Measurement measurement;
        measurement.time = {1, 1, 1};
        session.setMeasurement({0}, measurement);
        session.setTarget(target::parseTarget("llvm -num-cores=1").value());
        QVERIFY(!session.tree().root().measurement);
        measurement.time = {2, 2, 2};
        session.setMeasurement({0}, measurement);
        session.setTarget(target::parseTarget("c").value());
        auto read = readProject(writeProject(session), "saved.nest");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        for (Session *each : {&session, &*read}) {
            QVERIFY(!each->tree().root().measurement);
            QCOMPARE(each->tree().root().elsewhere.size(), 2u);
            each->setTarget(target::parseTarget("llvm").value());
            QCOMPARE(each->tree().root().measurement->time.median, 1);
            each->setTarget(target::parseTarget("llvm  -num-cores=1").value());
            QCOMPARE(each->tree().root().measurement->time.median, 2);
        }
        QVERIFY(read->tree().root().measurement->stored);
        // A text that is no target is left out.
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

    void variantsThatAreNotThere()
    {
        auto project = support::Json::parse(writeProject(begin()));
        project["variants"] = support::Json::array();
        project["current"] = 0;
        const auto read = readProject(project.dump(), "x.nest");
        QVERIFY(read);
        QCOMPARE(read->tree().size(), 1);
    }

    void pathsOfInputsMayHaveSpaces()
    {
        for (const char *path : {"/my numbers/a 1.npy", "/m\xc3\xa4rz/a.npy"}) {
            auto project = support::Json::parse(writeProject(begin()));
            project["inputs"] = {{"A", {{"path", path}}}};
            const auto read = readProject(project.dump(), "x.nest");
            QVERIFY(read && read->notes().empty());
            QCOMPARE(read->inputs().at("A").path, std::string(path));
        }
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
};

QTEST_GUILESS_MAIN(ProjectFileTest)
#include "project_file_test.moc"
