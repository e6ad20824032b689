'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = (id) => document.getElementById(id);
  const make = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls; if (text !== undefined) e.textContent = text; return e; };
  let run = 0, now = 0, shown = -1, folded = new Set();

  const copy = (text, button) => {
    const done = () => { const old = button.textContent; button.textContent = 'Copied'; setTimeout(() => { button.textContent = old; }, 1200); };
    const fallback = () => { const t = make('textarea'); t.value = text; document.body.append(t); t.select(); document.execCommand('copy'); t.remove(); done(); };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, fallback); else fallback();
  };
  document.querySelectorAll('button.copy').forEach((b) => b.addEventListener('click', () => copy(b.dataset.text, b)));
  if ($('copy-harness')) $('copy-harness').addEventListener('click', (e) => copy(data.harness, e.target));
  document.querySelectorAll('.zoom').forEach((z) => z.addEventListener('input', () => {
    const svg = z.closest('details').querySelector('svg');
    svg.style.width = (svg.viewBox.baseVal.width * z.value / 100) + 'px'; svg.style.height = 'auto';
  }));

  // Source.
  const showFile = (number) => {
    if (number === shown || !data.files[number]) return;
    shown = number;
    const steps = data.runs[run] ? data.runs[run].steps : [];
    const passed = new Set(), inputs = new Set();
    steps.forEach((s) => { if (s.file === number) { passed.add(s.line); if (s.input) inputs.add(s.line); } });
    const fail = data.runs[run];
    const notes = new Map();
    data.notes.filter((n) => n.file === number).forEach((n) => notes.set(n.line, (notes.get(n.line) || []).concat(n.text)));
    const all = document.createDocumentFragment();
    data.files[number].split('\n').forEach((text, i) => {
      const line = make('div'); line.dataset.line = i + 1;
      if (passed.has(i + 1)) line.classList.add('passed');
      if (inputs.has(i + 1)) line.classList.add('input');
      if (fail && fail.file === number && fail.line === i + 1) line.classList.add('failing');
      line.append(make('span', 'no', i + 1), make('span', 'text', text));
      if (notes.has(i + 1)) line.append(make('span', 'note', '/* ' + notes.get(i + 1).join(' && ') + ' */'));
      all.append(line);
    });
    $('code').replaceChildren(all);
    if ($('file')) $('file').value = number;
  };
  const showLine = (file, line, quiet) => {
    if (!$('code')) return;
    if (file >= 0) showFile(file);
    $('code').querySelectorAll('.now').forEach((e) => e.classList.remove('now'));
    const row = $('code').children[line - 1];
    if (!row || file < 0) return;
    row.classList.add('now');
    $('code').scrollTop = row.offsetTop - $('code').clientHeight / 2;
    if (!quiet) $('source').scrollIntoView();
  };
  document.querySelectorAll('a.place').forEach((a) => a.addEventListener('click', (e) => { e.preventDefault(); showLine(data.names.indexOf(a.dataset.file), +a.dataset.line); }));
  if ($('file')) $('file').addEventListener('change', () => showFile(+$('file').value));

  // Runs of programs.
  const place = (s) => (s.file >= 0 ? data.names[s.file].replace(/.*\//, '') + ':' : '') + s.line;
  const listSteps = () => {
    const steps = data.runs[run].steps;
    const all = document.createDocumentFragment();
    steps.forEach((s, i) => {
      if (s.gap) { all.append(make('li', 'gap', '… ' + s.gap + ' steps …')); return; }
      const row = make('li', s.input ? 'input' : ''); row.dataset.step = i;
      row.append(make('span', 'place', place(s)));
      const text = make('span', 'text', '\u00a0'.repeat(2 * s.depth));
      if (steps[i + 1] && steps[i + 1].depth > s.depth) { const t = make('button', 'toggle', '▾'); t.title = 'Fold this call'; t.dataset.fold = i; text.append(t, ' '); }
      text.append(s.text);
      row.append(text, make('span', 'set', s.set.map(([n, v]) => n + ' = ' + v).join(', ')));
      all.append(row);
    });
    $('steps').replaceChildren(all);
  };
  const refold = () => {
    const steps = data.runs[run].steps, rows = $('steps').children;
    let hidden = Infinity;
    steps.forEach((s, i) => {
      if (s.depth <= hidden) hidden = Infinity;
      rows[i].hidden = s.depth > hidden;
      if (folded.has(i) && hidden === Infinity) hidden = s.depth;
      const t = rows[i].querySelector('.toggle'); if (t) t.textContent = folded.has(i) ? '▸' : '▾';
    });
  };
  const base = (name) => name.split(/[.[\-]/)[0];
  const showValues = () => {
    const steps = data.runs[run].steps, frames = [], globals = new Map(), heap = new Map();
    for (let i = 0; i <= now && i < steps.length; i++) {
      const s = steps[i]; if (s.gap) continue;
      while (frames.length > s.depth + 1) frames.pop();
      while (frames.length < s.depth + 1) frames.push({ name: s.function, vars: new Map() });
      frames[s.depth].name = s.function || frames[s.depth].name;
      // What a call sets are parameters of the function that is entered; what it returns has no name.
      const enters = steps[i + 1] && steps[i + 1].depth > s.depth;
      if (enters) frames.push({ name: steps[i + 1].function, vars: new Map() });
      s.set.forEach(([n, v]) => {
        if (n === 'value' && !enters && s.text.endsWith(')')) return;
        // A cell belongs to the call whose object it is in.
        const owner = base(n) === n ? undefined : [...frames].reverse().find((f) => [...f.vars.keys()].some((k) => base(k) === base(n)));
        const local = (owner || frames[frames.length - 1]).vars;
        const where = /^block\d+/.test(n) ? heap : data.globals.includes(base(n)) ? globals : local;
        where.delete(n); where.set(n, { v, changed: i === now, input: s.input });
      });
    }
    const out = document.createDocumentFragment();
    const table = (title, vars) => {
      if (!vars.size) return;
      const t = make('table'); t.append(make('caption', '', title));
      [...vars].reverse().forEach(([n, x]) => { const r = make('tr', (x.changed ? 'changed ' : '') + (x.input ? 'byinput' : '')); r.append(make('td', '', n), make('td', '', x.v + (x.input && x.changed ? '  (input)' : ''))); t.append(r); });
      out.append(t);
    };
    [...frames].reverse().forEach((f) => table(f.name ? f.name + '()' : 'locals', f.vars));
    table('globals', globals); table('heap', heap);
    $('values').replaceChildren(out);
  };
  const go = (to) => {
    const steps = data.runs[run].steps;
    now = Math.max(0, Math.min(steps.length - 1, to));
    const s = steps[now];
    $('steps').querySelectorAll('.now').forEach((e) => e.classList.remove('now'));
    const row = $('steps').children[now];
    if (row) { row.classList.add('now'); const list = $('steps'); list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2; }
    $('position').textContent = 'step ' + (now + 1) + ' of ' + steps.length;
    showValues();
    if (s && !s.gap) showLine(s.file, s.line, true);
  };
  const find = (text) => {
    const steps = data.runs[run].steps, wanted = text.toLowerCase();
    $('steps').querySelectorAll('.hit').forEach((e) => e.classList.remove('hit'));
    if (!wanted) return;
    const fits = (s) => !s.gap && (s.text + ' ' + s.set.map((x) => x.join(' = ')).join(' ')).toLowerCase().includes(wanted);
    steps.forEach((s, i) => { if (fits(s)) $('steps').children[i].classList.add('hit'); });
    for (let i = 1; i <= steps.length; i++) { const at = (now + i) % steps.length; if (fits(steps[at])) { go(at); return; } }
  };
  const startRun = (number) => {
    run = number; shown = -1; folded = new Set();
    listSteps(); refold(); go(data.runs[run].steps.length - 1);
  };
  if (data.runs.length) {
    $('first').onclick = () => go(0); $('last').onclick = () => go(Infinity);
    $('next').onclick = () => go(now + 1); $('back').onclick = () => go(now - 1);
    $('steps').addEventListener('click', (e) => {
      if (e.target.dataset.fold !== undefined) { const i = +e.target.dataset.fold; folded.has(i) ? folded.delete(i) : folded.add(i); refold(); return; }
      const row = e.target.closest('li[data-step]'); if (row) go(+row.dataset.step);
    });
    $('fold').onclick = () => { if (folded.size) folded.clear(); else $('steps').querySelectorAll('.toggle').forEach((t) => folded.add(+t.dataset.fold)); $('fold').textContent = folded.size ? 'Unfold calls' : 'Fold calls'; refold(); };
    $('search').addEventListener('keydown', (e) => { if (e.key === 'Enter') find($('search').value); });
    $('search').addEventListener('input', () => { if (!$('search').value) find(''); });
    if ($('which')) $('which').onchange = () => startRun(+$('which').value);
    document.addEventListener('keydown', (e) => {
      if ((e.target.matches && e.target.matches('input, select, textarea')) || e.altKey || e.ctrlKey || e.metaKey) return;
      const keys = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: Infinity };
      if (e.key in keys) { e.preventDefault(); go(keys[e.key]); }
    });
    startRun(0);
  } else if ($('code')) { showFile(0); }

  // Runs of processes.
  if (data.lanes) {
    const { processes, variables, steps } = data.lanes, table = $('lane-table');
    const head = make('tr'); ['', 'step', ...processes, ...variables].forEach((n) => { const h = make('th', '', n); h.scope = 'col'; head.append(h); });
    table.tHead.append(head);
    const state = new Map(), rows = document.createDocumentFragment();
    steps.forEach((s, i) => {
      s.locations.forEach(([p, l]) => state.set('p ' + p, l)); s.variables.forEach(([x, v]) => state.set('v ' + x, v));
      const row = make('tr'), moved = new Map(s.locations), set = new Map(s.variables);
      const number = make('th', '', i === 0 ? 'start' : i); number.scope = 'row'; row.append(number, make('td', '', s.text));
      processes.forEach((p) => row.append(make('td', moved.has(p) && i > 0 ? 'moved' : '', state.get('p ' + p) || '')));
      variables.forEach((x) => row.append(make('td', set.has(x) && i > 0 ? 'set' : '', state.get('v ' + x) || '')));
      rows.append(row);
    });
    table.tBodies[0].append(rows);
  }
})();
