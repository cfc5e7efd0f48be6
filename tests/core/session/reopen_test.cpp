// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/reopen.h"

#include "core/schedule/primitive.h"
#include "core/support/files/atomic_file.h"

#include <QTemporaryDir>
#include <QTest>
#include <format>

using namespace nestwright;
using namespace nestwright::session;

class ReopenTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// A product of matrices of that size, or the sum of all elements in each row of one.
    std::string write(int size, bool isProduct = true)
    {
        const std::string path = m_folder.filePath("kernel.py").toStdString();
        const std::string body =
            isProduct
                ? "k = te.reduce_axis((0, N), name=\"k\")\n"
                  "C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name=\"C\")\n"
                : "k = te.reduce_axis((0, N), name=\"k\")\nl = te.reduce_axis((0, N), name=\"l\")\n"
                  "C = te.compute((N,), lambda i: te.sum(A[i, k] * B[k, l], axis=[k, l]), name=\"C\")\n";
        const auto written = support::writeAtomically(
            path, std::format("from tvm import te\nN = {}\nA = te.placeholder((N, N), name=\"A\")\n"
                              "B = te.placeholder((N, N), name=\"B\")\n{}"
                              "func = te.create_prim_func([A, B, C])\n",
                              size, body));
        if (!written)
            qFatal("%s", written.error().render().c_str());
        return path;
    }
    static std::vector<std::string> labels(const Session &session)
    {
        std::vector<std::string> labels;
        for (const Variant &variant : session.tree().all())
            labels.push_back(variant.label);
        return labels;
    }
    Session worked()
    {
        Session session = Session::open(write(64)).value();
        for (const char *script :
             {"sch.parallel(sch.get_loops(\"C\")[0])", "sch.unroll(sch.get_loops(\"C\")[2])",
              "sch.parallel(sch.get_loops(\"C\")[0])\nsch.vectorize(sch.get_loops(\"C\")[1])"}) {
            if (const auto done = session.importSchedule(script, "s.py"); !done)
                qFatal("%s", done.error().render().c_str());
        }
        return session;
    }

private Q_SLOTS:
    void everyBranchIsThereAgain()
    {
        Session before = worked();
        before.setTarget(target::parseTarget("llvm -num-cores=1").value());
        QVERIFY(before.tree().setCurrent({2}));
        write(96);
        const auto after = reopen(before);
        QVERIFY(after);
        QVERIFY(after->notes().empty());
        QCOMPARE(after->target().str(), before.target().str());
        auto expected = labels(before), found = labels(*after);
        QCOMPARE(after->tree().current().label, before.tree().current().label);
        std::ranges::sort(expected);
        std::ranges::sort(found);
        QCOMPARE(found, expected);
        QVERIFY(after->source().text.contains("N = 96"));
    }

    /// A step that is illegal in the new file ends its branch, with a note; the others are there.
    void branchesEndWhereTheyAreNotLegal()
    {
        const Session before = worked();
        write(64, false);
        const auto after = reopen(before);
        QVERIFY(after);
        QCOMPARE(after->notes().size(), std::size_t{1}); // spatial before, a reduction now
        QCOMPARE(labels(*after), (std::vector<std::string>{"unscheduled", "unroll(l)", "parallel(i)"}));
        QCOMPARE(after->tree().current().label, std::string("parallel(i)"));
    }

    void aFileThatIsGoneOrWrongIsRefused()
    {
        const Session before = worked();
        QVERIFY(QFile::remove(m_folder.filePath("kernel.py")));
        const auto gone = reopen(before);
        QVERIFY(!gone);
        QCOMPARE(QString::fromStdString(gone.error().code), "open.no-file");
        const auto none = reopen(Session::open("op:matmul(M=4,N=4,K=4)").value());
        QVERIFY(!none);
        QCOMPARE(QString::fromStdString(none.error().code), "session.no-file");
    }
};

QTEST_GUILESS_MAIN(ReopenTest)
#include "reopen_test.moc"
