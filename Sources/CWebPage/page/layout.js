// Arranges photos in rows of one height under a heading for each day or month. Short sections share
// a row.
//
// `items` are asset indexes in order. The result is typed arrays of places, so that scrolling needs
// only a binary search.

const heading = 52
const space = 4
// Pixels between two sections in one row, and the least width of a heading.
const gap = 32
const headingWidth = 280
// A row is stretched to the full width if photos fill at least this part of it.
const fill = 0.82

export function arrange(assets, items, width, rowHeight, keyOf) {
  const count = items.length
  const x = new Float32Array(count), y = new Float64Array(count), w = new Float32Array(count),
  h = new Float32Array(count)
  const sections = []
  let top = 0
  let at = 0
  // The section before, if it leaves room on its right.
  let before
  while (at < count) {
    const key = keyOf(items[at])
    let end = at + 1
    while (end < count && keyOf(items[end]) === key) end += 1
    const room = shortRow(assets, items, at, end, width, rowHeight)
    const isBeside = room && before && before.right + gap + room <= width
    const start = isBeside ? before.right + gap : 0
    if (isBeside) top = before.top
    sections.push({ key, start: at, end, top, left: start, width: room ?? width })
    before = room && { top, right: start + room }
    top += heading
    let row = at
    while (row < end) {
      let shape = 0
      let next = row
      while (next < end
        && (shape === 0 || shape * rowHeight + (next - row) * space < width)) shape += assets.aspects[items[next++]]
      const free = width - (next - row - 1) * space
      const isFull = shape * rowHeight >= free * fill
      const height = Math.round(Math.min(isFull ? free / shape : rowHeight, rowHeight * 1.35))
      let left = start
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

// The width of a section that fills less than one row; undefined otherwise.
function shortRow(assets, items, start, end, width, rowHeight) {
  let shape = 0
  for (let i = start; i < end; i++) {
    shape += assets.aspects[items[i]]
    if (shape * rowHeight >= (width - (i - start) * space) * fill) return undefined
  }
  return Math.max(headingWidth, Math.ceil(shape * rowHeight) + (end - start) * space)
}

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
