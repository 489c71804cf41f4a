import { h } from './dom.js'
import { percentText, t } from './text.js'

// The progress bar of a library's indexing; null if there is none.
export function indexing(library) {
  if (!library || library.state !== 'indexing' && library.toIndex === 0) return null
  const { indexed: done, toIndex: n } = library
  // The total is unknown while the storage is being listed.
  if (done === 0) return h('div', { class: 'progress' }, h('progress', { 'aria-label': t('indexing') }), h('span', { class: 'quiet' }, n > 0 ? t('seenSoFar', { n }) : t('indexing')))
  return h('div', { class: 'progress' }, h('progress', { max: String(n), value: done, 'aria-label': t('indexing') }), h('span', { class: 'quiet' }, t('indexed', { done, n, percent: percentText(done / n) })))
}

// Explains missing pictures while a library's storage is unreachable.
export function tellAway(note, library) {
  note.hidden = library?.state !== 'offline'
  note.textContent = note.hidden ? '' : t('picturesAway')
}
