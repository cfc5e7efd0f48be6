// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/model_project.h"

#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/schedule/apply.h"
#include "core/session/files/project_file.h"
#include "core/support/files/atomic_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace nestwright;
using namespace nestwright::frontend;
using namespace nestwright::session;

namespace {

const std::string modelFile = "examples/models/two_sizes.onnx";
const Sizes sizes{{"batch", 3}, {"length", 5}};

/// Goes back to where nothing is scheduled and takes another way: the innermost loop is unrolled.
void unrollInnermost(Session &session)
{
    const auto &root = session.tree().root();
    ir::StmtId innermost;
    ir::forEachStmt(root.state->module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (s.as<ir::For>())
            innermost = s.as<ir::For>()->id;
        return true;
    });
    session.apply(root.id, schedule::makeStep("unroll", {{"loop", innermost}}).value());
}

/// Every kernel with its default schedule and one more variant.
ModelWork workOn(const Model &model)
{
    ModelWork work{model.path, "abc", model.settings, {}, model.program.kernels.front().name};
    for (std::size_t i = 0; i < model.program.kernels.size(); ++i) {
        Session session = beginKernel(model, static_cast<int>(i)).value();
        unrollInnermost(session);
        work.sessions.emplace(model.program.kernels[i].name, std::move(session));
    }
    return work;
}

} // namespace

class ModelProjectTest : public QObject {
    Q_OBJECT

    std::optional<Model> m_model;

private Q_SLOTS:
    void initTestCase()
    {
        auto model = openModel(modelFile, {.sizes = sizes});
        if (!model && model.error().code == "model.not-built")
            QSKIP("built without the reader for ONNX");
        QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
        m_model = std::move(*model);
        QVERIFY(m_model->program.kernels.size() >= 2);
    }

    void writtenFilesReadTheSame()
    {
        ModelWork work = workOn(*m_model);
        work.settings.level = 2;
        work.settings.required = {"fold-constant"};
        work.settings.disabled = {"fuse-ops", "canonicalize"};
        work.settings.machine.vectors = {.bytes = 32, .registers = 16};
        work.settings.machine.levels[0].bytes = 32 * target::kilobyte;
        work.settings.machine.levels[0].ways = 8;
        target::fitSizes(work.settings.machine);
        const std::string text = writeModelProject(work);
        const auto read = readModelProject(text, "a.nest");
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        QCOMPARE(read->modelPath, work.modelPath);
        QCOMPARE(read->modelHash, work.modelHash);
        QVERIFY(read->settings == work.settings);
        QCOMPARE(read->kernel, work.kernel);
        QCOMPARE(read->sessions.size(), work.sessions.size());
        for (const auto &[name, session] : work.sessions) {
            const Session &again = read->sessions.at(name);
            QCOMPARE(again.tree().size(), session.tree().size());
            QVERIFY(ir::structurallyEqual(again.tree().current().state->module,
                                          session.tree().current().state->module));
        }
        QCOMPARE(writeModelProject(*read), text);
    }

    /// Sessions of releases before name no machine: all were made for one.
    void theMachineMayBeMissingOrBad()
    {
        const std::string text = writeModelProject(workOn(*m_model));
        const std::size_t begin = text.find("\"machine\"");
        QVERIFY(begin != std::string::npos);
        std::string without = text;
        without.replace(begin + 1, 7, "comment");
        const auto read = readModelProject(without, "a.nest");
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        QCOMPARE(read->settings.machine, target::tunedMachine());
        std::string bad = text;
        bad.replace(bad.find("\"threads\": ", begin) + 11, 1, "0");
        QCOMPARE(readModelProject(bad, "a.nest").error().code, std::string("session.format"));
    }

    void noteOnAnotherMachine()
    {
        frontend::ModelSettings settings = settingsFor();
        QVERIFY(!madeElsewhere(settings));
        settings.machine.vectors.bytes *= 2;
        QCOMPARE(madeElsewhere(settings).value().code, std::string("session.other-machine"));
    }

    /// As files had them once.
    void passesMayBeSpelledWithUnderscores()
    {
        ModelWork work = workOn(*m_model);
        work.settings.required = {"fold_constant"};
        work.settings.disabled = {"alter_op_layout", "canonicalize"};
        const auto read = readModelProject(writeModelProject(work), "a.nest");
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        QVERIFY(read->settings.required.contains("fold-constant") && read->settings.required.size() == 1);
        QVERIFY(read->settings.disabled.contains("alter-op-layout") && read->settings.disabled.size() == 2);
    }

    void itIsToldFromASessionOnAKernel()
    {
        const QTemporaryDir folder;
        const std::string whole = folder.filePath("model.nest").toStdString();
        const std::string one = folder.filePath("kernel.nest").toStdString();
        QVERIFY(support::writeAtomically(whole, writeModelProject(workOn(*m_model))));
        QVERIFY(support::writeAtomically(one, writeProject(beginKernel(*m_model, 0).value())));
        QVERIFY(isModelProject(whole));
        QVERIFY(!isModelProject(one));
        QVERIFY(!isModelProject(modelFile));
        QVERIFY(!isModelProject(folder.filePath("none.nest").toStdString()));
        QVERIFY(loadModelProject(whole).has_value());
        QCOMPARE(loadModelProject(one).error().code, std::string("session.format"));
        QCOMPARE(loadProject(whole).error().code, std::string("session.format"));
    }

