import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, setUpIn, temporaryFolder } from './process.ts'
import { createStaff } from './staff.ts'

/** A control sequence in one byte, letters that turn the writing, joiners, a mark of a tag, and an end of line of its own. */
const hostile =
  'Rye \u009b31m \u007f \u202etxt.exe\u202c \u200b\u2066 \u{e0041} \ufeff \u2028 \u00ad \u3164 end'
const unseen =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]|[\u{e0000}-\u{e007f}]/u

describe('what commands print as JSON', () => {
  it('contains no control or invisible characters, and parses to the same value', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting(hostile)
    const lines: Record<string, readonly string[]> = {
      show: ['show', approvalId, '--json'],
      api: ['api', 'GET', `/approvals/${approvalId}`],
      log: ['api', 'GET', `/activities/${activityId}/versions/1`],
    }
    for (const [name, args] of Object.entries(lines)) {
      const { code, stdout } = await staff.run(args)
      expect(code, name).toBe(0)
      expect(stdout, name).not.toMatch(unseen)
      expect(stdout, name).toContain('\\u009b31m')
      expect(texts(JSON.parse(stdout)).join('\n'), name).toContain(hostile)
    }
  })

  it('is escaped in watched and followed output as well', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting(hostile)
    const watching = await staff.begin(['show', approvalId, '--watch', '0.1', '--json'])
    await watching.says('\\u009b31m')
    watching.child.kill('SIGTERM')
    expect((await watching.ended).stdout).not.toMatch(unseen)
  })

  it('is escaped in commands on this machine as well', async () => {
    using folder = temporaryFolder()
    const options = { cwd: folder.path }
    await setUpIn(folder.path)
    const content = 'Rye \u202eand\u202c \u200bOats'
    writeFileSync(join(folder.path, 'rye.md'), content)
    const about = ['--name', 'Rye', '--description', 'On rye', '--roles', 'all']
    const made = await cli(['skill', 'add', 'rye.md', ...about, '--json'], options)
    expect(made.code, made.stderr).toBe(0)
    const { id } = JSON.parse(made.stdout) as { id: string }
    const shown = await cli(['skill', 'show', id, '--json'], options)
    for (const { code, stdout } of [made, shown]) {
      expect(code).toBe(0)
      expect(stdout).not.toMatch(unseen)
      expect(texts(JSON.parse(stdout))).toContain(content)
    }
  })
})

/** Every text in a value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}
