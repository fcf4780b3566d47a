import { describe, expect, it } from 'vitest'
import { distancesTo, normalize } from '../../packages/core/src/kernel/text.ts'
import { isUlid } from '../../packages/core/src/platform/clock.ts'
import { createParser } from '../../packages/language/src/parser.ts'

const parser = createParser({ normalize, distancesTo, isId: isUlid, spans: [], until: [] })
const named = (...names: string[]) => parser.indexNames(names.map((name, at) => ({ id: `id-${at}`, name })))
const tenantsIn = (text: string, ...names: string[]) => {
  const { tenants, besides } = parser.readWhole(text, { tenants: named(...names), roles: [] }).said
  return [...tenants, ...besides].map(({ name }) => name)
}

describe('names of tenants in a request', () => {
  it.each([
    ['what waits for hearth', ['Hearth & Oat']],
    ['what waits for heart & oat', ['Hearth & Oat']],
    ['status of the mill', ['Rye Mill']],
    ['status of hearth and rye mill', ['Hearth & Oat', 'Rye Mill']],
    ['status of northwind', []],
  ])('%s', (text, wanted) => {
    expect(tenantsIn(text, 'Hearth & Oat', 'Rye Mill')).toEqual(wanted)
  })

  it('compares each of many names once, however long the request is', () => {
    let reads = 0
    const many = Array.from({ length: 2_000 }, (_, at) => ({
      id: `id-${at}`,
      get name() {
        reads += 1
        return `Tenant ${at} of Town`
      },
    }))
    const tenants = parser.indexNames(many)
    expect(reads).toBe(2_000)
    const text = 'approve tenent town and tenant 77 of town or tenant 1999 of '.repeat(33).slice(0, 2_000)
    parser.readWhole(text, { tenants, roles: ['blog_writer'] })
    expect(reads).toBe(2_000)
  })
})
