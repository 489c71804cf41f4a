import { call } from './server.js'

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
    this.names = []
    this.grow(1024)
  }

  // Loads all of them; `onpage` is called whenever more are here. The first page is small, so that pictures come at once.
  async load(onpage) {
    let skip = 0
    let limit = 500
    while (skip !== null && !this.isEnded) {
      const page = await call('FetchOwnedColumns', { library: this.library, ...this.terms, skip, limit })
      // Of the first page: what changes while the others come is shown by the next renewal.
      this.revision ??= page.revision
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
  async renew() {
    const fresh = await new Assets(this.library, this.terms).load()
    const places = Array.from({ length: this.count }, (_, asset) => fresh.indexOf(this.id(asset)))
    Object.assign(this, fresh, { isEnded: this.isEnded })
    return places
  }

  grow(size) {
    const copy = (type, old) => { const array = new type(size); if (old) array.set(old.subarray(0, this.count)); return array }
    this.dates = copy(Float64Array, this.dates)
    this.aspects = copy(Float32Array, this.aspects)
    this.seconds = copy(Uint32Array, this.seconds)
    this.marks = copy(Uint8Array, this.marks)
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

  indexOf(id) {
    if (!this.numbers) {
      this.numbers = new Map()
      for (let i = 0; i < this.count; i++) this.numbers.set(this.id(i), i)
    }
    return this.numbers.get(id)
  }

  has(index, bit) { return (this.marks[index] & bit) !== 0 }
}
