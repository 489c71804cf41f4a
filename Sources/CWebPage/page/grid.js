import { mark } from './assets.js'
import { h, toast } from './dom.js'
import { icon } from './icons.js'
import { arrange, firstBelow, sectionAt } from './layout.js'
import { apart } from './names.js'
import { pause, whileHeld } from './presses.js'
import { dayText, momentText, monthText, t } from './text.js'
import { later } from './thumbnails.js'
import { Tile } from './tile.js'
import { Track } from './track.js'

// Whether a move is too small to notice, in pixels.
const isNear = (one, other) => one !== undefined && Math.hypot(one.x - other.x, one.y - other.y) < 4

// A virtual list of a library's photos: only the screen, and one screen above and below, is in the
// document.
//
// It is a list box: the list has the focus, and one option is current.
export class Grid {
  constructor(assets, options) {
    this.assets = assets
    this.options = options
    this.items = []
    // Called with the assets' new places after a renewal.
    this.followers = new Set()
    this.current = 0
    this.tiles = new Map()
    this.headings = new Map()
    this.by = 'month'
    this.list = h('div', {
      class: 'grid-list', role: 'listbox', tabindex: '0', 'aria-label': options.label,
      'aria-multiselectable': this.selectsMany ? 'true' : undefined,
    })
    this.heads = h('div', { class: 'grid-heads' })
    this.canvas = h('div', { class: 'grid-canvas' }, this.list, this.heads)
    this.element = h('div', { class: `grid${options.selects ? ' selects' : ''}` }, this.canvas)
    this.track = new Track(this.element, this.canvas)
    this.element.addEventListener('scroll', () => this.later(), { passive: true })
    this.list.addEventListener('keydown', event => this.key(event))
    this.list.addEventListener('focus',
      () => { if (this.layout?.count) this.comeIntoView() || this.focus(this.current, false) })
    this.list.addEventListener('pointerdown', event => this.press(event))
    this.list.addEventListener('click', event => this.click(event))
    this.list.addEventListener('dblclick', event => this.look(event))
    this.watcher = new ResizeObserver(() => this.resize())
    this.watcher.observe(this.element)
  }

  // With a single choice there are no ranges.
  get selectsMany() { return Boolean(this.options.selects) && !this.options.isSingle }

  end() {
    this.watcher.disconnect()
    clearTimeout(this.calming)
    for (const tile of this.tiles.values()) tile.release()
    this.tiles.clear()
  }

