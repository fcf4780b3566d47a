import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sizeFaults, sizeNotice } from '../../config/sizes.ts'

it('refuses files of more than 300 lines, and names those of more than 200', () => {
  const root = mkdtempSync(join(tmpdir(), 'copydesk-sizes-'))
  const folder = join(root, 'packages/core/src')
  mkdirSync(folder, { recursive: true })
  const write = (name: string, lines: number) => writeFileSync(join(folder, name), 'x\n'.repeat(lines))
  try {
    write('short.ts', 200)
    expect(sizeNotice(root)).toBeUndefined()
    write('long.ts', 300)
    expect(sizeNotice(root)).toMatch(/^warning: 1 source files .* packages\/core\/src\/long\.ts \(300\)$/)
    expect(sizeFaults(root)).toEqual([])
    write('longer.ts', 301)
    expect(sizeFaults(root)).toEqual([expect.stringMatching(/^packages\/core\/src\/longer\.ts: 301 lines/)])
  } finally {
    rmSync(root, { recursive: true })
  }
})
