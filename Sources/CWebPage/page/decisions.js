import { ownedAlbums } from './albums.js'
import { ask, failureText, h, name, once, show, toast, toastFailure } from './dom.js'
import { alike, appOf, titled, toldApart } from './identity.js'
import { outcome } from './outcomes.js'
import { giveFocus, RowGuard, rowsBy } from './presses.js'
import { selectorsText } from './selectors.js'
import { account, call, callEach, state } from './server.js'
import { hasText, instantText, placeText, t, whenText } from './text.js'

const onePage = 50

// An Undo action for exactly these decisions, last one first. `done()` is called afterwards.
export function undo(decisions, done, said = t('undone')) {
  const run = async () => {
    try {
      await callEach(async each => {
        for (const decision of [...decisions].reverse()) await each('UndoDecision', { decision })
      })
      toast(said)
      done?.()
    } catch (refusal) { toastFailure(refusal) }
  }
  return decisions.length === 0 ? undefined : { label: t('undo'), run }
}

const spans = { hour: 3600, day: 86400, week: 604800 }

// Controls that undo an app's changes of photos and albums since a time. `done()` is called
// afterwards.
export function undoChangesTool(library, app, done) {
  const since = h('select', { 'aria-label': t('undoChangesSince') },
    ['hour', 'day', 'week', 'ever'].map(span => h('option', { value: span }, t(`since.${span}`))))
  const run = async () => {
    const span = spans[since.value], from = span && (Math.floor(Date.now() / 1000) - span) * 1e6
    if (!await ask(t('undoChangesTitle'), 'undo', h('p', {}, t('undoChangesText')))) return
    let undone = 0, refused = 0
    try {
      await callEach(async each => {
        const listed = []
        for (let cursor; ;) {
          const page = await each('ListDecisions', { library, app, since: from, limit: 1000, cursor })
          listed.push(...page.decisions)
          cursor = page.cursor ?? undefined
          if (!cursor) break
        }
        const back = takenBack(listed)
        for (const { decision, role, action, undoable } of listed) {
          if (role !== 'app' || action === 'mint' || !undoable || back.has(decision)) continue
          try {
            await each('UndoDecision', { decision })
            undone += 1
          } catch (refusal) {
            if (refusal.name !== 'Refused') throw refusal
            refused += 1
          }
        }
      })
      toast([t('changesUndone', { n: undone }), refused > 0 && t('changesStay', { n: refused })].filter(Boolean)
        .join(' · '))
    } catch (refusal) { toastFailure(refusal) }
    done()
  }
  return h('p', { class: 'undo-changes' }, since, ' ',
    h('button', { class: 'plain', onclick: once(run) }, t('undoChanges')))
}

const values = { favorite: is => t(is ? 'isFavourite' : 'noFavourite'), creationDate: instantText,
  location: placeText, caption: name }

// The changed values of a photo, before and after.
const changedValues = ({ before, after }) => after.fields.map(field => {
  const text = value => value === undefined || value === null ? t('nothingThere') : values[field](value)
  return hasText(`field.${field}`)
    && h('span', { class: 'quiet' }, t(`field.${field}`), ': ', text(before[field]), ' → ', text(after[field]))
})

const shownChanges = 5

// The latest changes of one photo by apps and people, with their Undo buttons; undefined without any.
export async function photoChanges(library, asset) {
  const { decisions } = await call('ListDecisions', { library, asset, limit: 100 })
  const back = takenBack(decisions), shown = decisions.filter(({ photo }) => photo).slice(0, shownChanges)
  const takeBack = (decision, { currentTarget: button }) => {
    button.disabled = true
    call('UndoDecision', { decision }).then(() => toast(t('undone')), refusal => {
      button.disabled = false
      toastFailure(refusal)
    })
  }
  return shown.length > 0 && h('section', { class: 'viewer-differs', 'aria-label': t('photoChanges') },
    h('h2', {}, t('photoChanges')),
    h('ul', {}, shown.map(entry => h('li', {},
      h('strong', {}, actionText(entry)), ' · ',
      entry.app ? titled(entry) : entry.actor === state.status?.caller ? t('you')
        : t('user', { uid: account(entry.actor) }),
      ' · ', whenText(entry.time),
      entry.photo.before && entry.photo.after && changedValues(entry.photo).map(value => ['. ', value]), ' ',
      back.has(entry.decision) ? h('span', { class: 'quiet' }, t('takenBack'))
        : entry.undoable && h('button', { class: 'link',
          'aria-label': `${t('undo')}: ${actionText(entry)}, ${whenText(entry.time)}`,
          onclick: event => takeBack(entry.decision, event) }, t('undo'))))))
}

