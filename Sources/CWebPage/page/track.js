// Browsers limit an element's height to about 17 million device pixels and drop the rest.
const tallest = 15_000_000
// A scroll by more pixels than this at once is a jump to a part of the view.
const jump = 20_000

// Scrolling for views taller than any element. The canvas shows a part of the view and moves along
// with it. One scrolled pixel is one pixel of the view; at both ends view and canvas coincide.
export class Track {
  constructor(element, canvas) {
    this.element = element
    this.canvas = canvas
    this.height = this.room = 0
    // The canvas's offset in the view, and its scroll position at the last look.
    this.offset = this.seen = 0
  }

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

  // Converts between places in the view and in the canvas.
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

  // Reads the position before drawing, and moves the canvas along if its end is near.
  look() {
    const { top } = this
    if (this.isFolded
      && Math.abs(this.canvasOf(top) - this.seen) > (this.isNearEnd(top) ? 1 : this.ends / 2)) this.place(top)
    return top
  }
}
