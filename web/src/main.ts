// The page: controls on one side, a session on the other.

import { Hand } from './hand'
import { connect } from './link'
import type { Frame, Message, Refusal, Scene, Shape } from './messages'
import { Plots } from './plots'
import { keep, linkOf, sceneAround, sceneOf, toBase64, type SceneFile } from './share'
import { Sliders } from './sliders'
import { Stage, type Overlays } from './stage'

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
const canvas = find<HTMLCanvasElement>('canvas')
const scenes = find<HTMLSelectElement>('scenes')
const bodies = find<HTMLSelectElement>('bodies')
const timeline = find<HTMLInputElement>('timeline')
const text = find<HTMLTextAreaElement>('text')
const speed = find<HTMLSelectElement>('speed')

/** A scene that comes with the page. */
interface Shipped {
  path: string
  title: string
  text: string
  files: Record<string, string>
}

let shipped: Shipped[] = []
let scene: Scene | null = null
let shapes: Shape[] = []
let files: Record<string, string> = {}
let frame: Frame | null = null
let playing = false
/** Ticks that have not been answered, and when the next one is due [ms]. */
let waiting = 0
let due = 0

const link = connect(hear, lost)
const stage = new Stage(canvas)
const plots = new Plots(find('plots'))
const sliders = new Sliders(find('sliders'), (parameter, value) => link.send({ do: 'set', body: Number(bodies.value), parameter, value }))
const hand = new Hand(stage, link, canvas, () => Number(bodies.value), select, () => scene?.live ?? false)

function hear(message: Message): void {
  switch (message.kind) {
    case 'text':
      if (message.value.type === 'welcome') void begin(message.value.shown)
      else if (message.value.type === 'scene') introduce(message.value)
      else if (message.value.type === 'text') text.value = message.value.text
      else refuse(message.value)
      break
    case 'topology':
      shapes = message.shapes
      break
    case 'frame':
      waiting = Math.max(0, waiting - 1)
      see(message.frame)
      break
    case 'file':
      keep(message.name, new Blob([message.bytes]))
      find('kept').textContent = `${message.name}, ${(message.bytes.length / 1e6).toFixed(2)} MB`
  }
}

function lost(why: string): void {
  refuse({ type: 'error', message: why, line: 0, column: 0, shown: why })
}

/** The first scene: that of the link, that of the address, or the jello. */
async function begin(shown: boolean): Promise<void> {
  const list = await (await fetch('scenes.json')).json() as Shipped[]
  shipped = list
  for (const folder of [...new Set(list.map((s) => s.path.split('/')[0]))]) {
    const group = document.createElement('optgroup')
    group.label = folder
    group.append(...list.filter((s) => s.path.startsWith(`${folder}/`)).map((s) => new Option(s.title, s.path)))
    scenes.append(group)
  }
  if (shown) return
  const linked = await sceneOf(location.hash).catch(() => null)
  if (linked) return load(linked)
  const asked = new URLSearchParams(location.search).get('scene') ?? 'seeds/pb88_fig14_jello_hits_the_table'
  loadShipped(list.some((s) => s.path === asked) ? asked : list[0].path)
}

function loadShipped(path: string): void {
  const found = shipped.find((s) => s.path === path)
  if (!found) return
  scenes.value = path
  load({ name: `${path}.toml`, text: found.text, files: found.files })
}

function load(file: SceneFile): void {
  files = file.files
  busy(true)
  link.send({ do: 'load', ...file })
}

function busy(on: boolean): void {
  find('busy').hidden = !on
}

function introduce(value: Scene): void {
  scene = value
  frame = null
  waiting = 0
  text.value = value.text
  find('title').textContent = value.title
  document.title = `${value.title}: Pliant`
  find('error').hidden = true
  const moving = value.objects.map((o, i) => ({ ...o, i })).filter((o) => o.body)
  bodies.replaceChildren(...moving.map((o) => new Option(o.name, String(o.i))))
  scenes.value = value.name.replace(/\.toml$/, '')
  plots.build(value)
  find<HTMLInputElement>('flat').checked = stage.overlays.flat = value.flat
  setPlaying(false)
}

function see(value: Frame): void {
  if (!scene) return
  const first = frame === null
  frame = value
  busy(false)
  if (first) {
    stage.build(scene, shapes, value)
    select(Number(bodies.value))
  } else {
    stage.show(value)
  }
  hand.see(value)
  plots.add(value)
  if (value.playing !== playing) setPlaying(value.playing)
  timeline.min = String(value.first)
  timeline.max = String(value.last)
  timeline.value = String(value.index)
  timeline.setAttribute('aria-valuetext', `${value.time.toFixed(3)} s`)
  find('time').textContent = `${value.time.toFixed(3)} s`
  find('frame').textContent = `frame ${value.index} of ${value.last}`
  const cost = value.phases.reduce((a, b) => a + b, 0)
  find('cost').textContent = cost > 0 ? `${cost.toFixed(1)} ms per frame, ${value.steps} steps` : ''
  const force = find<HTMLOutputElement>('force')
  force.hidden = !value.held
  if (value.held) force.textContent = `${Math.hypot(...value.held.force).toPrecision(3)} N`
  describeBody()
}

