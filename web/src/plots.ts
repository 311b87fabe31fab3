// Curves over the frames that have been seen.

import type { Frame, Scene } from './messages'

const COLOURS = ['#d8573a', '#3f7fb5', '#5d9c59', '#8a64a8', '#e0a33e', '#4aa3a0']
/** Frames that a plot shows. */
const SHOWN = 300

interface Plot {
  unit: string
  names: string[]
  canvas: HTMLCanvasElement
  legend: HTMLElement
  values: (frame: Frame) => number[]
}

export class Plots {
  private plots: Plot[] = []
  private seen = new Map<number, number[][]>()
  private at = 0
  private stale = false

  constructor(private home: HTMLElement) {}

  build(scene: Scene): void {
    this.home.querySelectorAll('figure').forEach((f) => f.remove())
    this.seen.clear()
    const sum = (frame: Frame, of: 'kinetic' | 'elastic' | 'potential') => frame.bodies.reduce((a, b) => a + b[of], 0)
    const rest = scene.objects.filter((o) => o.body).map((o) => o.rest_volume)
    const change = (frame: Frame) => {
      const ratios = frame.bodies.map((b, i) => (rest[i] > 0 ? 100 * (b.volume / rest[i] - 1) : 0))
      return ratios.length ? [Math.min(...ratios), Math.max(...ratios)] : [0, 0]
    }
    this.plots = [
      this.plot('Energy', 'J', ['kinetic', 'elastic', 'height'], (f) => [sum(f, 'kinetic'), sum(f, 'elastic'), sum(f, 'potential')]),
      this.plot('Volume', '%', ['least', 'most'], change),
      this.plot('Contacts', '', ['contacts'], (f) => [f.contacts.length]),
      this.plot('Time per frame', 'ms', scene.phases.map((p) => p.replace('_', ' ')), (f) =>
        f.phases.length ? [...f.phases] : scene.phases.map(() => 0)),
    ]
  }

  private plot(title: string, unit: string, names: string[], values: (frame: Frame) => number[]): Plot {
    const figure = document.createElement('figure')
    const canvas = document.createElement('canvas')
    canvas.setAttribute('role', 'img')
    canvas.setAttribute('aria-label', `${title} over time`)
    const caption = document.createElement('figcaption')
    const heading = document.createElement('strong')
    heading.textContent = unit ? `${title} (${unit})` : title
    const legend = document.createElement('span')
    caption.append(heading, legend)
    figure.append(caption, canvas)
    this.home.append(figure)
    return { unit, names, canvas, legend, values }
  }

  add(frame: Frame): void {
    this.seen.set(frame.index, this.plots.map((p) => p.values(frame)))
    this.at = frame.index
    for (const old of this.seen.keys()) {
      if (this.seen.size <= 4 * SHOWN) break
      this.seen.delete(old)
    }
    this.stale = true
  }

  draw(): void {
    if (!this.stale || !(this.home as HTMLDetailsElement).open) return
    this.stale = false
    const last = Math.max(SHOWN, ...this.seen.keys())
    const first = Math.max(0, Math.min(last - SHOWN, this.at))
    const indices = [...this.seen.keys()].filter((i) => i >= first && i <= first + SHOWN).sort((a, b) => a - b)
    this.plots.forEach((plot, k) => {
      const { canvas } = plot
      const [width, height] = [canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio]
      if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height]
      const pen = canvas.getContext('2d')
      if (!pen) return
      pen.clearRect(0, 0, width, height)
      const rows = indices.map((i) => this.seen.get(i)?.[k] ?? [])
      const all = rows.flat()
      const [low, high] = [Math.min(0, ...all), Math.max(1e-9, ...all)]
      const x = (i: number) => ((i - first) / SHOWN) * width
      const y = (v: number) => height - 2 - ((v - low) / (high - low)) * (height - 4)
      pen.strokeStyle = '#8888'
      pen.strokeRect(0, y(0), width, 0)
      pen.strokeRect(x(this.at), 0, 0, height)
      plot.names.forEach((_, n) => {
        pen.strokeStyle = COLOURS[n % COLOURS.length]
        pen.lineWidth = 1.5 * devicePixelRatio
        pen.beginPath()
        indices.forEach((i, r) => pen.lineTo(x(i), y(rows[r][n])))
        pen.stroke()
      })
      const now = this.seen.get(this.at)?.[k] ?? []
      plot.legend.replaceChildren(...plot.names.map((name, n) => {
        const entry = document.createElement('span')
        entry.style.color = COLOURS[n % COLOURS.length]
        entry.textContent = `${name} ${(now[n] ?? 0).toPrecision(3)} `
        return entry
      }))
    })
  }
}
