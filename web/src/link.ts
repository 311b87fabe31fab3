// The way to a session: in a worker of this page, or in a `pliant view` that served it. Nothing else knows which.

import { decode, type Message } from './messages'

export type Command = { do: string } & Record<string, unknown>

export interface Link {
  send(command: Command): void
}

const TOKEN = 'pliant-token'

/** Opens the way; `hear` gets every answer, `lost` is called when there will be no more. */
export function connect(hear: (message: Message) => void, lost: (why: string) => void): Link {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? sessionStorage.getItem(TOKEN)
  return token ? socket(token, hear, lost) : worker(hear, lost)
}

function worker(hear: (message: Message) => void, lost: (why: string) => void): Link {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
    if (typeof event.data === 'string') lost(event.data)
    else hear(decode(event.data))
  }
  worker.onerror = (event) => lost(event.message)
  queueMicrotask(() => hear({ kind: 'text', value: { type: 'welcome', shown: false } }))
  return { send: (command) => worker.postMessage(JSON.stringify(command)) }
}

/** A token serves once; the server gives the next one to the page itself. */
function socket(token: string, hear: (message: Message) => void, lost: (why: string) => void): Link {
  history.replaceState(null, '', location.pathname + location.search)
  const socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(token)}`)
  socket.binaryType = 'arraybuffer'
  socket.onmessage = (event: MessageEvent<ArrayBuffer>) => {
    const message = decode(event.data)
    if (message.kind === 'text' && message.value.type === 'welcome' && message.value.token) {
      sessionStorage.setItem(TOKEN, message.value.token)
    }
    hear(message)
  }
  socket.onclose = () => {
    lost('pliant view has ended, or another page has taken over; start it again')
  }
  return {
    send: (command) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command))
    },
  }
}
