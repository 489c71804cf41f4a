// Names from files and apps, isolated so that their direction marks cannot reorder the page's text.

const openers = { '\u202a': '\u202c', '\u202b': '\u202c', '\u202d': '\u202c', '\u202e': '\u202c', '\u2066': '\u2069',
  '\u2067': '\u2069', '\u2068': '\u2069' }
const breaks = /[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]+/g
// HTML collapses runs of spaces, which would make different names look the same.
const runs = /[ \t]{2,}/g
const controls = /[\u202a-\u202e\u2066-\u2069]/
// Right-to-left letters, and the controls that change direction.
const turning = new RegExp('[\\u0590-\\u08ff\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufb1d-\\ufdff' +
  '\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]', 'u')

// Closes every embedding, override and isolate that a name opens, and removes ends without a
// beginning, which would close the surrounding isolate. Line breaks become spaces, because a
// paragraph's end closes isolates. Runs of spaces stay visible, so that different names look
// different.
export function balanced(text) {
  if (typeof text !== 'string') return text
  const line = text.replace(breaks, ' ').replace(runs, run => [...run].map((_, at) => at % 2 ? ' ' : '\u00a0').join(''))
  if (!controls.test(line)) return line
  const open = []
  let result = ''
  for (const character of line) {
    if (openers[character]) open.push(openers[character])
    else if (character === '\u202c') {
      // A pop ends only embeddings inside the current isolate.
      if (open.at(-1) !== character) continue
      open.pop()
    } else if (character === '\u2069') {
      const at = open.lastIndexOf(character)
      if (at < 0) continue
      // The end of an isolate also ends the embeddings inside it.
      open.length = at
    }
    result += character
  }
  return result + open.reverse().join('')
}

// A name for use inside a sentence, isolated.
export const isolated = text => `\u2068${balanced(String(text))}\u2069`

// Isolates only names that could change the direction.
export const apart = text => turning.test(text) ? isolated(text) : balanced(text)

// Alphabets with letters that look alike, as Unicode ranges, the same as in Alphabets.swift. The
// micro and ohm signs belong to none, because units combine them with Latin letters.
const alphabets = [
  new RegExp('[A-Za-z\\u00c0-\\u02af\\u1d00-\\u1d25\\u1e00-\\u1eff\\u212a\\u212b\\u2160-\\u2188\\u2c60-\\u2c7f' +
    '\\ua720-\\ua7ff\\uab30-\\uab5a\\ufb00-\\ufb06\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d6a5}]', 'u'),
  /[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]/u,
  /[\u0370-\u03ff\u1f00-\u1fff\u{1d6a8}-\u{1d7cb}]/u,
]

// Whether one word mixes alphabets, as a name does that imitates another one.
export const mixesAlphabets = text => text.split(/[^\p{Alphabetic}\p{M}]+/u)
  .some(word => alphabets.filter(letter => letter.test(word)).length > 1)