// Expired grants have a text of their own.
const actionText = ({ action, source }) => {
  const key = source === 'expiry' ? 'action.ended' : `action.${action}`
  return hasText(key) ? t(key) : action
}

// The decisions that were undone and not restored since; `decisions` is newest first.
function takenBack(decisions) {
  const back = new Set()
  for (const { decision, undoes } of decisions) if (undoes && !back.has(decision)) back.add(undoes)
  return back
}

// The list of decisions, newest first, each with an Undo button. `options`: `library` and `app`
// filter the list; without an app it includes decisions about the library.
export class Decisions {
  constructor(place, options = {}) {
    this.options = options
    this.decisions = []
    // Serial numbers of the last request and of the last answer shown.
    this.asked = this.answered = 0
    // Titles of existing albums, by library and identifier.
    this.titles = new Map()
    // File names of existing photos, by identifier.
    this.photos = new Map()
    // Undone decisions that are not in the list, by identifier; undefined if the broker no longer
    // has one.
    this.earlier = new Map()
    this.list = h('div', {})
    this.more = h('button', { class: 'plain more', hidden: true, onclick: () => this.load(this.cursor) },
      t('showEarlier'))
    this.guard = new RowGuard(rowsBy(this.list, 'decision'))
    show(place, this.list, this.more)
    this.load()
  }

  end() { this.guard.end() }

  read(cursor) {
    const { library, app } = this.options
    return call('ListDecisions', { library, app, limit: onePage, cursor })
  }

  // Fetches the newest page; undefined if a later request was answered first.
  async newest() {
    const turn = this.asked += 1
    const page = await this.read().catch(refusal => { if (turn > this.answered) throw refusal })
    if (!page || turn < this.answered) return undefined
    this.answered = turn
    return page
  }

  async load(cursor) {
    this.more.disabled = true
    try {
      const page = await (cursor ? this.read(cursor) : this.newest())
      // The list was reloaded meanwhile, so this page does not continue it.
      if (page && cursor === this.cursor) {
        this.decisions = [...this.decisions, ...page.decisions]
        this.place(page)
        await this.findMore()
        this.draw()
      }
    } catch (refusal) {
      if (!this.decisions.length) show(this.list, h('p', { class: 'quiet' }, failureText(refusal)))
    }
    this.more.disabled = false
  }

  place(page) {
    this.cursor = page.cursor ?? undefined
    this.more.hidden = !this.cursor
  }

  // Adds new decisions on top and keeps opened pages.
  async refresh() {
    const page = await this.newest().catch(() => undefined)
    if (!page) return
    const known = page.decisions.findIndex(decision => decision.decision === this.decisions[0]?.decision)
    if (this.isDrawn && (known === 0 || (page.decisions.length === 0 && this.decisions.length === 0))) return
    if (known > 0) this.decisions.unshift(...page.decisions.slice(0, known))
    else {
      this.decisions = page.decisions
      this.place(page)
    }
    await this.findMore()
    this.draw()
  }

  async findMore() {
    await this.findTitles()
    await this.findPhotos()
    for (const { undoes } of this.decisions) {
      if (!undoes || this.earlier.has(undoes) || this.decisions.some(({ decision }) => decision === undoes)) continue
      const page = await call('ListDecisions', { limit: 1, cursor: String(undoes + 1) }).catch(() => undefined)
      if (page) this.earlier.set(undoes, page.decisions.find(({ decision }) => decision === undoes))
    }
  }

  // Records name albums by identifier, because administrators may read them; owners get titles.
  async findTitles() {
    const libraries = new Set(this.decisions.filter(({ before, after, select }) =>
      /\balbum [0-9a-f]{32}\b/.test(`${before} ${after}`) || select?.some(({ album }) => album))
      .map(({ library }) => library))
    for (const library of libraries) {
      const albums = await ownedAlbums(library).catch(() => undefined)
      // Users who see no photos of a library get no titles.
      if (albums) this.titles.set(library, new Map(albums.map(({ album, title }) => [album, title])))
    }
  }