    void schedulesFindTheirKernelsInAChangedModel()
    {
        const ModelWork work = workOn(*m_model);
        Model changed = *m_model;
        const std::string lost = changed.program.kernels.front().name;
        changed.program.kernels.erase(changed.program.kernels.begin());
        changed.program.kernels.front().name = "another_name";
        const Reapplied again = reapply(work.sessions, changed.program);
        QCOMPARE(again.sessions.size(), work.sessions.size() - 1);
        QVERIFY(ir::structurallyEqual(again.sessions.at(0).tree().root().state->module,
                                      beginKernel(changed, 0)->tree().root().state->module));
        QCOMPARE(again.left.size(), std::size_t{1});
        QCOMPARE(again.left.begin()->first, lost);
    }

    void ofOtherSizesNoKernelIsTheSame()
    {
        const auto other = openModel(modelFile, {.sizes = {{"batch", 3}, {"length", 6}}});
        QVERIFY(other.has_value());
        const Reapplied again = reapply(workOn(*m_model).sessions, other->program);
        QVERIFY(again.sessions.empty());
        QCOMPARE(again.left.size(), m_model->program.kernels.size());
    }

    void untouchedKernelsAreNotKept()
    {
        const auto other = openModel(modelFile, {.sizes = {{"batch", 3}, {"length", 6}}});
        QVERIFY(other.has_value());
        const std::string &name = m_model->program.kernels.front().name;
        const Reapplied again = reapply({{name, beginKernel(*m_model, 0).value()}}, other->program);
        QVERIFY(again.sessions.empty() && again.left.empty());
    }

    /// A measurement is work, and so is another step where the default schedule has one.
    void workIsKept()
    {
        const auto other = openModel(modelFile, {.sizes = {{"batch", 3}, {"length", 6}}});
        QVERIFY(other.has_value());
        const std::string &name = m_model->program.kernels.front().name;
        const auto isKept = [&](const Session &session) {
            return reapply({{name, session}}, other->program).left.contains(name);
        };
        Session measured = beginKernel(*m_model, 0).value();
        measured.tree().setMeasurement(measured.tree().root().id, {});
        QVERIFY(isKept(measured));

        const Session usual = beginKernel(*m_model, 0).value();
        const std::vector<schedule::Step> steps = usual.tree().trace(usual.tree().all().back().id);
        QVERIFY(!steps.empty());
        frontend::OpenedKernel kernel;
        kernel.module = m_model->program.kernels.front().module;
        Session changed = Session::begin(std::move(kernel), {}).value();
        VariantId at = changed.tree().root().id;
        for (std::size_t i = 0; i + 1 < steps.size(); ++i)
            at = changed.apply(at, steps[i]);
        const auto block = changed.tree().at(at).state->module.mainEntry()->function->root()->id;
        changed.apply(at, schedule::makeStep("annotate", {{"block_or_loop", block},
                                                          {"ann_key", std::string("note")},
                                                          {"ann_val", std::int64_t{1}}})
                              .value());
        QCOMPARE(changed.tree().size(), usual.tree().size());
        QVERIFY(isKept(changed));
    }

    void aModelThatWasMovedIsFoundBesideTheSession()
    {
        const QTemporaryDir folder;
        ModelWork work = workOn(*m_model);
        work.modelPath = "/no/such/folder/two_sizes.onnx";
        const std::string file = folder.filePath("work.nest").toStdString();
        QVERIFY(support::writeAtomically(file, writeModelProject(work)));
        QCOMPARE(loadModelProject(file)->modelPath, work.modelPath);
        const QString beside = folder.filePath("two_sizes.onnx");
        QVERIFY(QFile::copy(QString::fromStdString(modelFile), beside));
        QCOMPARE(loadModelProject(file)->modelPath, beside.toStdString());
    }

    void aBrokenFileIsOneError()
    {
        const std::string text = writeModelProject(workOn(*m_model));
        QCOMPARE(readModelProject(text.substr(0, text.size() / 2), "a.nest").error().code,
                 std::string("session.syntax"));
        QCOMPARE(readModelProject("{}", "a.nest").error().code, std::string("session.format"));
        std::string later = text;
        later.replace(later.find("\"version\": 1\n}"), 12, "\"version\": 9");
        QCOMPARE(readModelProject(later, "a.nest").error().code, std::string("session.version"));
        QCOMPARE(readModelProject(R"({"format": "nestwright-model-session", "version": 1})", "a.nest")
                     .error()
                     .code,
                 std::string("session.format"));
        QCOMPARE(loadModelProject("no-such.nest").error().code, std::string("open.no-file"));
    }
};

QTEST_GUILESS_MAIN(ModelProjectTest)
#include "model_project_test.moc"
