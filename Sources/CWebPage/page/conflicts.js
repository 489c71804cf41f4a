import { dialog, h, name, show, toast } from './dom.js'
import { undo } from './decisions.js'
import { icon } from './icons.js'
import { Steady, giveFocus, rowsBy } from './presses.js'
import { watch } from './renewing.js'
import { call, callEach, onchange, othersLibrary, patiently, state } from './server.js'
import { put } from './thumbnails.js'
import { instantText, placeText, t } from './text.js'

const onePage = 100
// Identifiers that the broker takes in one call.
const batch = 1000

// What an edit says and what the file says against it, field by field.
function fields(conflict) {
  const both = {
    creationDate: () => [conflict.creationDate && instantText(conflict.creationDate), conflict.fileCreationDate && instantText(conflict.fileCreationDate)],
    location: () => [conflict.location && placeText(conflict.location), conflict.fileLocation && placeText(conflict.fileLocation)],
    caption: () => [conflict.caption && name(conflict.caption), conflict.fileCaption && name(conflict.fileCaption)],
  }
  return h('dl', { class: 'conflict-fields' }, conflict.fields.map(field => {
    const [edited, file] = both[field]?.() ?? []
    return h('div', {}, h('dt', {}, both[field] ? t(`field.${field}`) : field),
      h('dd', {}, h('span', { class: 'quiet' }, t('asEdited')), ' ', edited || t('nothingThere')), h('dd', {}, h('span', { class: 'quiet' }, t('inFile')), ' ', file || t('nothingThere')))
  }))
}

// Ends these as they were shown; what is said otherwise by now stays in conflict, to be looked at. `undone()`: it was taken back.
async function resolve(library, conflicts, keep, undone) {
  let resolved = 0
  const decisions = []
  await callEach(async each => {
    for (let at = 0; at < conflicts.length; at += batch) {
      const part = conflicts.slice(at, at + batch)
      const answer = await each('ResolveConflicts', { library, identifiers: part.map(conflict => conflict.asset), versions: part.map(conflict => conflict.version), keep })
      resolved += answer.resolved
      decisions.push(...answer.decisions)
    }
  })
  const others = conflicts.length - resolved
  toast([(resolved > 0 || others === 0) && t(keep === 'file' ? 'tookFile' : 'keptEdit', { n: resolved }), others > 0 && t('conflictsMoved', { n: others })].filter(Boolean).join(' '), undo(decisions, undone))
}

// Every conflict of a library, also of those that are on later pages.
async function all(library) {
  const conflicts = []
  for (;;) {
    const page = await call('ListConflicts', { library, skip: conflicts.length, limit: batch })
    conflicts.push(...page.conflicts)
    if (page.conflicts.length === 0 || conflicts.length >= page.total) return conflicts
  }
}

const choices = (about, run, look = 'plain') => [
  h('button', { class: look, 'aria-label': about && `${t('keepEdit')}: ${about}`, onclick: event => run('edit', event.currentTarget) }, t('keepEdit')),
  h('button', { class: look, 'aria-label': about && `${t('takeFile')}: ${about}`, onclick: event => run('file', event.currentTarget) }, t('takeFile')),
]

