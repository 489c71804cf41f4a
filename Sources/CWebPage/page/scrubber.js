import { mark } from './assets.js'
import { h } from './dom.js'
import { sectionAt } from './layout.js'
import { whileHeld } from './presses.js'
import { shortMonthText, t } from './text.js'

// The timeline beside the grid: shows the position in time, and scrolls by dragging.
export class Scrubber {
  constructor(grid) {
    this.grid = grid
    this.labels = h('div', { class: 'scrub-labels' })
    this.bubble = h('div', { class: 'scrub-bubble' })
    this.thumb = h('div', { class: 'scrub-thumb' })
    this.element = h('div',
      { class: 'scrubber', role: 'slider', tabindex: '0', 'aria-label': t('timeline'), 'aria-orientation': 'vertical',
        'aria-valuemin': '0', 'aria-valuenow': '0' }, this.labels, this.thumb, this.bubble)
    this.element.addEventListener('pointerdown', event => this.drag(event))
    this.element.addEventListener('keydown', event => this.key(event))
  }

  arranged(layout) {
    this.layout = layout
    const height = this.element.clientHeight || 400
    this.element.hidden = layout.height < height * 2
    const labels = []
    let last = -100, before
    for (const section of layout.sections) {
      const year = this.year(section)
      if (year === before) continue
      before = year
      const top = section.top / layout.height * height
      if (top - last < 22) continue
      last = top
      const label = h('span', {}, year)
      label.style.top = `${section.top / layout.height * 100}%`
      labels.push(label)
    }
    this.labels.replaceChildren(...labels)
    this.element.setAttribute('aria-valuemax', String(layout.sections.length - 1))
  }

  year(section) {
    const asset = this.grid.items[section.start]
    return this.grid.assets.has(asset, mark.undated) ? '–'
      : String(new Date(this.grid.assets.dates[asset] * 1000).getUTCFullYear())
  }

  text(section) {
    const asset = this.grid.items[section.start]
    return this.grid.assets.has(asset, mark.undated) ? t('undated') : shortMonthText(this.grid.assets.dates[asset])
  }

  scrolled(top, layout) {
    if (!layout.sections.length) return
    const section = sectionAt(layout, top + 1)
    this.now = section
    const text = this.text(layout.sections[section])
    this.thumb.style.top = `${top / Math.max(1, layout.height - this.grid.element.clientHeight) * 100}%`
    this.bubble.style.top = this.thumb.style.top
    if (text !== this.told) {
      this.told = text
      this.bubble.textContent = text
      this.element.setAttribute('aria-valuetext', text)
      this.element.setAttribute('aria-valuenow', String(section))
    }
  }

  key(event) {
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -12, PageDown: 12, Home: -1e9, End: 1e9 }[event.key]
    if (!step || !this.layout || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const { sections } = this.layout, last = sections.length - 1, now = this.now ?? 0
    let at = Math.max(0, Math.min(last, now + step))
    // Sections in one row count as one step.
    while (at > 0 && at < last && sections[at].top === sections[now].top) at += Math.sign(step)
    this.grid.track.top = sections[at].top
  }

  drag(event) {
    event.preventDefault()
    this.element.focus()
    this.element.classList.add('dragged')
    const go = moved => {
      const box = this.element.getBoundingClientRect()
      const part = Math.max(0, Math.min(1, (moved.clientY - box.top) / box.height))
      this.grid.track.top = part * (this.layout.height - this.grid.element.clientHeight)
    }
    whileHeld(go, () => this.element.classList.remove('dragged'))
    go(event)
  }
}
