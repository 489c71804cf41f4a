import { addToAlbum, organize, takeFromAlbum } from './albumDialogs.js'
import { Assets, mark } from './assets.js'
import { h, name, show, textAround, toastFailure } from './dom.js'
import { icon } from './icons.js'
import { appOf } from './identity.js'
import { LibraryView } from './libraryView.js'
import { Marking } from './marks.js'
import { Selection } from './selection.js'
import { onchange, othersLibrary } from './server.js'
import { t } from './text.js'
import { openViewer } from './viewer.js'
import { watch } from './watch.js'

// The photos page: a library with its marks for the owner, or one app's view of it.
export function photos(place, go, library, id) {
  const assets = new Assets(library, { seenBy: id })
  const owner = othersLibrary(library), isOwn = !id && owner === undefined
  const marking = new Marking(assets, () => { view.apply(); bar.redraw() })
  const selection = new Selection({
    items: () => view.grid.items, changed: () => { view.grid.refresh(); bar.redraw() },
    kind: () => assets.kindOf(selection),
  })
  const identifiers = list => list.map(asset => assets.id(asset))
  const members = () => identifiers(selection.all().filter(asset => view.albums.has(asset)))
  const takeOut = h('button',
    { class: 'plain', hidden: true, onclick: () => takeFromAlbum(library, view.albums.chosen, members()) },
    t('takeFromAlbum'))
  const bar = marking.bar(selection, [
    h('button', { class: 'plain', onclick: () => addToAlbum(library, identifiers(selection.all())) }, t('addToAlbum')),
    takeOut])
  const total = h('p', { class: 'quiet' })
  // A click opens a photo; once something is selected, a click selects.
  const ways = !isOwn ? {} : {
    ...selection.ways, selects: true, opens: () => selection.count === 0,
    isBarred: asset => assets.has(asset, mark.neverShare),
  }
  const tools = !isOwn ? {} : { isEditable: true, tools: now => marking.buttons(() => [now()], 'viewer-button') }
  const view = new LibraryView(assets, {
    tabs: [[0, t('all')], [mark.favorite, t('favorites')], [mark.video, t('videos')],
      ...id ? [] : [[mark.hidden, t('hiddenOnes')], [mark.neverShare, t('neverShareOnes')]]],
    fits: asset => !view.tab || assets.has(asset, view.tab),
    arranging: () => {
      selection.grow(assets.count)
      selection.anchor = null
    },
    count: total,
    countText: items => t(`photosCount${assets.kindOf({ order: items, count: items.length })}`, { n: items.length }),
    picture: id ? 'eye' : 'photos', emptyText: () => t(id && assets.count === 0 ? 'appSeesNothing' : 'nothingFound'),
    seenBy: id, albumChanged: () => { takeOut.hidden = !view.albums.chosen || view.albums.isArriving },
    failed: toastFailure,
    grid: { label: t('photosOf', { library }), ...ways, zoom: at => openViewer(view.grid, at, tools) },
  })
  show(place, h('main', { class: `chooser${id ? ' sees' : ''}` },
    h('header', { class: 'chooser-head' },
      h('div', { class: 'chooser-title' }, heading(library, id), total,
        !id && owner && h('p', { class: 'quiet' }, t('ownersMatter', { uid: owner })), view.notes.offline),
      h('div', { class: 'chooser-actions' },
        isOwn && h('button', { class: 'plain', onclick: () => organize(library) }, t('organizeAlbums')),
        !id && h('button', { class: 'plain', onclick: () => go(`/trash/${library}`) }, icon('trash'), t('trash')),
        h('button', { class: 'plain', onclick: () => go(id ? `/app/${id}/${library}` : '/libraries') }, t('close')))),
    view.bar, view.element, bar.element))
  const watcher = load(view, selection, bar, id)
  view.notes.draw()
  const stop = onchange(() => view.notes.draw())
  view.grid.list.focus({ preventScroll: true })
  return { end: () => { stop(); watcher.end(); view.end() }, isWide: true, library }
}

function heading(library, id) {
  if (!id) return h('h1', {}, library)
  const app = appOf(id)
  return h('h1', {}, icon('eye'), textAround(name(app?.displayName || app?.identifier || id), 'seesTitle'))
}

// Loads the library's assets, then merges its changes and keeps the selection.
function load(view, selection, bar, app) {
  const { assets } = view
  assets.load(() => view.apply(), true).then(() => { view.apply(); watcher.check() })
    .catch(refusal => { if (!assets.isEnded) toastFailure(refusal) })
  const watcher = watch(assets.library, async isSame => {
    const places = await assets.renew(isSame)
    if (assets.isEnded) return
    selection.renumber(places, assets.count)
    view.apply(places)
    view.renewParts()
    bar.redraw()
  }, { app, held: () => assets.revision })
  return watcher
}
