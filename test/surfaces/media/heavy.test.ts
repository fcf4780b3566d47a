import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanImage, type RasterType } from '../../../packages/core/src/platform/images/clean.ts'
import { interlacedPngOf } from '../../kit/pictures.ts'
import { measureShrinking } from '../../kit/shrinking.ts'

/** What no file may take. */
const most = { cpuS: 2, memoryMiB: 300 }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'copydesk-heavy-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const blank = (side: number) =>
  sharp({
    create: { width: side, height: side, channels: 3, background: '#1456c8' },
    limitInputPixels: false,
  })

/** A JPEG whose last round comes over and over: each one goes over the whole picture again. */
function repeatLastRound(jpeg: Buffer, times: number): Buffer {
  const start = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
  const end = jpeg.lastIndexOf(Buffer.from([0xff, 0xd9]))
  const round = jpeg.subarray(start, end)
  return Buffer.concat([
    jpeg.subarray(0, end),
    ...Array.from({ length: times }, () => round),
    jpeg.subarray(end),
  ])
}

type Made = readonly [what: string, type: RasterType, make: () => Buffer | Promise<Buffer>]

const heavy: readonly Made[] = [
  ['an interlaced PNG of 100 megapixels', 'image/png', () => interlacedPngOf(10_000)],
  [
    'a progressive JPEG of 100 megapixels',
    'image/jpeg',
    () => blank(10_000).jpeg({ progressive: true }).toBuffer(),
  ],
  ['a GIF of 100 megapixels', 'image/gif', () => blank(10_000).gif({ effort: 1 }).toBuffer()],
]
/** Of the largest that are made smaller. */
const allowed: readonly Made[] = [
  ['an interlaced PNG of 30 megapixels', 'image/png', () => interlacedPngOf(5_470)],
  [
    'a progressive JPEG of 39 megapixels',
    'image/jpeg',
    () => blank(6_300).jpeg({ progressive: true }).toBuffer(),
  ],
  ['a JPEG of 100 megapixels that is read line by line', 'image/jpeg', () => blank(10_000).jpeg().toBuffer()],
]

/** Writes what is made to a file that an upload would be taken as. */
async function kept([, type, make]: Made): Promise<string> {
  const { bytes } = cleanImage(type, await make())
  const path = join(folder, 'image')
  writeFileSync(path, bytes)
  return path
}

describe('an image that is made smaller', () => {
  it.each(heavy.map((one) => [one[0], one] as const))(
    'is never %s, which is left as it is',
    async (_, one) => {
      const path = await kept(one)
      expect(statSync(path).size).toBeLessThan(2_000_000)
      const taken = await measureShrinking(path)
      expect(taken.made).toBe(false)
      expect(taken.cpuS).toBeLessThan(most.cpuS)
      expect(taken.memoryMiB).toBeLessThan(most.memoryMiB)
    },
  )

  it.each(allowed.map((one) => [one[0], one] as const))('may be %s', async (_, one) => {
    const taken = await measureShrinking(await kept(one))
    expect(taken.made).toBe(true)
    expect(taken.cpuS).toBeLessThan(most.cpuS)
    expect(taken.memoryMiB).toBeLessThan(most.memoryMiB)
  })

  it('is no JPEG of many rounds, which are little in a file and much to do', async () => {
    const jpeg = await blank(64).jpeg({ progressive: true }).toBuffer()
    expect(cleanImage('image/jpeg', repeatLastRound(jpeg, 50))).toMatchObject({ width: 64 })
    expect(() => cleanImage('image/jpeg', repeatLastRound(jpeg, 70))).toThrow(/too many rounds/)
  })

  it('would take more without these limits, as is measured here', async () => {
    const { made, memoryMiB } = await measureShrinking(await kept(heavy[0] as Made), 'by sharp alone')
    expect(made).toBe(true)
    expect(memoryMiB).toBeGreaterThan(most.memoryMiB)
  })
})
