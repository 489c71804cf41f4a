import { Assets } from './assets.js'
import { h } from './dom.js'
import { call } from './server.js'
import { t } from './text.js'

// Narrows a view of a library to the members of one album.
//
// `assets`: the library's. `options`: app: offers only the albums that this app sees; changed(): the view is another one;
// failed(refusal).
export class AlbumFilter {
  constructor(assets, options) {
    this.assets = assets
    this.options = options
    this.chosen = ''
    this.element = h('select', { class: 'field', 'aria-label': t('album'), hidden: true, onchange: event => this.choose(event.target.value) })
    this.load()
  }

  async load() {
    try {
      const { albums } = await call('ListOwnedAlbums', { library: this.assets.library, app: this.options.app })
      if (albums.length === 0) return
      this.element.append(h('option', { value: '' }, t('allAlbums')), ...albums.map(album => h('option', { value: album.album }, `${album.title} (${album.count})`)))
      this.element.hidden = false
    } catch { /* the banner says that the broker is away */ }
  }

  // What was chosen last holds: an answer that comes after another choice says nothing about that one.
  async choose(album) {
    this.asked?.end()
    this.asked = undefined
    if (!album) return this.take('', undefined)
    const asked = this.asked = new Assets(this.assets.library)
    try {
      await asked.load(null, album)
      if (this.asked === asked) this.take(album, asked)
    } catch (refusal) {
      if (this.asked !== asked) return
      this.element.value = this.chosen
      this.options.failed(refusal)
    }
  }

  take(album, members) {
    this.chosen = album
    this.members = members
    this.known = undefined
    this.options.changed()
  }

  // The assets have other places now, and albums other members.
  renew() {
    this.known = undefined
    if (this.chosen) this.choose(this.chosen)
  }

  has(asset) {
    if (!this.members) return true
    // The library may still be arriving.
    if (this.known?.of !== this.assets.count) {
      const places = new Set()
      for (let i = 0; i < this.members.count; i++) {
        const place = this.assets.indexOf(this.members.id(i))
        if (place !== undefined) places.add(place)
      }
      this.known = { of: this.assets.count, places }
    }
    return this.known.places.has(asset)
  }
}
