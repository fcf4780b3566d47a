import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { password } from '../kit/app.ts'
import { onScreen } from './screen.ts'
import { createStaff, keyOf, type Staff, superAdminOf } from './staff.ts'

const oats = '# Oats\n\nOur oats are sown without sugar \u001b[2J in Thuringia.\n'
const rye = '# Rye\n\nThe rye loaf rests twelve hours.\n'

/** A folder with files that are taken, one that is broken, one that is too large, and hidden ones. */
function folderIn({ home }: Staff): string {
  const folder = join(home, 'brand')
  mkdirSync(join(folder, 'bread'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, 'bread', 'rye.md'), rye)
  writeFileSync(join(folder, 'broken.pdf'), '%PDF-1.7\nnothing')
  writeFileSync(join(folder, 'large.txt'), 'x')
  truncateSync(join(folder, 'large.txt'), 10 * 2 ** 20 + 1)
  writeFileSync(join(folder, 'oats.md'), oats.replace('\u001b[2J', ''))
  writeFileSync(join(folder, 'program.bin'), Buffer.from([0, 1, 2, 3, 0xff]))
  writeFileSync(join(folder, '.secret.md'), 'secret')
  writeFileSync(join(folder, '.git', 'config.md'), 'secret')
  symlinkSync(join(folder, 'oats.md'), join(folder, 'link.md'))
  return folder
}

/** The environment of someone who has logged in with a password. */
async function loggedIn(staff: Staff, person = 'reviewer.1'): Promise<{ env: Record<string, string> }> {
  const env = { TMPDIR: join(staff.home, 'tmp') }
  const email = `${person}.tenant-1@test.example`
  const args = ['login', staff.harness.url, '--email', email, '--password-stdin']
  expect(await staff.run(args, { env, input: password })).toMatchObject({ code: 0 })
  return { env }
}

interface Uploaded {
  path: string
  status: string
  fileId: string | null
  chunks: number
  error: string | null
}
const objects = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Uploaded)

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

