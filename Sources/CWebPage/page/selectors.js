import { t, whenText } from './text.js'

// A rule's selection in words; empty if it has none. `titleOf` gives an album's title by its identifier;
// none for a deleted album.
export const selectorsText = (selectors, titleOf) => (selectors ?? []).map(selector => words(selector, titleOf))
  .join('; ')

function words({ glob, album, createdFrom, createdBefore, filename, mediaType, favorite, last, all }, titleOf) {
  const kind = favorite ? 'select.favorites' : mediaType === 'image' ? 'select.images' : mediaType === 'video'
    ? 'select.videos' : 'select.photos'
  const narrowing = [
    favorite && mediaType && t(mediaType === 'image' ? 'select.onlyImages' : 'select.onlyVideos'),
    favorite === false && t('select.noFavorites'), glob && t('select.glob', { glob }),
    album && (titleOf(album) ? t('select.album', { album: titleOf(album) }) : t('outcome.albumGone')),
    filename && t('select.filename', { filename }),
    createdFrom !== undefined && createdFrom !== null && t('select.from', { when: whenText(createdFrom) }),
    createdBefore !== undefined && createdBefore !== null && t('select.before', { when: whenText(createdBefore) })]
  .filter(Boolean)
  const number = last === undefined || last === null ? undefined : Number(last)
  if (all && narrowing.length === 0 && !favorite && !mediaType && number === undefined) return t('select.all')
  return [number === undefined ? t(kind) : t('select.last', { n: number, kind: t(kind) }), ...narrowing].join(', ')
}
