import { h, show } from './dom.js'
import { libraryNamed } from './server.js'
import { percentText, t } from './text.js'

// The progress bar of a library's indexing; null if there is none.
export function indexing(library) {
  if (!library || library.state !== 'indexing' && library.toIndex === 0) return null
  const { indexed: done, toIndex: n } = library
  // The total is unknown while the storage is being listed.
  if (done === 0) return h('div', { class: 'progress' }, h('progress', { 'aria-label': t('indexing') }),
    h('span', { class: 'quiet' }, n > 0 ? t('seenSoFar', { n }) : t('indexing')))
  return h('div', { class: 'progress' }, h('progress', { max: String(n), value: done, 'aria-label': t('indexing') }),
    h('span', { class: 'quiet' }, t('indexed', { done, n, percent: percentText(done / n) })))
}

// The notes about a library above its photos: its indexing, and why pictures are missing while its
// storage is unreachable.
export class LibraryNotes {
  indexing = h('div', {})
  offline = h('p', { class: 'problem', role: 'status', hidden: true })

  constructor(name) { this.name = name }

  draw() {
    const library = libraryNamed(this.name)
    show(this.indexing, indexing(library))
    this.offline.hidden = library?.state !== 'offline'
    this.offline.textContent = this.offline.hidden ? '' : t('picturesAway')
  }
}
