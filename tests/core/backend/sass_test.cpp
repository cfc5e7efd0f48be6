// SPDX-License-Identifier: Apache-2.0
// The machine code of NVIDIA's GPUs as text: how what nvdisasm prints is read, and how it is asked. Its
// stand-in is a script.
#include "core/backend/cuda/sass.h"

#include "core/backend/device/ptx_listing.h"
#include "core/backend/link/compiler.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::backend;
namespace fs = std::filesystem;

namespace {

constexpr const char *ofTwoKernels = R"(	.target	sm_90

	.elftype	@"ET_EXEC"


//--------------------- .text.fill                   --------------------------
	.section	.text.fill,"ax",@progbits
	.align	128
        .global         fill
        .other          fill,@"STO_CUDA_ENTRY STV_DEFAULT"
fill:
.text.fill:
	//## File "kernels.cu", line 2
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_9:
	//## File "kernels.cu", line 4
        /*0010*/              @!P0 EXIT ;
.L_x_1:
	//## File "kernels.cu", line 1 inlined at "kernels.cu", line 3
        /*0020*/                   FADD R2, R3.reuse, -R3 ;
	//## File "kernels.cu", line 4
        /*0030*/               @P1 BRA `(.L_x_1) ;
        /*0040*/              @UP0 UIADD3 UR4, UR4, 0x1, URZ ;
	//## File "kernels.cu", line 30
        /*0050*/                   EXIT ;
.L_x_0:
        /*0060*/                   BRA `(.L_x_0);
        /*0070*/                   NOP;
        /*0080*/                   NOP;
.L_x_12:


//--------------------- .text.none                   --------------------------
	.section	.text.none,"ax",@progbits
none:
.text.none:
        /*0000*/                   EXIT ;
        /*0010*/                   NOP;
)";

} // namespace

class SassTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TemporaryFolder> m_folder;

    /// A program that does what the shell's `commands` say.
    fs::path made(const fs::path &place, const std::string &commands) const
    {
        const fs::path file = m_folder->path() / place;
        fs::create_directories(file.parent_path());
        writeFile(file, "#!/bin/sh\n" + commands + '\n');
        fs::permissions(file, fs::perms::owner_all);
        return file;
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<TemporaryFolder>();
        for (const char *name : {"NESTWRIGHT_NVDISASM", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"})
            qunsetenv(name);
        qputenv("XDG_CACHE_HOME", m_folder->path().c_str());
        qputenv("PATH", "/usr/bin:/bin");
    }
    void cleanup() { m_folder.reset(); }

    /// Helpers are of the line that calls them; what fills up is left out, and so are labels of nothing.
    void whatIsPrintedIsMadeReadable()
    {
        const support::StmtId outer{7}, inner{8};
        const std::vector<script::LineSpan> spans{{outer, 1, 4}, {inner, 2, 2}};
        const Listing listing = cleanSass(ofTwoKernels, "Made by hand",
                                          [&](std::uint32_t line) { return statementAt(line, spans); });
        QCOMPARE(QString::fromStdString(listing.text), QStringLiteral("// Made by hand\n"
                                                                      "\n"
                                                                      "fill:\n"
                                                                      "          LDC R1, c[0x0][0x28]\n"
                                                                      "    @!P0  EXIT\n"
                                                                      ".L_x_1:\n"
                                                                      "          FADD R2, R3.reuse, -R3\n"
                                                                      "    @P1   BRA .L_x_1\n"
                                                                      "    @UP0  UIADD3 UR4, UR4, 0x1, URZ\n"
                                                                      "          EXIT\n"
                                                                      "\n"
                                                                      "none:\n"
                                                                      "          EXIT\n"));
        const std::vector<script::LineSpan> expected{{outer, 3, 4}, {inner, 6, 6}, {outer, 7, 8}};
        QVERIFY(listing.spans == expected);
    }

    /// Text that is none of nvdisasm's harms nothing.
    void otherTextGivesNothing()
    {
        const auto statementOf = [](std::uint32_t) { return support::StmtId{}; };
        for (const char *text : {"", "/*", "/* */", "/*0*/ BRA `(", "//## File", ".text.", ".L:", "\n\n"}) {
            const Listing listing = cleanSass(text, "Nothing", statementOf);
            QVERIFY(listing.text.starts_with("// Nothing\n"));
            QVERIFY(listing.spans.empty());
        }
    }

    void theToolIsAsked()
    {
        const fs::path tool =
            made("named", R"(test "$1 $2" = "--print-code --print-line-info-inline" || exit 3
cat "$3")");
        qputenv("NESTWRIGHT_NVDISASM", tool.c_str());
        const auto printed = disassembled("what NVRTC made", {});
        QVERIFY2(printed, printed ? "" : printed.error().render().c_str());
        QCOMPARE(*printed, std::string("what NVRTC made"));
    }

    void toolsAreFoundWhereToolkitsPutThem()
    {
        made("toolkit/bin/nvdisasm", "echo toolkit");
        made("path/nvdisasm", "echo path");
        made("nestwright/cuda/nvidia/cu13/bin/nvdisasm", "echo wheel");
        qputenv("PATH", (m_folder->path() / "path").string().c_str() + QByteArray(":/usr/bin:/bin"));
        QCOMPARE(disassembled("", {}).value(), std::string("wheel\n"));
        qputenv("CUDA_HOME", (m_folder->path() / "toolkit").c_str());
        QCOMPARE(disassembled("", {}).value(), std::string("toolkit\n"));
        qunsetenv("CUDA_HOME");
        fs::remove_all(m_folder->path() / "nestwright");
        if (!fs::exists("/usr/local/cuda/bin/nvdisasm"))
            QCOMPARE(disassembled("", {}).value(), std::string("path\n"));
    }

    void whereThereIsNoneThatIsSaid()
    {
        if (fs::exists("/usr/local/cuda/bin/nvdisasm"))
            QSKIP("there is one here");
        const auto none = disassembled("", {});
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("cuda.no-disassembler"));
        QVERIFY2(none.error().hint.contains("pip install --target " + m_folder->path().string()
                                            + "/nestwright/cuda nvidia-cuda-nvdisasm"),
                 none.error().hint.c_str());
    }

    void toolsThatFail()
    {
        qputenv("NESTWRIGHT_NVDISASM", made("failing", "echo cannot read this >&2; exit 1").c_str());
        const auto failed = disassembled("", {});
        QVERIFY(!failed);
        QCOMPARE(failed.error().code, std::string("cuda.disassembler"));
        QVERIFY2(failed.error().message.ends_with("failing' failed: cannot read this"),
                 failed.error().message.c_str());
        qputenv("NESTWRIGHT_NVDISASM", "/nowhere/nvdisasm");
        QCOMPARE(disassembled("", {}).error().code, std::string("cuda.disassembler"));
        qputenv("NESTWRIGHT_NVDISASM", made("slow", "sleep 100").c_str());
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(disassembled("", stop.get_token()).error().code, std::string("cancelled"));
    }
};

QTEST_GUILESS_MAIN(SassTest)
#include "sass_test.moc"
