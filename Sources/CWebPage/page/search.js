import { daysOf } from './dates.js'
import { announce, h, name, show } from './dom.js'
import { icon } from './icons.js'
import { Members } from './members.js'
import { call } from './server.js'
import { count, monthText, t, townText } from './text.js'

// Normalized and lower case, so that composed and decomposed letters match.
const plain = text => text.normalize('NFC').toLowerCase()

const day = 86400
// The broker's limits, and the least that is worth a question.
const longest = 256
const shortest = 2

// The search field for filenames, and for dates such as 2024-07, 3 July 2024 or last year, and their
// spans. In a library, not in an app's view of it, it offers the folders and towns that the text may
// mean.
//
// `options`: `changed()` is called after a pause in typing, and `failed(refusal)` if a folder or a
// town cannot be loaded.
export class Search {
  text = ''
  // By day since 1970: whether the text is part of its name.
  #days = new Map()
  // The first and the last day that the text means, if it is a date.
  #span
  #turn = 0
  // Picture and label of each chosen part, by its key.
  #known = new Map()
  hints = h('ul', { class: 'hints', hidden: true, 'aria-label': t('searchHints') })
  // The place of the button for the chosen folder or town.
  chip = h('div', {})

  constructor(assets, options) {
    this.assets = assets
    this.options = options
    const failed = refusal => {
      this.#draw()
      options.failed(refusal)
    }
    // Its keys are the terms of `Assets` as JSON.
    this.part = new Members(assets, { ...options, failed, terms: JSON.parse })
    let typing
    const type = () => {
      clearTimeout(typing)
      typing = setTimeout(() => this.#typed(), 120)
    }
    const words = t(assets.terms.seenBy ? 'search' : 'searchLibrary')
    this.input = h('input',
      { type: 'search', placeholder: words, 'aria-label': words, maxlength: '200', oninput: type })
    this.element = h('div', {
      class: 'search-box', onkeydown: event => this.#key(event),
      onfocusout: event => { if (!this.element.contains(event.relatedTarget)) this.hints.hidden = true },
    }, h('label', { class: 'search' }, icon('search'), this.input), this.hints)
  }

  get isNarrow() { return this.text !== '' || this.part.chosen !== '' }

  #typed() {
    this.text = plain(this.input.value.trim())
    this.#days.clear()
    this.#span = daysOf(this.text)
    this.options.changed()
    this.#offer()
  }

  async #offer() {
    const turn = this.#turn += 1, { assets, text } = this
    const isAsked = !assets.terms.seenBy && text.length >= shortest && new TextEncoder().encode(text).length <= longest
    // A search without hints is complete; the view reports a broker that does not answer.
    const found = isAsked && await call('FetchSearchHints', { library: assets.library, text }).catch(() => undefined)
    if (turn !== this.#turn) return
    const { folders, towns } = found || { folders: [], towns: [] }
    const hint = (picture, label, all, terms) => h('li', {}, h('button', {
      onclick: () => this.#choose(JSON.stringify(terms), picture, label),
    }, icon(picture), name(label), h('span', { class: 'quiet' }, count(all))))
    show(this.hints, towns.map(({ town, place, count }) => hint('pin', townText(town), count, { place })),
      folders.map(({ path, count }) => hint('libraries', path, count, { folder: path })))
    const all = folders.length + towns.length
    this.hints.hidden = all === 0 || !this.element.contains(document.activeElement)
    if (!this.hints.hidden) announce(t('hintsFound', { n: all }))
  }

  #choose(key, picture, label) {
    this.#turn += 1
    this.hints.hidden = true
    this.input.value = ''
    this.text = ''
    this.#known.set(key, { picture, label })
    this.input.focus()
    this.part.choose(key)
    this.#draw()
  }

  #draw() {
    const key = this.part.wanted, { picture, label } = this.#known.get(key) ?? {}
    show(this.chip, key && h('button', {
      class: 'chip part', 'aria-label': t('noLonger', { part: label }), onclick: () => this.#choose(''),
    }, icon(picture), name(label), icon('close')))
  }

  // The arrow keys go through the hints, and Escape closes them.
  #key(event) {
    if (this.hints.hidden || !['ArrowDown', 'ArrowUp', 'Escape'].includes(event.key)) return
    event.preventDefault()
    event.stopPropagation()
    const stops = [this.input, ...this.hints.querySelectorAll('button')], at = stops.indexOf(document.activeElement)
    if (event.key === 'Escape') {
      this.input.focus()
      this.hints.hidden = true
    } else stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)))].focus()
  }

  // `seconds`: the local time of capture; undefined without one.
  fits(asset, name, seconds) {
    if (!this.part.has(asset)) return false
    if (this.text === '' || plain(name).includes(this.text)) return true
    // A shorter text is part of a file's number.
    return this.text.length >= 4 && seconds !== undefined && this.#names(seconds)
  }

  #names(seconds) {
    const number = Math.floor(seconds / day)
    if (this.#span?.[0] <= number && number <= this.#span[1]) return true
    if (!this.#days.has(number)) {
      // The last day that Date counts.
      const date = Math.abs(number) < 1e8 ? new Date(number * day * 1000).toISOString() : ''
      this.#days.set(number, date.startsWith(this.text) || plain(monthText(number * day)).includes(this.text))
    }
    return this.#days.get(number)
  }
}