describe('copydesk kb upload', () => {
  it('adds what a folder contains, one file after the other, and reports those that failed', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    const { code, stdout, stderr } = await staff.run(['kb', 'upload', 'brand', '--json'])
    expect(code).toBe(1)
    const all = objects(stdout)
    expect(all).toMatchObject([
      { path: 'brand/bread/rye.md', status: 'indexed', fileId: expect.any(String), chunks: 1, error: null },
      { path: 'brand/broken.pdf', status: 'failed', fileId: expect.any(String), chunks: 0 },
      { path: 'brand/large.txt', status: 'failed', fileId: null, error: expect.stringContaining('10 MB') },
      { path: 'brand/oats.md', status: 'indexed', error: null },
      { path: 'brand/program.bin', status: 'failed', fileId: null },
    ])
    expect(stderr).toContain('5 files: 2 indexed, 3 failed\n')
    for (const { path, error } of all.filter(({ status }) => status === 'failed'))
      expect(stderr).toContain(`\n  ${path}: ${error}`)
    expect(stderr).toMatch(/\nerror: 3 failed\.\n$/)
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'])
    expect(data[0]).toMatchObject({ totalFiles: 3, totalChunks: 2 })
  })

  it('takes files, folders and patterns, each file once, into the named dataset', async () => {
    await using staff = await createStaff()
    const folder = folderIn(staff)
    const paths = [join(folder, 'oats.md'), 'brand/**/*.md', 'brand/bread']
    const args = ['kb', 'upload', ...paths, '--dataset', 'competitor-research', '--tenant', 'tenant 1']
    const { code, stdout, stderr } = await staff.run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '3 files: 3 indexed, 0 failed\n' })
    expect(stdout).toBe(
      `✔ ${folder}/oats.md  1 chunk\n✔ brand/bread/rye.md  1 chunk\n✔ brand/link.md  1 chunk\n`,
    )
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'])
    expect(data).toMatchObject([{ totalFiles: 0 }, { totalFiles: 0 }, { totalFiles: 3 }])
  })

  it('sends nothing when a path means nothing, or the tenant is not assigned', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    mkdirSync(join(staff.home, 'empty'))
    const other = await staff.harness.app.team()
    const cases: ReadonlyArray<[args: string[], code: number, says: string]> = [
      [['brand', 'missing.md'], 2, 'no folder missing.md'],
      [['brand', 'empty'], 2, 'no files in empty'],
      [['brand/*.docx'], 2, 'no files in brand/*.docx'],
      [['brand', '--dataset', 'else'], 2, 'client-documents'],
      [['brand/oats.md', '--tenant', other.tenantId], 4, '1 not tried'],
      [['brand', '--tenant', 'Nobody'], 1, 'There is no tenant Nobody'],
    ]
    for (const [args, code, says] of cases) {
      const ended = await staff.run(['kb', 'upload', ...args])
      expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
      expect(ended.stderr).toContain(says)
    }
    const login = await loggedIn(staff, 'admin.1')
    expect(await staff.run(['kb', 'upload', 'brand'], login)).toMatchObject({ code: 4, stdout: '' })
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'])
    for (const each of data) expect(each).toMatchObject({ totalFiles: 0 })
  })

  it('shows on a terminal what is being done, in one line that is written again', async () => {
    const { promise: looked, resolve: look } = Promise.withResolvers<void>()
    await using staff = await createStaff({
      between: async (request, response, handle) => {
        if (request.url === '/cli/v1/kb/upload') await looked
        return handle(request, response)
      },
    })
    folderIn(staff)
    const args = ['kb', 'upload', 'brand/oats.md', 'brand/bread']
    using screen = await onScreen(args, { cwd: staff.home, env: staff.env })
    await screen.shows('1/2 uploading  brand/oats.md')
    look()
    expect(await screen.ended).toBe(0)
    expect(screen.lines()).toEqual([
      '✔ brand/oats.md  1 chunk',
      '✔ brand/bread/rye.md  1 chunk',
      '2 files: 2 indexed, 0 failed',
    ])
  })

  it('ends at Ctrl-C with what was done so far, and sends no file twice', async () => {
    let uploads = 0
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    await using staff = await createStaff({
      between: (request, response, handle) => {
        if (request.url !== '/cli/v1/kb/upload') return handle(request, response)
        uploads += 1
        if (uploads === 1) return handle(request, response)
        // The second is never answered.
        arrive()
      },
    })
    folderIn(staff)
    const args = ['kb', 'upload', 'brand/oats.md', 'brand/bread', 'brand/broken.pdf', '--json']
    const uploading = await staff.begin(args)
    await arrived
    uploading.child.kill('SIGINT')
    const { code, stdout, stderr } = await uploading.ended
    expect({ code, uploads }).toEqual({ code: 1, uploads: 2 })
    expect(objects(stdout)).toMatchObject([{ path: 'brand/oats.md', status: 'indexed' }])
    expect(stderr).toContain('3 files: 1 indexed, 0 failed, 2 not tried\n')
    expect(stderr).toContain('stopped')
  })

  it('reports a connection that breaks, and sends the file no second time', async () => {
    let uploads = 0
    await using staff = await createStaff({
      between: (request, response, handle) => {
        if (request.url !== '/cli/v1/kb/upload') return handle(request, response)
        uploads += 1
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const data = { ragFileId: '01J9ZX6T4QH8C3V5N7M2K0B1AD', status: 'pending' }
        request.resume().on('end', () => {
          response.end(`event: upload_complete\ndata: ${JSON.stringify(data)}\n\n`)
        })
      },
    })
    folderIn(staff)
    const { code, stdout } = await staff.run(['kb', 'upload', 'brand/oats.md', '--json'])
    expect({ code, uploads }).toEqual({ code: 1, uploads: 1 })
    const [uploaded] = objects(stdout)
    expect(uploaded).toMatchObject({ status: 'failed', fileId: '01J9ZX6T4QH8C3V5N7M2K0B1AD' })
    expect(uploaded?.error).toContain('connection ended')
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
