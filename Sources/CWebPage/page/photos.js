import { AlbumFilter } from './albums.js'
import { Assets, mark } from './assets.js'
import { announce, h, name, show, textAround, toast } from './dom.js'
import { grouping, Search } from './finding.js'
import { Grid } from './grid.js'
import { icon } from './icons.js'
import { appOf } from './identity.js'
import { indexing, tellAway } from './indexing.js'
import { Marking } from './marking.js'
import { addToAlbum, organize, takeFromAlbum } from './organizing.js'
import { watch } from './renewing.js'
import { Scrubber } from './scrubber.js'
import { Selection } from './selection.js'
import { onchange, othersLibrary, state } from './server.js'
import { t } from './text.js'
import { view } from './viewer.js'

// The photos page: a library with its marks for the owner, or one app's view of it.
export function photos(place, go, library, id) {
  const app = id && appOf(id)
  const assets = new Assets(library, { seenBy: id })
  const owner = othersLibrary(library)
  const isTheirs = !id && owner === undefined
  let wanted = 0, album = ''
  const marking = new Marking(assets, () => { apply(); bar.redraw() })
  const selection = new Selection({ items: () => grid.items, changed: () => { grid.refresh(); bar.redraw() }, kind: () => assets.kindOf(selection) })
  const identifiers = () => selection.all().map(asset => assets.id(asset))
  const takeOut = h('button', { class: 'plain', hidden: true, onclick: () => takeFromAlbum(library, albums.chosen, selection.all().filter(asset => albums.has(asset)).map(asset => assets.id(asset))) }, t('takeFromAlbum'))
  const bar = marking.bar(selection, [h('button', { class: 'plain', onclick: () => addToAlbum(library, identifiers()) }, t('addToAlbum')), takeOut])
  // A click opens a photo; once something is selected, a click selects.
  const ways = !isTheirs ? {} : { ...selection.ways, selects: true, opens: () => selection.count === 0, isBarred: asset => assets.has(asset, mark.neverShare) }
  const grid = new Grid(assets, {
    label: t('photosOf', { library }), ...ways,
    zoom: at => view(grid, at, !isTheirs ? {} : { tools: now => marking.buttons(() => [now()], 'viewer-button') }),
    arranged: layout => scrubber.arranged(layout), scrolled: (top, layout) => scrubber.scrolled(top, layout),
  })
  const scrubber = new Scrubber(grid)
  const albums = new AlbumFilter(assets, { app: id, changed: () => { takeOut.hidden = !albums.chosen || albums.isArriving; if (albums.chosen === album) apply(); else narrow() }, failed: refusal => toast(refusal.message || t('unreachable')) })
  const total = h('p', { class: 'quiet' })
  const arriving = h('div', {})
  const away = h('p', { class: 'problem', role: 'status', hidden: true })
  function apply(places) {
    const items = []
    for (let asset = 0; asset < assets.count; asset++) if (albums.has(asset) && (!wanted || assets.marks[asset] & wanted) && search.fits(assets.names[asset])) items.push(asset)
    selection.grow(assets.count)
    selection.anchor = null
    grid.set(items, places)
    total.textContent = t(`photosCount${assets.kindOf({ order: items, count: items.length })}`, { n: items.length })
    emptyText.textContent = id && assets.count === 0 ? t('appSeesNothing') : t('nothingFound')
    empty.hidden = items.length > 0 || assets.count < assets.total || albums.isArriving
  }
  function narrow() {
    album = albums.chosen
    grid.narrow(wanted !== 0 || album !== '' || search.text !== '')
    apply()
    announce(empty.hidden ? total.textContent : emptyText.textContent)
  }
  const search = new Search(narrow)
  const back = () => go(id ? `/app/${id}/${library}` : '/libraries')
  const emptyText = h('p', {})
  const empty = h('div', { class: 'grid-empty', hidden: true }, h('div', { class: 'empty-picture' }, icon(id ? 'eye' : 'photos')), emptyText)
  const tab = (bit, text) => h('button', { class: 'tab', 'aria-pressed': String(bit === 0), onclick: event => {
    wanted = bit
    for (const other of event.currentTarget.parentNode.children) other.setAttribute('aria-pressed', String(other === event.currentTarget))
    narrow()
  } }, text)
  const tabs = [tab(0, t('all')), tab(mark.favorite, t('favorites')), tab(mark.video, t('videos')), ...(id ? [] : [tab(mark.hidden, t('hiddenOnes')), tab(mark.neverShare, t('neverShareOnes'))])]
  show(place, h('main', { class: `chooser${id ? ' sees' : ''}` },
    h('header', { class: 'chooser-head' }, h('div', { class: 'chooser-title' }, id ? h('h1', {}, icon('eye'), textAround(name(app?.displayName || app?.identifier || id), 'seesTitle')) : h('h1', {}, library), total, !id && owner && h('p', { class: 'quiet' }, t('ownersMatter', { uid: owner })), away),
      h('div', { class: 'chooser-actions' }, isTheirs && h('button', { class: 'plain', onclick: () => organize(library) }, t('organizeAlbums')), !id && h('button', { class: 'plain', onclick: () => go(`/trash/${library}`) }, icon('trash'), t('trash')), h('button', { class: 'plain', onclick: back }, t('close')))),
    h('div', { class: 'chooser-bar' }, h('div', { class: 'tabs', role: 'group', 'aria-label': t('show') }, tabs), albums.element, grouping(grid), search.element, arriving),
    h('div', { class: 'chooser-grid' }, grid.element, scrubber.element, empty), bar.element))
  assets.load(() => apply(), true).then(() => { apply(); watcher.look() }).catch(refusal => { if (!assets.isEnded) toast(refusal.message || t('unreachable')) })
  // Merges changes of the library and keeps the selection.
  const watcher = watch(library, async isSame => {
    const places = await assets.renew(isSame)
    if (assets.isEnded) return
    selection.renumber(places, assets.count)
    apply(places)
    albums.renew()
    bar.redraw()
  }, { app: id, held: () => assets.revision })
  const tell = () => {
    const now = state.libraries.find(other => other.name === library)
    show(arriving, indexing(now))
    tellAway(away, now)
  }
  tell()
  const stop = onchange(tell)
  grid.list.focus({ preventScroll: true })
  return { end: () => { stop(); watcher.end(); assets.end(); grid.end() }, isWide: true, library }
}
