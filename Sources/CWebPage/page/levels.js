import { ask, h, show, toggle } from './dom.js'
import { confirmFullAccess, termChoices } from './grants.js'
import { facts, textAbout } from './identity.js'
import { call, state } from './server.js'
import { t, whenText } from './text.js'
import { pictureElements } from './thumbnails.js'

const ranks = { limited: 1, authorized: 2 }
const widens = (status, than) => (ranks[status] ?? 0) > (ranks[than] ?? 0)

// The panel with the app's access levels. Choosing more access asks first.
export class LevelPanel {
  constructor(place, access) {
    this.place = place
    this.access = access
  }

  draw(full, add) {
    const { access } = this
    const status = full?.status ?? 'notDetermined'
    const wasDecided = [full, add].some(grant => grant && grant.status !== 'notDetermined')
    const expired = [full, add].filter(grant => grant?.source === 'expiry')
    show(this.place,
      h('div', { class: 'panel-head' }, h('h2', {}, t('access')), wasDecided && access.isOwned &&
        h('button', { class: 'link', title: t('forget.text'), onclick: () => access.forget() }, t('forget'))),
      h('div', { class: 'choices', role: 'radiogroup', 'aria-label': t('access'), onkeydown: moveFocus },
        this.choice('limited', 'level.limited', status), this.choice('authorized', 'level.full', status),
        this.choice('denied', 'level.denied', status)),
      this.addingSwitch(full, add),
      expired.map(grant => h('p', { class: 'quiet spaced' },
        t(grant.level === 'addOnly' ? 'endedAdding' : 'ended', { when: whenText(grant.decided) }))))
  }

  choice(value, title, status) {
    const input = h('input', {
      type: 'radio', name: 'level', value, checked: status === value || (value === 'denied' && status === 'restricted'),
      disabled: !this.access.isDecided && widens(value, status), onchange: () => this.choose(value, status),
    })
    return h('label', { class: 'choice' }, input,
      h('span', {}, h('strong', {}, t(title)), h('span', { class: 'quiet' }, t(`${title}.text`))))
  }

  addingSwitch(full, add) {
    const isAdding = add?.status === 'authorized'
    // Full or limited access includes adding, unless it is paused.
    const isIncluded = (full?.status === 'authorized' || full?.status === 'limited') && !full.paused
    return toggle({
      checked: isIncluded || isAdding, disabled: isIncluded || !this.access.isDecided && !isAdding,
      onchange: event => this.letAdd(event.target.checked, add?.status),
    }, t('level.add'), t(isIncluded ? 'level.add.comes' : 'level.add.text'), isAdding)
  }

  async choose(value, before) {
    const { access } = this
    try {
      const { captions = true, files = true, pixels, changes = true, location = true } =
        access.libraryState?.defaultTerms ?? {}
      const terms = value === 'authorized' && before !== 'authorized'
        ? { location, captions, files, pixels, changes } : undefined
      const isMeant = value === 'authorized' ? !terms || await this.letSeeAll(terms)
        : value !== 'limited' || !widens(value, before) || await this.giveBack(before)
      if (!isMeant) return this.reset()
      await access.set('readWrite', { status: value === 'denied' ? access.closed : value, terms })
    } catch (refusal) { return access.fail(refusal) }
  }

  letSeeAll(terms) {
    return confirmFullAccess(this.access.app, this.access.library,
      h('div', { class: 'terms' }, termChoices(terms, change => Object.assign(terms, change))))
  }

  async letAdd(isLet, before) {
    const isDenied = before === 'denied' || before === 'restricted'
    if (isLet && isDenied && !await this.ask('letAddTitle', t('letAddText'), 'allowAdding')) return this.reset()
    await this.access.set('addOnly', { status: isLet ? 'authorized' : this.access.closed })
  }

  reset() { if (!this.access.isEnded) this.access.refused() }

  // Asks for confirmation before the app gets access back.
  ask(title, text, answer, content) {
    const { app, library } = this.access
    return ask(textAbout(app, title), answer, [
      state.libraries.length > 1 && h('p', { class: 'quiet' }, t('inLibrary', { library })), h('p', {}, text), content,
      facts(app)])
  }

  // Restores the app's earlier selection. If nothing is decided, selects its own additions instead.
  giveBack(before) {
    return before === 'notDetermined' ? this.shareAnew({ addedBy: this.access.id }, 'seeOwn')
      : this.shareAnew({ app: this.access.id }, 'giveBack')
  }

  async shareAnew(which, words) {
    const { library, isSeen } = this.access
    const isMeant = (text, content) => this.ask(`${words}Title`, `${text} ${t('mayChange')}`, words, content)
    if (!isSeen) return isMeant(t(`${words}Unseen`))
    const { assets, total } = await call('FetchOwnedAssets', { library, ...which, limit: 12 })
    return total === 0
      || isMeant(t(`${words}Text`, { n: total }), h('div', { class: 'strip' }, pictureElements(library, assets)))
  }
}

// Arrow keys only move the focus among the levels: passing over a level must not choose it.
function moveFocus(event) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const open = [...event.currentTarget.querySelectorAll('input:not(:disabled)')]
  open[(open.indexOf(event.target) + step + open.length) % open.length].focus()
}
