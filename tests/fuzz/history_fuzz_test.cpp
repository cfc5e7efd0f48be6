// SPDX-License-Identifier: Apache-2.0
/// Random edits of random histories: steps dropped, moved, changed, taken along and rebased. Every variant is
/// what its steps make from the root, and computes what the program computes. NESTWRIGHT_FUZZ_SEED and
/// NESTWRIGHT_FUZZ_COUNT choose the histories, each with twenty edits.
#include "core/ir/node/equality.h"
#include "core/schedule/script/reader.h"
#include "core/script/print/printer.h"
#include "core/session/history/history_edit.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;

namespace {

constexpr int editsOfHistory = 20, steps = 12, mostTries = 120;

class History {
public:
    explicit History(std::uint64_t seed)
        : m_random(seed)
        , m_tree(schedule::makeState(parsed(randomProgram(m_random))).value(), "unscheduled")
    {
        int made = 0;
        for (int i = 0; i < mostTries && made < steps; ++i) {
            const VariantId parent = m_random.chance(75) ? m_tree.current().id : anyLegal();
            const schedule::Step step = randomStep(*m_tree.at(parent).state, m_random);
            auto applied = schedule::apply(*m_tree.at(parent).state, step);
            if (!applied)
                continue;
            m_tree.setCurrent(m_tree.add(parent, step, std::move(applied)));
            ++made;
        }
    }

    /// Makes an edit; what is wrong afterwards, or nothing.
    std::string edit()
    {
        const VariantId id = anyLegal();
        if (m_tree.at(id).isRoot())
            return {};
        const VariantId tip = tipOf(m_tree, id);
        const HistoryEdit edit = anyEdit(id, tip);
        const int before = m_tree.size();
        Replayed replayed = replay(m_tree, edit);
        if (m_tree.size() != before)
            return "replaying changed the tree";
        const std::size_t wanted = edit.steps.size() + (edit.step ? 1 : 0), made = replayed.steps.size();
        const bool stopped =
            replayed.conflict || (!replayed.steps.empty() && !replayed.steps.back().applied.has_value());
        if (stopped ? made + replayed.rest.size() < wanted : made != wanted || !replayed.rest.empty())
            return "steps are missing";
        const VariantId last = adopt(m_tree, edit, std::move(replayed));
        if (m_tree.at(last).ok() != (m_tree.current().id == last))
            return "the last legal variant is not current";
        m_stops += stopped ? 1 : 0;
        return wrongOf(m_tree.current().id);
    }

    int stops() const { return m_stops; }

private:
    VariantId anyLegal()
    {
        for (;;) {
            const VariantId id{static_cast<int>(m_random.below(m_tree.size()))};
            if (m_tree.at(id).ok())
                return id;
        }
    }

    HistoryEdit anyEdit(VariantId id, VariantId tip)
    {
        const auto others = m_tree.path(tip);
        switch (m_random.below(4)) {
        case 0: return dropStep(m_tree, id, tip);
        case 1: {
            const VariantId other = m_random.pick(others);
            if (other != id && !m_tree.at(other).isRoot())
                return moveStep(m_tree, id, other, tip);
            return rebase(m_tree, id, id, anyLegal());
        }
        case 2: return rebase(m_tree, id, m_random.chance(50) ? id : tip, anyLegal());
        default: break;
        }
        const schedule::State &before = *m_tree.at(*m_tree.at(id).parent).state;
        schedule::Step step = m_tree.at(id).step;
        const schedule::Step random = randomStep(before, m_random);
        for (std::size_t i = 0; i < step.args.size(); ++i) {
            if (random.primitive == step.primitive && !step.args[i].as<ir::StmtId>())
                step.args[i] = random.args[i];
        }
        return changeStep(m_tree, id, m_random.chance(30) ? random : step, tip);
    }

    /// The variant beside what its steps make from the root, and beside what the root computes.
    std::string wrongOf(VariantId id)
    {
        const schedule::State &root = *m_tree.root().state;
        schedule::ScriptRun run{root, {}};
        for (const schedule::Step &step : m_tree.trace(id)) {
            auto applied = schedule::apply(run.state, step);
            if (!applied)
                return "a step of the trace is refused: " + applied.error().render();
            run.state = std::move(applied->state);
            run.steps.push_back({step, std::move(applied->outputs), 0});
        }
        const ir::Module &module = m_tree.at(id).state->module;
        if (!ir::structurallyEqual(module, run.state.module)
            || script::print(module).text != script::print(run.state.module).text)
            return "a replay from the root gives another program";
        return firstFault(root, run);
    }

    Random m_random;
    VariantTree m_tree;
    int m_stops = 0;
};

} // namespace

class HistoryFuzzTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomEdits()
    {
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        const int count = given ? wanted : 20;
        const auto first = static_cast<std::uint64_t>(qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED"));
        int stops = 0;
        for (int i = 0; i < count; ++i) {
            const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
            History history(seed);
            for (int edit = 0; edit < editsOfHistory; ++edit) {
                const std::string wrong = history.edit();
                QVERIFY2(wrong.empty(), qPrintable(QStringLiteral("seed %1, edit %2: %3")
                                                       .arg(seed)
                                                       .arg(edit)
                                                       .arg(QString::fromStdString(wrong))));
            }
            stops += history.stops();
        }
        qInfo("%d of %d edits met a conflict or a refused step", stops, count * editsOfHistory);
    }
};

QTEST_GUILESS_MAIN(HistoryFuzzTest)
#include "history_fuzz_test.moc"
