import { dialog, h, show, toast } from './dom.js'
import { undo } from './decisions.js'
import { icon } from './icons.js'
import { apart } from './names.js'
import { pause } from './presses.js'
import { account, call, state } from './server.js'
import { t } from './text.js'

// A user's number as somebody wrote it; undefined where it is none.
export const userNumber = text => /^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1 ? Number(text) : undefined

// What somebody said of a library that is offered to them; nothing where they accepted it, and of who is not told.
export function answered({ owner, offeredTo, declinedBy, acceptedBy }, uid) {
  if (!offeredTo.includes(uid) || uid === owner) return ''
  return declinedBy.includes(uid) ? t('hasDeclined') : acceptedBy && !acceptedBy.includes(uid) ? t('hasNotAccepted') : ''
}

// To which users a library is offered, by their numbers: their programs may ask for its photos.
export async function offer(library) {
  let users = library.offeredTo.filter(uid => uid !== library.owner)
  const list = h('ul', { class: 'rows plainly' })
  const problem = h('p', { class: 'status', role: 'status' })
  const number = h('input', { class: 'field', inputmode: 'numeric', maxlength: '10', 'aria-label': t('userNumber'), placeholder: t('userNumber') })
  const appsOf = uid => [...new Set(state.apps.filter(app => app.uid === uid).map(app => apart(app.displayName || app.identifier)))].join(', ')
  // Whose access rests, and comes back with the offer.
  const regainedBy = uid => library.offeredTo.includes(uid) ? '' : [...new Set(state.grants
    .filter(grant => grant.library === library.name && grant.resting && ['authorized', 'limited'].includes(grant.status))
    .flatMap(grant => state.apps.filter(app => app.uid === uid && app.app === grant.app))
    .map(app => apart(app.displayName || app.identifier)))].join(', ')
  const quietOf = uid => regainedBy(uid) ? t('regains', { apps: regainedBy(uid) }) : appsOf(uid)
  // What stands there of the access that comes back.
  let shown = new Map()
  const regained = () => new Map(users.map(uid => [uid, regainedBy(uid)]).filter(([, apps]) => apps))
  const ownRow = () => h('li', { class: 'row' }, h('span', { class: 'row-text' }, h('strong', {}, t('user', { uid: account(library.owner) })), h('span', { class: 'quiet' }, t('theOwner'))))
  const userRow = uid => h('li', { class: 'row', 'data-user': String(uid) }, h('span', { class: 'row-text' }, h('strong', {}, t('user', { uid: account(uid) }), ' ', answered(library, uid)), h('span', { class: 'quiet' }, quietOf(uid))),
      h('button', { class: 'link', type: 'button', 'aria-label': `${t('withdraw')}: ${t('user', { uid: account(uid) })}`, onclick: () => { users = users.filter(other => other !== uid); draw(); number.focus() } }, t('withdraw')))
  const draw = () => {
    shown = regained()
    show(list, ownRow(), users.map(userRow))
  }
  draw()
  // Gives false where what is written is no user.
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
    if (user !== library.owner && !users.includes(user)) users = [...users, user].sort((a, b) => a - b)
    number.value = ''
    draw()
    return true
  }
  const save = h('button', { class: 'primary' }, t('save'))
  // Nothing comes back of which nothing stood there: then it is only shown, and is given by another press.
  const isSeen = before => {
    draw()
    const unseen = [...shown].filter(([uid, apps]) => before.get(uid) !== apps)
    if (unseen.length === 0) return true
    problem.textContent = unseen.map(([uid, apps]) => t('regainsUnseen', { uid: account(uid), apps })).join(' ')
    save.setAttribute('aria-disabled', 'true')
    setTimeout(() => save.removeAttribute('aria-disabled'), pause)
    return false
  }
  const isMeant = await dialog(t('offerTitle', { library: library.name }), close => h('form', { onsubmit: event => { event.preventDefault(); const before = shown; if (take() && isSeen(before)) close(true) } },
    h('p', { class: 'quiet' }, t('offerText')), list,
    h('div', { class: 'form-line' }, number, h('button', { class: 'plain', type: 'button', onclick: take }, icon('plus'), t('add'))), problem,
    h('div', { class: 'actions' }, h('button', { class: 'plain', type: 'button', onclick: () => close(false) }, t('cancel')), save)))
  if (!isMeant) return
  // Only what was changed here: what others change meanwhile stays.
  const before = library.offeredTo.filter(uid => uid !== library.owner)
  const add = users.filter(uid => !before.includes(uid)), remove = before.filter(uid => !users.includes(uid))
  if (add.length + remove.length === 0) return
  try {
    const { decisions } = await call('OfferLibrary', { name: library.name, add, remove })
    toast(t('saved'), undo(decisions))
  } catch (refusal) { toast(refusal.message || t('unreachable')) }
}
