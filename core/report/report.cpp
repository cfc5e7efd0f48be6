// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/backend/backend.h"
#include "core/backend/listing/loop_code.h"
#include "core/explore/findings/finding.h"
#include "core/explore/judge/seal_path.h"
#include "core/measure/interval_json.h"
#include "core/measure/machine/this_machine.h"
#include "core/report/escapes.h"
#include "core/report/page.h"
#include "core/report/result_text.h"
#include "core/schedule/script/writer.h"
#include "core/session/history/experience.h"
#include "core/suggest/loop_facts.h"
#include "core/support/build_facts.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"
#include "core/support/text/json_output.h"
#include "core/support/text/visible.h"

#include <algorithm>
#include <array>
#include <format>
#include <set>

namespace nestwright::report {

using backend::SourceKind;
using measure::Measurement;
using session::Session;
using session::Variant;
using session::VariantId;
using support::Json;
using support::StmtId;
using support::visibleName;

namespace {

constexpr int axisColors = 6;

void addFigures(Json &entry, const Measurement &measured, const Variant &root)
{
    entry["result"] = visibleName(resultText(measured));
    entry["tone"] = !measured.ok() ? "bad" : measured.disturbed || !measured.isVerified() ? "warn" : "good";
    if (!measured.ok())
        return;
    entry["time"] = measure::toJson(measured.time);
    if (measured.flops > 0)
        entry["gflops"] = measure::toJson(
            measure::Interval{measured.gflopsLow(), measured.gflops(), measured.gflopsHigh()});
    if (measured.peakFraction > 0)
        entry["ofPeak"] = measured.peakFraction;
    if (root.measurement && root.measurement->ok())
        entry["vsFirst"] = root.measurement->time.median / measured.time.median;
}

Json variantOf(const Variant &variant, const Variant &root)
{
    Json entry{{"id", variant.id.value}, {"label", visibleName(variant.label)}, {"children", Json::array()}};
    if (variant.parent)
        entry["parent"] = variant.parent->value;
    for (const VariantId child : variant.children)
        entry["children"].push_back(child.value);
    if (!variant.name.empty())
        entry["name"] = visibleName(variant.name);
    if (variant.marks.star)
        entry["star"] = true;
    if (variant.marks.color > 0)
        entry["color"] = variant.marks.color;
    if (!variant.marks.tags.empty())
        entry["tags"] = variant.marks.tags;
    if (!variant.marks.note.empty())
        entry["note"] = support::visible(variant.marks.note);
    if (!variant.ok())
        entry["refused"] = visibleName(variant.state.error().message);
    else if (variant.measurement)
        addFigures(entry, *variant.measurement, root);
    return entry;
}

/// The current variant, the unscheduled program, the fastest, and those that a person marked or named.
std::vector<VariantId> variantsWithDetails(const session::VariantTree &tree)
{
    std::vector<VariantId> ids{tree.current().id};
    const auto add = [&](VariantId id) {
        if (ids.size() < mostDetails && tree.at(id).ok() && !std::ranges::contains(ids, id))
            ids.push_back(id);
    };
    add(tree.root().id);
    const Variant *fastest = nullptr;
    for (const Variant &variant : tree.all()) {
        const bool isMeasured = variant.measurement && variant.measurement->ok();
        if (isMeasured && (!fastest || variant.measurement->time.median < fastest->measurement->time.median))
            fastest = &variant;
    }
    if (fastest)
        add(fastest->id);
    for (const Variant &variant : tree.all()) {
        if (variant.marks.star || !variant.name.empty())
            add(variant.id);
    }
    return ids;
}

Json toJson(const std::string &text, const std::vector<script::LineSpan> &spans)
{
    Json list = Json::array();
    for (const script::LineSpan &span : spans)
        list.push_back(Json::array({span.stmt.value, span.firstLine, span.lastLine}));
    return {{"text", support::visible(text)}, {"spans", std::move(list)}};
}

Json loopsOf(const suggest::LoopNest &nest, const std::vector<backend::LoopCode> &code)
{
    Json rows = Json::array();
    for (const StmtId id : nest.all()) {
        const ir::For *loop = nest.loop(id);
        Json row{{"id", id.value},
                 {"name", visibleName(nest.name(id))},
                 {"depth", nest.loopsTo(id).size() - (loop ? 1 : 0)}};
        if (!loop) {
            row["isBlock"] = true;
            rows.push_back(std::move(row));
            continue;
        }
        const suggest::LoopFacts facts = suggest::loopFacts(nest, id);
        const analysis::LoopAxis *axis = nest.axis(id);
        row["axis"] = std::max(0, axis ? axis->single() : 0) % axisColors;
        row["kind"] = suggest::kindBadge(*loop);
        if (facts.iterations)
            row["trips"] = *facts.iterations;
        if (facts.bytes)
            row["bytes"] = *facts.bytes;
        const auto own = std::ranges::find_if(
            code, [&](const backend::LoopCode &each) { return each.loop == id && each.time; });
        if (own != code.end())
            row["code"] = backend::timeText(*own);
        rows.push_back(std::move(row));
    }
    return rows;
}

/// The variant's seal as a sentence, for a kernel that takes a fraction of a second; empty for the
/// unscheduled program and for edited code.
std::string sealOf(const Session &session, VariantId id)
{
    const Variant &variant = session.tree().at(id);
    if (variant.isRoot() || variant.edit)
        return {};
    explore::SealOptions options;
    options.target = session.target();
    options.steps = 100'000'000;
    options.stop = support::currentStop();
    const auto sealed = explore::sealPath(session.tree().steps(id), {.work = 5e7}, options);
    return sealed ? sealed->describe() : "";
}

Json detailOf(const Session &session, VariantId id)
{
    const Variant &variant = session.tree().at(id);
    const target::Target &target = session.target();
    const script::Printed printed = script::print(variant.state->module);
    const suggest::LoopNest nest(*variant.state, printed);
    const SourceKind kind = backend::usualFormat(target.kind).kind;
    Json detail{{"variant", id.value},
                {"nest", toJson(printed.text, printed.spans)},
                {"codeTitle", backend::sourceFormat(kind).title}};
    if (variant.edit) {
        detail["codeTitle"] = session::badgeOf(*variant.edit);
        detail["code"] = toJson(variant.edit->text, {});
    } else {
        const auto source = backend::source(variant.state->module, target, kind, support::currentStop());
        detail["code"] = source ? toJson(source->text, source->spans) : toJson(source.error().render(), {});
    }
    const auto code = backend::loopCode(variant.state->module, target, support::currentStop());
    detail["loops"] = loopsOf(nest, code ? *code : std::vector<backend::LoopCode>());
    const auto script = session.exportSchedule(id);
    detail["script"] = script ? *script : script.error().render();
    const target::Machine machine = measure::machineOf(target);
    const auto findings =
        explore::findingsOf(session.tree().steps(id), target, machine, support::currentStop(),
                            session::experienceOf(session.tree(), id, machine));
    if (const std::string seal = sealOf(session, id); !seal.empty())
        detail["seal"] = seal;
    if (findings && !findings->empty())
        detail["finding"] = findings->front().title + ". " + findings->front().remedy.title + '.';
    return detail;
}

Json dataOf(const Session &session)
{
    const session::VariantTree &tree = session.tree();
    Json data{{"current", tree.current().id.value}, {"variants", Json::array()}, {"details", Json::array()}};
    for (const Variant &variant : tree.all())
        data["variants"].push_back(variantOf(variant, tree.root()));
    const std::vector<VariantId> ids = variantsWithDetails(tree);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        support::tellPhase(std::format("variant {} of {}", i + 1, ids.size()));
        data["details"].push_back(detailOf(session, ids[i]));
    }
    return data;
}

/// JSON that may stand in a script element: nothing in it ends the element.
std::string embedded(const Json &data)
{
    const std::string text = support::jsonText(data);
    std::string result;
    for (const char c : text) {
        if (c == '<')
            result += "\\u003c";
        else
            result += c;
    }
    return result;
}

constexpr std::string_view body = R"html(
<section class="card"><h2>GFLOPS, median and 95 % interval</h2><div class="scroll" id="bars"></div></section>
<section class="card"><h2>Variants</h2>
<div class="scroll"><table id="history">
<thead><tr><th>#</th><th class="text">step</th><th>time</th><th>95 % interval</th><th>GFLOPS</th>
<th>of peak</th><th>vs naive</th><th class="text">result</th></tr></thead><tbody></tbody>
</table></div></section>
<p class="soft" id="plain">This variant comes with its figures alone.
Star or name it in the session to have its loops and code here.</p>
<section id="detail" hidden>
<div class="card"><h2>Loops</h2>
<table id="loops">
<thead><tr><th class="text">loop</th><th class="text">kind</th><th>trips</th><th>touches</th>
<th class="text">machine code</th></tr></thead><tbody></tbody>
</table>
<div class="finding" id="finding"></div>
<p class="soft" id="seal"></p></div>
<div class="row">
<section class="card"><h2>Loop nest</h2><div class="code" id="nest"></div></section>
<section class="card"><h2 id="code-title"></h2><div class="code" id="code"></div></section>
</div>
<section class="card"><h2>Schedule script <button id="copy">Copy</button></h2>
<pre class="script" id="script"></pre></section>
</section>
)html";

} // namespace

std::string htmlReport(const Session &session)
{
    const std::string name = htmlText(visibleName(session.source().name));
    std::string page = pageHead(name) + "<h1>" + name + "</h1>\n<div class=\"soft\">"
                       + htmlText(originText(session)) + " by Nestwright "
                       + htmlText(support::programVersion()) + ".</div>";
    page += body;
    page +=
        "<script type=\"application/json\" id=\"data\">" + embedded(dataOf(session)) + "</script>\n<script>";
    page += pageScript();
    page += "</script>\n</body></html>\n";
    return page;
}

} // namespace nestwright::report
