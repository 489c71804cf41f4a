import { Assets } from './assets.js'

// The part of a view's photos that the broker chooses: an album's members, a folder, a place.
//
// `assets`: the library's assets. `options`: `terms(key)` for `Assets`; `changed()` is called when
// the members change; `failed(refusal)` when loading fails.
export class Members {
  constructor(assets, options) {
    this.assets = assets
    this.options = options
    // Keys, empty for all photos: the one in view, the last one loaded completely, the one chosen.
    this.chosen = ''
    this.whole = { key: '', members: undefined }
    this.wanted = ''
  }

  // Shows members as they arrive. Reloading a part that was complete keeps its old members until all
  // new ones are here. A late answer to an earlier choice is ignored.
  async choose(key) {
    this.asked?.end()
    this.asked = undefined
    this.wanted = key
    if (!key) return this.take('', undefined, true)
    const asked = this.asked = new Assets(this.assets.library, this.options.terms(key))
    const isNews = () => this.chosen !== key || (this.whole.key !== key && asked.count > this.members.count)
    try {
      await asked.load(() => { if (this.asked === asked && isNews()) this.take(key, asked, false) })
      if (this.asked === asked) this.take(key, asked, true)
    } catch (refusal) {
      if (this.asked !== asked) return
      this.wanted = this.whole.key
      this.show()
      // A part must not look complete while it is not.
      if (this.chosen === key && this.whole.key !== key) this.take(this.whole.key, this.whole.members, true)
      this.options.failed(refusal)
    }
  }

  // Shows which part is wanted.
  show() {}

  take(key, members, isWhole) {
    this.chosen = key
    this.members = members
    if (isWhole) this.whole = { key, members }
    this.known = undefined
    this.options.changed()
  }

  get isArriving() { return this.members !== undefined && this.members.count < this.members.total }

  // Reloads the members after the library changed.
  async renew() {
    this.known = undefined
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
