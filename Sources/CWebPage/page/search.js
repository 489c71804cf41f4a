import { h } from './dom.js'
import { icon } from './icons.js'
import { monthText, t } from './text.js'

// Normalized and lower case, so that composed and decomposed letters match.
const plain = text => text.normalize('NFC').toLowerCase()

const day = 86400

// The search field for filenames, and for dates such as 2024-07 or July 2024. `changed()` is called
// after a pause in typing.
export class Search {
  text = ''
  // By day since 1970: whether the text names it.
  #days = new Map()

  constructor(changed) {
    let typing
    const type = event => {
      clearTimeout(typing)
      typing = setTimeout(() => { this.text = plain(event.target.value.trim()); this.#days.clear(); changed() }, 120)
    }
    this.element = h('label', { class: 'search' }, icon('search'), h('input', {
      type: 'search', placeholder: t('search'), 'aria-label': t('search'), maxlength: '200', oninput: type,
    }))
  }

  // `seconds`: the local time of capture; undefined without one.
  fits(name, seconds) {
    if (this.text === '' || plain(name).includes(this.text)) return true
    // A shorter text is part of a file's number.
    return this.text.length >= 4 && seconds !== undefined && this.#names(seconds)
  }

  #names(seconds) {
    const number = Math.floor(seconds / day)
    if (!this.#days.has(number)) {
      // The last day that Date counts.
      const date = Math.abs(number) < 1e8 ? new Date(number * day * 1000).toISOString() : ''
      this.#days.set(number, date.startsWith(this.text) || plain(monthText(number * day)).includes(this.text))
    }
    return this.#days.get(number)
  }
}
