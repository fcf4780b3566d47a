import { describe, expect, it } from 'vitest'
import { cli, setUpIn, temporaryFolder } from './process.ts'
import { onScreen } from './screen.ts'
import { createStaff, type Staff } from './staff.ts'

const title = `Oats\tand\nrye ${'that rest for a whole night '.repeat(12)}end`
const inOneLine = title.replace(/[\t\n]/g, ' ')
const sentence = `Rye ${'at night and in the morning '.repeat(20)}end.`

async function titled(staff: Staff): Promise<string> {
  const { approvalId } = await staff.waiting(sentence)
  await staff.harness.app.db.write((tx) => tx.run('update approvals set title = ?', [title]))
  return approvalId
}

const lineWith = (text: string, part: string) => text.split('\n').find((line) => line.includes(part)) ?? ''
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

describe('the output of commands without a terminal', () => {
  it('is not cut: one row per line, cells separated by one tab', async () => {
    await using staff = await createStaff()
    const approvalId = await titled(staff)
    const { stdout } = await staff.run(['queue'])
    const titles = lineWith(stdout, 'risk').split('\t')
    const cells = lineWith(stdout, approvalId).split('\t')
    expect(titles).toEqual(expect.arrayContaining(['id', 'risk', 'title', 'agent']))
    expect(cells).toHaveLength(titles.length)
    expect(cells[titles.indexOf('id')]).toBe(approvalId)
    expect(cells[titles.indexOf('title')]).toBe(inOneLine)
    expect(stdout).not.toContain('\u001b')
    // Empty cells at the end of a row are cells as well.
    const agents = (await staff.run(['agents'])).stdout.replace(/\n$/, '').split('\n')
    expect(new Set(agents.map((line) => line.split('\t').length)).size).toBe(1)
  })

  it('keeps the lines of texts', async () => {
    await using staff = await createStaff()
    const approvalId = await titled(staff)
    const { stdout } = await staff.run(['show', approvalId])
    expect(stdout.split('\n')).toContain(sentence)
    expect(stdout.split('\n')).toContain(inOneLine)
  })

  it('shows a rewritten text completely before and after', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting(sentence)
    await staff.run(['revise', approvalId, '--note', 'Other words', '--yes'])
    const again = await staff.harness.next()
    await again.deliver('Something else altogether.')
    const { pending } = await staff.json<{ pending: Array<{ id: string }> }>(['queue'])
    const { code, stdout } = await staff.run(['show', pending[0]?.id ?? ''])
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([`- ${sentence}`, '+ Something else altogether.']),
    )
  })

  it('fits the width in COLUMNS, and ignores invalid values of it', async () => {
    await using staff = await createStaff()
    const approvalId = await titled(staff)
    for (const COLUMNS of ['80', '120']) {
      const { stdout } = await staff.run(['queue'], { env: { ...staff.env, COLUMNS } })
      expect(stdout).toContain(approvalId)
      expect(stdout).not.toContain('\t')
      expect(widest(stdout)).toBeLessThanOrEqual(Number(COLUMNS))
      expect(widest(stdout)).toBeGreaterThan(Number(COLUMNS) - 20)
    }
    for (const COLUMNS of ['', '0', '-80', 'wide', '1e2', '99999999']) {
      const { stdout } = await staff.run(['queue'], { env: { ...staff.env, COLUMNS } })
      expect(lineWith(stdout, approvalId), COLUMNS).toContain(`\t${inOneLine}\t`)
    }
  })

  it('fits the terminal', async () => {
    await using staff = await createStaff()
    await titled(staff)
    using screen = await onScreen(['queue'], { cwd: staff.home, env: staff.env })
    expect(await screen.ended).toBe(0)
    expect(lineWith(screen.lines().join('\n'), 'that rest')).toMatch(/…/)
    expect(widest(screen.lines().join('\n'))).toBeLessThanOrEqual(100)
  })

  it('is not cut for commands on this machine either', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const name = `Example ${'& Daughters '.repeat(12)}Ltd`
    expect((await cli(['tenant', 'create', '--name', name], { cwd })).code).toBe(0)
    const { stdout } = await cli(['tenant', 'list'], { cwd })
    const [titles = '', row = ''] = stdout.split('\n')
    expect(titles.split('\t')).toEqual(['ID', 'NAME', 'PLAN', 'STATUS', 'AGENTS', 'USERS', 'MONTH'])
    expect(row.split('\t')[1]).toBe(name)
    const narrow = await cli(['tenant', 'list'], { cwd, env: { COLUMNS: '80' } })
    expect(widest(narrow.stdout)).toBeLessThanOrEqual(80)
  })

  it('ends silently when the reader closes the pipe', async () => {
    await using staff = await createStaff()
    await titled(staff)
    const running = await staff.begin(['queue', '--watch', '0.1'])
    await running.says(inOneLine)
    running.child.stdout?.destroy()
    await expect.poll(() => running.child.exitCode).not.toBeNull()
    const { stderr } = await running.ended
    expect(stderr).toBe('')
  })
})
