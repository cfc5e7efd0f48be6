// SPDX-License-Identifier: Apache-2.0
// Classes and macros that a file itself defines: their meaning, and refusals.
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

using namespace nestwright;

namespace {

support::Result<ir::Module> read(const std::string &text)
{
    return script::parseTvmScript("from tvm.script import tir as T\n" + text, "test.py");
}

ir::Module parsed(const std::string &text)
{
    const auto module = read(text);
    if (!module)
        qFatal("%s", module.error().render().c_str());
    return *module;
}

constexpr const char *staged = R"(
class Stage:
    """A copy of a buffer."""
    rows = 2

    def __init__(self, source, dtype="float32"):
        rank = len(source.shape)
        if rank == 1:
            self.shape = [Stage.rows, source.shape[0] // 2]
        else:
            self.shape = source.shape
        self.copy = T.alloc_buffer(self.shape, dtype)

    def place(self, i):
        return i // self.shape[1], i % self.shape[1]

    @T.macro
    def fill(self, source):
        for i in range(source.shape[0]):
            with T.block("fill"):
                vi = T.axis.spatial(source.shape[0], i)
                a, b = T.meta_var(self.place(vi))
                self.copy[a, b] = source[vi]

class Pair:
    def __init__(self, source):
        self.first = Stage(source)
        self.second = Stage(source, dtype="float32")

    @T.macro
    def fill(self, source):
        self.first.fill(source)
        self.second.fill(source)
)";

constexpr const char *plain = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    first = T.alloc_buffer((2, 4))
    second = T.alloc_buffer((2, 4))
    for i in range(8):
        with T.block("fill"):
            vi = T.axis.spatial(8, i)
            first[vi // 4, vi % 4] = A[vi]
    for i in range(8):
        with T.block("fill_1"):
            vi = T.axis.spatial(8, i)
            second[vi // 4, vi % 4] = A[vi]
    for i in range(8):
        with T.block("sum"):
            vi = T.axis.spatial(8, i)
            B[vi] = first[vi // 4, vi % 4] + second[0, 1]
)";

} // namespace

class ClassesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void objectsKeepBuffersAndMacros()
    {
        const ir::Module module = parsed(std::string(staged) + R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    pair = T.meta_var(Pair(A))
    pair.fill(A)
    for i in range(8):
        with T.block("sum"):
            vi = T.axis.spatial(8, i)
            a, b = T.meta_var(pair.first.place(vi))
            B[vi] = pair.first.copy[a, b] + pair.second.copy[0, pair.first.rows - 1]
)");
        const auto difference = ir::firstDifference(parsed(plain), module);
        QVERIFY2(!difference, (script::print(module).text + difference.value_or("")).c_str());
    }

    /// The second time a macro is used its blocks get other names, so that schedules can tell them apart.
    void blocksOfMacrosAreNumbered()
    {
        const ir::Module module = parsed(R"(
@T.macro
def put(buffer, value):
    with T.block("put"):
        buffer[0] = value

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    put(A, 1)
    put(A, 2)
    with T.block("last"):
        put(A, 3)
)");
        std::vector<std::string> names;
        ir::forEachStmt(module.functions().front().function->body, [&](const ir::Stmt &s) {
            if (const auto *block = s.as<ir::Block>())
                names.push_back(block->name);
            return true;
        });
        QCOMPARE(names, (std::vector<std::string>{"root", "put", "put_1", "last", "put_2"}));
    }

    /// A function within a function sees outer names as they are where it is used, but not names that are
    /// made around its use.
    void inlineSeesWhatIsAroundItsDefinition()
    {
        const ir::Module module = parsed(R"(
k = 7
@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(8):
        @T.inline
        def put(value):
            A[i] = value + k
        for k in range(3):
            put(k)
)");
        const ir::Module expected = parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(8):
        for j in range(3):
            A[i] = j + 7
)");
        const auto difference = ir::firstDifference(expected, module);
        QVERIFY2(!difference, (script::print(module).text + difference.value_or("")).c_str());
    }

    void refused_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("message");
        const auto row = [](const char *name, const std::string &classes, const std::string &body,
                            const std::string &message) {
            QTest::newRow(name) << classes + "\n@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\")):\n    "
                                       + body + '\n'
                                << message;
        };
        const std::string empty = "class Empty:\n    pass\n";
        row("no such member", empty, "o = T.meta_var(Empty())\n    A[o.x] = 0.0",
            "an object of the class 'Empty' has no member 'x'");
        row("argument too many", empty, "o = T.meta_var(Empty(A))", "too many arguments");
        row("missing argument", staged, "o = T.meta_var(Stage())", "needs the argument 'source'");
        row("a constant of itself", "class C:\n    x = C.x", "A[C.x] = 0.0", "defined by itself");
        row("constants in a circle", "class C:\n    x = C.y\n    y = C.x", "A[C.x] = 0.0",
            "defined by itself");
        row("no assignment", empty, "A[0] = T.meta_var(Empty())", "an assignment of its own");
        row("an object is no number", empty, "o = T.meta_var(Empty())\n    A[0] = o",
            "an object of the class 'Empty'");
        row("a class is no number", empty, "A[0] = Empty", "the class 'Empty'");
        row("base", "class Base:\n    pass\nclass Sub(Base):\n    pass", "o = T.meta_var(Sub())",
            "the class 'Sub' has a base");
        row("a loop in init",
            "class C:\n    def __init__(self):\n        for i in range(3):\n            pass",
            "o = T.meta_var(C())", "only assignments");
        row("a member of another", "class C:\n    def __init__(self, o):\n        o.x = 1",
            "o = T.meta_var(C(A))", "its own object only");
        row("without end", "class C:\n    def __init__(self):\n        self.c = C()", "o = T.meta_var(C())",
            "too often or too deep");
        row("a method without a value", "class C:\n    def m(self):\n        pass",
            "o = T.meta_var(C())\n    A[o.m()] = 0.0", "");
        row("a plain function inside", "", "def f():\n        A[0] = 0.0\n    f()", "@T.inline");
    }
    void refused()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, message);
        const auto module = read(text);
        QVERIFY(!module);
        const std::string said = module.error().render();
        QVERIFY2(said.find(message) != std::string::npos && !module.error().locations.empty(), said.c_str());
    }
};

QTEST_GUILESS_MAIN(ClassesTest)
#include "classes_test.moc"
