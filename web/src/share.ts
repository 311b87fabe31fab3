// Scenes in links, and files in and out of the page.

export interface SceneFile {
  name: string
  text: string
  /** Mesh files by the names that the scene gives them, in base64. */
  files: Record<string, string>
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: TransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(piped).arrayBuffer())
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return btoa(text)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
}

/** A link to this page that holds the scene. */
export async function linkOf(scene: SceneFile): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(scene)), new CompressionStream('deflate-raw'))
  const text = toBase64(packed).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return `${location.origin}${location.pathname}#scene=${text}`
}

/** The scene that a link holds. */
export async function sceneOf(hash: string): Promise<SceneFile | null> {
  const text = new URLSearchParams(hash.slice(1)).get('scene')
  if (!text) return null
  const packed = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  const plain = await through(packed, new DecompressionStream('deflate-raw'))
  return JSON.parse(new TextDecoder().decode(plain)) as SceneFile
}

export function keep(name: string, blob: Blob): void {
  const a = document.createElement('a')
  a.href = URL.createObjectURL(blob)
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000)
}

/** A scene in which a mesh falls on a table. */
export function sceneAround(file: string, bytes: Uint8Array): SceneFile {
  const [low, high] = bounds(file, bytes)
  const size = Math.max(...high.map((h, k) => h - low[k]))
  const scale = 0.4 / size
  const height = (0.3 - scale * low[1]).toFixed(4)
  const text = `# The mesh ${file} falls on a table.
[scene]
title = "A dropped mesh"
duration = 3

[[body]]
name = "mesh"
kind = "global"
order = 2
shape = { mesh = { file = "${file}", scale = ${scale.toPrecision(6)} } }
position = [0, ${height}, 0]
material = { density = 1000, young = 5e4, damping = 0.05, friction = 0.5 }

[[obstacle]]
name = "table"
shape = { plane = {} }
`
  return { name: 'dropped.toml', text, files: { [file]: toBase64(bytes) } }
}

/** Lowest and highest corner of an OBJ mesh; other formats are taken to be a metre large. */
function bounds(file: string, bytes: Uint8Array): [number[], number[]] {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]]
  if (file.toLowerCase().endsWith('.obj')) {
    for (const line of new TextDecoder().decode(bytes).split('\n')) {
      if (!line.startsWith('v ')) continue
      line.trim().split(/\s+/).slice(1, 4).map(Number).forEach((x, k) => {
        low[k] = Math.min(low[k], x)
        high[k] = Math.max(high[k], x)
      })
    }
  }
  return Number.isFinite(low[0]) && Number.isFinite(high[0]) ? [low, high] : [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]
}
