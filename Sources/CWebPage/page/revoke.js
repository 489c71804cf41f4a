import { undo } from './decisions.js'
import { announce, ask, dialog, h, toast, toastFailure } from './dom.js'
import { call, listed, owns } from './server.js'
import { bytesText, t } from './text.js'

// Asks, revokes the scopes that `scopes()` resolves to, and shows the receipt.
export async function revoke(title, text, scopes) {
  if (!await ask(title, 'revoke', h('p', {}, text), { look: 'danger' })) return
  const sum = { connections: 0, streams: 0, assetsDelivered: 0, bytesDelivered: 0 }
  const decisions = []
  let problem
  let meant
  try { meant = await scopes() } catch (refusal) { return toastFailure(refusal) }
  for (const scope of meant) {
    try {
      const answer = await call('Revoke', scope)
      for (const key of Object.keys(sum)) sum[key] += answer.receipt[key]
      decisions.push(...answer.decisions)
    } catch (refusal) { problem ??= refusal }
  }
  // A failure is shown even after partial success.
  if (problem) return toast(problem.message || t(decisions.length > 0 ? 'partlyDone' : 'unreachable'), undo(decisions))
  const delivered = sum.assetsDelivered ? t('receipt', { n: sum.assetsDelivered, bytes: bytesText(sum.bytesDelivered) })
    : t('receiptNothing')
  announce(delivered)
  await dialog(t('revoked'),
    close => [h('p', {},
      t('receiptEnded',
        { connections: t('endedConnections', { n: sum.connections }),
          transfers: t('endedTransfers', { n: sum.streams }) })), h('p', {}, delivered),
    h('div', { class: 'actions' }, h('button', { class: 'primary', onclick: () => close() }, t('close')))])
  toast(t('revoked'), undo(decisions))
}

// Revokes in every library of the user, as the broker lists them now. Libraries without grants are
// included: picked photos may still be readable there.
export const revokeAll = () => revoke(t('revokeAllTitle'), t('revokeAllText'), async () =>
  (await listed('ListLibraries', 'libraries')).filter(owns).map(library => ({ library: library.name })))
