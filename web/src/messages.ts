// What a session answers, decoded. The other side is crates/pliant_view/src/message.rs.

export interface Parameter {
  name: string
  label: string
  unit: string
  value: number
  low: number
  high: number
  ratio: boolean
}

export interface SceneObject {
  name: string
  kind: string
  body: boolean
  deforms: boolean
  remeshed: boolean
  smooth: boolean
  rest_volume: number
  colour: [number, number, number] | null
  finish: string | null
  hidden: boolean
  parameters: Parameter[]
}

export interface Scene {
  type: 'scene'
  name: string
  title: string
  text: string
  fps: number
  duration: number
  live: boolean
  flat: boolean
  camera: { at: number[] | null; look_at: number[] | null; fov: number }
  phases: string[]
  objects: SceneObject[]
}

export interface Refusal {
  type: 'error'
  message: string
  key?: string
  line: number
  column: number
  shown: string
}

export type TextMessage = Scene | Refusal | { type: 'text'; text: string } | { type: 'welcome'; token?: string; shown: boolean }

export interface Shape {
  points: Float32Array
  triangles: Uint32Array
  /** Edges of its cells: numbers of points, and beyond those of inner nodes. */
  edges: Uint32Array
}

export interface ObjectFrame {
  pose: Float32Array
  points: Float32Array
  surface: { triangles: Uint32Array; normals: Float32Array; colours: Float32Array } | null
  /** What it is made of, if that was asked for: corners of cells or skeletons, and seeds. */
  inside: { nodes: Float32Array; seeds: Float32Array } | null
}

export interface BodyMeasures {
  mass: number
  kinetic: number
  elastic: number
  potential: number
  volume: number
  leastJacobian: number
  centre: [number, number, number]
  speed: number
  asleep: boolean
}

export interface Contact {
  a: number
  b: number
  at: Float32Array
  normal: Float32Array
  force: Float32Array
  gap: number
}

export interface Frame {
  index: number
  time: number
  first: number
  last: number
  playing: boolean
  hash: string
  steps: number
  gap: number
  held: { body: number; point: Float32Array; hand: Float32Array; force: Float32Array } | null
  objects: ObjectFrame[]
  contacts: Contact[]
  bodies: BodyMeasures[]
  phases: Float32Array
}

export type Message =
  | { kind: 'text'; value: TextMessage }
  | { kind: 'topology'; shapes: Shape[] }
  | { kind: 'frame'; frame: Frame }
  | { kind: 'file'; name: string; bytes: Uint8Array<ArrayBuffer> }

/** Reads numbers one after the other; rows of them are views, not copies. */
class Reader {
  private at = 4
  private view: DataView
  constructor(private buffer: ArrayBuffer) {
    this.view = new DataView(buffer)
  }
  u32(): number {
    this.at += 4
    return this.view.getUint32(this.at - 4, true)
  }
  f32(): number {
    this.at += 4
    return this.view.getFloat32(this.at - 4, true)
  }
  f64(): number {
    this.at += 8
    return this.view.getFloat64(this.at - 8, true)
  }
  floats(n: number): Float32Array {
    this.at += 4 * n
    return new Float32Array(this.buffer, this.at - 4 * n, n)
  }
  wholes(n: number): Uint32Array {
    this.at += 4 * n
    return new Uint32Array(this.buffer, this.at - 4 * n, n)
  }
  text(bytes: number): string {
    const text = new TextDecoder().decode(new Uint8Array(this.buffer, this.at, bytes))
    this.at += Math.ceil(bytes / 4) * 4
    return text
  }
  rest(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, this.at)
  }
}

export function decode(buffer: ArrayBuffer): Message {
  const kind = new DataView(buffer).getUint32(0, true)
  const r = new Reader(buffer)
  switch (kind) {
    case 0:
      return { kind: 'text', value: JSON.parse(new TextDecoder().decode(r.rest())) as TextMessage }
    case 1: {
      const shapes: Shape[] = []
      for (let i = r.u32(); i > 0; i--) {
        const [points, triangles, edges] = [r.u32(), r.u32(), r.u32()]
        shapes.push({ points: r.floats(3 * points), triangles: r.wholes(3 * triangles), edges: r.wholes(2 * edges) })
      }
      return { kind: 'topology', shapes }
    }
    case 2:
      return { kind: 'frame', frame: decodeFrame(r) }
    case 3:
      return { kind: 'file', name: r.text(r.u32()), bytes: r.rest() }
    default:
      throw new Error(`unknown message ${kind}`)
  }
}

function decodeFrame(r: Reader): Frame {
  const index = r.u32()
  const time = r.f64()
  const [first, last, flags] = [r.u32(), r.u32(), r.u32()]
  const hash = [...r.wholes(4)].map((x) => x.toString(16).padStart(8, '0')).join('')
  const [objects, contacts, bodies, phases, steps] = [r.u32(), r.u32(), r.u32(), r.u32(), r.u32()]
  const gap = r.f32()
  const held = flags & 1 ? { body: r.u32(), point: r.floats(3), hand: r.floats(3), force: r.floats(3) } : null
  const times = <T>(n: number, read: () => T) => Array.from({ length: n }, read)
  return {
    index, time, first, last, hash, steps, gap, held,
    playing: (flags & 2) !== 0,
    objects: times(objects, () => {
      const pose = r.floats(7)
      const [points, triangles, has] = [r.u32(), r.u32(), r.u32()]
      const at = r.floats(3 * points)
      const surface = has & 1 ? { triangles: r.wholes(3 * triangles), normals: r.floats(3 * points), colours: r.floats(has & 2 ? 3 * points : 0) } : null
      if (!(has & 4)) return { pose, points: at, surface, inside: null }
      const [nodes, seeds] = [r.u32(), r.u32()]
      return { pose, points: at, surface, inside: { nodes: r.floats(3 * nodes), seeds: r.floats(3 * seeds) } }
    }),
    contacts: times(contacts, () => ({
      a: r.u32(), b: r.u32(), at: r.floats(3), normal: r.floats(3), force: r.floats(3), gap: r.f32(),
    })),
    bodies: times(bodies, () => ({
      mass: r.f32(), kinetic: r.f32(), elastic: r.f32(), potential: r.f32(), volume: r.f32(), leastJacobian: r.f32(),
      centre: [r.f32(), r.f32(), r.f32()], speed: r.f32(), asleep: r.f32() !== 0,
    })),
    phases: r.floats(phases),
  }
}
