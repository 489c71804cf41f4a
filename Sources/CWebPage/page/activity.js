import { h, name, show } from './dom.js'
import { icon } from './icons.js'
import { call, state } from './server.js'
import { avatar, known } from './apps.js'
import { put } from './thumbnails.js'
import { bytesText, count, t, whenText } from './text.js'

const day = 86400000

// Pictures handed over in each of the last 30 days; the table beside it says the same in words.
export function chart(lines) {
  const today = Math.floor(Date.now() / day)
  const counts = Array.from({ length: 30 }, () => 0)
  for (const line of lines) {
    const at = 29 - (today - Math.floor(line.time / 1000 / day))
    if (at >= 0 && at < 30 && !line.gap) counts[at] += 1
  }
  const most = Math.max(1, ...counts)
  const label = at => new Date((today - 29 + at) * day).toLocaleDateString(document.documentElement.lang, { day: 'numeric', month: 'short' })
  return h('figure', { class: 'chart' }, h('div', { class: 'bars', role: 'img', 'aria-label': t('chartText', { n: counts.reduce((a, b) => a + b, 0) }) },
    counts.map((number, at) => {
      const bar = h('span', { class: number ? 'bar' : 'bar none', title: `${label(at)}: ${count(number)}` })
      bar.style.height = `${number ? Math.max(6, number / most * 100) : 2}%`
      return bar
    })), h('figcaption', {}, h('span', {}, label(0)), h('span', {}, t('today'))))
}

// Lines of the ledger, those of one app and one minute together.
export function entries(lines, library, withApps = false) {
  const groups = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last && !line.gap && last.app === line.app && last.rendition === line.rendition && last.time - line.time < 60e6) {
      last.assets.add(line.asset)
      last.bytes += line.bytes
    } else groups.push({ ...line, assets: new Set([line.asset]) })
  }
  return h('ul', { class: 'rows plainly' }, groups.map(group => {
    if (group.gap) return h('li', { class: 'row' }, h('span', { class: 'row-text' }, t('ledgerGap')), h('span', { class: 'quiet' }, whenText(group.time)))
    const app = known(group.app)
    return h('li', { class: 'row' }, withApps && avatar(app ?? { identifier: group.identifier, displayName: group.identifier }),
      h('span', { class: 'row-text' }, h('strong', {}, withApps ? name(app?.displayName || group.identifier) : t(`rendition.${group.rendition}`)),
        h('span', { class: 'quiet' }, withApps && `${t(`rendition.${group.rendition}`)} · `, t('photosCount', { n: group.assets.size }), group.bytes > 0 && ` · ${bytesText(group.bytes)}`)),
      h('span', { class: 'strip tiny' }, [...group.assets].slice(0, 5).map(asset => {
        const image = h('img', { alt: '' })
        put(image, library, asset, 320)
        return image
      })), h('span', { class: 'quiet' }, whenText(group.time)))
  }))
}

// Who got what, and when.
export function activity(place, go) {
  const content = h('div', {})
  const libraries = state.libraries.map(library => library.name)
  let library = libraries[0]
  const choose = libraries.length > 1 && h('select', { class: 'field', 'aria-label': t('library'), onchange: event => { library = event.target.value; draw() } }, libraries.map(name => h('option', { value: name }, name)))
  show(place, h('main', { class: 'sheet' }, h('div', { class: 'panel-head' }, h('h1', {}, t('activity')), choose), h('p', { class: 'lead' }, t('activityText')), content))
  async function draw() {
    if (!library) return show(content, h('p', { class: 'quiet' }, t('noLibraries')))
    try {
      const { entries: lines } = await call('ReadLedger', { library, limit: 1000 })
      show(content, lines.length ? [h('section', { class: 'panel' }, chart(lines)), h('section', { class: 'panel' }, entries(lines.slice(0, 300), library, true))]
        : h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('activity')), h('h2', {}, t('sawNothing')), h('p', {}, t('noActivityText'))))
    } catch { show(content, h('p', { class: 'quiet' }, t('unreachable'))) }
  }
  draw()
  const timer = setInterval(draw, 10000)
  return { end: () => clearInterval(timer) }
}
