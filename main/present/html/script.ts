/**
 * The script of the HTML report, as text: its digest is in the content security policy, so that it must be the same in every build. It adds filters,
 * opens what a link leads to, and copies references; without it the document is complete.
 */
export const SCRIPT = `
'use strict';
(function () {
  var all = function (selector, root) { return Array.prototype.slice.call((root || document).querySelectorAll(selector)); };
  var byId = function (id) { return document.getElementById(id); };
  var make = function (tag, text, attributes) {
    var element = document.createElement(tag);
    if (text) element.textContent = text;
    Object.keys(attributes || {}).forEach(function (name) { element.setAttribute(name, attributes[name]); });
    return element;
  };
  var words = function (element) { return (element.querySelector('summary') || element).textContent.toLowerCase(); };
  var split = function (text) { return text === '' ? [] : text.split(' '); };
  var findings = all('article.finding').map(function (element) {
    return {
      element: element,
      severity: element.dataset.severity,
      status: element.dataset.status,
      nodes: new Set(split(element.dataset.nodes)),
      controls: new Set(split(element.dataset.controls)),
      isCounted: element.parentNode.id === 'findings',
      text: null,
    };
  });
  var controls = all('article.control').map(function (element) { return { element: element, id: element.id, text: words(element) }; });
  var nodes = all('article.node').map(function (element) { return { element: element, id: element.dataset.node, text: words(element) }; });
  var counted = findings.filter(function (one) { return one.isCounted; }).length;

  function openTo(element) {
    for (var at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    var inner = element.querySelector(':scope > details');
    if (inner) inner.open = true;
  }
  function follow() {
    var id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch (error) { return; }
    var target = id && byId(id);
    if (!target) return;
    var hidden = target.closest('[hidden]');
    if (hidden) reset();
    openTo(target);
    target.scrollIntoView();
    if (!target.hasAttribute('tabindex')) target.setAttribute('tabindex', '-1');
    target.focus({ preventScroll: true });
  }

  var form = make('form', '', { class: 'filters', 'aria-label': 'Filter findings, controls and nodes', role: 'search' });
  form.addEventListener('submit', function (event) { event.preventDefault(); });
  function field(label, control) {
    var holder = make('label', '', {});
    holder.appendChild(make('span', label));
    holder.appendChild(control);
    form.appendChild(holder);
    return control;
  }
  function select(label, options) {
    var control = make('select', '', {});
    control.appendChild(make('option', 'All', { value: '' }));
    options.forEach(function (one) { control.appendChild(make('option', one[1], { value: one[0] })); });
    return field(label, control);
  }
  function present(key, labels) {
    return Object.keys(labels).filter(function (name) {
      return findings.some(function (one) { return one[key] === name; });
    }).map(function (name) { return [name, labels[name]]; });
  }
  var text = field('Text', make('input', '', { type: 'search', autocomplete: 'off' }));
  var severity = select('Severity', present('severity', { critical: 'Critical', high: 'High', medium: 'Moderate', low: 'Low', info: 'Informational' }));
  var status = select('Status', present('status', {
    open: 'Open', 'in-progress': 'In progress', 'ready-for-retest': 'Ready for retest', disputed: 'Disputed',
    'risk-accepted': 'Risk accepted', 'acceptance-expired': 'Risk acceptance expired',
  }));
  var node = select('Node', nodes.map(function (one) { return [one.id, one.element.querySelector('h3').textContent]; }));
  var control = select('Control', controls.map(function (one) {
    var name = one.element.querySelector('h3').textContent;
    return [one.id, name.length > 60 ? name.slice(0, 59) + '…' : name];
  }));
  function button(label, action) {
    var one = make('button', label, { type: 'button' });
    one.addEventListener('click', action);
    form.appendChild(one);
    return one;
  }
  button('Clear filters', function () { reset(); text.focus(); });
  var openAll = button('Open all findings', function () {
    var shown = findings.filter(function (one) { return !one.element.hidden; });
    var open = shown.some(function (one) { return !one.element.querySelector('details').open; });
    shown.forEach(function (one) { one.element.querySelector('details').open = open; });
    openAll.textContent = open ? 'Close all findings' : 'Open all findings';
  });
  var live = make('p', '', { role: 'status', class: 'live' });
  form.appendChild(live);

  function update() {
    var query = text.value.trim().toLowerCase();
    var shownNodes = new Set();
    var shownControls = new Set();
    var shown = 0;
    findings.forEach(function (one) {
      var fits = (!severity.value || one.severity === severity.value) && (!status.value || one.status === status.value) &&
        (!node.value || one.nodes.has(node.value)) && (!control.value || one.controls.has(control.value));
      if (fits && query) {
        if (one.text === null) one.text = one.element.textContent.toLowerCase();
        fits = one.text.indexOf(query) >= 0;
      }
      one.element.hidden = !fits;
      if (!fits) return;
      if (one.isCounted) shown += 1;
      one.nodes.forEach(function (id) { shownNodes.add(id); });
      one.controls.forEach(function (id) { shownControls.add(id); });
    });
    var narrows = Boolean(severity.value || status.value);
    function list(items, own, other, reached) {
      return items.filter(function (one) {
        var fits = own.value ? one.id === own.value
          : (!(narrows || other.value) || reached.has(one.id)) && (!query || reached.has(one.id) || one.text.indexOf(query) >= 0);
        one.element.hidden = !fits;
        return fits;
      }).length;
    }
    var controlCount = list(controls, control, node, shownControls);
    var nodeCount = list(nodes, node, control, shownNodes);
    live.textContent = shown + ' of ' + counted + ' findings, ' + controlCount + ' of ' + controls.length + ' controls, ' +
      nodeCount + ' of ' + nodes.length + ' nodes';
  }
  function reset() {
    text.value = '';
    [severity, status, node, control].forEach(function (one) { one.value = ''; });
    update();
  }
  var waiting = 0;
  text.addEventListener('input', function () { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(update); });
  [severity, status, node, control].forEach(function (one) { one.addEventListener('change', update); });
  form.addEventListener('keydown', function (event) { if (event.key === 'Escape') { event.preventDefault(); reset(); } });

  function copy(value, done) {
    var fallback = function () {
      var area = make('textarea', value, { 'aria-hidden': 'true', class: 'unseen' });
      document.body.appendChild(area);
      area.select();
      var copied = document.execCommand('copy');
      area.remove();
      done(copied);
    };
    if (!navigator.clipboard) return fallback();
    navigator.clipboard.writeText(value).then(function () { done(true); }, fallback);
  }
  all('article.finding > details > .body').forEach(function (body) {
    var article = body.closest('article');
    var one = make('button', 'Copy reference', { type: 'button', class: 'copy' });
    one.addEventListener('click', function () {
      copy(article.id + ': ' + article.querySelector('h3').textContent, function (copied) {
        one.textContent = copied ? 'Reference copied' : 'Copying was refused';
        live.textContent = one.textContent;
      });
      one.focus();
    });
    one.addEventListener('blur', function () { one.textContent = 'Copy reference'; });
    body.insertBefore(one, body.firstChild);
  });

  document.addEventListener('keydown', function (event) {
    var step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    var from = event.target;
    if (!step || event.altKey || event.ctrlKey || event.metaKey || from.tagName !== 'SUMMARY') return;
    var article = from.parentNode.parentNode;
    if (article.tagName !== 'ARTICLE') return;
    for (var at = article; at; ) {
      at = step > 0 ? at.nextElementSibling : at.previousElementSibling;
      if (!at) return;
      if (at.tagName === 'ARTICLE' && !at.hidden) {
        event.preventDefault();
        at.querySelector('summary').focus();
        return;
      }
    }
  });

  var main = byId('main');
  main.insertBefore(form, byId('findings'));
  update();
  window.addEventListener('hashchange', follow);
  if (location.hash) follow();
})();
`
