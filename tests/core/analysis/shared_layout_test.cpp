// SPDX-License-Identifier: Apache-2.0
// Arrays of a block that lie where others lay before, against what kernels do step by step.
#include "core/analysis/device/shared_layout.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <QtTest>

#include <format>
#include <map>
#include <set>

using namespace nestwright;
using namespace nestwright::tests;
using analysis::SharedArray;
using analysis::SharedLayout;

namespace {

constexpr auto head = "@T.prim_func\ndef main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), "
                      "\"float32\"), n: T.int32):\n"
                      "    for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n";

SharedLayout layoutOf(const std::string &body)
{
    return analysis::sharedLayoutOf(parsed(head + body).mainEntry()->function->body);
}

/// "S 0, P 256: 512 bytes"
QString textOf(const SharedLayout &layout)
{
    std::string text;
    for (const SharedArray &array : layout.arrays)
        text += std::format("{}{} {}", text.empty() ? "" : ", ", array.data.name(), array.offset);
    return QString::fromStdString(text + std::format(": {} bytes", layout.bytes));
}

/// A step of a random kernel; one that has a body is a loop of two iterations or a branch.
struct Step {
    enum class Kind : std::uint8_t { Write, Read, Barrier, Loop, Branch, Make };
    Kind kind;
    int array = 0;
    std::vector<Step> body{};
};

using Kind = Step::Kind;

class RandomKernel {
public:
    explicit RandomKernel(std::uint64_t seed) : m_random(seed) {}

    std::vector<Step> steps(int depth)
    {
        std::vector<Step> made;
        const int count = m_random.between(2, 6);
        for (int i = 0; i < count; ++i) {
            const int which = m_random.between(0, depth > 0 ? 9 : 6);
            if (which == 9 && m_arrays < 5) {
                const int array = m_arrays++;
                m_inScope.push_back(array);
                std::vector<Step> body = steps(depth - 1);
                m_inScope.pop_back();
                made.push_back({Kind::Make, array, std::move(body)});
            } else if (which >= 7) {
                made.push_back({which == 7 ? Kind::Loop : Kind::Branch, 0, steps(depth - 1)});
            } else if (which >= 4 || m_inScope.empty()) {
                made.push_back({Kind::Barrier});
            } else {
                const int place = m_random.between(0, static_cast<int>(m_inScope.size()) - 1);
                made.push_back(
                    {which < 2 ? Kind::Write : Kind::Read, m_inScope[static_cast<std::size_t>(place)]});
            }
        }
        return made;
    }

    std::vector<Step> kernel()
    {
        std::vector<Step> body;
        for (m_arrays = 0; m_arrays < 3; ++m_arrays)
            m_inScope.push_back(m_arrays);
        body = steps(3);
        for (int array = 2; array >= 0; --array)
            body = {{Kind::Make, array, std::move(body)}};
        return body;
    }

private:
    Random m_random;
    int m_arrays = 0;
    std::vector<int> m_inScope;
};

std::string textOf(const std::vector<Step> &steps, int depth)
{
    const std::string indent(static_cast<std::size_t>(depth) * 4, ' ');
    std::string text;
    for (const Step &step : steps) {
        switch (step.kind) {
        case Kind::Write: text += std::format("{}S{}[tx] = A[tx]\n", indent, step.array); break;
        case Kind::Read: text += std::format("{}B[tx] = S{}[63 - tx]\n", indent, step.array); break;
        case Kind::Barrier: text += indent + "T.tvm_storage_sync(\"shared\")\n"; break;
        case Kind::Loop: text += std::format("{}for k in range(2):\n", indent); break;
        case Kind::Branch: text += std::format("{}if n > 0:\n", indent); break;
        case Kind::Make:
            text += std::format("{}with T.decl_buffer(({},), scope=\"shared\") as S{}:\n", indent,
                                64 + 4 * step.array, step.array);
            break;
        }
        if (step.kind >= Kind::Loop)
            text += textOf(step.body, depth + 1);
    }
    return text;
}

/// Runs a kernel and looks whether arrays that share bytes come into each other's way.
class Machine {
public:
    Machine(const SharedLayout &layout, bool takesBranches) : m_takesBranches(takesBranches)
    {
        for (const SharedArray &array : layout.arrays)
            m_places[std::stoi(array.data.name().substr(1))] = {array.offset, array.offset + array.bytes};
    }

    std::string problem;

    void run(const std::vector<Step> &steps)
    {
        for (const Step &step : steps) {
            switch (step.kind) {
            case Kind::Barrier: m_sinceBarrier.clear(); break;
            case Kind::Write:
            case Kind::Read: touch(step); break;
            case Kind::Loop: run(step.body), run(step.body); break;
            case Kind::Branch:
                if (m_takesBranches)
                    run(step.body);
                break;
            case Kind::Make:
                m_holds.erase(step.array); // whatever was there
                run(step.body);
                m_holds.erase(step.array);
                break;
            }
        }
    }

private:
    bool share(int a, int b) const
    {
        const auto &[beginA, endA] = m_places.at(a);
        const auto &[beginB, endB] = m_places.at(b);
        return a != b && beginA < endB && beginB < endA;
    }
    void touch(const Step &step)
    {
        for (const int other : m_sinceBarrier) {
            if (share(step.array, other))
                problem = std::format("S{} and S{} meet without a barrier", step.array, other);
        }
        m_sinceBarrier.insert(step.array);
        if (step.kind == Kind::Write) {
            std::erase_if(m_holds, [&](const auto &each) {
                if (!share(each.first, step.array))
                    return false;
                m_lost.insert(each.first);
                return true;
            });
            m_holds[step.array] = true;
            m_lost.erase(step.array);
        } else if (m_lost.contains(step.array)) {
            problem = std::format("S{} is read after it was overwritten", step.array);
        }
    }

