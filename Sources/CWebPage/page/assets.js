import { call, patiently } from './server.js'

export const mark = { video: 1, favorite: 2, hidden: 4, neverShare: 8, selected: 16, undated: 32, shared: 64,
  unknownZone: 128, incomplete: 256 }

// A library's assets in typed arrays, newest first, filled as pages arrive. Columns keep 100,000
// assets small.
//
// `terms`: `app` marks assets in its selection; `seenBy` lists only assets visible to this app;
// `album` only its members.
export class Assets {
  constructor(library, terms = {}) {
    this.library = library
    this.terms = terms
    this.packed = []
    this.starts = []
    this.count = 0
    this.total = 0
    // The library changed between two pages, so an asset may be missing or duplicated.
    this.isTorn = false
    this.names = []
    this.grow(1024)
  }

  // Loads all pages, the first one small so that pictures appear early. Calls `onpage` after each.
  // `isPatient`: retries while the broker is unreachable.
  async load(onpage, isPatient = false) {
    let skip = 0
    let limit = 500
    while (skip !== null && !this.isEnded) {
      const ask = () => call('FetchOwnedColumns', { library: this.library, ...this.terms, skip, limit })
      const page = isPatient ? await patiently(ask, () => this.isEnded) : await ask()
      // The first page's revision: the next renewal then fetches changes made during loading.
      this.revision ??= page.revision
      this.selected ??= page.selected
      if (page.revision !== this.revision) this.isTorn = true
      this.append(page)
      skip = page.next ?? null
      limit = 10000
      onpage?.(this)
    }
    // Assets deleted during loading were counted in `total` and never arrive.
    if (!this.isEnded) this.total = this.count
    return this
  }

  end() { this.isEnded = true }

  // Updates to the library's current state. Returns each asset's new place, undefined for deleted
  // ones.
  //
  // `isSame`: neither visibility nor selection changed, so that only the library's changes need be
  // fetched, if the broker still has them.
  async renew(isSame = false) {
    const { library, terms } = this
    const isWhole = !terms.album
    const page = isSame && isWhole && !this.isTorn
      && await call('FetchOwnedColumns', { library, ...terms, since: this.revision })
    const merged = page && page.gone !== undefined && page.gone !== null && this.merge(page)
    if (merged) return merged
    const fresh = await new Assets(library, terms).load()
    const places = Array.from({ length: this.count }, (_, asset) => fresh.indexOf(this.id(asset)))
    Object.assign(this, fresh, { isEnded: this.isEnded })
    return places
  }

  // Applies the changes. Assets with the same date keep their place; others move to the end,
  // because the grid sorts by date anyway.
  //
  // Returns undefined, and changes nothing, if the counts disagree. It does the same if a changed
  // asset shares its second with another one: only the broker knows their order.
  merge(page) {
    const news = Object.assign(new Assets(this.library, this.terms), { total: page.total })
    news.append(page)
    const stays = new Map(), leaves = new Set()
    for (let at = 0; at < page.gone.length; at += 32) leaves.add(this.indexOf(page.gone.slice(at, at + 32)))
    const added = []
    // By second: the number of loaded assets that may share it with a change.
    const alone = new Map()
    for (let at = 0; at < news.count; at++) {
      const asset = this.indexOf(news.id(at))
      if (asset !== undefined && this.dates[asset] === news.dates[at]) {
        stays.set(asset, at)
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
      for (const column of ['dates', 'aspects', 'seconds', 'marks', 'versions',
        'names']) merged[column][to] = from[column][at]
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
    Object.assign(this, merged,
      { packed: [run], starts: [0], numbers: undefined, total: page.total, revision: page.revision,
        selected: page.selected, isEnded: this.isEnded })
    return places
  }

  grow(size) {
    const copy = (type,
      old) => { const array = new type(size); if (old) array.set(old.subarray(0, this.count)); return array }
    this.dates = copy(Float64Array, this.dates)
    this.aspects = copy(Float32Array, this.aspects)
    this.seconds = copy(Uint32Array, this.seconds)
    this.marks = copy(Uint16Array, this.marks)
    this.versions = copy(Uint32Array, this.versions)
  }

  append(page) {
    const count = page.dates.length
    this.total = page.total
    if (this.count +
      count > this.dates.length) this.grow(Math.max(this.count + count, page.total, this.dates.length * 2))
    this.packed.push(page.identifiers)
    this.starts.push(this.count)
    for (let i = 0; i < count; i++) {
      const at = this.count + i
      this.dates[at] = this.clock(page.dates[i], page.offsets[i], page.marks[i])
      // Limits extreme shapes such as panoramas and receipts, so that they fit into a row.
      this.aspects[at] = page.widths[i] && page.heights[i]
        ? Math.min(2.6, Math.max(0.5, page.widths[i] / page.heights[i])) : 1.333
      this.seconds[at] = page.seconds[i]
      this.marks[at] = page.marks[i]
      this.versions[at] = page.versions[i]
      this.names.push(page.names[i])
    }
    this.count += count
    this.numbers = undefined
  }

  // The local time at the place of capture, in seconds as if it were UTC. Without a known zone, the
  // viewer's zone.
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

  picture(index,
    pixels) { return { library: this.library, asset: this.id(index), version: this.versions[index], pixels } }

  indexOf(id) {
    if (!this.numbers) {
      this.numbers = new Map()
      for (let i = 0; i < this.count; i++) this.numbers.set(this.id(i), i)
    }
    return this.numbers.get(id)
  }

  // The suffix of text keys for a selection: '' for photos, '.video', or '.both'.
  kindOf({ order, count }) {
    let videos = 0
    for (const asset of order) if (this.has(asset, mark.video)) videos += 1
    return videos === 0 ? '' : videos === count ? '.video' : '.both'
  }

  has(index, bit) { return (this.marks[index] & bit) !== 0 }
}
