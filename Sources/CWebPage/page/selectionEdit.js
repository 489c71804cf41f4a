import { mark } from './assets.js'

// An edit of an app's selection: the present one beside the one at opening.
//
// `options`: `preselected` are identifiers in the app's order; `isPicker`: nothing was selected.
export class SelectionEdit {
  // The selection at opening, one byte per asset.
  #before = new Uint8Array(0)

  constructor(assets, selection, { preselected = [], isPicker = false }) {
    this.assets = assets
    this.selection = selection
    this.isPicker = isPicker
    // The rank of each preselected asset.
    this.preset = new Map(preselected.map((id, rank) => [id, rank]))
  }

  isBarred(asset) { return this.assets.has(asset, mark.neverShare) }
  isPreset(asset) { return this.preset.size > 0 && this.preset.has(this.assets.id(asset)) }
  // An asset marked never-share keeps its place in the selection; the page does not change it.
  #wasSelected(asset) { return !this.isBarred(asset) && this.assets.has(asset, mark.selected) }

  // Takes in the assets that were loaded since the last call.
  grow() {
    const { assets, selection } = this
    const before = new Uint8Array(assets.count)
    before.set(this.#before)
    for (let asset = this.#before.length; asset < assets.count; asset++) {
      before[asset] = this.#wasSelected(asset) && !this.isPicker ? 1 : 0
    }
    this.#before = before
    selection.grow(assets.count, asset => before[asset] === 1 || (!this.isBarred(asset) && this.isPreset(asset)))
    if (this.preset.size > 0) this.#arrange()
  }

  // Sorts preselected assets before newly picked ones.
  #arrange() {
    const { assets, selection, preset } = this
    const rank = asset => selection.dropped.has(asset) ? preset.size : preset.get(assets.id(asset)) ?? preset.size
    selection.order = new Set([...selection.order].sort((a, b) => rank(a) - rank(b)))
  }

  // Merges changes of the library and of the selection elsewhere; the user's own changes stay.
  // Returns whether the selection changed elsewhere. `places`: see `Assets.renew`.
  merge(places) {
    const { assets, selection } = this
    let isOvertaken = false
    const before = new Uint8Array(assets.count), isKnown = new Uint8Array(assets.count)
    places.forEach((place, asset) => {
      if (place === undefined) return
      before[place] = this.#before[asset]
      isKnown[place] = 1
    })
    selection.renumber(places, assets.count)
    for (let asset = 0; asset < assets.count; asset++) {
      // A never-share asset leaves every selection.
      if (this.isBarred(asset)) {
        before[asset] = 0
        selection.set(asset, false)
      }
      const isSelected = this.#wasSelected(asset)
      if (this.isPicker || isSelected === (before[asset] === 1)) continue
      // A new asset in the selection is the app's own addition, not another user's change.
      if (isKnown[asset]) isOvertaken = true
      before[asset] = isSelected ? 1 : 0
      selection.set(asset, isSelected, true)
    }
    this.#before = before
    return isOvertaken
  }

  difference() {
    const add = [], remove = []
    for (let asset = 0; asset < this.assets.count; asset++) {
      const isSelected = this.selection.has(asset)
      if (isSelected && !this.#before[asset]) add.push(asset)
      else if (!isSelected && this.#before[asset]) remove.push(asset)
    }
    return { add, remove, isChanged: add.length + remove.length > 0 }
  }

  // Deselected and selected again: the app gets these as new ones.
  get again() { return [...this.selection.dropped].filter(asset => this.selection.has(asset) && this.isPreset(asset)) }

  get isUnsaved() {
    if (!this.isPicker) return this.difference().isChanged
    const { order, dropped } = this.selection
    return [...order].some(asset => !this.isPreset(asset))
      || [...dropped].some(asset => !this.selection.has(asset) && this.isPreset(asset))
  }

  // The numbers of selected assets that the app does not see, by text key: hidden ones, and those not
  // listed here. Trashed and never-share assets become visible again when restored or unmarked.
  unseen() {
    const { assets, selection } = this
    let here = 0, barred = 0, hidden = 0
    for (const asset of selection.order) if (assets.has(asset, mark.hidden)) hidden += 1
    for (let asset = 0; asset < assets.count; asset++) {
      if (!assets.has(asset, mark.selected)) continue
      here += 1
      if (this.isBarred(asset)) barred += 1
    }
    return [['ofThemHidden', hidden], ['alsoInTrash', assets.selected - here], ['alsoNeverShared', barred]]
      .filter(([, n]) => n > 0)
  }
}