  // Records name photos by identifier too. Users who see no photos of a library get no names.
  async findPhotos() {
    for (const { library, after } of this.decisions) {
      const asset = /^asset ([0-9a-f]{32})$/.exec(after)?.[1]
      if (!asset || this.photos.has(asset)) continue
      const { assets: [photo] } = await call('FetchOwnedAssets',
        { library, selector: { identifiers: [asset] }, limit: 1 }).catch(() => ({ assets: [] }))
      this.photos.set(asset, photo?.filename)
    }
  }

  draw() {
    this.isDrawn = true
    const focused = document.activeElement?.closest('[data-decision]'), isRow = focused === document.activeElement
    this.drawList()
    if (focused) this.giveFocus(focused.dataset.decision, isRow)
    this.guard.check()
  }

  // Focuses a decision's button, or its row if there is none. A focused row reacts to no key.
  giveFocus(decision, isRow = false) {
    const row = this.list.querySelector(`[data-decision="${decision}"]`),
    button = isRow ? null : row?.querySelector('button')
    if (!button) row?.setAttribute('tabindex', '-1')
    giveFocus(button ?? row)
  }

  drawList() {
    if (this.decisions.length === 0) return show(this.list, h('p', { class: 'quiet' }, t('noHistory')))
    const back = takenBack(this.decisions)
    show(this.list,
      h('ul', { class: 'rows plainly' },
        this.decisions.map(decision => this.row(decision, back.has(decision.decision)))))
  }

  tookBack({ undoes }) {
    const undone = undoes && (this.decisions.find(({ decision }) => decision === undoes) ?? this.earlier.get(undoes))
    return undone && ` (${t('tookBack', { action: actionText(undone), when: whenText(undone.time) })})`
  }

  row(decision, isTakenBack) {
    const app = decision.app && appOf(decision.app)
    const { options } = this
    const subjects = [!options.app && decision.app && titled(decision),
      !(options.app && options.library) && decision.library]
    const about = subjects.filter(Boolean).flatMap((subject, at) => at > 0 ? [' · ', subject] : [subject])
    const titles = this.titles.get(decision.library)
    const told = { titles, photos: this.photos, title: decision.albumTitle,
      select: selectorsText(decision.select, album => titles ? titles.get(album) : album), level: decision.level }
    return h('li', { class: 'row', 'data-decision': String(decision.decision) },
      h('span', { class: 'row-text' },
        h('strong', {}, actionText(decision), this.tookBack(decision), about.length > 0 && [' · ', about]),
        !this.options.app && app && alike(app),
        h('span', { class: 'quiet' },
          decision.before
            && [outcome(decision.before, decision.after ? { ...told, select: '' } : told), decision.after && ' → '],
            outcome(decision.after, told)),
        decision.photo?.before && decision.photo.after && changedValues(decision.photo),
        decision.words
          && h('span', { class: 'quiet answered' }, t('toTheWords'), ' ',
            name(decision.words.usageDescription || t('noReason')))),
      h('span', { class: 'quiet row-when' }, h('span', {}, whenText(decision.time)),
        h('span', {}, decision.actor === state.status?.caller ? t('you') : t('user', { uid: account(decision.actor) }),
          ', ', t(`source.${decision.source}`))),
      isTakenBack && h('span', { class: 'chip' }, t('takenBack')),
      decision.undoable && !isTakenBack
        && h('button',
          { class: 'link',
            'aria-label': [`${t('undo')}: ${actionText(decision)}`, !this.options.app && app && toldApart(app),
              whenText(decision.time)].filter(Boolean).join(', '),
            onclick: event => this.undo(decision, event.currentTarget) }, t('undo')))
  }

  async undo(decision, button) {
    const hadFocus = document.activeElement === button
    button.disabled = true
    try {
      await call('UndoDecision', { decision: decision.decision })
      toast(t('undone'))
      await this.refresh()
      if (button.isConnected) button.disabled = false
      else if (hadFocus) this.giveFocus(decision.decision)
    } catch (refusal) {
      button.disabled = false
      toastFailure(refusal)
      await this.refresh()
    }
  }
}
