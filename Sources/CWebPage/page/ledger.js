import { failureText, h, name, show } from './dom.js'
import { inBatches } from './drafts.js'
import { alike, appOf, avatar, titled } from './identity.js'
import { call } from './server.js'
import { bytesText, count, locale, t, whenText } from './text.js'
import { pictureElement } from './thumbnails.js'

const day = 86400000
// Days in the viewer's time zone, as in the list below.
const dayOf = time => Math.floor((time - new Date(time).getTimezoneOffset() * 60_000) / day)
const shownDays = 30
const onePage = 200
// Assets, or ledger lines, per call.
const batch = 1000
// Pages read at most to complete the last group.
const mostPages = 20

// The distinct assets handed over, in all and per day.
class Counts {
  all = new Set()
  days = new Map()

  note(line) {
    if (line.gap || line.rendition === 'notCleaned') return
    const number = dayOf(line.time / 1000)
    if (!this.days.has(number)) this.days.set(number, new Set())
    this.days.get(number).add(line.asset)
    this.all.add(line.asset)
  }

  on(day) { return this.days.get(day)?.size ?? 0 }
}

function chart(counts) {
  const today = dayOf(Date.now())
  const most = Math.max(1, ...[...counts.days.keys()].map(day => counts.on(day)))
  const label = number => new Date(number * day)
    .toLocaleDateString(locale, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  const total = counts.all.size
  const bars = Array.from({ length: shownDays }, (_, at) => {
    const number = counts.on(today - shownDays + 1 + at)
    const bar = h('span',
      { class: number ? 'bar' : 'bar none', title: `${label(today - shownDays + 1 + at)}: ${count(number)}` })
    bar.style.height = `${number ? Math.max(6, number / most * 100) : 2}%`
    return bar
  })
  return h('figure', { class: 'chart' },
    h('div', { class: 'bars', role: 'img', 'aria-label': t('chartText', { n: total }) }, bars),
    h('figcaption', {}, h('span', {}, label(today - shownDays + 1)),
      h('span', { class: 'chart-total' }, t('chartText', { n: total })), h('span', {}, t('today'))))
}

const belongs = (line, first) => first !== undefined && !line.gap && !first.gap && first.app === line.app
  && first.rendition === line.rendition && first.time - line.time < 60e6

// The end of the group that contains the line before `place`.
function endOfGroup(lines, place) {
  let first
  for (const [at, line] of lines.entries()) {
    if (belongs(line, first)) continue
    if (at >= place) return at
    first = line
  }
  return lines.length
}

// Groups lines of one app and one minute. `isPart`: the last group may continue on the next page.
function grouped(lines, isPart) {
  const groups = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (belongs(line, last)) {
      last.assets.add(line.asset)
      last.bytes += line.bytes
    } else groups.push({ ...line, assets: new Set([line.asset]) })
  }
  if (isPart && groups.length > 0) groups.at(-1).isPart = true
  return groups
}

// Rows for groups of lines. `photos(group)` returns a group's expandable list.
function entries(lines, isPart, library, withApps, photos) {
  return h('ul', { class: 'rows plainly' }, grouped(lines, isPart).map(group => {
    if (group.gap) return h('li', { class: 'row' }, h('span', { class: 'row-text' }, t('ledgerGap')),
      h('span', { class: 'quiet' }, whenText(group.time)))
    const app = appOf(group.app)
    return h('li', {},
      h('div', { class: 'row' },
        withApps && avatar(app ?? { identifier: group.identifier, displayName: group.identifier }),
      h('span', { class: 'row-text' }, h('strong', {}, withApps ? titled(group) : t(`rendition.${group.rendition}`)),
        withApps && app && alike(app),
        h('span', { class: 'quiet' }, withApps && `${t(`rendition.${group.rendition}`)} · `,
        t(group.isPart ? 'itemsAtLeast' : 'items', { n: group.assets.size }),
        group.bytes > 0 && ` · ${bytesText(group.bytes)}`)),
      h('span', { class: 'strip tiny' },
        [...group.assets].slice(0, 5).map(asset => pictureElement({ library, asset, pixels: 320 }))),
      h('span', { class: 'quiet' }, whenText(group.time))), photos(group))
  }))
}

