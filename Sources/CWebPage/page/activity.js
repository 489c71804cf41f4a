import { Decisions } from './decisions.js'
import { h, show } from './dom.js'
import { icon } from './icons.js'
import { toldApart } from './identity.js'
import { Ledger } from './ledger.js'
import { apart } from './names.js'
import { account, onchange, sees, state } from './server.js'
import { t } from './text.js'

// The Activity page: photos handed to apps, or the decisions about access.
export function activity(place, go, part = 'handed') {
  const content = h('section', { class: 'panel' })
  // Decisions also include deleted libraries and the broker itself, so no library need be chosen.
  const isOfAll = part === 'decisions'
  const filter = { library: isOfAll ? '' : undefined, app: '' }
  let shown
  const tools = h('div', { class: 'panel-tools' })
  const select = (key, label, options) =>
    h('select',
      { class: 'field', 'aria-label': label, 'data-filter': key,
        onchange: event => { filter[key] = event.target.value; draw() } },
    options.map(([value, text]) => { const option = h('option', { value },
      text); option.selected = value === filter[key]; return option }))
  const tab = (key, text) =>
    h('button',
      { class: 'tab', 'aria-pressed': String(part === key),
        onclick: () => go(key === 'handed' ? '/activity' : '/activity/decisions') }, text)
  show(place,
    h('main', { class: 'sheet' }, h('h1', {}, t('activity')),
      h('p', { class: 'lead' }, t(part === 'handed' ? 'activityText' : 'decisionsText')),
    h('div', { class: 'panel-head' },
      h('div', { class: 'tabs', role: 'group', 'aria-label': t('show') }, tab('handed', t('handedOver')),
        tab('decisions', t('history'))), tools), content))
  const none = () =>
    h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('activity')), h('h2', {}, t('sawNothing')),
      h('p', {}, t('noActivityText')))
  function draw() {
    shown?.end?.()
    const { library } = filter, app = filter.app || undefined
    shown = undefined
    if (!library && !isOfAll) return show(content,
      h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('activity')),
        h('h2', {}, t('noLibraries')), h('p', {}, t('noActivityText'))))
    const unseen = part === 'handed' && state.libraries.find(other => other.name === library && !sees(other))
    if (unseen) return show(content, h('p', { class: 'quiet' }, t('administered', { uid: account(unseen.owner) })))
    shown = part === 'handed' ? new Ledger(content, { library, app, none })
      : new Decisions(content, { library: library || undefined, app })
  }
  // Keeps the chosen filter when the lists of apps and libraries change.
  let offered, isDrawn = false
  function offer() {
    const libraries = [...isOfAll ? [['', t('allLibraries')]] : [], ...state.libraries.map(({ name }) => [name, name])],
    apps = state.apps.map(app => [app.app, apart(toldApart(app))])
    const now = JSON.stringify([libraries, apps])
    if (now === offered) return
    offered = now
    const { library, app } = filter
    // The first choice is a library of the caller's own, before those they co-own.
    const own = state.libraries.find(each => each.owner === state.status?.caller)?.name
    if (!libraries.some(([name]) => name === library)) filter.library = isOfAll ? '' : own ?? libraries[0]?.[0]
    if (!apps.some(([id]) => id === app)) filter.app = ''
    const focused = tools.contains(document.activeElement) ? document.activeElement.dataset.filter : undefined
    show(tools, state.libraries.length > 1 && select('library', t('library'), libraries),
      apps.length > 0 && select('app', t('app'), [['', t('allApps')], ...apps]))
    if (focused) tools.querySelector(`[data-filter=${focused}]`)?.focus()
    if (!isDrawn || filter.library !== library || filter.app !== app) draw()
    isDrawn = true
  }
  offer()
  const stop = onchange(offer)
  const timer = setInterval(() => shown?.refresh?.(), 5000)
  return { end: () => { stop(); clearInterval(timer); shown?.end?.() } }
}
