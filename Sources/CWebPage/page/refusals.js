import { t } from './text.js'

const isThere = key => t(key) !== key

// Why nothing came of what was asked, in the person's words as far as the error's name says it, together with what was asked or
// what is not there. The broker's own words, which are English, stand with it where they say more.
export function refusalText(method, name, { what, message = '' } = {}) {
  const key = [`refused.${name}.${method}`, `refused.${name}.${what}`, `refused.${name}`].find(isThere)
  return key ? t(key, { detail: message }) : message
}
