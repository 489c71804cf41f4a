import { call, patiently } from './server.js'

export const mark = { video: 1, favorite: 2, hidden: 4, neverShare: 8, selected: 16, undated: 32, shared: 64, unknownZone: 128 }

// A library's assets in columns, newest first, as they arrive. 100,000 of them are a few typed arrays and one text each.
//
// `terms`: app: marks those in its selection; seenBy: only what this app sees; album: only its members.
export class Assets {
  constructor(library, terms = {}) {
    this.library = library
    this.terms = terms
    this.packed = []
    this.starts = []
    this.count = 0
    this.total = 0
    // The library changed between its pages: one may be missing or stand twice.
    this.isTorn = false
    this.names = []
    this.grow(1024)
  }

  // Loads all of them; `onpage` is called whenever more are here. The first page is small, so that pictures come at once.
  // `isPatient`: also where the broker is away meanwhile.
  async load(onpage, isPatient = false) {
    let skip = 0
    let limit = 500
    while (skip !== null && !this.isEnded) {
      const ask = () => call('FetchOwnedColumns', { library: this.library, ...this.terms, skip, limit })
      const page = isPatient ? await patiently(ask, () => this.isEnded) : await ask()
      // Of the first page: what changes while the others come is shown by the next renewal.
      this.revision ??= page.revision
      this.selected ??= page.selected
      if (page.revision !== this.revision) this.isTorn = true
      this.append(page)
      skip = page.next ?? null
      limit = 10000
      onpage?.(this)
    }
    // What went meanwhile was counted, and does not come.
    if (!this.isEnded) this.total = this.count
    return this
  }

  end() { this.isEnded = true }

  // Becomes what the library is now. Gives where each asset is now that was here before, undefined for those that are gone.
  //
  // `isSame`: nothing but the library changed: neither what an app sees nor what is selected for it. Then no more is fetched than
  // what is other since, where the broker can still tell.
  async renew(isSame = false) {
    const { library, terms } = this
    const isWhole = !terms.album
    const page = isSame && isWhole && !this.isTorn && await call('FetchOwnedColumns', { library, ...terms, since: this.revision })
    const merged = page && page.gone !== undefined && page.gone !== null && this.merge(page)
    if (merged) return merged
    const fresh = await new Assets(library, terms).load()
    const places = Array.from({ length: this.count }, (_, asset) => fresh.indexOf(this.id(asset)))
    Object.assign(this, fresh, { isEnded: this.isEnded })
    return places
  }

  // Takes up what changed. Whatever has its date still stays where it stands; what is new or of another date comes last, which
  // says nothing of where a grid shows it. Gives nothing, and stays as it is, where that is not as many as the library has, or where
  // something was taken in the same second as what comes last, or as what may have another fraction of it now: their order only the
  // broker knows.
  merge(page) {
    const news = Object.assign(new Assets(this.library, this.terms), { total: page.total })
    news.append(page)
    const stays = new Map(), leaves = new Set()
    for (let at = 0; at < page.gone.length; at += 32) leaves.add(this.indexOf(page.gone.slice(at, at + 32)))
    const added = []
    // How many of what is here already may be of a second in which something changed.
    const alone = new Map()
    for (let at = 0; at < news.count; at++) {
      const asset = this.indexOf(news.id(at))
      if (asset !== undefined && this.dates[asset] === news.dates[at]) {
        stays.set(asset, at)
        // A mark says nothing of when it was taken.
        if (this.marks[asset] === news.marks[at]) alone.set(news.dates[at], alone.get(news.dates[at]) ?? 1)
      } else {
        leaves.add(asset)
        added.push(at)
        alone.set(news.dates[at], 0)
      }
    }
    for (let asset = 0; alone.size > 0 && asset < this.count; asset++) {
      const left = alone.get(this.dates[asset])
      if (left === undefined || leaves.has(asset)) continue
      if (left === 0) return undefined
      alone.set(this.dates[asset], left - 1)
    }
    const merged = new Assets(this.library, this.terms)
    merged.grow(this.count + news.count)
    const places = new Array(this.count)
    let run = ''
    const keep = (from, at) => {
      const to = merged.count
      for (const column of ['dates', 'aspects', 'seconds', 'marks', 'versions', 'names']) merged[column][to] = from[column][at]
      run += from.id(at)
      merged.count += 1
      return to
    }
    for (let asset = 0; asset < this.count; asset++) {
      if (leaves.has(asset)) continue
      const at = stays.get(asset)
      places[asset] = at === undefined ? keep(this, asset) : keep(news, at)
    }
    for (const at of added) {
      const asset = this.indexOf(news.id(at)), to = keep(news, at)
      if (asset !== undefined) places[asset] = to
    }
    if (merged.count !== page.total) return undefined
    Object.assign(this, merged, { packed: [run], starts: [0], numbers: undefined, total: page.total, revision: page.revision, selected: page.selected, isEnded: this.isEnded })
    return places
  }

  grow(size) {
    const copy = (type, old) => { const array = new type(size); if (old) array.set(old.subarray(0, this.count)); return array }
    this.dates = copy(Float64Array, this.dates)
    this.aspects = copy(Float32Array, this.aspects)
    this.seconds = copy(Uint32Array, this.seconds)
    this.marks = copy(Uint8Array, this.marks)
    this.versions = copy(Uint32Array, this.versions)
  }

  append(page) {
    const count = page.dates.length
    this.total = page.total
    if (this.count + count > this.dates.length) this.grow(Math.max(this.count + count, page.total, this.dates.length * 2))
    this.packed.push(page.identifiers)
    this.starts.push(this.count)
    for (let i = 0; i < count; i++) {
      const at = this.count + i
      this.dates[at] = this.clock(page.dates[i], page.offsets[i], page.marks[i])
      // Panoramas and receipts keep a shape that can be looked at in a row.
      this.aspects[at] = page.widths[i] && page.heights[i] ? Math.min(2.6, Math.max(0.5, page.widths[i] / page.heights[i])) : 1.333
      this.seconds[at] = page.seconds[i]
      this.marks[at] = page.marks[i]
      this.versions[at] = page.versions[i]
      this.names.push(page.names[i])
    }
    this.count += count
    this.numbers = undefined
  }

  // What the clock showed where it was taken, as seconds as if that were UTC. Where nobody knows the clock it is that of whoever
  // looks.
  clock(seconds, offset, marks) {
    if (marks & mark.undated) return 0
    return seconds + (marks & mark.unknownZone ? -60 * new Date(seconds * 1000).getTimezoneOffset() : 60 * offset)
  }

  id(index) {
    let page = this.starts.length - 1
    while (this.starts[page] > index) page -= 1
    const at = (index - this.starts[page]) * 32
    return this.packed[page].slice(at, at + 32)
  }

  picture(index, pixels) { return { library: this.library, asset: this.id(index), version: this.versions[index], pixels } }

  indexOf(id) {
    if (!this.numbers) {
      this.numbers = new Map()
      for (let i = 0; i < this.count; i++) this.numbers.set(this.id(i), i)
    }
    return this.numbers.get(id)
  }

  // Of which kind a selection is, as texts are told of it: photos '', videos, or both.
  kindOf({ order, count }) {
    let videos = 0
    for (const asset of order) if (this.has(asset, mark.video)) videos += 1
    return videos === 0 ? '' : videos === count ? '.video' : '.both'
  }

  has(index, bit) { return (this.marks[index] & bit) !== 0 }
}
