// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/requests/request.h"

#include "core/session/files/project_file.h"
#include "core/session/session.h"

#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace nestwright;
using support::Json;
using workbench::ask;
using workbench::Request;

namespace {

const std::string product = "op:matmul(M=16,N=16,K=16)";

Json answerTo(std::string_view name, const Json &parameters)
{
    const workbench::Reply reply = ask(name, parameters);
    if (!reply.answer)
        qFatal("%s", reply.answer.error().render().c_str());
    return *reply.answer;
}

class RequestsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Names are unique, and the list of requests has them all, each with a schema.
    void theTable()
    {
        const Json list = answerTo("requests", Json::object());
        QCOMPARE(list.size(), workbench::requests().size());
        std::vector<std::string_view> names;
        for (const Request *each : workbench::requests()) {
            QVERIFY(!std::ranges::contains(names, each->name));
            names.push_back(each->name);
            QVERIFY(!each->title.empty() && !each->answer.empty() && each->run);
            const Json schema = workbench::schemaOf(*each);
            QCOMPARE(schema.at("additionalProperties"), Json(false));
            QCOMPARE(schema.at("properties").size(), each->parameters.size());
            for (const workbench::Parameter &parameter : each->parameters)
                QVERIFY(!parameter.help.empty());
        }
        const Json schema = list[0].at("parameters");
        QCOMPARE(schema.at("required"), Json::parse(R"(["module"])"));
        QCOMPARE(schema.at("properties").at("module").at("type"), Json("string"));
    }

    void theMachineOfATarget()
    {
        const Json narrow = answerTo("machine", {{"target", "llvm -mcpu=haswell -num-cores=5"}});
        QCOMPARE(narrow.at("vector_bytes"), Json(32));
        QCOMPARE(narrow.at("vector_registers"), Json(16));
        QCOMPARE(narrow.at("threads"), Json(5));
        QVERIFY(!narrow.at("caches").empty());
        QVERIFY(!ask("machine", {{"target", "lvm"}}).answer);
        const Json facts = answerTo("list", {{"what", "machine"}, {"target", "llvm -mcpu=haswell"}});
        const auto vectors = std::ranges::find_if(
            facts, [](const Json &fact) { return fact.at("name") == "schedule-vectors"; });
        QVERIFY(vectors != facts.end());
        QCOMPARE(vectors->at("value"), Json("16 registers of 256 bits"));
    }

