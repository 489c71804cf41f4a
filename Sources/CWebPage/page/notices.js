import { h } from './dom.js'
import { t } from './text.js'

// The button that asks for the browser's notifications; absent once that was answered.
export function notifyButton() {
  if (window.Notification?.permission !== 'default') return undefined
  const button = h('button',
    { class: 'plain', onclick: () => Notification.requestPermission().finally(() => button.remove()) }, t('notifyHere'))
  return button
}

// Shows a notification if the page is not visible and the person allowed it.
export function notify(text) {
  if (!document.hidden || window.Notification?.permission !== 'granted') return
  const notice = new Notification('PhotoBroker', { body: text, icon: '/icon.svg', tag: 'photobroker' })
  notice.onclick = () => { focus(); notice.close() }
}
