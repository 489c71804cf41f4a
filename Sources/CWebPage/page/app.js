import { Access } from './access.js'
import { AddedPanel, SeenPanel } from './appPhotos.js'
import { picksText } from './apps.js'
import { Decisions, undo, undoChangesTool } from './decisions.js'
import { controlsIn, h, link, name, show, toast } from './dom.js'
import { editSelection } from './drafts.js'
import { gives, hasDeclined, isOffered } from './grants.js'
import { icon } from './icons.js'
import { appOf, avatar, facts, oddName, textAbout, toldApart } from './identity.js'
import { Ledger } from './ledger.js'
import { LevelPanel } from './levels.js'
import { RowGuard } from './presses.js'
import { revoke } from './revoke.js'
import { choose, choosingText } from './selectionPage.js'
import { account, call, onchange, state } from './server.js'
import { TermsPanel } from './terms.js'
import { t, whenText } from './text.js'
import { TokensPanel } from './tokens.js'
import { watch } from './watch.js'

const sections = ['head', 'level', 'selection', 'added', 'more', 'activity', 'history', 'tokens']

// The page of one app in one library.
export function app(place, go, id, library) {
  const page = new AppPage(place, go, id, library)
  return { end: () => page.end(), library }
}

class AppPage {
  // The state as drawn, as JSON: of everything, and of the head.
  #drawn = ''
  #drawnHead = ''
  // The app's picker deliveries, counted; undefined if there are none.
  #picks
  #picksTurn = 0
  // The name whose full text the user unfolded.
  #unfolded

  constructor(place, go, id, library) {
    this.go = go
    this.app = appOf(id)
    const access = this.access = new Access(id, library, () => this.redraw())
    const parts = this.parts = Object.fromEntries(sections.map(key =>
      [key, h('section', { class: `panel part-${key}` })]))
    show(place,
      h('main', { class: 'sheet app' }, link(go, '/apps', { class: 'back' }, icon('left'), t('apps')),
        Object.values(parts)))
    // Selects are left out: a press only opens them.
    this.guard = new RowGuard(controlsIn([parts.head, parts.level, parts.selection, parts.more], 'button, input'),
      'button, input')
    this.levels = new LevelPanel(parts.level, access)
    this.seen = new SeenPanel(parts.selection, access, go)
    this.added = new AddedPanel(parts.added, access)
    this.terms = new TermsPanel(parts.more, access, () => this.guard.check())
    this.tokens = new TokensPanel(parts.tokens, access)
    this.draw()
    this.added.fill()
    this.stop = onchange(() => this.draw())
    this.watcher = watch(library, () => Promise.all([this.seen.fill(), this.added.fill()]))
    this.timer = setInterval(() => this.ledger?.refresh(), 5000)
  }

  end() {
    this.access.isEnded = true
    this.stop()
    this.watcher.end()
    clearInterval(this.timer)
    this.tokens.end()
    this.guard.end()
    this.ledger?.end()
    this.decisions?.end()
  }

  redraw() {
    this.#drawn = ''
    this.draw()
  }

