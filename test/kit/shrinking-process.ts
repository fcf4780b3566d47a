import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { createResizer } from '../../packages/core/src/platform/images/resizer.ts'
import { interlacedPngOf } from './pictures.ts'
import type { Shrinking } from './shrinking.ts'

/** Makes one image smaller and tells what that took: for measureShrinking. */

const [path = '', how] = process.argv.slice(2)
const nothing = () => Promise.resolve(undefined)
const resizer = createResizer({
  // Only what is asked of a cache that keeps nothing.
  cache: { get: nothing, put: nothing, list: async function* none() {} } as never,
  log: { info() {}, warn: console.error } as never,
})

const shrink = (file: string) =>
  how === 'by sharp alone'
    ? sharp(file, { sequentialRead: true }).resize({ width: 320 }).webp().toBuffer()
    : resizer.resize(file, 320, (read) => read(file))

const folder = mkdtempSync(join(tmpdir(), 'copydesk-small-'))
const small = join(folder, 'small.png')
writeFileSync(small, interlacedPngOf(640))
// What is loaded only once is no part of what an image takes.
await shrink(small)
rmSync(folder, { recursive: true })

// Not maxRSS, which begins with what the process had that started this one.
const memory = () => process.memoryUsage.rss()
const before = { cpu: process.cpuUsage(), memory: memory() }
let peak = before.memory
const watch = setInterval(() => {
  peak = Math.max(peak, memory())
}, 2)
const made = await shrink(path)
clearInterval(watch)
const { user, system } = process.cpuUsage(before.cpu)
const told: Shrinking = {
  cpuS: (user + system) / 1e6,
  memoryMiB: (peak - before.memory) / 1024 ** 2,
  made: made !== undefined,
}
process.send?.(told, () => process.disconnect())
