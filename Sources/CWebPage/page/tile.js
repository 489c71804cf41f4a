import { known, want } from './thumbnails.js'
import { mark } from './assets.js'
import { h } from './dom.js'
import { icon } from './icons.js'
import { t } from './text.js'

// The longest edge of the pictures in a grid.
export const gridPixels = devicePixelRatio > 1.3 ? 480 : 320

// One photo of a grid.
export class Tile {
  constructor(grid, at) {
    this.grid = grid
    this.at = at
    const { layout } = grid
    this.element = h('div', { class: 'tile', role: 'option', id: `tile-${at}`, 'data-at': at, 'aria-posinset': at + 1, 'aria-setsize': layout.count })
    const { style } = this.element
    style.width = `${layout.w[at]}px`
    style.height = `${layout.h[at]}px`
    // Most of a small photo stays what a press on it selects.
    this.element.classList.toggle('small', layout.w[at] < 96 || layout.h[at] < 72)
    // How long a video lasts has no room beside the ring.
    this.element.classList.toggle('narrow', layout.w[at] < 120)
    this.release = () => {}
    this.place()
    this.mark()
  }

  place() {
    const { grid: { layout, track }, at } = this
    this.element.style.transform = `translate(${layout.x[at]}px, ${layout.y[at] - track.offset}px)`
  }

  // The picture and all that is drawn over it: only for what stays long enough to be looked at.
  complete() {
    if (this.image) return
    const { grid, at, element } = this
    const { assets, options } = grid
    const asset = grid.items[at]
    element.setAttribute('aria-label', grid.describe(grid.items[at]))
    this.image = h('img', { alt: '', draggable: 'false', decoding: 'async' })
    element.append(this.image)
    if (assets.has(asset, mark.video)) element.append(h('span', { class: 'tile-video' }, icon('video'), duration(assets.seconds[asset])))
    const marks = [[mark.favorite, 'heart'], [mark.hidden, 'hidden'], [mark.neverShare, 'never']].filter(([bit]) => assets.has(asset, bit))
    if (marks.length > 0) element.append(h('span', { class: 'tile-marks' }, marks.map(([, picture]) => icon(picture))))
    if (options.selects) element.append(tools(options.zoom).cloneNode(true))
    this.image.addEventListener('load', () => element.classList.add('loaded'), { once: true })
    const picture = assets.picture(asset, gridPixels), held = known(picture)
    // One from before a change stands there until the other one comes.
    if (held) {
      element.classList.add('loaded')
      this.image.src = held
    }
    // What comes from afar may take long: then it is shown that it is under way.
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

  // There is no picture of it: its name stands for it.
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
    // What is drawn by style is not read out.
    if (this.image) this.element.setAttribute('aria-label', number ? `${grid.describe(grid.items[at])}, ${t('numbered', { n: number })}` : grid.describe(grid.items[at]))
    const check = this.element.querySelector('.tile-check')
    if (check) check.dataset.number = number || ''
  }
}

// Copied for each photo, which is faster than building it.
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
