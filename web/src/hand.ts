// The hand: pulling, pushing and cutting bodies with the pointer or with keys.

import * as THREE from 'three'
import type { Link } from './link'
import type { Frame } from './messages'
import type { Stage } from './stage'

export class Hand {
  private plane = new THREE.Plane()
  private at: THREE.Vector3 | null = null
  private frame: Frame | null = null
  /** Where a cut began. */
  private stroke: THREE.Vector2 | null = null

  constructor(
    private stage: Stage,
    private link: Link,
    private canvas: HTMLCanvasElement,
    private selected: () => number,
    private select: (object: number) => void,
    private live: () => boolean,
  ) {
    // Before the camera's own listeners, which turn the view unless a body was hit.
    canvas.addEventListener('pointerdown', (e) => this.press(e), { capture: true })
    canvas.addEventListener('pointermove', (e) => this.drag(e))
    canvas.addEventListener('pointerup', (e) => this.endStroke(e))
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, () => this.release())
    canvas.addEventListener('dblclick', (e) => this.push(e))
    canvas.addEventListener('keydown', (e) => this.key(e))
  }

  see(frame: Frame): void {
    this.frame = frame
  }

  /** Lets go. */
  release(): void {
    this.stroke = null
    this.stage.orbit.enabled = true
    if (!this.at) return
    this.at = null
    this.link.send({ do: 'release' })
  }

  private place(e: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect()
    return [(2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height]
  }

  private press(e: PointerEvent): void {
    if (e.button !== 0 || !this.live()) return
    if (e.shiftKey) {
      this.stroke = new THREE.Vector2(...this.place(e))
      this.stage.orbit.enabled = false
      return
    }
    const hit = this.stage.pick(...this.place(e))
    if (!hit) return
    this.stage.orbit.enabled = false
    this.canvas.setPointerCapture(e.pointerId)
    this.select(hit.object)
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3())
    this.plane.setFromNormalAndCoplanarPoint(facing, hit.at)
    this.grab(hit.object, hit.at)
  }

  private grab(body: number, at: THREE.Vector3): void {
    this.at = at.clone()
    this.link.send({ do: 'grab', body, at: at.toArray() })
    this.go(at)
  }

  private go(to: THREE.Vector3): void {
    this.at = to
    this.link.send({ do: 'move', to: to.toArray() })
  }

  private drag(e: PointerEvent): void {
    if (!this.at) return
    const ray = new THREE.Raycaster()
    ray.setFromCamera(new THREE.Vector2(...this.place(e)), this.stage.camera)
    const to = ray.ray.intersectPlane(this.plane, new THREE.Vector3())
    if (to) this.go(to)
  }

  /** A push along the view that gives the body one metre per second. */
  private push(e: MouseEvent): void {
    if (!this.live()) return
    const hit = this.stage.pick(...this.place(e))
    const body = hit && this.frame?.bodies[hit.object]
    if (!hit || !body) return
    const impulse = this.stage.camera.getWorldDirection(new THREE.Vector3()).multiplyScalar(body.mass)
    this.link.send({ do: 'push', body: hit.object, at: hit.at.toArray(), impulse: impulse.toArray() })
  }

  /** A line drawn over a body with Shift held down cuts it, along the plane through the line and the eye. */
  private endStroke(e: PointerEvent): void {
    if (!this.stroke) return
    const to = new THREE.Vector2(...this.place(e))
    const middle = this.stroke.clone().lerp(to, 0.5)
    const body = this.stage.pick(middle.x, middle.y)?.object ?? this.selected()
    const [a, b] = [this.stroke, to].map((at) => {
      const caster = new THREE.Raycaster()
      caster.setFromCamera(at, this.stage.camera)
      return caster.ray
    })
    // The eye is a point for a view in perspective, a direction for a flat one.
    const across = a.at(1, new THREE.Vector3()).sub(b.origin).cross(a.at(1, new THREE.Vector3()).sub(b.at(1, new THREE.Vector3())))
    if (across.length() > 0) this.cut(body, a.origin, across.normalize())
  }

  private cut(body: number, at: THREE.Vector3, across: THREE.Vector3): void {
    this.link.send({ do: 'cut', body, at: at.toArray(), across: across.toArray() })
  }

  private key(e: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }
    const way = ways[e.key]
    if (e.key === 'Escape') this.release()
    else if (e.key.toLowerCase() === 'g' && this.live()) this.grabSelected()
    else if (e.key.toLowerCase() === 'x' && this.live()) this.cutSelected()
    else if (way && this.at) {
      const step = 0.04 * this.stage.extent
      const [right, up] = [0, 1].map((k) => new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, k))
      this.go(this.at.clone().addScaledVector(right, step * way[0]).addScaledVector(up, step * way[1]))
      e.preventDefault()
    }
  }

  private grabSelected(): void {
    if (this.at) return this.release()
    const body = this.selected()
    const measures = this.frame?.bodies[body]
    if (measures) this.grab(body, new THREE.Vector3(...measures.centre))
  }

  /** Cuts the selected body in two halves, left and right as they are seen. */
  private cutSelected(): void {
    const body = this.selected()
    const measures = this.frame?.bodies[body]
    const right = new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0)
    if (measures) this.cut(body, new THREE.Vector3(...measures.centre), right)
  }
}
