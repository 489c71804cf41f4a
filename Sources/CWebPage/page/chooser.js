import { announce, dialog, h, name, show } from './dom.js'
import { icon } from './icons.js'
import { Assets, mark } from './assets.js'
import { Grid } from './grid.js'
import { Scrubber } from './scrubber.js'
import { view } from './viewer.js'
import { put } from './thumbnails.js'
import { call } from './server.js'
import { t } from './text.js'

const batch = 10000

// The selection page: one for the first answer, for keep-or-change, for the app's own button and for settings (R59).
//
// `options`: library; app {app, displayName}; isFirst: nothing was selected before; title; doneText(n); save({ add, remove, all })
// where the identifiers are given; cancel(); view: 'all' or 'selected'. For the picker: limit, isOrdered, kind.
export function choose(place, options) {
  const assets = new Assets(options.library, options.isFirst ? undefined : options.app?.app)
  // One byte an asset: what was selected, and what is.
  let before = new Uint8Array(0), now = new Uint8Array(0)
  let chosen = 0
  // In the order of picking; what was selected when it opened comes first, in the order that the app gave.
  const order = new Set()
  const preset = new Map((options.preselected ?? []).map((id, rank) => [id, rank]))
  const again = new Set()
  let numbers = new Map()
  const filter = { view: options.view ?? 'all', text: '', album: null }
  let albumMembers = null
  let anchor = null

  const isBarred = asset => assets.has(asset, mark.neverShare)
  const set = (asset, isOn) => {
    if (now[asset] === (isOn ? 1 : 0)) return false
    if (isOn && (isBarred(asset) || (options.limit && options.limit > 1 && chosen >= options.limit))) return false
    if (isOn && options.limit === 1) for (const other of [...order]) set(other, false)
    now[asset] = isOn ? 1 : 0
    chosen += isOn ? 1 : -1
    if (isOn) order.add(asset)
    else {
      order.delete(asset)
      if (preset.size && preset.has(assets.id(asset))) again.add(asset)
    }
    return true
  }
  const isFull = () => options.limit > 1 && chosen >= options.limit
  const changed = () => {
    if (options.isOrdered) number()
    status.textContent = isFull() ? t('limitReached', { n: options.limit }) : ''
    grid.refresh()
    tell()
  }
  const number = () => { numbers = new Map([...order].map((asset, at) => [asset, at + 1])) }

  const grid = new Grid(assets, {
    label: t('photosOf', { library: options.library }), selects: true, isBarred,
    isSelected: asset => now[asset] === 1,
    numberOf: options.isOrdered ? asset => numbers.get(asset) ?? 0 : undefined,
    toggle: at => {
      const asset = grid.items[at]
      if (isBarred(asset)) return announce(t('barred'))
      const isSet = set(asset, !now[asset])
      anchor = { at, isOn: now[asset] === 1 }
      changed()
      announce(!isSet ? t('limitReached', { n: options.limit }) : now[asset] ? t('nowSelected', { n: chosen }) : t('nowUnselected', { n: chosen }))
    },
    extend: (from, to) => {
      const isOn = anchor?.isOn ?? true
      const start = anchor ? Math.min(anchor.at, to) : Math.min(from, to)
      const end = anchor ? Math.max(anchor.at, to) : Math.max(from, to)
      for (let at = start; at <= end; at++) set(grid.items[at], isOn)
      changed()
    },
    toggleRange: (start, end) => {
      let isAll = true
      for (let at = start; at <= end && isAll; at++) isAll = now[grid.items[at]] === 1 || isBarred(grid.items[at])
      for (let at = start; at <= end; at++) set(grid.items[at], !isAll)
      changed()
      announce(t('nowSelected', { n: chosen }))
    },
    // What a drag passes over is set like the first; what it leaves again is as it was.
    brush: start => {
      const isOn = now[grid.items[start]] !== 1
      const held = new Map()
      const to = end => {
        const low = Math.min(start, end), high = Math.max(start, end)
        for (const [at, was] of [...held]) if (at < low || at > high) { set(grid.items[at], was === 1); held.delete(at) }
        for (let at = low; at <= high; at++) if (!held.has(at)) { held.set(at, now[grid.items[at]]); set(grid.items[at], isOn) }
        changed()
      }
      to(start)
      anchor = { at: start, isOn }
      return { to, end: () => announce(isOn ? t('nowSelected', { n: chosen }) : t('nowUnselected', { n: chosen })) }
    },
    zoom: at => view(grid, at, { toggle: place => grid.options.toggle(place), isSelected: asset => now[asset] === 1 }),
    arranged: layout => scrubber.arranged(layout),
    scrolled: (top, layout) => scrubber.scrolled(top, layout),
  })
  const scrubber = new Scrubber(grid)

  function apply() {
    const text = filter.text.toLocaleLowerCase()
    const items = []
    for (let asset = 0; asset < assets.count; asset++) {
      const marks = assets.marks[asset]
      if (filter.view === 'favorites' && !(marks & mark.favorite)) continue
      if (filter.view === 'videos' && !(marks & mark.video)) continue
      if (filter.view === 'selected' && !now[asset]) continue
      if (options.kind === 'image' && marks & mark.video) continue
      if (options.kind === 'video' && !(marks & mark.video)) continue
      if (marks & mark.neverShare && !options.isPicker) continue
      if (albumMembers && !albumMembers.has(asset)) continue
      if (text && !assets.names[asset].toLocaleLowerCase().includes(text)) continue
      items.push(asset)
    }
    anchor = null
    grid.set(items)
    empty.hidden = items.length > 0 || assets.count < assets.total
    empty.textContent = filter.view === 'selected' ? t('nothingSelected') : t('nothingFound')
    shown.textContent = t('shown', { n: items.length })
  }

  // What changed, in assets.
  function difference() {
    const add = [], remove = []
    for (let asset = 0; asset < assets.count; asset++) {
      if (now[asset] && !before[asset]) add.push(asset)
      else if (!now[asset] && before[asset]) remove.push(asset)
    }
    return { add, remove }
  }

  function tell() {
    const { add, remove } = difference()
    const isChanged = add.length + remove.length > 0
    show(total, options.totalText?.(chosen) ?? t('chosen', { n: chosen }))
    selectedTab.lastChild.textContent = chosen ? String(chosen) : ''
    if (options.isFirst || options.isPicker) show(delta)
    else if (isChanged) show(delta, h('button', { class: 'link', onclick: () => review(false) },
      add.length > 0 && h('span', { class: 'plus' }, t('adding', { n: add.length })), remove.length > 0 && h('span', { class: 'minus' }, t('removing', { n: remove.length }))))
    else show(delta, t('unchanged'))
    show(done, options.doneText(chosen))
    // What was selected before is not here yet: it would be taken for deselected.
    const isArriving = !isLoaded && (options.isPicker ? preset.size > 0 : !options.isFirst)
    done.disabled = isArriving || (!options.isPicker && (options.isFirst ? chosen === 0 : !isChanged && !options.mayKeep))
  }

  async function review(isSaving) {
    const { add, remove } = difference()
    const strip = (list, kind) => list.length > 0 && h('section', { class: `review ${kind}` },
      h('h3', {}, t(kind === 'plus' ? 'addingTitle' : 'removingTitle', { n: list.length })),
      h('div', { class: 'strip' }, list.slice(0, 24).map(asset => {
        const image = h('img', { alt: grid.assets.names[asset] })
        put(image, options.library, assets.id(asset), 320)
        return image
      }), list.length > 24 && h('span', { class: 'more' }, `+${list.length - 24}`)))
    return dialog(t('reviewTitle', { app: options.app.displayName }), close => [
      strip(add, 'plus'), strip(remove, 'minus'),
      remove.length > 0 && h('p', { class: 'quiet' }, t('deliveredStays')),
      h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, isSaving ? t('back') : t('close')),
        isSaving && h('button', { class: 'primary', onclick: () => close(true) }, t('save'))),
    ])
  }

  async function finish() {
    const { add, remove } = difference()
    if (!options.isFirst && !options.isPicker && remove.length > 0 && !await review(true)) return
    done.disabled = true
    status.textContent = t('saving')
    try {
      const ids = list => list.map(asset => assets.id(asset))
      const all = []
      for (let asset = 0; asset < assets.count; asset++) if (now[asset]) all.push(asset)
      await options.save({ add: ids(add), remove: ids(remove), all: ids(all), order: ids([...order]), again: ids([...again].filter(asset => now[asset])) })
    } catch (refusal) {
      status.textContent = refusal.message || t('unreachable')
      done.disabled = false
    }
  }

  const tab = (key, text) => h('button', { class: 'tab', 'aria-pressed': String(filter.view === key), onclick: event => {
    filter.view = key
    for (const other of event.currentTarget.parentNode.children) other.setAttribute('aria-pressed', String(other === event.currentTarget))
    apply()
  } }, text)
  const selectedTab = tab('selected', t('selectedOnly'))
  selectedTab.append(h('span', { class: 'badge quiet' }))
  const albums = h('select', { class: 'field', 'aria-label': t('album'), hidden: true, onchange: async event => {
    const album = event.target.value
    albumMembers = null
    if (album) {
      const members = await new Assets(options.library).load(null, album)
      albumMembers = new Set()
      for (let i = 0; i < members.count; i++) { const asset = assets.indexOf(members.id(i)); if (asset !== undefined) albumMembers.add(asset) }
    }
    apply()
  } })
  let typing
  const search = h('label', { class: 'search' }, icon('search'), h('input', { type: 'search', placeholder: t('search'), 'aria-label': t('search'), maxlength: '200', oninput: event => {
    clearTimeout(typing)
    typing = setTimeout(() => { filter.text = event.target.value.trim(); apply() }, 120)
  } }))
  const by = h('div', { class: 'tabs', role: 'group', 'aria-label': t('groupBy') }, ['month', 'day'].map(key => h('button', { class: 'tab', 'aria-pressed': String(key === 'month'), onclick: event => {
    for (const other of event.currentTarget.parentNode.children) other.setAttribute('aria-pressed', String(other === event.currentTarget))
    grid.group(key)
  } }, t(key === 'month' ? 'months' : 'days'))))
  const total = h('strong', {})
  const delta = h('span', { class: 'delta' })
  const status = h('span', { class: 'status', role: 'status' })
  const shown = h('span', { class: 'shown' })
  const empty = h('p', { class: 'grid-empty', hidden: true })
  const done = h('button', { class: 'primary', onclick: finish })
  const loading = h('progress', { class: 'loading', max: '1', 'aria-label': t('loading') })

  show(place, h('main', { class: 'chooser' },
    h('header', { class: 'chooser-head' },
      h('div', { class: 'chooser-title' }, h('h1', {}, options.title), options.subtitle && h('p', {}, options.subtitle)),
      h('div', { class: 'chooser-actions' }, h('button', { class: 'plain', onclick: () => options.cancel() }, t('cancel')), done)),
    h('div', { class: 'chooser-bar' },
      h('div', { class: 'tabs', role: 'group', 'aria-label': t('show') }, tab('all', t('all')), tab('favorites', t('favorites')), tab('videos', t('videos')), selectedTab),
      albums, search, by),
    loading,
    h('div', { class: 'chooser-grid' }, grid.element, scrubber.element, empty),
    h('footer', { class: 'chooser-foot' }, total, delta, status, shown)))

  // Those that were selected when it opened, before those that were picked since.
  function arrange() {
    const rank = asset => again.has(asset) ? preset.size : preset.get(assets.id(asset)) ?? preset.size
    const sorted = [...order].sort((a, b) => rank(a) - rank(b))
    order.clear()
    for (const asset of sorted) order.add(asset)
    number()
  }

  let isLoaded = false
  const started = performance.now()
  assets.load(() => {
    const grown = new Uint8Array(assets.count), was = new Uint8Array(assets.count)
    grown.set(now)
    was.set(before)
    for (let asset = now.length; asset < assets.count; asset++) {
      was[asset] = assets.has(asset, mark.selected) && !options.isPicker ? 1 : 0
      const isPreset = preset.size > 0 && preset.has(assets.id(asset))
      if (isPreset) order.add(asset)
      grown[asset] = isPreset ? 1 : was[asset]
      if (grown[asset]) chosen += 1
    }
    before = was
    now = grown
    if (preset.size > 0) arrange()
    loading.value = assets.total ? assets.count / assets.total : 1
    loading.hidden = assets.count >= assets.total
    apply()
    tell()
  }).then(() => {
    isLoaded = true
    loading.hidden = true
    performance.measure('library loaded', { start: started })
    apply()
    tell()
  }).catch(refusal => { status.textContent = refusal.message || t('unreachable') })
  call('ListOwnedAlbums', { library: options.library }).then(answer => {
    if (!answer.albums.length) return
    albums.append(h('option', { value: '' }, t('allAlbums')), ...answer.albums.map(album => h('option', { value: album.album }, `${album.title} (${album.count})`)))
    albums.hidden = false
  }).catch(() => {})
  done.disabled = true
  show(done, options.doneText(0))
  grid.list.focus({ preventScroll: true })

  return { end: () => { assets.end(); grid.end() }, assets, grid }
}

// Adds and takes away, narrowing first, ten thousand at a time. Gives how many edits that took.
export async function edit(library, app, { add, remove }) {
  if (add.length <= batch && remove.length <= batch) {
    const part = identifiers => identifiers.length ? { identifiers } : undefined
    await call('EditSelection', { library, app, add: part(add), remove: part(remove) })
    return 1
  }
  let edits = 0
  for (const [way, all] of [['remove', remove], ['add', add]]) {
    for (let at = 0; at < all.length; at += batch, edits++) await call('EditSelection', { library, app, [way]: { identifiers: all.slice(at, at + batch) } })
  }
  return edits
}

export const appName = app => name(app.displayName || app.identifier)
