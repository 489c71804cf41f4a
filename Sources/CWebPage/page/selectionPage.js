import { Assets, mark } from './assets.js'
import { ask, dialog, failureText, h, show, tellProblem } from './dom.js'
import { termsText, termSwitches } from './grants.js'
import { icon } from './icons.js'
import { avatar } from './identity.js'
import { LibraryView } from './libraryView.js'
import { Selection } from './selection.js'
import { SelectionEdit } from './selectionEdit.js'
import { onchange, state } from './server.js'
import { count, t } from './text.js'
import { pictureElement } from './thumbnails.js'
import { openViewer } from './viewer.js'
import { watch } from './watch.js'

export const choosingText = () => `${t('choosingText')} ${t('mayChange')}`

// Clears the "unreachable" message once the broker is back.
export function clearUnreachable(status) {
  if (state.isReachable && status.textContent === t('unreachable')) status.textContent = ''
}

// The selection page, for a first answer, for keep-or-change, for the app's own button and for
// settings (R59).
//
// `options`:
// - `library`, and `app` with its identifier and `displayName`.
// - `isFirst`: nothing is selected; `isSuggested`: an earlier selection is a suggestion.
// - `terms`: the access's terms, if any; their switches change them.
// - `title`, `subtitle()`: read again after each change.
// - `ended()`: the reason why the selection cannot be edited any more.
// - `doneText(n, kind)`: the label of the button.
// - `save({ add, remove, all })`: takes lists of identifiers.
// - `cancel()`.
// - `keepLive()`: opens the dialog for a live selection, if the answer can be one.
// - For the picker: `isPicker`, `preselected`, `limit`, `isOrdered`, `kind`, `totalText(n, kind)`.
//
// A text's kind is '', '.video' or '.both'. Returns `end()`; `isUnsaved()`: whether leaving loses
// changes; `mayLeave()`: asks about them.
export function choose(place, options) {
  const page = new SelectionPage(place, options)
  return { end: () => page.end(), isUnsaved: () => page.isUnsaved(), mayLeave: () => page.mayLeave() }
}

class SelectionPage {
  isLoaded = false
  // No background renewal during saving: the user saves the state on the screen.
  isFinishing = false
  isSaving = false
  isLeft = false
  isAsking = false
  // The place of each asset in the order, from 1.
  numbers = new Map()
  // Renewals run one at a time.
  renewal = Promise.resolve()

  about = h('p', { role: 'status' })
  total = h('strong', {})
  unseen = h('span', { class: 'trashed' })
  delta = h('span', { class: 'delta' })
  status = h('span', { class: 'status', role: 'status' })
  saving = h('span', { class: 'quiet', role: 'status' })
  badge = h('span', { class: 'badge quiet' })
  done = h('button', { class: 'primary', onclick: () => this.finish() })
  loading = h('progress', { class: 'loading', max: '1', 'aria-label': t('loading') })

  constructor(place, options) {
    this.options = options
    const isNew = options.isFirst && !options.isSuggested
    const assets = this.assets = new Assets(options.library, { app: isNew ? undefined : options.app?.app })
    const chosen = this.chosen = new Selection({
      items: () => this.view.grid.items, isBarred: asset => this.edit.isBarred(asset), limit: options.limit,
      changed: () => this.changed(), kind: () => assets.kindOf(chosen),
    })
    this.edit = new SelectionEdit(assets, chosen, options)
    const shown = h('span', { class: 'shown' })
    this.view = new LibraryView(assets, {
      tabs: [['all', t('all')], ['favorites', t('favorites')], ['videos', t('videos')],
        ['selected', t('selectedOnly'), ' ', this.badge]],
      fits: asset => this.fits(asset), arranging: () => { chosen.anchor = null }, picture: 'photos',
      emptyText: () => this.view.tab === 'selected' ? t('nothingSelected') : t('nothingFound'),
      count: shown, countText: items => t('shown', { n: items.length }),
      failed: refusal => { this.status.textContent = failureText(refusal) }, grid: this.gridOptions(),
    })
    show(place, h('main', { class: 'chooser choosing' }, this.header(), this.view.bar, this.loading, this.view.element,
      h('footer', { class: 'chooser-foot' }, this.total, this.unseen, this.delta, this.saving, this.status, shown,
        this.actions())))
    this.watcher = watch(options.library,
      isSame => this.isFinishing ? Promise.reject(new Error('later')) : this.renew(isSame),
      { app: options.app?.app, held: () => this.isLoaded ? assets.revision : undefined })
    this.load()
    this.done.disabled = true
    show(this.done, options.doneText(0, ''))
    this.view.grid.list.focus({ preventScroll: true })
    this.view.notes.draw()
    this.drawAbout()
    this.stop = onchange(() => {
      clearUnreachable(this.status)
      this.view.notes.draw()
      if (this.drawAbout()) this.draw()
    })
  }

