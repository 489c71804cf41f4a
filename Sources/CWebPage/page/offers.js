import { ask, h, show, toast, toastFailure } from './dom.js'
import { icon } from './icons.js'
import { giveFocus, RowGuard, rowsBy } from './presses.js'
import { account, call, onchange, state } from './server.js'
import { bytesText, t } from './text.js'

// Offers by other users: libraries for this user's apps, and co-ownership. Each can be accepted or
// declined, and so can a user with all offers, now and later.
export function offers(place) {
  const guard = new RowGuard(rowsBy(place, 'offer'))
  let told
  const draw = () => {
    const { offers, declinedUsers } = state
    const now = JSON.stringify([offers, declinedUsers])
    if (now === told) return
    told = now
    const focused = place.contains(document.activeElement)
      && document.activeElement.closest('[data-offer]')?.dataset.offer
    const part = focused && document.activeElement.closest('[data-part]')?.dataset.part
    // Older brokers do not report declined users.
    const users = declinedUsers
      && [...new Set([...offers.map(offer => offer.owner), ...declinedUsers])].sort((one, two) => one - two)
    place.hidden = offers.length === 0 && !users?.length
    show(place, h('h2', {}, t('offers')), h('p', { class: 'quiet' }, t('offersText')),
      h('ul', { class: 'rows plainly' }, offers.map(libraryRow), (users ?? []).map(userRow)))
    const row = focused && place.querySelector(`[data-offer="${focused}"]`)
    if (focused) giveFocus(row?.querySelector(part ? `[data-part="${part}"] button` : 'button')
      ?? row?.querySelector('button'))
    guard.check()
  }
  draw()
  const stop = onchange(draw)
  return () => { stop(); guard.end() }
}

// The number of offers that wait for an answer to at least one of their parts.
export const waitingOffers = () =>
  state.offers.filter(offer => !state.declinedUsers?.includes(offer.owner) && isWaiting(offer)).length
const isWaiting = ({ declined, accepted, programsAnswer, coOwnerAnswer }) => programsAnswer || coOwnerAnswer
  ? [programsAnswer, coOwnerAnswer].includes('waiting') : !declined && !(accepted ?? true)

const chip = (declined, accepted = true) =>
  h('span', {},
    h('span', { class: `chip${declined ? ' state-offline' : accepted ? ' state-online' : ''}` },
      t(declined ? 'offerDeclined' : accepted ? 'offerOpen' : 'offerWaits')))
const button = (key, about, onclick) =>
  h('button', { class: 'plain', 'aria-label': `${t(key)}: ${about}`, onclick: event => onclick(event.currentTarget) },
    t(key))

// A row for one offer, without buttons while its user is declined as a whole. A press accepts the
// parts that the row shows, even if the offer changes meanwhile. Undo repeats the earlier answer.
function libraryRow(offer) {
  const { library, owner, declined, accepted, programs, coOwner, programsAnswer, coOwnerAnswer } = offer
  const isOpen = !state.declinedUsers?.includes(owner), by = t('offerOf', { uid: account(owner) })
  if (programsAnswer && coOwnerAnswer) return h('li', { class: 'row', 'data-offer': library }, icon('libraries'),
    h('span', { class: 'row-text' }, h('strong', {}, library), h('span', { class: 'quiet' }, by),
      Object.keys(parts).map(part => partRow(offer, part, isOpen))))
  const isAccepted = !declined && (accepted ?? true), isForPrograms = programs ?? true
  const words = {
    back: ({ before }) => before && { library, owner, ...before }, title: t('declineTitle', { library }),
    text: [isForPrograms && t('declineText'), coOwner && t('declineDeciding'), t('declineBack')]
      .filter(Boolean).join(' '),
    accepted: t('offerAccepted', { library }), declined: t('offerIsDeclined', { library }),
  }
  const press = accept => button(accept ? 'acceptOffer' : 'declineOffer', library,
    pressed => answer(pressed, 'AnswerOffer', { library, owner, accept, programs, coOwner }, accept, words))
  return h('li', { class: 'row', 'data-offer': library }, icon('libraries'),
    h('span', { class: 'row-text' }, h('strong', {}, library),
      h('span', { class: 'quiet' },
        [by, isForPrograms && t('offerForPrograms'), coOwner && t('offerToDecide')].filter(Boolean).join(' · '))),
    chip(declined, isAccepted),
    isOpen && [!isAccepted && press(true), !declined && press(false)])
}

