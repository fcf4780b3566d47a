import { describe, expect, it } from 'vitest'
import { createStaff } from './staff.ts'

const nothing = '01J9ZX6T4QH8C3V5N7M2K0B1AD'

describe('the output of a rejected command', () => {
  it('names the typed option, once, and what does not exist', async () => {
    await using staff = await createStaff()
    const day =
      'must be a day or an instant with its zone from 1970-01-01 to 2999-12-31, such as 2026-04-10 or 2026-04-10T09:30:00Z'
    const cases: ReadonlyArray<[args: string[], code: number, stderr: string]> = [
      [['cost', '--tenant', nothing], 4, 'error: You are not assigned to this tenant\n'],
      [['cost', '--tenant', 'x'], 1, 'error: There is no tenant x. `copydesk tenants` shows them.\n'],
      [['cost', '--from', 'yesterday'], 2, `error: --from ${day}\n`],
      [['cost', '--to', '2026-02-30'], 2, `error: --to ${day}\n`],
      [['log', nothing], 1, 'error: There is no activity with this id\n'],
      [['log', 'x'], 1, 'error: There is no activity with this id\n'],
      [['log', nothing, '--cursor', 'x'], 1, 'error: There is no activity with this id\n'],
      [['show', nothing], 1, 'error: There is no approval and no activity with this id\n'],
      [['claim', nothing], 1, 'error: There is no approval with this id\n'],
      [['dismiss', nothing], 1, 'error: There is no item of the feed with this id\n'],
      [['queue', '--cursor', nothing], 2, 'error: --cursor: Unknown cursor\n'],
      [['tail', 'x'], 1, 'error: There is no activity with this id\n'],
      [['api', 'GET', '/nowhere'], 1, 'error: There is nothing at this path\n'],
      [['api', 'GET', '/cost', '--query', 'startDate=x'], 2, `error: startDate ${day}\n`],
    ]
    for (const [args, code, stderr] of cases) {
      const ended = await staff.run(args)
      expect({ args, ...ended }).toMatchObject({ args, code, stderr, stdout: '' })
    }
  })

  it('is the same for data of another tenant as for unknown data', async () => {
    await using staff = await createStaff()
    const other = await staff.harness.app.team()
    const foreign = await staff.run(['cost', '--tenant', other.tenantId])
    expect(foreign).toMatchObject({ code: 4, stderr: 'error: You are not assigned to this tenant\n' })
    expect(await staff.run(['cost', '--tenant', nothing])).toEqual(foreign)
  })
})
