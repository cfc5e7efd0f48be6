// SPDX-License-Identifier: Apache-2.0
// Calls of OpenBLAS: a library of its name is loaded before, which notes how it is called.
#include "core/measure/peers/peer.h"

#include "core/backend/link/compiler.h"
#include "core/measure/machine/other_load.h"

#include <QTest>

#include <dlfcn.h>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

/// The first call takes longer than all that are made to warm up.
constexpr const char *text = R"(
#include <time.h>
int nw_calls, nw_threads, nw_words[9];
double nw_factors[2];
const void *nw_arrays[3];
void openblas_set_num_threads(int threads) { nw_threads = threads; }
const char *openblas_get_config(void) { return "OpenBLAS 9.8.7 NO_LAPACK"; }
static void note(int order, int a, int b, int m, int n, int k, int x, int y, int z)
{
    const int words[] = {order, a, b, m, n, k, x, y, z};
    const struct timespec first = {0, 110000000};
    for (int i = 0; i < 9; ++i)
        nw_words[i] = words[i];
    if (nw_calls++ == 0)
        nanosleep(&first, 0);
}
#define GEMM(name, type)                                                                                     \
    void name(int order, int a, int b, int m, int n, int k, type alpha, const type *x, int sx,               \
              const type *y, int sy, type beta, type *z, int sz)                                             \
    {                                                                                                        \
        nw_factors[0] = alpha;                                                                               \
        nw_factors[1] = beta;                                                                                \
        z[(m - 1) * sz + n - 1] = x[m * k - 1] + y[k * n - 1];                                               \
        note(order, a, b, m, n, k, sx, sy, sz);                                                              \
    }
GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)
)";

using Words = std::vector<int>;

} // namespace

class PeerCallsTest : public QObject {
    Q_OBJECT

    void *m_library = nullptr;

    template <class T> T &noted(const char *name) const { return *static_cast<T *>(dlsym(m_library, name)); }
    Words words() const
    {
        const int *begin = &noted<int>("nw_words");
        return {begin, begin + 9};
    }

private Q_SLOTS:
    void initTestCase()
    {
        const backend::TemporaryFolder folder;
        const auto file = folder.path() / "blas.c", object = folder.path() / "blas.so";
        backend::writeFile(file, text);
        const auto compiled = backend::runCompiler({"-std=gnu11", "-shared", "-fPIC", "-o", object.string(),
                                                    file.string(), "-Wl,-soname,libopenblas.so.0"},
                                                   {});
        if (!compiled && compiled.error().code == "backend.no-compiler")
            QSKIP("there is no C compiler here");
        QVERIFY2(compiled, compiled ? "" : compiled.error().message.c_str());
        m_library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
        QVERIFY2(m_library, m_library ? "" : dlerror());
    }

    void init() { noted<int>("nw_calls") = 0; }

    /// Once until it is warm, then 15 samples, each of one call where the first was that slow.
    void callsAreCounted()
    {
        const auto time =
            timePeer(analysis::MatrixProduct{4, 3, 2, false, false, false}, 3, PeerLibrary::OpenBlas);
        QVERIFY2(time, time ? "" : time.error().message.c_str());
        QCOMPARE(noted<int>("nw_calls"), 1 + 15);
        QCOMPARE(noted<int>("nw_threads"), 3);
        QCOMPARE(time->library, std::string("OpenBLAS 9.8.7"));
        QCOMPARE(time->flops, 2.0 * 4 * 3 * 2);
        QVERIFY(time->seconds.low > 0 && time->seconds.median < 0.1); // not the first
    }

    void allCoresAreUsedWhereNoNumberIsGiven()
    {
        QVERIFY(timePeer(analysis::MatrixProduct{1, 1, 1, false, false, false}, 0, PeerLibrary::OpenBlas));
        QCOMPARE(noted<int>("nw_threads"), usableCores());
    }

    void matricesLieAsTheProductSays_data()
    {
        QTest::addColumn<bool>("isDouble");
        QTest::addColumn<bool>("transposedA");
        QTest::addColumn<bool>("transposedB");
        QTest::addColumn<Words>("expected");
        // 101: row by row; 111: as it is; 112: transposed; 4 x 2 times 2 x 3.
        QTest::newRow("plain") << false << false << false << Words{101, 111, 111, 4, 3, 2, 2, 3, 3};
        QTest::newRow("A transposed") << false << true << false << Words{101, 112, 111, 4, 3, 2, 4, 3, 3};
        QTest::newRow("B transposed") << true << false << true << Words{101, 111, 112, 4, 3, 2, 2, 2, 3};
        QTest::newRow("both") << true << true << true << Words{101, 112, 112, 4, 3, 2, 4, 2, 3};
    }
    void matricesLieAsTheProductSays()
    {
        QFETCH(bool, isDouble);
        QFETCH(bool, transposedA);
        QFETCH(bool, transposedB);
        analysis::MatrixProduct product{4, 3, 2};
        product.isDouble = isDouble;
        product.transposedA = transposedA;
        product.transposedB = transposedB;
        QVERIFY(timePeer(product, 1, PeerLibrary::OpenBlas));
        QTEST(words(), "expected");
        const double *factors = &noted<double>("nw_factors");
        QCOMPARE(factors[0], 1.0);
        QCOMPARE(factors[1], 0.0);
    }
};

QTEST_GUILESS_MAIN(PeerCallsTest)
#include "peer_calls_test.moc"
