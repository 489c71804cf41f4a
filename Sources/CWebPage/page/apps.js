import { emptyNote, h, link, name, show } from './dom.js'
import { hasDeclined, holds, isOffered, isOpen, isWithdrawn, selectionText } from './grants.js'
import { icon } from './icons.js'
import { alike, apartFrom, appOf, avatar, shownName, toldApart } from './identity.js'
import { RowGuard, rowsBy } from './presses.js'
import { revoke, revokeAll } from './revoke.js'
import { Rules } from './rules.js'
import { libraryNamed, listed, onchange, owns, state } from './server.js'
import { agoText, t, whenText } from './text.js'

const isShut = grant => grant !== undefined && grant.status !== 'notDetermined' && !holds(grant)
const other = grant =>
  state.grants.find(({ library, app, level }) => library === grant.library && app === grant.app
    && level !== grant.level)

// An app is listed under its highest access. Without access it is listed once, under `denied`.
const groups = [
  ['full', grant => grant.level === 'readWrite' && grant.status === 'authorized' && holds(grant)],
  ['limited', grant => grant.level === 'readWrite' && grant.status === 'limited' && holds(grant)],
  ['addOnly', grant => grant.level === 'addOnly' && holds(grant) && !(holds(other(grant)) && !other(grant).paused)],
  ['denied', grant => isShut(grant) && !holds(other(grant)) && !(grant.level === 'addOnly' && isShut(other(grant)))],
]

// The page with the apps, by their access.
export function apps(place, go) {
  const content = h('div', {})
  const ruleSection = h('section', { class: 'group', hidden: true })
  const everything = h('section', { class: 'group', hidden: true }, h('h2', {}, t('revokeAll')),
    h('p', { class: 'quiet' }, t('revokeAllText')),
    h('button', { class: 'danger spaced', onclick: revokeAll }, t('revokeAllAccess')))
  let pickers = []
  const guard = new RowGuard(rowsBy(content, 'picked'))
  show(place,
    h('main', { class: 'sheet' }, h('h1', {}, t('apps')), h('p', { class: 'lead' }, t('appsText')), content,
      ruleSection, everything))
  function draw() {
    everything.hidden = !state.libraries.some(library => owns(library)
      && (isOpen(library.name) || pickers.some(picker => picker.library === library.name)))
    const focused = document.activeElement?.dataset?.row
    const sections = sectionsOf(pickers, go)
    show(content, sections.length ? sections : emptyNote('apps', t('noApps'), h('p', {}, t('noAppsText'))))
    if (focused) content.querySelector(`[data-row="${CSS.escape(focused)}"]`)?.focus()
    guard.check()
  }
  async function fetchPickers() {
    try {
      const libraries = state.libraries.map(library => library.name)
      const ask = more => Promise.all(libraries.map(library => listed('ListPickerApps', 'apps', { library, ...more })))
      // Apps that never had access are listed apart, whatever was decided about them.
      const [all, only] = await Promise.all([ask({ everyone: true }), ask({})])
      const now = all.flatMap((apps, at) =>
        apps.map(app =>
          ({ ...app, library: libraries[at], isOnly: only[at].some(other => other.app.app === app.app.app) })))
      if (JSON.stringify(now) === JSON.stringify(pickers)) return
      pickers = now
      draw()
    } catch { /* the banner shows an unreachable broker */ }
  }
  draw()
  fetchPickers()
  const rules = new Rules(ruleSection)
  const stop = onchange(() => { draw(); fetchPickers(); rules.renew() })
  // The broker sends no event when picked photos are revoked or expire.
  const looking = setInterval(fetchPickers, 5000)
  const timer = setInterval(() => {
    for (const past of content.querySelectorAll('[data-since]')) {
      past.textContent = pastText(Number(past.dataset.since), past.dataset.words)
    }
  }, 30_000)
  return { end: () => { stop(); clearInterval(timer); clearInterval(looking); guard.end(); rules.end() } }
}

