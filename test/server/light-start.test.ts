import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/process.ts'

const source = new URL('../../packages/server/src/light-start.ts', import.meta.url).href

/** Creates objects that stay, during a start and after it, and tells how large the young part of the heap became, bytes. */
const program = `
import { getHeapSpaceStatistics } from 'node:v8'
import { beginLightly, endLightly } from '${source}'
const kept = []
const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
const young = () => {
  for (let i = 0; i < 300_000; i += 1) kept.push({ i, list: [i] })
  return size()
}
beginLightly()
const during = young()
endLightly()
console.log(JSON.stringify({ during, after: young() }))
`

const fullLoad = { turns: 3_000, objects: 1_000, keptFor: 400, pause: 'setImmediate()' }
/** About a megabyte 25 times a second. */
const lightLoad = { turns: 120, objects: 5_000, keptFor: 40, pause: 'setTimeout(40)' }

/** Serves small requests after a start, as it were, and tells how large the young part of the heap became at most, bytes. */
const serving = (ended: string, { turns, objects, keptFor, pause } = fullLoad) => `
import { setImmediate, setTimeout } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { beginLightly, endLightly } from '${source}'
const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
beginLightly()
${ended}
let most = 0
for (let turn = 0, kept = []; turn < ${turns}; turn += 1) {
  if (turn % ${keptFor} === 0) kept = []
  for (let i = 0; i < ${objects}; i += 1) kept.push({ i, list: [i] })
  most = Math.max(most, size())
  await ${pause}
}
console.log(JSON.stringify({ most }))
`

function start<T = { during: number; after: number }>(env: Record<string, string>, text = program): T {
  using folder = temporaryFolder()
  const file = join(folder.path, 'program.mjs')
  writeFileSync(file, text)
  const options = { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' } as const
  return JSON.parse(execFileSync(process.execPath, [file], { ...options, stdio: 'pipe' }))
}

describe('beginLightly', () => {
  it('keeps the young part of the heap small until the start is over', () => {
    const { during, after } = start({})
    expect(during).toBeLessThan(8 * 2 ** 20)
    expect(after).toBeGreaterThan(during)
  })

  it('changes nothing where Node was given options', () => {
    const { during } = start({ NODE_OPTIONS: '--max-semi-space-size=64' })
    expect(during).toBeGreaterThan(16 * 2 ** 20)
  })
})

describe('endLightly', () => {
  const mostWith = (ended: string, env = {}, load = fullLoad) =>
    start<{ most: number }>(env, serving(ended, load)).most

  it('limits the young part of the heap while a server serves', () => {
    expect(mostWith('endLightly()')).toBeLessThan(36 * 2 ** 20)
  })

  it('lets it grow to a quarter of that under light load', () => {
    expect(mostWith('endLightly()', {}, lightLoad)).toBeLessThan(12 * 2 ** 20)
  })

  it('lifts the limit when the server has stopped', () => {
    expect(mostWith('endLightly()()')).toBeGreaterThan(40 * 2 ** 20)
  })

  it('limits nothing where Node was given options', () => {
    expect(mostWith('endLightly()', { NODE_OPTIONS: '--no-warnings' })).toBeGreaterThan(40 * 2 ** 20)
  })
})