  draw() {
    const { access } = this, { app, library, libraryState, isSeen, isDecided } = access
    const full = access.grant('readWrite'), add = access.grant('addOnly')
    this.seen.drawNote(full)
    if (!app) return this.go('/apps')
    const others = state.libraries.filter(other => other.name !== library && this.concerns(other))
    // The visible count changes with each new photo, so it does not trigger a redraw.
    const now = JSON.stringify([
      { ...app, connections: 0 }, full && { ...full, visible: undefined }, add, isOffered(libraryState, app),
      hasDeclined(libraryState, app), isSeen, isDecided, others.map(other => [other.name, this.hasSome(other)])])
    // A connection change redraws the header alone, because a list below may be open.
    const nowHead = `${app.connections} ${JSON.stringify(this.#picks)} ${now}`
    if (nowHead === this.#drawnHead && now === this.#drawn) return
    this.#drawnHead = nowHead
    this.drawHead(app, [full, add].some(grant => grant && gives(grant)), others)
    this.drawRecords()
    this.tokens.draw()
    this.terms.fetchAgreements()
    this.fetchPicks()
    if (now !== this.#drawn) {
      this.levels.draw(full, add)
      this.seen.draw(full)
      this.terms.draw(full, add)
    }
    this.#drawn = now
    this.guard.check()
  }

  // Whether the app may ask for a library, or a grant for it is kept.
  concerns(library) {
    const { app, id } = this.access
    return isOffered(library, app) || state.grants.some(grant => grant.app === id && grant.library === library.name)
  }

  hasSome({ name }) {
    return state.grants.some(grant => grant.app === this.access.id && grant.library === name && gives(grant))
  }

  drawHead(app, hasAccess, others) {
    const { id, library, libraryState, isSeen } = this.access
    const picks = this.#picks
    const ask = () =>
      revoke(t('revokeTitle', { app: toldApart(this.app) }), t(hasAccess ? 'revokeText' : 'revokePicks'),
      () => [{ library, app: id }]).then(() => this.fetchPicks())
    const linked = (words, libraries) => libraries.length > 0 && h('p', { class: 'quiet' }, t(words), ' ',
      libraries.map(({ name }) => link(this.go, `/app/${id}/${name}`, { href: '#' }, name, ' ')))
    show(this.parts.head,
      h('div', { class: 'app-head' }, avatar(app, 'large'), h('div', {}, this.headline(app),
        h('p', { class: 'quiet' }, t('inLibrary', { library })),
        h('p', { class: 'quiet passing' },
          app.connections > 0 ? t('connectedNow', { n: app.connections }) : t('notConnected'))),
      (hasAccess || picks?.loadable > 0) && h('button', { class: 'danger', onclick: ask }, t('revoke'))),
      app.withoutAccess?.includes(library) && h('p', { class: 'no-access' }, h('strong', {}, t('noAccessAsks'))),
      facts(app),
      picks && h('p', { class: 'quiet' }, t('pickedInAll', { picks: picksText(picks), when: whenText(picks.last) }),
        picks.loadable > 0 && [' ', t('stillLoadable', { n: picks.loadable, when: whenText(picks.until) })]),
      libraryState && !isSeen && h('p', { class: 'quiet' }, t('administered', { uid: account(libraryState.owner) })),
      !isOffered(libraryState, app) && h('p', { class: 'problem' },
        t(hasDeclined(libraryState, app) ? 'notAccepted' : 'notOffered', { uid: account(app.uid) })),
      linked('otherLibraries', others.filter(other => this.hasSome(other))),
      linked('closedLibraries', others.filter(other => !this.hasSome(other))))
  }

  // The app's name in one line, so that a name change moves no buttons. A button unfolds a name
  // that is cut off; a warning about the name stands below it.
  headline(app) {
    const heading = h('h1', {}, name(app.displayName || app.identifier))
    const whole = h('button', { class: 'link', hidden: true, onclick: () => {
      this.#unfolded = isUnfolded() ? undefined : heading.textContent
      fit()
    } })
    const title = h('div', { class: 'app-title' }, heading, whole)
    const isUnfolded = () => this.#unfolded === heading.textContent
    const fit = () => {
      title.classList.toggle('whole', isUnfolded())
      whole.textContent = t(isUnfolded() ? 'oneLine' : 'wholeName')
      whole.hidden = !isUnfolded() && heading.scrollWidth <= heading.clientWidth
    }
    fit()
    new ResizeObserver(fit).observe(heading)
    return [title, oddName(app) && h('p', { class: 'quiet odd-name' }, name(oddName(app)))]
  }

  // Fetches picker deliveries, which exist whatever access the app has.
  async fetchPicks() {
    const turn = this.#picksTurn += 1
    const { apps } = await call('ListPickerApps', { library: this.access.library, app: this.access.id })
      .catch(() => ({}))
    // The banner shows an unreachable broker, or a later answer comes.
    if (!apps || turn !== this.#picksTurn || this.access.isEnded) return
    const [uses] = apps
    const now = uses
      && { times: uses.times, assets: uses.assets, last: uses.last, loadable: uses.loadable ?? 0, until: uses.until }
    if (JSON.stringify(now) === JSON.stringify(this.#picks)) return
    this.#picks = now
    this.draw()
  }

  drawRecords() {
    const { parts: { activity, history }, access: { id, library, isSeen, isOwned } } = this
    this.decisions?.refresh()
    this.ledger?.refresh()
    if (this.ledger && !isSeen) {
      this.ledger.end()
      this.ledger = undefined
    }
    const under = (place, title) => show(place, h('h2', {}, title)).appendChild(h('div', {}))
    activity.hidden = !isSeen
    const none = () => h('p', { class: 'quiet' }, t('sawNothing'))
    if (!this.ledger && isSeen) this.ledger = new Ledger(under(activity, t('whatItSaw')), { library, app: id, none })
    this.decisions ??= new Decisions(under(history, t('history')), { library, app: id })
    if (isOwned && !this.undoing) {
      this.undoing = undoChangesTool(library, id, () => this.decisions.refresh())
      history.firstChild.after(this.undoing)
    }
  }
}

// Explains why no selection can be edited; empty if one can.
const endedText = status => status === 'limited' ? '' : t(status === 'authorized' ? 'selectionAll' : 'selectionEnded')

// The page on which an app's selection is changed.
export function appSelection(place, go, id, library) {
  const app = appOf(id), access = new Access(id, library)
  const path = `/app/${id}/${library}`
  const chooser = choose(place, {
    library, app, isFirst: false, title: textAbout(app, 'choosing'), subtitle: choosingText,
    ended: () => endedText(access.grant('readWrite')?.status),
    doneText: (n, kind) => t(`saveChosen${kind}`, { n }),
    async save(changes) {
      toast(t('savedFor', { app: app.displayName || app.identifier }), undo(await editSelection(library, id, changes)))
      go(path)
    },
    cancel: () => go(path),
  })
  return { ...chooser, isWide: true, library }
}
