// SPDX-License-Identifier: Apache-2.0
// Models and arrays that are meant to exhaust memory, stack or time: nestc says no in one sentence, within 10
// s and 2 GB.
#include "tests/cli/hostile.h"
#include "tests/support/onnx_bytes.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace nestwright::tests;

namespace {

Make onnxModel(const std::string &text, const QStringList &command = {"graph"})
{
    return [=](const NestcRunner &nestc) {
        return QStringList{command.front(), nestc.write("model.onnx", bytes(text))} + command.mid(1);
    };
}

/// A .npy file with that header and data, given for an argument of a small kernel.
Make npy(const QByteArray &header, const QByteArray &data = {}, bool isLong = false)
{
    return [=](const NestcRunner &nestc) {
        QByteArray file("\x93NUMPY\x01\x00", 8);
        file[6] = isLong ? 2 : 1;
        const auto length = static_cast<quint32>(header.size());
        for (int i = 0; i < (isLong ? 4 : 2); ++i)
            file += static_cast<char>(length >> (8 * i));
        return QStringList{"run", "op:matmul(M=2,N=2,K=2)", "--in",
                           "A=" + nestc.write("a.npy", file + header + data)};
    };
}

std::vector<Case> models()
{
    using namespace onnx;
    const auto withNode = [](const std::string &nodes, const std::string &more = {},
                             const Sizes &x = {1, 4, 4, 4}) {
        return onnx::model(nodes + more + onnx::input("x", x) + output("y"));
    };
    const auto shaped = [&](const char *op, const Sizes &sizes, const std::string &attributes = {}) {
        return withNode(node(op, {"x", "s"}, {"y"}, attributes), weight("s", sizes));
    };
    std::string chain, wide, calls, deep;
    for (int i = 0; i < 20'000; ++i)
        chain += node("Relu", {i == 0 ? "x" : "v" + std::to_string(i)},
                      {i == 19'999 ? "y" : "v" + std::to_string(i + 1)});
    for (int i = 0; i < 60; ++i) { // each calls the one before twice
        const std::string before = i == 0 ? "Relu" : "f" + std::to_string(i - 1), domain = i == 0 ? "" : "d";
        calls += field(25, field(1, "f" + std::to_string(i)) + field(4, "a") + field(5, "c")
                               + node(before, {"a"}, {"b"}, {}, domain, 7)
                               + node(before, {"b"}, {"c"}, {}, domain, 7)
                               + field(9, field(2, std::int64_t{18})) + field(10, "d"));
    }
    for (int i = 0; i < 200; ++i)
        deep =
            node("If", {"x"}, {"y"}, graphAttribute("then_branch", deep) + graphAttribute("else_branch", {}));
    for (int i = 0; i < 200'000; ++i)
        wide += field(1, std::string_view());
    const std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();
    std::vector<Case> all{
        {"Split without results", onnxModel(withNode(node("Split", {"x"}, {})))},
        {"Split with parts that wrap",
         onnxModel(withNode(node("Split", {"x", "s"}, {"y", "z", "w"}), weight("s", {most, most, 3})))},
        {"DepthToSpace with a block of 2^32",
         onnxModel(
             withNode(node("DepthToSpace", {"x"}, {"y"}, integer("blocksize", std::int64_t{1} << 32))))},
        {"DepthToSpace with a block of 2^31",
         onnxModel(
             withNode(node("DepthToSpace", {"x"}, {"y"}, integer("blocksize", std::int64_t{1} << 31))))},
        {"SpaceToDepth with a block of 2^40 and an empty image",
         onnxModel(withNode(node("SpaceToDepth", {"x"}, {"y"}, integer("blocksize", std::int64_t{1} << 40)),
                            {}, {1, 4, 0, 0}))},
        {"Expand to exabytes", onnxModel(shaped("Expand", {most, most, most, most}))},
        {"Expand to 10^6 dimensions", onnxModel(shaped("Expand", Sizes(1'000'000, 1)))},
        {"Expand to 10^6 dimensions that do not broadcast", onnxModel(shaped("Expand", Sizes(1'000'000, 2)))},
        {"ConstantOfShape with 10^6 dimensions",
         onnxModel(withNode(node("ConstantOfShape", {"s"}, {"y"}), weight("s", Sizes(1'000'000, 1))))},
        {"Reshape to 10^6 dimensions", onnxModel(shaped("Reshape", Sizes(1'000'000, 1)))},
        {"Tile by 2^62", onnxModel(shaped("Tile", {1, 1, std::int64_t{1} << 62, 4}))},
        {"Pad by 2^62", onnxModel(shaped("Pad", {0, 0, 0, 0, most, most, 0, 0}))},
        {"CenterCropPad to less than nothing", onnxModel(shaped("CenterCropPad", {least, most, 4, 4}))},
        {"ConstantOfShape of exabytes",
         onnxModel(withNode(node("ConstantOfShape", {"s"}, {"y"}), weight("s", {most, 8})))},
        {"ConstantOfShape whose sizes wrap",
         onnxModel(withNode(node("ConstantOfShape", {"s"}, {"y"}),
                            weight("s", {std::int64_t{1} << 32, std::int64_t{1} << 32})))},
        {"Range without end",
         onnxModel(withNode(node("Range", {"a", "b", "c"}, {"y"}),
                            weight("a", {least}) + weight("b", {most}) + weight("c", {1})))},
        {"EyeLike with a diagonal at the end",
         onnxModel(withNode(node("EyeLike", {"x"}, {"y"}, integer("k", most)), {}, {4, 4}))},
        {"STFT with a window that is a number",
         onnxModel(withNode(node("STFT", {"x", "s", "w"}, {"y"}),
                            weight("s", {1}) + field(5, tensor("w", {}, Float, std::string(4, '\0'))),
                            {1, 8, 1}))},
        {"MelWeightMatrix of many bands",
         onnxModel(withNode(node("MelWeightMatrix", {"a", "a", "a", "a", "a"}, {"y"}), weight("a", {most})))},
        {"ConvTranspose whose output shape is short",
         onnxModel(withNode(node("ConvTranspose", {"x", "w"}, {"y"}, integers("output_shape", {5})),
                            field(5, tensor("w", {4, 1, 3, 3}, Float, std::string(144, '\0')))))},
        {"MaxPool with a huge stride", onnxModel(withNode(node("MaxPool", {"x"}, {"y"},
                                                               integers("kernel_shape", {most, most})
                                                                   + integers("strides", {most, least}))))},
        {"MaxUnpool with a huge stride",
         onnxModel(withNode(node("MaxUnpool", {"x", "x"}, {"y"},
                                 integers("kernel_shape", {2, 2}) + integers("strides", {most, most}))))},
        {"Conv with groups of 0",
         onnxModel(withNode(node("Conv", {"x", "w"}, {"y"}, integer("group", 0)),
                            field(5, tensor("w", {4, 1, 3, 3}, Float, std::string(144, '\0')))))},
        {"Transpose twice the same",
         onnxModel(withNode(node("Transpose", {"x"}, {"y"}, integers("perm", {0, 0, 9, -1}))))},
        {"Concat of nothing", onnxModel(withNode(node("Concat", {}, {"y"}, integer("axis", 0))))},
        {"Slice with a step of 0",
         onnxModel(withNode(node("Slice", {"x", "a", "b", "c", "d"}, {"y"}),
                            weight("a", {0}) + weight("b", {most}) + weight("c", {0}) + weight("d", {0})))},
        {"a chain of 20,000 nodes", onnxModel(onnx::model(chain + onnx::input("x", {4}) + output("y")))},
        {"functions that call each other twice, 60 deep",
         onnxModel(
             onnx::model(node("f59", {"x"}, {"y"}, {}, "d") + onnx::input("x", {4}) + output("y"), calls))},
        {"branches 200 deep", onnxModel(withNode(deep))},
        {"200,000 empty nodes", onnxModel(onnx::model(wide + output("y")))},
        {"a loop of a million turns",
         onnxModel(
             withNode(node("Loop", {"n", "", "x"}, {"y"},
                           graphAttribute("body", node("Identity", {"c"}, {"d"}) + node("Relu", {"v"}, {"w"})
                                                      + onnx::input("i", {}, Int64) + onnx::input("c", {}, 9)
                                                      + onnx::input("v", {4}) + output("d") + output("w"))),
                      weight("n", {1'000'000}), {4}))},
        {"a weight of more than it holds",
         onnxModel(
             withNode(node("Relu", {"x"}, {"y"}), field(5, tensor("w", {1 << 20, 1 << 10}, Float, "abcd"))))},
        {"a weight of 10^5 dimensions",
         onnxModel(
             withNode(node("Relu", {"x"}, {"y"}), field(5, tensor("w", Sizes(100'000, 1), Float, "abcd"))))},
        {"an empty weight with sizes that wrap",
         onnxModel(withNode(node("Flatten", {"w"}, {"y"}),
                            field(5, tensor("w", {0, most, most, most}, Float, {}))))},
        {"an input of 10^5 dimensions",
         onnxModel(withNode(node("Relu", {"x"}, {"y"}), {}, Sizes(100'000, 1)))},
        {"an input of exabytes",
         onnxModel(withNode(node("Relu", {"x"}, {"y"}), {}, {most, most}), {"run-model"})},
        {"a model that needs much memory",
         onnxModel(withNode(node("Exp", {"x"}, {"v"}) + node("ReduceSum", {"v"}, {"y"}), {}, {2'000'000'000}),
                   {"run-model"})},
        {"text for a model", onnxModel("not a model at all")},
        {"an empty file for a model", onnxModel({})},
        {"a zero file for a model", onnxModel(std::string(1'000'000, '\0'))},
    };
    const std::pair<const char *, std::vector<std::pair<std::string, std::string>>> places[] = {
        {"a device", {{"location", "/dev/zero"}}},
        {"the folder above", {{"location", "../outside.bin"}}},
        {"a link", {{"location", "link.bin"}}},
        {"a linked folder", {{"location", "linked/outside.bin"}}},
        {"a FIFO", {{"location", "fifo"}}},
        {"a folder", {{"location", "folder"}}},
        {"nothing", {{"location", ""}}},
        {"an offset beyond the end", {{"location", "data.bin"}, {"offset", "9223372036854775807"}}},
        {"a length that is another", {{"location", "data.bin"}, {"length", "17"}}},
        {"an offset below 0", {{"location", "data.bin"}, {"offset", "-1"}}},
    };
    for (const auto &[what, settings] : places) {
        const std::string text =
            withNode(node("Add", {"x", "w"}, {"y"}), externalWeight("w", {4}, settings), {4});
        all.push_back({QString("external data: ") + what, [=](const NestcRunner &nestc) {
                           const QString folder = nestc.file("model");
                           QDir().mkpath(folder + "/folder");
                           nestc.write("outside.bin", QByteArray(16, '\0'));
                           nestc.write("model/data.bin", QByteArray(16, '\0'));
                           QFile::link(nestc.file("outside.bin"), folder + "/link.bin");
                           QFile::link(nestc.file(""), folder + "/linked");
                           mkfifo(qPrintable(folder + "/fifo"), 0600);
                           return QStringList{"graph", nestc.write("model/model.onnx", bytes(text))};
                       }});
    }
    all.push_back({"external data that are not there, of exabytes", [=](const NestcRunner &nestc) {
                       nestc.write("data.bin", "few");
                       const std::string text =
                           withNode(node("Add", {"x", "w"}, {"y"}),
                                    externalWeight("w", {2'000'000'000}, {{"location", "data.bin"}}), {4});
                       return QStringList{"graph", nestc.write("model.onnx", bytes(text))};
                   }});
    return all;
}

std::vector<Case> arrays()
{
    const auto header = [](const char *descr, const char *shape) {
        return QByteArray("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    };
    return {
        {"npy whose shape wraps to nothing", npy(header("<f4", "(4294967296, 4294967296)"))},
        {"npy whose shape wraps to its data",
         npy(header("<f4", "(4611686018427387905, 4)"), QByteArray(16, '\0'))},
        {"npy of 2^62 elements", npy(header("<f4", "(4611686018427387904,)"))},
        {"npy of a size that is too long", npy(header("<f4", "(99999999999999999999999999,)"))},
        {"npy of a size below 0", npy(header("<f4", "(-4, -4)"), QByteArray(64, '\0'))},
        {"npy of 10^4 dimensions",
         npy(header("<f4", "(" + QByteArray("1,").repeated(10'000) + ")"), QByteArray(4, '\0'))},
        {"npy that is empty with sizes that wrap",
         npy(header("<f4", "(0, 9223372036854775807, 9223372036854775807)"))},
        {"npy without a shape", npy("{'descr': '<f4', 'fortran_order': False}")},
        {"npy without anything", npy("")},
        {"npy with keys and nothing behind them", npy("'descr':'shape':'fortran_order':")},
        {"npy whose shape is never closed", npy(header("<f4", "(2, 2"), QByteArray(16, '\0'))},
        {"npy of objects", npy(header("|O", "(2, 2)"), QByteArray(16, '\0'))},
        {"npy with a long header", npy(QByteArray(1'000'000, ' '), {}, true)},
        {"npy whose header is longer than it",
         [](const NestcRunner &nestc) {
             return QStringList{
                 "run", "op:matmul(M=2,N=2,K=2)", "--in",
                 "A=" + nestc.write("a.npy", QByteArray("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12))};
         }},
        {"npy that is cut off", npy(header("<f4", "(2, 2)"), QByteArray(15, '\0'))},
        {"npy that is too long", npy(header("<f4", "(2, 2)"), QByteArray(17, '\0'))},
        {"npy that is column-major",
         npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", QByteArray(16, '\0'))},
        {"npy that does not fit a size of n * 2",
         [](const NestcRunner &nestc) {
             const QString kernel =
                 nestc.write("kernel.py", "from tvm.script import tir as T\n@T.prim_func\n"
                                          "def main(a: T.handle, b: T.handle):\n    n = T.int32()\n"
                                          "    A = T.match_buffer(a, (n,))\n"
                                          "    B = T.match_buffer(b, (n * 2,))\n"
                                          "    for i in range(n * 2):\n        B[i] = A[i // 2]\n");
             const auto floats = [&](const char *name, int count) {
                 QByteArray head = QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (")
                                   + QByteArray::number(count) + ",), }";
                 QByteArray file("\x93NUMPY\x01\x00", 8);
                 file += static_cast<char>(head.size());
                 file += '\0';
                 return nestc.write(name, file + head + QByteArray(qsizetype{4} * count, '\0'));
             };
             return QStringList{
                 "run", kernel, "--in", "A=" + floats("a.npy", 1'000'000), "--in", "B=" + floats("b.npy", 3)};
         }},
        {"pb that is none",
         [](const NestcRunner &nestc) {
             const std::string model =
                 onnx::model(onnx::node("Relu", {"x"}, {"y"}) + onnx::input("x", {4}) + onnx::output("y"));
             return QStringList{"run-model", nestc.write("model.onnx", bytes(model)), "--in",
                                "x=" + nestc.write("x.pb", QByteArray(1000, '\xff'))};
         }},
        {"pb with data in another file",
         [](const NestcRunner &nestc) {
             const std::string model =
                 onnx::model(onnx::node("Relu", {"x"}, {"y"}) + onnx::input("x", {4}) + onnx::output("y"));
             const std::string tensor =
                 onnx::tensor("x", {4}, onnx::Float, {}) + onnx::field(14, std::int64_t{1})
                 + onnx::field(13, onnx::field(1, "location") + onnx::field(2, "/etc/hostname"));
             return QStringList{"run-model", nestc.write("model.onnx", bytes(model)), "--in",
                                "x=" + nestc.write("x.pb", bytes(tensor))};
         }},
        {"4-bit integers that are none",
         [](const NestcRunner &nestc) {
             const std::string model =
                 onnx::model(onnx::node("Cast", {"x"}, {"y"}, onnx::integer("to", 1))
                                 + onnx::input("x", {4}, onnx::Int4) + onnx::output("y"),
                             {}, 21);
             return QStringList{"run-model", nestc.write("model.onnx", bytes(model)), "--in",
                                "x="
                                    + nestc.write("x.pb", bytes(onnx::tensor("x", {4}, onnx::Int8,
                                                                             std::string("\1\2\11\4", 4))))};
         }},
    };
}

} // namespace

class HostileModelsTest : public QObject {
    Q_OBJECT

    std::vector<Case> m_cases;

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto &group : {models(), arrays()})
            m_cases.insert(m_cases.end(), group.begin(), group.end());
    }

    void isRefusedOrRead_data() { addRows(m_cases); }
    void isRefusedOrRead() { checkRow(m_cases); }
};

QTEST_GUILESS_MAIN(HostileModelsTest)
#include "hostile_models_test.moc"
