// The engine as WASM in Node: the same four functions that the page's worker calls.

import { readFileSync } from 'node:fs'

/** A session; `send` gives the answers to a command as buffers. */
export async function startEngine(path) {
  let engine
  const read = (at, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, length))
  const page = {
    now: () => performance.now(),
    fail: (at, length) => { throw new Error(read(at, length)) },
  }
  engine = (await WebAssembly.instantiate(readFileSync(path), { page })).instance.exports
  return (command) => {
    const text = new TextEncoder().encode(JSON.stringify(command))
    const room = engine.room(text.length) // First: memory may grow, and its buffer is then another.
    new Uint8Array(engine.memory.buffer, room, text.length).set(text)
    engine.command()
    const answers = []
    for (let length = engine.next(); length > 0; length = engine.next()) {
      const at = engine.answer()
      answers.push(Buffer.from(engine.memory.buffer.slice(at, at + length)))
    }
    const error = answers.filter((a) => a.readUInt32LE(0) === 0).map((a) => JSON.parse(a.subarray(4))).find((a) => a.type === 'error')
    if (error) throw new Error(error.shown)
    return answers
  }
}

/** Hash of the exact state of a frame message, as `pliant run --hashes` prints it. */
export function hashOf(message) {
  const half = (at) => message.readBigUInt64LE(at).toString(16).padStart(16, '0')
  return half(28) + half(36)
}

/** Time that the phases of a frame's steps took [ms]: the last numbers. */
function phasesOf(message) {
  const count = message.readUInt32LE(56)
  const end = message.length
  return Array.from({ length: count }, (_, i) => message.readFloatLE(end - 4 * (count - i))).reduce((a, b) => a + b, 0)
}

/** Simulates a scene; gives hashes of its frames and the time of each one's steps [ms]. */
export async function simulate(path, scene, frames) {
  const send = await startEngine(path)
  const hashes = [hashOf(send({ do: 'load', name: scene.path, text: scene.text, files: scene.files }).at(-1))]
  const times = []
  for (let i = 0; i < frames; i++) {
    const frame = send({ do: 'step' }).at(-1)
    hashes.push(hashOf(frame))
    times.push(phasesOf(frame))
  }
  return { hashes, times }
}
