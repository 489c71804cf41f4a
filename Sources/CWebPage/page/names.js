// Names that somebody else chose, amid words of the page: a name turns nothing but itself, whatever characters it holds.

const openers = { '\u202a': '\u202c', '\u202b': '\u202c', '\u202d': '\u202c', '\u202e': '\u202c', '\u2066': '\u2069', '\u2067': '\u2069', '\u2068': '\u2069' }
const breaks = /[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]+/g
// More than one space, of which only one would show.
const runs = /[ \t]{2,}/g
const controls = /[\u202a-\u202e\u2066-\u2069]/
// Characters that are written from right to left, and those that turn others.
const turning = /[\u0590-\u08ff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

// The same with every embedding, override and isolate that it opens closed, and none closed that it did not open: a stray end would
// close the isolate that it is put into. An isolate also ends at the end of a paragraph, which a name therefore has not. As many spaces as
// it has are seen: two names that differ in them look different.
export function balanced(text) {
  if (typeof text !== 'string') return text
  const line = text.replace(breaks, ' ').replace(runs, run => [...run].map((_, at) => at % 2 ? ' ' : '\u00a0').join(''))
  if (!controls.test(line)) return line
  const open = []
  let result = ''
  for (const character of line) {
    if (openers[character]) open.push(openers[character])
    else if (character === '\u202c') {
      // It ends an embedding, and none outside of an isolate that is open.
      if (open.at(-1) !== character) continue
      open.pop()
    } else if (character === '\u2069') {
      const at = open.lastIndexOf(character)
      if (at < 0) continue
      // It ends what was opened within it too.
      open.length = at
    }
    result += character
  }
  return result + open.reverse().join('')
}

// A name amid words, which it is kept from reordering.
export const isolated = text => `\u2068${balanced(String(text))}\u2069`

// The same where the name could turn something; others stay as they are.
export const apart = text => turning.test(text) ? isolated(text) : balanced(text)

// Alphabets with letters that look like those of another one, by the blocks of Unicode, as the command line knows them (Alphabets.swift). The
// micro sign and the ohm sign are of none: they stand beside Latin letters in units.
const alphabets = [
  /[A-Za-z\u00c0-\u02af\u1d00-\u1d25\u1e00-\u1eff\u212a\u212b\u2160-\u2188\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab5a\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d6a5}]/u,
  /[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]/u,
  /[\u0370-\u03ff\u1f00-\u1fff\u{1d6a8}-\u{1d7cb}]/u,
]

// Whether a word has letters of more than one of them, as where a name is to be taken for another one.
export const mixesAlphabets = text => text.split(/[^\p{Alphabetic}\p{M}]+/u).some(word => alphabets.filter(letter => letter.test(word)).length > 1)
