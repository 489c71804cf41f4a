import { mark } from './assets.js'
import { undo } from './decisions.js'
import { announce, h, show, toast, toastFailure } from './dom.js'
import { inBatches } from './drafts.js'
import { icon } from './icons.js'
import { callEach } from './server.js'
import { t } from './text.js'

const kinds = [['favorite', mark.favorite, 'heart'], ['hidden', mark.hidden, 'hidden'],
  ['neverShare', mark.neverShare, 'never']]

// The owner's marks on assets: sets them in batches, with Undo. `changed()` is called after a
// change.
export class Marking {
  constructor(assets, changed) {
    this.assets = assets
    this.changed = changed
  }

  // Whether all (true), some (undefined) or none (false) of the assets have a mark.
  state(list, bit) {
    let count = 0
    for (const asset of list) if (this.assets.has(asset, bit)) count += 1
    return count === list.length && count > 0 ? true : count > 0 ? undefined : false
  }

  set(list, kind, isOn) {
    const others = list.filter(asset => this.assets.has(asset, kind[1]) !== isOn)
    return this.keep(others.map(asset => this.assets.id(asset)), kind, isOn, list.length > 1)
  }

  // Takes identifiers, because indexes change with the library.
  async keep(identifiers, kind, isOn, isTold) {
    const { library } = this.assets
    const [key, bit] = kind
    const decisions = []
    try {
      await callEach(async each => {
        await inBatches(identifiers, async part => {
          const reply = await each('MarkAssets', { library, selector: { identifiers: part }, [key]: isOn })
          decisions.push(...reply.decisions)
          this.note(part, bit, isOn)
          // If nothing else changed, this view already shows the new revision.
          if (reply.revision === this.assets.revision + 1) this.assets.revision = reply.revision
        })
      })
      const text = t(isOn ? 'marked' : 'unmarked', { mark: t(key), n: identifiers.length })
      // Hiding is a recorded decision with an undo; a favourite is simply set back.
      const back = undo(decisions, () => this.note(identifiers, bit, !isOn))
        ?? { label: t('undo'), run: () => this.keep(identifiers, kind, !isOn, true) }
      if (isTold) toast(text, back)
      else announce(text)
    } catch (refusal) { toastFailure(refusal) }
  }

  note(identifiers, bit, isOn) {
    for (const id of identifiers) {
      const asset = this.assets.indexOf(id)
      if (asset === undefined) continue
      if (isOn) this.assets.marks[asset] |= bit
      else this.assets.marks[asset] &= ~bit
    }
    this.changed()
  }

  // One button per mark. `list()` returns the assets; the result has `buttons` and `redraw()`.
  buttons(list, look) {
    const buttons = kinds.map(kind => {
      const [key, , picture] = kind
      const text = t(`mark.${key}`)
      const button = h('button',
        { class: look, 'aria-label': text, title: text,
          onclick: () => this.set(list(), kind, this.state(list(), kind[1]) !== true).then(redraw) }, icon(picture),
        look === 'plain' && h('span', {}, text))
      return button
    })
    const redraw = () =>
      buttons.forEach((button, at) =>
        button.setAttribute('aria-pressed', String(this.state(list(), kinds[at][1]) ?? 'mixed')))
    redraw()
    return { buttons, redraw }
  }

  // The bar below a grid: the number of selected assets, and actions on them. Hidden without a
  // selection.
  bar(selection, others = []) {
    const count = h('strong', {})
    const marks = this.buttons(() => selection.all(), 'plain')
    const element = h('footer', { class: 'chooser-foot marking', hidden: true }, count,
      h('div', { class: 'actions', role: 'group', 'aria-label': t('marks') }, marks.buttons, others),
      h('button', { class: 'link', onclick: () => selection.clear() }, t('selectNone')))
    return { element, redraw: () => {
      element.hidden = selection.count === 0
      show(count, t(`chosen${this.assets.kindOf(selection)}`, { n: selection.count }))
      marks.redraw()
    } }
  }
}
