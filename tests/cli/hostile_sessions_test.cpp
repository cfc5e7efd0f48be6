// SPDX-License-Identifier: Apache-2.0
// Sessions, traces and schedules that are meant to exhaust memory, stack or time: nestc says no in one
// sentence, within 10 s and 2 GB.
#include "tests/cli/hostile.h"

using namespace nestwright::tests;

namespace {

Make session(const QByteArray &text)
{
    return [=](const NestcRunner &nestc) { return QStringList{"print", nestc.write("session.nest", text)}; };
}

Make trace(const QByteArray &text)
{
    return [=](const NestcRunner &nestc) {
        return QStringList{"apply", NestcRunner::example("matmul.py"), "--schedule",
                           nestc.write("trace.json", text)};
    };
}

Make schedule(const QByteArray &text)
{
    return [=](const NestcRunner &nestc) {
        return QStringList{"apply", NestcRunner::example("matmul.py"), "--schedule",
                           nestc.write("schedule.py", text)};
    };
}

std::vector<Case> json()
{
    const QByteArray opening(100'000, '['), closing(100'000, ']');
    const QByteArray objects = QByteArray("{\"a\":").repeated(100'000) + "1" + QByteArray(100'000, '}');
    const QByteArray head = R"({"format": "nestwright-session", "version": 1, )";
    return {
        {"session of 100,000 brackets", session(opening + closing)},
        {"session of 100,000 brackets never closed", session(opening)},
        {"session of 100,000 objects", session(objects)},
        {"session with a deep step",
         session(head + R"("source": {}, "module": "", "variants": [{}, {"parent": 0, "step": )" + opening
                 + closing + "}]}")},
        {"session whose format is a number", session(R"({"format": 5})")},
        {"session whose format is a list", session(R"({"format": [], "version": {}})")},
        {"session without a version", session(R"({"format": "nestwright-session"})")},
        {"session of version 0", session(R"({"format": "nestwright-session", "version": 0})")},
        {"session of version -1", session(R"({"format": "nestwright-session", "version": -1})")},
        {"session of version 2^64",
         session(R"({"format": "nestwright-session", "version": 18446744073709551616})")},
        {"session of version 5", session(R"({"format": "nestwright-session", "version": 5})")},
        {"session with a version as text", session(R"({"format": "nestwright-session", "version": "1"})")},
        {"session with nothing in it", session(head + R"("source": {}})")},
        {"session whose module is a number", session(head + R"("source": {}, "module": 1, "variants": []})")},
        {"session whose source is a list", session(head + R"("source": [], "module": "", "variants": []})")},
        {"session of a model as a kernel",
         session(R"({"format": "nestwright-model-session", "version": 1})")},
        {"session of a million empty lists", session("[" + QByteArray("[],").repeated(1'000'000) + "[]]")},
        {"trace of 100,000 brackets", trace(opening + closing)},
        {"trace of 100,000 objects", trace(objects)},
        {"trace with a deep argument",
         trace(R"([[["GetBlock", [)" + opening + closing + "], [], [\"b\"]]], []]")},
        {"trace that is no trace", trace("[[1, 2, 3], {}]")},
        {"trace with huge numbers",
         trace(
             R"([[["GetBlock", [], ["C", "main"], ["b0"]], ["GetLoops", ["b0"], [], ["l1", "l2", "l3"]],)"
             R"( ["Split", ["l1", 9223372036854775807, 9223372036854775807], [1, 0], ["l4", "l5"]]], []])")},
        {"trace whose decision is far away", trace(R"([[], [[18446744073709551615, [1]]]])")},
        {"trace whose formula is deep",
         trace(R"([[["Split", [")" + QByteArray("(").repeated(100'000) + R"("], [], []]], []])")},
    };
}

std::vector<Case> schedules()
{
    const QByteArray head = "def apply_trace(sch):\n    b = sch.get_block(name=\"C\", func_name=\"main\")\n"
                            "    i, j, k = sch.get_loops(block=b)\n";
    return {
        {"schedule of 100,000 brackets", schedule(head + "    x = " + QByteArray(100'000, '(') + "\n")},
        {"schedule with factors that wrap",
         schedule(head + "    sch.split(i, factors=[4294967296, 4294967296, 4294967296])\n")},
        {"schedule with huge factors",
         schedule(head + "    sch.split(i, factors=[9223372036854775807, None])\n")},
        {"schedule with 10,000 factors",
         schedule(head + "    sch.split(i, factors=[" + QByteArray("1, ").repeated(10'000) + "None])\n")},
        {"schedule with a list that doubles",
         schedule(head + "    x = [1]\n" + QByteArray("    x = x + x\n").repeated(60)
                  + "    sch.split(i, factors=x)\n")},
        {"schedule with a long list", schedule(head + "    x = [1] * 10**9\n    sch.split(i, factors=x)\n")},
        {"schedule with a long string", schedule(head + "    x = \"a\" * 10**10\n    sch.get_block(x)\n")},
        {"schedule with a long number", schedule(head + "    sch.split(i, factors=[2**(2**60), None])\n")},
        {"schedule divided by zero", schedule(head + "    sch.split(i, factors=[1 // 0, 1 % 0])\n")},
        {"schedule with a least number divided",
         schedule(head
                  + "    sch.split(i, factors=[-9223372036854775808 // -1, -9223372036854775808 % -1])\n")},
        {"schedule with 3,000 unit loops",
         schedule(head + QByteArray("    i = sch.add_unit_loop(i)\n").repeated(600))},
        {"schedule with a huge alignment",
         schedule(head
                  + "    c = sch.cache_read(b, 0, \"local\")\n    sch.storage_align(c, 0, 0, "
                    "9223372036854775807, 9223372036854775807)\n")},
        {"schedule with a huge index map",
         schedule(head + "    sch.transform_layout(b, (\"write\", 0), lambda i, j: ("
                  + QByteArray("i + ").repeated(100'000) + "j,))\n")},
        {"schedule with an index map that divides by zero",
         schedule(head + "    sch.transform_layout(b, (\"write\", 0), lambda i, j: (i // 0, j % 0))\n")},
        {"schedule with a huge index map's factor",
         schedule(
             head
             + "    sch.transform_layout(b, (\"write\", 0), lambda i, j: (i * 9223372036854775807, j))\n")},
        {"schedule with an annotation that is deep",
         schedule(head + "    sch.annotate(b, \"a\", " + QByteArray(150, '[') + QByteArray(150, ']')
                  + ")\n")},
        {"schedule that pads to exabytes", schedule(head + "    sch.pad_einsum(b, [2**60, 2**60, 2**60])\n")},
    };
}

} // namespace

class HostileSessionsTest : public QObject {
    Q_OBJECT

    std::vector<Case> m_cases;

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto &group : {json(), schedules()})
            m_cases.insert(m_cases.end(), group.begin(), group.end());
    }

    void isRefusedOrRead_data() { addRows(m_cases); }
    void isRefusedOrRead() { checkRow(m_cases); }
};

QTEST_GUILESS_MAIN(HostileSessionsTest)
#include "hostile_sessions_test.moc"
