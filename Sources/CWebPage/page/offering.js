import { undo } from './decisions.js'
import { dialog, h, name, show, toast } from './dom.js'
import { icon } from './icons.js'
import { toldApart } from './identity.js'
import { pause, rowsBy, Steady } from './presses.js'
import { account, call, onchange, state } from './server.js'
import { t } from './text.js'

// Parses a user number; undefined if it is none.
export const userNumber = text => /^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1 ? Number(text) : undefined

// A user's answer to an offer; empty if accepted or unknown.
export function answered({ owner, offeredTo, declinedBy, acceptedBy }, uid) {
  if (!offeredTo.includes(uid) || uid === owner) return ''
  return declinedBy.includes(uid) ? t('hasDeclined') : acceptedBy && !acceptedBy.includes(uid) ? t('hasNotAccepted') : ''
}

const levelText = grant => [grant.level === 'addOnly' ? t('short.addOnly') : grant.status === 'limited' ? t('photosCount', { n: grant.selected }) : t('short.full'), grant.paused && t('paused')].filter(Boolean).join(', ')

// The dialog for the users to whom a library is offered: their apps may ask for its photos. Changes
// by others appear while it is open.
export async function offer({ name: title }) {
  const found = () => state.libraries.find(other => other.name === title)
  let library = found()
  if (!library) return
  // The user's own edits, kept apart from changes by others.
  const added = new Set(), withdrawn = new Set()
  const offeredTo = () => library.offeredTo.filter(uid => uid !== library.owner)
  const users = () => [...new Set([...offeredTo(), ...added])].filter(uid => !withdrawn.has(uid)).sort((a, b) => a - b)
  const list = h('ul', { class: 'rows plainly' })
  const problem = h('p', { class: 'status', role: 'status' })
  const number = h('input', { class: 'field', inputmode: 'numeric', maxlength: '10', 'aria-label': t('userNumber'), placeholder: t('userNumber') })
  const save = h('button', { class: 'primary' }, t('save'))
  const appsOf = uid => state.apps.filter(app => app.uid === uid)
  // The apps that regain access with the offer, and their access.
  const regainedBy = uid => library.offeredTo.includes(uid) ? [] : appsOf(uid).flatMap(app => state.grants
    .filter(grant => grant.library === title && grant.app === app.app && grant.resting && ['authorized', 'limited'].includes(grant.status))
    .map(grant => `${toldApart(app)} · ${levelText(grant)}`))
  // The rules that grant this user's apps access without asking.
  const rulesFor = uid => state.rules.filter(rule => rule.library === title && rule.uid === uid && !rule.rests && ['allow', 'select'].includes(rule.answer))
    .map(rule => `${rule.name} · ${t(`rule.${rule.answer}`)} · ${rule.identifier ?? t('anyApp')} · ${t(rule.level === 'addOnly' ? 'short.addOnly' : 'short.reading')}`)
  const lines = (words, all) => all.length > 0 && h('div', { class: 'quiet' }, t(words), h('ul', { class: 'regained' }, all.map(told => h('li', {}, name(told)))))
  const quietOf = uid => [regainedBy(uid).length === 0 && h('span', { class: 'quiet' }, appsOf(uid).map(toldApart).join(', ')), lines('regains', regainedBy(uid)), lines('rulesAnswer', rulesFor(uid))]
  // By user: the regained access as shown.
  let shown = new Map()
  const given = uid => library.offeredTo.includes(uid) ? [] : [...regainedBy(uid), ...rulesFor(uid)]
  const regained = () => new Map(users().map(uid => [uid, JSON.stringify(given(uid))]).filter(([, told]) => told !== '[]'))
  const ownRow = () => h('li', { class: 'row' }, h('span', { class: 'row-text' }, h('strong', {}, t('user', { uid: account(library.owner) })), h('span', { class: 'quiet' }, t('theOwner'))))
  const userRow = uid => h('li', { class: 'row', 'data-user': String(uid) }, h('div', { class: 'row-text' }, h('strong', {}, t('user', { uid: account(uid) }), ' ', answered(library, uid)), quietOf(uid)),
    h('button', { class: 'link', type: 'button', 'aria-label': `${t('withdraw')}: ${t('user', { uid: account(uid) })}`, onclick: () => { withdrawn.add(uid); added.delete(uid); draw(); number.focus() } }, t('withdraw')))
  const steady = new Steady(rowsBy(list, 'user'))
  let resting
  // Access that appears while the dialog is open must be seen before it is saved.
  const draw = () => {
    const before = shown
    shown = regained()
    show(list, ownRow(), users().map(userRow))
    steady.look()
    const unseen = [...shown].filter(([uid, told]) => before.get(uid) !== told).map(([uid]) => uid)
    if (unseen.length > 0) {
      save.setAttribute('aria-disabled', 'true')
      clearTimeout(resting)
      resting = setTimeout(() => save.removeAttribute('aria-disabled'), pause)
    }
    return unseen
  }
  draw()
  // Adds the typed user. Returns false if the text is no user number.
  const take = () => {
    const text = number.value.trim()
    if (!text) return true
    const user = userNumber(text)
    if (user === undefined) {
      problem.textContent = t('noUserNumber')
      number.focus()
      return false
    }
    problem.textContent = ''
    if (user !== library.owner) {
      withdrawn.delete(user)
      if (!offeredTo().includes(user)) added.add(user)
    }
    number.value = ''
    draw()
    return true
  }
  const isSeen = before => {
    const unseen = [...regained()].filter(([uid, told]) => before.get(uid) !== told).map(([uid]) => uid)
    if (unseen.length === 0) return true
    problem.textContent = unseen.map(uid => t('regainsUnseen', { uid: account(uid) })).join(' ')
    return false
  }
  const seen = () => JSON.stringify([library, state.grants, state.apps, state.rules])
  let told = seen()
  let stop = () => {}
  const isMeant = await dialog(t('offerTitle', { library: title }), close => {
    stop = onchange(() => {
      if (!found()) return close(false)
      library = found()
      const now = seen()
      if (now === told) return
      told = now
      draw()
    })
    return h('form', { onsubmit: event => { event.preventDefault(); const before = shown; if (take() && isSeen(before)) close(true) } },
      h('p', { class: 'quiet' }, t('offerText')), list,
      h('div', { class: 'form-line' }, number, h('button', { class: 'plain', type: 'button', onclick: take }, icon('plus'), t('add'))), problem,
      h('div', { class: 'actions' }, h('button', { class: 'plain', type: 'button', onclick: () => close(false) }, t('cancel')), save))
  })
  stop()
  steady.end()
  clearTimeout(resting)
  if (!isMeant) return
  const add = [...added].filter(uid => !offeredTo().includes(uid)), remove = offeredTo().filter(uid => withdrawn.has(uid))
  if (add.length + remove.length === 0) return
  try {
    const { decisions } = await call('OfferLibrary', { name: title, add, remove })
    toast(t('saved'), undo(decisions))
  } catch (refusal) { toast(refusal.message || t('unreachable')) }
}
