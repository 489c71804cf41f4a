import { h } from './dom.js'
import { icon } from './icons.js'
import { t } from './text.js'

// Normalized and lower case, so that composed and decomposed letters match.
const plain = text => text.normalize('NFC').toLowerCase()

// The search field for filenames. `changed()` is called after a pause in typing.
export class Search {
  constructor(changed) {
    this.text = ''
    let typing
    const type = event => {
      clearTimeout(typing)
      typing = setTimeout(() => { this.text = plain(event.target.value.trim()); changed() }, 120)
    }
    this.element = h('label', { class: 'search' }, icon('search'), h('input', {
      type: 'search', placeholder: t('search'), 'aria-label': t('search'), maxlength: '200', oninput: type,
    }))
  }

  fits(name) { return this.text === '' || plain(name).includes(this.text) }
}
