// SPDX-License-Identifier: Apache-2.0
/// Random schedules as te.create_schedule makes them: the steps that they become compute the same.
#include "core/frontend/te_script/te_script.h"
#include "core/session/reuse/own_schedule.h"
#include "tests/support/check_primitive.h"
#include "tests/support/steps_text.h"

#include <QtTest>

#include <random>

using namespace nestwright;

namespace {

const std::string kernel = R"(from tvm import te
A = te.placeholder((12, 6), name="A")
B = te.placeholder((6, 8), name="B")
k = te.reduce_axis((0, 6), name="k")
D = te.compute((12, 6), lambda i, j: A[i, j] * 2.0, name="D")
C = te.compute((12, 8), lambda i, j: te.sum(D[i, k] * B[k, j], axis=k), name="C")
E = te.compute((12, 8), lambda i, j: C[i, j] + 1.0, name="E")
s = te.create_schedule(E.op)
)";

/// Steps on the stages D, C and E, whose loops it knows by the names of the script's variables.
class RandomSchedule {
public:
    explicit RandomSchedule(unsigned seed) : m_random(seed)
    {
        for (const std::string stage : {"D", "C", "E"}) {
            m_loops[stage] = {fresh(), fresh()};
            write(m_loops[stage][0] + ", " + m_loops[stage][1] + " = s[" + stage + "].op.axis");
        }
        m_loops["C"].push_back(fresh());
        write(m_loops["C"].back() + ", = s[C].op.reduce_axis");
    }

    std::string script()
    {
        for (int steps = number(1, 7); steps > 0; --steps)
            step();
        // Producers are placed last: which loops there are is known then.
        if (number(0, 2) == 0)
            write("s[D].compute_inline()");
        else if (number(0, 1))
            write("s[D].compute_at(s[C], " + any(m_loops["C"]) + ")");
        if (number(0, 1))
            write("s[C].compute_at(s[E], " + any(m_loops["E"]) + ")");
        return m_text;
    }

private:
    int number(int low, int high) { return std::uniform_int_distribution(low, high)(m_random); }
    template <class T> const T &any(const std::vector<T> &choices)
    {
        return choices[static_cast<std::size_t>(number(0, static_cast<int>(choices.size()) - 1))];
    }
    std::string fresh() { return "v" + std::to_string(m_count++); }
    void write(const std::string &line) { m_text += line + '\n'; }

    void step()
    {
        const std::string stage = any(std::vector<std::string>{"D", "C", "E"});
        std::vector<std::string> &loops = m_loops[stage];
        const auto at = static_cast<std::size_t>(number(0, static_cast<int>(loops.size()) - 1));
        const std::string loop = loops[at];
        const bool reduces = stage == "C" && loop == m_loops["C"].back();
        switch (number(0, 6)) {
        case 0:
        case 1: {
            const std::string outer = fresh(), inner = fresh();
            const std::string factor = std::to_string(number(2, 5));
            write(outer + ", " + inner + " = s[" + stage + "].split(" + loop
                  + (number(0, 1) ? ", factor=" : ", nparts=") + factor + ")");
            loops[at] = outer;
            loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(at) + 1, inner);
            break;
        }
        case 2:
            if (at + 1 < loops.size()) {
                const std::string fused = fresh();
                write(fused + " = s[" + stage + "].fuse(" + loop + ", " + loops[at + 1] + ")");
                loops[at] = fused;
                loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            }
            break;
        case 3: {
            std::ranges::shuffle(loops, m_random);
            std::string all;
            for (const std::string &each : loops)
                all += (all.empty() ? "" : ", ") + each;
            write("s[" + stage + "].reorder(" + all + ")");
            break;
        }
        case 4: write("s[" + stage + "].unroll(" + loop + ")"); break;
        case 5: write("s[" + stage + "].parallel(" + loops.front() + ")"); break;
        default:
            if (!reduces)
                write("s[" + stage + "].vectorize(" + loops.back() + ")");
        }
    }

    std::mt19937 m_random;
    std::string m_text;
    std::map<std::string, std::vector<std::string>> m_loops;
    int m_count = 0;
};

} // namespace

class LegacyRandomTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsComputeTheSame()
    {
        const unsigned first = qEnvironmentVariable("NESTWRIGHT_FUZZ_SEED", "1").toUInt();
        const unsigned count = qEnvironmentVariable("NESTWRIGHT_FUZZ_COUNT", "300").toUInt();
        std::map<std::string, int> refused;
        int legal = 0;
        for (unsigned seed = first; seed < first + count; ++seed) {
            const std::string steps = RandomSchedule(seed).script();
            const std::string what = "seed " + std::to_string(seed) + ":\n" + steps;
            const auto read = te::readTeScript(kernel + steps, "k.py");
            if (!read) {
                ++refused[read.error().code];
                continue;
            }
            if (read->schedules.empty()) // nothing was asked for
                continue;
            const auto initial = schedule::makeState(read->module);
            QVERIFY(initial);
            const auto [run, error] = session::runOwnSchedule(*initial, read->schedules.front(), "k.py");
            if (error) {
                ++refused[error->code];
                continue;
            }
            ++legal;
            const std::string wrong = tests::firstFault(*initial, run);
            QVERIFY2(wrong.empty(), (what + tests::stepsText(read->schedules.front()) + wrong).c_str());
        }
        for (const auto &[code, times] : refused)
            qInfo("%d times %s", times, code.c_str());
        QVERIFY2(legal > static_cast<int>(count / 3), std::to_string(legal).c_str());
    }
};

QTEST_GUILESS_MAIN(LegacyRandomTest)
#include "legacy_random_test.moc"
