// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/assembly_loops.h"

#include "core/backend/listing/listing.h"
#include "core/backend/llvm/read/assembly.h"

#include <algorithm>
#include <map>
#include <string>

namespace nestwright::backend {

namespace {

using support::StmtId;

/// The word behind `key` in a comment: "BB0_3" of "in Loop: Header=BB0_3 Depth=1".
std::string_view wordBehind(std::string_view comment, std::string_view key)
{
    const std::size_t at = comment.find(key);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = comment.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(" \t"));
}

/// The name that comments give a block that a label or a branch names: "BB0_3" of ".LBB0_3:".
std::string_view blockName(std::string_view words)
{
    words.remove_prefix(std::min(words.find("BB"), words.size()));
    return words.substr(0, words.find(':'));
}

std::string_view mnemonicOf(std::string_view instruction)
{
    const std::string_view words = trimmed(instruction);
    return words.substr(0, words.find_first_of(" \t"));
}

class LoopReader {
public:
    explicit LoopReader(const ProcessorFamily &family) : m_family(family) {}
    std::vector<AssemblyLoop> read(std::string_view text, std::string_view mark);

private:
    /// A branch of a loop's own code.
    struct Branch {
        int loop;
        std::string target;
        StmtId stmt;
    };
    void comment(std::string_view words);
    void instruction(const AssemblyLine &line);
    void endFunction();
    /// The place in m_loops of the loop whose header is called so; makes it.
    int loopOf(std::string_view header);

    const ProcessorFamily &m_family;
    std::vector<AssemblyLoop> m_loops;
    std::map<std::string, int, std::less<>> m_byHeader;    ///< in the current function
    std::map<std::string, int, std::less<>> m_loopOfBlock; ///< the innermost, or -1
    std::vector<Branch> m_branches;
    std::string m_function;
    std::string m_block; ///< the label of the current block
    int m_current = -1;  ///< the innermost loop of the current block
    int m_outer = -1;    ///< the last that comments named as being around it
    int m_line = 0;      ///< of the listing
};

int LoopReader::loopOf(std::string_view header)
{
    const auto [found, isNew] = m_byHeader.try_emplace(std::string(header), static_cast<int>(m_loops.size()));
    if (isNew) {
        m_loops.emplace_back();
        m_loops.back().code.function = m_function;
    }
    return found->second;
}

/// "Parent Loop BB0_1 Depth=1", "=> This Inner Loop Header: Depth=2", "in Loop: Header=BB0_3 Depth=1".
void LoopReader::comment(std::string_view words)
{
    if (const std::string_view outer = wordBehind(words, "Parent Loop "); !outer.empty())
        m_outer = loopOf(outer);
    else if (words.contains("Loop Header: Depth=")) {
        m_current = loopOf(m_block);
        if (m_outer != m_current)
            m_loops[static_cast<std::size_t>(m_current)].code.parent = m_outer;
    } else if (const std::string_view header = wordBehind(words, "in Loop: Header="); !header.empty())
        m_current = loopOf(header);
}

void LoopReader::instruction(const AssemblyLine &line)
{
    if (m_current < 0)
        return;
    AssemblyLoop &loop = m_loops[static_cast<std::size_t>(m_current)];
    LoopCode &code = loop.code;
    if (loop.instructions.empty())
        code.firstLine = m_line;
    code.lastLine = m_line;
    loop.instructions.push_back(line.code);
    InstructionCounts &counts = code.counts;
    if (line.stmt && std::ranges::find(code.statements, line.stmt) == code.statements.end())
        code.statements.push_back(line.stmt);
    counts.spills += line.comment.ends_with(" Spill") ? 1 : 0;
    counts.reloads += line.comment.ends_with(" Reload") ? 1 : 0;
    countInstruction(code, line.code, m_family);
    if (const std::string_view target = blockName(line.code); !target.empty() && line.stmt)
        m_branches.push_back({m_current, std::string(target), line.stmt});
}

/// The branch that asks whether iterations are left is of the loop itself: that back to the header, or else
/// one that leaves.
void LoopReader::endFunction()
{
    const auto isWithin = [this](int inner, int outer) {
        while (inner >= 0 && inner != outer)
            inner = m_loops[static_cast<std::size_t>(inner)].code.parent;
        return inner == outer;
    };
    for (const bool back : {false, true}) {
        for (const Branch &branch : m_branches) {
            const auto header = m_byHeader.find(branch.target);
            const auto block = m_loopOfBlock.find(branch.target);
            const bool isBack = header != m_byHeader.end() && header->second == branch.loop;
            const bool leaves = block == m_loopOfBlock.end() || !isWithin(block->second, branch.loop);
            if (back ? isBack : leaves)
                m_loops[static_cast<std::size_t>(branch.loop)].code.loop = branch.stmt;
        }
    }
    m_byHeader.clear();
    m_loopOfBlock.clear();
    m_branches.clear();
}

std::vector<AssemblyLoop> LoopReader::read(std::string_view text, std::string_view mark)
{
    forEachAssemblyLine(text, mark, [&](const AssemblyLine &line) {
        using Kind = AssemblyLine::Kind;
        const std::string_view words = trimmed(line.comment);
        const bool isBlock = line.kind == Kind::Label || words.starts_with("%bb.");
        if (line.kind == Kind::Function) {
            endFunction();
            m_function = std::string(line.code.substr(0, line.code.find(':')));
        }
        if (isBlock || line.kind == Kind::Function) {
            m_block = blockName(line.code);
            m_current = m_outer = -1;
        }
        if (line.kind == Kind::Instruction)
            instruction(line);
        else
            comment(words);
        if (!m_block.empty())
            m_loopOfBlock[m_block] = m_current;
        if (line.kind != Kind::Nothing)
            ++m_line;
    });
    endFunction();
    for (const AssemblyLoop &loop : m_loops) {
        if (loop.code.parent >= 0)
            m_loops[static_cast<std::size_t>(loop.code.parent)].code.isInnermost = false;
    }
    return std::move(m_loops);
}

} // namespace

void countInstruction(LoopCode &loop, std::string_view instruction, const ProcessorFamily &family)
{
    InstructionCounts &counts = loop.counts;
    ++counts.all;
    const std::string_view mnemonic = mnemonicOf(instruction);
    counts.gathers += mnemonic.contains("gather") ? 1 : 0;
    counts.scatters += mnemonic.contains("scatter") ? 1 : 0;
    counts.prefetches += mnemonic.starts_with(family.prefetchName()) ? 1 : 0;
    const auto arithmetic = family.arithmeticOf(instruction);
    if (!arithmetic)
        return;
    if (arithmetic->lanes > 1) {
        ++counts.packed;
        loop.vectorBits = std::max(loop.vectorBits, family.vectorBitsOf(instruction));
    } else {
        ++counts.scalar;
    }
    counts.multiplyAddInstructions += arithmetic->isMultiplyAdd ? 1 : 0;
    counts.multiplyAdds += arithmetic->isMultiplyAdd ? arithmetic->lanes : 0;
    if (arithmetic->isFloat)
        counts.flops += arithmetic->lanes * (arithmetic->isMultiplyAdd ? 2.0 : 1.0);
}

std::vector<AssemblyLoop> assemblyLoops(std::string_view text, std::string_view comment,
                                        const ProcessorFamily &family)
{
    return LoopReader(family).read(text, comment);
}

} // namespace nestwright::backend
