// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/kernel_emitter.h"

#include "core/codegen/codes.h"
#include "core/codegen/kernel_facts.h"
#include "core/codegen/loops.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/attributes.h"
#include "core/support/errors/errors.h"
#include "core/target/multiprocessor.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace nestwright::codegen {

using ir::DataType;
using ir::TypeCode;
using support::UserError;

namespace {

constexpr std::array integers{std::pair{8, "char"}, std::pair{16, "short"}, std::pair{32, "int"},
                              std::pair{64, "long"}};

constexpr std::string_view sharedPiece = "nw_shared";

std::string integerType(int bits, bool isSigned)
{
    const auto found = std::ranges::find(integers, bits, &std::pair<int, const char *>::first);
    if (found == integers.end())
        throw UserError(support::diagnostic(codes::unsupported, "integers of " + std::to_string(bits)
                                                                    + " bits, which this target has not"));
    const std::string sign = bits == 8 && isSigned ? "signed " : isSigned ? "" : "unsigned ";
    return sign + found->second;
}

/// A function's name and parameters, on as many lines as they need.
void declare(CodeWriter &out, std::string line, const std::vector<std::string> &parameters)
{
    constexpr std::size_t columns = 100;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string next = parameters[i] + (i + 1 < parameters.size() ? "," : ")");
        if (i > 0 && line.size() + 1 + next.size() > columns) {
            out.line(line);
            line = "        " + next;
        } else {
            line += (i > 0 ? " " : "") + next;
        }
    }
    out.line(parameters.empty() ? line + ')' : line);
}

bool readsAny(const ir::Stmt &body, const ir::VarSet &memories)
{
    bool found = false;
    ir::forEachExpr(body, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        found = found || (load && memories.contains(load->buffer->data));
        return !found;
    });
    return found;
}

} // namespace

std::vector<std::string> KernelEmitter::integerNames(std::string_view text)
{
    std::vector<std::string> lines;
    const auto define = [&](const std::string &name, const std::string &value) {
        if (text.contains(name))
            lines.push_back("#define " + name + ' ' + value);
    };
    for (const auto &[bits, type] : integers) {
        const std::string width = std::to_string(bits);
        const std::string most = std::to_string(~std::uint64_t{0} >> (65 - bits)) + (bits == 64 ? "L" : "");
        const std::string all = std::to_string(~std::uint64_t{0} >> (64 - bits)) + (bits == 64 ? "UL" : "u");
        for (const bool isSigned : {true, false}) {
            const std::string name = (isSigned ? "int" : "uint") + width + "_t";
            if (text.contains(name))
                lines.push_back("typedef " + integerType(bits, isSigned) + ' ' + name + ';');
        }
        define("INT" + width + "_MAX", most);
        define("INT" + width + "_MIN", "(-" + most + " - 1)");
        define("UINT" + width + "_MAX", all);
    }
    if (text.contains("UINT64_C("))
        lines.emplace_back("#define UINT64_C(value) value##UL");
    if (text.contains("INT64_C("))
        lines.emplace_back("#define INT64_C(value) value##L");
    return lines;
}

std::string KernelEmitter::valueType(DataType type) const
{
    if (type.code == TypeCode::Int || type.code == TypeCode::UInt)
        return integerType(type.bits, type.code == TypeCode::Int);
    return CFamilyEmitter::valueType(type);
}

std::string KernelEmitter::memoryType(DataType type) const
{
    if (type.isBool())
        return integerType(8, false);
    return type.isFloating() && type.bits == 16 ? integerType(16, false) : valueType(type);
}

Kernel KernelEmitter::kernel(const std::string &name, const ir::PrimFunc &function)
{
    Kernel kernel;
    kernel.threads = threadsOf(function.body);
    const ir::VarSet written = writtenIn(function.body);
    ir::VarSet writtenOfDevice;
    std::vector<Parameter> parameters;
    for (const ir::Param &param : function.params) {
        Parameter parameter{param.var, param.var.dtype(), param.var.name()};
        if (param.buffer) {
            parameter = {param.buffer->data, param.buffer.dtype(), param.buffer.name(), true,
                         written.contains(param.buffer->data)};
            if (parameter.isWritten)
                writtenOfDevice.insert(parameter.var);
        }
        parameters.push_back(std::move(parameter));
    }
    m_sharesDevice = readsAny(function.body, writtenOfDevice);
    m_layout = analysis::sharedLayoutOf(function.body);
    if (m_layout.bytes > mostShared())
        kernel.sharedAtLaunch = m_layout.bytes;
    m_isPiece = m_layout.isPiece(mostShared());
    m_shared.clear();
    if (m_isPiece)
        m_shared.emplace_back(0, (kernel.sharedAtLaunch > 0 ? "extern " : "") + std::string(sharedWord())
                                     + " unsigned char " + std::string(sharedPiece) + '['
                                     + (kernel.sharedAtLaunch > 0 ? "" : std::to_string(m_layout.bytes))
                                     + "];");
    const CodeWriter body = CFamilyEmitter::body(function.body, parameters);
    kernel.tellsErrors = usesError();

    std::vector<std::string> declared;
    const bool isNoAlias = ir::isNoAlias(function);
    for (const Parameter &parameter : parameters) {
        const std::string type = memoryType(parameter.dtype);
        declared.push_back(parameter.isBuffer
                               ? pointer(type, parameter.isWritten, isNoAlias) + nameOf(parameter)
                               : "const " + type + ' ' + nameOf(parameter));
    }
    if (kernel.tellsErrors)
        declared.push_back(pointer("int", true, isNoAlias) + "nw_status");
    kernel.text.line(head(kernel));
    declare(kernel.text, "void " + name + '(', declared);
    kernel.text.line("{");
    kernel.text.indent();
    // Compilers lay them out in this order, and leave room where a small one stands before a large one.
    std::ranges::stable_sort(m_shared, std::greater(), &std::pair<std::int64_t, std::string>::first);
    for (const auto &[bytes, array] : m_shared)
        kernel.text.line(array);
    if (kernel.tellsErrors)
        kernel.text.line("int nw_error = 0;");
    kernel.text.append(body);
    if (kernel.tellsErrors) {
        kernel.text.line("if (nw_error != 0)");
        kernel.text.line("    *nw_status = nw_error;");
    }
    kernel.text.outdent();
    kernel.text.line("}");
    return kernel;
}

