// SPDX-License-Identifier: Apache-2.0
/// The description of a primitive. Scripts, trace JSON, forms, help and fuzzing are made from these
/// descriptions.
#pragma once

#include "core/schedule/step.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace nestwright::schedule {

class Edit;
class Expansion;

enum class FieldKind : std::uint8_t {
    Block,        ///< StmtId of a block
    Loop,         ///< StmtId of a loop
    BlockOrLoop,  ///< StmtId of either
    Loops,        ///< list of StmtIds; in a script the remaining positional arguments
    Blocks,       ///< list of StmtIds, or names of blocks in a script
    Int,          ///< integer
    Ints,         ///< list of integers
    OptionalInts, ///< list of integers, at most one of them None
    Bool,
    String,
    Choice,      ///< one of `choices`
    BufferIndex, ///< position in the block's reads or writes (`side`); the buffer's name is understood in
                 ///< scripts
    BufferRef,   ///< list ["read" or "write", position]; the buffer's name is understood in scripts
    IndexMap,
    AnnotationValue, ///< number, bool, string, None, or list or dictionary of such
};

/// Values that a field takes, or a spelling of them, beyond those of its kind.
enum class FieldForm : std::uint8_t {
    Plain,
    AcceptsBlockList,     ///< of a BlockOrLoop: a list of blocks is understood instead of a block
    AcceptsFormulas,      ///< of OptionalInts: numbers with T.vscale() in them are understood, too
    GivesOrder,           ///< of Loops: they come in the order that they are to have, not outermost first
    GivesRanges,          ///< of an IndexMap: gives begins and ends of ranges
    NamesAnnotation,      ///< of a String: names an annotation of the block or loop before it
    IntegersWithoutPoint, ///< of a list of numbers: scripts write whole ones without a point
};

enum class BufferSide : std::uint8_t { Read, Write };

/// Part of a trace's JSON that keeps an argument.
enum class TracePart : std::uint8_t {
    Inputs,
    Attributes,
    Decisions, ///< without one the step makes one
};

/// One argument of a primitive.
struct Field {
    std::string_view name;  ///< as in scripts: "preserve_unit_iters"
    std::string_view label; ///< for a form: "Keep loops of one iteration"
    std::string_view help;  ///< one sentence
    FieldKind kind = FieldKind::Int;
    FieldForm form = FieldForm::Plain;
    std::optional<ArgValue> fallback;        ///< the default; none when it must be given
    std::vector<std::string_view> choices{}; ///< of a Choice; suggestions for a String
    BufferSide side = BufferSide::Read;      ///< of a BufferIndex
    TracePart tracePart = TracePart::Inputs;
    bool positional = false;       ///< scripts write it without its name
    bool omittedWhenEmpty = false; ///< scripts leave it out when it is None or an empty list
    bool alwaysInLabels = false;   ///< labels of steps say it even where it is the default
    std::string_view partOf{};     ///< of an Int: names the loop field whose iterations it takes a part of
};

enum class Group : std::uint8_t { Query, Loops, Annotate, Caching, Movement, Reduction, Layout, Sampling };

/// The group's name for a menu: "Loops", "Annotations", ….
std::string_view title(Group group);

/// How scripts write the results.
enum class Results : std::uint8_t { None, Single, List };

/// Stands in the title of an action for the loop or buffer that it is filled in with.
constexpr std::string_view titleGap = "{}";

/// A theorem about indices that a primitive rests on, proved for all integers by scripts/prove.sh.
/// Expressions are Python's: `//` and `%` round towards minus infinity.
struct IndexLemma {
    std::string_view says;  ///< one sentence
    std::string_view given; ///< a condition
    std::string_view then;  ///< what follows, a line each
};

struct Primitive {
    std::string_view name;  ///< as in scripts: "compute_at"
    std::string_view title; ///< for menus: "Compute at"
    /// For a suggestion, where it is not the title: "Compute at…", "Fuse with {}".
    std::string_view actionTitle = {};
    Group group = Group::Loops;
    std::string_view key; ///< suggested key in the window, "" for none
    std::vector<Field> fields{};
    std::string_view summary;             ///< one sentence
    std::string_view documentation;       ///< markdown: the effect, before → after, and when it is legal
    std::span<const IndexLemma> lemmas{}; ///< of one that moves iterations or elements (index_lemmas.h)
    Results results = Results::None;
    bool isQuery = false;             ///< changes nothing; histories leave it out
    std::string_view latestName = {}; ///< in TVM's newest scripts where that differs: "get_sblock"
    std::string_view traceKind = {};  ///< in trace JSON where it is not the name in camel case: "RFactor"
    std::string_view latestTraceKind = {}; ///< in newest TVM where that differs: "GetSBlock"
    bool isUnsafe = false; ///< keeps the meaning of the program only if the user's promise holds

    /// Does it; throws support::UserError when it is not legal. `args` match `fields` in kind.
    std::function<ArgList(Edit &, const Args &)> run{};
    /// Expands a composite primitive, in place of `run`, into other steps, which scripts show in its place.
    std::function<ArgList(Expansion &, const Args &)> expand{};

    /// Position of the field that keeps the decision, or nothing.
    std::optional<std::size_t> decisionIndex() const;
    /// Position of the field `name`, or nothing.
    std::optional<std::size_t> fieldIndex(std::string_view field) const;
    /// Its name in trace JSON: "ComputeAt"; `latest` in the spelling of the newest TVM.
    std::string kindInTrace(bool latest) const;
};

/// All primitives, in the order of menus and help.
std::span<const Primitive> primitives();
/// Null when there is none of that name (old or latest spelling).
const Primitive *findPrimitive(std::string_view name);
/// Null when there is none of that kind in trace JSON.
const Primitive *findTraceKind(std::string_view kind);

/// A step of `primitive` with the given arguments by field name and defaults for the others. Unknown fields
/// and missing ones without default are reported as "schedule.argument".
Result<Step> makeStep(std::string_view name, const std::vector<std::pair<std::string_view, ArgValue>> &args);

} // namespace nestwright::schedule
