import { undo } from './decisions.js'
import { dialog, failureText, h, name, show, toast, toastFailure } from './dom.js'
import { icon } from './icons.js'
import { toldApart } from './identity.js'
import { pause, RowGuard, rowsBy } from './presses.js'
import { account, call, libraryNamed, onchange, state, userNamed } from './server.js'
import { t } from './text.js'

// A user's answer to an offer; empty if accepted or unknown.
export function answerText({ owner, offeredTo, declinedBy, acceptedBy }, uid) {
  if (!offeredTo.includes(uid) || uid === owner) return ''
  return declinedBy.includes(uid) ? t('hasDeclined') : acceptedBy && !acceptedBy.includes(uid) ? t('hasNotAccepted')
    : ''
}

const levelText = grant => [
  grant.level === 'addOnly' ? t('short.addOnly') : grant.status === 'limited' ? t('photosCount', { n: grant.selected })
    : t('short.full'),
  grant.paused && t('paused')].filter(Boolean).join(', ')

const appsOf = uid => state.apps.filter(app => app.uid === uid)

// The access that an offer to a user gives back: the apps that regain access.
const regainedBy = (uid, library) => library.offeredTo.includes(uid) ? [] : appsOf(uid).flatMap(app => state.grants
  .filter(grant => grant.library === library.name && grant.app === app.app && grant.resting
    && ['authorized', 'limited'].includes(grant.status))
  .map(grant => `${toldApart(app)} · ${levelText(grant)}`))

// The rules that grant a user's apps access without asking.
const rulesFor = (uid, library) => state.rules
  .filter(rule => rule.library === library.name && rule.uid === uid && !rule.rests
    && ['allow', 'select'].includes(rule.answer))
  .map(({ name, answer, identifier, level }) => [
    name, t(`rule.${answer}`), identifier ?? t('anyApp'), t(level === 'addOnly' ? 'short.addOnly' : 'short.reading')]
  .join(' · '))

// The dialog for the users to whom a library is offered: their apps may ask for its photos. Changes
// by others appear while it is open.
export async function offer({ name }) {
  const library = libraryNamed(name)
  if (!library) return
  const form = new OfferDialog(library)
  if (!await form.open()) return
  const { add, remove } = form
  if (add.length + remove.length === 0) return
  try {
    const { decisions } = await call('OfferLibrary', { name, add, remove })
    toast(t('saved'), undo(decisions))
  } catch (refusal) { toastFailure(refusal) }
}

export class OfferDialog {
  words = { title: 'offerTitle', text: 'offerText' }
  // The user's own edits, kept apart from changes by others.
  #added = new Set()
  #withdrawn = new Set()
  // The access that each user regains by saving, as the dialog last showed it.
  #shown = new Map()
  #resting

  list = h('ul', { class: 'rows plainly' })
  problem = h('p', { class: 'status', role: 'status' })
  number = h('input', {
    class: 'field', maxlength: '64', 'aria-label': t('userName'), placeholder: t('userName'), autocapitalize: 'none',
    spellcheck: 'false',
  })
  save = h('button', { class: 'primary' }, t('save'))
  guard = new RowGuard(rowsBy(this.list, 'user'))

  constructor(library) {
    this.library = library
    this.draw()
  }

