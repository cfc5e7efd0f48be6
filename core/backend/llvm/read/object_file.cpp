// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/read/object_file.h"

#include "core/backend/llvm/machine.h"

#include <algorithm>
#include <format>
#include <set>

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::backend {

using support::diagnostic;
using support::fail;
using support::Result;
namespace object = llvm::object;

namespace {

constexpr std::uint64_t mostFunctionBytes = std::uint64_t{4} << 20;
/// Names that a message lists.
constexpr std::size_t listedNames = 12;

/// A function's place in its file.
struct FoundFunction {
    std::string name;
    std::uint64_t section = 0, offset = 0, size = 0; ///< size 0: the file does not say
    std::uint64_t address = 0;
    bool isGlobal = false;
};

/// Message of an error of LLVM, which counts as handled from then on.
std::string wordsOf(llvm::Error error) { return llvm::toString(std::move(error)); }

/// "x86-64 and AArch64".
std::string readFamilies()
{
    std::string names;
    for (const ProcessorFamily *family : processorFamilies()) {
        if (!family->title().empty())
            names += (names.empty() ? "" : " and ") + std::string(family->title());
    }
    return names;
}

class ObjectReader {
public:
    static Result<ObjectReader> open(std::string_view file, const std::string &fileName,
                                     const target::Target &target);

    const std::vector<FoundFunction> &functions() const { return m_functions; }
    /// Error: "code.too-large".
    Result<FunctionBytes> bytesOf(const FoundFunction &function) const;
    const std::string &fileName() const { return m_fileName; }

private:
    explicit ObjectReader(std::string fileName) : m_fileName(std::move(fileName)) {}
    void collect(const object::ELFObjectFileBase &elf);
    void add(const object::ELFSymbolRef &symbol);
    void findSizes();

    std::string m_fileName;
    std::unique_ptr<object::ObjectFile> m_file;
    std::vector<FoundFunction> m_functions;       ///< each once
    std::map<std::uint64_t, std::string> m_codes; ///< bytes of sections that hold code
};

Result<ObjectReader> ObjectReader::open(std::string_view file, const std::string &fileName,
                                        const target::Target &target)
{
    const auto machine = machineFor(target);
    if (!machine)
        return fail(machine.error());
    auto read = object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(file, fileName));
    if (!read) {
        const std::string words = wordsOf(read.takeError());
        return fail(diagnostic("code.file", std::format("'{}' is no object file: {}", fileName, words))
                        .withHint("object files and shared libraries of ELF are read (.o, .so), and C, LLVM "
                                  "IR and assembly (.c, .ll, .s)"));
    }
    ObjectReader reader(fileName);
    reader.m_file = std::move(*read);
    const auto *elf = llvm::dyn_cast<object::ELFObjectFileBase>(reader.m_file.get());
    if (!elf)
        return fail(diagnostic("code.file", std::format("'{}' is an object file of another system: {}",
                                                        fileName, reader.m_file->getFileFormatName().str()))
                        .withHint("those of ELF are read"));
    const llvm::Triple &wanted = machine->machine->getTargetTriple();
    const llvm::Triple::ArchType arch = elf->getArch();
    if (const llvm::Triple triple = elf->makeTriple(); !familyOf(triple).reads(triple))
        return fail(diagnostic("code.processor", std::format("'{}' has code of {}", fileName,
                                                             llvm::Triple::getArchTypeName(arch).str()))
                        .withHint("machine code of " + readFamilies() + " is read"));
    if (arch != wanted.getArch())
        return fail(
            diagnostic("code.processor",
                       std::format("'{}' has code of {}, but the target is {}", fileName,
                                   llvm::Triple::getArchTypeName(arch).str(), wanted.getArchName().str()))
                .withHint(std::format("choose the target 'llvm -mtriple={}-linux-gnu'",
                                      llvm::Triple::getArchTypeName(arch).str())));
    reader.collect(*elf);
    return reader;
}

void ObjectReader::collect(const object::ELFObjectFileBase &elf)
{
    for (const object::SectionRef &section : elf.sections()) {
        if (!section.isText() || section.isVirtual())
            continue;
        if (auto contents = section.getContents())
            m_codes.emplace(section.getIndex(), contents->str());
        else
            llvm::consumeError(contents.takeError());
    }
    for (const auto &symbols : {elf.symbols(), elf.getDynamicSymbolIterators()}) {
        // A damaged table says that it has more than the file has room for.
        std::size_t left = elf.getData().size() / sizeof(llvm::ELF::Elf64_Sym);
        for (auto each = symbols.begin(); each != symbols.end() && left > 0; ++each, --left)
            add(*each);
    }
    std::ranges::sort(m_functions, {}, [](const FoundFunction &each) {
        return std::tuple(each.section, each.offset, each.name, !each.isGlobal);
    });
    const auto again = std::ranges::unique(m_functions, [](const auto &a, const auto &b) {
        return a.section == b.section && a.offset == b.offset && a.name == b.name;
    });
    m_functions.erase(again.begin(), again.end());
    findSizes();
}

/// Functions, and in assembly that does not say so the global names that stand in code.
void ObjectReader::add(const object::ELFSymbolRef &symbol)
{
    auto name = symbol.getName();
    if (!name || name->empty())
        return name ? void() : llvm::consumeError(name.takeError());
    auto section = symbol.getSection();
    if (!section)
        return llvm::consumeError(section.takeError());
    auto address = symbol.getAddress();
    if (!address)
        return llvm::consumeError(address.takeError());
    if (*section == m_file->section_end())
        return;
    const auto code = m_codes.find((*section)->getIndex());
    const std::uint64_t base = (*section)->getAddress();
    const bool isGlobal = symbol.getBinding() != llvm::ELF::STB_LOCAL;
    const unsigned type = symbol.getELFType();
    const bool isFunction = type == llvm::ELF::STT_FUNC || type == llvm::ELF::STT_GNU_IFUNC
                            || (type == llvm::ELF::STT_NOTYPE && isGlobal);
    if (isFunction && code != m_codes.end() && *address >= base && *address - base < code->second.size())
        m_functions.push_back(
            {name->str(), code->first, *address - base, symbol.getSize(), *address, isGlobal});
}

/// Functions without a size end at the beginning of the next one.
void ObjectReader::findSizes()
{
    std::map<std::uint64_t, std::set<std::uint64_t>> begins;
    for (const FoundFunction &each : m_functions)
        begins[each.section].insert(each.offset);
    for (FoundFunction &each : m_functions) {
        const std::uint64_t end = m_codes.at(each.section).size();
        if (each.size == 0) {
            const auto next = begins[each.section].upper_bound(each.offset);
            each.size = (next == begins[each.section].end() ? end : *next) - each.offset;
        }
        each.size = std::min(each.size, end - each.offset);
    }
}

Result<FunctionBytes> ObjectReader::bytesOf(const FoundFunction &function) const
{
    if (function.size > mostFunctionBytes)
        return fail("code.too-large",
                    std::format("the function '{}' of '{}' is too long to be read: {} bytes", function.name,
                                m_fileName, function.size));
    return FunctionBytes{function.name, function.address,
                         m_codes.at(function.section).substr(function.offset, function.size)};
}

/// "matmul._omp_fn.0" is of "matmul".
bool isPartOf(std::string_view part, std::string_view function)
{
    return part.starts_with(function) && part.substr(function.size()).starts_with('.');
}

/// Functions that a person may mean; where the file has no others, local ones.
std::vector<std::string> choosable(const ObjectReader &reader)
{
    static constexpr std::string_view ofSystem[] = {"_init", "_fini", "_start"};
    std::vector<std::string> global, local;
    for (const FoundFunction &each : reader.functions()) {
        if (std::ranges::contains(ofSystem, each.name))
            continue;
        (each.isGlobal ? global : local).push_back(each.name);
    }
    std::vector<std::string> &names = global.empty() ? local : global;
    std::ranges::sort(names);
    const auto again = std::ranges::unique(names);
    names.erase(again.begin(), again.end());
    return names;
}

std::string listed(const std::vector<std::string> &names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), listedNames); ++i)
        text += (i > 0 ? ", " : "") + names[i];
    return names.size() > listedNames ? std::format("{} and {} more", text, names.size() - listedNames)
                                      : text;
}

