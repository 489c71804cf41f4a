import { ask, h, selectLine, toggle } from './dom.js'
import { appOf, facts, textAbout } from './identity.js'
import { selectorsText } from './selectors.js'
import { libraryNamed, state } from './server.js'
import { t } from './text.js'

// Whether a grant gives access, unless it is paused or its offer withdrawn.
export const gives = grant => grant.status === 'authorized' || grant.status === 'limited'

export const isOpen = library => state.grants.some(grant => grant.library === library && gives(grant))

// Whether an app's user is offered the library. A withdrawn offer ends access, whatever was
// decided.
export const isOffered = (library, app) => library !== undefined && app !== undefined
  && (library.owner === app.uid || library.offeredTo.includes(app.uid) && !library.declinedBy.includes(app.uid))
export const hasDeclined = (library, app) => library !== undefined && app !== undefined
  && library.offeredTo.includes(app.uid) && library.declinedBy.includes(app.uid)
export const isWithdrawn = grant => !isOffered(libraryNamed(grant.library), appOf(grant.app))
export const holds = grant => grant !== undefined && gives(grant) && !isWithdrawn(grant)

// The grant by which an app sees photos now; undefined if it sees none.
export const seeingGrant = (app, library) =>
  state.grants.find(grant => grant.library === library && grant.app === app && grant.level === 'readWrite'
  && holds(grant) && !grant.paused && (grant.status === 'authorized' || grant.visible > 0))

// The number of selected photos, and the visible number if it differs. A paused app sees none,
// which another label says.
export const selectionText = grant => grant.paused || grant.visible === grant.selected
  ? t('photosCount', { n: grant.selected })
  : t('selectedVisible', { n: grant.selected, visible: grant.visible })

// The conditions of a live selection (R154). Only people who see photos see them.
export function liveText({ conditions, albumTitle, excluded }) {
  const what = [conditions ? selectorsText([conditions], () => albumTitle) : t('live.hidden'),
    excluded > 0 && t('live.without', { n: Number(excluded) })]
  return t('live.is', { what: what.filter(Boolean).join(', ') })
}

// The choices of a grant's terms (R149, R151), or of a pick, which has two of them. `set(change)` is
// called for each. An administrator `onlyNarrows`.
export const termChoices = (terms, set, onlyNarrows = false, ofFiles = pictureLine) =>
  ['location', 'captions', 'files', 'changes'].filter(name => terms[name] != null).map(name =>
    name === 'files' ? ofFiles(terms, set, onlyNarrows)
      : termSwitch(name, terms[name], value => set({ [name]: value }), onlyNarrows && !terms[name]))

// The same above a list of photos, which leaves no room for sizes of pictures.
export const termSwitches = (terms, set) => termChoices(terms, set, false, ({ files, pixels }) =>
  termSwitch('files', files, value => set({ files: value, pixels: value ? undefined : pixels })))

const termSwitch = (name, checked, set, disabled = false) => toggle(
  { checked, disabled, onchange: event => set(event.target.checked) }, t(`terms.${name}`), t(`terms.${name}.text`))

const largestPicture = 2560

export const picturesText = pixels => pixels < largestPicture ? t('outcome.pictures', { n: pixels })
  : t('outcome.pictures only')

// The terms in words. Those of a pick have no `changes`.
export const termsText = ({ location, captions, files, pixels, changes, deletions }) => [
  t(location ? 'outcome.with location' : 'outcome.without location'),
  !captions && t('outcome.without captions'), !files && picturesText(pixels),
  changes === false && t('outcome.read-only'), changes && deletions === 'never' && t('outcome.without deletions'),
  changes && deletions === 'allow' && t('outcome.deletes without asking')].filter(Boolean).join(', ')

// Files, which are 0 here, or the longest edge of the pictures that stand for them.
function pictureLine({ files, pixels }, set, onlyNarrows) {
  const present = files ? 0 : pixels
  const isOffered = size => size === present || !onlyNarrows || size > 0 && (!present || size < present)
  const sizes = [...new Set([0, largestPicture, 1024, 512, present])].filter(isOffered)
  return selectLine(t('terms.files'), t('terms.files.text'), present,
    sizes.map(n => [n, n ? t('terms.pixels', { n }) : t('terms.files')]),
    size => set(size === '0' ? { files: true, pixels: undefined } : { files: false, pixels: Number(size) }))
}

// Confirms access to the whole library; `terms` tells its terms. `opened(close)` is called when the
// dialog is open.
export const confirmFullAccess = (app, library, terms, opened) => ask(textAbout(app, 'allowAllTitle'), 'allowAll', [
  state.libraries.length > 1 && h('p', { class: 'quiet' }, t('inLibrary', { library })),
  h('p', {}, t('allowAllText', { n: libraryNamed(library)?.assets ?? 0 })), facts(app), terms], { opened })
