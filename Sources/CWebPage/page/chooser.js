import { AlbumFilter } from './albums.js'
import { Assets, mark } from './assets.js'
import { announce, dialog, h, show, tellProblem } from './dom.js'
import { grouping, Search } from './finding.js'
import { Grid } from './grid.js'
import { icon } from './icons.js'
import { avatar } from './identity.js'
import { indexing, tellAway } from './indexing.js'
import { watch } from './renewing.js'
import { Scrubber } from './scrubber.js'
import { Selection } from './selection.js'
import { call, onchange, state } from './server.js'
import { count, t } from './text.js'
import { put } from './thumbnails.js'
import { view } from './viewer.js'

const batch = 10000

// The selection page, for a first answer, for keep-or-change, for the app's own button and for
// settings (R59).
//
// `options`:
// - `library`, and `app` with its identifier and `displayName`.
// - `isFirst`: nothing was selected before.
// - `title`, `subtitle()`: read again after each change.
// - `ended()`: the reason why the selection cannot be edited any more.
// - `doneText(n, kind)`: the label of the button.
// - `save({ add, remove, all })`: takes lists of identifiers.
// - `cancel()`.
// - `view`: `all` or `selected`.
// - For the picker: `limit`, `isOrdered`, `kind`.
//
// A text's kind is '', '.video' or '.both'. Returns `end()`; `isUnsaved()`: whether leaving loses
// changes; `mayLeave()`: asks about them.
export function choose(place, options) {
  const assets = new Assets(options.library, { app: options.isFirst ? undefined : options.app?.app })
  // The selection at opening, one byte per asset.
  let before = new Uint8Array(0)
  // The rank of each preselected asset, in the app's order.
  const preset = new Map((options.preselected ?? []).map((id, rank) => [id, rank]))
  let numbers = new Map()
  let shows = options.view ?? 'all', album = ''

  const isBarred = asset => assets.has(asset, mark.neverShare)
  // An asset marked never-share keeps its place in the selection; this page does not change it.
  const wasSelected = asset => !isBarred(asset) && assets.has(asset, mark.selected)
  const chosen = new Selection({
    items: () => grid.items, isBarred, limit: options.limit, changed: () => changed(), kind: () => assets.kindOf(chosen),
  })
  // Deselected and selected again: the app gets these as new ones.
  const again = () => preset.size === 0 ? [] : [...chosen.dropped].filter(asset => chosen.has(asset) && preset.has(assets.id(asset)))

  const changed = () => {
    if (options.isOrdered) number()
    status.textContent = chosen.isFull ? t('limitReached', { n: options.limit }) : ''
    grid.refresh()
    tell()
  }
  const number = () => { numbers = new Map([...chosen.order].map((asset, at) => [asset, at + 1])) }

  const grid = new Grid(assets, {
    label: t('photosOf', { library: options.library }), selects: true, isSingle: options.limit === 1, isBarred,
    numberOf: options.isOrdered ? asset => numbers.get(asset) ?? 0 : undefined,
    ...chosen.ways,
    zoom: at => view(grid, at, { toggle: asset => chosen.toggleAsset(asset), isSelected: asset => chosen.has(asset) }),
    arranged: layout => scrubber.arranged(layout),
    scrolled: (top, layout) => scrubber.scrolled(top, layout),
  })
  const scrubber = new Scrubber(grid)

  function apply(places) {
    const items = []
    for (let asset = 0; asset < assets.count; asset++) {
      const marks = assets.marks[asset]
      if (shows === 'favorites' && !(marks & mark.favorite)) continue
      if (shows === 'videos' && !(marks & mark.video)) continue
      if (shows === 'selected' && !chosen.has(asset)) continue
      // Preselected assets of another kind are shown, so that they can be deselected.
      const isOfKind = !options.kind || (options.kind === 'video') === Boolean(marks & mark.video)
      if (!isOfKind && (preset.size === 0 || !preset.has(assets.id(asset)))) continue
      if (marks & mark.neverShare && !options.isPicker) continue
      if (!albums.has(asset)) continue
      if (!search.fits(assets.names[asset])) continue
      items.push(asset)
    }
    chosen.anchor = null
    grid.set(items, places)
    empty.hidden = items.length > 0 || assets.count < assets.total || albums.isArriving
    emptyText.textContent = shows === 'selected' ? t('nothingSelected') : t('nothingFound')
    shown.textContent = t('shown', { n: items.length })
  }

  function narrow() {
    album = albums.chosen
    grid.narrow(shows !== 'all' || album !== '' || search.text !== '')
    apply()
    announce(empty.hidden ? shown.textContent : emptyText.textContent)
  }

  function difference() {
    const add = [], remove = []
    for (let asset = 0; asset < assets.count; asset++) {
      if (chosen.has(asset) && !before[asset]) add.push(asset)
      else if (!chosen.has(asset) && before[asset]) remove.push(asset)
    }
    return { add, remove }
  }

  // Selected assets that the app does not see: hidden ones, and those not listed here. Trashed and
  // never-share assets become visible again when restored or unmarked.
  const others = () => {
    if (!isLoaded || options.isPicker) return []
    let here = 0, barred = 0, hidden = 0
    for (const asset of chosen.order) if (assets.has(asset, mark.hidden)) hidden += 1
    for (let asset = 0; asset < assets.count; asset++) {
      if (!assets.has(asset, mark.selected)) continue
      here += 1
      if (isBarred(asset)) barred += 1
    }
    return [['ofThemHidden', hidden], ['alsoInTrash', assets.selected - here], ['alsoNeverShared', barred]]
  }

  function tell() {
    const { add, remove } = difference()
    const isChanged = add.length + remove.length > 0
    const kind = assets.kindOf(chosen)
    show(total, options.totalText?.(chosen.count, kind) ?? t(`chosen${kind}`, { n: chosen.count }))
    trashed.textContent = others().filter(([, n]) => n > 0).map(([words, n]) => t(words, { n })).join(' ')
    selectedTab.lastChild.textContent = chosen.count ? count(chosen.count) : ''
    if (options.isFirst || options.isPicker) show(delta)
    else if (isChanged) show(delta, h('button', { class: 'link', onclick: () => review(false) },
      add.length > 0 && h('span', { class: 'plus' }, t('adding', { n: add.length })), remove.length > 0 && h('span', { class: 'minus' }, t('removing', { n: remove.length }))))
    else show(delta, t('unchanged'))
    show(done, options.doneText(chosen.count, kind))
    // Until the earlier selection has arrived, saving would deselect it.
    const isArriving = !isLoaded && (options.isPicker ? preset.size > 0 : !options.isFirst)
    done.disabled = isFinishing || isArriving || Boolean(options.ended?.()) || (!options.isPicker && (options.isFirst ? chosen.count === 0 : !isChanged && !options.mayKeep))
  }

  let isLeft = false, isAsking = false, isSaving = false
  function isUnsaved() {
    if (isLeft || isSaving || assets.isEnded) return false
    if (!options.isPicker) {
      const { add, remove } = difference()
      return add.length + remove.length > 0
    }
    const isPreset = asset => preset.size > 0 && preset.has(assets.id(asset))
    return [...chosen.order].some(asset => !isPreset(asset)) || [...chosen.dropped].some(asset => !chosen.has(asset) && isPreset(asset))
  }
  async function mayLeave() {
    if (isAsking) return false
    isAsking = true
    isLeft = !isUnsaved() || await dialog(t('discardTitle'), close => [
      h('p', {}, t(options.isPicker ? 'discardPicked' : 'discardText')),
      h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, t('goOnSelecting')),
        h('button', { class: 'primary', onclick: () => close(true) }, t('discard')))]) === true
    isAsking = false
    return isLeft
  }

  async function review(isSaving) {
    const { add, remove } = difference()
    const strip = (list, kind) => list.length > 0 && h('section', { class: `review ${kind}` },
      h('h3', {}, t(kind === 'plus' ? 'addingTitle' : 'removingTitle', { n: list.length })),
      h('div', { class: 'strip' }, list.slice(0, 24).map(asset => {
        const image = h('img', { alt: grid.assets.names[asset] })
        put(image, assets.picture(asset, 320))
        return image
      }), list.length > 24 && h('span', { class: 'more' }, t('andMore', { n: list.length - 24 }))))
    return dialog(t('reviewTitle', { app: options.app.displayName || options.app.identifier }), close => [
      strip(add, 'plus'), strip(remove, 'minus'),
      remove.length > 0 && h('p', { class: 'quiet' }, t('deliveredStays')),
      h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, isSaving ? t('back') : t('close')),
        isSaving && h('button', { class: 'primary', onclick: () => close(true) }, t('save'))),
    ])
  }

  // No background renewal during saving: the user saves the state on the screen.
  let isFinishing = false
  async function finish() {
    isFinishing = done.disabled = true
    status.textContent = ''
    saving.textContent = t('saving')
    try {
      // Reload first: another page may have changed the selection, and saving must not undo that.
      const isOvertaken = !options.isFirst && !options.isPicker && await renew(await watcher.isSame())
      if (assets.isEnded) return
      const { add, remove } = difference()
      const ids = list => list.map(asset => assets.id(asset))
      const parts = { add: ids(add), remove: ids(remove), all: ids(chosen.all()), order: ids([...chosen.order]), again: ids(again()) }
      const asks = !options.isFirst && !options.isPicker && (remove.length > 0 || (isOvertaken && add.length > 0))
      if (asks) saving.textContent = ''
      if ((asks && !await review(true)) || (isOvertaken && !options.mayKeep && add.length + remove.length === 0)) {
        isFinishing = false
        return tell()
      }
      saving.textContent = t('saving')
      isSaving = true
      await options.save(parts)
    } catch (refusal) {
      tellProblem(status, refusal.message || t('unreachable'))
      done.disabled = false
    } finally {
      isFinishing = isSaving = false
      saving.textContent = ''
    }
  }

  const tab = (key, text) => h('button', { class: 'tab', 'aria-pressed': String(shows === key), onclick: event => {
    shows = key
    for (const other of event.currentTarget.parentNode.children) other.setAttribute('aria-pressed', String(other === event.currentTarget))
    narrow()
  } }, text)
  const selectedTab = tab('selected', t('selectedOnly'))
  selectedTab.append(' ', h('span', { class: 'badge quiet' }))
  const arriving = h('div', {})
  const about = h('p', { role: 'status' })
  const away = h('p', { class: 'problem', role: 'status', hidden: true })
  const tellArriving = () => {
    const now = state.libraries.find(library => library.name === options.library)
    show(arriving, indexing(now))
    tellAway(away, now)
  }
  const tellAbout = () => {
    const ended = options.ended?.()
    const text = [state.libraries.length > 1 && t('inLibrary', { library: options.library }), ended || options.subtitle()].filter(Boolean).join(' · ')
    about.classList.toggle('problem', Boolean(ended))
    if (about.textContent === text) return false
    about.textContent = text
    return true
  }
  const albums = new AlbumFilter(assets, { changed: () => albums.chosen === album ? apply() : narrow(), failed: refusal => { status.textContent = refusal.message || t('unreachable') } })
  const search = new Search(narrow)
  const total = h('strong', {})
  const trashed = h('span', { class: 'trashed' })
  const delta = h('span', { class: 'delta' })
  const status = h('span', { class: 'status', role: 'status' })
  const saving = h('span', { class: 'quiet', role: 'status' })
  const shown = h('span', { class: 'shown' })
  const emptyText = h('p', {})
  const empty = h('div', { class: 'grid-empty', hidden: true }, h('div', { class: 'empty-picture' }, icon('photos')), emptyText)
  const done = h('button', { class: 'primary', onclick: finish })
  const loading = h('progress', { class: 'loading', max: '1', 'aria-label': t('loading') })

  show(place, h('main', { class: 'chooser' },
    h('header', { class: 'chooser-head' },
      h('div', { class: 'chooser-who' }, avatar(options.app), h('div', { class: 'chooser-title' }, h('h1', {}, options.title), about, away)),
      h('div', { class: 'chooser-actions' }, h('button', { class: 'plain', onclick: async () => { if (await mayLeave()) options.cancel() } }, t('cancel')), done)),
    h('div', { class: 'chooser-bar' },
      h('div', { class: 'tabs', role: 'group', 'aria-label': t('show') }, tab('all', t('all')), tab('favorites', t('favorites')), tab('videos', t('videos')), selectedTab),
      albums.element, grouping(grid), search.element, arriving),
    loading,
    h('div', { class: 'chooser-grid' }, grid.element, scrubber.element, empty),
    h('footer', { class: 'chooser-foot' }, total, trashed, delta, saving, status, shown)))

  // Sorts preselected assets before newly picked ones.
  function arrange() {
    const rank = asset => chosen.dropped.has(asset) ? preset.size : preset.get(assets.id(asset)) ?? preset.size
    const sorted = [...chosen.order].sort((a, b) => rank(a) - rank(b))
    chosen.order = new Set(sorted)
    number()
  }

  // Merges changes of the library and of the selection elsewhere; the user's own changes stay.
  // Resolves to whether the selection changed elsewhere. Renewals run one at a time.
  let renewal = Promise.resolve()
  const renew = isSame => renewal = renewal.catch(() => {}).then(() => renewNow(isSame))
  async function renewNow(isSame) {
    if (!isLoaded) return false
    const places = await assets.renew(isSame)
    if (assets.isEnded) return false
    let isOvertaken = false
    const was = new Uint8Array(assets.count)
    const isKnown = new Uint8Array(assets.count)
    places.forEach((place, asset) => { if (place !== undefined) { was[place] = before[asset]; isKnown[place] = 1 } })
    chosen.renumber(places, assets.count)
    for (let asset = 0; asset < assets.count; asset++) {
      // A never-share asset leaves every selection.
      if (isBarred(asset)) {
        was[asset] = 0
        chosen.set(asset, false)
      }
      const isSelected = wasSelected(asset)
      if (options.isPicker || isSelected === (was[asset] === 1)) continue
      // A new asset in the selection is the app's own addition, not another user's change.
      if (isKnown[asset]) isOvertaken = true
      was[asset] = isSelected ? 1 : 0
      chosen.set(asset, isSelected, true)
    }
    before = was
    if (options.isOrdered) number()
    apply(places)
    albums.renew()
    tell()
    return isOvertaken
  }
  const watched = isSame => isFinishing ? Promise.reject(new Error('later')) : renew(isSame)
  const watcher = watch(options.library, watched, { app: options.app?.app, held: () => isLoaded ? assets.revision : undefined })

  let isLoaded = false
  const started = performance.now()
  assets.load(() => {
    const was = new Uint8Array(assets.count)
    was.set(before)
    for (let asset = before.length; asset < assets.count; asset++) was[asset] = wasSelected(asset) && !options.isPicker ? 1 : 0
    before = was
    chosen.grow(assets.count, asset => was[asset] === 1 || (preset.size > 0 && !isBarred(asset) && preset.has(assets.id(asset))))
    if (preset.size > 0) arrange()
    loading.value = assets.total ? assets.count / assets.total : 1
    loading.hidden = assets.count >= assets.total
    apply()
    tell()
  }, true).then(() => {
    isLoaded = true
    loading.hidden = true
    performance.measure('library loaded', { start: started })
    apply()
    tell()
    watcher.look()
  }).catch(refusal => { status.textContent = refusal.message || t('unreachable') })
  done.disabled = true
  show(done, options.doneText(0, ''))
  grid.list.focus({ preventScroll: true })

  tellArriving()
  tellAbout()
  const stop = onchange(() => {
    clearAway(status)
    tellArriving()
    if (tellAbout()) tell()
  })
  return { end: () => { stop(); watcher.end(); assets.end(); grid.end() }, isUnsaved, mayLeave }
}

// Adds and removes any number of assets at once. Resolves to the decisions made.
export async function edit(library, app, { add, remove }) {
  const part = async (way, all) => {
    if (all.length <= batch) return all.length > 0 && { [way]: { identifiers: all } }
    const draft = await drafted(all, (draft, selector) => call('DraftSelection', { library, draft, selector }))
    return { [`${way}Draft`]: draft }
  }
  return (await call('EditSelection', { library, app, ...await part('remove', remove), ...await part('add', add) })).decisions
}

// Uploads a long list in batches. Resolves to the draft's identifier, undefined for an empty list.
export async function drafted(all, add) {
  let draft
  for (let at = 0; at < all.length; at += batch) ({ draft } = await add(draft, { identifiers: all.slice(at, at + batch) }))
  return draft
}

export const choosingText = () => `${t('choosingText')} ${t('mayChange')}`

// Clears the "unreachable" message once the broker is back.
export function clearAway(status) {
  if (state.isReachable && status.textContent === t('unreachable')) status.textContent = ''
}
