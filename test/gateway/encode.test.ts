import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const program = `
import { z } from 'zod'
import { encoderFor } from '${new URL('../../packages/core/src/gateway/encode.ts', import.meta.url).href}'
import { isoDate } from '${new URL('../../packages/core/src/platform/wire.ts', import.meta.url).href}'

const encode = encoderFor(z.object({
  'a "name"': z.string(),
  at: isoDate.nullable(),
  note: z.string().optional(),
  items: z.array(z.object({ count: z.int(), status: z.enum(['open', 'done']) })),
}))
const item = { count: 1, status: 'open', secret: 'x' }
const value = { 'a "name"': 'A', at: new Date(0), items: [item, { ...item, count: 2 }], secret: 'x' }
const tried = (wrong) => {
  try {
    return encode(wrong)
  } catch (error) {
    return error.issues?.map(({ path }) => path.join('.')) ?? String(error)
  }
}
console.log(JSON.stringify([
  encode(value),
  encode({ ...value, at: null, note: 'n' }),
  tried({ ...value, items: [{ count: 'one', status: 'open' }] }),
  tried(null),
]))
`

function answers(...flags: string[]): string {
  const args = ['--conditions=@copydesk/source', ...flags, '--input-type=module', '--eval', program]
  return execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' })
}

describe('encoderFor', () => {
  it('keeps what is declared, in its order, and refuses what is of another form', () => {
    const items = [
      { count: 1, status: 'open' },
      { count: 2, status: 'open' },
    ]
    const at = '1970-01-01T00:00:00.000Z'
    expect(answers()).toBe(
      `${JSON.stringify([
        { 'a "name"': 'A', at, items },
        { 'a "name"': 'A', at: null, note: 'n', items },
        ['items.0.count'],
        [''],
      ])}\n`,
    )
  })

  it('does the same where no code may be made of text', () => {
    expect(answers('--disallow-code-generation-from-strings')).toBe(answers())
  })
})
