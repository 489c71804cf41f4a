import { dialog, h, show, toast } from './dom.js'
import { icon } from './icons.js'
import { call, onchange, state } from './server.js'
import { bytesText, t } from './text.js'

// Libraries that others offer to this user's programs: each can be declined, and accepted again.
export function offers(place) {
  let told
  const draw = () => {
    const { offers } = state
    const now = JSON.stringify(offers)
    if (now === told) return
    told = now
    const focused = place.contains(document.activeElement) && document.activeElement.closest('[data-offer]')?.dataset.offer
    place.hidden = offers.length === 0
    show(place, h('h2', {}, t('offers')), h('p', { class: 'quiet' }, t('offersText')), h('ul', { class: 'rows plainly' }, offers.map(row)))
    if (focused) place.querySelector(`[data-offer="${focused}"] button`)?.focus()
  }
  const row = offer => h('li', { class: 'row', 'data-offer': offer.library }, icon('libraries'),
    h('span', { class: 'row-text' }, h('strong', {}, offer.library), h('span', { class: 'quiet' }, t('offerOf', { uid: String(offer.owner) }))),
    h('span', {}, h('span', { class: `chip state-${offer.declined ? 'offline' : 'online'}` }, t(offer.declined ? 'offerDeclined' : 'offerOpen'))),
    h('button', { class: 'plain', 'aria-label': `${t(offer.declined ? 'acceptOffer' : 'declineOffer')}: ${offer.library}`, onclick: event => answer(offer, offer.declined, event.currentTarget) }, t(offer.declined ? 'acceptOffer' : 'declineOffer')))
  draw()
  return onchange(draw)
}

// What is declined is gone for this user's programs at once; what had been handed to them stays theirs.
async function answer(offer, accept, button) {
  if (!accept && !await dialog(t('declineTitle', { library: offer.library }), close => [h('p', {}, t('declineText')),
    h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, t('back')), h('button', { class: 'danger', onclick: () => close(true) }, t('declineOffer')))])) return
  button.disabled = true
  try {
    const { receipt } = await call('AnswerOffer', { library: offer.library, accept })
    const words = accept ? t('offerAccepted', { library: offer.library }) : t('offerIsDeclined', { library: offer.library })
    toast(receipt.assetsDelivered && !accept ? `${words} ${t('receipt', { n: receipt.assetsDelivered, bytes: bytesText(receipt.bytesDelivered) })}` : words,
      accept ? undefined : { label: t('undo'), run: () => call('AnswerOffer', { library: offer.library, accept: true }).then(() => toast(t('undone')), failed) })
  } catch (refusal) { failed(refusal) }
  button.disabled = false
}

const failed = refusal => toast(refusal.message || t('unreachable'))
