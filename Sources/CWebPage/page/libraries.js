import { h, name, show, toast } from './dom.js'
import { icon } from './icons.js'
import { plugins } from './plugins.js'
import { call, onchange, state } from './server.js'
import { put } from './thumbnails.js'
import { t } from './text.js'

// Where photos come from, and how that is doing.
export function libraries(place, go) {
  const content = h('div', { class: 'cards' })
  const panel = h('section', { class: 'panel', hidden: true })
  show(place, h('main', { class: 'sheet' }, h('h1', {}, t('libraries')), h('p', { class: 'lead' }, t('librariesText')), content, panel))
  let told = ''
  const mosaics = new Map()

  function mosaic(library) {
    if (mosaics.has(library.name)) return mosaics.get(library.name)
    const element = h('div', { class: 'mosaic' })
    mosaics.set(library.name, element)
    call('FetchOwnedAssets', { library: library.name, limit: 12 }).then(({ assets }) => show(element, assets.map(asset => {
      const image = h('img', { alt: '' })
      put(image, library.name, asset.identifier, 320)
      return image
    }))).catch(() => mosaics.delete(library.name))
    return element
  }

  function draw() {
    const key = JSON.stringify(state.libraries)
    if (key === told) return
    told = key
    show(content, state.libraries.map(library => {
      const isIndexing = library.toIndex > 0 && library.indexed < library.toIndex
      return h('article', { class: 'card library', 'aria-label': library.name }, mosaic(library),
        h('div', { class: 'library-text' }, h('h2', {}, library.name),
          h('p', { class: 'quiet' }, t('photosCount', { n: library.assets }), ' · ', library.backend, library.options?.path && [' · ', name(library.options.path)])),
        h('p', {}, h('span', { class: `chip state-${library.state}` }, t(`state.${library.state}`)), library.skipped > 0 && h('span', { class: 'chip' }, t('skipped', { n: library.skipped })), library.conflicts > 0 && h('span', { class: 'chip' }, t('conflicts', { n: library.conflicts })), library.awaitingTrash > 0 && h('span', { class: 'chip' }, t('awaitingTrash', { n: library.awaitingTrash })), h('span', { class: 'chip' }, t(`detection.${library.changeDetection}`))),
        isIndexing && h('div', { class: 'progress' }, h('progress', { max: String(library.toIndex), value: library.indexed, 'aria-label': t('indexing') }), h('span', { class: 'quiet' }, t('indexed', { done: library.indexed, n: library.toIndex }))),
        library.problem && h('p', { class: 'problem' }, library.problem),
        library.thumbnails && h('p', { class: 'problem' }, t('noThumbnails'), ' ', library.thumbnails),
        library.skippedFiles?.length > 0 && h('details', {}, h('summary', {}, t('skippedFiles')), h('ul', { class: 'quiet' }, library.skippedFiles.map(file => h('li', {}, name(file.path), ': ', file.reason)))),
        h('p', { class: 'quiet' }, t('offeredTo', { users: library.offeredTo.length ? library.offeredTo.join(', ') : t('nobody') })),
        h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => call('RescanLibrary', { name: library.name }).then(() => toast(t('rescanning')), refusal => toast(refusal.message || t('unreachable'))) }, t('rescan')),
          h('button', { class: 'primary', onclick: () => go(`/photos/${library.name}`) }, t('browse'))))
    }), state.libraries.length === 0 && h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('libraries')), h('h2', {}, t('noLibraries')), h('p', {}, t('noLibrariesText')), h('code', {}, 'photobroker library add photos ~/Pictures')))
  }
  draw()
  plugins(panel)
  return { end: onchange(draw) }
}
