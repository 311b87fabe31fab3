// The page in a real browser, alone (WASM in a worker) and behind `pliant view`: the same tests for both.
// Words limit the scenes that are run to those whose path contains one. PLIANT_BROWSER names the browser, PLIANT_PICTURES a folder for screenshots, PLIANT_HOME one of the homes.

import { chromium } from 'playwright-core'
import { spawn, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import assert from 'node:assert/strict'
import { simulate } from './engine.mjs'

const web = fileURLToPath(new URL('..', import.meta.url))
const dist = join(web, 'dist')
const root = join(web, '..')
const pliant = join(root, 'target/release/pliant')
const pictures = process.env.PLIANT_PICTURES
const scenes = JSON.parse(readFileSync(join(dist, 'scenes.json'), 'utf8'))
const words = process.argv.slice(2)
const seeds = scenes.filter((s) => s.path.startsWith('seeds/') && (!words.length || words.some((w) => s.path.includes(w))))
const JELLO = 'seeds/pb88_fig14_jello_hits_the_table'
/** Simulated time that every seed runs [s]. */
const SECONDS = 2

/** Any static host will do. */
async function host() {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm', '.svg': 'image/svg+xml' }
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname
    try {
      const bytes = readFileSync(join(dist, path === '/' ? 'index.html' : path))
      response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'text/html' }).end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { address: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() }
}