  get present() { return this.library.offeredTo.filter(uid => uid !== this.library.owner) }
  get users() { return [...new Set([...this.present, ...this.#added])].filter(uid => !this.#withdrawn.has(uid))
    .sort((a, b) => a - b) }
  get add() { return [...this.#added].filter(uid => !this.present.includes(uid)) }
  get remove() { return this.present.filter(uid => this.#withdrawn.has(uid)) }

  // Resolves to whether the users are to be saved.
  async open() {
    const { name } = this.library
    const seen = () => JSON.stringify([this.library, state.grants, state.apps, state.rules])
    let told = seen(), stop = () => {}
    const isMeant = await dialog(t(this.words.title, { library: name }), close => {
      stop = onchange(() => {
        const library = libraryNamed(name)
        if (!library) return close(false)
        this.library = library
        const now = seen()
        if (now === told) return
        told = now
        this.draw()
      })
      return this.form(close)
    })
    stop()
    this.guard.end()
    clearTimeout(this.#resting)
    return isMeant
  }

  form(close) {
    const submit = async event => {
      event.preventDefault()
      const before = this.#shown
      if (await this.take() && this.isSeen(before) && await this.isMeant()) close(true)
    }
    return h('form', { onsubmit: submit }, h('p', { class: 'quiet' }, t(this.words.text)), this.list,
      h('div', { class: 'form-line' }, this.number,
        h('button', { class: 'plain', type: 'button', onclick: () => this.take() }, icon('plus'), t('add'))),
      this.problem,
      h('div', { class: 'actions' },
        h('button', { class: 'plain', type: 'button', onclick: () => close(false) }, t('cancel')), this.save))
  }

  isMeant() { return true }

  given(uid) {
    const { library } = this
    return library.offeredTo.includes(uid) ? [] : [...regainedBy(uid, library), ...rulesFor(uid, library)]
  }

  // A user's answer, and what the row says below the name.
  about(uid) {
    const { library } = this, regained = regainedBy(uid, library)
    const lines = (words, all) => all.length > 0 && h('div', { class: 'quiet' }, t(words),
      h('ul', { class: 'regained' }, all.map(told => h('li', {}, name(told)))))
    return { answer: answerText(library, uid), lines: [
      regained.length === 0 && h('span', { class: 'quiet' }, appsOf(uid).map(toldApart).join(', ')),
      lines('regains', regained), lines('rulesAnswer', rulesFor(uid, library))] }
  }

  // By user: the access that saving gives back, or that rules give, as JSON.
  regained() {
    return new Map(this.users.map(uid => [uid, JSON.stringify(this.given(uid))]).filter(([, told]) => told !== '[]'))
  }

  unseen(before) { return [...this.regained()].filter(([uid, told]) => before.get(uid) !== told).map(([uid]) => uid) }

  // Access that appears while the dialog is open must be seen before it is saved.
  draw() {
    const { owner } = this.library, isUnseen = this.unseen(this.#shown).length > 0
    this.#shown = this.regained()
    show(this.list, h('li', { class: 'row' }, h('span', { class: 'row-text' },
      h('strong', {}, t('user', { uid: account(owner) })), h('span', { class: 'quiet' }, t('theOwner')))),
    this.users.map(uid => this.row(uid)))
    this.guard.check()
    if (!isUnseen) return
    this.save.setAttribute('aria-disabled', 'true')
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => this.save.removeAttribute('aria-disabled'), pause)
  }

  row(uid) {
    const user = t('user', { uid: account(uid) }), { answer, lines } = this.about(uid)
    const withdraw = () => {
      this.#withdrawn.add(uid)
      this.#added.delete(uid)
      this.draw()
      this.number.focus()
    }
    return h('li', { class: 'row', 'data-user': String(uid) },
      h('div', { class: 'row-text' }, h('strong', {}, user, ' ', answer), lines),
      h('button', { class: 'link', type: 'button', 'aria-label': `${t('withdraw')}: ${user}`, onclick: withdraw },
        t('withdraw')))
  }

  // Adds the typed user. Resolves to whether there is one, or none is typed.
  async take() {
    const { number, problem } = this, text = number.value.trim()
    if (!text) return true
    let user
    try { user = await userNamed(text) } catch (refusal) {
      problem.textContent = failureText(refusal)
      return false
    }
    if (user === undefined) {
      problem.textContent = t('noUser', { name: text })
      number.focus()
      return false
    }
    if (user === this.library.owner) {
      problem.textContent = t('alreadyOwner', { uid: account(user) })
      number.focus()
      return false
    }
    problem.textContent = ''
    this.#withdrawn.delete(user)
    if (!this.present.includes(user)) this.#added.add(user)
    number.value = ''
    this.draw()
    return true
  }

  isSeen(before) {
    const unseen = this.unseen(before)
    if (unseen.length > 0) this.problem.textContent = unseen.map(uid => t('regainsUnseen', { uid: account(uid) }))
      .join(' ')
    return unseen.length === 0
  }
}