  end() {
    this.stop()
    this.watcher.end()
    this.view.end()
  }

  gridOptions() {
    const { options, chosen } = this
    return {
      label: t('photosOf', { library: options.library }), selects: true, isSingle: options.limit === 1,
      isBarred: asset => this.edit.isBarred(asset),
      numberOf: options.isOrdered ? asset => this.numbers.get(asset) ?? 0 : undefined,
      ...chosen.ways,
      zoom: at =>
        openViewer(this.view.grid, at,
          { toggle: asset => chosen.toggleAsset(asset), isSelected: asset => chosen.has(asset) }),
    }
  }

  header() {
    const { options } = this
    return h('header', { class: 'chooser-head' },
      h('div', { class: 'chooser-who' }, avatar(options.app),
        h('div', { class: 'chooser-title' }, h('h1', {}, options.title), this.about, this.view.notes.offline)),
      options.terms && this.terms(options.terms))
  }

  // The switches of the terms. On a phone they are folded, and the button that unfolds them tells the terms.
  terms(terms) {
    const words = h('span', {})
    const fold = h('button', { class: 'link fold', onclick: () => {
      switches.classList.toggle('open')
      draw()
    } }, words, icon('right'))
    const switches = h('div', { class: 'terms' }, termSwitches(terms, change => Object.assign(terms, change)))
    const draw = () => {
      const isOpen = switches.classList.contains('open')
      fold.setAttribute('aria-expanded', String(isOpen))
      // Of one length while the switches are below, so that none moves under a finger.
      show(words, isOpen ? t('details') : termsText(terms))
    }
    draw()
    return [fold, switches]
  }

  actions() {
    const { options } = this
    const cancel = async () => { if (await this.mayLeave()) options.cancel() }
    return h('div', { class: 'chooser-actions' }, h('button', { class: 'plain', onclick: cancel }, t('cancel')),
      options.keepLive && h('button', { class: 'plain', onclick: options.keepLive }, t('live.button')), this.done)
  }

  fits(asset) {
    const { options, edit, view: { tab } } = this
    const marks = this.assets.marks[asset]
    if (tab === 'favorites' && !(marks & mark.favorite)) return false
    if (tab === 'videos' && !(marks & mark.video)) return false
    if (tab === 'selected' && !this.chosen.has(asset)) return false
    if (marks & mark.neverShare && !options.isPicker) return false
    // Preselected assets of another kind are shown, so that they can be deselected.
    const isOfKind = !options.kind || (options.kind === 'video') === Boolean(marks & mark.video)
    return isOfKind || edit.isPreset(asset)
  }

  load() {
    const { assets, edit, loading } = this
    const started = performance.now()
    assets.load(() => {
      edit.grow()
      this.number()
      loading.value = assets.total ? assets.count / assets.total : 1
      loading.hidden = assets.count >= assets.total
      this.view.apply()
      this.draw()
    }, true).then(() => {
      this.isLoaded = true
      loading.hidden = true
      performance.measure('library loaded', { start: started })
      this.view.apply()
      this.draw()
      this.watcher.check()
    }).catch(refusal => { this.status.textContent = failureText(refusal) })
  }

  number() { if (this.options.isOrdered) this.numbers = new Map([...this.chosen.order]
    .map((asset, at) => [asset, at + 1])) }

  changed() {
    this.number()
    this.status.textContent = this.chosen.isFull ? t('limitReached', { n: this.options.limit }) : ''
    this.view.grid.refresh()
    this.draw()
  }

  // Draws the title's second line. Returns whether it changed.
  drawAbout() {
    const { options, about } = this, ended = options.ended?.()
    const text = [state.libraries.length > 1 && t('inLibrary', { library: options.library }),
      ended || options.subtitle()]
      .filter(Boolean).join(' · ')
    about.classList.toggle('problem', Boolean(ended))
    if (about.textContent === text) return false
    about.textContent = text
    return true
  }

