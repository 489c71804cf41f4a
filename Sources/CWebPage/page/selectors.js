import { t, whenText } from './text.js'

// A rule's selection in words; empty if it has none.
export const selectorsText = selectors => (selectors ?? []).map(words).join('; ')

function words({ glob, album, createdFrom, createdBefore, filename, mediaType, favorite, last, all }) {
  const kind = favorite ? 'select.favorites' : mediaType === 'image' ? 'select.images' : mediaType === 'video'
    ? 'select.videos' : 'select.photos'
  const narrowing = [
    favorite && mediaType && t(mediaType === 'image' ? 'select.onlyImages' : 'select.onlyVideos'),
    favorite === false && t('select.noFavorites'), glob && t('select.glob', { glob }),
    album && t('select.album', { album }),
    filename && t('select.filename', { filename }),
    createdFrom !== undefined && createdFrom !== null && t('select.from', { when: whenText(createdFrom) }),
    createdBefore !== undefined && createdBefore !== null && t('select.before', { when: whenText(createdBefore) })]
  .filter(Boolean)
  const number = last === undefined || last === null ? undefined : Number(last)
  if (all && narrowing.length === 0 && !favorite && !mediaType && number === undefined) return t('select.all')
  return [number === undefined ? t(kind) : t('select.last', { n: number, kind: t(kind) }), ...narrowing].join(', ')
}
