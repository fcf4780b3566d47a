import { describe, expect, it } from 'vitest'
import { createStaff, type Staff } from './staff.ts'

async function offered(staff: Staff, words: string[], env = staff.env): Promise<string[]> {
  const { code, stdout, stderr } = await staff.run(['complete', '--', ...words], { env })
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.pop()).toMatch(/^:\d+$/)
  expect(lines.every((line) => /^[^\t\n\u001b]+\t[^\t\u001b]*$/.test(line))).toBe(true)
  return lines.map((line) => line.split('\t')[0] ?? '')
}

describe('copydesk completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    await using staff = await createStaff()
    const { code, stdout, stderr } = await staff.run(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('copydesk complete --')
  })

  it('offers commands, options, choices and values from the server', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting()
    await staff.harness.app.db.write((tx) =>
      tx.run('update approvals set title = ?', ['Oats\u001b[2J\t\nrye']),
    )
    const { tenantId } = staff.harness.team
    const cases: ReadonlyArray<[words: string[], includes: string[]]> = [
      [['que'], ['queue', 'queues']],
      [['serv'], ['serve']],
      [['tenant', 'cre'], ['create']],
      [['queue', '--st'], ['--status']],
      [['queue', '--status', 'fa'], ['failed']],
      [
        ['bulk', ''],
        ['approve', 'reject'],
      ],
      [['approve', ''], [approvalId]],
      [
        ['show', ''],
        [approvalId, activityId],
      ],
      [['log', activityId.slice(0, 4)], [activityId]],
      [['queue', '--tenant', ''], [tenantId]],
      [['run', 'social'], ['social_writer']],
      [['snooze', ''], [expect.any(String) as never]],
    ]
    for (const [words, includes] of cases)
      expect(await offered(staff, words), words.join(' ')).toEqual(expect.arrayContaining(includes))
    expect(await offered(staff, ['que'])).not.toContain('approve')
  })

  it('offers profiles, and nothing from a server that is offline or rejects the login', async () => {
    await using staff = await createStaff()
    const { TMPDIR = '' } = staff.env
    const login = ['login', staff.harness.url, '--api-key-stdin', '--profile', 'mine']
    expect((await staff.run(login, { env: { TMPDIR }, input: staff.key.key })).code).toBe(0)
    expect(await offered(staff, ['queue', '--profile', ''], { TMPDIR })).toEqual(['mine'])
    expect(
      await offered(staff, ['approve', ''], { ...staff.env, COPYDESK_URL: 'http://127.0.0.1:9' }),
    ).toEqual([])
    expect(await offered(staff, ['approve', ''], { ...staff.env, COPYDESK_API_KEY: 'none' })).toEqual([])
  })
})