  draw() {
    const { assets, chosen, options, edit } = this
    const { add, remove, isChanged } = edit.difference()
    const kind = assets.kindOf(chosen)
    show(this.total, options.totalText?.(chosen.count, kind) ?? t(`chosen${kind}`, { n: chosen.count }))
    const unseen = this.isLoaded && !options.isPicker ? edit.unseen() : []
    this.unseen.textContent = unseen.map(([words, n]) => t(words, { n })).join(' ')
    this.badge.textContent = chosen.count ? count(chosen.count) : ''
    if (options.isFirst || options.isPicker) show(this.delta)
    else if (isChanged) {
      show(this.delta, h('button', { class: 'link', onclick: () => this.review(false) },
        add.length > 0 && h('span', { class: 'plus' }, t('adding', { n: add.length })),
        remove.length > 0 && h('span', { class: 'minus' }, t('removing', { n: remove.length }))))
    } else show(this.delta, t('unchanged'))
    show(this.done, options.doneText(chosen.count, kind))
    // Until the earlier selection has arrived, saving would deselect it.
    const isArriving = !this.isLoaded
      && (options.isPicker ? edit.preset.size > 0 : !options.isFirst || options.isSuggested)
    const isNothing = options.isFirst ? chosen.count === 0 : !isChanged && !options.mayKeep
    this.done.disabled = this.isFinishing || isArriving || Boolean(options.ended?.())
      || (!options.isPicker && isNothing)
  }

  isUnsaved() { return !this.isLeft && !this.isSaving && !this.assets.isEnded && this.edit.isUnsaved }

  async mayLeave() {
    if (this.isAsking) return false
    this.isAsking = true
    this.isLeft = !this.isUnsaved() || await ask(t('discardTitle'), 'discard',
      h('p', {}, t(this.options.isPicker ? 'discardPicked' : 'discardText')), { back: 'goOnSelecting' }) === true
    this.isAsking = false
    return this.isLeft
  }

  review(isSaving) {
    const { assets, options: { app } } = this
    const { add, remove } = this.edit.difference()
    const strip = (list, kind) => list.length > 0 && h('section', { class: `review ${kind}` },
      h('h3', {}, t(kind === 'plus' ? 'addingTitle' : 'removingTitle', { n: list.length })),
      h('div', { class: 'strip' },
        list.slice(0, 24).map(asset => pictureElement(assets.picture(asset, 320), assets.names[asset])),
        list.length > 24 && h('span', { class: 'more' }, t('andMore', { n: list.length - 24 }))))
    return dialog(t('reviewTitle', { app: app.displayName || app.identifier }), close => [
      strip(add, 'plus'), strip(remove, 'minus'),
      remove.length > 0 && h('p', { class: 'quiet' }, t('deliveredStays')),
      h('div', { class: 'actions' },
        h('button', { class: 'plain', onclick: () => close(false) }, isSaving ? t('back') : t('close')),
        isSaving && h('button', { class: 'primary', onclick: () => close(true) }, t('save'))),
    ])
  }

  async finish() {
    const { assets, options, chosen, edit, saving } = this
    this.isFinishing = this.done.disabled = true
    this.status.textContent = ''
    saving.textContent = t('saving')
    try {
      const isEdit = !options.isFirst && !options.isPicker
      // Reload first: another page may have changed the selection, and saving must not undo that.
      const isOvertaken = isEdit && await this.renew(await this.watcher.isSame())
      if (assets.isEnded) return
      const { add, remove, isChanged } = edit.difference()
      const ids = list => list.map(asset => assets.id(asset))
      const parts = { add: ids(add), remove: ids(remove), all: ids(chosen.all()), order: ids([...chosen.order]),
        again: ids(edit.again) }
      const asks = isEdit && (remove.length > 0 || (isOvertaken && add.length > 0))
      if (asks) saving.textContent = ''
      if ((asks && !await this.review(true)) || (isOvertaken && !options.mayKeep && !isChanged)) {
        this.isFinishing = false
        return this.draw()
      }
      saving.textContent = t('saving')
      this.isSaving = true
      await options.save(parts)
    } catch (refusal) {
      tellProblem(this.status, failureText(refusal))
      this.done.disabled = false
    } finally {
      this.isFinishing = this.isSaving = false
      saving.textContent = ''
    }
  }

  // Updates to the library's state. Resolves to whether the selection changed elsewhere.
  renew(isSame) { return this.renewal = this.renewal.catch(() => {}).then(() => this.renewNow(isSame)) }

  async renewNow(isSame) {
    if (!this.isLoaded) return false
    const places = await this.assets.renew(isSame)
    if (this.assets.isEnded) return false
    const isOvertaken = this.edit.merge(places)
    this.number()
    this.view.apply(places)
    this.view.renewParts()
    this.draw()
    return isOvertaken
  }
}