    std::map<int, std::pair<std::int64_t, std::int64_t>> m_places;
    std::map<int, bool> m_holds;  ///< what was written to it and not overwritten
    std::set<int> m_lost;         ///< written, then overwritten by another
    std::set<int> m_sinceBarrier; ///< touched
    bool m_takesBranches;
};

} // namespace

class SharedLayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layouts_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const QString &body, const char *expected) {
            QTest::newRow(name) << "        with T.decl_buffer((64,), scope=\"shared\") as S:\n"
                                   "          with T.decl_buffer((60,), scope=\"shared\") as P:\n"
                                       + body
                                << expected;
        };
        const QString first = "            S[tx] = A[tx]\n            T.tvm_storage_sync(\"shared\")\n"
                              "            B[tx] = S[63 - tx]\n",
                      second = "            P[tx] = A[tx]\n            T.tvm_storage_sync(\"shared\")\n"
                               "            B[tx] = P[59 - tx]\n",
                      barrier = "            T.tvm_storage_sync(\"shared\")\n";
        row("one after the other", first + barrier + second, "S 0, P 0: 256 bytes");
        row("without a barrier between", first + second, "S 0, P 256: 496 bytes");
        row("a barrier that not all come by", first + "            if n > 3:\n    " + barrier + second,
            "S 0, P 256: 496 bytes");
        row("both at once", "            S[tx] = A[tx]\n" + second + "            B[tx] = S[tx]\n",
            "S 0, P 256: 496 bytes");
        const auto within = [](QString body) {
            return "            for k in range(4):\n" + body.replace("            ", "                ");
        };
        row("in a loop that they outlive", within(first + barrier + second + barrier),
            "S 0, P 256: 496 bytes");
        row("in loops of their own", within(first + barrier) + within(second), "S 0, P 0: 256 bytes");
        row("a loop that may not run",
            "            S[tx] = A[tx]\n            for k in range(n):\n    " + barrier
                + "            P[tx] = A[tx]\n",
            "S 0, P 256: 496 bytes");
    }
    void layouts()
    {
        QFETCH(QString, body);
        QTEST(textOf(layoutOf(body.toStdString())), "expected");
    }

    /// Made anew in each iteration, they need not keep anything; but the next one must wait.
    void arraysOfAnIteration()
    {
        const std::string made = R"(        for k in range(4):
            with T.decl_buffer((64,), scope="shared") as S:
                S[tx] = A[tx]
                T.tvm_storage_sync("shared")
                B[tx] = S[63 - tx]
            T.tvm_storage_sync("shared")
            with T.decl_buffer((32,), scope="shared") as P:
                P[tx // 2] = A[tx]
                T.tvm_storage_sync("shared")
                B[tx] = P[31 - tx // 2]
)";
        QCOMPARE(textOf(layoutOf(made)), "S 0, P 256: 384 bytes");
        QCOMPARE(textOf(layoutOf(made + "            T.tvm_storage_sync(\"shared\")\n")),
                 "S 0, P 0: 256 bytes");
    }

    void aSmallOneFillsTheGap()
    {
        const SharedLayout layout = layoutOf(R"(        with T.decl_buffer((8,), scope="shared") as Q:
            with T.decl_buffer((64,), scope="shared") as S:
                with T.decl_buffer((16,), scope="shared") as P:
                    Q[tx] = A[tx]
                    S[tx] = A[tx]
                    T.tvm_storage_sync("shared")
                    B[tx] = S[tx] + Q[tx]
                    T.tvm_storage_sync("shared")
                    P[tx] = A[tx]
                    B[tx] = P[tx] + Q[tx]
)");
        QCOMPARE(textOf(layout), "Q 256, S 0, P 0: 288 bytes");
        QVERIFY(layout.isReused());
        QVERIFY(!layout.find(ir::Var("other", ir::DataType::handle())));
    }

    /// Arrays side by side stay arrays of their own as long as a kernel may have as much.
    void onlyReusedOrLargeMemoryIsOnePiece()
    {
        const std::string both = R"(        with T.decl_buffer((64,), scope="shared") as S:
            with T.decl_buffer((63,), scope="shared") as P:
                S[tx] = A[tx]
                P[tx] = A[tx]
                B[tx] = S[tx] + P[tx]
)";
        const SharedLayout apart = layoutOf(both);
        QCOMPARE(textOf(apart), "S 0, P 256: 512 bytes"); // P has 252, rounded up
        QVERIFY(!apart.isReused());
        QVERIFY(!apart.isPiece(512));
        QVERIFY(apart.isPiece(511));
        const SharedLayout none = layoutOf("        B[tx] = A[tx]\n");
        QVERIFY(!none.isReused());
        QVERIFY(!none.isPiece(0));
    }

    void randomKernels()
    {
        int reused = 0;
        for (std::uint64_t seed = 0; seed < 3000; ++seed) {
            const std::vector<Step> kernel = RandomKernel(seed).kernel();
            const std::string body = textOf(kernel, 2);
            const SharedLayout layout = layoutOf(body);
            reused += layout.isReused() ? 1 : 0;
            for (const bool takesBranches : {false, true}) {
                Machine machine(layout, takesBranches);
                machine.run(kernel);
                QVERIFY2(machine.problem.empty(),
                         qPrintable(QStringLiteral("seed %1: ").arg(seed)
                                    + QString::fromStdString(machine.problem + '\n' + body)));
            }
        }
        QVERIFY2(reused > 300, qPrintable(QString::number(reused)));
    }
};

QTEST_APPLESS_MAIN(SharedLayoutTest)
#include "shared_layout_test.moc"
