import { Assets } from './assets.js'
import { h, show } from './dom.js'
import { apart } from './names.js'
import { listed, patiently } from './server.js'
import { t } from './text.js'

// Lists a library's albums, or only those visible to an app.
export const ownedAlbums = (library, app) => listed('ListOwnedAlbums', 'albums', { library, app })

// Restricts a view of a library to one album's members.
//
// `assets`: the library's assets. `options`: `app` offers only the albums and members visible to
// this app; `changed()` is called when the members change; `failed(refusal)` when loading fails.
export class AlbumFilter {
  constructor(assets, options) {
    this.assets = assets
    this.options = options
    // Album identifiers: the one in view, the last one loaded completely, and the one chosen.
    this.chosen = ''
    this.whole = { album: '', members: undefined }
    this.wanted = ''
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
    this.element.value = this.wanted
    this.element.hidden = albums.length === 0
  }

  // Shows an album's members as they arrive. Reloading an album that was complete keeps its old
  // members until all new ones are here. A late answer to an earlier choice is ignored.
  async choose(album) {
    this.asked?.end()
    this.asked = undefined
    this.wanted = album
    if (!album) return this.take('', undefined, true)
    const asked = this.asked = new Assets(this.assets.library, { album, seenBy: this.options.app })
    const isNews = () => this.chosen !== album || (this.whole.album !== album && asked.count > this.members.count)
    try {
      await asked.load(() => { if (this.asked === asked && isNews()) this.take(album, asked, false) })
      if (this.asked === asked) this.take(album, asked, true)
    } catch (refusal) {
      if (this.asked !== asked) return
      this.element.value = this.wanted = this.whole.album
      // A part of an album must not look like all of it.
      if (this.chosen === album && this.whole.album !== album) this.take(this.whole.album, this.whole.members, true)
      this.options.failed(refusal)
    }
  }

  take(album, members, isWhole) {
    this.chosen = album
    this.members = members
    if (isWhole) this.whole = { album, members }
    this.known = undefined
    this.options.changed()
  }

  get isArriving() { return this.members !== undefined && this.members.count < this.members.total }

  // Reloads titles and members after the library changed.
  async renew() {
    this.known = undefined
    await this.load()
    if (this.wanted || this.chosen) await this.choose(this.wanted)
  }

  has(asset) {
    if (!this.members) return true
    // The cached places are valid only for these numbers of loaded assets and members.
    const of = this.assets.count + this.members.count
    if (this.known?.of !== of) {
      const places = new Set()
      for (let i = 0; i < this.members.count; i++) {
        const place = this.assets.indexOf(this.members.id(i))
        if (place !== undefined) places.add(place)
      }
      this.known = { of, places }
    }
    return this.known.places.has(asset)
  }
}
