import { focusHeading, h, name } from './dom.js'
import { Steady } from './presses.js'

// Questions, one below the other, that come and go while somebody is about to answer one of them. One that is gone leaves its
// room for as long as another is below it, so that none moves; and one that came or moved all the same takes no answer at first,
// neither by pointer nor by key.
export class Cards {
  // By question.
  #cards = new Map()
  #steady = new Steady(() => this.#cards, '.prompt-answers button')

  constructor(list) { this.list = list }

  get size() { return this.#cards.size }

  get ids() { return [...this.#cards.keys()] }

  has(id) { return this.#cards.has(id) }

  add(id, element) {
    this.#cards.set(id, element)
    this.list.append(element)
    this.look()
  }

  // A card may say something else by now.
  look() { this.#steady.look() }

  // Takes a card away. `text` stands in its room.
  end(id, text) {
    const element = this.#cards.get(id)
    if (!element) return
    this.#cards.delete(id)
    const scrolled = scrollY
    const hadFocus = element.contains(document.activeElement)
    const room = h('div', { class: 'card gone' }, h('p', { class: 'quiet' }, name(element.getAttribute('aria-label')), ': ', text))
    room.style.height = `${element.getBoundingClientRect().height}px`
    element.replaceWith(room)
    while (this.list.lastElementChild?.matches('.gone')) this.list.lastElementChild.remove()
    if (hadFocus) focusHeading()
    this.look()
    // A page that became shorter than it was scrolled shows all of it elsewhere.
    if (scrollY !== scrolled) this.settle()
  }

  // Something else that was over all of them went away.
  settle() { this.#steady.settle() }

  stop() { this.#steady.end() }
}
