import { undo } from './decisions.js'
import { toast, toastFailure } from './dom.js'
import { gives } from './grants.js'
import { appOf } from './identity.js'
import { rates, ratesText } from './outcomes.js'
import { policyText } from './policies.js'
import { call, callEach, decides, libraryNamed, owns, sees, setsBack, state } from './server.js'
import { bytesText, t, whenText } from './text.js'

// One app's access to one library: its grants, the user's rights in the library, and the calls that
// change the access. `refused()` is called after a failed call, to reset the controls.
export class Access {
  isEnded = false

  constructor(id, library, refused) {
    this.id = id
    this.library = library
    this.refused = refused
  }

  get app() { return appOf(this.id) }
  get appName() { return this.app?.displayName || this.app?.identifier || '' }
  grant(level) {
    return state.grants.find(grant => grant.app === this.id && grant.library === this.library && grant.level === level)
  }

  // Undefined once the library is removed. An administrator has only the rights that its owner allows.
  get libraryState() { return libraryNamed(this.library) }
  get isSeen() { return this.libraryState !== undefined && sees(this.libraryState) }
  get isDecided() { return this.libraryState !== undefined && decides(this.libraryState) }
  get isOwned() { return this.libraryState !== undefined && owns(this.libraryState) }
  // The status that ends access: owners deny, administrators restrict.
  get closed() { return this.isOwned ? 'denied' : 'restricted' }

  undo(decisions, before = '') {
    return this.isDecided && setsBack(this.libraryState, before) ? undo(decisions) : undefined
  }

  async set(level, change) {
    const before = change.status ? this.grant(level)?.status ?? 'notDetermined' : ''
    try {
      const { grant, receipt, decisions } = await call('SetGrant',
        { library: this.library, app: this.id, level, ...change })
      const isTaken = change.status && !gives(grant) && receipt.assetsDelivered > 0
      const taken = isTaken && t('receipt', { n: receipt.assetsDelivered, bytes: bytesText(receipt.bytesDelivered) })
      toast([this.outcome(grant, change), taken].filter(Boolean).join(' · '), this.undo(decisions, before))
    } catch (refusal) { this.fail(refusal) }
  }

  outcome(grant, change) {
    if (change.albumPolicy) return `${t('albums')}: ${policyText(grant.albumPolicy)}`
    const [term] = Object.keys(change.terms ?? {})
    if (term === 'deletions') return `${t('terms.deletions')}: ${t(`terms.deletions.${grant.terms.deletions}`)}`
    if (rates.includes(term)) {
      return t(grant.terms[term] ? 'terms.rates.on' : 'terms.rates.off',
        { app: this.appName, allowance: ratesText(grant.terms) })
    }
    if (term && !change.status) {
      const n = term === 'files' ? grant.terms.pixels : grant.terms[term]
      return t(`terms.${term}.${grant.terms[term] ? 'on' : 'off'}`, { app: this.appName, n })
    }
    if (!change.status) return `${t('expires')}: ${grant.expires ? whenText(grant.expires) : t('expires.never')}`
    const key = grant.level === 'addOnly' ? gives(grant) ? 'answered.allow.adding' : 'answered.deny.adding'
      : { limited: 'answered.limited', authorized: 'answered.allow' }[grant.status] ?? 'answered.deny'
    return t(key, { app: this.appName, n: grant.selected })
  }

  async pause({ level }, paused) {
    try {
      const { decisions } = await call('PauseGrant', { library: this.library, app: this.id, level, paused })
      const text = t(!paused ? 'action.resume' : level === 'addOnly' ? 'pause.adding' : 'pause.text')
      toast(`${this.appName}: ${text}`, this.undo(decisions))
    } catch (refusal) { this.fail(refusal) }
  }

  // Deletes the grants, as if nobody had been asked; the app may ask again.
  async forget() {
    const decisions = []
    try {
      await callEach(async each => {
        for (const grant of [this.grant('readWrite'), this.grant('addOnly')]) {
          if (!grant || grant.status === 'notDetermined') continue
          const change = { library: this.library, app: this.id, level: grant.level, status: 'notDetermined' }
          decisions.push(...(await each('SetGrant', change)).decisions)
        }
      })
      toast(t('forgotten'), this.undo(decisions))
    } catch (refusal) { this.fail(refusal) }
  }

  fail(refusal) {
    toastFailure(refusal)
    this.refused()
  }
}
