import { emptyNote, failureText, h, link, name, show, toast, toastFailure } from './dom.js'
import { icon } from './icons.js'
import { appOf, toldApart } from './identity.js'
import { giveFocus, RowGuard, rowsBy } from './presses.js'
import { call, callEach, onchange, othersLibrary, patiently } from './server.js'
import { momentText, t, whenText } from './text.js'
import { pictureElement } from './thumbnails.js'
import { watch } from './watch.js'

const onePage = 100
// Identifiers per call.
const batch = 1000

export function trash(place, go, library) {
  const owner = othersLibrary(library)
  const content = h('div', {})
  const guard = new RowGuard(rowsBy(content, 'trashed'))
  let assets = [], total = 0, isEnded = false, restoring = 0
  const all = h('button', { class: 'primary', hidden: true, onclick: event => restore(event.currentTarget, undefined) },
    t('restoreAll'))
  const more = h('button', { class: 'plain more', hidden: true, onclick: () => load(assets.length) }, t('showMore'))
  show(place, h('main', { class: 'sheet' },
    link(go, `/photos/${library}`, { class: 'back' }, icon('left'), library),
    h('div', { class: 'panel-head' }, h('h1', {}, t('trash')), all),
    h('p', { class: 'lead' }, t('trashText'), owner && [' ', t('ownersMatter', { uid: owner })]), content, more))

  async function load(skip = 0, limit = onePage) {
    try {
      const page = await patiently(() => call('FetchTrashedAssets', { library, skip, limit }), () => isEnded)
      if (isEnded) return
      assets = skip ? [...assets, ...page.assets] : page.assets
      total = page.total
      draw()
    } catch (refusal) { if (!isEnded) show(content, h('p', { class: 'quiet' }, failureText(refusal))) }
  }

  function draw() {
    const focused = document.activeElement?.closest('[data-trashed]')?.dataset.trashed
    drawList()
    if (focused) giveFocus(content.querySelector(`[data-trashed="${focused}"] button`)
      ?? document.querySelector('.place h1'))
    guard.check()
  }

  // The names of the deleting apps, to notice changes.
  const tellers = () => JSON.stringify(assets.map(asset => asset.deletedBy && deletedText(asset)))
  let told

  function drawList() {
    told = tellers()
    all.hidden = total < 2 || owner !== undefined
    more.hidden = assets.length >= total
    if (assets.length === 0) return show(content, emptyNote('trash', t('trashEmpty')))
    show(content,
      h('ul', { class: 'rows' }, assets.map(asset => row(library, asset, owner === undefined ? restore : undefined))))
  }

  // Restores the given assets, or all, including pages not loaded yet.
  async function restore(button, identifiers) {
    button.disabled = true
    restoring += 1
    let restored = 0
    try {
      if (identifiers) restored = (await call('RestoreAssets', { library, identifiers })).restored
      else {
        await callEach(async each => {
          for (let skip = 0; ;) {
            const page = await each('FetchTrashedAssets', { library, skip, limit: batch })
            if (page.assets.length === 0) break
            const answer = await each('RestoreAssets',
              { library, identifiers: page.assets.map(asset => asset.identifier) })
            restored += answer.restored
            // Assets that failed to restore stay at the front of the list.
            skip += page.assets.length - answer.restored
          }
        })
      }
      toast(restored ? t('restored', { n: restored }) : t('notRestored'))
    } catch (refusal) { toastFailure(refusal) }
    button.disabled = false
    restoring -= 1
    if (!isEnded) load()
  }

  load()
  const stop = onchange(() => { if (told !== undefined && told !== tellers()) draw() })
  // Merges changes and keeps opened pages.
  const watcher = watch(library,
    () => restoring > 0 ? undefined : load(0, Math.min(batch, Math.max(onePage, assets.length))))
  return { end: () => { isEnded = true; stop(); guard.end(); watcher.end() }, library }
}

// A row for a trashed asset. `restore(button, identifiers)` is undefined in libraries of others. The
// picture covers the icon, which stays where the storage does not show its trash.
function row(library, asset, restore) {
  const { identifier, version, mediaType, filename, creationDate, path, deletedBy, deleted } = asset
  const taken = creationDate ? t('taken', { when: momentText(creationDate / 1e6) }) : t('undated')
  return h('li', { class: 'row', 'data-trashed': identifier }, h('span', { class: 'row-picture' },
    icon(mediaType === 'video' ? 'video' : 'photos'),
    pictureElement({ library, asset: identifier, version, pixels: 320 })),
    h('span', { class: 'row-text' }, h('strong', {}, name(filename)),
      h('span', { class: 'quiet' }, taken, path && path !== filename && [' · ', name(path)]),
      deletedBy && h('span', { class: 'quiet' }, deletedText({ deletedBy, deleted }))),
    restore && h('button', { class: 'link', 'aria-label': `${t('restore')}: ${filename}`,
      onclick: event => restore(event.currentTarget, [identifier]) }, t('restore')))
}

function deletedText(asset) {
  const app = appOf(asset.deletedBy), when = whenText(asset.deleted)
  return app ? t('deletedBy', { app: toldApart(app), when }) : t('deletedByRemoved', { when })
}
