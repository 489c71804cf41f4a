import { controlsIn, h, inTerminal, name, show, toast } from './dom.js'
import { icon } from './icons.js'
import { indexing } from './indexing.js'
import { answered, offer } from './offering.js'
import { offers } from './offers.js'
import { plugins } from './plugins.js'
import { Steady } from './presses.js'
import { problem, reasonText } from './reasons.js'
import { watch } from './renewing.js'
import { account, call, onchange, owns, sees, state } from './server.js'
import { t } from './text.js'
import { put } from './thumbnails.js'

// The number of skipped files beyond the named ones; zero for users who may not see the names.
const others = ({ skipped, skippedFiles }) => skippedFiles ? skipped - skippedFiles.length : 0

// The other people who see or decide in a library, with invitations still open or declined; empty
// if there are none.
function people(library) {
  const caller = state.status?.caller, { owner, administratorsSee, administratorsDecide } = library
  const refusing = library.declinedCoOwners ?? [], invited = library.invited ?? [], waiting = invited.filter(uid => !refusing.includes(uid)), coOwners = library.coOwners.filter(uid => !invited.includes(uid))
  const users = list => list.map(uid => uid === caller ? t('you') : t('user', { uid: account(uid) })).join(', ')
  return [(library.coOwners.length > 0 || owner !== caller && owns(library)) && t('ownedBy', { users: users([owner]) }),
    coOwners.length > 0 && t('coOwnedBy', { users: users(coOwners) }), waiting.length > 0 && t('notYetCoOwners', { users: users(waiting) }), refusing.length > 0 && t('noCoOwners', { users: users(refusing) }),
    administratorsSee && t('administratorsSee'), administratorsDecide && t('administratorsDecide')].filter(Boolean).join(' · ')
}

// The users whose apps may ask for photos, and those who declined.
function audience(library) {
  const { offeredTo, declinedBy } = library
  const users = offeredTo.filter(uid => !declinedBy.includes(uid)).map(uid => [account(uid), answered(library, uid)].filter(Boolean).join(' '))
  return [t('offeredTo', { users: users.join(', ') || t('nobody') }), declinedBy.length > 0 && t('declinedBy', { users: declinedBy.map(account).join(', ') })].filter(Boolean).join(' · ')
}

export const toBegin = () => [h('p', {}, t('noLibrariesText')), h('code', {}, 'photobroker library add photos ~/Pictures')]

