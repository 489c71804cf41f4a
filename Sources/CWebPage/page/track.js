// Browsers make nothing taller than 17 million pixels and more, on sharp screens of the screen's own, and leave away what is below.
const tallest = 15_000_000
// What is scrolled by more pixels than this at once is meant as a part of the way.
const jump = 20_000

// How far a view is scrolled that may be taller than any canvas: then the canvas shows as much of it as it can hold, and what that is
// moves along. A pixel that is scrolled is one of the view; near its beginning and its end the view stands as its canvas does.
export class Track {
  // `element` scrolls, and the canvas is in it.
  constructor(element, canvas) {
    this.element = element
    this.canvas = canvas
    this.height = this.room = 0
    // How far below the beginning of the view that of the canvas is, and where the canvas stood when anybody looked last.
    this.offset = this.seen = 0
  }

  // The view is this high now.
  fit(height) {
    this.height = height
    this.room = Math.min(height, tallest / Math.max(1, devicePixelRatio))
    this.ends = this.room / 15
    this.canvas.style.height = `${this.room}px`
    this.seen = this.element.scrollTop
    this.offset = Math.round(this.viewOf(this.seen) - this.seen)
  }

  get isFolded() { return this.height > this.room }
  get density() { return (this.height - 2 * this.ends) / (this.room - 2 * this.ends) }
  isNearEnd(top) { return top <= this.ends || top >= this.height - this.ends }

  // Where in the canvas a place of the view belongs, and the other way round.
  canvasOf(top) {
    if (top <= this.ends || !this.isFolded) return top
    if (top >= this.height - this.ends) return top - this.height + this.room
    return this.ends + (top - this.ends) / this.density
  }
  viewOf(at) {
    if (at <= this.ends || !this.isFolded) return at
    if (at >= this.room - this.ends) return at - this.room + this.height
    return this.ends + (at - this.ends) * this.density
  }

  // How far below the beginning of the view its upper edge is.
  get top() {
    const at = this.element.scrollTop
    if (this.isFolded && Math.abs(at - this.seen) > jump) this.offset = Math.round(this.viewOf(at) - at)
    this.seen = at
    return at + this.offset
  }

  set top(top) {
    if (!this.isFolded) this.element.scrollTop = top
    else {
      const to = Math.max(0, Math.min(top, this.height - this.element.clientHeight))
      if (this.isNearEnd(to) || Math.abs(to - this.top) > jump) return this.place(to)
      this.element.scrollTop = to - this.offset
    }
    this.seen = this.element.scrollTop
  }

  place(top) {
    this.element.scrollTop = this.canvasOf(top)
    this.seen = this.element.scrollTop
    this.offset = Math.round(top - this.seen)
  }

  // The same once it was scrolled, before that is drawn: where the canvas would come to its end before the view does, it moves along.
  look() {
    const { top } = this
    if (this.isFolded && Math.abs(this.canvasOf(top) - this.seen) > (this.isNearEnd(top) ? 1 : this.ends / 2)) this.place(top)
    return top
  }
}