// The filenames of assets, by identifier; deleted assets have none.
async function names(library, assets) {
  const found = new Map()
  const find = async some => {
    try {
      const page = await call('FetchOwnedAssets', { library, selector: { identifiers: some }, limit: batch })
      for (const asset of page.assets) found.set(asset.identifier, asset.filename)
      // One message may hold only some of them.
      const rest = some.filter(asset => !found.has(asset))
      if (page.assets.length > 0 && rest.length > 0) await find(rest)
    } catch (refusal) {
      if (refusal.name !== 'NotFound') throw refusal
      // One asset is deleted, which fails the whole call: halves find it.
      const half = some.length >> 1
      for (const part of half > 0 ? [some.slice(0, half), some.slice(half)] : []) await find(part)
    }
  }
  await inBatches(assets, find, batch)
  return found
}

class Handed {
  // Filename by asset; null for a deleted one.
  names = new Map()
  // Keys of the opened groups.
  open = new Set()

  constructor(library) { this.library = library }

  element(group) {
    // The oldest asset: newer ones may still join the group.
    const assets = [...group.assets], key = `${group.app} ${group.rendition} ${assets.at(-1)}`
    const place = h('div', {})
    const details = h('details', { class: 'handed', 'data-handed': key, open: this.open.has(key), ontoggle: () => {
      if (!details.open) return this.open.delete(key)
      this.open.add(key)
      this.fill(place, assets)
    } }, h('summary', {}, t(group.isPart ? 'latestItems' : 'whichItems', { n: assets.length })), place)
    return details
  }

  async fill(place, assets) {
    const unknown = assets.filter(asset => !this.names.has(asset))
    try {
      if (unknown.length > 0) {
        const found = await names(this.library, unknown)
        for (const asset of unknown) this.names.set(asset, found.get(asset) ?? null)
      }
    } catch (refusal) { return show(place, h('p', { class: 'quiet' }, failureText(refusal))) }
    show(place,
      h('ul', {}, assets.map(asset => h('li', {}, pictureElement({ library: this.library, asset, pixels: 320 }),
      this.names.get(asset) === null ? h('span', { class: 'quiet' }, t('photoGone')) : name(this.names.get(asset))))))
  }
}

// The ledger: a chart of the last 30 days, and a list that loads page by page.
//
// `options`: `library`; `app` as a filter; `none`: the element for an empty ledger.
export class Ledger {
  constructor(place, options) {
    this.options = options
    // Lines read, the number of lines shown, and the number the user asked for.
    this.lines = []
    this.shown = 0
    this.wanted = onePage
    this.counts = new Counts()
    // Serial numbers of the last request and of the last answer shown.
    this.asked = this.answered = 0
    this.picture = h('div', {})
    this.list = h('div', {})
    this.handed = new Handed(options.library)
    this.more = h('button', { class: 'plain more', hidden: true, onclick: () => this.earlier() }, t('showEarlier'))
    this.note = h('p', { class: 'quiet' })
    show(place, this.picture, this.list, this.note, this.more)
    this.begin()
  }

  end() { this.isEnded = true }

  read(parameters) {
    const { library, app } = this.options
    return call('ReadLedger', { library, app, ...parameters })
  }

  // Fetches the newest lines; undefined if a later request was answered first.
  async newest() {
    const turn = this.asked += 1
    const page = await this.read({ limit: onePage }).catch(refusal => { if (turn > this.answered) throw refusal })
    if (!page || this.isEnded || turn < this.answered) return undefined
    this.answered = turn
    return page
  }

  async begin() {
    try {
      const page = await this.newest()
      if (!page) return
      this.lines = page.entries
      this.place(page)
      await this.showWanted()
      await this.countDays()
    } catch (refusal) { if (!this.isEnded) show(this.note, failureText(refusal)) }
  }

  place(page) {
    this.cursor = page.cursor ?? null
    this.isTrimmed = this.cursor === null && page.trimmed
    this.isDamaged = page.damaged
  }