  // Sets the view's assets. The topmost photo keeps its place, and the current one stays current;
  // if it is gone, the next one takes over.
  //
  // `places`: the new index of each asset, if these changed.
  set(items, places) {
    // Sorted by local time, so that travellers see each day once.
    const { dates } = this.assets
    const time = asset => this.assets.has(asset, mark.undated) ? -Infinity : dates[asset]
    const order = (a, b) => time(b) - time(a) || a - b
    const now = asset => places && asset !== undefined ? places[asset] : asset
    const top = this.top()
    const back = this.back?.asset !== undefined && top.at < 0 ? this.back : undefined
    this.back = undefined
    const asset = now(back?.asset ?? this.items[top.at]), current = now(back?.asset ?? this.items[this.current])
    if (places && this.left) this.left.asset = now(this.left.asset)
    const from = places && new Map([...this.tiles.keys()].map(at => [now(this.items[at]), this.pointOf(at)]))
    this.items = items.sort(order)
    if (places) for (const follow of [...this.followers]) follow(places)
    const find = asset => {
      let low = 0, high = items.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (order(items[middle], asset) < 0) low = middle + 1
        else high = middle
      }
      return Math.min(low, items.length - 1)
    }
    this.current = Math.max(0, current === undefined ? Math.min(this.current, items.length - 1) : find(current))
    this.resize(true, asset === undefined ? undefined : { at: find(asset), offset: (back ?? top).offset })
    if (from) this.moved = { until: performance.now() + pause, assets: this.movedSince(from) }
    if (document.activeElement === this.list) this.focus(this.current, false)
  }

  // Prepares for a filter change. Results start at their beginning. Without a filter the earlier
  // position returns, unless the results were scrolled: then that photo stays in view.
  narrow(isNarrow) {
    if (!isNarrow) {
      this.back = this.left
      this.left = undefined
      return
    }
    const top = this.top()
    this.left ??= { asset: this.items[top.at], offset: top.offset }
    this.track.top = 0
    this.current = 0
  }

  // The first photo in view and its offset in pixels; -1 at the very top.
  top() {
    const { top } = this.track
    const at = this.layout && top > 0 ? firstBelow(this.layout, top + 60) : -1
    return at >= 0 && at < this.layout.count ? { at, offset: this.layout.y[at] - top } : { at: -1, offset: 0 }
  }

  group(by) {
    this.by = by
    this.resize(true)
  }

  keyOf(asset) {
    if (this.assets.has(asset, mark.undated)) return 'undated'
    const date = new Date(this.assets.dates[asset] * 1000)
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth()
    return this.by === 'day' ? month * 32 + date.getUTCDate() : month
  }

  resize(isForced, top = this.top()) {
    const width = this.canvas.clientWidth
    if (!width || (!isForced && width === this.width)) return
    this.width = width
    const row = width < 520 ? 128 : width < 900 ? 150 : 190
    this.layout = arrange(this.assets, this.items, width, row, asset => this.keyOf(asset))
    this.track.fit(this.layout.height)
    for (const tile of this.tiles.values()) tile.release()
    this.tiles.clear()
    this.headings.clear()
    this.list.replaceChildren()
    this.heads.replaceChildren()
    if (top.at >= 0 && top.at < this.layout.count) this.track.top = this.layout.y[top.at] - top.offset
    this.draw()
    this.options.arranged?.(this.layout)
  }

  later() {
    if (this.frame) return
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw() })
  }

  draw() {
    const layout = this.layout
    if (!layout) return
    const top = this.track.look(), height = this.element.clientHeight
    this.move()
    this.measureSpeed(top, height)
    // Fast scrolling draws mostly ahead of the movement, as plain tiles.
    const above = this.isFast && this.isDown ? height / 4 : height
    const below = this.isFast && !this.isDown ? height / 4 : height
    const wanted = new Set()
    for (let at = firstBelow(layout, top - above); at < layout.count
      && layout.y[at] < top + height + below; at++) wanted.add(at)
    for (const [at, tile] of this.tiles) {
      if (!wanted.has(at)) { tile.release(); tile.element.remove(); this.tiles.delete(at) }
    }
    for (const at of wanted) {
      if (!this.tiles.has(at)) this.tiles.set(at, new Tile(this, at))
      if (!this.isFast) this.tiles.get(at).complete()
    }
    this.putInOrder(this.list, [...wanted].map(at => this.tiles.get(at).element))
    if (!this.isFast) later()
    this.drawHeadings(top, height)
    this.options.scrolled?.(top, layout)
  }

  // Inserts elements in reading order without moving existing ones.
  putInOrder(place, elements) {
    let next = null
    for (const element of elements.reverse()) {
      if (element.parentNode !== place) place.insertBefore(element, next)
      next = element
    }
  }

  // Moves drawn tiles after the canvas was shifted along the view.
  move() {
    if (this.drawnAt === this.track.offset) return
    this.drawnAt = this.track.offset
    for (const tile of this.tiles.values()) tile.place()
    for (const [s, element] of this.headings) this.placeHeading(s, element)
  }

  placeHeading(s,
    element) { element.style.transform = `translateY(${this.layout.sections[s].top - this.track.offset}px)` }

  // Fast means more than a screen in 160 ms; it ends after 110 ms without fast movement.
  measureSpeed(top, height) {
    const now = performance.now()
    const passed = Math.abs(top - (this.seen ?? top))
    const isFast = passed / Math.max(8, now - this.drawn) * 160 > height
    this.isDown = top >= (this.seen ?? 0)
    this.seen = top
    this.drawn = now
    if (isFast) {
      this.isFast = true
      clearTimeout(this.calming)
      this.calming = setTimeout(() => { this.isFast = false; this.draw() }, 110)
    }
  }

  // The loading priority of a photo's picture: visible ones first, from the top.
  rank(at) {
    if (this.isFast) return Infinity
    const { y, h, x } = this.layout
    const { top } = this.track, bottom = top + this.element.clientHeight
    if (y[at] < bottom && y[at] + h[at] > top) return 1 + (y[at] - top) / 1e3 + x[at] / 1e7
    return 1e3 + (y[at] >= bottom ? y[at] - bottom : 2 * (top - y[at]))
  }

  drawHeadings(top, height) {
    const { sections } = this.layout
    const wanted = new Set()
    for (let s = Math.max(0, sectionAt(this.layout, top - height)); s < sections.length
      && sections[s].top < top + 2 * height; s++) wanted.add(s)
    for (const [s, element] of this.headings) if (!wanted.has(s)) { element.remove(); this.headings.delete(s) }
    for (const s of wanted) {
      if (this.headings.has(s)) continue
      const section = sections[s]
      const title = this.title(section)
      const element = h('div', { class: 'grid-heading' }, h('h2', {}, title),
        this.selectsMany
          && h('button',
            { class: 'round small', 'aria-label': t('selectSection', { title }),
              onclick: event => this.isUnsettled ? this.refuse(event)
                : this.options.toggleRange(section.start, section.end - 1) }, icon('check')))
      element.style.left = `${section.left}px`
      element.style.width = `${section.width}px`
      this.placeHeading(s, element)
      this.headings.set(s, element)
    }
    this.putInOrder(this.heads, [...wanted].map(s => this.headings.get(s)))
    // A button out of view is not focusable, because focus would scroll to it.
    for (const [s, element] of this.headings) {
      const isSeen = sections[s].top + this.layout.heading > top && sections[s].top < top + height
      if (this.selectsMany) element.lastChild.tabIndex = isSeen ? 0 : -1
    }
    this.markHeadings()
  }

  markHeadings() {
    if (!this.selectsMany) return
    for (const [s, element] of this.headings) {
      const { start, end } = this.layout.sections[s]
      let chosen = 0
      for (let at = start; at < end; at++) if (this.options.isSelected(this.items[at])) chosen += 1
      element.lastChild.setAttribute('aria-pressed', chosen === end - start ? 'true' : chosen ? 'mixed' : 'false')
    }
  }

  title(section) {
    const asset = this.items[section.start]
    if (section.key === 'undated') return t('undated')
    return this.by === 'day' ? dayText(this.assets.dates[asset]) : monthText(this.assets.dates[asset])
  }

  refresh() {
    for (const tile of this.tiles.values()) tile.mark()
    this.markHeadings()
  }

  describe(asset) {
    const { assets } = this
    const kind = assets.has(asset, mark.video) ? t('video') : t('photo')
    const date = assets.has(asset, mark.undated) ? t('undated') : momentText(assets.dates[asset])
    const marks = [assets.has(asset, mark.favorite) && t('favorite'), assets.has(asset, mark.hidden) && t('hidden'),
      assets.has(asset, mark.neverShare) && t('neverShare')]
    return [kind, date, apart(assets.names[asset]), ...marks].filter(Boolean).join(', ')
  }

  focus(at, isScrolled = true) {
    if (at < 0 || at >= this.layout.count) return
    const before = this.current
    this.current = at
    if (isScrolled) this.reveal(at)
    this.tiles.get(before)?.mark()
    const tile = this.tiles.get(at)
    tile?.mark()
    if (tile) this.list.setAttribute('aria-activedescendant', tile.element.id)
    else this.list.removeAttribute('aria-activedescendant')
  }

  // Makes the first visible photo current, if the current one is out of view. Returns whether it
  // did.
  comeIntoView() {
    const { y, h, count } = this.layout
    const { top } = this.track, bottom = top + this.element.clientHeight
    if (y[this.current] + h[this.current] > top && y[this.current] < bottom) return false
    const first = Math.min(count - 1, firstBelow(this.layout, top))
    this.draw()
    // Skips a row that is cut off at the top.
    const next = Math.min(count - 1, firstBelow(this.layout, y[first] + h[first] + 1))
    this.focus(y[first] < top && y[next] < bottom ? next : first, false)
    return true
  }

  reveal(at) {
    this.element.scrollIntoView({ block: 'nearest' })
    const top = this.layout.y[at], bottom = top + this.layout.h[at]
    const height = this.element.clientHeight
    if (top - 60 < this.track.top) this.track.top = top - 60
    else if (bottom + 16 > this.track.top + height) this.track.top = bottom + 16 - height
    this.draw()
  }

  key(event) {
    const count = this.layout?.count ?? 0
    // Other combinations belong to the browser.
    const isCommand = event.ctrlKey || event.metaKey
    if (!count || event.altKey || (isCommand && !['a', 'A', 'Home', 'End'].includes(event.key))) return
    const to = at => {
      event.preventDefault()
      at = Math.max(0, Math.min(count - 1, at))
      if (event.shiftKey && this.options.selects) this.options.extend(this.current, at)
      this.focus(at)
    }
    // A key first makes a visible photo current and has no other effect. Ranges keep their start.
    if (!event.shiftKey && /^(Arrow|Page|Enter$| $|z$)/.test(event.key)
      && this.comeIntoView()) return event.preventDefault()
    switch (event.key) {
      case 'ArrowLeft': return to(this.current - 1)
      case 'ArrowRight': return to(this.current + 1)
      case 'ArrowUp': return to(this.vertical(-1))
      case 'ArrowDown': return to(this.vertical(1))
      case 'PageUp': return to(firstBelow(this.layout, this.layout.y[this.current] - this.element.clientHeight))
      case 'PageDown': return to(Math.min(count - 1,
        firstBelow(this.layout, this.layout.y[this.current] + this.element.clientHeight)))
      case 'Home': return to(0)
      case 'End': return to(count - 1)
      case ' ':
        event.preventDefault()
        return this.options.selects ? this.options.toggle(this.current) : this.options.zoom?.(this.current)
      case 'Enter': case 'z':
        event.preventDefault()
        return this.options.zoom?.(this.current)
      case 'a': case 'A':
        if (!isCommand || !this.selectsMany) return
        event.preventDefault()
        if (event.repeat) return
        // Some assets are still loading: "all" would be too few.
        if (this.assets.count < this.assets.total && !event.shiftKey) return toast(t('notAllHere'))
        this.options.setRange(0, count - 1, !event.shiftKey)
    }
  }

  // The place in the next row whose middle is nearest.
  vertical(direction) {
    const { x, w, y, count } = this.layout
    const middle = x[this.current] + w[this.current] / 2
    let at = this.current
    while (at >= 0 && at < count && y[at] === y[this.current]) at += direction
    if (at < 0 || at >= count) return this.current
    const row = y[at]
    let best = at
    for (; at >= 0 && at < count && y[at] === row; at += direction) {
      if (Math.abs(x[at] + w[at] / 2 - middle) < Math.abs(x[best] + w[best] / 2 - middle)) best = at
    }
    return best
  }

  placeOf(event) {
    const tile = event.target.closest?.('[data-at]')
    return tile && this.list.contains(tile) ? Number(tile.dataset.at) : -1
  }

  // The place nearest to a point within its row.
  placeAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect()
    const px = clientX - box.left, py = clientY - box.top + this.track.offset
    let at = firstBelow(this.layout, py)
    if (at >= this.layout.count) return this.layout.count - 1
    const row = this.layout.y[at]
    while (at + 1 < this.layout.count && this.layout.y[at + 1] === row
      && px > this.layout.x[at] + this.layout.w[at]) at += 1
    return at
  }

  // A mouse or pen selects at once, and a drag selects a range.
  press(event) {
    this.isDrawing = event.pointerType !== 'touch'
    const at = this.placeOf(event)
    this.presses = [this.presses?.[1], { at, time: performance.now(), restore: this.options.remember?.() }]
    if (!this.isDrawing || event.button !== 0 || at < 0) return
    if (this.hasMoved(at)) return this.refuse(event)
    if (this.looks(event)) {
      this.focus(at, false)
      return this.open(at)
    }
    event.preventDefault()
    this.list.focus({ preventScroll: true })
    if (event.shiftKey) this.options.extend(this.current, at)
    this.focus(at, false)
    if (!event.shiftKey) this.paint(event, at)
  }

  // A double press opens the photo, so both presses' selections are undone.
  look(event) {
    const at = this.placeOf(event)
    if (at < 0) return
    const [first, second] = this.presses ?? []
    if (first?.at === at && second.at === at) first.restore?.()
    this.options.zoom?.(at)
  }

  // The second press of a double one opens the photo; the first press's deselection is undone.
  open(at) {
    const [first, second] = this.presses ?? []
    if (first?.at === at && second.at === at && second.time - first.time < pause) first.restore?.()
    this.options.zoom?.(at)
  }

  // Touch acts on click, because it may start a scroll; screen readers send only clicks.
  click(event) {
    const at = this.placeOf(event)
    if ((this.isDrawing && event.detail > 0) || at < 0) return
    if (this.hasMoved(at)) return this.refuse(event)
    this.list.focus({ preventScroll: true })
    this.focus(at, false)
    if (this.looks(event)) this.open(at)
    else this.options.toggle(at)
  }

  looks(event) {
    return !this.options.selects || event.target.closest('.tile-zoom')
      || (this.options.opens?.() && !event.shiftKey && !event.target.closest('.tile-check'))
  }

  // The visible assets that appeared or moved since `from`.
  movedSince(from) {
    const moved = [...this.tiles.keys()].filter(at => !isNear(from.get(this.items[at]), this.pointOf(at)))
    return new Set(moved.map(at => this.items[at]))
  }

  // Whether a renewal just moved something in view, and whether it moved this photo.
  get isUnsettled() { return this.moved?.assets.size > 0 && performance.now() < this.moved.until }
  hasMoved(at) { return this.isUnsettled && this.moved.assets.has(this.items[at]) }

  refuse(event) {
    event.preventDefault()
    toast(t('justMoved'))
  }

  pointOf(at) { return { x: this.layout.x[at], y: this.layout.y[at] - this.track.top } }

  paint(event, start) {
    const brush = this.options.brush(start)
    this.element.classList.add('painting')
    let point = event
    let speed = 0
    const stroke = () => brush.to(this.placeAt(point.clientX, point.clientY))
    const move = moved => {
      point = moved
      const box = this.element.getBoundingClientRect()
      speed = moved.clientY < box.top + 40 ? -14 : moved.clientY > box.bottom - 40 ? 14 : 0
      stroke()
    }
    const timer = setInterval(() => { if (speed) { this.track.top += speed; stroke() } }, 16)
    whileHeld(move, () => {
      clearInterval(timer)
      this.element.classList.remove('painting')
      brush.end()
    })
  }
}
