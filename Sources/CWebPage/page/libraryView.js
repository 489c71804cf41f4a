import { AlbumFilter } from './albums.js'
import { mark } from './assets.js'
import { announce, h, tabs } from './dom.js'
import { Grid } from './grid.js'
import { icon } from './icons.js'
import { LibraryNotes } from './indexing.js'
import { Scrubber } from './scrubber.js'
import { Search } from './search.js'
import { t } from './text.js'

// A library's photos with their filters: tabs, albums, and a search for names, dates and places.
//
// `options`:
// - `tabs`: keys with texts; the first one is without filter.
// - `fits(asset)`: whether the present tab, `tab`, shows an asset.
// - `arranging()`: called before the grid gets its photos.
// - `count`: the element with the number of photos, as `countText(items)`.
// - `picture` and `emptyText()`: shown without photos.
// - `seenBy`: an app, for the albums and members that it sees.
// - `albumChanged()`; `failed(refusal)`: an album could not be loaded.
// - `grid`: the grid's own options.
export class LibraryView {
  // The album, folder or place in view.
  #part = ''

  constructor(assets, options) {
    this.assets = assets
    this.options = options
    this.tab = options.tabs[0][0]
    this.grid = new Grid(assets, {
      ...options.grid, arranged: layout => this.scrubber.arranged(layout),
      scrolled: (top, layout) => this.scrubber.scrolled(top, layout),
    })
    this.scrubber = new Scrubber(this.grid)
    this.albums = new AlbumFilter(assets,
      { app: options.seenBy, failed: options.failed, changed: () => this.partChanged() })
    this.search = new Search(assets, { failed: options.failed, changed: () => this.partChanged() })
    this.notes = new LibraryNotes(assets.library)
    this.emptyText = h('p', {})
    this.empty = h('div', { class: 'grid-empty', hidden: true },
      h('div', { class: 'empty-picture' }, icon(options.picture)), this.emptyText)
    this.bar = h('div', { class: 'chooser-bar' },
      tabs(t('show'), options.tabs, this.tab, key => { this.tab = key; this.narrow() }), this.albums.element,
      tabs(t('groupBy'), [['month', t('months')], ['day', t('days')]], this.grid.by, key => this.grid.group(key)),
      this.search.element, this.search.chip, this.notes.indexing)
    this.element = h('div', { class: 'chooser-grid' }, this.grid.element, this.scrubber.element, this.empty)
  }

  end() {
    this.assets.end()
    this.grid.end()
  }

  // Shows the photos that the filters let through. `places`: see `Grid.set`.
  apply(places) {
    const { assets, albums, search, options } = this
    const items = []
    for (let asset = 0; asset < assets.count; asset++) {
      const time = assets.has(asset, mark.undated) ? undefined : assets.dates[asset]
      if (options.fits(asset) && albums.has(asset) && search.fits(asset, assets.names[asset], time)) {
        items.push(asset)
      }
    }
    options.arranging()
    this.grid.set(items, places)
    this.empty.hidden = items.length > 0 || assets.count < assets.total || albums.isArriving
      || search.part.isArriving
    this.emptyText.textContent = options.emptyText()
    options.count.textContent = options.countText(items)
  }

  get part() { return JSON.stringify([this.albums.chosen, this.search.part.chosen, this.search.text]) }

  narrow() {
    this.#part = this.part
    this.grid.narrow(this.tab !== this.options.tabs[0][0] || this.albums.chosen !== '' || this.search.isNarrow)
    this.apply()
    announce(this.empty.hidden ? this.options.count.textContent : this.emptyText.textContent)
  }

  partChanged() {
    this.options.albumChanged?.()
    if (this.part === this.#part) this.apply()
    else this.narrow()
  }

  // Reloads album, folder and place after the library changed.
  renewParts() {
    this.albums.renew()
    this.search.part.renew()
  }
}