function refuse(error: Refusal): void {
  waiting = 0
  busy(false)
  setPlaying(false)
  const shown = find('error')
  shown.hidden = false
  shown.textContent = error.shown
  if (error.line > 0) {
    const lines = text.value.split('\n')
    const start = lines.slice(0, error.line - 1).join('\n').length + (error.line > 1 ? 1 : 0)
    text.setSelectionRange(start, start + (lines[error.line - 1]?.length ?? 0))
    text.scrollTop = (error.line - 4) * 17
  }
}

function select(object: number): void {
  bodies.value = String(object)
  stage.select(object)
  const chosen = scene?.objects[object]
  if (chosen) sliders.build(chosen.parameters)
  describeBody()
}

function describeBody(): void {
  const number = Number(bodies.value)
  const [object, measures] = [scene?.objects[number], frame?.bodies[number]]
  if (!object || !measures) return
  const volume = object.rest_volume > 0 ? `, volume ${((100 * measures.volume) / object.rest_volume).toFixed(2)} %` : ''
  find('about').textContent = `${object.kind}, ${measures.mass.toPrecision(3)} kg, ${measures.speed.toFixed(3)} m/s${volume}${measures.asleep ? ', asleep' : ''}`
}

function setPlaying(on: boolean): void {
  playing = on
  due = performance.now()
  const button = find('play')
  button.textContent = on ? 'Pause' : 'Play'
  button.setAttribute('aria-pressed', String(on))
}

/** Asks for frames as they are due. Slow pictures skip frames, they do not slow the world down. */
function pace(): void {
  if (!playing || !scene) return
  const [now, rate] = [performance.now(), Number(speed.value)]
  const most = rate === 0 ? 6 : 3
  if (rate !== 0 && now - due > 250) due = now - 250
  while (waiting < most && (rate === 0 || due <= now)) {
    link.send({ do: 'tick' })
    waiting++
    due += rate === 0 ? 0 : 1000 / (scene.fps * rate)
  }
}

function seek(to: number): void {
  playing = false
  link.send({ do: 'pause' })
  link.send({ do: 'seek', frame: Math.max(0, to) })
}

setInterval(pace, 4)
const draw = () => {
  stage.draw()
  plots.draw()
  requestAnimationFrame(draw)
}
requestAnimationFrame(draw)

find('play').onclick = () => {
  setPlaying(!playing)
  link.send({ do: playing ? 'play' : 'pause' })
}
find('step').onclick = () => {
  playing = false
  link.send({ do: 'pause' })
  link.send({ do: 'step' })
}
find('back').onclick = () => seek((frame?.index ?? 0) - 1)
find('reset').onclick = () => link.send({ do: 'reset' })
timeline.oninput = () => seek(Number(timeline.value))
scenes.onchange = () => loadShipped(scenes.value)
bodies.onchange = () => select(Number(bodies.value))
find('apply').onclick = () => load({ name: scene?.name ?? 'scene.toml', text: text.value, files })
text.onkeydown = (e) => {
  if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) find('apply').click()
}
find('overlays').onchange = (e) => {
  const box = e.target as HTMLInputElement
  stage.overlays[box.value as keyof Overlays] = box.checked
  const { cells, skeletons, seeds } = stage.overlays
  // Frames bring what is inside of bodies only where it is shown.
  if (['cells', 'skeletons', 'seeds'].includes(box.value)) link.send({ do: 'inside', shown: cells || skeletons || seeds })
  if (box.value === 'flat' && scene) stage.look(scene)
  if (frame) stage.show(frame)
}
document.querySelectorAll<HTMLButtonElement>('[data-save]').forEach((button) => {
  button.onclick = () => link.send({ do: 'save', what: button.dataset.save })
})
find('picture').onclick = async () => {
  const blob = await stage.picture()
  if (blob) keep('pliant.png', blob)
}
find('share').onclick = async () => {
  if (!scene) return
  const address = await linkOf({ name: scene.name, text: text.value, files })
  history.replaceState(null, '', address)
  await navigator.clipboard?.writeText(address).catch(() => undefined)
  find('kept').textContent = `The address of this page now holds the scene (${address.length} characters).`
}
const theme = find<HTMLSelectElement>('theme')
theme.onchange = () => {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
  stage.touch()
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => stage.touch())

document.addEventListener('dragover', (e) => e.preventDefault())
document.addEventListener('drop', async (e) => {
  e.preventDefault()
  const file = e.dataTransfer?.files[0]
  if (!file) return
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (/\.(toml|json)$/i.test(file.name)) load({ name: file.name, text: new TextDecoder().decode(bytes), files: {} })
  else if (/\.pliant$/i.test(file.name)) link.send({ do: 'open', name: file.name, data: toBase64(bytes) })
  else load(sceneAround(file.name, bytes))
})

// For tests and for the curious: the last frame, and where a point of it stands on the screen.
Object.assign(window, { pliant: { frame: () => frame, scene: () => scene, project: (at: number[]) => stage.project(at) } })
