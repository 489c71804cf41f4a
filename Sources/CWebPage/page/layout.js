// Where each photo of a view goes: rows of one height that fill the width, under a heading for each day or month.
// `items` are indexes of assets in their order; the result holds the places in typed arrays, so that a scroll is a binary search.

const heading = 52
const space = 4

export function arrange(assets, items, width, rowHeight, keyOf) {
  const count = items.length
  const x = new Float32Array(count), y = new Float64Array(count), w = new Float32Array(count), h = new Float32Array(count)
  const sections = []
  let top = 0
  let at = 0
  while (at < count) {
    const key = keyOf(items[at])
    let end = at + 1
    while (end < count && keyOf(items[end]) === key) end += 1
    sections.push({ key, start: at, end, top })
    top += heading
    let row = at
    while (row < end) {
      let shape = 0
      let next = row
      while (next < end && (shape === 0 || shape * rowHeight + (next - row) * space < width)) shape += assets.aspects[items[next++]]
      const free = width - (next - row - 1) * space
      const isFull = shape * rowHeight >= free * 0.82
      const height = Math.round(Math.min(isFull ? free / shape : rowHeight, rowHeight * 1.35))
      let left = 0
      for (let i = row; i < next; i++) {
        const isLast = i === next - 1 && isFull && free / shape <= rowHeight * 1.35
        const wide = isLast ? width - left : Math.min(Math.round(assets.aspects[items[i]] * height), width)
        x[i] = left
        y[i] = top
        w[i] = wide
        h[i] = height
        left += wide + space
      }
      top += height + space
      row = next
    }
    top += 20
    at = end
  }
  return { x, y, w, h, sections, height: top, count, heading }
}

// The first place whose row ends below `edge`.
export function firstBelow(layout, edge) {
  let low = 0, high = layout.count
  while (low < high) {
    const middle = (low + high) >> 1
    if (layout.y[middle] + layout.h[middle] < edge) low = middle + 1
    else high = middle
  }
  return low
}

export function sectionAt(layout, edge) {
  let low = 0, high = layout.sections.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (layout.sections[middle].top <= edge) low = middle
    else high = middle - 1
  }
  return low
}
