import { mark } from './assets.js'
import { h } from './dom.js'
import { icon } from './icons.js'
import { t } from './text.js'
import { cached, want } from './thumbnails.js'

export const gridPixels = devicePixelRatio > 1.3 ? 480 : 320

export class Tile {
  constructor(grid, at) {
    this.grid = grid
    this.at = at
    const { layout } = grid
    this.element = h('div',
      { class: 'tile', role: 'option', id: `tile-${at}`, 'data-at': at, 'aria-posinset': at + 1,
        'aria-setsize': layout.count })
    const { style } = this.element
    style.width = `${layout.w[at]}px`
    style.height = `${layout.h[at]}px`
    // On small photos the buttons must leave room for selecting.
    this.element.classList.toggle('small', layout.w[at] < 96 || layout.h[at] < 72)
    // No room for a video's length beside the check mark.
    this.element.classList.toggle('narrow', layout.w[at] < 120)
    this.release = () => {}
    this.place()
    this.mark()
  }

  place() {
    const { grid: { layout, track }, at } = this
    this.element.style.transform = `translate(${layout.x[at]}px, ${layout.y[at] - track.offset}px)`
  }

  // Adds the picture and overlays; skipped during fast scrolling.
  complete() {
    if (this.image) return
    const { grid, at, element } = this
    const { assets, options } = grid
    const asset = grid.items[at]
    element.setAttribute('aria-label', grid.describe(grid.items[at]))
    this.image = h('img', { alt: '', draggable: 'false', decoding: 'async' })
    element.append(this.image)
    if (assets.has(asset, mark.video)) element.append(h('span', { class: 'tile-video' }, icon('video'),
      duration(assets.seconds[asset])))
    const marks = [[mark.favorite, 'heart'], [mark.hidden, 'hidden'], [mark.neverShare, 'never']]
      .filter(([bit]) => assets.has(asset, bit))
    if (marks.length > 0) element.append(h('span', { class: 'tile-marks' }, marks.map(([, picture]) => icon(picture))))
    if (options.selects) element.append(tools(options.zoom).cloneNode(true))
    this.image.addEventListener('load', () => element.classList.add('loaded'), { once: true })
    const picture = assets.picture(asset, gridPixels), held = cached(picture)
    // The earlier picture is shown until the new one arrives.
    if (held) {
      element.classList.add('loaded')
      this.image.src = held
    }
    // A slow storage may need long, so a waiting state appears.
    const patience = setTimeout(() => element.classList.add('awaited'), 700)
    const forget = want(picture, url => {
      clearTimeout(patience)
      element.classList.remove('awaited')
      if (url && url !== held) this.image.src = url
      else if (url === null) this.showNone()
    }, () => grid.rank(at))
    this.release = () => { clearTimeout(patience); forget() }
    this.mark()
  }

  // Shows the filename instead of a picture.
  showNone() {
    const { grid, at } = this
    if (this.element.classList.contains('blank')) return
    this.element.classList.add('blank', 'loaded')
    this.element.append(h('span', { class: 'tile-name', dir: 'auto' }, grid.assets.names[grid.items[at]]))
  }

  mark() {
    const { grid, at } = this
    const asset = grid.items[at]
    const isSelected = grid.options.isSelected?.(asset) ?? false
    if (grid.options.selects) this.element.setAttribute('aria-selected', String(isSelected))
    this.element.classList.toggle('selected', isSelected)
    this.element.classList.toggle('current', at === grid.current)
    this.element.classList.toggle('barred', grid.options.isBarred?.(asset) ?? false)
    const number = grid.options.numberOf?.(asset)
    if (number === undefined) return
    this.element.dataset.number = number || ''
    // Content drawn by CSS is not read out, so the label has it.
    if (this.image) this.element.setAttribute('aria-label',
      number ? `${grid.describe(grid.items[at])}, ${t('numbered', { n: number })}` : grid.describe(grid.items[at]))
    const check = this.element.querySelector('.tile-check')
    if (check) check.dataset.number = number || ''
  }
}

// Cloning is faster than building the elements.
const made = new Map()
function tools(zoom) {
  const key = Boolean(zoom)
  if (!made.has(key)) {
    const both = document.createDocumentFragment()
    both.append(h('span', { class: 'tile-check' }, icon('check')))
    if (zoom) both.append(h('span', { class: 'tile-zoom', title: t('zoom') }, icon('zoom')))
    made.set(key, both)
  }
  return made.get(key)
}

export function duration(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