/// The most elements that one access of the hardware moves, where the store copies neighbours to neighbours
/// and both begin at multiples of them; 0 where it does not. Memories begin at multiples of 16 bytes.
int KernelEmitter::copiedAtOnce(const ir::BufferStore &node, const ir::BufferLoad &load)
{
    const DataType type = node.buffer.dtype();
    const auto *to = node.indices.front().as<ir::Ramp>(), *from = load.indices.front().as<ir::Ramp>();
    if (!to || !from || node.predicate || load.predicate || load.buffer.dtype() != type
        || load.buffer->data == node.buffer->data || !ir::isConstInt(to->stride, 1)
        || !ir::isConstInt(from->stride, 1))
        return 0;
    for (const int bytes : target::accessBytes) {
        const int count = bytes / type.bytes();
        const auto begins = [&](const ir::Buffer &buffer, const ir::Expr &index) {
            const ir::Expr place = buffer->elemOffset ? index + buffer->elemOffset : index;
            return m_analyzer.canProveEqual(ir::floorMod(place, count), 0);
        };
        if (count > 1 && to->lanes % count == 0 && begins(node.buffer, to->base)
            && begins(load.buffer, from->base))
            return count;
    }
    return 0;
}

/// The elements from `index` on, as one vector of `bytes`. The compiler may take a number of another type for
/// one that shares no memory with them; it does not so for vectors.
std::string KernelEmitter::vectorAt(const ir::Buffer &buffer, const ir::Expr &index, int bytes,
                                    bool isWritten)
{
    const char *ofFour = buffer.dtype().bytes() == 2 ? "ushort2" : "uchar4";
    const char *type = bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : ofFour;
    return "*(" + std::string(spaceWord(ir::memoryRankOf(buffer->scope))) + (isWritten ? "" : "const ") + type
           + " *)&" + element(buffer, m_analyzer.simplify(index));
}

void KernelEmitter::store(const ir::BufferStore &node)
{
    const auto *load = node.value.as<ir::BufferLoad>();
    const int count = load ? copiedAtOnce(node, *load) : 0;
    if (count == 0)
        return CFamilyEmitter::store(node);
    const auto &to = *node.indices.front().as<ir::Ramp>(), &from = *load->indices.front().as<ir::Ramp>();
    const int bytes = count * node.buffer.dtype().bytes();
    for (int done = 0; done < to.lanes; done += count)
        m_out.line(vectorAt(node.buffer, to.base + done, bytes, true) + " = "
                   + vectorAt(load->buffer, from.base + done, bytes, false) + ';');
}

void KernelEmitter::loop(const ir::For &node)
{
    const auto axis = ir::threadAxisOf(node);
    if (!axis)
        return CFamilyEmitter::loop(node);
    if (axis->rank == ir::ThreadRank::Virtual)
        throw UserError(noSuchThreads(node));
    m_out.begin(node.id);
    m_analyzer.bind(node.var, ir::Range{node.min, node.extent});
    m_out.line("const " + counterType(node) + ' ' + m_names.of(node.var) + " = " + index(*axis) + ';');
    stmt(node.body);
    m_out.end(node.id);
}

void KernelEmitter::loopPragma(const ir::For &node, bool)
{
    if (node.forKind == ir::ForKind::Unrolled)
        m_out.line("#pragma unroll");
    else if (staysLoop(node))
        m_out.line("#pragma unroll 1");
}