  // Shows the wanted lines and completes the last group, so that its count is exact. After
  // `mostPages` pages its count is a minimum. Further lines wait until asked for.
  async showWanted() {
    for (let pages = 0; ; pages += 1) {
      this.draw()
      if (this.shown < this.lines.length || this.cursor === null || pages === mostPages) return
      const cursor = this.cursor
      const page = await this.read({ limit: batch, cursor })
      // The list was reloaded meanwhile, so this page does not continue it.
      if (this.isEnded || cursor !== this.cursor) return
      this.lines.push(...page.entries)
      this.place(page)
    }
  }

  // One count at a time; changes during one start another.
  async countDays() {
    this.wantsCount = true
    if (this.isCounting) return
    this.isCounting = true
    try {
      while (this.wantsCount && !this.isEnded) {
        this.wantsCount = false
        await this.count()
      }
    } finally { this.isCounting = false }
  }

  // Counts the chart's lines, 1,000 at a time, and keeps only asset identifiers.
  async count() {
    const now = new Date()
    const since = new Date(now.getFullYear(), now.getMonth(), now.getDate() - shownDays + 1).getTime() * 1000
    const counts = new Counts()
    let cursor, newest
    this.countedTo = undefined
    do {
      const page = await this.read({ limit: 1000, since, cursor })
      newest ??= page.entries[0]?.time ?? 0
      for (const line of page.entries) counts.note(line)
      cursor = page.cursor ?? undefined
      if (this.isEnded) return
      this.counts = counts
      this.drawPicture()
    } while (cursor)
    this.countedTo = newest
  }

  async earlier() {
    this.more.disabled = true
    this.wanted = this.shown + onePage
    try { await this.showWanted() } catch (refusal) { show(this.note, failureText(refusal)) }
    this.more.disabled = false
  }

  // Adds new lines on top and keeps opened groups.
  async refresh() {
    const page = await this.newest().catch(() => undefined)
    if (!page) return
    const newest = this.lines[0]
    const same = line => newest && line.time === newest.time && line.asset === newest.asset
      && line.rendition === newest.rendition && line.bytes === newest.bytes
    const known = page.entries.findIndex(same)
    const isSame = known === 0 || (page.entries.length === 0 && !newest)
    if (isSame && this.isDrawn && (this.isCounting || this.countedTo !== undefined)) return
    if (known < 0) {
      this.lines = page.entries
      this.wanted = onePage
      this.place(page)
    } else {
      this.lines.unshift(...page.entries.slice(0, known))
      this.wanted += known
    }
    // Counts new lines directly, unless some of them were not fetched or a full count is under way.
    const isCounted = known > 0 && !this.isCounting && this.countedTo !== undefined
    if (isCounted) {
      for (const line of page.entries.slice(0, known)) if (line.time > this.countedTo) this.counts.note(line)
      this.countedTo = Math.max(this.countedTo, page.entries[0].time)
    }
    // If the list was kept, a `showWanted` under way continues it.
    if (known < 0) this.showWanted().catch(() => {})
    else this.draw()
    if (!isCounted) this.countDays().catch(() => {})
  }

  draw() {
    this.isDrawn = true
    this.shown = endOfGroup(this.lines, this.wanted)
    const isAll = this.shown === this.lines.length && this.cursor === null
    this.more.hidden = isAll
    show(this.note, this.isDamaged && t('ledgerDamaged'), isAll && this.isTrimmed && t('ledgerTrimmed'))
    if (this.lines.length === 0) show(this.list, !this.isDamaged && this.options.none())
    else {
      const focused = document.activeElement?.closest('[data-handed]')?.dataset.handed
      show(this.list,
        entries(this.lines.slice(0, this.shown), this.shown === this.lines.length && !isAll, this.options.library,
          !this.options.app, group => this.handed.element(group)))
      if (focused) this.list.querySelector(`[data-handed="${focused}"] summary`)?.focus({ preventScroll: true })
    }
    this.drawPicture()
  }

  drawPicture() { show(this.picture, this.lines.length > 0 && chart(this.counts)) }
}
