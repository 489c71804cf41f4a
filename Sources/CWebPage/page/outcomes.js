import { h } from './dom.js'
import { apart } from './names.js'
import { policyText } from './policies.js'
import { account } from './server.js'
import { bytesText, t, whenText } from './text.js'

// Translates the broker's descriptions of decisions, which have one fixed form for all programs.

// One limit of an allowance, such as photosPerHour.
export const limitText = (limit, n) =>
  t(`outcome.${limit}`, limit.startsWith('bytes') ? { bytes: bytesText(n) } : { n })

// The limits beside photosPerDay.
export const rates = ['photosPerHour', 'bytesPerHour', 'bytesPerDay']
export const ratesText = terms =>
  rates.filter(limit => terms[limit]).map(limit => limitText(limit, terms[limit])).join(', ')

const users = text => ({ users: text.split(' ').map(account).join(', ') })

// Patterns of the broker's parts, with their translations. Names stay as they are.
const forms = [
  [/^(notDetermined|restricted|denied|authorized|limited)$/,
    (status, { level }) => t(status === 'authorized' && level === 'addOnly' ? 'status.adding' : `status.${status}`)],
  [/^limited, (\d+) selected$/, n => t('selectedPhotos', { n: Number(n) })],
  [/^(\d+) selected$/, n => t('photosCount', { n: Number(n) })],
  [/^live$/, () => t('outcome.live')],
  [/^paused$/, () => t('outcome.paused')],
  [/^until (-?\d+)$/, time => t('until', { when: whenText(Number(time)) })],
  [/^once$/, () => t('lasts.once')],
  [/^(with location|without location|without captions|pictures only|read-only)$/, terms => t(`outcome.${terms}`)],
  [/^pictures up to (\d+) pixels$/, n => t('outcome.pictures', { n: Number(n) })],
  [/^(without deletions|deletes without asking)$/, terms => t(`outcome.${terms}`)],
  [/^(\d+) photos a day$/, n => limitText('photosPerDay', Number(n))],
  [/^(\d+) photos an hour$/, n => limitText('photosPerHour', Number(n))],
  [/^(\d+) bytes a day$/, n => limitText('bytesPerDay', Number(n))],
  [/^(\d+) bytes an hour$/, n => limitText('bytesPerHour', Number(n))],
  [/^without allowance$/, () => t('outcome.without allowance')],
  [/^albums (.+)$/, policy => t('outcome.albums', { albums: policyText(policy) })],
  [/^asks$/, () => t('outcome.asks')],
  [/^(\d+) (hidden|shown|never shared|shareable|favourites|no favourites)$/,
    (n, mark) => t(`outcome.${mark}`, { n: Number(n) })],
  [/^marks since the copy may be missing$/, () => t('outcome.marksMissing')],
  [/^no album$/, () => t('outcome.noAlbum')],
  [/^album ([0-9a-f]+)$/,
    (album, { titles, title }) => titles?.get(album) ?? title
      ? t('outcome.albumTitled', { album: titles?.get(album) ?? title })
      : t(titles ? 'outcome.albumGone' : 'outcome.album')],
  [/^(\d+) assets$/, n => t('photosCount', { n: Number(n) })],
  [/^shared$/, () => t('outcome.shared')],
  [/^originals of edited photos (shared|kept back)$/, how => t(`outcome.originals ${how}`)],
  [/^apps delete( nothing)?$/, none => t(none ? 'outcome.apps delete nothing' : 'outcome.apps delete')],
  [/^standard terms$/, () => t('outcome.standard terms')],
  [/^(?:offered to )?nobody$/, () => t('nobody')],
  [/^offered to users (\d+(?: \d+)*)$/, text => t('outcome.offered', users(text))],
  [/^(declined by|accepted by|offered to) user (\d+)$/, (what, uid) => t(`outcome.${what}`, { uid: account(uid) })],
  [/^(declined by|accepted by|offered to) user (\d+) (for programs|as co-owner)$/,
    (what, uid, how) => `${t(`outcome.${what}`, { uid: account(uid) })} ${t(`outcome.${how}`)}`],
  [/^users (\d+(?: \d+)*)$/, text => t('outcome.users', users(text))],
  [/^owner (\d+)$/, uid => t('outcome.owner', { uid: account(uid) })],
  [/^co-owners (\d+(?: \d+)*)$/, text => t('outcome.coOwners', users(text))],
  [/^administrators (see|decide)$/, what => t(`outcome.administrators ${what}`)],
  [/^([a-z0-9-]+): (allow|select|deny|keep|restrict) (addOnly|readWrite) for (.+) of user (\d+)$/,
    (rule, answer, level, app, uid, { select }) => ruleText(rule, answer, level, app, uid, select)],
  [/^for (\d+) s$/, seconds => t('outcome.lasts', { time: lasting(Number(seconds)) })],
  [/^registered$/, () => t('outcome.registered')],
  [/^user (\d+)$/, uid => t('user', { uid: account(uid) })],
  [/^token ([0-9a-f]{12})[0-9a-f]* given out$/, token => t('outcome.token', { token })],
  [/^child token ([0-9a-f]{12})[0-9a-f]*$/, token => t('outcome.childToken', { token })],
  [/^child token ([0-9a-f]{12})[0-9a-f]* of user (\d+) given out$/,
    (token, uid) => t('outcome.childTokenOf', { token, uid: account(Number(uid)) })],
  [/^own token ([0-9a-f]{12})[0-9a-f]*$/, token => t('outcome.ownToken', { token })],
  [/^revoked$/, () => t('outcome.revoked')],
  [/^(\d+) to delete$/, n => t('photosCount', { n: Number(n) })],
  [/^deletion (allowed|refused)$/, answer => t(`outcome.deletion ${answer}`)],
  [/^(\d+) picked$/, n => t('items', { n: Number(n) })],
  [/^asset ([0-9a-f]+)$/, (asset, { photos }) => photos?.get(asset) ? apart(photos.get(asset)) : t('outcome.photo')],
  [/^cloud mapping by default$/, () => t('outcome.mappingByDefault')],
  [/^cloud mapping (.+)$/, mapping => t('outcome.mapping', { mapping })],
  [/^time zone$/, () => t('outcome.timeZone')],
  [/^mapping (.+)$/, option => t('outcome.mappingOption', { option })],
  [/^credential (.+)$/, option => t('outcome.credential', { option })],
]

