// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/externs.h"

#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <link.h>
#include <optional>
#include <set>

namespace nestwright::backend {

using ir::DataType;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Types of parameters and result of a function of the list; 'f' stands for its own floating-point type.
struct MathSignature {
    std::string_view name;      ///< of the double precision function; single precision has an 'f' behind it
    std::string_view arguments; ///< a letter each: 'f', or 'i' for int32
    char result = 'f';
};

/// Functions of math.h that take and give numbers. Functions with pointers are left out: they write where
/// they are told to.
constexpr auto mathFunctions = std::to_array<MathSignature>({
    {"acos", "f"},   {"acosh", "f"},      {"asin", "f"},       {"asinh", "f"},  {"atan", "f"},
    {"atan2", "ff"}, {"atanh", "f"},      {"cbrt", "f"},       {"ceil", "f"},   {"copysign", "ff"},
    {"cos", "f"},    {"cosh", "f"},       {"erf", "f"},        {"erfc", "f"},   {"exp", "f"},
    {"exp10", "f"},  {"exp2", "f"},       {"expm1", "f"},      {"fabs", "f"},   {"fdim", "ff"},
    {"floor", "f"},  {"fma", "fff"},      {"fmax", "ff"},      {"fmin", "ff"},  {"fmod", "ff"},
    {"hypot", "ff"}, {"ilogb", "f", 'i'}, {"j0", "f"},         {"j1", "f"},     {"ldexp", "fi"},
    {"lgamma", "f"}, {"log", "f"},        {"log10", "f"},      {"log1p", "f"},  {"log2", "f"},
    {"logb", "f"},   {"nearbyint", "f"},  {"nextafter", "ff"}, {"pow", "ff"},   {"remainder", "ff"},
    {"rint", "f"},   {"round", "f"},      {"scalbn", "fi"},    {"sin", "f"},    {"sinh", "f"},
    {"sqrt", "f"},   {"tan", "f"},        {"tanh", "f"},       {"tgamma", "f"}, {"trunc", "f"},
    {"y0", "f"},     {"y1", "f"},
});

/// Functions that compilers call on their own: block copies, 16-bit floats, wide integers.
constexpr auto compilerFunctions =
    std::to_array<std::string_view>({"memcpy", "memmove", "memset", "memcmp", "bcmp", "sincos", "sincosf",
                                     "roundeven", "roundevenf", "frexp", "frexpf"});
constexpr auto compilerPrefixes = std::to_array<std::string_view>(
    {"__extend", "__trunc", "__fix", "__float", "__div", "__udiv", "__mod", "__umod", "__mul", "__ashl",
     "__ashr", "__lshr", "__gnu_h2f_ieee", "__gnu_f2h_ieee", "__popcount", "__clz", "__pow"});

struct Listed {
    const MathSignature *signature;
    DataType type;
};

std::optional<Listed> findMath(std::string_view name)
{
    if (const auto found = std::ranges::find(mathFunctions, name, &MathSignature::name);
        found != mathFunctions.end())
        return Listed{&*found, DataType::float_(64)};
    if (!name.ends_with('f'))
        return std::nullopt;
    name.remove_suffix(1);
    const auto found = std::ranges::find(mathFunctions, name, &MathSignature::name);
    if (found == mathFunctions.end())
        return std::nullopt;
    return Listed{&*found, DataType::float_(32)};
}

bool isIdentifier(std::string_view name)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && isLetter(name.front())
           && std::ranges::all_of(name, [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

/// "float32, int32"
std::string wanted(const Listed &listed)
{
    std::string text;
    for (const char argument : listed.signature->arguments)
        text += (text.empty() ? "" : ", ") + (argument == 'i' ? std::string("int32") : listed.type.str());
    return text;
}

Result<void> checkSignature(std::string_view name, const Listed &listed, const ir::Call &call)
{
    const auto typeOf = [&](char letter) { return letter == 'i' ? DataType::int32() : listed.type; };
    bool fits = call.dtype == typeOf(listed.signature->result)
                && call.args.size() == listed.signature->arguments.size() + 1;
    std::string given;
    for (std::size_t i = 1; i < call.args.size(); ++i) {
        fits = fits && call.args[i].dtype() == typeOf(listed.signature->arguments[i - 1]);
        given += (given.empty() ? "" : ", ") + call.args[i].dtype().str();
    }
    if (fits)
        return {};
    return fail(
        diagnostic("extern.signature", "the function '" + std::string(name) + "' takes (" + wanted(listed)
                                           + ") and gives " + typeOf(listed.signature->result).str()
                                           + ", but is called with (" + given + ") for a " + call.dtype.str())
            .withHint("cast its arguments; single precision functions end in 'f'"));
}

/// Functions of math.h that write where a pointer tells them to, with what gives the same.
constexpr auto pointerFunctions = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"modf", "T.trunc(x) and x - T.trunc(x) are the two parts"},
    {"frexp", "the exponent is that of ilogb, and ldexp divides by its power of 2"},
    {"remquo", "use remainder"},
    {"sincos", "use T.sin and T.cos"},
    {"lgamma_r", "use lgamma"},
});

