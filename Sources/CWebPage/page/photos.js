import { announce, h, name, show, toast } from './dom.js'
import { icon } from './icons.js'
import { Assets, mark } from './assets.js'
import { Grid } from './grid.js'
import { Scrubber } from './scrubber.js'
import { view } from './viewer.js'
import { call, onchange, state } from './server.js'
import { known } from './apps.js'
import { t } from './text.js'

const kinds = [['favorite', mark.favorite, 'heart'], ['hidden', mark.hidden, 'hidden'], ['neverShare', mark.neverShare, 'never']]

// A library for its owner, with the marks that rule over every grant; or exactly what one app sees of it.
export function photos(place, go, library, id) {
  const app = id && known(id)
  const grant = id && state.grants.find(grant => grant.app === id && grant.library === library && grant.level === 'readWrite')
  const assets = new Assets(library, id)
  let wanted = 0
  const isSeen = asset => {
    if (!id) return true
    if (!grant || grant.paused || (grant.status !== 'limited' && grant.status !== 'authorized')) return false
    if (assets.marks[asset] & (mark.hidden | mark.neverShare)) return false
    if (grant.status === 'limited') return assets.has(asset, mark.selected) && !assets.has(asset, mark.shared)
    return true
  }
  const tools = at => kinds.map(([key, bit, picture]) => {
    const button = h('button', { class: 'viewer-button', 'aria-label': t(`mark.${key}`), title: t(`mark.${key}`) }, icon(picture))
    const draw = () => button.setAttribute('aria-pressed', String(assets.has(grid.items[at()], bit)))
    button.addEventListener('click', async () => {
      const asset = grid.items[at()]
      const isOn = !assets.has(asset, bit)
      try {
        await call('MarkAssets', { library, selector: { identifiers: [assets.id(asset)] }, [key]: isOn })
        assets.marks[asset] ^= bit
        announce(t(isOn ? 'marked' : 'unmarked', { mark: t(key) }))
        draw()
        grid.resize(true)
      } catch (refusal) { toast(refusal.message || t('unreachable')) }
    })
    button.redraw = draw
    draw()
    return button
  })
  const grid = new Grid(assets, {
    label: t('photosOf', { library }),
    zoom: at => view(grid, at, id ? {} : { tools: (now, redraw) => tools(now) }),
    isBarred: asset => !id && assets.has(asset, mark.neverShare),
    arranged: layout => scrubber.arranged(layout), scrolled: (top, layout) => scrubber.scrolled(top, layout),
  })
  const scrubber = new Scrubber(grid)
  const total = h('p', { class: 'quiet' })
  function apply() {
    const items = []
    for (let asset = 0; asset < assets.count; asset++) if (isSeen(asset) && (!wanted || assets.marks[asset] & wanted)) items.push(asset)
    grid.set(items)
    total.textContent = t('photosCount', { n: items.length })
    empty.hidden = items.length > 0 || assets.count < assets.total
  }
  const back = () => go(id ? `/app/${id}/${library}` : '/libraries')
  const empty = h('p', { class: 'grid-empty', hidden: true }, id ? t('appSeesNothing') : t('nothingFound'))
  const tab = (bit, text) => h('button', { class: 'tab', 'aria-pressed': String(bit === 0), onclick: event => {
    wanted = bit
    for (const other of event.currentTarget.parentNode.children) other.setAttribute('aria-pressed', String(other === event.currentTarget))
    apply()
  } }, text)
  show(place, h('main', { class: `chooser${id ? ' sees' : ''}` },
    h('header', { class: 'chooser-head' }, h('div', { class: 'chooser-title' }, id ? h('h1', {}, icon('eye'), ...((before, after) => [before, name(app?.displayName ?? id), after])(...t('seesTitle', { app: '\u0000' }).split('\u0000'))) : h('h1', {}, library), total),
      h('div', { class: 'chooser-actions' }, h('button', { class: 'plain', onclick: back }, t('close')))),
    !id && h('div', { class: 'chooser-bar' }, h('div', { class: 'tabs', role: 'group', 'aria-label': t('show') }, tab(0, t('all')), tab(mark.favorite, t('favorites')), tab(mark.video, t('videos')), tab(mark.hidden, t('hiddenOnes')), tab(mark.neverShare, t('neverShareOnes')))),
    h('div', { class: 'chooser-grid' }, grid.element, scrubber.element, empty)))
  assets.load(apply).then(apply).catch(refusal => toast(refusal.message || t('unreachable')))
  grid.list.focus({ preventScroll: true })
  return { end: () => { assets.end(); grid.end() }, isWide: true }
}
