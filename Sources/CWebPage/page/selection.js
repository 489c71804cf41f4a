import { announce, toast } from './dom.js'
import { t } from './text.js'

// The selected assets of a grid, and the ways to select: single, range, section, and drag.
//
// `options`: `items()` returns the grid's assets in order; `changed()` is called after a change;
// `isBarred(asset)`: cannot be selected; `limit`: the greatest number; `kind()`: see
// `Assets.kindOf`.
export class Selection {
  constructor(options) {
    this.options = options
    // One byte per asset.
    this.marks = new Uint8Array(0)
    this.count = 0
    // In the order of selection.
    this.order = new Set()
    // Assets deselected at least once, even if selected again.
    this.dropped = new Set()
    this.anchor = null
  }

  // Makes room for more assets; `isSet` tells which of them are selected.
  grow(count, isSet = () => false) {
    const from = this.marks.length
    const grown = new Uint8Array(count)
    grown.set(this.marks)
    this.marks = grown
    for (let asset = from; asset < count; asset++) {
      if (!isSet(asset)) continue
      grown[asset] = 1
      this.count += 1
      this.order.add(asset)
    }
  }

  // Maps to the assets' new places; deleted ones are deselected.
  renumber(places, count) {
    const moved = assets => new Set([...assets].map(asset => places[asset]).filter(asset => asset !== undefined))
    this.order = moved(this.order)
    this.dropped = moved(this.dropped)
    this.marks = new Uint8Array(count)
    for (const asset of this.order) this.marks[asset] = 1
    this.count = this.order.size
    this.anchor = null
  }

  has(asset) { return this.marks[asset] === 1 }
  get isFull() { return this.options.limit > 1 && this.count >= this.options.limit }

  // `isForced` ignores the limit and barred assets, for a selection made elsewhere.
  set(asset, isOn, isForced = false) {
    if (this.has(asset) === isOn) return false
    if (isOn && !isForced && (this.options.isBarred?.(asset) || this.isFull)) return false
    if (isOn && this.options.limit === 1) for (const other of [...this.order]) this.set(other, false)
    this.marks[asset] = isOn ? 1 : 0
    this.count += isOn ? 1 : -1
    if (isOn) this.order.add(asset)
    else {
      this.order.delete(asset)
      this.dropped.add(asset)
    }
    return true
  }

  clear() {
    for (const asset of [...this.order]) this.set(asset, false)
    this.anchor = null
    this.options.changed()
  }

  // The selected assets in library order.
  all() {
    const all = []
    for (let asset = 0; asset < this.marks.length; asset++) if (this.marks[asset]) all.push(asset)
    return all
  }

  toggle(at) { this.toggleAsset(this.options.items()[at], at) }

  // `at`: the grid's place, negative if the asset is not in view.
  toggleAsset(asset, at = this.options.items().indexOf(asset)) {
    if (this.options.isBarred?.(asset)) return this.refuse(asset)
    const isSet = this.set(asset, !this.has(asset))
    this.anchor = at < 0 ? null : { at, isOn: this.has(asset) }
    this.options.changed()
    if (isSet) this.tell(this.has(asset))
    else this.refuse(asset)
  }

  // Explains the refusal as a toast, which screen readers announce.
  refuse(asset) { toast(asset !== undefined && this.options.isBarred?.(asset) ? t('barred')
    : t('limitReached', { n: this.options.limit })) }

  // Selects a range from the anchor. Places that the range leaves return to their earlier state.
  extend(from, to) {
    const before = this.count
    if (this.options.limit === 1) this.set(this.options.items()[to], true)
    else {
      // Without a pressed anchor, the range starts at the keyboard's position.
      if (!this.anchor || (this.anchor.end ?? from) !== from) this.anchor = { at: from, isOn: true, end: from }
      if (this.anchor.end !== undefined) this.anchor.end = to
      this.anchor.range ??= this.span(this.anchor.at, this.anchor.isOn)
      this.anchor.range(to)
    }
    this.options.changed()
    this.tell(this.count === before ? this.anchor?.isOn ?? true : this.count > before)
  }

  toggleRange(start, end) {
    const items = this.options.items()
    let isAll = true
    let isAny = false
    for (let at = start; at <= end; at++) {
      if (this.has(items[at])) isAny = true
      else if (!this.options.isBarred?.(items[at])) isAll = false
    }
    // A section filled up to the limit is cleared by the next press, like a full one.
    this.setRange(start, end, !isAll && !(this.isFull && isAny))
  }

  setRange(start, end, isOn) {
    if (isOn && this.isFull) return this.refuse()
    const items = this.options.items()
    for (let at = start; at <= end; at++) this.set(items[at], isOn)
    // A later range does not undo this change.
    if (this.anchor) this.anchor = { ...this.anchor, range: undefined }
    this.options.changed()
    this.tell(isOn)
  }

  // Returns a function that sets a range from `start` to its argument. Places that it leaves return
  // to their earlier state and order. It does nothing after a renewal changed the places.
  span(start, isOn) {
    const items = this.options.items()
    const order = [...this.order], dropped = new Set(this.dropped)
    const held = new Map()
    return end => {
      if (this.options.items() !== items) return
      const low = Math.min(start, end), high = Math.max(start, end)
      let isLeft = false
      for (const [at, was] of [...held]) {
        if (at >= low && at <= high) continue
        isLeft = true
        this.set(items[at], was)
        held.delete(at)
        if (!dropped.has(items[at])) this.dropped.delete(items[at])
      }
      if (isLeft && !isOn) this.order = new Set(order.filter(asset => this.has(asset)))
      // From the start outwards, so that the limit cuts off the far end.
      const step = end < start ? -1 : 1
      for (let at = start; at !== end +
        step; at += step) if (!held.has(at)) { held.set(at, this.has(items[at])); this.set(items[at], isOn) }
    }
  }

  // Starts a drag that sets each place like the first; with a limit of one, only the first.
  brush(start) {
    const items = this.options.items()
    const isOn = !this.has(items[start])
    const range = this.span(start, isOn)
    const to = end => {
      if (this.options.limit === 1 && end !== start) return
      range(end)
      this.options.changed()
    }
    to(start)
    this.anchor = { at: start, isOn, range }
    const isSet = this.has(items[start]) === isOn
    return { to, end: () => isSet ? this.tell(isOn) : this.refuse(items[start]) }
  }

  // Returns a function that restores the current selection. It does nothing after a renewal changed
  // the places.
  remember() {
    const items = this.options.items()
    const anchor = this.anchor && { ...this.anchor, range: undefined }
    const order = new Set(this.order), dropped = new Set(this.dropped)
    return () => {
      if (this.options.items() !== items) return
      for (const asset of this.order) this.marks[asset] = 0
      for (const asset of order) this.marks[asset] = 1
      Object.assign(this, { order, dropped, anchor, count: order.size })
      this.options.changed()
    }
  }

  tell(isOn) { announce(t(`${isOn ? 'nowSelected' : 'nowUnselected'}${this.options.kind()}`, { n: this.count })) }

  get ways() {
    return {
      isSelected: asset => this.has(asset), toggle: at => this.toggle(at), extend: (from, to) => this.extend(from, to),
      toggleRange: (start, end) => this.toggleRange(start, end),
      setRange: (start, end, isOn) => this.setRange(start, end, isOn),
      brush: start => this.brush(start), remember: () => this.remember(),
    }
  }
}
