// The engine as WASM in a worker: text in, messages out.

interface Engine {
  memory: WebAssembly.Memory
  room(length: number): number
  command(): void
  next(): number
  answer(): number
}

const page = self as unknown as { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: unknown }

let memory: WebAssembly.Memory
const imports = {
  page: {
    now: () => performance.now(),
    fail: (text: number, length: number) => page.postMessage(`the engine failed: ${read(text, length)}`),
  },
}

function read(at: number, length: number): string {
  return new TextDecoder().decode(new Uint8Array(memory.buffer, at, length))
}

async function start(): Promise<Engine> {
  const response = fetch(new URL(/* @vite-ignore */ '../pliant.wasm', import.meta.url))
  const bytes = await (await response).arrayBuffer()
  const { instance } = await WebAssembly.instantiate(bytes, imports)
  const engine = instance.exports as unknown as Engine
  memory = engine.memory
  return engine
}

const engine = start()

page.onmessage = async (event: MessageEvent<string>) => {
  try {
    const { room, command, next, answer } = await engine
    const text = new TextEncoder().encode(event.data)
    const at = room(text.length) // First: memory may grow, and its buffer is then another.
    new Uint8Array(memory.buffer, at, text.length).set(text)
    command()
    for (let length = next(); length > 0; length = next()) {
      const start = answer()
      const message = memory.buffer.slice(start, start + length)
      page.postMessage(message, [message])
    }
  } catch (error) {
    page.postMessage(`the engine failed: ${String(error)}`)
  }
}
