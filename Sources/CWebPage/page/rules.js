import { h, name, show, toast } from './dom.js'
import { undo } from './decisions.js'
import { call } from './server.js'
import { t } from './text.js'

// What is answered without asking anybody: rules, in the order in which they are tried.
export class Rules {
  constructor(place) {
    this.place = place
    this.told = ''
    this.load()
  }

  async load() {
    try {
      const { rules } = await call('ListRules')
      const key = JSON.stringify(rules)
      if (key === this.told) return
      this.told = key
      this.draw(rules)
    } catch { /* the banner says that the broker is away */ }
  }

  draw(rules) {
    this.place.hidden = rules.length === 0
    show(this.place, h('h2', {}, t('rules'), h('span', { class: 'count' }, String(rules.length))), h('p', { class: 'quiet' }, t('rulesText')),
      h('ul', { class: 'rows' }, rules.map(rule => h('li', { class: 'row', 'data-rule': rule.name },
        h('span', { class: 'row-text' }, h('strong', {}, rule.name, ' · ', t(`rule.${rule.answer}`)),
          h('span', { class: 'quiet' }, rule.identifier ? name(rule.identifier) : t('anyApp'), ' · ', t('runsAs', { uid: String(rule.uid) }), rule.verifiedIdentity && [' · ', name(rule.verifiedIdentity)], ' · ', rule.library, ' · ', t(rule.level === 'addOnly' ? 'short.addOnly' : 'short.reading'))),
        h('button', { class: 'link', 'aria-label': t('removeRule', { rule: rule.name }), onclick: event => this.remove(rule, event.currentTarget) }, t('remove'))))))
  }

  async remove(rule, button) {
    button.disabled = true
    try {
      await call('RemoveRule', { library: rule.library, name: rule.name })
      toast(t('ruleRemoved', { rule: rule.name }), undo(rule.library))
    } catch (refusal) { toast(refusal.message || t('unreachable')) }
    this.load()
  }
}