void KernelEmitter::allocate(const ir::Allocate &node)
{
    const auto bytes = analysis::constantBytes(node);
    const ir::MemoryRank rank = ir::memoryRankOf(node.scope);
    const std::string name = m_names.of(node.data);
    if (!bytes)
        throw UserError(support::diagnostic(codes::unsupported,
                                            "the size of '" + name + "' is not known before the program runs")
                            .withHint("a kernel's own memory has a constant size: make the extents of the "
                                      "loops around it constant"));
    if (rank != ir::MemoryRank::Block && rank != ir::MemoryRank::Thread)
        throw UserError(support::diagnostic(codes::unsupported, "'" + name + "' is in " + node.scope
                                                                    + " memory, which no kernel can make")
                            .withHint("put it into \"shared\" or \"local\" memory with set_scope"));
    const std::int64_t elements = *bytes / node.dtype.bytes();
    const std::string array = memoryType(node.dtype) + ' ' + name + '[' + std::to_string(elements) + "];";
    const bool holdsVectors = elements > 1 && *bytes >= target::accessBytes.back();
    const analysis::SharedArray *shared = rank == ir::MemoryRank::Block ? m_layout.find(node.data) : nullptr;
    if (shared && m_isPiece) {
        const std::string pointer =
            std::string(spaceWord(ir::MemoryRank::Block)) + memoryType(node.dtype) + " *";
        m_shared.emplace_back(
            0, pointer + "const " + name + " = (" + pointer + ")(" + std::string(sharedPiece)
                   + (shared->offset > 0 ? " + " + std::to_string(shared->offset) : "") + ");");
    } else if (shared)
        m_shared.emplace_back(*bytes, std::string(sharedWord()) + ' ' + array);
    else
        m_out.line(holdsVectors ? std::string(alignedWord()) + ' ' + array : array);
    stmt(node.body);
}

/// Division as a shift or a mask. As a part of an expression it is always in parentheses: few people know how
/// tightly these operators bind.
CFamilyEmitter::Text KernelEmitter::shifted(const ir::Binary &node, std::int64_t power)
{
    const std::string value = code(node.a, Prefix);
    if (node.op == ir::BinaryOp::FloorMod)
        return {value + " & " + std::to_string(power - 1), Conditional};
    return {value + " >> " + std::to_string(std::countr_zero(static_cast<std::uint64_t>(power))),
            Conditional};
}

namespace {

void addTerms(const ir::Expr &sum, std::vector<ir::Expr> &terms)
{
    const auto *node = sum.as<ir::Binary>();
    if (!node || node->op != ir::BinaryOp::Add) {
        terms.push_back(sum);
        return;
    }
    addTerms(node->a, terms);
    addTerms(node->b, terms);
}

/// How often `term` is a number times another; 1 where it is no product.
std::int64_t factorOf(const ir::Expr &term)
{
    const auto *product = term.as<ir::Binary>();
    const std::int64_t *factor =
        product && product->op == ir::BinaryOp::Mul ? ir::asInt(product->b) : nullptr;
    return factor && *factor > 0 ? *factor : 1;
}

} // namespace

/// Divides by a power of two with a shift or a mask, which round down whatever the sign and take a device's
/// compiler fewer registers. A quotient of block and thread numbers takes fewer once a common divisor of all
/// its terms is divided out: (b * 1024 + t) / 48 is (b * 64 + t / 16) / 3.
CFamilyEmitter::Text KernelEmitter::division(const ir::Binary &node)
{
    const std::int64_t *divisor = ir::asInt(node.b);
    const bool isFloor = node.op == ir::BinaryOp::FloorDiv || node.op == ir::BinaryOp::FloorMod;
    if (!isFloor || !divisor || *divisor < 2)
        return CFamilyEmitter::division(node);
    if (std::has_single_bit(static_cast<std::uint64_t>(*divisor)))
        return shifted(node, *divisor);
    if (node.op == ir::BinaryOp::FloorMod)
        return CFamilyEmitter::division(node);
    std::vector<ir::Expr> terms;
    addTerms(node.a, terms);
    std::int64_t common = *divisor;
    for (const ir::Expr &term : terms) {
        if (const std::int64_t factor = factorOf(term); factor > 1)
            common = std::gcd(common, factor);
    }
    ir::Expr multiples = ir::constant(0, node.dtype), rest = multiples;
    for (const ir::Expr &term : terms) {
        const std::int64_t factor = factorOf(term);
        if (factor > 1)
            multiples = multiples + term.as<ir::Binary>()->a * ir::intImm(factor / common, node.dtype);
        else
            rest = rest + term;
    }
    const bool isPower = (common & (common - 1)) == 0;
    if (common == 1 || common == *divisor || !isPower || !m_analyzer.canProve(ir::ge(rest, 0)))
        return CFamilyEmitter::division(node);
    const ir::Expr reduced = m_analyzer.simplify(multiples + ir::floorDiv(rest, common));
    const ir::Expr quotient = ir::floorDiv(reduced, ir::intImm(*divisor / common, node.dtype));
    const auto *left = quotient.as<ir::Binary>();
    return left && left->op == ir::BinaryOp::FloorDiv ? CFamilyEmitter::division(*left) : expr(quotient);
}

CFamilyEmitter::Text KernelEmitter::call(const ir::Call &node)
{
    if (node.callee == ir::intrinsics::tvmStorageSync)
        return {barrier(m_sharesDevice), Primary};
    return CFamilyEmitter::call(node);
}

} // namespace nestwright::codegen
