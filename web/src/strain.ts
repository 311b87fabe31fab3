// How far a surface is stretched or squeezed, as colours.

import type { Shape } from './messages'

/** Strain that has the full colour. */
const FULL = 0.3

/** Largest stretch (red) or squeeze (blue) of the edges at each point. */
export function strainColours(rest: Shape, now: Float32Array): Float32Array {
  const strain = new Float32Array(now.length / 3)
  const length = (p: Float32Array, i: number, j: number) =>
    Math.hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2])
  const { points, triangles } = rest
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const [i, j] = [triangles[t + k], triangles[t + ((k + 1) % 3)]]
      const change = length(now, i, j) / Math.max(1e-12, length(points, i, j)) - 1
      if (Math.abs(change) > Math.abs(strain[i])) strain[i] = change
      if (Math.abs(change) > Math.abs(strain[j])) strain[j] = change
    }
  }
  const colours = new Float32Array(now.length)
  strain.forEach((s, i) => {
    const x = Math.min(1, Math.abs(s) / FULL)
    colours.set(s > 0 ? [0.9, 0.85 * (1 - x), 0.8 * (1 - x)] : [0.85 * (1 - x), 0.85 * (1 - 0.6 * x), 0.9], 3 * i)
  })
  return colours
}
