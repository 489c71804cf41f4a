import { h, show } from './dom.js'
import { Members } from './members.js'
import { apart } from './names.js'
import { listed, patiently } from './server.js'
import { t } from './text.js'

// Lists a library's albums, or only those visible to an app.
export const ownedAlbums = (library, app) => listed('ListOwnedAlbums', 'albums', { library, app })

// Restricts a view of a library to one album's members; its keys are albums' identifiers.
//
// `options`: those of `Members` but `terms`; `app` offers only the albums and members visible to
// this app.
export class AlbumFilter extends Members {
  constructor(assets, options) {
    super(assets, { ...options, terms: album => ({ album, seenBy: options.app }) })
    this.element = h('select',
      { class: 'field', 'aria-label': t('album'), hidden: true, onchange: event => this.choose(event.target.value) })
    this.load()
  }

  async load() {
    const turn = this.turn = (this.turn ?? 0) + 1
    let albums
    try { albums = await patiently(() => ownedAlbums(this.assets.library, this.options.app),
      () => turn !== this.turn || this.assets.isEnded) } catch { return /* the library's own loading reports it */ }
    const told = JSON.stringify(albums)
    if (turn !== this.turn || told === this.told) return
    this.told = told
    show(this.element, h('option', { value: '' }, t('allAlbums')),
      albums.map(album => h('option', { value: album.album }, `${apart(album.title)} (${album.count})`)))
    if (!albums.some(album => album.album === this.wanted)) this.wanted = ''
    this.show()
    this.element.hidden = albums.length === 0
  }

  show() { this.element.value = this.wanted }

  // Reloads titles and members after the library changed.
  async renew() {
    await this.load()
    await super.renew()
  }
}
