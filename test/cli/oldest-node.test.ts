import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { transformSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import { bundled } from '../kit/bundled.ts'

describe('the program', () => {
  it('contains no syntax newer than what Node 22.18 parses, the oldest that starts it', async () => {
    const folder = dirname(await bundled('main'))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.mjs'),
    )
    expect(files.length).toBeGreaterThan(100)
    for (const name of files) {
      const text = readFileSync(join(folder, name), 'utf8')
      const asItIs = transformSync(name, text, { target: 'esnext' })
      const forOldest = transformSync(name, text, { target: 'node22.18' })
      expect(forOldest.errors, name).toEqual([])
      expect(forOldest.code === asItIs.code, name).toBe(true)
    }
  })
})