    void parametersAreChecked_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<QString>("message");
        QTest::newRow("no request") << "opne" << "{}" << "there is no request \"opne\"";
        QTest::newRow("no object") << "open" << "[]" << "parameters are an object";
        QTest::newRow("missing") << "open" << "{}" << "needs the parameter \"module\"";
        QTest::newRow("unknown") << "open" << R"({"modul": "a"})" << "has no parameter \"modul\"";
        QTest::newRow("wrong kind") << "open" << R"({"module": 3})" << "must be a string, but is number";
        QTest::newRow("wrong kind of a list")
            << "measured" << R"({"module": "a", "schedules": "b"})" << "must be a list of strings";
        QTest::newRow("wrong flag") << "legal" << R"({"module": "a", "refused": 1})"
                                    << "must be true or false";
        QTest::newRow("no choice") << "list" << R"({"what": "primitive"})" << "cannot be \"primitive\"";
    }
    void parametersAreChecked()
    {
        QFETCH(QString, name);
        QFETCH(QString, parameters);
        QFETCH(QString, message);
        const auto reply = ask(name.toStdString(), Json::parse(parameters.toStdString()));
        QVERIFY(!reply.answer);
        QCOMPARE(support::familyOf(reply.answer.error()), std::string_view("request"));
        QVERIFY2(reply.answer.error().message.contains(message.toStdString()),
                 reply.answer.error().message.c_str());
        QVERIFY(!reply.answer.error().hint.empty());
    }

    void aModuleIsOpened()
    {
        const std::string steps =
            write("split.py", "i, j, k = sch.get_loops(\"C\")\nsch.split(j, [None, 4])\n");
        const Json opened = answerTo("open", {{"module", product}, {"schedule", steps}});
        QVERIFY(opened.at("program").get<std::string>().contains("j_1"));
        QCOMPARE(opened.at("steps").size(), std::size_t(1));
        QCOMPARE(opened.at("variants"), Json::parse(R"(["unscheduled"])"));
    }

    void aProgramIsDescribed()
    {
        const std::string steps = write("parallel.py", "i, j, k = sch.get_loops(\"C\")\nsch.parallel(i)\n");
        const Json all = answerTo("describe", {{"module", product}, {"schedule", steps}}).at("statements");
        QCOMPARE(all.size(), std::size_t(4)); // i, j, k and the block
        QCOMPARE(all[0].at("runs"), Json("parallel"));
        QCOMPARE(all[1].at("runs"), Json(""));
        QCOMPARE(all[2].at("depth"), Json(2));
        QCOMPARE(all[3].at("kind"), Json("block"));
        QCOMPARE(all[0].at("iterations"), Json(16));
    }

    void legalStepsOfALoop()
    {
        const Json parameters{{"module", product}, {"at", "j"}};
        const Json all = answerTo("legal", parameters);
        QVERIFY(!all.contains("findings"));
        QCOMPARE(all.at("statements").size(), std::size_t(1));
        const Json &actions = all.at("statements")[0].at("actions");
        QVERIFY(
            std::ranges::any_of(actions, [](const Json &each) { return each.at("primitive") == "split"; }));
        QVERIFY(!ask("legal", {{"module", product}, {"at", "nobody"}}).answer);
    }

    void sourceHasTheLinesOfLoops()
    {
        const Json source = answerTo("source", {{"module", product}, {"format", "c"}});
        QVERIFY(source.at("text").get<std::string>().contains("for ("));
        QVERIFY(!source.at("spans").empty());
        QVERIFY(source.at("spans")[0].at("first") >= 1);
    }

    void programsThatAreMeasured()
    {
        auto session = session::Session::open(product);
        QVERIFY(session.has_value());
        QVERIFY(
            session->importSchedule("i, j, k = sch.get_loops(\"C\")\nsch.parallel(i)\n", "p.py").has_value());
        const std::string file = write("K.nest", session::writeProject(*session));
        const Json chosen = answerTo("measured", {{"module", file}});
        QCOMPARE(chosen.at("programs"), Json(std::vector<std::string>{"unscheduled", "#1 parallel(i)"}));
        QCOMPARE(chosen.at("target"), Json("llvm"));
        const Json other =
            answerTo("measured", {{"module", product}, {"schedules", {"recipe:gemm"}}, {"target", "c"}});
        QCOMPARE(other.at("programs"), Json::parse(R"(["gemm"])"));
        QCOMPARE(other.at("target"), Json("c"));
    }

    void remarksStandBesideTheAnswer()
    {
        const std::string file = write("two.py", R"(import tvm
from tvm import te

A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
func = te.create_prim_func([A, B])
wrong = tvm.tir.Schedule(func)
(i,) = wrong.get_loops(wrong.get_block("B"))
wrong.split(i, factors=[3, 5])
right = tvm.tir.Schedule(func)
(j,) = right.get_loops(right.get_block("B"))
right.split(j, factors=[None, 8])
)");
        const workbench::Reply reply = ask("open", {{"module", file}});
        QVERIFY(reply.answer.has_value());
        QCOMPARE(reply.answer->at("variants"), Json::parse(R"(["unscheduled", "right"])"));
        QCOMPARE(reply.json().at("notes").size(), std::size_t(1));
        QVERIFY(reply.notes.front().contains(": note: "));
    }

    void errorsAreAnswers()
    {
        const Json json = ask("open", {{"module", "no such file.py"}}).json();
        QVERIFY(!json.contains("answer"));
        QCOMPARE(json.at("error").at("code"), Json("open.no-file"));
    }

private:
    std::string write(const std::string &name, const std::string &text) const
    {
        const std::string path = m_folder.filePath(QString::fromStdString(name)).toStdString();
        std::ofstream(path) << text;
        return path;
    }

    QTemporaryDir m_folder;
};

} // namespace

QTEST_GUILESS_MAIN(RequestsTest)
#include "requests_test.moc"