async function native() {
  const process = spawn(pliant, ['view', '--no-browser', '--threads', '1'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const address = await new Promise((done, fail) => {
    process.stdout.once('data', (data) => done(String(data).trim()))
    process.once('exit', (code) => fail(new Error(`pliant view ended with ${code}`)))
  })
  return { address, end: () => process.kill() }
}

async function run(home, start, browser) {
  const { address, end } = await start()
  const context = await browser.newContext({ viewport: { width: 900, height: 640 }, acceptDownloads: true })
  const page = await context.newPage()
  // Pictures are drawn by software here, and the machine may have other things to do.
  page.setDefaultTimeout(120_000)
  const complaints = []
  const hashes = {}
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/GPU stall|GL Driver/.test(m.text()) && complaints.push(m.text()))
  page.on('pageerror', (e) => complaints.push(String(e)))
  const frame = () => page.evaluate(() => {
    const f = window.pliant.frame()
    return f && { index: f.index, last: f.last, time: f.time, hash: f.hash, playing: f.playing, held: f.held && { point: [...f.held.point], force: [...f.held.force] }, body: f.bodies[0], ms: f.phases.reduce((a, b) => a + b, 0), points: f.objects[0].points.length }
  })
  const until = async (what, test, most = 120_000) => {
    for (const began = Date.now(); ;) {
      const now = await frame()
      if (now && test(now)) return now
      assert.ok(Date.now() - began < most, `${home}: waited in vain until ${what}; now ${JSON.stringify(now)}`)
      await page.waitForTimeout(30)
    }
  }
  const button = (name) => page.getByRole('button', { name, exact: true })
  const load = async (path) => {
    await page.evaluate(() => (window.pliant.loaded = window.pliant.scene()))
    await page.getByLabel('Scene', { exact: true }).selectOption(path)
    await page.waitForFunction(() => window.pliant.scene() !== window.pliant.loaded && window.pliant.frame()?.index === 0, null, { timeout: 240_000 })
  }
  const picture = async (name) => pictures && (mkdirSync(pictures, { recursive: true }), await page.screenshot({ timeout: 120_000, path: join(pictures, `${home}_${name}.png`) }))
  const passed = (what) => console.log(`  ok     ${home}: ${what}`)

  const began = Date.now()
  await page.goto(address)
  await until('the first frame', (f) => f.index === 0)
  const first = Date.now() - began
  passed(`first picture after ${first} ms`)
  await page.getByLabel('Shadows').uncheck()
  await page.getByLabel('Speed').selectOption('0')

  // Every scene of the papers runs.
  for (const scene of seeds) {
    await load(scene.path)
    const { fps } = await page.evaluate(() => ({ fps: window.pliant.scene().fps }))
    await button('Play').click()
    const done = await until(`${scene.path} has run`, (f) => f.index >= SECONDS * fps, 240_000)
    await button('Pause').click()
    await until('it pauses', (f) => !f.playing)
    assert.ok(Number.isFinite(done.body.kinetic), scene.path)
    const last = Math.round(SECONDS * fps)
    await page.getByLabel('Timeline').fill(String(last))
    hashes[scene.path] = (await until('the last frame', (f) => f.index === last)).hash
    if (scene.path.includes('fig13') || scene.path.includes('fig8') || scene.path.includes('fig2a')) await picture(scene.path.split('/')[1])
  }
  passed(`${seeds.length} scenes run ${SECONDS} s`)

  // The timeline shows the same frame again.
  await load(JELLO)
  await button('Play').click()
  await until('30 frames', (f) => f.index >= 30)
  await button('Pause').click()
  await until('it pauses', (f) => !f.playing)
  const timeline = page.getByLabel('Timeline')
  await timeline.fill('20')
  const twentieth = await until('frame 20', (f) => f.index === 20)
  await button('Frame forward').click()
  await until('frame 21', (f) => f.index === 21)
  await button('Frame back').click()
  assert.deepEqual(await until('frame 20 again', (f) => f.index === 20), twentieth)
  passed('the timeline scrubs back to an equal frame')

  // A body follows the pointer, and swings when it is let go.
  await button('Reset').click()
  await until('the start', (f) => f.index === 0)
  await button('Play').click()
  const rest = await until('it has come to rest', (f) => f.index > 90)
  await picture('rest')
  await page.getByLabel('Speed').selectOption('1')
  const place = (at) => page.evaluate((p) => window.pliant.project(p), at)
  const from = await place(rest.body.centre)
  const to = await place([rest.body.centre[0] + 0.05, rest.body.centre[1] + 0.25, rest.body.centre[2]])
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 8 })
  const lifted = await until('the body follows', (f) => f.held && f.held.point[1] > rest.body.centre[1] + 0.15)
  const shown = await page.locator('#force').textContent()
  assert.match(shown, /^[\d.]+(e\+\d+)? N$/)
  await picture('drag')
  await page.mouse.up()
  const falling = await until('it is let go and swings', (f) => !f.held && f.body.kinetic > 0.1)
  passed(`dragging lifts a point by ${(lifted.held.point[1] - rest.body.centre[1]).toFixed(2)} m (${shown}); let go it swings with ${falling.body.kinetic.toFixed(2)} J`)

  // What a body is made of comes only where it is shown.
  const inside = () => page.evaluate(() => (({ nodes, seeds }) => ({ nodes: nodes.length / 3, seeds: seeds.length / 3 }))(window.pliant.frame().objects[0].inside ?? { nodes: [], seeds: [] }))
  assert.deepEqual(await inside(), { nodes: 0, seeds: 0 })
  await page.getByLabel('Cells').check()
  await page.waitForFunction(() => window.pliant.frame().objects[0].inside)
  assert.deepEqual(await inside(), { nodes: 343, seeds: 0 })
  await picture('cells')
  await page.getByLabel('Cells').uncheck()
  await page.waitForFunction(() => !window.pliant.frame().objects[0].inside)
  passed('the cells of the jello show 343 nodes inside')

  // A stiffer body sags less. From the start: what was let go may have been thrown off the table.
  await page.getByLabel('Speed').selectOption('0')
  await button('Reset').click()
  await until('the start', (f) => f.index === 0)
  await button('Play').click()
  const sag = async () => {
    const { index } = await frame()
    return (await until('it rests', (f) => f.index > index + 150 && f.body.speed < 2e-3)).body.centre[1]
  }
  const soft = await sag()
  const slider = page.getByRole('slider', { name: /Stiffness/ })
  await slider.focus()
  await page.keyboard.press('End')
  await until('it wakes', (f) => f.body.centre[1] > soft + 1e-4)
  const stiff = await sag()
  assert.ok(stiff > soft + 1e-3, `${soft} ${stiff}`)
  assert.match(await page.getByLabel(/Text of the scene/).inputValue(), /young = 2/)
  passed(`ten times the stiffness lifts the middle from ${soft.toFixed(4)} m to ${stiff.toFixed(4)} m`)
  await button('Pause').click()

  // A broken text is refused with its line.
  await page.getByText('Scene text', { exact: true }).click()
  const text = page.getByLabel(/Text of the scene/)
  const good = await text.inputValue()
  const line = good.split('\n').findIndex((l) => l.includes('young')) + 1
  await text.fill(good.replace('young', 'yuong'))
  await button('Run this text').click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  assert.match(await alert.textContent(), new RegExp(`:${line}:\\d+: .*did you mean .young`, 's'))
  await picture('error')
  await text.fill(good)
  await button('Run this text').click()
  await alert.waitFor({ state: 'hidden' })
  passed(`a broken text shows its error with line ${line}`)

  // Files.
  for (const [name, ending, magic] of [['Scene', '.toml', ''], ['Recording', '.pliant', 'PLIANT'], ['GLB', '.glb', 'glTF']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('group', { name: 'Download' }).getByRole('button', { name }).click()])
    assert.ok(download.suggestedFilename().endsWith(ending))
    assert.ok(readFileSync(await download.path()).subarray(0, magic.length).toString() === magic)
  }
  passed('scene, recording and GLB can be kept')

  // A dropped mesh becomes a scene; the link holds it.
  const drop = (name, data) => page.evaluate(([name, data]) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([data], name))
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }))
  }, [name, data])
  await drop('tetra.obj', 'v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n')
  await page.waitForFunction(() => window.pliant.scene().title === 'A dropped mesh')
  await drop('flat.toml', good)
  await page.waitForFunction(() => window.pliant.scene().name === 'flat.toml')
  if (home === 'alone') {
    await button('Copy link').click()
    await page.waitForFunction(() => location.hash.startsWith('#scene='))
    await page.reload()
    await until('the linked scene', (f) => f.index === 0)
    assert.equal(await page.evaluate(() => window.pliant.scene().name), 'flat.toml')
  }
  passed(home === 'alone' ? 'a mesh and a scene can be dropped; a link holds the scene' : 'a mesh and a scene can be dropped')

  // What can break can be cut, by a key and by a line drawn with Shift.
  const strip = 'hybrid/strip_is_torn'
  const corners = async (cut) => {
    await load(strip)
    await cut()
    await button('Frame forward').click()
    return (await until('a frame', (f) => f.index === 1)).points
  }
  const whole = await corners(async () => {})
  const halved = await corners(async () => {
    await page.locator('#canvas').focus()
    await page.keyboard.press('x')
  })
  const stroked = await corners(async () => {
    const { centre } = (await frame()).body
    const middle = await place(centre)
    await page.keyboard.down('Shift')
    await page.mouse.move(middle.x, middle.y - 100)
    await page.mouse.down()
    await page.mouse.move(middle.x, middle.y + 100, { steps: 4 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
  })
  assert.ok(halved > whole && stroked > whole, `points: ${whole} as it was, ${halved} and ${stroked} cut`)
  passed('a strip is cut in two')

  // A phone's width, dark.
  await page.setViewportSize({ width: 390, height: 780 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.waitForTimeout(300)
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone')
  await picture('phone')
  passed('a phone is wide enough')
  assert.deepEqual(complaints, [], 'no complaint on the console')
  passed('no complaint on the console')
  await context.close()
  end()
  return hashes
}

/** Whether the two homes compute the same bits. */
function compareHomes([alone, native]) {
  assert.deepEqual(alone, native, 'the page alone and the program compute the same bits')
  console.log(`  ok     ${Object.keys(alone).length} scenes are the same bits after ${SECONDS} s in both homes`)
}

/** How fast the engine is as WASM, beside the program on one thread, and that their bits are the same. The least of two runs
 * each, in turn: the first one as WASM is partly run before it is compiled in full. */
async function compareSpeed() {
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0)
  for (const name of ['pb88_fig13_jello_is_lifted', 'dg94_fig8_viscous_block_flows']) {
    const scene = scenes.find((s) => s.path.endsWith(name))
    const file = join(web, 'node_modules/.speed.pliant')
    const args = ['run', join(root, 'scenes', `${scene.path}.toml`), '--threads', '1', '--json', '--hashes', '-o', file]
    const least = { program: Infinity, wasm: Infinity }
    let frames = 0
    for (let round = 0; round < 2; round++) {
      const program = JSON.parse(execFileSync(pliant, args, { maxBuffer: 1 << 28 }))
      frames = program.frame_hashes.length - 1
      const wasm = await simulate(join(dist, 'pliant.wasm'), scene, frames)
      assert.deepEqual(wasm.hashes, program.frame_hashes, `${name}: the same bits in every frame`)
      least.program = Math.min(least.program, sum(Object.values(program.phases)))
      least.wasm = Math.min(least.wasm, sum(wasm.times) / 1e3)
    }
    console.log(`  ok     ${name}: ${((1e3 * least.wasm) / frames).toFixed(1)} ms per frame as WASM, ${(least.wasm / least.program).toFixed(2)} times the program's, and the same bits in every frame`)
  }
}

/** What a visitor loads, by the compressions that hosts offer. */
function size() {
  const files = readdirSync(dist, { recursive: true }).map((f) => join(dist, f)).filter((f) => statSync(f).isFile() && !f.endsWith('scenes.json'))
  const total = (compress) => files.reduce((sum, f) => sum + compress(readFileSync(f)).length, 0)
  const brotli = total((bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  const gzip = total((bytes) => gzipSync(bytes, { level: 9 }))
  console.log(`  ok     the page takes ${(brotli / 1e6).toFixed(2)} MB by brotli, ${(gzip / 1e6).toFixed(2)} MB by gzip, without scenes`)
  assert.ok(brotli < 1.5e6, `${brotli} bytes`)
}

const browser = await chromium.launch({
  executablePath: execFileSync('which', [process.env.PLIANT_BROWSER ?? 'chromium']).toString().trim(),
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
try {
  const homes = { alone: host, native }
  const hashes = []
  for (const [home, start] of Object.entries(homes)) {
    if (!process.env.PLIANT_HOME || process.env.PLIANT_HOME === home) hashes.push(await run(home, start, browser))
  }
  if (hashes.length === 2) compareHomes(hashes)
  await compareSpeed()
  size()
} finally {
  await browser.close()
}