// The lists of apps: by access, those whose access has ended, those that never asked, and those that
// were only given picked photos.
function sectionsOf(pickers, go) {
  const picksOf = (app, library) => pickers.find(picker => picker.app.app === app && picker.library === library)
  const over = state.apps.flatMap(app => (app.withoutAccess ?? []).map(library => ({ app, library })))
  const decided = new Set([...[...over, ...pickers].map(({ app }) => app.app), ...state.grants.map(grant => grant.app)])
  const section = (key, items, row) => items.length > 0 && h('section', { class: 'group' },
    h('h2', {}, t(`group.${key}`), h('span', { class: 'count' }, String(items.length))),
    h('p', { class: 'quiet' }, t(`group.${key}.text`)), h('ul', { class: 'rows' }, items.map(row)))
  return [
    ...groups.map(([key, fits]) => section(key, state.grants.filter(grant => fits(grant) && appOf(grant.app)),
      grant => row(grant, key, go, picksOf(grant.app, grant.library)))),
    section('over', over, ({ app, library }) => overRow(app, library, go, picksOf(app.app, library))),
    section('none', state.apps.filter(app => !decided.has(app.app)), app => undecidedRow(app, go)),
    section('picker', pickers.filter(picker => picker.isOnly), picker => pickerRow(picker, go)),
  ].filter(Boolean)
}

// The time since a moment, updated by a timer. `words`: key of the surrounding text.
const pastText = (since, words) => words ? t(words, { when: agoText(since) }) : agoText(since)
const ago = (since, words) => h('span', { 'data-since': String(since), 'data-words': words }, pastText(since, words))

const liveness = app => app.connections > 0 && h('span', { class: 'chip live' }, t('connected'))

export const picksText = ({ times, assets }) => `${t('pickedTimes', { n: times })} · ${t('items', { n: assets })}`

// A row for an app that has not asked yet.
function undecidedRow(app, go) {
  const open = () => {
    const library = state.libraries.find(library => isOffered(library, app)) ?? state.libraries[0]
    if (library) go(`/app/${app.app}/${library.name}`)
  }
  return h('li', {}, link(open, '', { class: 'row', href: '#' }, avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, name(shownName(app))),
      h('span', { class: 'quiet' }, name(apartFrom(app) || app.identifier))), liveness(app), icon('right')))
}

// A row for an app whose access has ended.
function overRow(app, library, go, picks) {
  return h('li', {}, link(go, `/app/${app.app}/${library}`, { class: 'row', 'data-row': `${app.app}-over-${library}` },
    avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, name(shownName(app))), alike(app),
      h('span', { class: 'quiet' }, library), picks && h('span', { class: 'quiet' }, picksText(picks))),
    liveness(app), h('span', { class: 'row-value' }, t('short.over')), icon('right')))
}

// A row for an app with picker deliveries. Unread photos can still be revoked.
function pickerRow({ app, library, times, assets, last, loadable }, go) {
  const key = `picked-${app.app}-${library}`, title = toldApart(app)
  const take = () => revoke(t('revokeTitle', { app: title }), t('revokePicks'), () => [{ library, app: app.app }])
  return h('li', { class: 'row', 'data-picked': key }, avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, link(go, `/app/${app.app}/${library}`, {}, name(shownName(app)))),
      alike(app), h('span', { class: 'quiet' }, `${library} · ${t('pickedTimes', { n: times })} · `, ago(last))),
    liveness(app), h('span', { class: 'row-value' }, t('items', { n: assets })),
    loadable > 0 && h('button',
      { class: 'link', 'data-row': key, 'aria-label': `${t('revoke')}: ${title}`, onclick: take }, t('revokeToken')))
}

function row(grant, key, go, picks) {
  const app = appOf(grant.app), path = `/app/${grant.app}/${grant.library}`
  const chip = text => h('span', { class: 'chip' }, text)
  const isDeclined = hasDeclined(libraryNamed(grant.library), app)
  return h('li', {}, link(go, path, { class: 'row', 'data-row': `${grant.app}-${grant.level}-${grant.library}` },
    avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, name(shownName(app))), alike(app),
      h('span', { class: 'quiet' }, grant.library,
        grant.expires ? ` · ${t('until', { when: whenText(grant.expires) })}` : '',
        grant.once ? ` · ${t('lasts.once')}` : '', ' · ',
        ago(grant.decided, grant.source === 'expiry' ? 'endedAgo' : 'decidedAgo')),
      picks && h('span', { class: 'quiet' }, picksText(picks))),
    isWithdrawn(grant) && chip(t(isDeclined ? 'offerDeclined' : 'withdrawn')),
    grant.paused && chip(t('paused')),
    grant.agreement?.changed && chip(t('saysElse')),
    liveness(app),
    h('span', { class: 'row-value' }, key === 'limited' ? selectionText(grant) : t(`short.${key}`)), icon('right')))
}
