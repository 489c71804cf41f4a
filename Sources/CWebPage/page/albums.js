import { Assets } from './assets.js'
import { h, show } from './dom.js'
import { apart } from './names.js'
import { listed, patiently } from './server.js'
import { t } from './text.js'

// All albums of a library, or those that an app sees.
export const ownedAlbums = (library, app) => listed('ListOwnedAlbums', 'albums', { library, app })

// Narrows a view of a library to the members of one album.
//
// `assets`: the library's. `options`: app: offers only the albums that this app sees, and of them what it sees; changed(): the
// view is another one; failed(refusal).
export class AlbumFilter {
  constructor(assets, options) {
    this.assets = assets
    this.options = options
    // What the view shows, the last of it that came whole, and what it is to show.
    this.chosen = ''
    this.whole = { album: '', members: undefined }
    this.wanted = ''
    this.element = h('select', { class: 'field', 'aria-label': t('album'), hidden: true, onchange: event => this.choose(event.target.value) })
    this.load()
  }

  async load() {
    const turn = this.turn = (this.turn ?? 0) + 1
    let albums
    try { albums = await patiently(() => ownedAlbums(this.assets.library, this.options.app), () => turn !== this.turn || this.assets.isEnded) } catch { return /* it is for somebody else to see */ }
    const told = JSON.stringify(albums)
    if (turn !== this.turn || told === this.told) return
    this.told = told
    show(this.element, h('option', { value: '' }, t('allAlbums')), albums.map(album => h('option', { value: album.album }, `${apart(album.title)} (${album.count})`)))
    // One that is gone holds nothing to narrow a view to.
    if (!albums.some(album => album.album === this.wanted)) this.wanted = ''
    this.element.value = this.wanted
    this.element.hidden = albums.length === 0
  }

  // What was chosen last holds: an answer that comes after another choice says nothing about that one. Members are shown as they
  // arrive; those of an album that was shown whole stay until all that it holds now is known.
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
      // Some of an album would look like all of it.
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

  // Members are still to come.
  get isArriving() { return this.members !== undefined && this.members.count < this.members.total }

  // The assets have other places now, and albums other titles and members; some are new, and some are gone.
  async renew() {
    this.known = undefined
    await this.load()
    if (this.wanted || this.chosen) await this.choose(this.wanted)
  }

  has(asset) {
    if (!this.members) return true
    // The library may still be arriving, and so may they.
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