const parts = {
  programs: { what: 'partPrograms', about: 'offerForPrograms', title: 'declineProgramsTitle', text: 'declineText',
    accepted: 'programsAccepted', declined: 'programsDeclined' },
  coOwner: { what: 'partCoOwner', about: 'offerToDecide', title: 'declineCoOwnerTitle', text: 'declineDeciding',
    accepted: 'coOwnerAccepted', declined: 'coOwnerDeclined' },
}

// One part; the call repeats the other part's answer.
function partRow({ library, owner, programsAnswer, coOwnerAnswer }, part, isOpen) {
  const words = parts[part], now = part === 'programs' ? programsAnswer : coOwnerAnswer
  // The current answer: the other part may have changed since this row was drawn.
  const present = () => state.offers.find(other => other.library === library && other.owner === owner)
    ?? { programsAnswer, coOwnerAnswer }
  const press = accept => button(accept ? 'acceptOffer' : 'declineOffer', `${library}, ${t(words.about)}`, pressed => {
    const said = accept ? 'accepted' : 'declined'
    const parameters = () => {
      const { programs, coOwner } = { programs: present().programsAnswer, coOwner: present().coOwnerAnswer,
        [part]: said }
      return { library, owner, accept: true, programs: programs === 'accepted', coOwner: coOwner === 'accepted',
        declinesPrograms: programs === 'declined', declinesCoOwner: coOwner === 'declined' }
    }
    answer(pressed, 'AnswerOffer', parameters, accept, {
      done: () => { present()[`${part}Answer`] = said },
      back: ({ before }) => before && { library, owner, ...before }, title: t(words.title, { library }),
      text: [t(words.text), t('declineRest'), t('declineBack')].join(' '), accepted: t(words.accepted, { library }),
      declined: t(words.declined, { library }),
    })
  })
  return h('span', { class: 'offer-part', 'data-part': part }, h('span', { class: 'offer-what' }, t(words.what)),
    chip(now === 'declined', now === 'accepted'),
    isOpen && [now !== 'accepted' && press(true), now !== 'declined' && press(false)])
}

function userRow(user) {
  const uid = account(user), declined = state.declinedUsers.includes(user)
  const words = {
    back: () => ({ user, accept: !declined }), title: t('declineUserTitle', { uid }), text: t('declineUserText'),
    accepted: t('userAccepted', { uid }), declined: t('userIsDeclined', { uid }),
  }
  return h('li', { class: 'row', 'data-offer': `user-${user}` }, icon('people'),
    h('span', { class: 'row-text' }, h('strong', {}, t('offersOfUser', { uid })),
      h('span', { class: 'quiet' }, t('nowAndLater'))), declined && chip(true),
    button(declined ? 'acceptOffer' : 'declineAll', t('user', { uid }),
      pressed => answer(pressed, 'AnswerOffers', { user, accept: declined }, declined, words)))
}

// Sends an answer. Declining ends the access of this user's apps at once; photos already read stay
// with them. `words.back(reply)` returns the parameters that undo it.
async function answer(pressed, method, parameters, accept, words) {
  if (!accept && !await ask(words.title, 'declineOffer', h('p', {}, words.text), { look: 'danger' })) return
  pressed.disabled = true
  try {
    const reply = await call(method, typeof parameters === 'function' ? parameters() : parameters), { receipt } = reply,
    back = words.back(reply)
    words.done?.()
    const delivered = !accept && receipt.assetsDelivered
      ? ` ${t('receipt', { n: receipt.assetsDelivered, bytes: bytesText(receipt.bytesDelivered) })}` : ''
    toast((accept ? words.accepted : words.declined) + delivered,
      back && { label: t('undo'), run: () => call(method, back).then(() => toast(t('undone')), toastFailure) })
  } catch (refusal) { toastFailure(refusal) }
  pressed.disabled = false
}
