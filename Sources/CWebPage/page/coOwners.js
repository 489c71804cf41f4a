import { undo } from './decisions.js'
import { ask, h, toast, toastFailure } from './dom.js'
import { OfferDialog } from './offerDialog.js'
import { rest } from './presses.js'
import { account, call, libraryNamed } from './server.js'
import { t } from './text.js'

const users = list => list.map(uid => t('user', { uid: account(uid) })).join(', ')

// The dialog for the people who decide in a library beside its owner.
class CoOwnersDialog extends OfferDialog {
  words = { title: 'coOwnersTitle', text: 'coOwnersText' }

  get present() { return this.library.coOwners }

  about(uid) {
    const { invited, declinedCoOwners } = this.library
    return { answer: declinedCoOwners?.includes(uid) ? t('hasDeclined')
      : invited?.includes(uid) ? t('hasNotAccepted') : '' }
  }

  given() { return [] }

  // Asks once more: a co-owner sees everything, and gives access alone.
  isMeant() {
    const { add, remove, library: { name: library } } = this
    return add.length + remove.length === 0 || ask(t('coOwnersMeant', { library }), 'save', [
      add.length > 0 && h('p', {}, t('coOwnersGiven', { users: users(add) })),
      remove.length > 0 && h('p', {}, t('coOwnersTaken', { users: users(remove) }))], { rest })
  }
}

export async function nameCoOwners({ name }) {
  const library = libraryNamed(name)
  if (!library) return
  const form = new CoOwnersDialog(library)
  if (!await form.open()) return
  const { add, remove } = form
  if (add.length + remove.length === 0) return
  try {
    const { decisions } = await call('DelegateLibrary', { name, add, remove })
    toast(t('saved'), undo(decisions))
  } catch (refusal) { toastFailure(refusal) }
}
