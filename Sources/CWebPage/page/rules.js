import { undo } from './decisions.js'
import { h, name, show, textAround, toast, toastFailure } from './dom.js'
import { icon } from './icons.js'
import { giveFocus, RowGuard, rowsBy } from './presses.js'
import { RuleForm } from './ruleForm.js'
import { selectorsText } from './selectors.js'
import { account, administers, call, decides, libraryNamed, state } from './server.js'
import { t } from './text.js'

// Rules belong to those who decide in the library; administrators also manage `restrict`.
const isChangeable = rule => libraryNamed(rule.library) !== undefined && decides(libraryNamed(rule.library))
  || rule.answer === 'restrict' && administers()

// The list of rules, in the order of evaluation.
export class Rules {
  constructor(place) {
    this.place = place
    this.rows = rowsBy(place, 'rule', 'library')
    this.guard = new RowGuard(this.rows)
    this.renew()
  }

  renew() {
    const told = JSON.stringify([state.rules, state.libraries.map(library => [library.name, decides(library)])])
    if (told === this.told) return
    this.told = told
    const [focused] = [...this.rows()].find(([, row]) => row.contains(document.activeElement)) ?? []
    this.draw(state.rules)
    if (focused) giveFocus(this.rows().get(focused)?.querySelector('button'))
    this.guard.check()
  }

  end() { this.guard.end() }

  draw(rules) {
    this.place.hidden = state.libraries.length === 0
    show(this.place,
      h('div', { class: 'panel-head' }, h('h2', {}, t('rules'), h('span', { class: 'count' }, String(rules.length))),
        h('button', { class: 'plain', onclick: () => new RuleForm().open() }, icon('plus'), t('newRule'))),
      h('p', { class: 'quiet' }, t('rulesText')),
      rules.length > 0 && h('ul', { class: 'rows' }, rules.map(rule => this.row(rule))))
  }

  row(rule) {
    const { albumTitle, identifier, library, live, restsOver, select, uid, verifiedIdentity } = rule
    const label = [t('removeRule', { rule: rule.name }), state.libraries.length > 1 && library].filter(Boolean)
      .join(', ')
    return h('li', { class: 'row', 'data-rule': rule.name, 'data-library': library },
      h('span', { class: 'row-text' },
        h('strong', {}, rule.name, ' · ', t(`rule.${rule.answer}`),
          select?.length > 0 && [': ', selectorsText(select, () => albumTitle), live && `, ${t('outcome.live')}`]),
        h('span', { class: 'quiet' }, identifier ? name(identifier) : t('anyApp'), ' · ',
          t('runsAs', { uid: account(uid) }),
          verifiedIdentity && [' · ', name(verifiedIdentity)], ' · ', library, ' · ',
          t(rule.level === 'addOnly' ? 'short.addOnly' : 'short.reading')),
        rule.rests && h('span', { class: 'quiet' },
          restsOver ? textAround(name(restsOver), 'ruleRestsOver') : t('ruleRests', { uid: account(rule.author) }))),
      isChangeable(rule)
        ? h('button', { class: 'link', 'aria-label': label, onclick: event => this.remove(rule, event.currentTarget) },
          t('remove'))
        : h('span', { class: 'quiet' }, t('ruleOfOwner')))
  }

  async remove(rule, button) {
    button.disabled = true
    try {
      const { decisions } = await call('RemoveRule', { library: rule.library, name: rule.name })
      toast(t('ruleRemoved', { rule: rule.name }), undo(decisions))
    } catch (refusal) {
      button.disabled = false
      toastFailure(refusal)
    }
  }
}
