// SPDX-License-Identifier: Apache-2.0
#include "core/report/page.h"

namespace nestwright::report {

std::string_view pageScript()
{
    return R"js(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const svgSpace = 'http://www.w3.org/2000/svg';
const byId = new Map(data.variants.map(v => [v.id, v]));
const details = new Map(data.details.map(d => [d.variant, d]));

function make(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
function draw(parent, name, attributes, text) {
  const element = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}
function figures(value) {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}
function timeText(seconds) {
  if (seconds >= 1) return figures(seconds) + ' s';
  if (seconds >= 1e-3) return figures(seconds * 1e3) + ' ms';
  return seconds >= 1e-6 ? figures(seconds * 1e6) + ' µs' : figures(seconds * 1e9) + ' ns';
}
function bytesText(bytes) {
  if (bytes === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  while (bytes >= 1024 && unit < 3) { bytes /= 1024; unit++; }
  return (unit ? bytes.toFixed(1) : bytes) + ' ' + units[unit];
}

function chart() {
  const box = document.getElementById('bars');
  box.replaceChildren();
  const shown = data.variants.filter(v => v.gflops);
  if (!shown.length) { box.append(make('p', 'soft', 'Nothing was measured.')); return; }
  const each = 76, left = 46, top = 18, height = 190, width = left + each * shown.length + 10;
  const most = Math.max(...shown.map(v => v.gflops.high)) * 1.12;
  const svg = draw(box, 'svg', {width, height: top + height + 42, role: 'img',
                                'aria-label': 'GFLOPS of the variants'});
  const y = value => top + height - value / most * height;
  let step = Math.pow(10, Math.floor(Math.log10(most)));
  if (most / step < 2.5) step /= 4; else if (most / step < 5) step /= 2;
  for (let value = 0; value <= most; value += step) {
    draw(svg, 'line', {class: 'grid', x1: left, x2: width, y1: y(value), y2: y(value)});
    draw(svg, 'text', {x: left - 6, y: y(value) + 4, 'text-anchor': 'end'}, String(+value.toPrecision(3)));
  }
  shown.forEach((v, i) => {
    const x = left + i * each + 14, middle = x + 24;
    const bar = draw(svg, 'rect', {class: 'bar' + (v.id === chosen ? ' chosen' : ''), x, width: 48, rx: 3,
                                   y: y(v.gflops.median), height: Math.max(1, y(0) - y(v.gflops.median))});
    bar.addEventListener('click', () => choose(v.id));
    draw(bar, 'title', {}, v.label + ': ' + timeText(v.time.median));
    for (const [a, b, c, d] of [[middle, middle, v.gflops.low, v.gflops.high],
                                [middle - 4, middle + 4, v.gflops.low, v.gflops.low],
                                [middle - 4, middle + 4, v.gflops.high, v.gflops.high]])
      draw(svg, 'line', {class: 'interval', x1: a, x2: b, y1: y(c), y2: y(d)});
    draw(svg, 'text', {class: 'value', x: middle, y: y(v.gflops.high) - 5, 'text-anchor': 'middle'},
         figures(v.gflops.median));
    const name = v.name || (v.parent === undefined ? 'naive' : v.label);
    draw(svg, 'text', {x: middle, y: top + height + 16, 'text-anchor': 'middle'},
         name.length > 11 ? name.slice(0, 10) + '…' : name);
    draw(svg, 'text', {x: middle, y: top + height + 31, 'text-anchor': 'middle'}, '#' + v.id);
  });
}

function depthOf(v) {
  let depth = 0;
  while (v.parent !== undefined) {
    const parent = byId.get(v.parent);
    if (parent.children[0] !== v.id) depth++;
    v = parent;
  }
  return depth;
}
function inOrder(id, rows) {
  const pending = [id]; // the first step goes on, others are branches between
  while (pending.length) {
    const v = byId.get(pending.pop());
    rows.push(v);
    pending.push(...v.children.slice(0, 1), ...v.children.slice(1).reverse());
  }
  return rows;
}
function history() {
  const body = document.querySelector('#history tbody');
  body.replaceChildren();
  for (const v of inOrder(0, [])) {
    const row = make('tr', 'pick' + (v.id === chosen ? ' chosen' : ''));
    row.tabIndex = 0;
    const step = make('td', 'text step');
    step.style.paddingLeft = 8 + Math.min(8, depthOf(v)) * 16 + 'px';
    if (v.star) step.append(make('span', 'star', '★'));
    if (v.color) {
      const dot = make('span', 'swatch');
      dot.style.background = `var(--a${v.color - 1})`;
      step.append(dot);
    }
    step.append((v.name ? v.name + ': ' : '') + v.label);
    for (const tag of v.tags || []) step.append(make('span', 'tag', tag));
    if (v.note) step.append(make('div', 'soft', v.note));
    if (v.refused) step.append(make('div', 'bad', v.refused));
    row.append(make('td', 'soft', '#' + v.id), step,
               make('td', '', v.time ? timeText(v.time.median) : ''),
               make('td', 'soft', v.time ? timeText(v.time.low) + ' … ' + timeText(v.time.high) : ''),
               make('td', '', v.gflops ? figures(v.gflops.median) : ''),
               make('td', '', v.ofPeak ? figures(v.ofPeak * 100) + ' %' : ''),
               make('td', '', v.vsFirst ? figures(v.vsFirst) + '×' : ''),
               make('td', 'text ' + (v.tone || ''), v.result || ''));
    row.addEventListener('click', () => choose(v.id));
    row.addEventListener('keydown', e => { if (e.key === 'Enter') choose(v.id); });
    body.append(row);
  }
}

// The statement on a line: of the spans that hold it the shortest.
function statementAt(spans, line) {
  let best;
  for (const span of spans)
    if (span[1] <= line && line <= span[2] && (!best || span[2] - span[1] < best[2] - best[1])) best = span;
  return best && best[0];
}
let panes = [];
function light(id) {
  for (const pane of panes) pane(id);
}
function codePane(box, source) {
  const lines = source.text.replace(/\n$/, '').split('\n').map(text => make('div', '', text || ' '));
  box.replaceChildren(...lines);
  let lit = [];
  box.onmouseover = event => {
    const line = lines.indexOf(event.target);
    if (line >= 0) light(statementAt(source.spans, line));
  };
  panes.push(id => {
    for (const line of lit) line.classList.remove('lit');
    lit = [];
    for (const span of source.spans)
      if (span[0] === id)
        for (let i = span[1]; i <= span[2]; i++) if (lines[i]) lit.push(lines[i]);
    for (const line of lit) line.classList.add('lit');
    const first = lit[0];
    if (first && !box.matches(':hover')) box.scrollTop = first.offsetTop - box.offsetTop - 60;
  });
}
function loopTable(detail) {
  const body = document.querySelector('#loops tbody');
  body.replaceChildren();
  const rows = new Map();
  for (const loop of detail.loops) {
    const row = make('tr', 'pick');
    row.tabIndex = 0;
    const name = make('td', 'text');
    name.style.paddingLeft = 8 + loop.depth * 14 + 'px';
    const swatch = make('span', 'swatch');
    swatch.style.background = loop.isBlock ? 'var(--block)' : `var(--a${loop.axis})`;
    name.append(swatch, loop.name);
    row.append(name, make('td', 'text soft', loop.kind || ''),
               make('td', '', loop.trips === undefined ? '' : String(loop.trips)),
               make('td', '', loop.isBlock ? '' : bytesText(loop.bytes)),
               make('td', 'text', loop.code || ''));
    row.addEventListener('mouseenter', () => light(loop.id));
    row.addEventListener('focus', () => light(loop.id));
    rows.set(loop.id, row);
    body.append(row);
  }
  panes.push(id => { for (const [key, row] of rows) row.classList.toggle('lit', key === id); });
}
function detail() {
  const section = document.getElementById('detail');
  const shown = details.get(chosen);
  document.getElementById('plain').hidden = Boolean(shown);
  section.hidden = !shown;
  if (!shown) return;
  panes = [];
  document.getElementById('code-title').textContent = shown.codeTitle;
  loopTable(shown);
  codePane(document.getElementById('nest'), shown.nest);
  codePane(document.getElementById('code'), shown.code);
  document.getElementById('script').textContent = shown.script;
  const finding = document.getElementById('finding');
  finding.hidden = !shown.finding;
  if (shown.finding) finding.textContent = shown.finding;
  document.getElementById('seal').textContent = shown.seal || '';
}

let chosen = data.current;
function choose(id) {
  chosen = id;
  chart();
  history();
  detail();
}
document.getElementById('copy').addEventListener('click', () => {
  const range = document.createRange();
  range.selectNodeContents(document.getElementById('script'));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  document.execCommand('copy');
});
choose(chosen);
document.body.dataset.ready = 'yes';
)js";
}

} // namespace nestwright::report
