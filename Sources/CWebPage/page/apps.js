import { h, name, show } from './dom.js'
import { hasDeclined, holds, isOffered, isOpen, isWithdrawn, selectionText } from './grants.js'
import { icon } from './icons.js'
import { alike, apartFrom, appOf, avatar, shownName, toldApart } from './identity.js'
import { RowGuard, rowsBy } from './presses.js'
import { revoke, revokeAll } from './revoke.js'
import { Rules } from './rules.js'
import { libraryNamed, listed, onchange, owns, state } from './server.js'
import { agoText, t, whenText } from './text.js'

const isShut = grant => grant !== undefined && grant.status !== 'notDetermined' && !holds(grant)
const other = grant => state.grants.find(({ library, app, level }) => library === grant.library && app === grant.app && level !== grant.level)

// An app is listed under its highest access. Without access it is listed once, under `denied`.
const groups = [
  ['full', grant => grant.level === 'readWrite' && grant.status === 'authorized' && holds(grant)],
  ['limited', grant => grant.level === 'readWrite' && grant.status === 'limited' && holds(grant)],
  ['addOnly', grant => grant.level === 'addOnly' && holds(grant) && !(holds(other(grant)) && !other(grant).paused)],
  ['denied', grant => isShut(grant) && !holds(other(grant)) && !(grant.level === 'addOnly' && isShut(other(grant)))],
]

export function apps(place, go) {
  const content = h('div', {})
  const ruleSection = h('section', { class: 'group', hidden: true })
  const everything = h('section', { class: 'group', hidden: true }, h('h2', {}, t('revokeAll')), h('p', { class: 'quiet' }, t('revokeAllText')),
    h('button', { class: 'danger spaced', onclick: revokeAll }, t('revokeAllAccess')))
  let pickers = []
  const picksOf = ({ app, library }) => pickers.find(picker => picker.app.app === app && picker.library === library)
  const guard = new RowGuard(rowsBy(content, 'picked'))
  show(place, h('main', { class: 'sheet' }, h('h1', {}, t('apps')), h('p', { class: 'lead' }, t('appsText')), content, ruleSection, everything))
  function draw() {
    everything.hidden = !state.libraries.some(library => owns(library) && (isOpen(library.name) || pickers.some(picker => picker.library === library.name)))
    const focused = document.activeElement?.dataset?.row
    const sections = groups.map(([key, fits]) => {
      const rows = state.grants.filter(grant => fits(grant) && appOf(grant.app))
      return rows.length > 0 && h('section', { class: 'group' },
        h('h2', {}, t(`group.${key}`), h('span', { class: 'count' }, String(rows.length))), h('p', { class: 'quiet' }, t(`group.${key}.text`)),
        h('ul', { class: 'rows' }, rows.map(grant => row(grant, key, go, picksOf(grant)))))
    }).filter(Boolean)
    const over = state.apps.flatMap(app => (app.withoutAccess ?? []).map(library => ({ app, library })))
    if (over.length) sections.push(h('section', { class: 'group' }, h('h2', {}, t('group.over'), h('span', { class: 'count' }, String(over.length))), h('p', { class: 'quiet' }, t('group.over.text')),
      h('ul', { class: 'rows' }, over.map(({ app, library }) => overRow(app, library, go, picksOf({ app: app.app, library }))))))
    const onlyPick = pickers.filter(picker => picker.isOnly)
    const decided = new Set([...over, ...pickers].map(({ app }) => app.app).concat(state.grants.map(grant => grant.app)))
    const others = state.apps.filter(app => !decided.has(app.app))
    if (others.length) sections.push(h('section', { class: 'group' }, h('h2', {}, t('group.none'), h('span', { class: 'count' }, String(others.length))), h('p', { class: 'quiet' }, t('group.none.text')),
      h('ul', { class: 'rows' }, others.map(app => h('li', {}, h('a', { class: 'row', href: '#', onclick: event => { event.preventDefault(); const library = state.libraries.find(library => isOffered(library, app)) ?? state.libraries[0]; if (library) go(`/app/${app.app}/${library.name}`) } }, avatar(app),
        h('span', { class: 'row-text' }, h('strong', {}, name(app.displayName || app.identifier)), h('span', { class: 'quiet' }, name(apartFrom(app) || app.identifier))), liveness(app), icon('right')))))))
    if (onlyPick.length) sections.push(h('section', { class: 'group' }, h('h2', {}, t('group.picker'), h('span', { class: 'count' }, String(onlyPick.length))), h('p', { class: 'quiet' }, t('group.picker.text')),
      h('ul', { class: 'rows' }, onlyPick.map(picker => pickerRow(picker, go)))))
    show(content, sections.length ? sections : h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('apps')), h('h2', {}, t('noApps')), h('p', {}, t('noAppsText'))))
    if (focused) content.querySelector(`[data-row="${CSS.escape(focused)}"]`)?.focus()
    guard.check()
  }
  async function fetchPickers() {
    try {
      const libraries = state.libraries.map(library => library.name)
      const ask = more => Promise.all(libraries.map(library => listed('ListPickerApps', 'apps', { library, ...more })))
      // Apps that never had access are listed apart, whatever was decided about them.
      const [all, only] = await Promise.all([ask({ everyone: true }), ask({})])
      const now = all.flatMap((apps, at) => apps.map(app => ({ ...app, library: libraries[at], isOnly: only[at].some(other => other.app.app === app.app.app) })))
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
  const timer = setInterval(() => { for (const past of content.querySelectorAll('[data-since]')) past.textContent = pastText(Number(past.dataset.since), past.dataset.words) }, 30_000)
  return { end: () => { stop(); clearInterval(timer); clearInterval(looking); guard.end(); rules.end() } }
}

// The time since a moment, updated by a timer. `words`: key of the surrounding text.
const pastText = (since, words) => words ? t(words, { when: agoText(since) }) : agoText(since)
const ago = (since, words) => h('span', { 'data-since': String(since), 'data-words': words }, pastText(since, words))

const liveness = app => app.connections > 0 && h('span', { class: 'chip live' }, t('connected'))

export const picksText = ({ times, assets }) => `${t('pickedTimes', { n: times })} · ${t('items', { n: assets })}`

// A row for an app whose access has ended.
function overRow(app, library, go, picks) {
  const path = `/app/${app.app}/${library}`
  return h('li', {}, h('a', { class: 'row', href: `#${path}`, 'data-row': `${app.app}-over-${library}`, onclick: event => { event.preventDefault(); go(path) } },
    avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, name(shownName(app))), alike(app), h('span', { class: 'quiet' }, library), picks && h('span', { class: 'quiet' }, picksText(picks))),
    liveness(app),
    h('span', { class: 'row-value' }, t('short.over')), icon('right')))
}

