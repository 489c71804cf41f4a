import { focusHeading, h, name } from './dom.js'
import { rest, RowGuard } from './presses.js'

// A column of cards with questions, protected from misplaced presses. A removed card keeps its room
// while others are below it, so that none moves. A new or moved card takes no press or key for a
// moment.
export class Cards {
  #cards = new Map()
  #guard = new RowGuard(() => this.#cards, '.prompt-answers button, .terms input, .terms select', rest)

  constructor(list) { this.list = list }

  get size() { return this.#cards.size }

  get ids() { return [...this.#cards.keys()] }

  has(id) { return this.#cards.has(id) }

  add(id, element) {
    this.#cards.set(id, element)
    this.list.append(element)
    this.check()
  }

  check() { this.#guard.check() }

  // Removes a card and shows `text` in its room.
  end(id, text) {
    const element = this.#cards.get(id)
    if (!element) return
    this.#cards.delete(id)
    const scrolled = scrollY
    const hadFocus = element.contains(document.activeElement)
    const room = h('div', { class: 'card gone' },
      h('p', { class: 'quiet' }, name(element.getAttribute('aria-label')), ': ', text))
    room.style.height = `${element.getBoundingClientRect().height}px`
    element.replaceWith(room)
    while (this.list.lastElementChild?.matches('.gone')) this.list.lastElementChild.remove()
    if (hadFocus) focusHeading()
    this.check()
    // A page that became shorter scrolls by itself, which moves every card.
    if (scrollY !== scrolled) this.settle()
  }

  // Call this when an overlay above the cards has closed.
  settle() { this.#guard.settle() }

  stop() { this.#guard.end() }
}