export function libraries(place, go) {
  const content = h('div', { class: 'cards' })
  const panel = h('section', { class: 'panel', hidden: true })
  const offered = h('section', { class: 'panel part-offers', hidden: true })
  const more = inTerminal(t('moreLibraries'), 'photobroker library --help')
  show(place, h('main', { class: 'sheet' }, h('h1', {}, t('libraries')), h('p', { class: 'lead' }, t('librariesText')), content, more, offered, panel))
  let told = ''
  const mosaics = new Map()
  // Libraries whose list of skipped files is open.
  const unfolded = new Set()
  const watchers = []

  function mosaic(library) {
    if (mosaics.has(library.name)) return mosaics.get(library.name)
    const element = h('div', { class: 'mosaic' })
    mosaics.set(library.name, element)
    let shown
    const fill = async () => {
      const { assets } = await call('FetchOwnedAssets', { library: library.name, limit: 12 })
      const few = assets.slice(0, assets.length < 12 && assets.length > 6 ? 6 : 12)
      const now = JSON.stringify(few.map(({ identifier, version }) => [identifier, version]))
      if (shown === now) return
      shown = now
      show(element, few.map(({ identifier, version }) => {
        const image = h('img', { alt: '' })
        put(image, { library: library.name, asset: identifier, version, pixels: 320 })
        return image
      }))
    }
    fill().catch(() => mosaics.delete(library.name))
    watchers.push(watch(library.name, fill))
    return element
  }

  // Only switches act on one press; other controls lead elsewhere or ask.
  const steady = new Steady(controlsIn([content], 'input'), 'input')

  async function share({ name }, control) {
    await turn(name, control, isShared => call('ShareOriginals', { name, share: isShared }), 'outcome.originals shared', 'outcome.originals kept back')
  }

  async function letDelete({ name }, control) {
    await turn(name, control, allows => call('AllowDeletions', { name, allow: allows }), 'outcome.apps delete', 'outcome.apps delete nothing')
  }

  async function turn(name, control, decide, given, kept) {
    const isGiven = control.checked
    const fail = refusal => toast(refusal.message || t('unreachable'))
    try {
      await decide(isGiven)
      toast(`${name}: ${t(isGiven ? given : kept)}`, { label: t('undo'), run: () => decide(!isGiven).then(() => toast(t('undone')), fail) })
    } catch (refusal) {
      control.checked = !isGiven
      fail(refusal)
    }
  }

  function draw() {
    const key = JSON.stringify(state.libraries.map(library => ({ ...library, revision: undefined })))
    if (key === told) return
    told = key
    more.hidden = state.libraries.length === 0
    show(content, state.libraries.map(library => {
      return h('article', { class: 'card library', 'aria-label': library.name }, sees(library) && mosaic(library),
        h('div', { class: 'library-text' }, h('h2', {}, library.name),
          h('p', { class: 'quiet' }, t('photosCount', { n: library.assets }), ' · ', library.backend, library.options?.path && [' · ', name(library.options.path)])),
        h('p', {}, h('span', { class: `chip state-${library.state}` }, t(`state.${library.state}`)), library.skipped > 0 && h('span', { class: 'chip' }, t('skipped', { n: library.skipped })), library.awaitingTrash > 0 && h('span', { class: 'chip' }, t('awaitingTrash', { n: library.awaitingTrash })), h('span', { class: 'chip' }, t(`detection.${library.changeDetection}`))),
        indexing(library),
        library.problem && h('p', { class: 'problem' }, problem(library.problemReason, library.problem, library.backend)),
        library.thumbnails && h('p', { class: 'problem' }, t('noThumbnails')),
        library.skippedFiles?.length > 0 && h('details', { open: unfolded.has(library.name), ontoggle: event => unfolded[event.currentTarget.open ? 'add' : 'delete'](library.name) }, h('summary', {}, t('skippedFiles')), h('ul', { class: 'quiet' }, library.skippedFiles.map(file => h('li', {}, name(file.path), ': ', reasonText(file.why) ?? h('span', { lang: 'en' }, file.reason))))),
        others(library) > 0 && h('p', { class: 'quiet' }, t(library.skippedFiles.length > 0 ? 'skippedOthers' : 'skippedUnnamed', { n: others(library) })),
        people(library) && h('p', { class: 'quiet' }, people(library)),
        h('p', { class: 'quiet' }, audience(library)),
        !sees(library) && h('p', { class: 'quiet' }, t('administered', { uid: account(library.owner) })),
        owns(library) && h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', checked: library.sharesOriginals, onchange: event => share(library, event.currentTarget) }),
          h('span', { 'data-means': String(library.sharesOriginals) }, h('strong', {}, t('originals')), h('span', { class: 'quiet' }, t('originals.text')))),
        // Older brokers do not report this setting.
        owns(library) && typeof library.appsDelete === 'boolean' && h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', checked: library.appsDelete, onchange: event => letDelete(library, event.currentTarget) }),
          h('span', { 'data-means': String(library.appsDelete) }, h('strong', {}, t('deletions')), h('span', { class: 'quiet' }, t('deletions.text')))),
        h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => call('RescanLibrary', { name: library.name }).then(() => toast(t('rescanning')), refusal => toast(refusal.message || t('unreachable'))) }, t('rescan')),
          owns(library) && h('button', { class: 'plain', onclick: () => offer(library) }, t('offer')),
          sees(library) && h('button', { class: 'plain', onclick: () => go(`/trash/${library.name}`) }, t('trash')),
          sees(library) && h('button', { class: 'primary', onclick: () => go(`/photos/${library.name}`) }, t('browse'))))
    }), state.libraries.length === 0 && h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('libraries')), h('h2', {}, t('noLibraries')), toBegin()))
    steady.look()
  }
  draw()
  const stop = onchange(draw), stopOffers = offers(offered), stopPlugins = plugins(panel)
  return { end: () => { stop(); steady.end(); stopOffers(); stopPlugins(); for (const watcher of watchers) watcher.end() } }
}
