// SPDX-License-Identifier: Apache-2.0
/// The seals of all schedules that come with the program: ladders, recipes on the kernels that take them,
/// schedules of the kernels' own files, solutions of lessons.
#include "core/course/lesson.h"
#include "core/explore/judge/seal_path.h"
#include "core/frontend/open_kernel.h"
#include "core/session/reuse/own_schedule.h"
#include "core/session/reuse/recipe.h"
#include "core/support/files/input_file.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <filesystem>
#include <format>
#include <map>
#include <set>

using namespace nestwright;
using explore::Seal;
using explore::StepPath;
using Steps = std::vector<schedule::ScriptStep>;

namespace {

/// A fraction of a second for each.
constexpr explore::SealCut cut{.work = 1e8};

std::vector<std::filesystem::path> filesOf(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".py")
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

struct Kernel {
    std::string name;
    schedule::State state;
    std::vector<te::ScheduleSteps> own;
};

Kernel kernelOf(const std::filesystem::path &file)
{
    const auto opened = frontend::openKernel(file);
    if (!opened)
        qFatal("%s", opened.error().render().c_str());
    return {file.stem(), schedule::makeState(opened->module).value(), opened->schedules};
}

std::filesystem::path kernelOfLadder(std::string name)
{
    const bool isOfDevice = name.starts_with("gpu_");
    name = name.substr(isOfDevice ? 4 : 0) + ".py";
    const std::filesystem::path own = "examples/gpu/" + name;
    return isOfDevice && std::filesystem::exists(own) ? own : std::filesystem::path("examples/" + name);
}

/// Kernel of examples/conv2d_int8.py with 2 blocks of channels and 6 x 6 pixels: its sizes, which are hardly
/// different, cannot be cut.
schedule::State smallConvolution()
{
    std::string text = support::readText("examples/conv2d_int8.py").value();
    const std::pair<std::string_view, std::string_view> replacements[] = {
        {"(1, 16, 14, 14, 16, 16, 3, 3, 4, 4)", "(1, 2, 6, 6, 16, 2, 3, 3, 4, 4)"},
        {"(16, 16, 3, 3, 4, 16, 4)", "(2, 2, 3, 3, 4, 16, 4)"},
        {"(1, 16, 14, 14, 16)", "(1, 2, 6, 6, 16)"},
        {"(1, 16, 16, 16, 16)", "(1, 2, 8, 8, 16)"},
        {"< 15", "< 7"}};
    for (const auto &[from, to] : replacements) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
            text.replace(at, from.size(), to);
    }
    return tests::scheduled(text);
}

/// The recipe for two threads and tile registers or none; nothing where it has none and is to use them.
std::optional<session::Recipe> withTiles(const session::Recipe &recipe, int tiles)
{
    const auto has = [&](std::string_view name) {
        return std::ranges::contains(recipe.parameters, name, &schedule::ScriptParameter::name);
    };
    if (tiles != 0 && !has(session::tilesParameter))
        return std::nullopt;
    std::string values;
    if (has(session::threadsParameter))
        values += ",threads=2";
    if (has(session::tilesParameter))
        values += std::format(",tiles={}", tiles);
    if (!values.empty())
        values[0] = ':';
    return session::findRecipe(recipe.name + values).value();
}

/// Schedules that are not sealed, with the code of the reason.
const std::map<std::string, std::string> excluded = {
    {"recipe conv2d_int8, tiles=0 on conv2d_int8", "seal.too-much-work"},
    {"recipe conv2d_int8, tiles=1 on conv2d_int8", "seal.too-much-work"},
};

/// Recipes for kernels as models open them, which no example has: model_recipes_test compares their results.
const std::set<std::string> ofModels = {"conv2d_blocked", "conv2d_winograd"};

} // namespace

class SealedExamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ladders()
    {
        for (const auto &folder : std::filesystem::directory_iterator("examples/schedules")) {
            const std::string name = folder.path().filename();
            if (name == "recipes")
                continue;
            const Kernel kernel = kernelOf(kernelOfLadder(name));
            for (const auto &file : filesOf(folder)) {
                const auto run =
                    schedule::runScheduleScript(kernel.state, support::readText(file).value(), file);
                QVERIFY2(run, run ? "" : run.error().render().c_str());
                check(name + "/" + file.stem().string(), kernel.state, run->steps);
            }
        }
    }

    void recipes()
    {
        const auto recipes = session::recipes();
        QVERIFY(recipes && !recipes->empty());
        for (const session::Recipe &each : *recipes) {
            int taken = 0;
            for (const char *folder : {"examples", "examples/gpu"}) {
                for (const auto &file : filesOf(folder)) {
                    const Kernel kernel = kernelOf(file);
                    for (const int tiles : {0, 1}) {
                        const auto recipe = withTiles(each, tiles);
                        if (!recipe)
                            continue;
                        const auto run = session::runRecipe(kernel.state, *recipe);
                        if (!run)
                            continue;
                        ++taken;
                        check(std::format("recipe {}, tiles={} on {}", each.name, tiles, kernel.name),
                              kernel.state, run->steps);
                    }
                }
            }
            QVERIFY2((taken > 0) != ofModels.contains(each.name), each.name.c_str());
        }
    }

    void convolutionOfBytes()
    {
        const schedule::State kernel = smallConvolution();
        for (const int tiles : {0, 1}) {
            const auto recipe = withTiles(session::findRecipe("conv2d_int8").value(), tiles);
            const auto run = session::runRecipe(kernel, *recipe);
            QVERIFY2(run, run ? "" : run.error().render().c_str());
            check(std::format("recipe conv2d_int8, tiles={} on a small one", tiles), kernel, run->steps);
        }
    }

    void ownSchedules()
    {
        for (const char *folder : {"examples", "examples/gpu", "examples/course"}) {
            for (const auto &file : filesOf(folder)) {
                const Kernel kernel = kernelOf(file);
                for (const te::ScheduleSteps &own : kernel.own) {
                    const auto run = session::runOwnSchedule(kernel.state, own, file);
                    QVERIFY(!run.error);
                    check("own of " + file.stem().string(), kernel.state, run.run.steps);
                }
            }
        }
    }

    void lessons()
    {
        const auto lessons = course::lessons();
        QVERIFY(lessons && !lessons->empty());
        for (const course::Lesson &lesson : *lessons) {
            const auto programs = course::programsOf(lesson);
            QVERIFY(programs);
            auto run = course::solve(lesson, programs->start);
            QVERIFY(run);
            const Kernel kernel = kernelOf(lesson.kernel);
            Steps steps;
            if (!kernel.own.empty())
                steps = session::runOwnSchedule(kernel.state, kernel.own.back(), lesson.kernel).run.steps;
            std::ranges::move(run->steps, std::back_inserter(steps));
            check("lesson " + lesson.id, kernel.state, steps);
        }
    }

    void cleanupTestCase() { qInfo("%d sealed, %d excluded, %.1f s", m_sealed, m_excluded, m_seconds); }

private:
    void check(const std::string &name, const schedule::State &initial, const Steps &made)
    {
        std::vector<schedule::Step> steps;
        for (const schedule::ScriptStep &each : made)
            steps.push_back(each.step);
        const auto path = StepPath::along(initial, steps);
        QVERIFY2(path, path ? "" : path.error().render().c_str());
        QElapsedTimer timer;
        timer.start();
        const auto sealed = explore::sealPath(*path, cut);
        const double seconds = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        m_seconds += seconds;
        QVERIFY(sealed);
        qInfo("%-40s %5.2f s  %s", name.c_str(), seconds, sealed->describe().c_str());
        const bool isSealed = sealed->seal.outcome == Seal::Outcome::Equal;
        ++(isSealed ? m_sealed : m_excluded);
        const auto known = excluded.find(name);
        if (known != excluded.end()) {
            QVERIFY(sealed->seal.outcome == Seal::Outcome::DoesNotApply);
            QCOMPARE(sealed->seal.reason.code, known->second);
        } else {
            QVERIFY2(isSealed, (name + ": " + sealed->describe()).c_str());
        }
    }

    int m_sealed = 0, m_excluded = 0;
    double m_seconds = 0;
};

QTEST_GUILESS_MAIN(SealedExamplesTest)
#include "sealed_examples_test.moc"
