import { h, show } from './dom.js'
import { icon } from './icons.js'
import { state } from './server.js'
import { Decisions } from './decisions.js'
import { Ledger } from './ledger.js'
import { t } from './text.js'

// Who got what, and who decided what.
export function activity(place, go, part = 'handed') {
  const content = h('section', { class: 'panel' })
  const filter = { library: state.libraries[0]?.name, app: '' }
  let shown
  const select = (label, options, run) => h('select', { class: 'field', 'aria-label': label, onchange: event => { run(event.target.value); draw() } }, options.map(([value, text]) => h('option', { value }, text)))
  const libraries = state.libraries.length > 1 && select(t('library'), state.libraries.map(({ name }) => [name, name]), value => { filter.library = value })
  const apps = state.apps.length > 0 && select(t('app'), [['', t('allApps')], ...state.apps.map(app => [app.app, app.displayName || app.identifier])], value => { filter.app = value })
  const tab = (key, text) => h('button', { class: 'tab', 'aria-pressed': String(part === key), onclick: () => go(key === 'handed' ? '/activity' : '/activity/decisions') }, text)
  show(place, h('main', { class: 'sheet' }, h('h1', {}, t('activity')), h('p', { class: 'lead' }, t(part === 'handed' ? 'activityText' : 'decisionsText')),
    h('div', { class: 'panel-head' }, h('div', { class: 'tabs', role: 'group', 'aria-label': t('show') }, tab('handed', t('handedOver')), tab('decisions', t('history'))), h('div', { class: 'panel-tools' }, libraries, apps)), content))
  const none = () => h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('activity')), h('h2', {}, t('sawNothing')), h('p', {}, t('noActivityText')))
  function draw() {
    shown?.end?.()
    const { library } = filter, app = filter.app || undefined
    if (!library) return show(content, h('p', { class: 'quiet' }, t('noLibraries')))
    shown = part === 'handed' ? new Ledger(content, { library, app, none }) : new Decisions(content, { library: state.libraries.length > 1 ? library : undefined, app })
  }
  draw()
  const timer = setInterval(() => shown?.refresh?.(), 5000)
  return { end: () => { clearInterval(timer); shown?.end?.() } }
}
