// Spans of days, as people type them in English and German. Days count from 1970-01-01.

// The twelve months' names in both languages, lower case.
const months = ['en', 'de'].map(tag => {
  const long = new Intl.DateTimeFormat(tag, { month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => long.format(Date.UTC(2000, month, 15)).toLowerCase())
})

// The number of a month by its name, or by the first letters of it, three at least; 0 for another
// word.
function monthNamed(word) {
  const fits = names => names.findIndex(name => word.length > 2 && name.startsWith(word)) + 1
  return Math.max(...months.map(fits))
}

const numberOf = date => Date.UTC(...date) / 86400000

// A year, a month or a day; undefined if there is none such.
function span(year, month, day) {
  const [y, m, d] = [Number(year), Number(month ?? 1), Number(day ?? 1)]
  const first = numberOf([y, m - 1, d]), date = new Date(first * 86400000)
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) return undefined
  const after = day ? first + 1 : month ? numberOf([y, m, 1]) : numberOf([y + 1, 0, 1])
  return [first, after - 1]
}

// The present span of a unit, or the one before, by the viewer's calendar. Weeks begin on Monday.
function around(unit, back) {
  const now = new Date(), year = now.getFullYear(), month = now.getMonth(), day = now.getDate()
  if (/^(y|j)/.test(unit)) return span(year - back)
  if (/^m/.test(unit)) return [numberOf([year, month - back, 1]), numberOf([year, month - back + 1, 1]) - 1]
  if (/^w/.test(unit)) {
    const monday = numberOf([year, month, day]) - (now.getDay() + 6) % 7 - 7 * back
    return [monday, monday + 6]
  }
  return [numberOf([year, month, day - back]), numberOf([year, month, day - back])]
}

const year = '([1-9]\\d{3})', number = '(\\d\\d?)', word = '(\\p{L}+)\\.?'
const form = (pattern, read) => [new RegExp(`^${pattern}$`, 'u'), read]

// 3/7/2024 is none, because it is two days.
const forms = [
  form(year, span),
  form(`${year}[-/]${number}`, span),
  form(`${year}[-/]${number}[-/]${number}`, span),
  form(`${number}\\. ?${number}\\. ?${year}`, (d, m, y) => span(y, m, d)),
  form(`${number}[./]${year}`, (m, y) => span(y, m)),
  form(`${number}(?:\\.|st|nd|rd|th)? ?${word} ${year}`, (d, name, y) => span(y, monthNamed(name), d)),
  form(`${word} ${number}(?:st|nd|rd|th)?,? ${year}`, (name, d, y) => span(y, monthNamed(name), d)),
  form(`${word} ${year}`, (name, y) => span(y, monthNamed(name))),
  form('(?:today|heute)', () => around('day', 0)),
  form('(?:yesterday|gestern)', () => around('day', 1)),
  form('(?:this|diese[nrms]?) (week|woche|month|monat|year|jahr)', unit => around(unit, 0)),
  form('(?:last|letzte[nrms]?) (week|woche|month|monat|year|jahr)', unit => around(unit, 1)),
]

function one(text) {
  for (const [pattern, read] of forms) {
    const found = pattern.exec(text)
    if (found) return read(...found.slice(1))
  }
}

// The first and the last day of a lower-case text, such as "3 january 2024" or "may 2023 to june
// 2024"; undefined if it is no date.
export function daysOf(text) {
  const ends = text.replace(/^(from|von) /, '').split(/ ?(?:–|\.\.) ?| (?:-|to|until|bis) |(?<=^\d{4})-(?=\d{4}$)/)
  const [first, last] = [one(ends[0]), one(ends.at(-1))]
  return ends.length < 3 && first && last && first[0] <= last[1] ? [first[0], last[1]] : undefined
}
