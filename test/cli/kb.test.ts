import { describe, expect, it } from 'vitest'
import { password } from '../kit/app.ts'
import { folderIn, loggedIn } from './kb-staff.ts'
import { createStaff, keyOf, superAdminOf } from './staff.ts'

describe('copydesk kb list', () => {
  it('lists the datasets of the tenants, or of one of them, as a table and as JSON', async () => {
    await using staff = await createStaff()
    const { tenantId } = staff.harness.team
    const other = await staff.harness.app.team('Hearth & Oat')
    const found = await staff.json<{ data: Array<{ name: string; tenantName: string }> }>(['kb', 'list'])
    expect(found.data.map(({ tenantName, name }) => `${tenantName}: ${name}`)).toEqual([
      'Tenant 1: Client documents',
      'Tenant 1: Website',
      'Tenant 1: Competitor research',
    ])
    expect(await staff.json(['kb', 'list', '--tenant', tenantId])).toEqual(found)
    const { code, stdout, stderr } = await staff.run(['kb', 'list'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'tenant\tdataset\tfiles\tchunks\tstatus',
      'Tenant 1\tClient documents\t0\t0\tactive',
    ])
    expect(await staff.run(['kb', 'list', '--tenant', other.tenantId])).toMatchObject({ code: 4, stdout: '' })
  })

  it('lists those of the own tenant for its users', async () => {
    await using staff = await createStaff()
    const login = await loggedIn(staff, 'admin.1')
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'], login)
    expect(data).toMatchObject([{ tenantName: 'Tenant 1', name: 'Client documents' }, {}, {}])
  })
})

describe('copydesk kb files', () => {
  it('lists the files of a dataset by its name, the name of uploads or its id, with their errors', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    await staff.run(['kb', 'upload', 'brand/oats.md', 'brand/broken.pdf'])
    const login = await loggedIn(staff)
    const all = await staff.json<Array<{ id: string; name: string }>>(['kb', 'files'], login)
    expect(all.map(({ name }) => name)).toEqual(['Client documents', 'Website', 'Competitor research'])
    const [documents, website] = all
    expect(documents).toMatchObject({
      files: [
        { fileName: 'broken.pdf', status: 'error', errorMessage: expect.any(String) },
        { fileName: 'oats.md', mimeType: 'text/markdown', status: 'indexed', chunksCount: 1 },
      ],
    })
    for (const name of ['client-documents', 'Client documents', documents?.id ?? ''])
      expect(await staff.json(['kb', 'files', name, '--tenant', 'Tenant 1'], login)).toEqual([documents])
    expect(await staff.json(['kb', 'files', 'website-content'], login)).toEqual([website])
    const { stdout } = await staff.run(['kb', 'files', 'client-documents'], login)
    expect(stdout).toMatch(
      /^Client documents {2}2 files\nfile\tkind\tsize\tstatus\tchunks\terror\nbroken\.pdf\tpdf\t16 B\terror\t/,
    )
    const unknown = await staff.run(['kb', 'files', 'recipes'], login)
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('Client documents, Website, Competitor research')
  })

  it('serves the users of a tenant, and tells others to log in', async () => {
    await using staff = await createStaff()
    const other = await staff.harness.app.team()
    expect(await staff.run(['kb', 'files'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('copydesk login --email'),
    })
    const { key } = await keyOf(staff.harness, (await superAdminOf(staff.harness)).id)
    const env = { ...staff.env, COPYDESK_API_KEY: key }
    const args = ['kb', 'files', '--tenant', 'Tenant 1']
    expect(await staff.run(args, { env })).toMatchObject({ code: 4, stdout: '' })
    const login = await loggedIn(staff, 'member.1')
    expect(await staff.json(['kb', 'files', 'website'], login)).toMatchObject([
      { name: 'Website', files: [] },
    ])
    const foreign = await staff.run(['kb', 'files', '--tenant', other.tenantId], login)
    expect(foreign).toMatchObject({ code: 4, stdout: '' })
  })

  it('tells a super-admin whose login it takes', async () => {
    await using staff = await createStaff()
    const { email } = await superAdminOf(staff.harness)
    const env = { TMPDIR: staff.env['TMPDIR'] ?? '' }
    const input = password
    await staff.run(['login', staff.harness.url, '--email', email, '--password-stdin'], { env, input })
    for (const command of [['files'], ['search', 'oats'], ['crawl', 'https://oats.example']])
      expect(await staff.run(['kb', ...command, '--tenant', 'Tenant 1'], { env })).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(/no access.*Only the reviewers and the users of the tenant/),
      })
  })
})

describe('copydesk kb search', () => {
  it('finds the text of uploaded files, and prints it without control characters', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    expect(await staff.run(['kb', 'upload', 'brand/oats.md', 'brand/bread'])).toMatchObject({ code: 0 })
    const login = await loggedIn(staff)
    const args = ['kb', 'search', 'rye loaf', '--words', '--top', '1']
    const found = await staff.json<{ results: Array<{ fileName: string }> }>(args, login)
    expect(found.results).toMatchObject([
      { fileName: 'rye.md', content: expect.stringContaining('twelve hours') },
    ])
    await staff.harness.app.db.write((tx) =>
      tx.run('update knowledge_chunks set text = text || ?', ['\n\u001b[2J\u001b]0;owned\u0007']),
    )
    const { code, stdout, stderr } = await staff.run(args, login)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^1\. rye\.md( › Rye)? {2}[01]\.\d\d\n/)
    expect(stdout).toContain('The rye loaf rests twelve hours.')
    expect(stdout).toContain('␛[2J')
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u)
  })

  it('searches only the named datasets, of the tenant of the profile', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    expect(await staff.run(['kb', 'upload', 'brand/oats.md'])).toMatchObject({ code: 0 })
    const login = await loggedIn(staff)
    const use = await staff.run(['profile', 'use', 'local', '--tenant', 'Tenant 1'], login)
    expect(use).toMatchObject({ code: 0 })
    const search = (dataset: string) =>
      staff.json<{ results: object[] }>(['kb', 'search', 'oats', '--words', '--dataset', dataset], login)
    expect((await search('client-documents')).results).toHaveLength(1)
    expect((await search('website,competitor-research')).results).toEqual([])
    const none = await staff.run(['kb', 'search', 'oats', '--dataset', 'website'], login)
    expect(none).toMatchObject({ code: 0, stdout: 'Nothing was found.\n' })
  })

  it('refuses a tenant of others and options that exclude each other', async () => {
    await using staff = await createStaff()
    const other = await staff.harness.app.team()
    const login = await loggedIn(staff)
    const foreign = await staff.run(['kb', 'search', 'oats', '--tenant', other.tenantId], login)
    expect(foreign).toMatchObject({ code: 4, stdout: '' })
    const both = await staff.run(['kb', 'search', 'oats', '--words', '--meaning'], login)
    expect(both).toMatchObject({ code: 2, stdout: '' })
    expect(both.stderr).toContain('exclude each other')
  })
})

describe('copydesk ask about the knowledge base', () => {
  it('shows the datasets, and proposes the search, which is run with --yes', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    expect(await staff.run(['kb', 'upload', 'brand/bread'])).toMatchObject({ code: 0 })
    const shown = await staff.run(['ask', 'what is in the knowledge base of tenant 1'])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('has 1 file in 3 datasets') })
    const search = ['ask', 'search the knowledge base for the rye loaf']
    const proposed = await staff.run(search)
    expect(proposed.stdout).toContain('/kb search "the rye loaf" --tenant')
    const login = await loggedIn(staff)
    const found = await staff.run([...search, '--yes'], login)
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('twelve hours') })
  })
})
