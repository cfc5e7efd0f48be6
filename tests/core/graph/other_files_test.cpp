// SPDX-License-Identifier: Apache-2.0
// Files that are given as models and are something else: each is called what it is.
#include "core/frontend/onnx/file/model.h"

#include <QtTest>

using namespace nestwright;
using graph::onnx::readModelBytes;

namespace {

using std::string_literals::operator""s;

std::string messageOf(const std::string &bytes)
{
    const auto model = readModelBytes(bytes, ".");
    return model ? "read" : model.error().code + ": " + model.error().message;
}

} // namespace

class OtherFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formsAreNamed()
    {
        const std::pair<std::string, const char *> files[] = {
            {"", "empty"},
            {"<!DOCTYPE html><html><body>Sign in</body></html>\n", "an HTML page"},
            {"\xef\xbb\xbf \n<HTML lang=en>", "an HTML page"},
            {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
             "a pointer of Git LFS, which stands for the model"},
            {"{\"error\": \"Repository not found\"}", "text"},
            {"Not Found", "text"},
            {"PK\x03\x04\x14\x00\x00\x00"s, "a ZIP archive, as PyTorch keeps checkpoints"},
            {"\x1f\x8b\x08\x00\x00"s, "compressed by gzip"},
            {"\x80\x04\x95\x10"s, "a Python pickle"},
            {"\x1c\x00\x00\x00TFL3\x14"s, "a model of TensorFlow Lite"},
            {"\x1c\x00\x00\x00ORTM\x14"s, "a model in ONNX Runtime's own format (.ort)"},
        };
        for (const auto &[bytes, form] : files) {
            QCOMPARE(messageOf(bytes), std::string("onnx.format: \"model\" is no ONNX model: it is ") + form);
            QVERIFY(!readModelBytes(bytes, ".").error().hint.empty());
        }
        QCOMPARE(messageOf("\x08\x07\xff"s), "onnx.format: \"model\" is no ONNX model, or is cut off");
        QCOMPARE(messageOf("\x08\x07"s), "onnx.opset: \"model\" is no ONNX model: it states no operator set");
    }
};

QTEST_GUILESS_MAIN(OtherFilesTest)
#include "other_files_test.moc"
