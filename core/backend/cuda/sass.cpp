// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/sass.h"

#include "core/backend/cuda/toolkit.h"
#include "core/backend/link/compiler.h"
#include "core/backend/tool.h"
#include "core/process/child_process.h"
#include "core/support/errors/codes.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

namespace nestwright::backend {

using support::fail;
using support::Result;
using support::StmtId;

namespace fs = std::filesystem;

namespace {

constexpr const char *program = "nvdisasm";

Result<std::string> findDisassembler()
{
    if (const char *named = std::getenv("NESTWRIGHT_NVDISASM"); named && *named)
        return named;
    for (const fs::path &folder : cudaFolders("bin", "bin")) {
        std::error_code error;
        if (const fs::path file = folder / program; fs::exists(file, error))
            return file.string();
    }
    if (std::string found = process::findProgram(program); !found.empty())
        return found;
    return fail(
        support::diagnostic("cuda.no-disassembler", "NVIDIA's disassembler, nvdisasm, was not found here")
            .withHint("install the CUDA toolkit, or do `" + installCommand("nvidia-cuda-nvdisasm")
                      + "`, or name the program by NESTWRIGHT_NVDISASM"));
}

/// The line of `//## File "kernels.cu", line 6`; of code of a helper, of the place in a kernel that it was
/// inlined at.
std::uint32_t lineOf(std::string_view location)
{
    constexpr std::string_view word = ", line ";
    const std::size_t at = location.rfind(word);
    return at == std::string_view::npos ? 0 : leadingNumber(location.substr(at + word.size()));
}

bool isLabel(std::string_view words) { return words.ends_with(':') && !words.contains(' '); }

/// `/*00a0*/              @!P0 BRA `(.L_x_0) ;` without its address and marks: "@!P0 BRA .L_x_0", and the
/// label that it names.
struct Instruction {
    std::string predicate, text, label;
};

Instruction instructionOf(std::string_view words)
{
    Instruction result;
    words = trimmed(words.substr(words.find("*/") + 2));
    while (words.ends_with(';') || words.ends_with(' '))
        words.remove_suffix(1);
    if (words.starts_with('@')) {
        const std::size_t end = std::min(words.find(' '), words.size());
        result.predicate = words.substr(0, end);
        words = trimmed(words.substr(end));
    }
    const std::size_t mark = words.find("`(");
    const std::size_t end = words.find(')', mark);
    if (mark == std::string_view::npos || end == std::string_view::npos) {
        result.text = words;
        return result;
    }
    result.label = words.substr(mark + 2, end - mark - 2);
    result.text = std::string(words.substr(0, mark)) + result.label + std::string(words.substr(end + 1));
    return result;
}

/// The lines of one kernel, written once it is whole.
class KernelLines {
public:
    void label(std::string_view name) { m_lines.push_back({.label = std::string(name)}); }
    void instruction(Instruction instruction, StmtId stmt)
    {
        m_targets.insert(instruction.label);
        m_lines.push_back({.instruction = std::move(instruction), .stmt = stmt});
    }

    void write(ListingWriter &writer)
    {
        cutFilling();
        for (const Line &line : m_lines) {
            if (line.label.empty()) {
                std::string text = "    " + line.instruction.predicate;
                text.resize(std::max<std::size_t>(text.size() + 1, 10), ' ');
                writer.line(text + line.instruction.text, line.stmt);
            } else if (!isUnused(line.label)) {
                writer.line(line.label + ':', {});
            }
        }
        *this = KernelLines();
    }

private:
    struct Line {
        std::string label{}; ///< empty: an instruction
        Instruction instruction{};
        StmtId stmt{};
    };

    bool isUnused(const std::string &label) const
    {
        return label.starts_with(".L") && !m_targets.contains(label);
    }

    /// A jump to itself and instructions that do nothing stand behind the last of a kernel.
    void cutFilling()
    {
        while (!m_lines.empty()
               && (m_lines.back().instruction.text == "NOP" || isUnused(m_lines.back().label)))
            m_lines.pop_back();
        const std::size_t count = m_lines.size();
        if (count >= 2 && !m_lines[count - 2].label.empty()
            && m_lines[count - 1].instruction.text == "BRA " + m_lines[count - 2].label)
            m_lines.resize(count - 2);
    }

    std::vector<Line> m_lines;
    std::set<std::string> m_targets; ///< labels that are named
};

} // namespace

Result<std::string> disassembled(const std::string &cubin, const std::stop_token &stop)
{
    constexpr std::chrono::seconds patience(60);
    const auto tool = findDisassembler();
    if (!tool)
        return fail(tool.error());
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "kernels.cubin";
    writeFile(file, cubin);
    auto ran = runTool(*tool, {"--print-code", "--print-line-info-inline", file.string()}, stop, patience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "disassembling was cancelled");
    if (ran && ran->status == 0)
        return std::move(ran->text);
    while (ran && ran->text.ends_with('\n'))
        ran->text.pop_back();
    return fail(
        support::diagnostic("cuda.disassembler",
                            "'" + *tool + "' "
                                + (ran ? "failed: " + ran->text : std::string("did not end within a minute")))
            .withHint("install a newer CUDA toolkit, or name another nvdisasm by "
                      "NESTWRIGHT_NVDISASM"));
}

Listing cleanSass(std::string_view printed, std::string_view comment,
                  const std::function<StmtId(std::uint32_t line)> &statementOf)
{
    constexpr std::string_view location = "//## File", section = ".text.";
    ListingWriter writer;
    writer.line("// " + std::string(comment), {});
    KernelLines kernel;
    StmtId current;
    forEachLine(printed, [&](std::string_view line) {
        const std::string_view words = trimmed(line);
        if (words.starts_with(location))
            current = statementOf(lineOf(words));
        else if (words.starts_with("/*") && words.contains("*/"))
            kernel.instruction(instructionOf(words), current);
        else if (words.starts_with(section) && isLabel(words)) { // a kernel begins
            kernel.write(writer);
            writer.line({}, {});
            kernel.label(words.substr(section.size(), words.size() - section.size() - 1));
            current = {};
        } else if (words.starts_with(".L") && isLabel(words))
            kernel.label(words.substr(0, words.size() - 1));
    });
    kernel.write(writer);
    return writer.take();
}

} // namespace nestwright::backend