// A row for an app with picker deliveries. Unread photos can still be revoked.
function pickerRow({ app, library, times, assets, last, loadable }, go) {
  const path = `/app/${app.app}/${library}`, key = `picked-${app.app}-${library}`
  return h('li', { class: 'row', 'data-picked': key }, avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, h('a', { href: `#${path}`, onclick: event => { event.preventDefault(); go(path) } }, name(shownName(app)))), alike(app), h('span', { class: 'quiet' }, `${library} · ${t('pickedTimes', { n: times })} · `, ago(last))),
    liveness(app), h('span', { class: 'row-value' }, t('items', { n: assets })),
    loadable > 0 && h('button', { class: 'link', 'data-row': key, 'aria-label': `${t('revoke')}: ${toldApart(app)}`, onclick: () => revoke(t('revokeTitle', { app: toldApart(app) }), t('revokePicks'), () => [{ library, app: app.app }]) }, t('revokeToken')))
}

function row(grant, key, go, picks) {
  const app = appOf(grant.app)
  const path = `/app/${grant.app}/${grant.library}`
  return h('li', {}, h('a', { class: 'row', href: `#${path}`, 'data-row': `${grant.app}-${grant.level}-${grant.library}`, onclick: event => { event.preventDefault(); go(path) } },
    avatar(app),
    h('span', { class: 'row-text' }, h('strong', {}, name(app.displayName || app.identifier)), alike(app),
      h('span', { class: 'quiet' }, grant.library, grant.expires ? ` · ${t('until', { when: whenText(grant.expires) })}` : '', ' · ', ago(grant.decided, grant.source === 'expiry' ? 'endedAgo' : 'decidedAgo')),
      picks && h('span', { class: 'quiet' }, picksText(picks))),
    isWithdrawn(grant) && h('span', { class: 'chip' }, t(hasDeclined(libraryNamed(grant.library), app) ? 'offerDeclined' : 'withdrawn')),
    grant.paused && h('span', { class: 'chip' }, t('paused')),
    grant.agreement?.changed && h('span', { class: 'chip' }, t('saysElse')),
    liveness(app),
    h('span', { class: 'row-value' }, key === 'limited' ? selectionText(grant) : t(`short.${key}`)), icon('right')))
}
