import { focusHeading, h, name, toast } from './dom.js'
import { t } from './text.js'

// How long a card takes no answer after it came or moved, in milliseconds: whoever was about to press something else there sees
// it first.
const pause = 500

// Where an element is in the page, however far that is scrolled, and whatever it does to be noticed.
function placeOf(element) {
  let left = 0, top = 0
  for (let at = element; at; at = at.offsetParent) {
    left += at.offsetLeft
    top += at.offsetTop
  }
  return `${left} ${top}`
}

// Questions, one below the other, that come and go while somebody is about to answer one of them. One that is gone leaves its
// room for as long as another is below it, so that none moves; and one that came or moved all the same takes no answer at first,
// neither by pointer nor by key.
export class Cards {
  // By question: { element, place, timer }.
  #cards = new Map()

  constructor(list) {
    this.list = list
    list.addEventListener('click', event => this.#guard(event), true)
    this.observer = new ResizeObserver(() => this.#look())
    this.observer.observe(document.body)
  }

  get size() { return this.#cards.size }

  get ids() { return [...this.#cards.keys()] }

  has(id) { return this.#cards.has(id) }

  add(id, element) {
    this.#cards.set(id, { element })
    this.list.append(element)
    this.#look()
  }

  // Takes a card away. `text` stands in its room.
  end(id, text) {
    const card = this.#cards.get(id)
    if (!card) return
    const { element, timer } = card
    clearTimeout(timer)
    this.#cards.delete(id)
    const scrolled = scrollY
    const hadFocus = element.contains(document.activeElement)
    const room = h('div', { class: 'card gone' }, h('p', { class: 'quiet' }, name(element.getAttribute('aria-label')), ': ', text))
    room.style.height = `${element.getBoundingClientRect().height}px`
    element.replaceWith(room)
    while (this.list.lastElementChild?.matches('.gone')) this.list.lastElementChild.remove()
    if (hadFocus) focusHeading()
    this.#look()
    // A page that became shorter than it was scrolled shows all of it elsewhere.
    if (scrollY !== scrolled) this.settle()
  }

  // Something else that was over all of them went away.
  settle() { for (const card of this.#cards.values()) this.#settle(card) }

  #look() {
    for (const card of this.#cards.values()) {
      const place = placeOf(card.element)
      if (place !== card.place) this.#settle(card)
      card.place = place
    }
  }

  #settle(card) {
    const answers = card.element.querySelectorAll('.prompt-answers button')
    for (const button of answers) button.setAttribute('aria-disabled', 'true')
    clearTimeout(card.timer)
    card.timer = setTimeout(() => { for (const button of answers) button.removeAttribute('aria-disabled') }, pause)
  }

  #guard(event) {
    this.#look()
    if (!event.target.closest('[aria-disabled="true"]')) return
    event.stopPropagation()
    toast(t('justMoved'))
  }

  stop() {
    this.observer.disconnect()
    for (const card of this.#cards.values()) clearTimeout(card.timer)
  }
}
