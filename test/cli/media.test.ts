import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jpegOf, pngOf } from '../kit/pictures.ts'
import { loggedIn } from './kb-staff.ts'
import { createStaff } from './staff.ts'

describe('copydesk media', () => {
  it('adds files of a tenant and lists them, and reports those that failed', async () => {
    await using staff = await createStaff({ worker: false })
    const folder = join(staff.home, 'photos')
    mkdirSync(folder)
    writeFileSync(join(folder, 'loaf.jpg'), jpegOf())
    writeFileSync(join(folder, 'oven.png'), pngOf())
    writeFileSync(join(folder, 'page.png'), '<html>')
    const how = await loggedIn(staff, 'member.1')
    const upload = await staff.run(['media', 'upload', 'photos', '--tags', 'bread', '--json'], how)
    expect(upload.code).toBe(1)
    const outcomes = upload.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(outcomes).toMatchObject([
      { path: 'photos/loaf.jpg', status: 'added', error: null },
      { path: 'photos/oven.png', status: 'added', error: null },
      {
        path: 'photos/page.png',
        status: 'failed',
        id: null,
        error: expect.stringContaining('Its content is no'),
      },
    ])
    expect(upload.stderr).toContain('3 files: 2 added, 1 failed\n')
    const list = async (...options: string[]) => {
      const { stdout } = await staff.run(['media', 'list', '--json', ...options], how)
      return (JSON.parse(stdout) as Array<{ name: string }>).map(({ name }) => name)
    }
    expect(await list()).toEqual(['oven.png', 'loaf.jpg'])
    expect(await list('--search', 'loaf')).toEqual(['loaf.jpg'])
    expect(await list('--kind', 'video')).toEqual([])
    expect(await list('--tag', 'bread', '--limit', '1')).toEqual(['oven.png'])
    const shown = await staff.run(['media', 'list'], how)
    expect(shown.stdout).toMatch(/ID\s+NAME\s+TYPE\s+SIZE\s+TAGS/)
    expect(shown.stdout).toMatch(/oven\.png\s+image\/png\s+1 KiB 4×3\s+bread/)
  })

  it('is for admins and members of a tenant', async () => {
    await using staff = await createStaff({ worker: false })
    const { code, stderr } = await staff.run(['media', 'list'])
    expect([code, stderr]).toEqual([4, expect.stringContaining('for admins and members of a tenant')])
  })
})
