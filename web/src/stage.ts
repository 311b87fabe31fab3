// The picture: objects of a scene, what is drawn over them, camera and light.

import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import type { Frame, ObjectFrame, Scene, Shape } from './messages'
import { strainColours } from './strain'

const PALETTE = [0xd8573a, 0x3f7fb5, 0xe0a33e, 0x5d9c59, 0x8a64a8, 0x4aa3a0, 0xc76b98, 0x8c7a5b]
const OBSTACLE = 0xb8b2a7

/** One body or obstacle. */
interface Actor {
  mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>
  shape: Shape
  smooth: boolean
  body: boolean
  colour: THREE.Color
}

export type Overlays = Record<'wireframe' | 'cells' | 'skeletons' | 'seeds' | 'contacts' | 'forces' | 'strain' | 'strobe' | 'flat' | 'shadows', boolean>

export class Stage {
  readonly camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000)
  readonly orbit: OrbitControls
  private renderer: THREE.WebGLRenderer
  private world = new THREE.Scene()
  private actors: Actor[] = []
  private marks = new THREE.Group()
  private ghosts = new THREE.Group()
  private sun = new THREE.DirectionalLight(0xfff4e2, 2.6)
  private size = 1
  /** Angle of view upwards that the scene asks for [degrees]. */
  private fov = 40
  private middle = new THREE.Vector3()
  private stale = true
  overlays: Overlays = {
    wireframe: false, cells: false, skeletons: false, seeds: false, contacts: false, forces: false, strain: false, strobe: false, flat: false, shadows: true,
  }

  constructor(private canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true })
    this.renderer.shadowMap.enabled = true
    this.orbit = new OrbitControls(this.camera, canvas)
    this.orbit.addEventListener('change', () => (this.stale = true))
    this.sun.castShadow = true
    this.sun.shadow.mapSize.set(1024, 1024)
    this.sun.shadow.normalBias = 0.02
    this.sun.shadow.bias = -1e-3
    this.world.add(new THREE.HemisphereLight(0xdfe8f5, 0x8f8678, 1.5), this.sun, this.sun.target, this.marks, this.ghosts)
    new ResizeObserver(() => this.resize()).observe(canvas)
    this.resize()
  }

  /** Sets up a new scene. */
  build(scene: Scene, shapes: Shape[], frame: Frame): void {
    for (const actor of this.actors) {
      this.world.remove(actor.mesh)
      actor.mesh.geometry.dispose()
      actor.mesh.material.dispose()
    }
    this.clear(this.ghosts)
    let bodies = 0
    this.actors = scene.objects.map((object, i) => {
      const colour = new THREE.Color(object.body ? PALETTE[bodies++ % PALETTE.length] : OBSTACLE)
      if (object.colour) colour.setRGB(...object.colour, THREE.SRGBColorSpace)
      const clear = object.finish === 'gelatin'
      const material = new THREE.MeshStandardMaterial({
        color: colour,
        roughness: object.finish === 'metal' || object.finish === 'glossy' || clear ? 0.25 : 0.7,
        metalness: object.finish === 'metal' ? 0.8 : 0,
        flatShading: !object.smooth && !object.remeshed,
        side: THREE.DoubleSide,
      })
      const geometry = new THREE.BufferGeometry()
      geometry.setAttribute('position', new THREE.BufferAttribute(shapes[i].points.slice(), 3))
      geometry.setIndex(new THREE.BufferAttribute(shapes[i].triangles, 1))
      if (object.smooth) geometry.computeVertexNormals()
      const mesh = new THREE.Mesh(geometry, material)
      mesh.visible = !object.hidden
      mesh.frustumCulled = false
      mesh.castShadow = object.body
      mesh.receiveShadow = true
      mesh.userData.object = i
      this.world.add(mesh)
      return { mesh, shape: shapes[i], smooth: object.smooth, body: object.body, colour }
    })
    this.show(frame)
    this.measure()
    this.look(scene)
  }

  /** Shows a moment. */
  show(frame: Frame): void {
    this.actors.forEach((actor, i) => this.pose(actor, frame.objects[i]))
    this.drawMarks(frame)
    if (this.overlays.strobe && frame.index % 12 === 0) this.addGhosts()
    else if (!this.overlays.strobe && this.ghosts.children.length) this.clear(this.ghosts)
    this.stale = true
  }

  private pose(actor: Actor, now: ObjectFrame): void {
    const { mesh } = actor
    mesh.position.fromArray(now.pose)
    mesh.quaternion.fromArray(now.pose, 3)
    const geometry = mesh.geometry
    if (now.surface) {
      // Another surface in every frame, of another size.
      geometry.setAttribute('position', new THREE.BufferAttribute(now.points, 3))
      geometry.setAttribute('normal', new THREE.BufferAttribute(now.surface.normals, 3))
      geometry.setIndex(new THREE.BufferAttribute(now.surface.triangles, 1))
    } else if (now.points.length > 0) {
      const position = geometry.getAttribute('position') as THREE.BufferAttribute
      position.array.set(now.points)
      position.needsUpdate = true
      if (actor.smooth) geometry.computeVertexNormals()
    }
    const material = mesh.material
    material.wireframe = this.overlays.wireframe && actor.body
    const strain = this.overlays.strain && actor.body && !now.surface && now.points.length > 0
    const own = !strain && now.surface !== null && now.surface.colours.length > 0
    if (strain) {
      geometry.setAttribute('color', new THREE.BufferAttribute(strainColours(actor.shape, now.points), 3))
    } else if (own && now.surface) {
      geometry.setAttribute('color', new THREE.BufferAttribute(now.surface.colours, 3))
    }
    if (material.vertexColors !== (strain || own)) {
      material.vertexColors = strain || own
      material.needsUpdate = true
    }
    material.color.copy(strain || own ? new THREE.Color(0xffffff) : actor.colour)
    geometry.boundingSphere = null
    geometry.boundingBox = null
  }

  private drawMarks(frame: Frame): void {
    this.clear(this.marks)
    const { contacts, forces } = this.overlays
    if (contacts) this.dots(frame.contacts.map((c) => c.at), 0xe0218a, 0.012)
    this.actors.forEach((actor, i) => this.drawInside(actor, frame.objects[i]))
    if (forces) {
      const most = Math.max(1e-12, ...frame.contacts.map((c) => Math.hypot(...c.force)))
      for (const c of frame.contacts) {
        const force = new THREE.Vector3().fromArray(c.force)
        this.arrow(new THREE.Vector3().fromArray(c.at), force, (0.35 * this.size * force.length()) / most, 0xe0218a)
      }
    }
    if (frame.held) {
      const [from, to] = [frame.held.point, frame.held.hand].map((p) => new THREE.Vector3().fromArray(p))
      this.marks.add(this.spring(from, to))
      this.dots([frame.held.point, frame.held.hand], 0xf08a24, 0.02)
    }
  }

  /** What a body is made of, as if one could see into it. */
  private drawInside({ mesh, shape }: Actor, { inside, points }: ObjectFrame): void {
    const { cells, skeletons, seeds } = this.overlays
    const add = (part: THREE.Points | THREE.LineSegments) => {
      part.position.copy(mesh.position)
      part.quaternion.copy(mesh.quaternion)
      part.renderOrder = 1
      part.frustumCulled = false
      this.marks.add(part)
    }
    const dots = (at: Float32Array, colour: number, size: number) => {
      const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(at, 3))
      add(new THREE.Points(geometry, new THREE.PointsMaterial({ color: colour, size: size * this.size, depthTest: false })))
    }
    const nodes = inside?.nodes ?? new Float32Array()
    // Coarse lattices may have no node inside; until the first frame with nodes has come, others have too few points.
    const most = shape.edges.reduce((a, b) => Math.max(a, b), 0)
    if (cells && shape.edges.length && points.length + nodes.length > 3 * most) {
      const at = new Float32Array(points.length + nodes.length)
      at.set(points)
      at.set(nodes, points.length)
      const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(at, 3))
      geometry.setIndex(new THREE.BufferAttribute(shape.edges, 1))
      const ink = new THREE.LineBasicMaterial({ color: 0x122a4a, transparent: true, opacity: 0.45, depthTest: false })
      add(new THREE.LineSegments(geometry, ink))
    }
    if (!inside) return
    if (seeds && inside.seeds.length) dots(inside.seeds, 0x0b6e8f, 0.009)
    if (skeletons && !shape.edges.length && nodes.length) dots(nodes, 0x202020, 0.025)
  }

  /** A coil from one point to another. */
  private spring(from: THREE.Vector3, to: THREE.Vector3): THREE.Object3D {
    const along = to.clone().sub(from)
    const side = new THREE.Vector3(-along.y, along.x, 0.3 * along.z + 1e-9).normalize()
    const other = along.clone().cross(side).normalize()
    const [turns, pieces, radius] = [9, 180, 0.018 * this.size]
    const points = Array.from({ length: pieces + 1 }, (_, i) => {
      const t = i / pieces
      const ends = radius * Math.min(1, 12 * t, 12 * (1 - t))
      const angle = 2 * Math.PI * turns * t
      return from.clone().addScaledVector(along, t).addScaledVector(side, ends * Math.cos(angle)).addScaledVector(other, ends * Math.sin(angle))
    })
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: 0xf08a24, depthTest: false }))
    line.renderOrder = 2
    return line
  }

  private dots(places: ArrayLike<number>[], colour: number, size: number): void {
    const geometry = new THREE.BufferGeometry()
    geometry.setAttribute('position', new THREE.BufferAttribute(Float32Array.from(places.flatMap((p) => Array.from(p))), 3))
    const material = new THREE.PointsMaterial({ color: colour, size: size * this.size, depthTest: false })
    const dots = new THREE.Points(geometry, material)
    dots.renderOrder = 1
    dots.frustumCulled = false
    this.marks.add(dots)
  }

  private arrow(from: THREE.Vector3, along: THREE.Vector3, length: number, colour: number): void {
    if (length > 0) this.marks.add(new THREE.ArrowHelper(along.clone().normalize(), from, length, colour))
  }

  /** The bodies as they now are, to stay for a while. */
  private addGhosts(): void {
    for (const { mesh, body } of this.actors) {
      if (!body) continue
      const ghost = new THREE.Mesh(mesh.geometry.clone(), new THREE.MeshBasicMaterial({ color: mesh.material.color, transparent: true, opacity: 0.22, depthWrite: false }))
      ghost.position.copy(mesh.position)
      ghost.quaternion.copy(mesh.quaternion)
      ghost.frustumCulled = false
      this.ghosts.add(ghost)
    }
    const most = 8 * this.actors.filter((a) => a.body).length
    while (this.ghosts.children.length > most) this.remove(this.ghosts, this.ghosts.children[0])
  }

  private clear(group: THREE.Group): void {
    while (group.children.length) this.remove(group, group.children[0])
  }

  private remove(group: THREE.Group, child: THREE.Object3D): void {
    group.remove(child)
    child.traverse((part) => {
      const { geometry, material } = part as THREE.Mesh
      geometry?.dispose()
      ;[material].flat().forEach((m) => m?.dispose())
    })
  }

  /** How large the bodies and what they stand on are; ground without end does not count. */
  private measure(): void {
    const all = new THREE.Box3()
    const bodies = new THREE.Box3()
    for (const { mesh, body } of this.actors) {
      const box = new THREE.Box3().setFromObject(mesh, true)
      const whole = box.getSize(new THREE.Vector3()).length()
      if (!Number.isFinite(whole)) continue
      if (body) bodies.union(box)
      all.union(box)
    }
    const [small, large] = [bodies, all].map((b) => b.getSize(new THREE.Vector3()).length())
    const chosen = large < 4 * small || small === 0 ? all : bodies.clone().expandByScalar(0.6 * small)
    this.size = Math.max(1e-3, chosen.getSize(new THREE.Vector3()).length() * 0.5)
    chosen.getCenter(this.middle)
  }

  /** The camera of the scene, or one that sees everything. */
  look(scene: Scene): void {
    const { at, look_at, fov } = scene.camera
    this.fov = fov
    this.widen()
    const target = look_at ? new THREE.Vector3().fromArray(look_at) : this.middle
    const away = (1.25 * this.size) / Math.sin((0.5 * fov * Math.PI) / 180)
    if (this.overlays.flat) this.camera.position.copy(target).add(new THREE.Vector3(0, 0, at ? target.distanceTo(new THREE.Vector3().fromArray(at)) : away))
    else if (at) this.camera.position.fromArray(at)
    else this.camera.position.copy(target).addScaledVector(new THREE.Vector3(0.45, 0.4, 1).normalize(), away)
    this.camera.near = away / 500
    this.camera.far = away * 50
    this.orbit.target.copy(target)
    this.orbit.enableRotate = !this.overlays.flat
    this.orbit.update()
    const reach = 2.2 * this.size
    this.sun.position.copy(this.middle).addScaledVector(new THREE.Vector3(-0.45, 1, 0.6).normalize(), 3 * reach)
    this.sun.target.position.copy(this.middle)
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 6 * reach })
    this.sun.shadow.camera.updateProjectionMatrix()
    this.resize()
  }

  /** The body under a place on the canvas, from -1 to 1. */
  pick(x: number, y: number): { object: number; at: THREE.Vector3 } | null {
    const ray = new THREE.Raycaster()
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera)
    const hit = ray.intersectObjects(this.actors.filter((a) => a.mesh.visible).map((a) => a.mesh), false)[0]
    if (!hit || !this.actors[hit.object.userData.object as number].body) return null
    return { object: hit.object.userData.object as number, at: hit.point }
  }

  /** Where a point of the world stands on the canvas, in pixels. */
  project(at: ArrayLike<number>): { x: number; y: number } {
    const p = new THREE.Vector3().fromArray(Array.from(at)).project(this.camera)
    const box = this.canvas.getBoundingClientRect()
    return { x: box.left + (0.5 + 0.5 * p.x) * box.width, y: box.top + (0.5 - 0.5 * p.y) * box.height }
  }

  /** Size of the scene [m]. */
  get extent(): number {
    return this.size
  }

  select(object: number): void {
    this.actors.forEach((a, i) => a.mesh.material.emissive.set(i === object ? 0x1a0d06 : 0))
    this.stale = true
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas
    if (!clientWidth || !clientHeight) return
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio))
    this.renderer.setSize(clientWidth, clientHeight, false)
    this.camera.aspect = clientWidth / clientHeight
    this.widen()
    this.stale = true
  }

  /** Pictures that are wide show what the scene says; narrower ones see as far to the sides as a 3:2 picture does. */
  private widen(): void {
    const narrow = Math.max(1, 1.5 / this.camera.aspect)
    this.camera.fov = (360 / Math.PI) * Math.atan(narrow * Math.tan((this.fov * Math.PI) / 360))
    this.camera.updateProjectionMatrix()
  }

  /** Draws, if anything changed. */
  draw(): boolean {
    if (!this.stale) return false
    this.stale = false
    this.sun.castShadow = this.overlays.shadows
    this.world.background = new THREE.Color(getComputedStyle(this.canvas).getPropertyValue('--back').trim() || '#f4f2ee')
    this.renderer.render(this.world, this.camera)
    return true
  }

  touch(): void {
    this.stale = true
  }

  picture(): Promise<Blob | null> {
    this.stale = true
    this.draw()
    return new Promise((done) => this.canvas.toBlob(done, 'image/png'))
  }
}