function ruleText(rule, answer, level, app, uid, select) {
  const subject = app === 'any app' ? t('anyAppOf', { uid: account(uid) })
    : `${apart(app)}, ${t('user', { uid: account(uid) })}`
  const effect = `${t('outcome.rule', { rule })} ${t(`rule.${answer}`)}${select ? ` (${select})` : ''}`
  return `${effect} · ${t(level === 'addOnly' ? 'short.addOnly' : 'short.reading')} · ${subject}`
}

const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]]

function lasting(seconds) {
  const [unit, size] = units.find(([, size]) => seconds % size === 0)
  return t(`lasting.${unit}`, { n: seconds / size })
}

function words(part, about) {
  for (const [form, say] of forms) {
    const found = form.exec(part)
    if (found) return say(...found.slice(1), about)
  }
  return part
}

// The translated outcome, isolated because it contains names from elsewhere.
//
// `about`: `titles` of existing albums and `photos`, names of existing photos, by identifier;
// `title` of the decision's own album; `select`, a rule's selection in words; `level` of access.
export function outcome(text, about = {}) {
  // An app could choose a name that looks like another outcome, so this pattern comes first.
  const called = /^called (.+)$/.exec(text)
  return text
    && h('bdi', { class: 'name' }, called ? t('outcome.called', { name: apart(called[1]) }) : parts(text, about))
}

const parts = (text, about) => text.split(/, (?!(?<=^limited, )\d+ selected)/).map(part => words(part, about))
  .join(', ')
