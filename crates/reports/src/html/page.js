'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = (id) => document.getElementById(id);
  const make = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls; if (text !== undefined) e.textContent = text; return e; };
  let run = 0, now = 0, shown = -1, folded = new Set(), values = '';

  const copy = (text, button) => {
    const done = () => { const old = button.textContent; button.textContent = 'Copied'; setTimeout(() => { button.textContent = old; }, 1200); };
    const fallback = () => { const t = make('textarea'); t.value = text; document.body.append(t); t.select(); document.execCommand('copy'); t.remove(); done(); };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, fallback); else fallback();
  };
  document.querySelectorAll('button.copy').forEach((b) => b.addEventListener('click', () => copy(b.dataset.text, b)));
  if ($('copy-harness')) $('copy-harness').addEventListener('click', (e) => copy(data.harness, e.target));
  const zoom = (z) => {
    const svg = z.closest('details').querySelector('svg');
    svg.style.width = (svg.viewBox.baseVal.width * z.value / 100) + 'px'; svg.style.height = 'auto';
  };
  // At first all of it is seen, if that leaves something to be read.
  const fit = (z) => {
    const svg = z.closest('details').querySelector('svg'), box = svg.parentElement, wide = svg.viewBox.baseVal.width;
    if (z.dataset.fitted || !box.clientWidth || !wide) return;
    z.dataset.fitted = 1;
    z.value = Math.max(75, Math.min(100, 100 * (box.clientWidth - 200) / wide));
    zoom(z);
    // Where the function begins; of calls the middle.
    const start = svg.querySelector('ellipse'), middle = (e) => { const r = e.getBoundingClientRect(); return r.left + r.width / 2; };
    box.scrollLeft = start ? middle(start) - middle(box) : (box.scrollWidth - box.clientWidth) / 2;
  };
  document.querySelectorAll('.zoom').forEach((z) => {
    z.addEventListener('input', () => zoom(z));
    z.closest('details').addEventListener('toggle', () => fit(z));
    fit(z);
  });

  const centre = (pane, row) => {
    const to = () => { pane.scrollTop += row.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 2; };
    // Rows that were never shown have their height only now.
    to(); to();
  };

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
      const why = line.classList.contains('failing') && make('span', 'why', '← ' + (values || 'here'));
      line.append(make('span', 'no', i + 1), make('span', 'text', text));
      if (why) line.append(why);
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
    centre($('code'), row);
    if (!quiet) $('source').scrollIntoView();
  };
  document.querySelectorAll('a.place').forEach((a) => a.addEventListener('click', (e) => { e.preventDefault(); showLine(data.names.indexOf(a.dataset.file), +a.dataset.line); }));
  if ($('file')) $('file').addEventListener('change', () => showFile(+$('file').value));

  // Runs of programs.
  let alone = false;
  const place = (s, short) => (s.file >= 0 && !short ? data.names[s.file].replace(/.*\//, '') + ':' : 'line ') + s.line;
  const listSteps = () => {
    const steps = data.runs[run].steps;
    alone = new Set(steps.filter((s) => !s.gap).map((s) => s.file)).size < 2;
    $('steps').classList.toggle('alone', alone);
    const all = document.createDocumentFragment(), deepest = Math.max(...steps.map((s) => s.depth || 0));
    // Where calls are deep, texts need the room.
    const indent = (depth) => Math.min(depth, 12) * (deepest > 5 ? 1 : 2) + 'ch';
    steps.forEach((s, i) => {
      if (s.gap) { all.append(make('li', 'gap', '… ' + s.gap + ' steps …')); return; }
      const row = make('li', s.input ? 'input' : ''); row.dataset.step = i;
      const at = make('span', 'place', place(s, alone)); at.title = place(s); row.append(at);
      const text = make('span', 'text'); text.style.paddingLeft = indent(s.depth);
      if (steps[i + 1] && steps[i + 1].depth > s.depth) { const t = make('button', 'toggle', '▾'); t.title = 'Fold this call'; t.dataset.fold = i; text.append(t, ' '); }
      text.append(s.text);
      row.append(text, make('span', 'set', s.set.map(([n, v]) => n + ' = ' + v).join(', ')));
      all.append(row);
    });
    $('steps').replaceChildren(all);
  };
  const listInputs = () => {
    if (!$('input-table')) return;
    $('input-table').tBodies[0].replaceChildren(...data.runs[run].inputs.map((input, i) => {
      const row = make('tr'), at = make('td');
      [i + 1, input.value, input.from, input.type].forEach((text) => row.append(make('td', '', text)));
      if (input.file >= 0) { const b = make('button', 'call', place(input)); b.onclick = () => showLine(input.file, input.line); at.append(b); }
      row.append(at);
      return row;
    }));
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
  const base = (name) => name.split(/[.[\-]/)[0], isGlobal = new Set(data.globals);
  const frame = (name, call) => ({ name, call, vars: new Map(), objects: new Set() });
  // What is known after the current step: the active calls, with their variables, and what outlives them.
  const known = () => {
    const steps = data.runs[run].steps, frames = [], globals = new Map(), heap = new Map();
    data.runs[run].inputs.forEach(({ from, value }) => { if (isGlobal.has(base(from))) globals.set(from, { v: value, input: true }); });
    for (let i = 0; i <= now && i < steps.length; i++) {
      const s = steps[i]; if (s.gap) continue;
      while (frames.length > s.depth + 1) frames.pop();
      while (frames.length < s.depth + 1) frames.push(frame(s.function, i - 1));
      frames[s.depth].name = s.function || frames[s.depth].name;
      // What a call sets are parameters of the function that is entered; what it returns has no name.
      const enters = steps[i + 1] && steps[i + 1].depth > s.depth;
      if (enters) frames.push(frame(steps[i + 1].function, i));
      s.set.forEach(([n, v]) => {
        if (n === 'value' && !enters && s.text.endsWith(')')) return;
        // A cell belongs to the call whose object it is in.
        const object = base(n), owner = object === n ? undefined : frames.findLast((f) => f.objects.has(object));
        const local = owner || frames[frames.length - 1];
        const where = /^block\d+/.test(n) ? heap : isGlobal.has(object) ? globals : local.vars;
        if (where === local.vars) local.objects.add(object);
        where.set(n, { v, changed: i === now, input: s.input });
      });
    }
    return { frames, globals, heap };
  };
  // The values of what a text names.
  const valuesIn = (text) => {
    const steps = data.runs[run].steps, { frames, globals } = known(), found = [];
    if (steps.some((s) => s.gap) || !frames.length) return '';
    const quoted = (n) => n.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const names = (n) => {
      // Of an array whose elements are chosen by variables all elements.
      const cells = /^(\w+)\[\d+\]$/.exec(n), pattern = cells ? quoted(cells[1]) + '\\[' : quoted(n) + '(?![\\w.[(]|->)';
      return new RegExp('(?<![\\w.>\\]])' + pattern).test(text);
    };
    [frames[frames.length - 1].vars, globals].forEach((vars) => vars.forEach((x, n) => { if (names(n)) found.push(n + ' = ' + x.v); }));
    return found.slice(0, 12).join(', ') + (found.length > 12 ? ', …' : '');
  };
  // Who came to the error by calling whom: where a function does nothing but fail, its caller is who is asked about.
  const callers = () => {
    const { frames } = known(), steps = data.runs[run].steps, last = frames[frames.length - 1], from = last && steps[last.call];
    if (!from || from.gap || !last.name) return '';
    return 'That is in ' + last.name + '(), called ' + (from.function ? 'by ' + from.function + '() ' : '') + 'at line ' + from.line + '.';
  };
  const showValues = () => {
    const steps = data.runs[run].steps, { frames, globals, heap } = known();
    const out = document.createDocumentFragment();
    const table = (title, vars, call) => {
      const from = steps[call];
      if (!vars.size && !from) return;
      const t = make('table'), caption = make('caption', '', title); t.append(caption);
      if (from && !from.gap) { const b = make('button', 'call', 'called at ' + place(from, alone)); b.onclick = () => go(call); caption.append(' ', b); }
      vars.forEach((x, n) => { const r = make('tr', (x.changed ? 'changed ' : '') + (x.input ? 'byinput' : '')); r.append(make('td', '', n), make('td', '', x.v + (x.input && x.changed ? '  (input)' : ''))); t.append(r); });
      out.append(t);
    };
    [...frames].reverse().forEach((f) => table(f.name ? f.name + '()' : 'locals', f.vars, f.call));
    table('globals', globals); table('heap', heap);
    $('values').replaceChildren(out);
    const changed = $('values').querySelector('.changed');
    if (changed) centre($('values'), changed);
  };
  const go = (to) => {
    const steps = data.runs[run].steps;
    now = Math.max(0, Math.min(steps.length - 1, to));
    const s = steps[now];
    $('steps').querySelectorAll('.now').forEach((e) => e.classList.remove('now'));
    const row = $('steps').children[now];
    if (row) { row.classList.add('now'); centre($('steps'), row); }
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
    now = data.runs[run].steps.length - 1; values = valuesIn(data.runs[run].what);
    $('there').textContent = number === 0 ? (values ? 'There ' + values + '. ' : '') + callers() : '';
    listSteps(); refold(); listInputs(); go(now);
  };
  const listen = (to) => {
    $('first').onclick = () => to(0); $('last').onclick = () => to(Infinity);
    $('next').onclick = () => to(now + 1); $('back').onclick = () => to(now - 1);
    document.addEventListener('keydown', (e) => {
      if ((e.target.matches && e.target.matches('input, select, textarea')) || e.altKey || e.ctrlKey || e.metaKey) return;
      const keys = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: Infinity };
      if (e.key in keys) { e.preventDefault(); to(keys[e.key]); }
    });
  };
  if (data.runs.length) {
    listen(go);
    $('steps').addEventListener('click', (e) => {
      if (e.target.dataset.fold !== undefined) { const i = +e.target.dataset.fold; folded.has(i) ? folded.delete(i) : folded.add(i); refold(); return; }
      const row = e.target.closest('li[data-step]'); if (row) go(+row.dataset.step);
    });
    $('fold').onclick = () => { if (folded.size) folded.clear(); else $('steps').querySelectorAll('.toggle').forEach((t) => folded.add(+t.dataset.fold)); $('fold').textContent = folded.size ? 'Unfold calls' : 'Fold calls'; refold(); };
    $('search').addEventListener('keydown', (e) => { if (e.key === 'Enter') find($('search').value); });
    $('search').addEventListener('input', () => { if (!$('search').value) find(''); });
    if ($('which')) $('which').onchange = () => startRun(+$('which').value);
    startRun(0);
  } else if ($('code')) {
    showFile(0);
    if (data.notes.length) showLine(data.notes[0].file, data.notes[0].line, true);
  }

  // Runs of processes.
  if (data.lanes) {
    const { processes, variables: all, steps } = data.lanes, table = $('lane-table');
    // What stays as it is needs no column.
    const changing = new Set(steps.slice(1).flatMap((s) => s.variables.map(([x]) => x)));
    const variables = all.filter((x) => changing.has(x)), constant = steps[0].variables.filter(([x]) => !changing.has(x));
    if (constant.length) {
      $('lane-constant').append(make('summary', '', 'Never changed: ' + constant.length + (constant.length === 1 ? ' variable' : ' variables')), make('p', '', constant.map(([x, v]) => x + ' = ' + v).join(', ')));
      $('lane-constant').hidden = false;
    }
    const moves = (s, p) => s.locations.some(([q]) => q === p) || s.text.split(/[,;] /).some((part) => part.startsWith(p + ': '));
    const head = make('tr'); ['', 'step', ...processes, ...variables].forEach((n) => { const h = make('th', '', n); h.scope = 'col'; head.append(h); });
    table.tHead.append(head);
    const state = new Map(), rows = document.createDocumentFragment();
    steps.forEach((s, i) => {
      s.locations.forEach(([p, l]) => state.set('p ' + p, l)); s.variables.forEach(([x, v]) => state.set('v ' + x, v));
      const row = make('tr'), set = new Map(s.variables), text = make('td', '', s.text);
      if (i > 0) text.append('  ', make('span', 'set', s.variables.map(([x, v]) => x + ' = ' + v).join(', ')));
      const number = make('th', '', i === 0 ? 'start' : i); number.scope = 'row'; row.append(number, text);
      processes.forEach((p) => row.append(make('td', i > 0 && moves(s, p) ? 'moved' : '', state.get('p ' + p) || '')));
      variables.forEach((x) => row.append(make('td', set.has(x) && i > 0 ? 'set' : '', state.get('v ' + x) || '')));
      if (i === steps.length - 1) row.classList.add('failing');
      row.onclick = () => goTo(i);
      rows.append(row);
    });
    const goTo = (to) => {
      const shownRows = table.tBodies[0].rows;
      shownRows[now].classList.remove('now');
      now = Math.max(0, Math.min(steps.length - 1, to));
      shownRows[now].classList.add('now');
      centre($('lane-scroll'), shownRows[now]);
      $('position').textContent = now === 0 ? 'start' : 'step ' + now + ' of ' + (steps.length - 1);
    };
    table.tBodies[0].append(rows);
    listen(goTo);
    goTo(Infinity);
  }
})();
