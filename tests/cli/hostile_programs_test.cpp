// SPDX-License-Identifier: Apache-2.0
// Large programs that are read well: every command comes to an end with them within 10 s and 2 GB, or says in
// one sentence why not.
#include "tests/cli/hostile.h"

using namespace nestwright::tests;

namespace {

const std::vector<QStringList> everyCommand = {{"print"},
                                               {"pass", "simplify"},
                                               {"lower"},
                                               {"source", "--target", "c"},
                                               {"source", "--target", "llvm"},
                                               {"verify"},
                                               {"verify", "--interpreter"}};

/// The program with each of the commands.
std::vector<Case> withEvery(const QString &name, const QByteArray &program,
                            const std::vector<QStringList> &commands = everyCommand)
{
    std::vector<Case> all;
    for (const QStringList &each : commands) {
        all.push_back({name + ", " + each.join(' '), [=](const NestcRunner &nestc) {
                           return each + QStringList{nestc.write("program.py", program)};
                       }});
    }
    return all;
}

/// A chain of stages; each adds one.
QByteArray stages(int count)
{
    return "from tvm import te\nA = te.placeholder((16,), name=\"A\")\nX = A\nfor i in range("
           + QByteArray::number(count)
           + "):\n    Y = te.compute((16,), lambda j: X[j] + 1.0, name=\"s\")\n    X = Y\n"
             "f = te.create_prim_func([A, X])\n";
}

/// The same as blocks.
QByteArray blocks(int count)
{
    const auto number = [](int i) { return QByteArray::number(i); };
    QByteArray body;
    for (int i = 0; i + 1 < count; ++i)
        body += "    b" + number(i) + " = T.alloc_buffer((8,))\n";
    for (int i = 0; i < count; ++i) {
        const QByteArray from = i == 0 ? "A" : "b" + number(i - 1),
                         to = i + 1 == count ? "B" : "b" + number(i);
        body += "    for i" + number(i) + " in range(8):\n        with T.block(\"s" + number(i)
                + "\"):\n            v = T.axis.spatial(8, i" + number(i) + ")\n            " + to
                + "[v] = " + from + "[v] + T.float32(1)\n";
    }
    return tvmScript(body, "A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")");
}

/// B[v] = `value`, where A has 1000 elements and v is below 16.
QByteArray element(const QByteArray &value)
{
    return tvmScript("    for i in range(16):\n        with T.block(\"b\"):\n"
                     "            v = T.axis.spatial(16, i)\n            B[v] = "
                         + value + "\n",
                     "A: T.Buffer((1000,), \"float32\"), B: T.Buffer((16,), \"float32\")");
}

/// `value` in the place of @ in `around`, that again, and so on; the place of & is the number of the round.
QByteArray nested(QByteArray value, const QByteArray &around, int times)
{
    for (int i = 0; i < times; ++i)
        value = QByteArray(around).replace('&', QByteArray::number(i)).replace('@', value);
    return value;
}

std::vector<Case> largePrograms()
{
    std::vector<Case> all;
    const auto add = [&](const QString &name, const QByteArray &program) {
        const auto more = withEvery(name, program);
        all.insert(all.end(), more.begin(), more.end());
    };
    add("1,500 stages", stages(1500));
    add("800 blocks", blocks(800));
    add("12,000 blocks", blocks(12'000));
    add("40 quotients within each other", element("A[" + nested("v", "(@ * 3 + &) % 1000 // 2", 40) + "]"));
    add("minima and maxima within each other",
        element("A[" + nested("v", "T.min(T.max(@, v - &), 15)", 40) + "]"));
    for (const char *choice : {"T.Select(@ < 3, v + &, &)", "T.if_then_else(@ < 3, v + &, &)"})
        add(QByteArray("conditions of choices within each other, ") + choice,
            element("A[" + nested("v", choice, 20) + "]"));
    add("20 numbers made narrow and wide again",
        element("A[" + nested("v", "T.Cast(\"int32\", T.Cast(\"int64\", @) + T.int64(&)) % 9", 20) + "]"));
    add("choices within each other", element(nested("T.float32(0)", "T.if_then_else(v == &, A[&], @)", 40)));
    QByteArray sum = "A[v]";
    for (int i = 0; i < 400; ++i)
        sum += " * A[v] + A[v]";
    add("a long expression", element(sum));
    QByteArray condition = "v * 2 % 7 < 3";
    for (int i = 0; i < 80; ++i)
        condition += " or v * " + QByteArray::number(i + 3) + " % 7 < " + QByteArray::number(i % 5);
    add("a long condition", element("T.if_then_else(" + condition + ", A[v], T.float32(0))"));
    return all;
}

/// Work that no machine ends: commands that run it say so, or are stopped.
std::vector<Case> endless()
{
    const QByteArray loops =
        tvmScript("    for i, j, k, l in T.grid(8, 1000000, 1000000, 1000000):\n"
                  "        with T.block(\"b\"):\n"
                  "            v = T.axis.spatial(8, i)\n            A[v] = T.float32(1)\n");
    const QByteArray memory = tvmScript("    B = T.alloc_buffer((100000000000,))\n    for i in range(8):\n"
                                        "        with T.block(\"b\"):\n            v = T.axis.spatial(8, i)\n"
                                        "            B[v * 1000000000] = A[v]\n    for i in range(8):\n"
                                        "        with T.block(\"c\"):\n            v = T.axis.spatial(8, i)\n"
                                        "            A[v] = B[v * 1000000000]\n");
    std::vector<Case> all = withEvery("10^18 iterations", loops, {{"lower"}, {"verify", "--interpreter"}});
    for (Case &each : withEvery("a buffer of 400 GB", memory))
        all.push_back(std::move(each));
    return all;
}

} // namespace

class HostileProgramsTest : public QObject {
    Q_OBJECT

    std::vector<Case> m_cases;

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto &group : {largePrograms(), endless()})
            m_cases.insert(m_cases.end(), group.begin(), group.end());
    }

    void isRefusedOrDone_data() { addRows(m_cases); }
    void isRefusedOrDone() { checkRow(m_cases); }
};

QTEST_GUILESS_MAIN(HostileProgramsTest)
#include "hostile_programs_test.moc"