Result<void> unknown(const std::string &name)
{
    for (const auto &[known, remedy] : pointerFunctions) {
        if (name == known || name == std::string(known) + 'f')
            return fail(
                diagnostic("extern.pointer",
                           "the program calls '" + name
                               + "' of math.h, which writes through a pointer; compiled code may call "
                                 "those that take and give numbers only")
                    .withHint(std::string(remedy)));
    }
    return fail(
        diagnostic("extern.unknown",
                   "the program calls '" + name
                       + "', which is none of the functions that compiled code may call: those of math.h")
            .withHint("if you trust the program, name the shared library that has '" + name
                      + "': --extern-library, or Measure ▸ Libraries of this kernel in the window"));
}

/// Every external function that `flat` names, with its call.
template <class See> Result<void> forEachExtern(const ir::Module &flat, See see)
{
    Result<void> result;
    for (const ir::Module::Entry &entry : flat.functions()) {
        ir::forEachExpr(entry.function->body, [&](const ir::Expr &e) {
            const auto *call = e.as<ir::Call>();
            if (!result || !call
                || (call->callee != ir::intrinsics::callExtern
                    && call->callee != ir::intrinsics::callPureExtern))
                return result.has_value();
            const auto *name = call->args.empty() ? nullptr : call->args.front().as<ir::StringImm>();
            if (!name)
                result = fail("extern.name", "an external function is called that has no constant name");
            else if (!isIdentifier(name->value))
                result = fail("extern.name", "the external function '" + name->value
                                                 + "' has a name that is no identifier of C");
            else
                result = see(name->value, *call);
            return result.has_value();
        });
    }
    return result;
}

/// The library itself defines `name`; its own dependencies do not count.
void *ownSymbol(void *library, const std::string &name)
{
    void *address = dlsym(library, name.c_str());
    link_map *own = nullptr, *found = nullptr;
    Dl_info info{};
    if (!address || dlinfo(library, RTLD_DI_LINKMAP, static_cast<void *>(&own)) != 0
        || dladdr1(address, &info, reinterpret_cast<void **>(&found), RTLD_DL_LINKMAP) == 0)
        return nullptr;
    return own == found ? address : nullptr;
}

} // namespace

Result<std::vector<std::string>> checkExterns(const ir::Module &flat, const ExternLibraries &libraries)
{
    std::set<std::string> foreign;
    const auto checked =
        forEachExtern(flat, [&](const std::string &name, const ir::Call &call) -> Result<void> {
            if (const auto listed = findMath(name))
                return checkSignature(name, *listed, call);
            if (libraries.paths.empty())
                return unknown(name);
            foreign.insert(name);
            return {};
        });
    if (!checked)
        return std::unexpected(checked.error());
    return std::vector<std::string>(foreign.begin(), foreign.end());
}

Result<void> checkExternNames(const ir::Module &flat)
{
    return forEachExtern(flat, [](const std::string &, const ir::Call &) { return Result<void>(); });
}

bool isAllowedSymbol(std::string_view symbol)
{
    const auto isStart = [&](std::string_view prefix) { return symbol.starts_with(prefix); };
    return findMath(symbol) || std::ranges::find(compilerFunctions, symbol) != compilerFunctions.end()
           || std::ranges::any_of(compilerPrefixes, isStart);
}

Result<std::vector<void *>> findInLibraries(const ExternLibraries &libraries,
                                            const std::vector<std::string> &names)
{
    if (names.empty())
        return std::vector<void *>();
    std::vector<void *> opened;
    for (const std::string &path : libraries.paths) {
        // A path with a slash is a file; without one the system would search its own folders.
        const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
        void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL); // stays open: its code is in use
        if (!library) {
            const char *why = dlerror();
            return fail(diagnostic("extern.library",
                                   "the library '" + path + "' cannot be opened: " + (why ? why : "unknown"))
                            .withHint("name a shared library for this machine"));
        }
        opened.push_back(library);
    }
    std::vector<void *> addresses;
    for (const std::string &name : names) {
        void *address = nullptr;
        for (void *library : opened)
            address = address ? address : ownSymbol(library, name);
        if (!address)
            return fail(diagnostic("extern.library", "none of the libraries named for this program has a "
                                                     "function '"
                                                         + name + '\'')
                            .withHint("name the library that defines it"));
        addresses.push_back(address);
    }
    return addresses;
}

} // namespace nestwright::backend
