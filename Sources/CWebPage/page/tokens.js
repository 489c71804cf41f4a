import { h, inTerminal, show, toast, toastFailure } from './dom.js'
import { apart } from './names.js'
import { RowGuard, rowsBy } from './presses.js'
import { account, call, listed } from './server.js'
import { t, whenText } from './text.js'

// The panel with the app's tokens for a library, and those that are for no library.
export class TokensPanel {
  #turn = 0

  constructor(place, { id, library }) {
    this.place = place
    this.id = id
    this.library = library
    this.guard = new RowGuard(rowsBy(place, 'token'))
  }

  end() { this.guard.end() }

  async draw() {
    try {
      const turn = this.#turn += 1
      const tokens = await listed('ListTokens', 'tokens', { app: this.id })
      // A late answer could show tokens that were revoked since.
      if (turn !== this.#turn) return
      const live = tokens.filter(token => !token.revoked && (!token.library || token.library === this.library)
        && !(token.expires < Date.now() * 1000))
      show(this.place, h('h2', {}, t('tokens')), h('p', { class: 'quiet' }, t('tokens.text')),
        h('ul', { class: 'rows plainly' }, live.map(token => this.row(token))),
        inTerminal(t('moreTokens'), 'photobroker token mint --help'))
      this.guard.check()
    } catch { /* the banner shows an unreachable broker */ }
  }

  row({ accessor, level, library, minted, name, uid }) {
    const short = accessor.slice(0, 12)
    const revoke = () => call('Revoke', { accessor }).then(() => toast(t('saved')), toastFailure)
      .then(() => this.draw())
    return h('li', { class: 'row', 'data-token': accessor },
      h('span', { class: 'row-text' }, h('strong', { class: 'code' }, short),
        name && h('span', {}, t('childToken', { name: apart(name), uid: account(uid) })),
        h('span', { class: 'quiet' },
          level ? t(`short.${level === 'addOnly' ? 'addOnly' : 'reading'}`) : t('ownToken'))),
      h('span', { class: 'quiet' }, whenText(minted)),
      library && h('button', { class: 'link', 'aria-label': `${t('revokeToken')}: ${short}`, onclick: revoke },
        t('revokeToken')))
  }
}
