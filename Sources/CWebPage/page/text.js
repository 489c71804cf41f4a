import english from './english.json' with { type: 'json' }
import german from './german.json' with { type: 'json' }
import { apart } from './names.js'

// The page's texts, in the browser's language or English.
const languages = { en: english, de: german }
export const language = navigator.languages.map(tag => tag.slice(0, 2).toLowerCase()).find(tag => tag in languages)
  ?? 'en'
export const locale = navigator.languages.find(tag => tag.toLowerCase().startsWith(language)) ?? language
// The user's preferred languages for an app's texts, best first, up to the page's own language.
const last = navigator.languages.findIndex(tag => tag.slice(0, 2).toLowerCase() in languages)
export const wanted = navigator.languages.slice(0, last < 0 ? 8 : last + 1).slice(-8).join(',') || 'en'
const plural = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)
// Clamped to the valid range, because one invalid date would break a whole list.
const farthest = 8.64e15
function format(options) {
  const dates = new Intl.DateTimeFormat(locale, options)
  return milliseconds => dates.format(Math.max(-farthest, Math.min(farthest, milliseconds)))
}
const formatUTC = options => format({ timeZone: 'UTC', ...options })
const long = formatUTC({ dateStyle: 'full' })
const month = formatUTC({ month: 'long', year: 'numeric' })
const shortMonth = formatUTC({ month: 'short', year: 'numeric' })
const moment = formatUTC({ dateStyle: 'medium', timeStyle: 'short' })
const localMoment = format({ dateStyle: 'medium', timeStyle: 'short' })

// The text for a key, with each {name} filled in and foreign names isolated; `n` chooses the plural
// form.
export function t(key, values = {}) {
  let text = languages[language][key] ?? english[key] ?? key
  if (typeof text === 'object') text = text[plural.select(values.n)] ?? text.other
  return text.replace(/\{(\w+)\}/g,
    (_, name) => typeof values[name] === 'number' ? numbers.format(values[name]) : apart(values[name] ?? ''))
}

export const hasText = key => key in english

export const percentText = part => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  .format(Math.min(1, part))
export const count = number => numbers.format(number)
// Photo dates are local times at the place of capture, as if in UTC.
export const dayText = seconds => long(seconds * 1000)
export const monthText = seconds => month(seconds * 1000)
export const shortMonthText = seconds => shortMonth(seconds * 1000)
export const momentText = seconds => moment(seconds * 1000)
// In the viewer's time zone.
export const whenText = microseconds => localMoment(microseconds / 1000)

const instant = formatUTC({ dateStyle: 'medium', timeStyle: 'medium' })
// Names its time zone, for comparison.
export const instantText = microseconds => `${instant(microseconds / 1000)} UTC`
export const placeText = ({ latitude, longitude }) => [latitude, longitude]
  .map(degrees => degrees.toLocaleString(locale, { minimumFractionDigits: 5, maximumFractionDigits: 5 })).join(' · ')

const regions = new Intl.DisplayNames(locale, { type: 'region' })
export const townText = ({ name, country }) => /^[A-Z]{2}$/.test(country ?? '') ? `${name}, ${regions.of(country)}`
  : name

export function bytesText(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let power = 0
  while (bytes >= 1000 && power < units.length - 1) { bytes /= 1000; power += 1 }
  return `${bytes.toLocaleString(locale, { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`
}

export function agoText(microseconds) {
  const seconds = Math.round((microseconds / 1000 - Date.now()) / 1000)
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of [['day', 86400], ['hour', 3600], ['minute', 60]]) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  }
  return t('now')
}