/// The function asked for. Error: "code.function".
Result<std::string> chosenName(const ObjectReader &reader, const std::string &name)
{
    const std::vector<std::string> names = choosable(reader);
    if (names.empty())
        return fail(
            diagnostic("code.function", std::format("'{}' has no names of functions", reader.fileName()))
                .withHint("its symbols are stripped: take a file that has them"));
    if (name.empty() && names.size() == 1)
        return names.front();
    if (name.empty())
        return fail(
            diagnostic("code.function", std::format("'{}' has {} functions", reader.fileName(), names.size()))
                .withHint(
                    std::format("write {}:FUNCTION with one of them: {}", reader.fileName(), listed(names))));
    if (std::ranges::contains(reader.functions(), name, &FoundFunction::name))
        return name;
    std::vector<std::string> alike;
    std::ranges::copy_if(names, std::back_inserter(alike),
                         [&](const std::string &each) { return each.contains(name); });
    return fail(diagnostic("code.function", std::format("'{}' has no function '{}'", reader.fileName(), name))
                    .withHint("it has " + listed(alike.empty() ? names : alike)));
}

} // namespace

Result<MachineCode> llvmFunctionsIn(std::string_view file, const std::string &fileName,
                                    const std::string &name, const target::Target &target)
{
    const auto reader = ObjectReader::open(file, fileName, target);
    if (!reader)
        return fail(reader.error());
    const auto chosen = chosenName(*reader, name);
    if (!chosen)
        return fail(chosen.error());
    MachineCode code;
    std::set<std::uint64_t> taken;
    for (const bool isPart : {false, true}) {
        for (const FoundFunction &each : reader->functions()) {
            if (isPart ? !isPartOf(each.name, *chosen) : each.name != *chosen)
                continue;
            if (!taken.insert(each.address + (each.section << 48)).second)
                continue;
            auto bytes = reader->bytesOf(each);
            if (!bytes)
                return fail(bytes.error());
            code.functions.push_back(*std::move(bytes));
        }
    }
    return code;
}

Result<std::vector<std::string>> llvmFunctionNames(std::string_view file, const std::string &fileName,
                                                   const target::Target &target, std::size_t most)
{
    const auto reader = ObjectReader::open(file, fileName, target);
    if (!reader)
        return fail(reader.error());
    std::vector<std::string> names = choosable(*reader);
    names.resize(std::min(names.size(), most));
    return names;
}

} // namespace nestwright::backend
