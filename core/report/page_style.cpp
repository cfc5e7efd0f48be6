// SPDX-License-Identifier: Apache-2.0
#include "core/report/page.h"

namespace nestwright::report {

std::string pageHead(const std::string &title)
{
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
           + title + "</title>\n<style>" + std::string(pageStyle()) + "</style></head><body>\n";
}

std::string_view pageStyle()
{
    return R"css(
:root {
  color-scheme: light dark;
  --ground: #f5f7f9; --pane: #ffffff; --line: #dfe4ea; --text: #1c2430; --soft: #66707f;
  --accent: #2f6bed; --fill: #e5effd; --good: #16794c; --warn: #9a5b00; --bad: #c0263d; --bar: #9db9f2;
  --a0: #0072b2; --a1: #c64600; --a2: #007d55; --a3: #855c00; --a4: #bb1b6c; --a5: #4350c8;
    --block: #9a4fd8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181e; --pane: #1b2027; --line: #2e3640; --text: #e3e8ef; --soft: #929dab;
    --accent: #5b8ff7; --fill: #1d3050; --good: #4cc38a; --warn: #e0a83c; --bad: #f0697b; --bar: #3c5b99;
    --a0: #56b4e9; --a1: #f5915a; --a2: #3ecf9a; --a3: #d9a93f; --a4: #ef7db4; --a5: #9aa4ff;
    --block: #c99bf5;
  }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 20px; background: var(--ground); color: var(--text);
       font: 14px/1.45 system-ui, "Inter", "Segoe UI", sans-serif; }
h1 { font-size: 20px; margin: 0 0 2px; }
h2 { font-size: 14px; margin: 0 0 10px; }
.soft { color: var(--soft); }
.card { background: var(--pane); border: 1px solid var(--line); border-radius: 8px;
        padding: 14px 16px; margin-top: 14px; overflow: hidden; }
.row { display: flex; gap: 14px; align-items: stretch; flex-wrap: wrap; }
.row > .card { flex: 1 1 420px; min-width: 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 500; color: var(--soft); padding: 4px 8px;
    border-bottom: 1px solid var(--line); }
td { text-align: right; padding: 4px 8px; white-space: nowrap; }
th.text, td.text { text-align: left; }
td.step { white-space: normal; }
tr.pick { cursor: pointer; }
tr.pick:hover, tr.lit { background: var(--fill); }
tr.chosen { outline: 1px solid var(--accent); outline-offset: -1px; border-radius: 5px; }
tr:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.tag { background: var(--fill); border-radius: 4px; padding: 0 6px; margin-left: 6px; font-size: 12px; }
.star { color: var(--warn); margin-right: 4px; }
.scroll { overflow: auto; max-height: 520px; }
svg text { fill: var(--soft); font-size: 11px; }
svg .value { fill: var(--text); font-weight: 600; }
svg .bar { fill: var(--bar); cursor: pointer; } svg .bar.chosen { fill: var(--accent); }
svg .interval { stroke: var(--text); } svg .grid { stroke: var(--line); }
.code { font: 12.5px/1.5 ui-monospace, "JetBrains Mono", monospace; overflow: auto; max-height: 560px;
        border: 1px solid var(--line); border-radius: 6px; padding: 6px 0; tab-size: 4; }
.code div { white-space: pre; padding: 0 10px 0 8px; border-left: 3px solid transparent; min-height: 1.5em;
            width: max-content; min-width: 100%; cursor: default; }
.code div.lit { background: var(--fill); border-left-color: var(--accent); }
.swatch { display: inline-block; width: 8px; height: 13px; border-radius: 2px; margin-right: 7px;
    vertical-align: -2px; }
.finding { border: 1px solid var(--warn); border-radius: 6px; padding: 8px 12px; margin-top: 10px; }
pre.script { font: 12.5px/1.5 ui-monospace, "JetBrains Mono", monospace; overflow: auto; margin: 0; }
button { font: inherit; color: var(--accent); background: none; border: 0; padding: 0;
    cursor: pointer; float: right; }
)css";
}

} // namespace nestwright::report