// The edits of a library that its files contradict since they changed, and what is to hold.
export function conflicts(place, go, library) {
  const owner = othersLibrary(library)
  const content = h('div', {})
  const steady = new Steady(rowsBy(content, 'conflict'))
  const more = h('button', { class: 'plain more', hidden: true, onclick: () => load(list.length) }, t('showMore'))
  const forAll = h('div', { class: 'panel-tools', hidden: true }, [['edit', 'keepEdits'], ['file', 'takeFiles']].map(([keep, words]) =>
    h('button', { class: 'plain', onclick: event => decideAll(keep, event.currentTarget) }, t(words))))
  let list = [], total = 0, isEnded = false
  show(place, h('main', { class: 'sheet' },
    h('a', { class: 'back', href: '#/libraries', onclick: event => { event.preventDefault(); go('/libraries') } }, icon('left'), t('libraries')),
    h('div', { class: 'panel-head' }, h('h1', {}, t('conflictsOf', { library })), forAll), h('p', { class: 'lead' }, t('conflictsText'), owner && [' ', t('ownersMatter', { uid: owner })]), content, more))

  async function load(skip = 0, limit = onePage) {
    try {
      const page = await patiently(() => call('ListConflicts', { library, skip, limit }), () => isEnded)
      if (isEnded) return
      list = skip ? [...list, ...page.conflicts] : page.conflicts
      total = page.total
      draw()
    } catch (refusal) { if (!isEnded) show(content, h('p', { class: 'quiet' }, refusal.message || t('unreachable'))) }
  }

  function draw() {
    const focused = content.contains(document.activeElement)
    forAll.hidden = total < 2 || owner !== undefined
    more.hidden = list.length >= total
    if (list.length === 0) show(content, h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('check')), h('h2', {}, t('noConflicts'))))
    else show(content, h('ul', { class: 'rows' }, list.map(conflict => {
      const image = h('img', { alt: '', class: 'conflict-picture' })
      put(image, { library, asset: conflict.asset, pixels: 320 })
      return h('li', { class: 'row conflict', 'data-conflict': conflict.asset }, image,
        h('div', { class: 'row-text' }, h('strong', {}, name(conflict.filename)), fields(conflict)),
        owner === undefined && h('div', { class: 'conflict-choices' }, choices(conflict.filename, (keep, button) => decide([conflict], keep, button))))
    })))
    if (focused && !content.contains(document.activeElement)) giveFocus(content.querySelector('button') ?? document.querySelector('.place h1'))
    steady.look()
  }

  async function decide(conflicts, keep, button) {
    button.disabled = true
    try { await resolve(library, conflicts, keep) } catch (refusal) { toast(refusal.message || t('unreachable')) }
    button.disabled = false
    if (!isEnded) load()
  }

  // Those that the question counts, as they were shown; none that came while it was asked.
  async function decideAll(keep, button) {
    button.disabled = true
    let meant = []
    const seen = new Map(list.map(conflict => [conflict.asset, conflict]))
    try { meant = (await all(library)).map(conflict => seen.get(conflict.asset) ?? conflict) } catch (refusal) { toast(refusal.message || t('unreachable')) }
    button.disabled = false
    if (isEnded) return
    if (meant.length === 0) return load()
    const isMeant = await dialog(t(keep === 'file' ? 'takeFilesTitle' : 'keepEditsTitle', { n: meant.length }), close => [h('p', {}, t('canBeTakenBack')),
      h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, t('back')), h('button', { class: 'primary', onclick: () => close(true) }, t(keep === 'file' ? 'takeFiles' : 'keepEdits')))])
    if (isMeant) await decide(meant, keep, button)
  }

  load()
  const watcher = watch(library, () => load(0, Math.min(batch, Math.max(onePage, list.length))))
  return { end: () => { isEnded = true; steady.end(); watcher.end() }, library }
}

// The conflict of one photo with its choices, for its large view; undefined where there is none. `changed()`: it is another one.
let held = { key: '' }
export async function conflictOf(library, asset, changed) {
  const now = state.libraries.find(other => other.name === library)
  if (!now?.conflicts) return undefined
  const key = `${library} ${now.revision} ${now.conflicts}`
  if (held.key !== key) held = { key, found: all(library).then(list => new Map(list.map(conflict => [conflict.asset, conflict]))) }
  const conflict = (await held.found.catch(() => { held = { key: '' } }))?.get(asset)
  if (!conflict) return undefined
  return h('section', { class: 'viewer-conflict', 'aria-label': t('conflictHere') }, h('h2', {}, t('conflictHere')), fields(conflict),
    h('div', { class: 'actions' }, choices('', async (keep, button) => {
      button.disabled = true
      try {
        await resolve(library, [conflict], keep, () => { const stop = onchange(() => { stop(); changed() }) })
        held = { key: '' }
        changed()
      } catch (refusal) { toast(refusal.message || t('unreachable')) }
      button.disabled = false
    })))
}
